//! Puts papers in.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use library::parse::{Budget, MAX_BYTES, parse};
use library::{Document, Element, Item, Library, ParseError, Reader, Role};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::brings;
use super::deaths::Deaths;
use super::open::{self, Paper, Stamp};
use super::{now, owner_alone};

/// The most files that are named in one answer.
const NAMED: usize = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Paths {
    path: String,
    /// The file of a folder to begin with, as `next` of an earlier answer says.
    #[serde(default)]
    from: usize,
    /// Whether a watch looks at it again: then a file that was named before is like one of a folder.
    #[serde(default)]
    again: bool,
}

/// For whom a paper is, and whether the owner wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label {
    public: bool,
    own: bool,
}

impl Label {
    fn role(self) -> Role {
        if self.public { Role::Public } else { Role::Admin }
    }

    fn other_role(self) -> Role {
        if self.public { Role::Admin } else { Role::Public }
    }
}

/// What stands at a place already.
struct Placed {
    label: Label,
    /// Of the file as it was read; none when it is to be read again in any case.
    stamp: Option<Stamp>,
}

/// The files that could not be read while this process has run, by place, and why: as long as they do not change they can't be
/// read again, and the time of a call is for the others.
pub(super) type Failed = HashMap<String, (Stamp, String)>;

/// Why a file was not taken in.
enum Failure {
    /// What is in it can't be read.
    Paper(ParseError),
    /// All else may be over when it is tried again.
    Passing(SkillError),
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Self {
        Self::Paper(error)
    }
}

impl From<SkillError> for Failure {
    fn from(error: SkillError) -> Self {
        Self::Passing(error)
    }
}

/// What became of the files of one call.
#[derive(Default)]
struct Done {
    indexed: Vec<Value>,
    failed: Vec<Value>,
    /// The labels of those that are named.
    labels: Vec<Label>,
    unchanged: usize,
    /// How many have another label than was asked for, and keep it.
    kept: usize,
    left: usize,
    next: usize,
    passages: usize,
}

/// Indexes a file or all files of a folder. What was indexed and has not changed is left as it is, so a call that ran
/// out of time is simply made again. A file that is named gets the label that is asked for; one of a folder keeps the label
/// that it has.
pub(super) fn index(
    (library, failed): (&mut Library, &mut Failed),
    params: Paths,
    call: &Call,
    public: bool,
) -> Result<Value, SkillError> {
    owner_alone(call)?;
    let host: String = call.setting("papers")?;
    if host.is_empty() {
        return Err(SkillError::new(
            "no folder is open yet: in a terminal, the router's command `library allow DIR` opens one, and `library \
             add FILE` takes any file",
        ));
    }
    let label = Label { public, own: call.setting("own")? };
    // When a folder is not done after this, what is left waits for the next call.
    let patience = Duration::from_secs(call.setting("patience")?);
    let folder = call.folder("papers")?.to_owned();
    let inner = open::within(&params.path, &host)?;
    let mut deaths = Deaths::open(call.folder("library")?)?;
    let mut files = open::files(&folder, &inner)?;
    let one = folder.join(&inner).is_file() && !params.again;
    let shelf = Shelf { folder: &folder, host: Path::new(&host), label, one };
    let before = before(library)?;
    // What may end this process again hinders no other.
    files.sort_by_cached_key(|(file, stamp)| deaths.has(&shelf.place(file), *stamp));
    let (began, mut done) = (Instant::now(), Done::default());
    done.next = files.len();
    for (at, (file, stamp)) in files.iter().enumerate().skip(params.from) {
        if began.elapsed() > patience {
            (done.left, done.next) = (files.len() - at, at);
            break;
        }
        let with = (&mut *library, &mut *failed, &mut deaths);
        shelf.take_in(with, (file, *stamp), &before, &mut done);
    }
    if one && let Some(why) = done.failed.first().and_then(|failed| failed["why"].as_str()) {
        return Err(SkillError::new(why));
    }
    // Who names one file knows its name; those of a folder may be anybody's words.
    let labels = if one { Vec::new() } else { std::mem::take(&mut done.labels) };
    let named: Vec<(Role, bool)> =
        labels.into_iter().map(|label| (label.role(), label.own)).collect();
    Ok(told(done, brings(named.iter().map(|(role, own)| (role, *own)))))
}

fn told(done: Done, brings: Vec<&str>) -> Value {
    let count = done.indexed.len();
    let mut told = json!({
        "indexed": count, "passages": done.passages, "unchanged": done.unchanged, "left": done.left, "next": done.next,
        "files": done.indexed.into_iter().take(NAMED).collect::<Vec<_>>(), "_brings": brings,
    });
    if !done.failed.is_empty() {
        told["failed"] = json!(done.failed.into_iter().take(NAMED).collect::<Vec<_>>());
    }
    if done.kept > 0 {
        told["keep_their_label"] = json!(done.kept);
    }
    told
}

/// The papers that stand in the library already, by place.
fn before(library: &Library) -> Result<HashMap<String, Placed>, SkillError> {
    let mut before: HashMap<String, Placed> = HashMap::new();
    for known in library.list(&Reader::Roles(vec![Role::Public, Role::Admin]))? {
        let label = Label { public: known.role == Role::Public, own: known.own };
        let stamp = Stamp { changed_at: known.changed_at, bytes: known.bytes };
        // What stands under both roles is read again, for the owner alone.
        let both = |other: &mut Placed| {
            let own = label.own && other.label.own;
            *other = Placed { label: Label { public: false, own }, stamp: None };
        };
        let placed = Placed { label, stamp: Some(stamp) };
        before.entry(known.place).and_modify(both).or_insert(placed);
    }
    Ok(before)
}

/// The folder that files are taken from, and as what.
struct Shelf<'a> {
    folder: &'a Path,
    host: &'a Path,
    label: Label,
    /// Whether one file was named: then it is read again even if it seems unchanged, and gets this label.
    one: bool,
}

impl Shelf<'_> {
    fn place(&self, file: &Path) -> String {
        self.host.join(file).to_string_lossy().into_owned()
    }

    fn take_in(
        &self,
        (library, failed, deaths): (&mut Library, &mut Failed, &mut Deaths),
        (file, stamp): (&Path, Stamp),
        before: &HashMap<String, Placed>,
        done: &mut Done,
    ) {
        let place = self.place(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if Element::of_name(&name).is_none() && !self.one {
            return;
        }
        let placed = before.get(&place).filter(|_| !self.one);
        let label = placed.map_or(self.label, |placed| placed.label);
        done.kept += usize::from(label != self.label);
        if placed.and_then(|placed| placed.stamp) == Some(stamp) {
            done.unchanged += 1;
            return;
        }
        done.labels.push(label);
        let before = failed.get(&place).filter(|(at, _)| *at == stamp).map(|(_, why)| why.clone());
        let refused = before.or_else(|| deaths.refuses(&place, stamp));
        if let Some(why) = refused.filter(|_| !self.one) {
            done.failed.push(json!({"name": name, "why": why}));
            return;
        }
        failed.remove(&place);
        let begun = deaths.begin(&place, stamp).map_err(Failure::from);
        let read = begun.and_then(|()| self.read(file, &name));
        let read = deaths.end(&place).map_err(Failure::from).and(read);
        match read.and_then(|read| Ok(self.put(library, read, (&place, &name), label)?)) {
            Ok((passages, notes)) => {
                done.passages += passages;
                done.indexed.push(json!({"name": name, "passages": passages, "notes": notes}));
            }
            Err(Failure::Passing(error)) => {
                done.failed.push(json!({"name": name, "why": error.to_string()}));
            }
            Err(Failure::Paper(error)) => {
                let why = error.to_string();
                done.failed.push(json!({"name": name, "why": why}));
                failed.insert(place, (stamp, why));
            }
        }
    }

    fn read(&self, file: &Path, name: &str) -> Result<(Paper, Element, Document), Failure> {
        let paper = open::paper(self.folder, file, MAX_BYTES)?;
        let (element, document) = parse(name, &paper.bytes, &Budget::default())?;
        Ok((paper, element, document))
    }

    fn put(
        &self,
        library: &mut Library,
        (paper, element, document): (Paper, Element, Document),
        (place, name): (&str, &str),
        label: Label,
    ) -> Result<(usize, Vec<String>), SkillError> {
        let notes = document.notes.clone();
        let mut item = Item {
            element,
            role: label.other_role(),
            place: place.to_owned(),
            name: name.to_owned(),
            own: label.own,
            changed_at: paper.changed_at,
            bytes: paper.bytes.len() as u64,
            document,
        };
        // A paper has one role: who could see it before may not any more, also when this ends in the middle.
        library.forget(&item.id(), &Reader::Owner)?;
        item.role = label.role();
        let put = library.put(&item, now())?;
        Ok((put.passages, notes))
    }
}
