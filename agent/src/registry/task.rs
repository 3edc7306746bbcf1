//! Where one session's messages arrive: one turn at a time, in order, and each can be stopped.

use std::sync::Arc;
use std::time::Duration;

use answer::sanitize::one_line;
use business::Page;
use cadence::TurnEnd;
use channel::{Incoming, Said};
use conversation::message::{Outgoing, Ticket};
use mind::slash::{At, SlashCommand};
use mind::turn::Turn;
use mind::{Mind, answering};
use prompt::Passages;
use protocol::{Event, Principal, Trace};
use schedule::{Book, Due};
use session::{Caller, HeldBack, NextTurn, Outbox, PendingAction, Session, Turns};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::capture::Capture;
use super::events;
use super::meanwhile::Meanwhile;
use super::waiting::Waiting;

/// How long the result of what a person has answered is waited for at the end: no router lets a call take
/// longer.
const LONGEST: Duration = Duration::from_secs(600);

/// How long the router has to say which questions are open before the first prompt.
const OPEN: Duration = Duration::from_millis(800);

/// Who reads the page.
const ON_THE_PAGE: &str = "http:owner";

/// How long a guest may be silent before the task ends, and all that the session takes of memory with it. It begins again at
/// the next message, from the session's files.
const IDLE: Duration = Duration::from_secs(60);

/// One session with everything that it needs to answer.
pub struct SessionTask {
    /// What thinks and acts.
    pub mind: Arc<Mind>,
    /// The conversation.
    pub session: Session,
    /// What people say.
    pub incoming: mpsc::Receiver<Incoming>,
    /// What the agent says.
    pub outbox: Outbox,
    /// What the router says on its own.
    pub events: mpsc::UnboundedReceiver<Event>,
    /// Cancelled when the agent ends: the turn that runs is stopped then, and kept.
    pub leaving: CancellationToken,
}

/// Puts the questions that wait for `caller` where that is.
async fn put_again(mind: Arc<Mind>, caller: Caller, outbox: Outbox) {
    for question in answering::left_open(&mind, &caller).await {
        outbox.whisper(&caller.principal, Outgoing::Question(question));
    }
}

/// What is attended to next.
enum Next {
    /// Somebody says something.
    Said(Incoming),
    /// A person has said yes to something that the agent does itself.
    Permitted(PendingAction),
}

impl SessionTask {
    /// Serves the session until nobody can say anything any more, or nobody has for long.
    pub async fn run(mut self) {
        self.put_what_is_open().await;
        self.mind.standing.note(&self.session);
        events::pass_notices_on(&self.session, &self.mind, &self.outbox);
        self.tell_unanswered();
        self.session.tell_open_escalations(&self.mind.reception, &self.outbox);
        let (mut waiting, mut capture) = (Waiting::default(), Capture::default());
        while let Some(next) = self.next(&mut waiting, &mut capture).await {
            match next {
                Next::Said(incoming) => self.take(incoming, &mut waiting, &mut capture).await,
                Next::Permitted(held) => self.go_on(held, &mut waiting).await,
            }
        }
        self.hear_results().await;
        events::hear_the_rest(&mut self.session, &self.mind, &mut self.events, &self.outbox);
        let _ = self.session.keep(&self.outbox).await;
    }

    /// Attends to one thing that was said.
    async fn take(&mut self, incoming: Incoming, waiting: &mut Waiting, capture: &mut Capture) {
        let Incoming { ticket, from, origin, said, .. } = incoming;
        // What waited here while the owner turned the chat off is not answered.
        let is_muted = self.mind.reception.is_muted(&self.session.key);
        if is_muted && (said.is_message() || matches!(said, Said::Command(_))) {
            return self.outbox.say(Outgoing::Aside { ticket, text: String::new() });
        }
        (self.session.principal, self.session.origin) = (from.clone(), origin);
        let said = match said {
            // It was taken back while it waited here.
            Said::Job(due, _) if self.is_taken_back(&due) => {
                return self.outbox.say(Outgoing::Aside { ticket, text: String::new() });
            }
            Said::Job(due, _) if due.is_agentic => {
                // The addresses that a person had typed for the job are typed.
                self.session.entered.were_typed(due.typed.iter().map(String::as_str));
                Said::Message(due.text)
            }
            Said::Message(text) => match self.pin(&text).await {
                Some(given) => return self.take_pin((ticket, from), given).await,
                None => self.meant(text),
            },
            said => said,
        };
        match said {
            Said::Message(_) | Said::WithFiles { .. } | Said::Command(_) => {
                self.respond((ticket, from), said, waiting, capture).await;
                return;
            }
            Said::Answer(decision) => {
                return answering::answer(&mut self.session, &self.mind, decision, &self.outbox)
                    .await;
            }
            Said::Job(due, receipt) => {
                self.session.remind((ticket, receipt), &due, &self.outbox);
            }
            Said::Overheard(text) => {
                capture.hear();
                self.session.overhear(&text);
                self.outbox.say(Outgoing::Aside { ticket, text: String::new() });
                // A group may be quicker than a disk: what waits here is kept together.
                if !self.incoming.is_empty() && !self.session.files.journal.is_filling() {
                    return;
                }
            }
            Said::Reply(text, receipt) => self.session.reply(text, receipt, &self.outbox),
            // There is no turn to stop.
            Said::Stop => return,
        }
        let _ = self.session.keep(&self.outbox).await;
    }

    /// Whether a job was taken back before it was told or done.
    fn is_taken_back(&self, due: &Due) -> bool {
        let is_gone = |book: &Book| book.jobs().all().iter().all(|job| job.id != due.id);
        let is_still_to_come = !due.is_report && !due.is_told;
        is_still_to_come && self.mind.book.as_deref().is_some_and(is_gone)
    }

    /// Answers a message, or carries a command out.
    async fn respond(
        &mut self,
        (ticket, from): (Ticket, Principal),
        said: Said,
        waiting: &mut Waiting,
        capture: &mut Capture,
    ) {
        let text = said.text().unwrap_or_default().to_owned();
        match &said {
            Said::WithFiles { typed, .. } => self.session.takes_in_with_files(typed),
            _ => self.session.takes_in(&text),
        }
        if self.mind.reception.is_customer(&self.session.key) {
            // The owner has typed the pages of the business.
            let profile = self.mind.reception.profile();
            self.session.entered.were_typed(profile.allowed_urls.iter().map(Page::url));
        }
        // A server may answer one at a time, and a person waits for this one. A command may forget what is being noted.
        capture.give_way().await;
        // Codes may stand in commands, which the journal does not hold.
        if said.is_message() {
            capture.hear();
            let (role, who) = (self.session.origin.into(), from.as_str());
            self.session.record(role, who, &text);
            self.session.entered.is_begun(&text);
            // Beside the answer: nobody waits for the disk.
            drop(self.session.keep(&self.outbox));
        }
        let span = self.span();
        tracing::info!(parent: &span, %from, "a message has come");
        self.outbox.say(Outgoing::Begin { ticket, from, text });
        self.take_turns(said, waiting).instrument(span.clone()).await;
        tracing::info!(parent: &span, "it is answered");
        self.session.entered.is_answered();
        events::pass_notices_on(&self.session, &self.mind, &self.outbox);
        self.mind.standing.note(&self.session);
        self.outbox.say(Outgoing::End);
        // People have their answer; what they say next waits until this one is kept.
        let _ = self.session.keep(&self.outbox).await;
    }

    /// What all log lines of the message that is being answered have in front.
    fn span(&self) -> Span {
        let trace = self.session.entered.asked.map(Trace::from).map(tracing::field::display);
        tracing::info_span!("message", trace, session = %self.session.key)
    }

    /// Says which message an end in the middle has left without an answer; it then stands in the history.
    fn tell_unanswered(&mut self) {
        let Some(message) = self.session.entered.unanswered() else { return };
        self.session.remember(&message, "");
        if !self.session.is_owners() {
            // How the house works is no business of theirs, and their channel asks them to say it again.
            return tracing::warn!(
                "a message in the session {} was left unanswered",
                self.session.key
            );
        }
        let short: String = one_line(&message).chars().take(80).collect();
        let cut = if short.len() < message.len() { "…" } else { "" };
        // Telegram tells of what was said there.
        self.outbox.say_beside("telegram", &Outgoing::Notice(format!(
            "SafeClaw ended before your last message was answered, and what it began may be done: \"{short}{cut}\"; /did tells \
             what was done, and say it again if you still want it"
        )));
    }

    /// Puts the questions from before to the owner: on the page, which begins empty, and at this terminal ahead of the first
    /// prompt, which does not wait for a router that is slow to say which they are.
    async fn put_what_is_open(&self) {
        if !self.session.is_owners() {
            return;
        }
        let put = |principal: Principal| {
            let caller = Caller { principal, ..Caller::of(&self.session) };
            put_again(Arc::clone(&self.mind), caller, self.outbox.clone())
        };
        if self.mind.links.is_some()
            && let Ok(reader) = Principal::new(ON_THE_PAGE)
        {
            tokio::spawn(put(reader));
        }
        if let Some(seated) = &self.mind.seated {
            let _ = tokio::time::timeout(OPEN, put(seated.clone())).await;
        }
    }

    /// Waits for what became of what was answered: who has nothing more to say wants to hear that still.
    async fn hear_results(&mut self) {
        let patience = tokio::time::sleep(LONGEST);
        tokio::pin!(patience);
        while self.session.awaited > 0 {
            tokio::select! {
                () = self.leaving.cancelled() => return,
                () = &mut patience => return,
                event = self.events.recv() => match event {
                    Some(event) => {
                        if let Some(held) = events::hear(&mut self.session, &self.mind, event, &self.outbox) {
                            self.go_on(held, &mut Waiting::default()).await;
                        }
                    }
                    None => return,
                },
            }
        }
    }

    /// The next thing to attend to; the router's events are taken in while nobody says anything.
    async fn next(&mut self, waiting: &mut Waiting, capture: &mut Capture) -> Option<Next> {
        if self.leaving.is_cancelled() {
            return None;
        }
        if let Some(incoming) = waiting.pop() {
            return Some(Next::Said(incoming));
        }
        if self.incoming.is_empty() {
            capture.rest(&self.mind, &self.session);
        }
        loop {
            tokio::select! {
                // What the router has said by now stands before the next answer.
                biased;
                () = self.leaving.cancelled() => return None,
                Some(event) = self.events.recv() => {
                    if let Some(held) = events::hear(&mut self.session, &self.mind, event, &self.outbox) {
                        return Some(Next::Permitted(held));
                    }
                }
                incoming = self.incoming.recv() => return incoming.map(Next::Said),
                // What has come by then is still answered; the registry opens another task for what comes later.
                () = tokio::time::sleep(IDLE), if self.session.may_rest() => {
                    if !capture.is_asking() {
                        self.incoming.close();
                    }
                }
            }
        }
    }

    /// Carries out a command, or answers a message with as many turns as the session's cadence has follow on one another.
    async fn take_turns(&mut self, said: Said, waiting: &mut Waiting) {
        let message = match said {
            Said::Message(text) | Said::WithFiles { text, .. } => text,
            Said::Command(command) => return self.carry_out(command, waiting).await,
            Said::Answer(_) | Said::Stop | Said::Job(..) | Said::Overheard(_) | Said::Reply(..) => {
                return;
            }
        };
        let reception = &self.mind.reception;
        if reception.is_customer(&self.session.key) && reception.escalates(&message) {
            return self.session.hand_over(reception, &message, &self.outbox);
        }
        let roster = self.mind.cast.roster();
        let mut turns = Turns::begin(&self.session, &roster, &message);
        let gone = turns.next().filter(|first| first.speaker.is_none());
        if let Some(gone) = gone.and_then(|_| self.session.chosen_persona()) {
            let told = format!("the persona {gone} is not there any more; the default one answers");
            self.outbox.say(Outgoing::Notice(told));
        }
        while let Some(turn) = turns.next() {
            turns.ended(self.take_turn(&turn, waiting).await);
        }
        self.session.speaks(None);
    }

    /// Takes one turn, unless somebody wants it stopped.
    async fn take_turn(&mut self, turn: &NextTurn, waiting: &mut Waiting) -> TurnEnd {
        self.session.speaks(turn.speaker.clone());
        let answer = async |mind: &Mind, session: &mut Session, outbox: &Outbox| {
            Turn { mind, session, outbox }.run(&turn.message).await;
        };
        if self.attend(waiting, answer).await {
            return TurnEnd::Whole;
        }
        let said = std::mem::take(&mut self.session.said);
        self.session.remember(&turn.message, &format!("{said} (stopped)"));
        self.outbox.say(Outgoing::Notice("stopped".to_owned()));
        TurnEnd::Stopped
    }

    /// Carries out a command, unless somebody wants it stopped.
    async fn carry_out(&mut self, command: SlashCommand, waiting: &mut Waiting) {
        let mind = Arc::clone(&self.mind);
        let run = async |_: &Mind, session: &mut Session, outbox: &Outbox| {
            command.run(At { mind: &mind, session, outbox, typed: command.text() }).await;
        };
        if !self.attend(waiting, run).await {
            self.session.said.clear();
            self.outbox.say(Outgoing::Notice("stopped".to_owned()));
        }
        self.session.passing = None;
        self.session.speaks(None);
    }

    /// Does `work` to its end; `false` when it was stopped. Answers count at once, and what else is said waits.
    async fn attend(
        &mut self,
        waiting: &mut Waiting,
        work: impl AsyncFnOnce(&Mind, &mut Session, &Outbox),
    ) -> bool {
        let (mind, outbox) = (&*self.mind, &self.outbox);
        let (caller, questions) = (Caller::of(&self.session), &*self.session.questions.clone());
        let (incoming, leaving) = (&mut self.incoming, &self.leaving);
        let meanwhile = Meanwhile { mind, outbox, caller, questions, incoming, leaving, waiting };
        let (is_whole, answered) = meanwhile.attend(work(mind, &mut self.session, outbox)).await;
        answered.into_iter().for_each(|answered| answered.note(&mut self.session));
        if !is_whole {
            // They were found for this question alone.
            self.session.known = Passages::default();
        }
        is_whole
    }

    /// Does what a person has said yes to, in the name of whoever wanted it, unless somebody wants it stopped.
    async fn go_on(&mut self, held: PendingAction, waiting: &mut Waiting) {
        (self.session.principal, self.session.origin) = (held.principal, held.origin);
        self.session.entered.raise(held.bits, "what was asked about before");
        let action = match held.held {
            HeldBack::Action(action) => action,
            HeldBack::Command(text) => match SlashCommand::read(&text) {
                Some(command) => {
                    // It is judged as what a person has typed, as it was at first.
                    self.session.takes_in(&text);
                    self.carry_out(command, waiting).await;
                    self.session.entered.is_answered();
                    return;
                }
                None => return,
            },
        };
        let done = async |mind: &Mind, session: &mut Session, outbox: &Outbox| {
            Turn { mind, session, outbox }.go_on(action).await;
        };
        if !self.attend(waiting, done).await {
            self.outbox.say(Outgoing::Notice("stopped".to_owned()));
        }
        let _ = self.session.keep(&self.outbox).await;
    }
}
