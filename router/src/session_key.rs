//! The session key of a command: whose session it is, and under which key the router's account of it stands.

use protocol::{Command, OWNER, SessionKey};

/// The session of commands that name none, as those of the first SafeClaw.
pub(crate) const LEGACY: &str = "legacy";

/// What stands between a session's key and the time of a person's fresh beginning.
const SINCE: &str = ".since-";

/// Whether the session `key` is somebody else's than the owner's. The owner's further conversations begin with a name of
/// their own behind a dot; commands that name no session come from a first version's agent, which has one person.
pub(crate) fn is_guests(key: &str) -> bool {
    let further = || key.strip_prefix(OWNER).is_some_and(|rest| rest.starts_with('.'));
    key != OWNER && key != LEGACY && !further()
}

/// Under which key the router keeps its account of what the command's session has seen: what comes after a person's
/// fresh beginning has an account of its own.
pub(crate) fn account_of(command: &Command) -> String {
    match command.envelope.begun {
        Some(begun) => format!("{}{SINCE}{}", key_of(command), begun.0),
        None => key_of(command).to_owned(),
    }
}

/// Whether `account` is one of the session `key`.
pub(crate) fn is_account_of(account: &str, key: &str) -> bool {
    let rest = account.strip_prefix(key);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SINCE))
}

/// What a person types to let the session `key` go on.
pub(crate) fn unlock_words(key: &str) -> String {
    if is_guests(key) { format!("/unlock {key}") } else { "/unlock".to_owned() }
}

/// The key of the session.
pub(crate) fn key_of(command: &Command) -> &str {
    command.envelope.session.as_ref().map_or(LEGACY, SessionKey::as_str)
}
