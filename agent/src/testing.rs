//! What the tests of several modules need.

use std::sync::Arc;

use protocol::{ActionName, Principal, SessionKey, Status, Taint};

use crate::message::{ActionLine, Origin};
use crate::session::Caller;
use crate::workspace::{Entered, SessionFiles};

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

/// An action that has ended well, with this line.
pub(crate) fn ended(line: &str) -> ActionLine {
    let (action, line) = (ActionName::new("LOOK").unwrap(), line.to_owned());
    ActionLine { action, status: Status::Ok, told: line.clone(), line }
}
