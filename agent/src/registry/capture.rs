//! Notes what was said in a session, beside its turns: where ten messages wait and nobody has said anything for a moment, a model
//! is asked in the words of capture.md.
//!
//! It is a view of the journal, which holds all of it: what could not be noted waits there, and the notes say how far it is noted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use answer::Words;
use conversation::message::Origin;
use conversation::workspace::SessionFiles;
use document::SaveError;
use journal::JournalEvent;
use mind::Mind;
use model::{Ask, Model as _, ModelError};
use notes::{Batch, DUE, Note, NoteSource, WINDOW, is_nothing, waiting};
use prompt::Fence;
use protocol::Taint;
use session::{Caller, Session};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

/// How much of the journal is looked at, in events.
const EVENTS: usize = 5_000;

/// How many events before the latest that is noted are looked at, for what was said just before.
const BEFORE: usize = 200;

/// How much of the notes a model is shown that writes another, in bytes.
const SHOWN: usize = 3_000;

/// How long nobody has said anything when it begins: who goes on talking would only have it end again.
const QUIET: Duration = Duration::from_secs(2);

/// How long it waits after a model has failed; each further time twice as long, up to the second.
const PAUSE: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(3_600);

/// The noting of one session.
pub(super) struct Capture {
    /// How many messages came since the latest look at the journal began.
    heard: usize,
    /// How many were left then.
    left: Arc<AtomicUsize>,
    running: Option<Running>,
}

/// The task that notes.
struct Running {
    task: JoinHandle<()>,
    /// Cancelled when it has to end. A note that is being written then is written whole.
    over: CancellationToken,
    /// Whether it asks a model now.
    is_asking: Arc<AtomicBool>,
}

/// Nobody knows what an earlier process has left: the first message is worth a look.
impl Default for Capture {
    fn default() -> Self {
        Self { heard: 0, left: Arc::new(AtomicUsize::new(DUE - 1)), running: None }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.over.cancel();
        }
    }
}

impl Capture {
    /// Takes in that somebody has said something.
    pub(super) fn hear(&mut self) {
        self.heard += 1;
    }

    /// Takes in that a command was given, which may have put a conversation away.
    pub(super) fn look_again(&mut self) {
        self.heard = self.heard.max(1);
        self.left.store(DUE, Ordering::Relaxed);
    }

    /// Stops the noting: somebody waits for an answer, or has something forgotten. What was not noted waits in the journal.
    pub(super) async fn give_way(&mut self) {
        let Some(running) = self.running.take() else { return };
        if !running.task.is_finished() {
            running.over.cancel();
            // What it would have left is not known any more.
            self.look_again();
        }
        // One that has panicked has ended, too.
        let _ = running.task.await;
    }

    /// Whether a model is being asked. If the session's task ended now, the question would be lost.
    pub(super) fn is_asking(&self) -> bool {
        let running = self.running.as_ref().filter(|running| !running.task.is_finished());
        running.is_some_and(|running| running.is_asking.load(Ordering::Relaxed))
    }

    /// Begins, if it is time and none is at work, while nobody waits for an answer.
    pub(super) fn rest(&mut self, mind: &Arc<Mind>, session: &Session) {
        let is_running = self.running.as_ref().is_some_and(|running| !running.task.is_finished());
        let is_due = self.heard > 0 && self.heard + self.left.load(Ordering::Relaxed) >= DUE;
        if is_running || !is_due {
            return;
        }
        self.heard = 0;
        let (over, is_asking) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
        let noting = Noting {
            mind: Arc::clone(mind),
            caller: Caller::of(session),
            over: over.clone(),
            is_asking: Arc::clone(&is_asking),
        };
        let left = Arc::clone(&self.left);
        let task = tokio::spawn(async move {
            if noting.over.run_until_cancelled(tokio::time::sleep(QUIET)).await.is_some()
                && let Some(rest) = noting.all().await
            {
                left.store(rest, Ordering::Relaxed);
            }
        });
        self.running = Some(Running { task, over, is_asking });
    }
}

/// What one task needs to note.
struct Noting {
    mind: Arc<Mind>,
    /// The session, and its files.
    caller: Caller,
    over: CancellationToken,
    is_asking: Arc<AtomicBool>,
}

impl Noting {
    /// Notes all that waits, and gives how many messages are left; nothing if it was to end before that. Where nobody is
    /// answered, no model is asked: what is said there waits in the journal.
    async fn all(&self) -> Option<usize> {
        let (mut pause, mut before, mut most) = (PAUSE, None, WINDOW);
        loop {
            if self.mind.reception.is_muted(&self.caller.session) {
                return Some(DUE);
            }
            let (batch, left) = look(&self.caller.files, most).await;
            // What was noted and waits all the same would be noted for ever.
            let Some(batch) = batch.filter(|batch| before != Some(batch.upto)) else {
                return Some(left);
            };
            self.is_asking.store(true, Ordering::Relaxed);
            let asked = note(&self.mind, &self.caller, &batch);
            let noted = self.over.run_until_cancelled(asked).await;
            self.is_asking.store(false, Ordering::Relaxed);
            match noted? {
                // Of less at a time it may write less.
                Ok(Written::NoRoom) if most > 1 => most /= 2,
                Ok(written) => {
                    let note = match written {
                        Written::Done(note) => note,
                        Written::NoRoom => None,
                    };
                    let (files, upto) = (Arc::clone(&self.caller.files), batch.upto);
                    let saved = spawn_blocking(move || files.notes.capture(upto, note)).await;
                    if let Ok(Err(error)) = saved {
                        failed(&error);
                    }
                    (pause, before) = (PAUSE, Some(batch.upto));
                }
                // It stays in the journal until there is a model.
                Err(ModelError::NeedsModel) => return Some(left),
                // A model with a small window takes less at a time.
                Err(error) if error.is_of_size() && most > 1 => most /= 2,
                Err(error) => {
                    tracing::info!(%error, "what was said is not noted yet; it is tried again");
                    self.over.run_until_cancelled(tokio::time::sleep(pause)).await?;
                    pause = (2 * pause).min(LONGEST);
                }
            }
        }
    }
}

fn failed(error: &SaveError) {
    tracing::warn!(%error, "what was noted is kept in memory only");
}

/// What is to be noted next, and how many messages wait.
async fn look(files: &Arc<SessionFiles>, most: usize) -> (Option<Batch>, usize) {
    let files = Arc::clone(files);
    let look = move || {
        let marks = files.notes.marks();
        // What is noted is shown with what is not, as far as a note goes.
        let mut shown = None;
        let is_enough = |event: &JournalEvent| {
            shown = match shown {
                None => marks.contains(&event.at).then_some(BEFORE),
                Some(left) => Some(left - 1),
            };
            shown == Some(0)
        };
        let events = files.journal.back_to(EVENTS, is_enough).unwrap_or_default();
        let chats = files.chats();
        let is_there = |number| chats.holds(number);
        (Batch::next(&events, &marks, &is_there, most), waiting(&events, &marks, &is_there))
    };
    spawn_blocking(look).await.unwrap_or_default()
}

/// Asks a model to write down what is worth it.
async fn note(mind: &Mind, caller: &Caller, batch: &Batch) -> Result<Written, ModelError> {
    let rules = mind.workspace.capture.read();
    let notes = caller.files.notes.read();
    let (asked, bits) = (asked(&notes.text(SHOWN), batch), batch.bits.with(notes.taint()));
    let ask = Ask::chat(rules.as_str().trim(), &[], &asked).private(bits.private);
    let answer = mind.model.complete(&ask, &mut |_| {}).await?;
    mind.spent(&caller.session, Origin::Person, &answer.usage);
    // A line that was cut off says who knows what.
    let text = match answer.cut() {
        Some(_) => answer.text.rsplit_once('\n').map_or("", |(whole, _)| whole),
        None => &answer.text,
    };
    let words = Words::of(text, [&[], &[]]);
    if answer.cut().is_some() && words.trim().is_empty() {
        return Ok(Written::NoRoom);
    }
    if is_nothing(&words) {
        return Ok(Written::Done(None));
    }
    let bits = Taint { private: bits.private, ..batch.bits };
    // What is too large to be looked at is no note.
    let words = mind.actions.without_secrets(&words, caller).await.unwrap_or_default();
    Ok(Written::Done(Note::new(batch.upto, NoteSource::Captured, bits, &words)))
}

/// What a model has written down.
enum Written {
    /// The note; nothing if there was nothing to write.
    Done(Option<Note>),
    /// It was cut off before a line was whole.
    NoRoom,
}

fn asked(noted: &str, batch: &Batch) -> String {
    let mut fence = Fence::new(uuid::Uuid::new_v4().as_u64_pair().0);
    let parts = [
        ("The notes that are there:", "notes", noted),
        ("What was said before, and is noted:", "before", &batch.before),
        ("What was said since:", "said", &batch.said),
    ];
    fence.keep_out_of(parts.iter().map(|(_, _, text)| *text));
    let parts = parts.iter().filter(|(_, _, text)| !text.is_empty());
    let shown = parts.map(|(title, tag, text)| format!("{title}\n{}", fence.around(tag, text)));
    shown.chain(["Write the note alone.".to_owned()]).collect::<Vec<_>>().join("\n\n")
}
