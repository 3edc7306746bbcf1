//! What time it is, for what is kept with a time.

use std::fmt;
use std::sync::Arc;

use protocol::Millis;

/// A clock that tells the time of day. Tests hand in their own.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Millis + Send + Sync>);

impl Clock {
    /// One that says what `tell` says.
    #[must_use]
    pub fn new(tell: impl Fn() -> Millis + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Millis {
        (self.0)()
    }
}

/// This machine's.
impl Default for Clock {
    fn default() -> Self {
        Self::new(Millis::of_this_machine)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}
