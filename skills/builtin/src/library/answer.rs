//! Finds passages and lists papers, for those who may see them.

use library::store::Counts;
use library::vectors::Vector;
use library::{Hit, Library, Reader, Role, Search};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{now, owner_alone};

/// How many passages are found when nobody says.
const USUAL: usize = 5;

/// How many at most.
const MOST: usize = 20;

/// How many papers are named in one list.
const NAMED: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    query: String,
    limit: Option<usize>,
}

impl Question {
    pub(super) fn text(&self) -> &str {
        &self.query
    }
}

pub(super) fn search(
    library: &Library,
    params: &Question,
    (reader, vector): (&Reader, Option<&Vector>),
    call: &Call,
) -> Result<Value, SkillError> {
    let search = Search {
        text: &params.query,
        reader,
        limit: params.limit.unwrap_or(USUAL).clamp(1, MOST),
        vector,
        // What guests look for moves nothing for the owner.
        counts: call.is_owner(),
    };
    let hits = library.search(&search, now())?;
    let brings = brings(hits.iter().map(|hit| (&hit.role, hit.own)));
    let hits: Vec<Value> = hits.iter().map(|hit| shown(hit, call)).collect();
    Ok(json!({"hits": hits, "_brings": brings}))
}

/// Where the owner's files lie is the owner's alone to know.
fn place<'a>(place: &'a str, name: &'a str, call: &Call) -> &'a str {
    if call.is_owner() { place } else { name }
}

fn shown(hit: &Hit, call: &Call) -> Value {
    json!({
        "citation": hit.citation(), "element": hit.element.as_str(), "name": hit.name,
        "place": place(&hit.place, &hit.name, call),
        "role": hit.role.to_string(), "own": hit.own, "text": hit.text,
    })
}

/// What passages bring into a conversation: text that anyone may have written, unless the owner did; and private
/// data, unless everybody may see it.
pub(super) fn brings<'a>(shown: impl Iterator<Item = (&'a Role, bool)>) -> Vec<&'static str> {
    let (mut public, mut private) = (false, false);
    for (role, own) in shown {
        public |= !own;
        private |= *role != Role::Public;
    }
    let words = [("public", public), ("private", private)];
    words.into_iter().filter_map(|(word, is)| is.then_some(word)).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// The first paper that is named.
    #[serde(default)]
    from: usize,
}

pub(super) fn list(
    library: &Library,
    params: Page,
    reader: &Reader,
    call: &Call,
) -> Result<Value, SkillError> {
    let papers = library.list(reader)?;
    let counts = Counts::of(&papers);
    let brings = brings(papers.iter().map(|paper| (&paper.role, paper.own)));
    let by_type: serde_json::Map<String, Value> = counts
        .by_element
        .iter()
        .map(|(element, (documents, passages))| {
            (element.to_string(), json!({"documents": documents, "passages": passages}))
        })
        .collect();
    let named = papers.iter().skip(params.from).take(NAMED).map(|paper| {
        json!({
            "name": paper.name, "element": paper.element.as_str(), "role": paper.role.to_string(),
            "place": place(&paper.place, &paper.name, call), "passages": paper.passages, "own": paper.own,
            "changed_at": paper.changed_at, "notes": paper.notes,
        })
    });
    Ok(json!({
        "documents": counts.documents, "passages": counts.passages, "by_type": by_type,
        "papers": named.collect::<Vec<_>>(), "_brings": brings,
    }))
}

pub(super) fn rebuild(library: &mut Library, call: &Call) -> Result<Value, SkillError> {
    owner_alone(call)?;
    let (documents, lost) = library.rebuild(now())?;
    Ok(json!({"documents": documents, "lost": lost, "_brings": "none"}))
}

pub(super) fn check(library: &Library, call: &Call) -> Result<Value, SkillError> {
    owner_alone(call)?;
    let checked = library.check()?;
    Ok(json!({
        "faults": checked.faults, "documents": checked.documents, "passages": checked.passages, "_brings": "none",
    }))
}
