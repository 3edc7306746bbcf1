//! Judges calls. What has no rule is refused, and [`Approved`] is made nowhere else.

mod rules;

use protocol::{Code, Stopped};

pub use rules::{DEFAULT, PolicyError, Rule, Rules};

use crate::approval::Yes;
use crate::call::Call;

/// The rules in force.
#[derive(Debug, Clone)]
pub struct Policy {
    rules: Rules,
}

/// What policy says of a call.
#[derive(Debug)]
pub enum Verdict {
    /// Run it.
    Allow(Approved),
    /// Ask a person first.
    Ask(Question),
    /// No.
    Refuse(Stopped),
}

/// A call that may run: the only thing that a [`crate::sandbox::Sandbox`] takes.
#[derive(Debug)]
pub struct Approved {
    call: Call,
    rule: String,
}

/// A call that a person has to approve.
#[derive(Debug)]
pub struct Question {
    call: Call,
    rule: String,
}

impl Policy {
    /// Judges by `rules`.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules }
    }

    /// Judges `call`.
    #[must_use]
    pub fn judge(&self, call: Call) -> Verdict {
        let effect = call.effect();
        let rule = format!("effects.{effect}");
        match self.rules.for_effect(effect) {
            Rule::Allow => Verdict::Allow(Approved { call, rule }),
            Rule::Ask => Verdict::Ask(Question { call, rule }),
            Rule::Refuse => Verdict::Refuse(Stopped::new(
                Code::Policy,
                format!("router/policy.toml does not allow it ({rule})"),
            )),
        }
    }

    /// What becomes of a question that a person has answered with yes.
    #[must_use]
    pub fn approve(&self, question: Question, yes: &Yes) -> Approved {
        let rule = format!("{}, approved by {}", question.rule, yes.principal());
        let mut call = question.call;
        // Its deadline was for a prompt reply, which was `pending`; a person may take longer.
        call.command.envelope.deadline = None;
        Approved { call, rule }
    }
}

impl Approved {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The rule that allowed it, for the audit log.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl Question {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }
}
