//! The state of one conversation, and the way out to its people.

mod chats;
mod escalate;
mod keep;
mod owners_standing;
mod pending_action;
mod turns;
mod without_turn;

mod lines;
mod outbox;
mod replies;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use business::{Concern, Setup};
use cadence::Cadence;
use conversation::message::{Origin, Outgoing};
use conversation::observation::Observation;
use conversation::question::Question;
use conversation::workspace::{Cards, Entered, SessionFiles};
use document::{SaveError, Text};
use drive::Task;
use journal::Role;
use model::{Progress, Usage};
use persona::{Persona, Roster};
use prompt::{Passages, Prompt};
use protocol::{MessageId, Millis, Principal, Reads, SessionKey, Taint};

pub use escalate::keep_reception;
pub use lines::{ChannelId, Lines};
pub use outbox::Outbox;
pub use owners_standing::percent;
pub use owners_standing::{OwnersStanding, Stands};
pub use pending_action::{HeldBack, PendingAction};
pub use replies::{OwnersReply, OwnersWish, Replies};
pub use turns::{NextTurn, Turns};

/// How many open questions a session knows of by itself: more than a router lets wait.
const QUESTIONS: usize = 16;

/// One conversation. Its history, memory and latest observations stand in its files; what must not be
/// changed by hand stands here.
#[derive(Debug)]
pub struct Session {
    /// Its key.
    pub key: SessionKey,
    /// The one whose turn it is.
    pub principal: Principal,
    /// The kind of speaker whose turn it is.
    pub origin: Origin,
    /// The persona that answers; `None` for the default one.
    pub speaker: Option<Arc<Persona>>,
    /// How its turns follow on one another.
    pub cadence: Cadence,
    /// The words before the answer that say whose it is, until they were said.
    pub prefix: Option<String>,
    /// Its files.
    pub files: Arc<SessionFiles>,
    /// What has entered it, and what its person typed.
    pub entered: Entered,
    /// Makes its prompts.
    pub prompt: Prompt,
    /// What the turn that runs has said by now, so that a turn that is stopped is remembered, too.
    pub said: String,
    /// The model whose latest answer began with reasoning that looked like words until it had ended.
    pub thinks_first: Option<String>,
    /// What the latest completion took.
    pub usage: Option<Usage>,
    /// The passages of the library that were found for the message that is being answered.
    pub known: Passages,
    /// What the message that is being answered is, if a customer's was sorted.
    pub concern: Option<Concern>,
    /// Why the latest turn failed, if it did; for people.
    pub failure: Option<String>,
    /// Whether something was done in this conversation before the message that is being answered.
    pub has_acted: bool,
    /// Whether something was done in this conversation; `None` until its journal was looked at.
    acted: Option<bool>,
    /// The short answers that a command waits for, each with the command that it stands for. Whatever else is said ends the
    /// waiting.
    pub choices: Vec<(String, String)>,
    /// The papers that nobody has labelled yet, in the order in which their person is asked.
    pub papers: VecDeque<GivenPaper>,
    /// The set-up of the business that waits for an answer.
    pub setup: Option<Setup>,
    /// The questions that it has seen and that nobody has answered here.
    pub questions: Vec<Question>,
    /// Whether digits that come next may be a PIN, late.
    pub was_asked_for_pin: bool,
    /// What waits for a person's yes. An agent that is started again knows nothing of it.
    pub pending: Vec<PendingAction>,
    /// How many answers are given whose result has not come yet.
    pub awaited: usize,
    /// The task of a folder that is open for one command alone. It stands in no file: the one that does goes on afterwards.
    pub passing: Option<Task>,
}

/// A file that may go into the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenPaper {
    /// Where it lies.
    pub path: String,
    /// What people call it.
    pub name: String,
}

/// Who asks, as a command says it: a session at the moment at which an action begins.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The session's key.
    pub session: SessionKey,
    /// The one who speaks.
    pub principal: Principal,
    /// The kind of speaker.
    pub origin: Origin,
    /// The session's files.
    pub files: Arc<SessionFiles>,
    /// What has entered the session by now.
    pub entered: Entered,
    /// Who hears how it goes on, if somebody does.
    pub heard: Option<Outbox>,
}

impl Caller {
    /// The same, with somebody who hears how it goes on.
    #[must_use]
    pub fn heard_by(self, outbox: &Outbox) -> Self {
        Self { heard: Some(outbox.clone()), ..self }
    }

    /// Says what is being done, for as long as it takes.
    pub fn working(&self, on: String) {
        if let Some(outbox) = &self.heard {
            outbox.say(Outgoing::Working(on));
        }
    }

    /// Says what people should know though nothing has stopped.
    pub fn notice(&self, what: String) {
        if let Some(outbox) = &self.heard {
            outbox.say(Outgoing::Notice(what));
        }
    }

    /// Says how a model gets on with `what`, apart from its words.
    pub fn progress(&self, what: &str, progress: &Progress<'_>) {
        if let Some(outbox) = &self.heard {
            outbox.say_progress(what, progress);
        }
    }

    /// Shows a picture to whoever can see it.
    pub fn show(&self, picture: PathBuf) {
        if let Some(outbox) = &self.heard {
            outbox.say(Outgoing::Picture(picture));
        }
    }

    /// A job of the owner's with these bits, that was made at `made` and holds these addresses of a person's. Nobody has typed
    /// anything now, and the router keeps an account of its own for it.
    #[must_use]
    pub fn of_a_job(
        files: &Arc<SessionFiles>,
        principal: Principal,
        bits: Taint,
        (made, typed): (Millis, &[String]),
    ) -> Self {
        let mut entered = Entered::afresh(made);
        entered.were_typed(typed.iter().map(String::as_str));
        let origin = Origin::Clock(bits);
        entered.raise(bits, origin.name());
        let (session, files) = (SessionKey::owner(), Arc::clone(files));
        Self { session, principal, origin, files, entered, heard: None }
    }

    /// The session as it is now.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            session: session.key.clone(),
            principal: session.principal.clone(),
            origin: session.origin,
            files: Arc::clone(&session.files),
            entered: session.entered.clone(),
            heard: None,
        }
    }
}

impl Session {
    /// The conversation that `files` keep, in which `principal` speaks first.
    #[must_use]
    pub fn new(key: SessionKey, principal: Principal, files: SessionFiles, prompt: Prompt) -> Self {
        Self {
            entered: files.entered(),
            files: Arc::new(files),
            key,
            principal,
            origin: Origin::Person,
            speaker: None,
            cadence: Cadence::default(),
            prefix: None,
            prompt,
            said: String::new(),
            thinks_first: None,
            usage: None,
            failure: None,
            known: Passages::default(),
            concern: None,
            has_acted: false,
            acted: None,
            choices: Vec::new(),
            papers: VecDeque::new(),
            setup: None,
            questions: Vec::new(),
            was_asked_for_pin: false,
            pending: Vec::new(),
            awaited: 0,
            passing: None,
        }
    }

    /// Whether it is the one that all of the owner's channels share. Every other one is a guest's.
    #[must_use]
    pub fn is_owners(&self) -> bool {
        self.key.is_owner()
    }

    /// Whether its task may close: the owner's never does, and no result is missed that somebody waits for.
    pub fn may_rest(&self) -> bool {
        let waits = self.awaited > 0 || !self.questions.is_empty() || !self.pending.is_empty();
        !self.is_owners() && !waits
    }

    /// Takes out the open question of `command`, if there is one.
    pub fn settle(&mut self, command: Option<&MessageId>) -> Option<Question> {
        let command = command?;
        let is_its = |question: &Question| question.waits.as_ref() == Some(command);
        let at = self.questions.iter().position(is_its)?;
        Some(self.questions.remove(at))
    }

    /// The name of the persona that was chosen for this chat; `None` for the default one.
    #[must_use]
    pub fn chosen_persona(&self) -> Option<String> {
        let name = self.files.persona.read();
        Some(name.as_str().trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Has `persona` answer in this chat from now on, or the default one.
    ///
    /// # Errors
    /// [`SaveError`]: it holds until the agent ends.
    pub fn choose_persona(&self, persona: Option<&Persona>) -> Result<(), SaveError> {
        self.files.persona.save(Text::new(persona.map_or("", |persona| &persona.name)))
    }

    /// Gives the next turn to `speaker`.
    pub fn speaks(&mut self, speaker: Option<Arc<Persona>>) {
        self.prefix = speaker.as_ref().map(|persona| format!("[{}] ", persona.name));
        self.speaker = speaker;
    }

    /// The persona that was chosen for this chat, if it is there.
    #[must_use]
    pub fn chosen_speaker(&self, roster: &Roster) -> Option<Arc<Persona>> {
        roster.find(&self.chosen_persona()?).cloned()
    }

    /// Has the persona speak that was chosen for this chat.
    pub fn speaks_as_chosen(&mut self, roster: &Roster) {
        self.speaks(self.chosen_speaker(roster));
    }

    /// The task that it works on.
    #[must_use]
    pub fn task(&self) -> Task {
        self.passing.clone().unwrap_or_else(|| Task::clone(&self.files.task.read()))
    }

    /// Takes in how far the task is, until [`Self::keep`] in memory alone.
    pub fn hold_task(&mut self, task: &Task) {
        match &mut self.passing {
            Some(passing) => passing.clone_from(task),
            None => self.files.task.hold(|kept| kept.clone_from(task)),
        }
    }

    /// Takes in the words of a speaker: a person's addresses count as typed, anybody else's words bring trust bits.
    pub fn takes_in(&mut self, text: &str) {
        // No two messages have the same time: it is what they are known by in the logs.
        let now = Millis::of_this_machine();
        let next = self.entered.asked.map_or(now, |last| Millis(last.0.saturating_add(1)).max(now));
        self.entered.asked = Some(next);
        self.has_acted = self.acted.unwrap_or_else(|| self.acted_lately());
        self.acted = Some(self.has_acted);
        if self.origin.is_person() {
            self.entered.was_typed(text);
        }
        self.entered.raise(self.origin.brings(), self.origin.name());
    }

    /// Takes in what a person typed in a message that tells of files, too. The files' names are not among it: whoever made a
    /// file has chosen its name, and no name may order anything.
    pub fn takes_in_with_files(&mut self, typed: &str) {
        self.takes_in(typed);
        self.entered.raise(Taint { untrusted: true, private: false }, "the name of a file");
    }

    /// Raises the bits for what an observation has brought in, by the cards that say what actions read.
    /// An action without a card is taken to have brought text that nobody vouches for.
    pub fn observe(&mut self, observation: &Observation, cards: &[Arc<Cards>; 2]) {
        let card =
            cards.iter().flat_map(|cards| &cards.0).find(|card| card.name == observation.action);
        let reads = card.map_or(Reads::PUBLIC, |card| card.reads);
        self.entered.raise(observation.brings(reads), &observation.source());
        self.record(Role::Action, observation.action.as_str(), &observation.line());
        self.hold(observation);
        self.acted = Some(true);
        self.was_asked(observation);
    }

    /// Keeps the question that an observation puts.
    fn was_asked(&mut self, observation: &Observation) {
        if let Some(question) = observation.question() {
            self.was_asked_for_pin |= question.wants_pin;
            self.questions.push(question);
            let too_many = self.questions.len().saturating_sub(QUESTIONS);
            self.questions.drain(..too_many);
        }
    }
}
