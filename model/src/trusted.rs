//! Which models outside of the house may read what is private when they stand in for the first.

use std::sync::{Arc, PoisonError, RwLock};

use llm::Target;

/// Those that the owner trusts. All that hold a clone hear of a change at once.
#[derive(Debug, Clone, Default)]
pub struct Trusted(Arc<RwLock<Vec<Target>>>);

impl Trusted {
    /// These.
    #[must_use]
    pub fn of(targets: &[Target]) -> Self {
        Self(Arc::new(RwLock::new(targets.to_vec())))
    }

    /// Whether `target` is one of them.
    #[must_use]
    pub fn has(&self, target: &Target) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(target)
    }

    /// Trusts `targets` and no others.
    pub fn set(&self, targets: &[Target]) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = targets.to_vec();
    }
}
