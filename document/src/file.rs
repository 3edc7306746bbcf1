//! One file, cached.

use std::convert::Infallible;
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use home::FileError;
use home::file::Unnamed;

use crate::document::Document;
use crate::notice::Notices;
use crate::stamp::Stamp;

/// A file that could not be written. What it should hold stays in memory.
#[derive(Debug, thiserror::Error)]
#[error("{}", with_cause(.0))]
pub struct SaveError(FileError);

impl From<FileError> for SaveError {
    fn from(error: FileError) -> Self {
        Self(error)
    }
}

/// These errors end up as one sentence for people, so the cause belongs into it.
fn with_cause(error: &FileError) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// One file: what it holds now, and how that changes.
///
/// Edits by hand between two reads are seen. A value that is not on the disk is kept until the file changes
/// there.
#[derive(Debug)]
pub struct File<T> {
    path: PathBuf,
    /// What holds when there is no file.
    absent: T,
    /// Its absence is worth a word.
    is_expected: bool,
    state: Mutex<State<T>>,
    /// Held by whoever flushes, and taken before the state.
    flushing: Mutex<()>,
    notices: Notices,
}

#[derive(Debug)]
struct State<T> {
    value: Arc<T>,
    /// The file as it was when it was read or written last; none before the first time.
    stamp: Option<Stamp>,
    /// Whether `value` stands on the disk.
    kept: Kept,
    /// What stands in the file could not be read, so it must be set aside before it is written over.
    in_the_way: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    OnDisk,
    /// It waits to be written.
    NotYet,
    /// The disk did not take it.
    InMemoryAlone,
}

impl<T: Document> File<T> {
    /// A file that need not be there.
    pub fn new(path: PathBuf, notices: &Notices) -> Self
    where
        T: Default,
    {
        Self::with(path, T::default(), false, notices)
    }

    /// A file that is written at start if it is missing.
    pub fn built_in(path: PathBuf, value: T, notices: &Notices) -> Self {
        Self::with(path, value, true, notices)
    }

    fn with(path: PathBuf, absent: T, is_expected: bool, notices: &Notices) -> Self {
        let value = Arc::new(absent.clone());
        let state = State { value, stamp: None, kept: Kept::OnDisk, in_the_way: false };
        let (state, flushing) = (Mutex::new(state), Mutex::new(()));
        Self { path, absent, is_expected, state, flushing, notices: notices.clone() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds now.
    #[must_use]
    pub fn read(&self) -> Arc<T> {
        let mut state = self.lock();
        self.refresh(&mut state);
        Arc::clone(&state.value)
    }

    /// Replaces what it holds.
    ///
    /// # Errors
    /// [`SaveError`]: the new value holds in memory alone.
    pub fn save(&self, value: T) -> Result<(), SaveError> {
        self.update(|held| *held = value)
    }

    /// Changes what it holds. Nobody else changes it meanwhile.
    ///
    /// # Errors
    /// [`SaveError`]: the change holds in memory alone.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> Result<(), SaveError> {
        let sure = |value: &mut T| {
            change(value);
            Ok::<_, Infallible>(())
        };
        let Ok(((), saved)) = self.change(sure);
        saved
    }

    /// The same for a change that can be refused: gives what `change` gave, with whether the new value
    /// could be saved.
    ///
    /// # Errors
    /// What `change` gave as an error; then nothing has changed.
    pub fn change<R, E>(
        &self,
        change: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<(R, Result<(), SaveError>), E> {
        let mut state = self.lock();
        let given = self.alter(&mut state, change)?;
        Ok((given, self.write(&mut state)))
    }

    /// Changes what it holds for everybody who reads it, and leaves the disk to [`Self::flush`].
    pub fn hold(&self, change: impl FnOnce(&mut T)) {
        let sure = |value: &mut T| {
            change(value);
            Ok::<_, Infallible>(())
        };
        let Ok(()) = self.alter(&mut self.lock(), sure);
    }

    /// Writes what is only held by now, and tries it once. Nobody but another flush waits for the disk meanwhile.
    ///
    /// # Errors
    /// [`SaveError`]: what is held stays in memory alone.
    pub fn flush(&self) -> Result<(), SaveError> {
        let _alone = self.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.lock();
        if state.kept != Kept::NotYet || state.in_the_way {
            return self.write(&mut state);
        }
        let (value, stamp) = (Arc::clone(&state.value), state.stamp);
        drop(state);
        let written = self.on_disk(&value);
        let mut state = self.lock();
        // Who has saved meanwhile has saved this as well, and what somebody else has written there counts.
        if state.stamp != stamp {
            return Ok(());
        }
        let put = self.put(&mut state, written);
        if Arc::ptr_eq(&state.value, &value) {
            state.kept = if put.is_ok() { Kept::OnDisk } else { Kept::InMemoryAlone };
        }
        put
    }

    /// Whether what it holds now stands on the disk.
    #[must_use]
    pub fn is_on_disk(&self) -> bool {
        self.lock().kept == Kept::OnDisk
    }

    fn alter<R, E>(
        &self,
        state: &mut State<T>,
        change: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, E> {
        self.refresh(state);
        let mut value = T::clone(&state.value);
        let given = change(&mut value)?;
        if state.kept != Kept::OnDisk || value != *state.value {
            state.value = Arc::new(value);
            state.kept = Kept::NotYet;
        }
        Ok(given)
    }

    fn write(&self, state: &mut State<T>) -> Result<(), SaveError> {
        if state.kept != Kept::NotYet {
            return Ok(());
        }
        state.kept = Kept::InMemoryAlone;
        if state.in_the_way {
            match home::file::set_aside(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SaveError(error));
                }
                _ => state.in_the_way = false,
            }
        }
        let written = self.on_disk(&state.value);
        self.put(state, written)?;
        state.kept = Kept::OnDisk;
        Ok(())
    }

    /// Waits until `value` is on the disk, where it has not yet the file's name.
    fn on_disk(&self, value: &T) -> Result<Unnamed, FileError> {
        let text = value.to_text();
        if text.len() as u64 > T::LIMIT {
            let cause = format!("it would be larger than {} bytes", T::LIMIT);
            return Err(FileError::new("write", &self.path, io::Error::other(cause)));
        }
        Unnamed::beside(&self.path, text.as_bytes())
    }

    /// Gives that the file's name.
    fn put(
        &self,
        state: &mut State<T>,
        written: Result<Unnamed, FileError>,
    ) -> Result<(), SaveError> {
        let put = written.and_then(Unnamed::put);
        state.stamp = Some(Stamp::of(&self.path));
        put.map_err(SaveError)
    }

    fn refresh(&self, state: &mut State<T>) {
        let stamp = Stamp::of(&self.path);
        let is_current = state.stamp.is_some_and(|earlier| {
            // What is in memory alone must not be lost to a doubt.
            let doubtless = state.kept == Kept::OnDisk && !state.in_the_way;
            if doubtless {
                stamp.proves_unchanged_since(earlier)
            } else {
                stamp.looks_like(earlier)
            }
        });
        if is_current {
            return;
        }
        state.in_the_way = false;
        match home::file::read(&self.path, T::LIMIT) {
            Ok(None) => self.is_absent(state),
            Ok(Some(bytes)) => self.take(state, &bytes),
            Err(error) if is_broken(error.kind()) => {
                let cause = error.source().map(ToString::to_string).unwrap_or_default();
                self.is_broken(state, &cause);
            }
            Err(error) => {
                state.in_the_way = true;
                // Whose rights the file has then does not matter, so the error's own advice is not enough.
                let is_outside =
                    error.kind() == io::ErrorKind::PermissionDenied && self.path.is_symlink();
                let why =
                    if is_outside { ": a link must not lead out of the workspace" } else { "" };
                self.notices.add(format!("{}; it is not used{why}", SaveError(error)));
            }
        }
        // A file that was set aside is gone by now, and one that changed meanwhile is read again.
        state.stamp = Some(if self.path.exists() { stamp } else { Stamp::of(&self.path) });
    }

    fn take(&self, state: &mut State<T>, bytes: &[u8]) {
        let mut left_out = Vec::new();
        let value = std::str::from_utf8(bytes)
            .map_err(|_| "it is no UTF-8 text".to_owned())
            .and_then(|text| T::from_text(text, &mut left_out));
        match value {
            Ok(value) => {
                state.value = Arc::new(value);
                state.kept = Kept::OnDisk;
            }
            Err(why) => self.is_broken(state, &why),
        }
        for part in left_out {
            self.notices.add(format!("{}: {part}", self.path.display()));
        }
    }

    fn is_absent(&self, state: &mut State<T>) {
        if self.is_expected && state.stamp.is_some() {
            let path = self.path.display();
            self.notices.add(format!(
                "{path} is gone; the built-in text is used, and written again at the next start"
            ));
        }
        self.start_afresh(state);
    }

    fn is_broken(&self, state: &mut State<T>, why: &str) {
        let path = self.path.display();
        let now = if self.is_expected { "the built-in text is used" } else { "it starts empty" };
        match home::file::set_aside(&self.path) {
            Ok(kept) => self.notices.add(format!(
                "{path} can't be used: {why}; the old file is kept as {}, {now}",
                kept.display()
            )),
            Err(error) => {
                state.in_the_way = true;
                let error = SaveError(error);
                self.notices.add(format!("{path} can't be used: {why}; {error}; for now {now}"));
            }
        }
        self.start_afresh(state);
    }

    fn start_afresh(&self, state: &mut State<T>) {
        state.value = Arc::new(self.absent.clone());
        state.kept = Kept::OnDisk;
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the fault lies in the file itself, and not in the way to it.
fn is_broken(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidInput)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    type Meanwhile = Box<dyn FnOnce(&File<Number>)>;

    thread_local! {
        /// What happens while the file is on its way to the disk.
        static MEANWHILE: RefCell<Option<(Arc<File<Number>>, Meanwhile)>> = RefCell::default();
    }

    #[derive(Debug, Clone, PartialEq, Default)]
    struct Number(u32);

    impl Document for Number {
        const LIMIT: u64 = 10;

        fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
            text.parse().map(Self).map_err(|_| "it is no number".to_owned())
        }

        fn to_text(&self) -> String {
            if let Some((file, meanwhile)) = MEANWHILE.take() {
                assert!(file.state.try_lock().is_ok(), "a reader waits for the disk");
                meanwhile(&file);
            }
            self.0.to_string()
        }
    }

    /// 1 is flushed while something else happens: what stands on the disk then, whether that is what holds, and what holds
    /// once that is flushed as well.
    fn flushed(meanwhile: impl FnOnce(&File<Number>) + 'static) -> (u32, bool, u32) {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(File::new(folder.path().join("n"), &Notices::default()));
        file.save(Number(9)).unwrap();
        file.hold(|held| held.0 = 1);
        MEANWHILE.set(Some((Arc::clone(&file), Box::new(meanwhile))));
        let there = || std::fs::read_to_string(file.path()).unwrap().parse().unwrap();
        file.flush().unwrap();
        let (first, is_on_disk) = (there(), file.is_on_disk());
        file.flush().unwrap();
        assert_eq!(file.read().0, there());
        (first, is_on_disk, there())
    }

    #[test]
    fn nobody_waits_for_a_flush_and_nothing_older_replaces_what_is_newer() {
        assert_eq!(flushed(|file| assert_eq!(file.read().0, 1)), (1, true, 1));
        assert_eq!(flushed(|file| file.hold(|held| held.0 += 1)), (1, false, 2));
        assert_eq!(flushed(|file| file.update(|held| held.0 += 1).unwrap()), (2, true, 2));
        let save_and_hold = |file: &File<Number>| {
            file.update(|held| held.0 += 1).unwrap();
            file.hold(|held| held.0 += 1);
        };
        assert_eq!(flushed(save_and_hold), (2, false, 3));
        let by_hand = |file: &File<Number>| {
            std::fs::write(file.path(), "77").unwrap();
            assert_eq!(file.read().0, 77);
        };
        assert_eq!(flushed(by_hand), (77, true, 77));
    }
}
