//! `/status`: shows what is connected and how full things are.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use business::{Escalation, Reception};
use conversation::workspace::{Cards, Entered};
use home::counted;
use protocol::{Millis, Stopped};
use session::Caller;
use tokio::time::timeout;
use when::ago;

use super::perform::{At, Perform, Read};
use super::{library, model, usage};
use crate::{Mind, answering};

/// How long the router has to say which questions are open.
const ASK: Duration = Duration::from_secs(1);

/// How many questions of customers are shown.
const ESCALATED: usize = 5;

#[derive(Debug)]
struct Status;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Status))
}

#[async_trait]
impl Perform for Status {
    async fn perform(&self, at: At<'_>) {
        let session = &*at.session;
        let mut latest = String::new();
        if let Some(usage) = &session.usage {
            let _ = writeln!(latest, "{}", usage::lines(usage));
        }
        if let Some(why) = session.failure.as_ref().and_then(|why| why.lines().next()) {
            let _ = writeln!(latest, "the last turn failed: {why}");
        }
        if session.is_owners() {
            let open = timeout(ASK, answering::open_questions(session, at.mind)).await;
            if matches!(open, Ok(Ok(_))) {
                latest.push_str(&stopped(at.mind, &Caller::of(session)).await);
            }
            latest.push_str(&waiting(open.ok().map(|open| open.map(|open| open.len()))));
        }
        if session.is_owners()
            && let Some(searched) = library::meaning(&at).await
        {
            let _ = writeln!(latest, "{searched}");
        }
        let cards = at.mind.cards_for(session);
        at.text(status(at.mind, cards, &Caller::of(session), &latest));
    }

    fn aside(&self, mind: &Mind, caller: &Caller) -> Option<String> {
        Some(status(mind, mind.cards(), caller, "a message is being answered now\n"))
    }
}

/// The standing of the session of `caller`; `latest` are the lines on what was answered last.
fn status(mind: &Mind, cards: [Arc<Cards>; 2], caller: &Caller, latest: &str) -> String {
    let mut text = String::new();
    let is_owners = caller.session.is_owner();
    if is_owners {
        let told = mind.found.iter().cloned().chain(mind.lost.lines());
        text.push_str(&told.collect::<Vec<_>>().join("\n"));
        let _ = write!(text, "\nmodels are {}\n", model::standings(&mind.model.chain()));
    }
    text.push_str(latest);
    if is_owners {
        text.push_str(&escalated(&mind.reception));
    }
    let offered: usize = cards.iter().map(|cards| cards.0.len()).sum();
    let files = &caller.files;
    if !mind.reception.is_customer(&caller.session) {
        let _ = writeln!(text, "actions: {offered}; /actions lists them");
    }
    let _ = write!(
        text,
        "memory: {}; history: {}\nthis chat ({}): {}{}",
        counted(files.memory.read().facts.len() as u64, "fact"),
        counted(files.history.read().entries().len() as u64, "entry"),
        caller.session,
        entered(&caller.entered),
        sources(caller.entered.sources()),
    );
    if is_owners {
        if let Some(jobs) = mind.book.as_ref().map(|book| book.jobs().all().len()) {
            let _ = write!(text, "\nclock: {}; /jobs lists them", counted(jobs as u64, "job"));
        }
        let _ = write!(text, "\nworkspace: {}", files.folder().display());
    }
    text
}

/// That everything is stopped, if the router says so.
async fn stopped(mind: &Mind, caller: &Caller) -> String {
    match timeout(ASK, mind.actions.owner.is_stopped(caller)).await {
        Ok(Ok(true)) => {
            format!("everything is stopped; `{}` lets it go on\n", home::resume_command())
        }
        _ => String::new(),
    }
}

/// How many questions are open, if any, or why that is not known. `None` where the router has not answered.
fn waiting(open: Option<Result<usize, Stopped>>) -> String {
    match open {
        Some(Ok(0)) => String::new(),
        Some(Ok(1)) => "1 question waits for you; /approvals shows it\n".to_owned(),
        Some(Ok(open)) => format!("{open} questions wait for you; /approvals shows them\n"),
        Some(Err(stopped)) => {
            format!("whether a question waits is not known: {}\n", stopped.message)
        }
        None => {
            format!("{}\n", unanswered())
        }
    }
}

/// That the router does not answer, and where people see why.
pub(super) fn unanswered() -> String {
    format!("the router does not answer; `{}` says what is wrong", home::command("doctor"))
}

/// The questions of customers that wait for a person, the latest first.
fn escalated(reception: &Reception) -> String {
    let (escalations, now) = (reception.escalations(), Millis::of_this_machine());
    let all = escalations.all();
    if all.is_empty() {
        return String::new();
    }
    let questions = counted(all.len() as u64, "question");
    let mut text = format!(
        "{questions} of customers for a person; `/reply CHAT TEXT` answers, `/reply CHAT` closes\n"
    );
    for open in all.iter().rev().take(ESCALATED) {
        let (chat, customer, ago) =
            (&open.chat, reception.name(&open.chat), ago(now.since(open.at)));
        let line = Escalation { chat, customer: &customer, question: &open.question }.line();
        let _ = writeln!(text, "{line} ({ago})");
    }
    text
}

fn entered(entered: &Entered) -> &'static str {
    match String::from(entered.taint()).as_str() {
        "" => "nothing that others wrote and nothing private has come in",
        "T" => "text that others wrote has come in",
        "P" => "private data has come in",
        _ => "text that others wrote and private data have come in",
    }
}

fn sources(sources: &[String]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    format!(", from {}; /new starts afresh", sources.join(", "))
}
