//! A question in the hands of a router, which says again and again that it lives. Once it has not for a while, it has died,
//! and another one tells what became of the question.

use std::time::Duration;

use protocol::Millis;
use uuid::Uuid;

use super::{Approvals, Parked, State};
use shared::{self, APPROVALS, StoreFault};

/// How long a router may not have said that it lives: as long as for commands on Redis, unless the owner has set another
/// time there.
const LEASE: Duration = Duration::from_secs(15);

/// How often it says so, and how often a question that has ended is tried to be forgotten.
const BEAT: Duration = Duration::from_secs(4);

/// What a router holds that has taken a question up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lease {
    /// The question.
    pub(super) id: String,
    /// Which taking up it was.
    pub(super) by: Uuid,
}

impl Lease {
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), by: Uuid::new_v4() }
    }

    /// The question's id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// What stands in the store of a question that is held like this at `now`.
    pub(super) fn state(&self, now: Millis) -> State {
        State::TakenUp { by: self.by, until: now.after(LEASE) }
    }

    fn holds(&self, parked: &Parked) -> bool {
        matches!(&parked.state, State::TakenUp { by, .. } if *by == self.by)
    }
}

impl Approvals {
    /// Says that whoever holds `lease` lives; `false` when somebody else has the question now, or it has ended.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn renew(&self, lease: &Lease, now: Millis) -> Result<bool, StoreFault> {
        shared::update(&*self.store, APPROVALS, &lease.id, |there: Option<Parked>| match there {
            Some(parked) if lease.holds(&parked) => {
                (Some(Parked { state: lease.state(now), ..parked }), true)
            }
            there => (there, false),
        })
        .await
    }

    /// Says it again and again, and returns once somebody else has the question.
    pub(crate) async fn lost(&self, lease: &Lease, now: impl Fn() -> Millis) {
        loop {
            tokio::time::sleep(BEAT).await;
            match self.renew(lease, now()).await {
                Ok(true) => {}
                Ok(false) => return,
                // Whose it is then, is known once the store is back.
                Err(fault) => tracing::warn!("that a router lives can't be said: {fault}"),
            }
        }
    }

    /// Puts a question back as it stood `before` it came into these hands, which have begun nothing: another router takes it up.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn put_back(&self, lease: &Lease, before: &Parked) -> Result<(), StoreFault> {
        shared::update(&*self.store, APPROVALS, &lease.id, |there: Option<Parked>| match there {
            Some(parked) if lease.holds(&parked) => (Some(before.clone()), ()),
            there => (there, ()),
        })
        .await
    }

    /// Forgets a question that has ended in these hands. A store that fails is asked again for as long as the question is held:
    /// one that is still kept then is told of once more, as one that may have been done.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn end(&self, lease: &Lease) -> Result<(), StoreFault> {
        for _ in 0..LEASE.as_secs() / BEAT.as_secs() {
            match self.forget(lease).await {
                Ok(()) => return Ok(()),
                Err(fault) => tracing::warn!("a question that has ended is still kept: {fault}"),
            }
            tokio::time::sleep(BEAT).await;
        }
        self.forget(lease).await
    }

    async fn forget(&self, lease: &Lease) -> Result<(), StoreFault> {
        shared::update(&*self.store, APPROVALS, &lease.id, |there: Option<Parked>| {
            (there.filter(|parked| !lease.holds(parked)), ())
        })
        .await
    }

    /// Whether this router has a question in its hands that is held so: then it has not died, whatever the clock says after
    /// a machine has slept.
    pub(super) fn is_mine(&self, state: &State) -> bool {
        matches!(state, State::TakenUp { by, .. } if self.held().contains(by))
    }

    /// Takes a question into this router's hands.
    pub(super) fn hold(&self, lease: &Lease) {
        self.held().push(lease.by);
    }

    /// Lets go of a question that this router has nothing to do with any more.
    pub(crate) fn let_go(&self, lease: &Lease) {
        self.held().retain(|by| *by != lease.by);
    }
}
