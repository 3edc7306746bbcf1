//! Puts the conversation of a session away, and goes on with another.

use conversation::workspace::{Artifact, Entered, History, OpenChat, StoredChat};
use document::SaveError;
use drive::Task;
use journal::{JournalEvent, Role};
use prompt::shown_entries;
use protocol::{Millis, Taint};

use super::Session;

/// How many events of a conversation are kept for people.
const EVENTS: usize = 5_000;

/// How many events are looked through for something that was done: a few dozen turns.
const LATELY: usize = 256;

impl Session {
    /// The conversation as it is now; `None` while nothing was said in it and it has no name.
    #[must_use]
    pub fn chat(&self) -> Option<StoredChat> {
        let files = &self.files;
        let open = files.chat.read();
        let before = open.number.and_then(|number| files.chats().read(number));
        let mut events = before.map(|chat| chat.events).unwrap_or_default();
        events.extend(self.since_clear());
        let (history, artifact) = (files.history.read(), files.artifact.read());
        if events.is_empty() && history.entries().is_empty() && open.title.is_none() {
            return None;
        }
        events.drain(..events.len().saturating_sub(EVENTS));
        Some(StoredChat {
            title: open.title.clone().unwrap_or_else(|| journal::title(&events)),
            last: events.last().map_or_else(Millis::of_this_machine, |event| event.at),
            history: history.entries().to_vec(),
            artifact: artifact.0.clone(),
            entered: self.entered.clone(),
            events,
        })
    }

    /// Puts the conversation away, if there is one, and gives its number. The one with the number `kept` is not what makes room for it.
    ///
    /// # Errors
    /// [`SaveError`]; all stays as it is then.
    pub fn put_away(&self, kept: Option<u64>) -> Result<Option<u64>, SaveError> {
        let Some(chat) = self.chat() else { return Ok(None) };
        let number = self.files.chat.read().number;
        self.files.chats().write(number, &chat, kept).map(Some)
    }

    /// Goes on with nothing, in an account of its own with clean bits. What was said is forgotten unless it was put `away` under
    /// this number.
    ///
    /// # Errors
    /// [`SaveError`]; what the disk still holds counts as it did.
    pub fn begin_afresh(&mut self, away: Option<u64>) -> Result<(), SaveError> {
        self.closes(away)?;
        let fresh = Entered::afresh(Millis::of_this_machine());
        self.take_up(OpenChat::default(), (History::default(), Artifact::default()), fresh)
    }

    /// Goes on with the conversation `number`; `false` if there is none. The one before was put `away` under that number.
    ///
    /// # Errors
    /// [`SaveError`]; then the bits of both conversations count.
    pub fn open_chat(&mut self, number: u64, away: Option<u64>) -> Result<bool, SaveError> {
        let Some(chat) = self.files.chats().read(number) else { return Ok(false) };
        self.closes(away)?;
        let title = (chat.title != journal::title(&chat.events)).then(|| chat.title.clone());
        let open = OpenChat { number: Some(number), title };
        self.take_up(open, chat.texts(), chat.entered)?;
        Ok(true)
    }

    /// Writes down that what was said is over. It is on the disk before the texts are exchanged: a process that was killed in
    /// between would take what was forgotten for what goes on.
    fn closes(&mut self, away: Option<u64>) -> Result<(), SaveError> {
        self.files.journal.hold(JournalEvent {
            at: Millis::of_this_machine(),
            role: Role::Clear,
            from: self.principal.as_str().to_owned(),
            text: away.map(|number| number.to_string()).unwrap_or_default(),
            bits: Taint::CLEAN,
        });
        if self.files.session.is_on_disk() {
            self.files.journal.flush()?;
        }
        Ok(())
    }

    /// Exchanges the texts. The bits of both conversations count until those of the earlier one are gone.
    fn take_up(
        &mut self,
        open: OpenChat,
        (history, artifact): (History, Artifact),
        entered: Entered,
    ) -> Result<(), SaveError> {
        let before = self.entered.taint();
        self.entered = entered.clone();
        self.entered.raise(before, "the conversation before");
        let files = &self.files;
        files.session.save(self.entered.clone())?;
        files.history.save(history)?;
        files.artifact.save(artifact)?;
        // The folder stays open, but what was said and done there belongs to the conversation before.
        if files.task.read().is_open {
            files.task.save(Task::opened())?;
        }
        files.chat.save(open)?;
        // The latest prompt holds it all once more.
        let _ = std::fs::remove_file(files.prompt_cache());
        self.entered = entered;
        self.files.session.save(self.entered.clone())?;
        self.acted = None;
        Ok(())
    }

    /// Whether something was said that a prompt does not show any more.
    pub fn may_recall(&self) -> bool {
        let history = self.files.history.read();
        let said = history.entries().last().map_or(0, |entry| entry.n);
        said > shown_entries(&history) as u64 || !self.files.chats().is_empty()
    }

    /// Whether something was done in this conversation of late.
    pub(super) fn acted_lately(&self) -> bool {
        let events = self.files.journal.since_clear(LATELY).unwrap_or_default();
        events.iter().any(|event| event.role == Role::Action)
    }

    /// What was said and done since this conversation was taken up.
    fn since_clear(&self) -> Vec<JournalEvent> {
        // A journal that can't be read shows nothing; the history is still there.
        self.files.journal.since_clear(EVENTS).unwrap_or_default()
    }
}
