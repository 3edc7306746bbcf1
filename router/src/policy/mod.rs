//! Judges calls. What has no rule is refused, and [`Approved`] is made nowhere else.
//!
//! ```text
//!   policy.toml ──► read ──► rules ──┐
//!                                    ├──► ruling ──► verdict
//!   a call, and how its session ──► floor
//!   stands                           (what no file loosens)
//! ```

pub(crate) mod approval;

mod asked;
mod change;
mod fault;
mod file;
mod floor;
mod glob;
mod governed;
mod grant;
mod read;
mod rule;
mod rules;
mod ruling;
mod standing;
mod then;
mod verdict;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ::governance::Governance;
use protocol::{ActionName, Code, Stopped};

pub use asked::Asked;
pub use change::{external, with_external};
pub use fault::{Fault, PolicyError};
pub use file::PolicyFile;
pub(crate) use file::load;
pub use glob::Glob;
pub(crate) use governed::{Opened, governance, opened, problems};
pub use grant::{Grant, Scope};
pub use read::{Checked, read};
pub use rule::{Conditions, Pattern, Rule};
pub use rules::{ApprovalTerms, DEFAULT, Effects, Limits, Rules, Via};
pub use ruling::{Ruling, Spend};
pub use standing::{Standing, WayOut};
pub use then::{Place, Then};
pub use verdict::{Approved, Question, Verdict};

use crate::call::Call;
use crate::digest::Digest;
use approval::{Parked, Yes, binding};

/// The rules in force. Clones share them.
#[derive(Debug, Clone)]
pub struct Policy {
    rules: Arc<Rules>,
    governance: Arc<Governance>,
    version: Arc<str>,
}

impl Policy {
    /// Judges by `rules`.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let version = rules.version.as_str().into();
        Self { rules: Arc::new(rules), governance: Arc::new(Governance::closed()), version }
    }

    /// The same, and lines and paths are judged by `governance`. Without it all of them are refused.
    #[must_use]
    pub fn governed_by(self, governance: impl Into<Arc<Governance>>) -> Self {
        let governance = governance.into();
        let both = format!("{} {}", self.rules.version, governance.version());
        let version = Digest::of(both.as_bytes()).to_string().into();
        Self { governance, version, ..self }
    }

    /// In hexadecimal: it changes when router/policy.toml or router/governance.json does.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How much a session may ask.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.rules.limits
    }

    /// Who answers questions, where and how soon.
    #[must_use]
    pub fn approval(&self) -> &ApprovalTerms {
        &self.rules.approval
    }

    /// Decides about something that may have no skill, without the right to run it.
    #[must_use]
    pub fn rule_on(&self, asked: &Asked, standing: &Standing) -> Ruling {
        ruling::rule_on((&self.rules, &self.governance), asked, standing)
    }

    /// Judges `call`, of a session that stands so.
    #[must_use]
    pub fn judge(&self, call: Call, standing: &Standing) -> Verdict {
        let ruling = self.rule_on(&Asked::from(&call), standing);
        match ruling.then {
            Then::Allow => {
                let (rule, spends) = (ruling.rule, ruling.spends);
                let opens = self.opens(&call);
                Verdict::Allow(Approved { call, rule, spends, opens })
            }
            Then::Ask => {
                let Standing { way_out, taint, .. } = *standing;
                Verdict::Ask(Question { call, ruling, way_out, is_untrusted: taint.untrusted })
            }
            Then::Refuse => Verdict::Refuse(self.refusal(&ruling)),
        }
    }

    /// What is answered to what `ruling` refuses.
    #[must_use]
    pub fn refusal(&self, ruling: &Ruling) -> Stopped {
        let why = match ruling.rule.strip_prefix(governed::RULE) {
            Some(why) => format!("router/governance.json does not allow it: {why}"),
            None => format!("router/policy.toml does not allow it ({})", ruling.rule),
        };
        Stopped::new(Code::Policy, why)
    }

    /// The right to run `call`, which a person has answered with yes when it was `parked`.
    ///
    /// # Errors
    /// `policy` when anything that the answer is bound to is not what it was: the skill, this policy, or the call itself.
    pub(crate) fn approve(
        &self,
        call: Call,
        parked: &Parked,
        yes: &Yes,
    ) -> Result<Approved, Stopped> {
        let digest = binding(&call.command, Some(&call), self.version());
        if digest != parked.digest {
            let why = "the skill or the policy has changed since the question; ask again";
            return Err(Stopped::new(Code::Policy, why));
        }
        let rule = format!("{}, approved by {}", parked.rule, yes.principal());
        let opens = self.opens(&call);
        Ok(Approved { call, rule, spends: None, opens })
    }

    /// The folders that a call is given because router/governance.json judges it.
    fn opens(&self, call: &Call) -> Option<Arc<Governance>> {
        (!call.skill.marks.governed.is_empty()).then(|| Arc::clone(&self.governance))
    }

    /// What the policy puts behind the PIN, beside what always is.
    #[must_use]
    pub fn behind_pin(&self) -> &[ActionName] {
        &self.rules.pin
    }

    /// The hosts that a model may name.
    #[must_use]
    pub fn named_hosts(&self) -> &[Glob] {
        &self.rules.named_hosts
    }

    /// Whether any rule counts how often it has allowed something.
    #[must_use]
    pub fn counts_uses(&self) -> bool {
        self.rules.rules.iter().any(|rule| rule.times.is_some())
    }
}
