//! What a guest may say to the agent itself: what concerns the guest's own chat, and nothing that is the owner's.

use super::Slash;

/// What of [`super::COMMANDS`] is the owner's alone, by its first word.
pub(super) const OWNERS: [&str; 5] = ["/approvals", "/approve", "/deny", "/stop", "/model"];

/// Why a guest may not do this; none if a guest may.
pub(super) fn refusal(command: &Slash) -> Option<&'static str> {
    match command {
        Slash::Approvals | Slash::Decide(_) => Some(ANSWER),
        Slash::Stop => Some("only the owner can stop everything; /cancel stops what runs here"),
        Slash::Model(_) => Some("only the owner says who thinks"),
        Slash::Help
        | Slash::Actions
        | Slash::Run(_)
        | Slash::Memory(_)
        | Slash::Clear
        | Slash::Cancel
        | Slash::Status
        | Slash::Wrong(_) => None,
    }
}

/// What a guest is told who answers a question.
pub(crate) const ANSWER: &str = "only the owner answers questions, and has been asked";
