//! What the tests of several modules need.

use std::sync::Arc;

use conversation::message::Origin;
use conversation::workspace::{Entered, SessionFiles};
use protocol::{Principal, SessionKey, Taint};
use session::Caller;

/// Who asks, in a session with these files that `TEST` has brought these bits into.
pub(crate) fn caller(files: &Arc<SessionFiles>, taint: Taint) -> Caller {
    let mut entered = Entered::nothing();
    entered.raise(taint, "TEST");
    let (session, principal) = ("owner".to_owned(), "console:owner".to_owned());
    Caller {
        session: SessionKey::new(session).unwrap(),
        principal: Principal::new(principal).unwrap(),
        origin: Origin::Person,
        files: Arc::clone(files),
        entered,
        heard: None,
    }
}
