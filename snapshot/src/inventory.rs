//! What is in a folder at one time.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::beneath::{Beneath, OPEN, is_absent};

/// Folders that tools make again by themselves. Their names are fixed, because a list in the project could be written by
/// the one whose deeds are to be taken back.
const MADE_AGAIN: [&str; 8] = [
    "target",
    "node_modules",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".tox",
];

/// How much is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// The largest file, in bytes.
    pub(crate) file: u64,
    /// All files together, in bytes.
    pub(crate) bytes: u64,
    /// How many files, folders and links.
    pub(crate) items: usize,
    /// How many folders in one another.
    pub(crate) depth: usize,
    /// How many of those that are not looked at are named.
    pub(crate) left_out: usize,
    /// The longest inventory, in bytes.
    pub(crate) inventory: u64,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            file: 128 << 20,
            bytes: 1 << 30,
            items: 50_000,
            depth: 64,
            left_out: 10_000,
            inventory: 64 << 20,
        }
    }
}

/// One file, folder or link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    /// What it is.
    pub(crate) form: Form,
    /// The permissions.
    pub(crate) mode: u32,
    /// Whose it is.
    pub(crate) uid: u32,
    /// The group whose it is.
    pub(crate) gid: u32,
    /// By which a file that nobody has touched is known; nothing while it is too young for that.
    stamp: Option<Stamp>,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// A folder.
    Folder,
    /// A file, with the SHA-256 of its content.
    File(String),
    /// A link that leads there.
    Link(PathBuf),
    /// What can't be looked at or is too much. No snapshot holds it, and a way back finds it where something else was.
    Unseen,
}

/// Inode, size, and when content and state changed, in nanoseconds.
type Stamp = (u64, u64, i64, i64);

impl Item {
    /// Whether the other is the same to whoever reads it.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let is_link = matches!(self.form, Form::Link(_));
        self.form == other.form && (is_link || self.mode == other.mode)
    }
}

/// What is known of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sighting<'i> {
    /// It was not looked at.
    Nothing,
    /// Nothing stood there.
    Absent,
    /// This stood there.
    There(&'i Item),
}

/// All that is in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inventory {
    /// By their paths in the folder.
    pub(crate) items: BTreeMap<String, Item>,
    /// What was not looked at; whatever lies below is not known either.
    pub(crate) left_out: Vec<String>,
    /// How many more were not looked at, whose names are not kept.
    #[serde(default)]
    pub(crate) unnamed: usize,
    /// Whether more was there than is known by name.
    pub(crate) is_cut: bool,
}

/// Takes the content of each file whose sum is not known yet, and gives the sum.
pub(crate) trait Intake {
    /// Reads `file` to its end; nothing when the file can't be read, or is longer than `longest` bytes.
    ///
    /// # Errors
    /// The content can't be taken in, which is no fault of the file.
    fn read(&mut self, file: File, longest: u64) -> io::Result<Option<String>>;

    /// Whether folders that keep their owner out are opened to be looked into.
    fn opens(&self) -> bool {
        false
    }
}

/// Reads files for their sums alone.
#[derive(Default)]
pub(crate) struct Sums {
    opens: bool,
}

impl Intake for Sums {
    fn read(&mut self, file: File, longest: u64) -> io::Result<Option<String>> {
        sum_into(file, longest, &mut io::sink())
    }

    fn opens(&self) -> bool {
        self.opens
    }
}

/// Copies at most `longest` bytes of `file`, and gives the SHA-256 of them; nothing when `file` can't be read, or is longer.
///
/// # Errors
/// `to` can't be written.
pub(crate) fn sum_into(
    file: File,
    longest: u64,
    to: &mut impl Write,
) -> io::Result<Option<String>> {
    let (mut sum, mut chunk) = (Sha256::new(), vec![0; 64 * 1024]);
    let mut file = file.take(longest + 1);
    let mut length = 0;
    loop {
        let Ok(count) = file.read(&mut chunk) else { return Ok(None) };
        if count == 0 {
            let sum = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok(Some(sum));
        }
        length += count as u64;
        if length > longest {
            return Ok(None);
        }
        sum.update(&chunk[..count]);
        to.write_all(&chunk[..count])?;
    }
}

impl Inventory {
    /// Looks through `folder`. A file that is as it was in `before` is not read again. What can't be read is left out.
    ///
    /// # Errors
    /// `folder` itself can't be read, or `reader` can't take in what stands there.
    pub(crate) fn look(
        folder: &Beneath,
        before: &Self,
        bounds: Extent,
        reader: &mut impl Intake,
    ) -> io::Result<Self> {
        let mut look = Looking { folder, before, bounds, reader, bytes: 0, found: Self::default() };
        look.enter(Path::new(""))?;
        Ok(look.found)
    }

    /// Looks through `folder` on a way back to `before`, and for all that was there before, one by one, however much is there now.
    /// A file that is as it was in `known` is not read again. Folders that keep their owner out are open from now on.
    ///
    /// # Errors
    /// `folder` itself can't be read.
    pub(crate) fn look_again(
        folder: &Beneath,
        before: &Self,
        known: &Self,
        bounds: Extent,
    ) -> io::Result<Self> {
        let (reader, found) = (&mut Sums { opens: true }, Self::default());
        let mut look = Looking { folder, before: known, bounds, reader, bytes: 0, found };
        look.enter(Path::new(""))?;
        // So much was there before, at most.
        look.bytes = 0;
        for path in before.items.keys() {
            if !look.found.items.contains_key(path) {
                look.look_for(path)?;
            }
        }
        Ok(look.found)
    }

    /// What is known of `path`.
    pub(crate) fn known(&self, path: &str) -> Sighting<'_> {
        let is_out = |out: &String| {
            path.strip_prefix(out.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self.items.get(path) {
            Some(item) => Sighting::There(item),
            None if self.is_cut || self.left_out.iter().any(is_out) => Sighting::Nothing,
            None => Sighting::Absent,
        }
    }
}

struct Looking<'l, R> {
    folder: &'l Beneath,
    before: &'l Inventory,
    bounds: Extent,
    reader: &'l mut R,
    bytes: u64,
    found: Inventory,
}

impl<R: Intake> Looking<'_, R> {
    fn enter(&mut self, path: &Path) -> io::Result<()> {
        let opened = self.folder.folder(path).and_then(|folder| Ok((folder.names()?, folder)));
        let (mut names, folder) = match opened {
            Err(_) if !path.as_os_str().is_empty() => {
                self.leave_out(path.to_string_lossy().into_owned());
                return Ok(());
            }
            opened => opened?,
        };
        names.sort();
        for name in names {
            let path = path.join(&name);
            let Some(shown) = path.to_str().map(str::to_owned) else {
                self.leave_out(path.to_string_lossy().into_owned());
                // Names are kept as text, and what is not text can't be told apart from others.
                self.found.is_cut = true;
                continue;
            };
            if self.found.items.len() >= self.bounds.items {
                self.found.is_cut = true;
                return Ok(());
            }
            // What goes while it is looked at was not there, and what can't be read is left out.
            let facts = match folder.facts(&name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                facts => facts.ok(),
            };
            let item = match facts {
                Some(facts) => self.item(&folder, &path, &facts)?,
                None => None,
            };
            let Some(item) = item else {
                self.leave_out(shown);
                continue;
            };
            let is_folder = item.form == Form::Folder;
            self.found.items.insert(shown, item);
            if is_folder {
                self.enter(&path)?;
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, shown: String) {
        let found = &mut self.found;
        if found.left_out.len() < self.bounds.left_out {
            found.left_out.push(shown);
        } else {
            found.unnamed += 1;
            found.is_cut = true;
        }
    }

    /// Looks at `path` alone.
    fn look_for(&mut self, path: &str) -> io::Result<()> {
        let way = Path::new(path);
        let facts = self.folder.parent(way).and_then(|(at, name)| Ok((at.facts(name)?, at)));
        let item = match facts {
            Err(error) if is_absent(&error) => return Ok(()),
            Err(_) => None,
            Ok((facts, parent)) => self.item(&parent, way, &facts)?,
        };
        let unseen = Item { form: Form::Unseen, mode: 0, uid: 0, gid: 0, stamp: None };
        self.found.items.insert(path.to_owned(), item.unwrap_or(unseen));
        Ok(())
    }

    /// What stands under the last name of `path`; nothing when that is left out.
    ///
    /// # Errors
    /// The reader's own.
    fn item(
        &mut self,
        folder: &Beneath,
        path: &Path,
        facts: &Metadata,
    ) -> io::Result<Option<Item>> {
        let Some(name) = path.file_name() else { return Ok(None) };
        let stamp = stamp(facts);
        let form = if facts.is_symlink() {
            std::fs::read_link(folder.at(name)).ok().map(Form::Link)
        } else if facts.is_dir() {
            let is_made_again = MADE_AGAIN.iter().any(|made| name == *made);
            let is_too_deep = path.components().count() >= self.bounds.depth;
            let is_entered = !is_made_again && !is_too_deep;
            if is_entered && self.reader.opens() && facts.mode() & OPEN != OPEN {
                // Where it stays shut, what lies in it can't be looked at.
                let _ = self.folder.allow(path, facts.mode() & 0o1777 | OPEN);
            }
            is_entered.then_some(Form::Folder)
        } else if facts.is_file() {
            let size = facts.len();
            if size > self.bounds.file || self.bytes.saturating_add(size) > self.bounds.bytes {
                return Ok(None);
            }
            self.bytes += size;
            match path.to_str().and_then(|path| self.before.items.get(path)) {
                Some(Item { form: Form::File(sum), stamp: Some(then), .. })
                    if stamp == Some(*then) =>
                {
                    Some(Form::File(sum.clone()))
                }
                _ => match folder.read(name) {
                    Ok(file) => self.reader.read(file, self.bounds.file)?.map(Form::File),
                    Err(_) => None,
                },
            }
        } else {
            None
        };
        let (mode, uid, gid) = (facts.mode() & 0o1777, facts.uid(), facts.gid());
        Ok(form.map(|form| Item { form, mode, uid, gid, stamp }))
    }
}

/// Nothing where the file has changed so lately that it may change again without a sign.
fn stamp(facts: &Metadata) -> Option<Stamp> {
    // A program may have set any time.
    let nanos = |seconds: i64, more: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(more);
    let changed = nanos(facts.ctime(), facts.ctime_nsec());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let is_old = i64::try_from(now).ok()?.saturating_sub(changed) > 1_000_000_000;
    let written = nanos(facts.mtime(), facts.mtime_nsec());
    is_old.then(|| (facts.ino(), facts.len(), written, changed))
}
