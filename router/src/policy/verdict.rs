//! What policy says of a call. [`Approved`] is made in this folder alone.

use std::sync::Arc;

use governance::Governance;
use protocol::Stopped;

use super::grant::Scope;
use super::ruling::{Ruling, Spend};
use super::standing::WayOut;
use crate::call::Call;

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

/// A call that may run: the only thing that a [`crate::runner::Sandbox`] takes.
#[derive(Debug)]
pub struct Approved {
    pub(super) call: Call,
    pub(super) rule: String,
    pub(super) spends: Option<Spend>,
    pub(super) opens: Option<Arc<Governance>>,
}

/// A call that a person has to approve.
#[derive(Debug)]
pub struct Question {
    pub(super) call: Call,
    pub(super) ruling: Ruling,
    pub(super) way_out: Option<WayOut>,
    pub(super) is_untrusted: bool,
}

impl Approved {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Gives the right back.
    #[must_use]
    pub fn into_call(self) -> Call {
        self.call
    }

    /// The rule that allowed it, for the audit log.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Whose folders it is given.
    #[must_use]
    pub(crate) fn opens(&self) -> Option<&Governance> {
        self.opens.as_deref()
    }

    /// What has to be counted before it runs.
    #[must_use]
    pub fn spends(&self) -> Option<&Spend> {
        self.spends.as_ref()
    }
}

impl Question {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The rule that asks.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.ruling.rule
    }

    /// Why it is asked, in words for people.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.ruling.reason
    }

    /// Whether a yes needs the code that stands in the question.
    #[must_use]
    pub fn needs_code(&self) -> bool {
        self.ruling.needs_code
    }

    /// What a person may allow for a while instead of this one call; `None` where every call has to be asked.
    #[must_use]
    pub fn grantable(&self) -> Option<Scope> {
        // A grant for a dry run would be one for the real thing.
        let grantable = self.ruling.grantable && self.call.dry_run.is_none();
        // The very same once more can be somebody else's wish where others' text is.
        let fits = |scope: &Scope| grantable && !(self.is_untrusted && scope.is_exact());
        Scope::of(&self.call, self.way_out).filter(fits)
    }
}
