//! What people say while a turn runs: a stop ends it, an answer counts at once, and everything else waits.

use channel::{Incoming, Said};
use conversation::message::{Origin, Outgoing};
use conversation::question::Question;
use mind::Mind;
use mind::answering::{Answered, Answering};
use mind::slash::Ends;
use session::{Caller, Outbox};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::waiting::Waiting;

/// What a task attends to beside its work.
pub(super) struct Meanwhile<'a> {
    pub(super) mind: &'a Mind,
    pub(super) outbox: &'a Outbox,
    /// In whose name answers are passed on, but for the person.
    pub(super) caller: Caller,
    /// The questions that its people have seen.
    pub(super) questions: &'a [Question],
    pub(super) incoming: &'a mut mpsc::Receiver<Incoming>,
    pub(super) leaving: &'a CancellationToken,
    pub(super) waiting: &'a mut Waiting,
}

impl Meanwhile<'_> {
    /// Does `work` to its end; `false` when it was stopped. Gives what has become of the answers that came meanwhile.
    pub(super) async fn attend(self, work: impl Future<Output = ()>) -> (bool, Vec<Answered>) {
        let Self { mind, outbox, caller, questions, incoming, leaving, waiting } = self;
        let of = |principal| Caller { principal, origin: Origin::Person, ..caller.clone() };
        let mut answering = Answering::default();
        let is_whole = {
            tokio::pin!(work);
            let mut somebody = true;
            loop {
                tokio::select! {
                    () = &mut work => break true,
                    () = leaving.cancelled() => break false,
                    () = answering.go_on() => {}
                    said = incoming.recv(), if somebody => match said {
                        // Dropping the work ends the model's request and takes running commands back.
                        Some(said) if said.said.ends() != Ends::Nothing => {
                            match (said.said.ends(), &said.said) {
                                // The kill switch does not wait its turn.
                                (Ends::Everything, _) => waiting.push_front(said),
                                // What was stopped says so; whoever waits for the command has no other answer.
                                (_, Said::Command(_)) => outbox
                                    .say(Outgoing::Aside { ticket: said.ticket, text: String::new() }),
                                _ => {}
                            }
                            break false;
                        }
                        Some(Incoming { said: Said::Answer(given), from, .. }) => {
                            answering.begin(Answered::of(mind, of(from), given, outbox));
                        }
                        Some(Incoming { said: Said::Command(ref command), ref from, ticket, .. })
                            if let Some(given) = command.answers() =>
                        {
                            let text = "Your answer is on its way.".to_owned();
                            outbox.say(Outgoing::Aside { ticket, text });
                            let (given, from) = (given.clone(), from.clone());
                            answering.begin(Answered::typed(mind, of(from), given, questions, outbox));
                        }
                        // It is told at once; what is left waits for the conversation.
                        Some(Incoming { said: Said::Job(mut due, receipt), ticket, session, from, origin })
                            if !due.is_agentic =>
                        {
                            let (text, told) = (due.text.clone(), receipt.clone());
                            outbox.say(Outgoing::Reminder { ticket, text, receipt: told });
                            due.is_told = true;
                            let said = Said::Job(due, receipt);
                            waiting.push(Incoming { ticket, session, from, origin, said }, outbox);
                        }
                        Some(said) => match aside(mind, &caller, &said.said) {
                            Some(text) => outbox.say(Outgoing::Aside { ticket: said.ticket, text }),
                            None => waiting.push(said, outbox),
                        },
                        // Nobody can say anything any more, but what runs is still wanted.
                        None => somebody = false,
                    },
                }
            }
        };
        let answered = tokio::select! {
            answered = answering.finish() => answered,
            () = leaving.cancelled() => Vec::new(),
        };
        (is_whole, answered)
    }
}

/// All that a command has to say that need not wait for the turn that runs.
fn aside(mind: &Mind, caller: &Caller, said: &Said) -> Option<String> {
    match said {
        Said::Command(command) => command.aside(mind, caller),
        Said::Message(_)
        | Said::WithFiles { .. }
        | Said::Answer(_)
        | Said::Stop
        | Said::Job(..)
        | Said::Overheard(_)
        | Said::Reply(..) => None,
    }
}
