//! Puts papers in.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use library::parse::{Budget, MAX_BYTES, parse};
use library::store::{Put, TOGETHER};
use library::{Element, Item, Library, LibraryError, ParseError, Reader, Role};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::brings;
use super::deaths::Deaths;
use super::open::{self, Stamp};
use super::{now, owner_alone};

/// The most files that are named in one answer.
const NAMED: usize = 50;

/// What was read goes into the library after so long, also if it is not much: a kill costs no more than that.
const SOON: Duration = Duration::from_secs(1);

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

/// Papers that were read, and go into the library together.
struct Batch {
    items: Vec<Item>,
    bytes: usize,
    began: Instant,
}

impl Batch {
    fn new() -> Self {
        Self { items: Vec::new(), bytes: 0, began: Instant::now() }
    }

    fn push(&mut self, item: Item) {
        self.bytes += item.document.bytes();
        self.items.push(item);
    }

    fn is_due(&self) -> bool {
        self.bytes >= TOGETHER || self.began.elapsed() > SOON
    }

    /// Puts them in. Where that fails, each is tried alone, so that one of them hinders no other.
    fn put(self, library: &mut Library, done: &mut Done) {
        let now = now();
        let put = put_all(library, &self.items, now);
        let mut put = put.map(Vec::into_iter).ok();
        for item in &self.items {
            let one = match &mut put {
                Some(put) => Ok(put.next()),
                None => put_all(library, std::slice::from_ref(item), now).map(|mut put| put.pop()),
            };
            match one {
                Ok(put) => done.indexed(item, put.unwrap_or_default().passages),
                Err(error) => done.failed(&item.name, &SkillError::from(error)),
            }
        }
    }
}

fn put_all(library: &mut Library, items: &[Item], now: i64) -> Result<Vec<Put>, LibraryError> {
    for item in items {
        // A paper has one role: who could see it before may not any more, also when this ends in the middle.
        let other = if item.role == Role::Public { Role::Admin } else { Role::Public };
        library.forget(&item.id_as(other), &Reader::Owner)?;
    }
    library.put_all(items, now)
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

impl Done {
    fn indexed(&mut self, item: &Item, passages: usize) {
        self.passages += passages;
        let notes = &item.document.notes;
        self.indexed.push(json!({"name": item.name, "passages": passages, "notes": notes}));
    }

    fn failed(&mut self, name: &str, why: &impl ToString) {
        self.failed.push(json!({"name": name, "why": why.to_string()}));
    }
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
    let mut batch = Batch::new();
    for (at, (file, stamp)) in files.iter().enumerate().skip(params.from) {
        if began.elapsed() > patience {
            (done.left, done.next) = (files.len() - at, at);
            break;
        }
        if batch.is_due() || deaths.has(&shelf.place(file), *stamp) {
            std::mem::replace(&mut batch, Batch::new()).put(library, &mut done);
        }
        let with = (&mut *failed, &mut deaths);
        if let Some(item) = shelf.read_in(with, (file, *stamp), &before, &mut done) {
            batch.push(item);
        }
    }
    batch.put(library, &mut done);
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

    /// Reads a file, if it is to be put in.
    fn read_in(
        &self,
        (failed, deaths): (&mut Failed, &mut Deaths),
        (file, stamp): (&Path, Stamp),
        before: &HashMap<String, Placed>,
        done: &mut Done,
    ) -> Option<Item> {
        let place = self.place(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if Element::of_name(&name).is_none() && !self.one {
            return None;
        }
        let placed = before.get(&place).filter(|_| !self.one);
        let label = placed.map_or(self.label, |placed| placed.label);
        done.kept += usize::from(label != self.label);
        if placed.and_then(|placed| placed.stamp) == Some(stamp) {
            done.unchanged += 1;
            return None;
        }
        done.labels.push(label);
        let before = failed.get(&place).filter(|(at, _)| *at == stamp).map(|(_, why)| why.clone());
        let refused = before.or_else(|| deaths.refuses(&place, stamp));
        if let Some(why) = refused.filter(|_| !self.one) {
            done.failed(&name, &why);
            return None;
        }
        failed.remove(&place);
        let begun = deaths.begin(&place, stamp).map_err(Failure::from);
        let read = begun.and_then(|()| self.read((file, &place, &name), label));
        let read = deaths.end(&place).map_err(Failure::from).and(read);
        match read {
            Ok(item) => return Some(item),
            Err(Failure::Passing(error)) => done.failed(&name, &error),
            Err(Failure::Paper(error)) => {
                done.failed(&name, &error);
                failed.insert(place, (stamp, error.to_string()));
            }
        }
        None
    }

    fn read(
        &self,
        (file, place, name): (&Path, &str, &str),
        label: Label,
    ) -> Result<Item, Failure> {
        let paper = open::paper(self.folder, file, MAX_BYTES)?;
        let (element, document) = parse(name, &paper.bytes, &Budget::default())?;
        Ok(Item {
            element,
            role: label.role(),
            place: place.to_owned(),
            name: name.to_owned(),
            own: label.own,
            changed_at: paper.changed_at,
            bytes: paper.bytes.len() as u64,
            document,
        })
    }
}
