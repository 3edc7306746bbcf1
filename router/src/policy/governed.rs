//! Lines of shell and paths among the parameters: router/governance.json judges them, and it only ever narrows.

use std::fs;
use std::path::{Path, PathBuf};

use governance::{Access, DEFAULT, Governance, Ruling};
use serde_json::Value;

use super::asked::Asked;
use super::fault::PolicyError;
use super::ruling::Said;
use super::then::Then;
use crate::catalog::folder::usable;
use crate::catalog::{Governed, Skill};

/// What the name of a rule begins with that stands in router/governance.json.
pub(super) const RULE: &str = "governance: ";

/// The largest governance.json, in bytes.
const LIMIT: u64 = 256 * 1024;

/// How many folders it may open.
const FOLDERS: usize = 16;

/// A folder that router/governance.json opens, and what of it is not to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) write: bool,
    pub(crate) hidden: Vec<PathBuf>,
}

/// What becomes of what the policy has `said`.
pub(super) fn narrow(said: Said, governance: &Governance, asked: &Asked) -> Said {
    let Some(skill) = asked.skill.filter(|skill| !skill.marks.governed.is_empty()) else {
        return said;
    };
    let no = |why: String| Said { then: Then::Refuse, rule: why, place: None, spends: None };
    if !asked.session.is_some_and(protocol::SessionKey::is_owner) {
        return no("fixed: this machine is for the owner's own conversation".to_owned());
    }
    if said.then == Then::Refuse {
        return said;
    }
    match judge(governance, skill, asked) {
        (Ruling::Deny, why) => no(format!("{RULE}{why}")),
        (Ruling::Confirm, why) if said.then == Then::Allow => {
            Said { then: Then::Ask, rule: format!("{RULE}{why}"), place: None, spends: None }
        }
        _ => said,
    }
}

/// The strictest that is said of any of the parameters.
fn judge(governance: &Governance, skill: &Skill, asked: &Asked) -> (Ruling, String) {
    if governance.is_closed() {
        let check = home::router_command("governance check");
        return (Ruling::Deny, format!("the file can't be used; `{check}` tells why"));
    }
    let judged = skill.marks.governed.iter().map(|(name, kind)| {
        let value = asked.params.get(name);
        match (kind, value) {
            // The first folder that is open stands for it.
            (Governed::Path, None) => path(governance, "."),
            (Governed::Path, Some(Value::String(text))) => path(governance, text),
            (Governed::Command, Some(Value::String(text))) => line(governance, text),
            _ => (Ruling::Deny, format!("{name} is no text")),
        }
    });
    let strictest = judged.max_by_key(|(ruling, _)| *ruling);
    strictest.unwrap_or_else(|| (Ruling::Deny, "there is nothing to judge".to_owned()))
}

fn line(governance: &Governance, text: &str) -> (Ruling, String) {
    let verdict = governance.judge(text);
    let why =
        verdict.deciding().map(|part| format!("`{}`: {}", legible::line(&part.shown), part.why));
    (verdict.ruling(), why.unwrap_or_default())
}

fn path(governance: &Governance, text: &str) -> (Ruling, String) {
    let paths = governance.paths();
    let whole = paths.whole(text);
    let judged = paths.judge(&whole, Access::Read);
    // Where a link leads counts as well; the place that the skill is shown holds nothing else either.
    match judged.and_then(|()| paths.judge(&resolved(&whole), Access::Read)) {
        Ok(()) => (Ruling::Allow, "paths.allowed".to_owned()),
        Err(why) => (Ruling::Deny, why),
    }
}

/// `path` with the links on its way followed, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return path.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest));
        }
    }
    path.to_owned()
}

/// The folders of `governance` that can be given to a skill of `home`, each before those within it.
pub(crate) fn opened(governance: &Governance, home: &Path) -> Vec<Opened> {
    let paths = governance.paths();
    let usable = |path: &&PathBuf| usable(path, paths.writable.contains(path), home).is_ok();
    let mut opened: Vec<_> = paths.allowed.iter().filter(usable).take(FOLDERS).collect();
    opened.sort();
    opened.dedup();
    let one = |path: &PathBuf| Opened {
        path: path.clone(),
        write: paths.writable.contains(path),
        hidden: paths.denied.iter().filter(|denied| denied.starts_with(path)).cloned().collect(),
    };
    opened.into_iter().map(one).collect()
}

/// Why folders of `governance` are not opened, and what mends it.
pub(crate) fn problems(governance: &Governance, home: &Path) -> Vec<String> {
    let paths = governance.paths();
    let why = |path: &PathBuf| usable(path, paths.writable.contains(path), home).err();
    let mut problems: Vec<_> = paths.allowed.iter().filter_map(why).collect();
    if paths.allowed.len() > FOLDERS {
        problems.push(format!("only the first {FOLDERS} folders are opened"));
    }
    problems
}

/// What stands in `path`, router/governance.json; one that is missing is that of a fresh install.
///
/// # Errors
/// [`PolicyError`] with everything that is wrong in it.
pub(crate) fn governance(path: &Path) -> Result<Governance, PolicyError> {
    let bytes = home::file::read(path, LIMIT)?;
    let text = match bytes {
        Some(bytes) => {
            String::from_utf8(bytes).map_err(|_| PolicyError::NotText(path.to_owned()))?
        }
        None => DEFAULT.to_owned(),
    };
    let own = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/nonexistent"));
    let read = Governance::read(&text, &own);
    let read = read.map_err(|faults| PolicyError::Ungoverned { path: path.to_owned(), faults })?;
    let real = |denied: &PathBuf| fs::canonicalize(denied).ok().filter(|real| real != denied);
    let more = read.paths().denied.iter().filter_map(real).collect();
    Ok(read.denying_also(more))
}
