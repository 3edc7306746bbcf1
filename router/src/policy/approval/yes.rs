//! The proof that a person has agreed.

use protocol::Principal;

/// A person's yes. Only an answer to a parked question makes one.
#[derive(Debug)]
pub(crate) struct Yes {
    principal: Principal,
}

impl Yes {
    pub(super) fn of(principal: Principal) -> Self {
        Self { principal }
    }

    /// Who said yes.
    #[must_use]
    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }
}
