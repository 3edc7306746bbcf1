//! What to do next, behind the results of a turn: said for each outcome, because a small model does not see it from the
//! result. Nothing of what a result says is repeated here, for here it would stand outside of its fence.

use conversation::observation::Observation;
use protocol::{Code, Outcome, Status};

/// One line for each result, and what holds for all.
pub(super) fn steps(so_far: &[Observation]) -> String {
    let mut lines: Vec<String> = so_far.iter().map(step).collect();
    lines.dedup();
    lines.push("Answer the user from the results. Act again only if it is needed.".to_owned());
    lines.join("\n")
}

fn step(seen: &Observation) -> String {
    let name = &seen.action;
    let Outcome::Stopped(stopped) = &seen.outcome else {
        return format!("{name} is done. Don't do it again.");
    };
    match (stopped.code, stopped.code.status()) {
        (Code::BadParams | Code::SkillFailed | Code::UnknownAction, _) => {
            format!("{name} failed. Mend what its result says, and ask again.")
        }
        (_, Status::Pending) => format!("{name} waits for a person. Don't ask for it again."),
        (_, Status::Denied | Status::Skipped) => {
            format!("{name} was refused. Don't ask for it again; tell the user.")
        }
        _ => format!("{name} did not work. Tell the user."),
    }
}
