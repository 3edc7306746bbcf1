//! What is allowed for a while and counted: people's grants, and the rules of the policy that have `times`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::{GrantTerms, Millis, Principal};
use uuid::Uuid;

use crate::policy::{Grant, Scope, Spend};
use shared::{self, GRANTS, SPENT, Store, StoreFault};

/// How long an agent has to do what it was permitted to do once.
const SOON: Duration = Duration::from_secs(600);

/// The permissions of all routers that share the store.
#[derive(Debug)]
pub(crate) struct Grants {
    store: Arc<dyn Store>,
}

/// What allows everything in `scope` on these terms, in the name of `by`, once it is given. What was asked about is the first
/// of the times.
pub(crate) fn on_terms(scope: Scope, terms: GrantTerms, by: &Principal, now: Millis) -> Grant {
    let (id, until) = (Uuid::new_v4().to_string(), now.after(terms.span()));
    let used = u32::from(terms.times().is_some());
    Grant { id, scope, until, times: terms.times(), used, given_by: by.clone() }
}

impl Grants {
    /// Keeps them in `store`.
    #[must_use]
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The grants that hold at `now`.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn held(&self, now: Millis) -> Result<Vec<Grant>, StoreFault> {
        let all = shared::list::<Grant>(&*self.store, GRANTS).await?.into_iter();
        Ok(all.map(|(_, grant)| grant).filter(|grant| grant.until > now).collect())
    }

    /// How often each counted rule has allowed something.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn used(&self) -> Result<BTreeMap<String, u32>, StoreFault> {
        Ok(shared::list::<u32>(&*self.store, SPENT).await?.into_iter().collect())
    }

    /// Allows it once, and soon.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn allow_once(
        &self,
        scope: Scope,
        by: &Principal,
        now: Millis,
    ) -> Result<(), StoreFault> {
        let (times, until, given_by) = (Some(1), now.after(SOON), by.clone());
        let id = Uuid::new_v4().to_string();
        self.give(&Grant { id, scope, until, times, used: 0, given_by }).await
    }

    /// Has `grant` count from now on.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn give(&self, grant: &Grant) -> Result<(), StoreFault> {
        let given = |_: Option<Grant>| (Some(grant.clone()), ());
        shared::update(&*self.store, GRANTS, &grant.id, given).await
    }

    /// Takes a grant back; `false` when there is none of this id.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn take_back(&self, id: &str) -> Result<bool, StoreFault> {
        let taken = |there: Option<Grant>| (None, there.is_some());
        shared::update(&*self.store, GRANTS, id, taken).await
    }

    /// Counts one use, in one step with the look at what is left; `false` when nothing is.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn spend(&self, spend: &Spend) -> Result<bool, StoreFault> {
        match spend {
            Spend::Rule { id, times } => {
                let spent = |used: Option<u32>| {
                    let used = used.unwrap_or(0);
                    if used < *times { (Some(used + 1), true) } else { (Some(used), false) }
                };
                shared::update(&*self.store, SPENT, id, spent).await
            }
            Spend::Grant { id, .. } => {
                let spent = |there: Option<Grant>| match there {
                    Some(grant) if grant.times.is_none_or(|times| grant.used < times) => {
                        (Some(Grant { used: grant.used + 1, ..grant }), true)
                    }
                    there => (there, false),
                };
                shared::update(&*self.store, GRANTS, id, spent).await
            }
        }
    }
}
