//! Takes papers out.

use library::Library;
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::brings;
use super::{owner_alone, reader};

/// The most papers that are named in one answer.
const NAMED: usize = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unwanted {
    /// An identity, a place or a name; with `all` also the place of a folder.
    path: String,
    /// Whether everything of this name goes, and everything below this folder. It stands in no manifest, so only the
    /// command line can say it.
    #[serde(default)]
    all: bool,
}

/// Takes out the paper that has this identity, this place or this name: one paper, unless all are asked for.
pub(super) fn forget(
    library: &mut Library,
    params: Unwanted,
    call: &Call,
) -> Result<Value, SkillError> {
    owner_alone(call)?;
    let asked = params.path.trim().trim_end_matches('/');
    let (below, reader) = (format!("{asked}/"), reader(call));
    let mut papers = library.list(&reader)?;
    papers.retain(|paper| {
        let is_named = [&paper.id, &paper.place, &paper.name].iter().any(|word| *word == asked);
        !asked.is_empty() && (is_named || paper.place.starts_with(&below))
    });
    let Some(first) = papers.first() else {
        return Err(SkillError::new(format!("nothing in the library is called {asked:?}")));
    };
    let is_one = papers.iter().all(|paper| paper.place == first.place);
    if !params.all && (!is_one || first.place.starts_with(&below)) {
        return Err(SkillError::new(format!(
            "{asked:?} stands for more than one file: name one by its whole path. In a terminal the owner takes all of \
             them out, by the router's command `library remove`"
        )));
    }
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for paper in papers {
        library.forget(&paper.id, &reader)?;
        if paper.place.starts_with(&below) {
            others.push((paper.role, paper.own));
        }
        names.push(paper.name);
    }
    let count = names.len();
    names.truncate(NAMED);
    let brings = brings(others.iter().map(|(role, own)| (role, *own)));
    Ok(json!({"forgotten": count, "names": names, "_brings": brings}))
}
