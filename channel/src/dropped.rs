//! The files that the owner has given in the chat: each lies in `files/` under the digest of what it holds, and `list.json` says
//! what people call it. No name that anybody gives becomes a path: of its ending no more is kept than which of ours it is.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use document::{File, Json, Notices};
use protocol::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::kind;

/// How large a file may be, in bytes.
pub(crate) const LARGEST: usize = 10 * 1024 * 1024;

/// How large all files of a chat may be together, in bytes.
const ALL: u64 = 200 * 1000 * 1000;

/// How many files a chat holds.
const MOST: usize = 2_000;

/// How much of a name is kept, in characters.
const NAME: usize = 100;

/// How long an ending may be that a longer name keeps, with its dot, in characters.
const ENDING: usize = 12;

/// How many digits of the digest a file is known by: 128 bits, which nobody makes twice.
const DIGITS: usize = 32;

/// The endings of what the library reads.
const PAPERS: [&str; 9] = ["csv", "docx", "epub", "htm", "html", "md", "pdf", "txt", "xlsx"];

/// A file, as people know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// What people call it.
    pub(crate) name: String,
    /// How large it is.
    pub(crate) bytes: u64,
    /// What its bytes say that it is.
    pub(crate) kind: String,
    /// When it came.
    pub(crate) at: Millis,
}

/// All files of a chat, by their digests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct List(pub(crate) BTreeMap<String, Dropped>);

impl Json for List {
    const LIMIT: u64 = 4 * 1024 * 1024;
}

/// Why a file is not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DropError {
    /// There is no room for it.
    #[error("this chat holds {} MB of files, and at most 200 MB are kept; remove some under Files", .0 / 1_000_000)]
    Full(u64),
    /// There are too many.
    #[error("this chat holds {MOST} files; remove some under Files")]
    Many,
    /// The disk does not take it.
    #[error("the file could not be kept: {0}")]
    Disk(String),
}

/// The folder of the owner's files. All channels share one value: two would lose what the other writes into the list.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    list: File<List>,
}

impl Files {
    /// The files below `folder`, where the owner's conversation lies.
    #[must_use]
    pub fn below(folder: &Path) -> Self {
        let folder = folder.join("files");
        let list = File::new(folder.join("list.json"), &Notices::default());
        Self { folder, list }
    }

    /// Where the file that is known by `id` lies.
    pub(crate) fn place(&self, id: &str, dropped: &Dropped) -> PathBuf {
        self.folder.join(dropped.stored(id))
    }

    fn make(&self) -> io::Result<()> {
        if self.folder.is_symlink() {
            return Err(io::Error::other("the folder of files is a symbolic link"));
        }
        home::file::make_folder(&self.folder).map_err(io::Error::other)
    }

    /// All of them, by their digests.
    pub(crate) fn all(&self) -> List {
        List::clone(&self.list.read())
    }

    /// Keeps a file, and gives the digest that it is known by.
    pub(crate) fn keep(&self, name: &str, bytes: &[u8]) -> Result<(String, Dropped), DropError> {
        let disk = |error: &dyn std::fmt::Display| DropError::Disk(error.to_string());
        self.make().map_err(|error| disk(&error))?;
        let id = digest(bytes);
        let mut dropped = Dropped {
            name: shown(name),
            bytes: bytes.len() as u64,
            kind: kind::of(bytes).to_owned(),
            at: Millis::of_this_machine(),
        };
        let keep = |list: &mut List| {
            let others = list.0.iter().filter(|(other, _)| **other != id);
            let held: u64 = others.map(|(_, other)| other.bytes).sum();
            if held + dropped.bytes > ALL {
                return Err(DropError::Full(held));
            }
            match list.0.get(&id) {
                // Messages tell where it lies, which its first name has said.
                Some(before) => dropped.name.clone_from(&before.name),
                None if list.0.len() >= MOST => return Err(DropError::Many),
                None => {}
            }
            home::file::write(&self.place(&id, &dropped), bytes).map_err(|error| disk(&error))?;
            list.0.insert(id.clone(), dropped.clone());
            Ok(())
        };
        let ((), saved) = self.list.change(keep)?;
        saved.map_err(|error| disk(&error))?;
        Ok((id, dropped))
    }

    /// The file that is known by `id`, and what it holds.
    pub(crate) fn read(&self, id: &str) -> io::Result<Option<(Dropped, Vec<u8>)>> {
        let Some(dropped) = self.list.read().0.get(id).filter(|_| is_id(id)).cloned() else {
            return Ok(None);
        };
        let path = self.place(id, &dropped);
        if path.is_symlink() {
            return Ok(None);
        }
        let bytes = home::file::read(&path, LARGEST as u64).map_err(io::Error::other)?;
        Ok(bytes.map(|bytes| (dropped, bytes)))
    }

    /// Removes the file that is known by `id`; `false` when there is none.
    pub(crate) fn remove(&self, id: &str) -> io::Result<bool> {
        if !is_id(id) {
            return Ok(false);
        }
        let remove = |list: &mut List| {
            let Some(dropped) = list.0.remove(id) else { return Ok(false) };
            match std::fs::remove_file(self.place(id, &dropped)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(true),
            }
        };
        let (was_there, saved) = self.list.change(remove)?;
        saved.map_err(io::Error::other)?;
        Ok(was_there)
    }
}

impl Dropped {
    /// Its ending, if the library reads files with that: one of ours, and no text of anybody's.
    pub(crate) fn paper(&self) -> Option<&'static str> {
        let (_, ending) = self.name.rsplit_once('.')?;
        PAPERS.into_iter().find(|paper| ending.eq_ignore_ascii_case(paper))
    }

    /// The name under which it lies in the folder.
    fn stored(&self, id: &str) -> String {
        self.paper().map_or_else(|| id.to_owned(), |paper| format!("{id}.{paper}"))
    }

    /// The line of a message that tells of it: in the owner's name, and by a place that no name has made.
    pub(crate) fn line(&self, id: &str) -> String {
        let Self { name, bytes, kind, .. } = self;
        format!("[file \"{name}\", {bytes} bytes, {kind}, kept as files/{}]", self.stored(id))
    }
}

/// The digest that a file is known by.
fn digest(bytes: &[u8]) -> String {
    let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    digits[..DIGITS].to_owned()
}

/// Whether `id` is such a digest, and so no path.
fn is_id(id: &str) -> bool {
    id.len() == DIGITS
        && id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// A name as it is shown: on one line, without folders, quotes, or what is not seen and turns the order of letters round.
fn shown(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_hidden = |c: char| {
        c.is_control()
            || legible::is_unseen(c)
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
    };
    let plain = last.chars().filter(|c| !is_hidden(*c)).map(|c| match c {
        '"' | '[' | ']' => '\'',
        other => other,
    });
    let name: String = plain.collect();
    match name.trim().trim_start_matches('.') {
        "" => "file".to_owned(),
        name => short(name),
    }
}

/// A name cut in the middle: its ending says what the file is.
fn short(name: &str) -> String {
    let ending = name.rfind('.').map_or("", |at| &name[at..]);
    let ending = if ending.chars().count() > ENDING { "" } else { ending };
    let stem = name.strip_suffix(ending).unwrap_or(name).chars();
    stem.take(NAME - ending.chars().count()).chain(ending.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &std::path::Path) -> Files {
        Files::below(folder)
    }

    #[test]
    fn no_name_becomes_a_path_and_what_was_kept_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let (id, dropped) = files(folder.path()).keep("../../evil.md", b"# Hi").unwrap();
        assert_eq!((dropped.name.as_str(), dropped.kind.as_str()), ("evil.md", "text/plain"));
        assert_eq!(dropped.paper(), Some("md"));
        assert!(is_id(&id));
        assert_eq!(
            dropped.line(&id),
            format!("[file \"evil.md\", 4 bytes, text/plain, kept as files/{id}.md]")
        );
        let names: Vec<_> = std::fs::read_dir(folder.path().join("files")).unwrap().collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(!folder.path().parent().unwrap().join("evil.md").exists());
        let (found, bytes) = files(folder.path()).read(&id).unwrap().unwrap();
        assert_eq!((found, bytes), (dropped, b"# Hi".to_vec()));
        for id in ["../list.json", "list.json", "", &id[1..], &id.to_uppercase()] {
            assert!(files(folder.path()).read(id).unwrap().is_none(), "{id}");
            assert!(!files(folder.path()).remove(id).unwrap(), "{id}");
        }
        assert!(files(folder.path()).remove(&id).unwrap());
        assert!(files(folder.path()).read(&id).unwrap().is_none());
    }

    #[test]
    fn a_name_is_one_line_that_forges_no_other() {
        for (name, told) in [
            ("a\u{202e}fdp.exe", "afdp.exe"),
            ("a\"]\n[file \"b", "a'''file 'b"),
            ("C:\\x\\y.txt", "y.txt"),
            ("..", "file"),
            ("", "file"),
            ("<img src=x onerror=alert(1)>.png", "<img src=x onerror=alert(1)>.png"),
        ] {
            assert_eq!(shown(name), told, "{name:?}");
        }
        assert_eq!(shown(&"x".repeat(500)).len(), NAME);
    }

    #[test]
    fn a_long_name_keeps_its_ending() {
        let told = shown(&format!("{}.PDF ", "\u{e9}".repeat(500)));
        assert_eq!(told, format!("{}.PDF", "\u{e9}".repeat(NAME - 4)));
        let odd = shown(&format!("a.{}", "x".repeat(500)));
        assert_eq!((odd.len(), &odd[..3]), (NAME, "a.x"));
    }

    #[test]
    fn the_same_bytes_stay_where_a_message_has_told_that_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let (id, first) = files.keep("a.md", b"a").unwrap();
        let (again, second) = files.keep("b.txt", b"a").unwrap();
        assert_eq!((again, second.line(&id)), (id.clone(), first.line(&id)));
        assert!(files.place(&id, &first).exists());
        assert_eq!(files.read(&id).unwrap().unwrap().1, b"a");
        let names = std::fs::read_dir(folder.path().join("files")).unwrap();
        assert_eq!(names.count(), 2, "the file and the list");
    }

    #[test]
    fn as_many_as_a_chat_holds_may_come_again() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let (id, first) = files.keep("a", b"a").unwrap();
        let fill = |list: &mut List| {
            for n in 1..MOST {
                list.0.insert(n.to_string(), Dropped { bytes: 1, ..first.clone() });
            }
        };
        files.list.update(fill).unwrap();
        assert_eq!(files.keep("a", b"a").unwrap().0, id);
        assert!(matches!(files.keep("b", b"b"), Err(DropError::Many)));
    }

    #[test]
    fn a_chat_that_is_full_says_so_and_the_same_file_again_takes_no_room() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let (id, _) = files.keep("a", b"a").unwrap();
        let rest =
            Dropped { name: "b".to_owned(), bytes: ALL - 1, kind: String::new(), at: Millis(0) };
        files.list.update(|list| drop(list.0.insert("b".to_owned(), rest))).unwrap();
        assert_eq!(files.keep("again", b"a").unwrap().0, id);
        let refused = files.keep("c", b"c").unwrap_err().to_string();
        assert!(refused.contains("holds 200 MB"), "{refused}");
        assert!(!folder.path().join("files").join(digest(b"c")).exists());
    }
}
