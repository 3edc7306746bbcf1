//! Which skills are what their pins say, and which are held back.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use protocol::ActionName;

use super::pins::{Known, Pin, Pins};
use super::portrait::Portrait;
use super::scan::Found;
use super::skill::Skill;
use super::walk::is_settled;
use crate::digest::Digest;

/// How a skill stands to its pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is what was pinned.
    Pinned,
    /// It is, to the letter, one that is compiled in.
    FirstParty,
    /// It has no pin yet.
    New,
    /// It must not run.
    Held(Held),
}

/// Why a skill must not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// It is not what was pinned.
    Changed,
    /// The pins were lost when it was there already.
    Lost,
    /// It is new, and its pin can't be written.
    Unpinned(String),
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("it was changed since it was pinned"),
            Self::Lost => f.write_str("the pins were lost, so nothing says whether it was changed"),
            Self::Unpinned(why) => write!(f, "it can't be pinned: {why}"),
        }
    }
}

/// How `skill` stands to what is `known`.
#[must_use]
pub fn standing(known: &Known, skill: &Skill) -> Standing {
    match known.of(skill.name()) {
        Some(Some(pinned)) if pinned == skill.digest => Standing::Pinned,
        _ if skill.first_party => Standing::FirstParty,
        Some(Some(_)) => Standing::Held(Held::Changed),
        Some(None) => Standing::Held(Held::Lost),
        None => Standing::New,
    }
}

/// Marks what is to be held back, and whether something is still too new for a pin.
pub(super) fn hold(known: &Known, found: &mut Found) {
    for (name, skill) in &found.skills {
        match standing(known, skill) {
            Standing::Held(why) => {
                found.held.insert(name.clone(), why);
            }
            Standing::New if !is_settled(skill.written) => found.unsettled = true,
            _ => {}
        }
    }
}

/// Pins what is new and has settled, and what is compiled in. What can't be pinned is held back, for nobody
/// would notice its change.
pub(super) fn pin(pins: &Pins, known: &Known, found: &mut Found) {
    let due = |skill: &&Arc<Skill>| match standing(known, skill) {
        Standing::New => is_settled(skill.written),
        Standing::FirstParty => true,
        Standing::Pinned | Standing::Held(_) => false,
    };
    let due: Vec<_> = found.skills.values().filter(due).cloned().collect();
    let mut new = BTreeMap::new();
    for skill in &due {
        match Portrait::of(&skill.folder) {
            Ok(portrait) if portrait.digest() == skill.digest => {
                if let Err(error) = pins.keep(skill.name(), &portrait) {
                    tracing::warn!("what {} is now can't be shown later: {error}", skill.name());
                }
                new.insert(skill.name().clone(), (known.of(skill.name()), skill.digest));
            }
            // It is changing; the next look sees what becomes of it.
            _ => found.unsettled = true,
        }
    }
    if let Err(error) = write(pins, &new)
        && !new.is_empty()
    {
        for skill in due.iter().filter(|skill| !skill.first_party) {
            found.held.insert(skill.name().clone(), Held::Unpinned(error.to_string()));
        }
    }
}

/// Writes the pins `new`, each only in the place of the one that it was weighed against.
fn write(
    pins: &Pins,
    new: &BTreeMap<ActionName, (Option<Pin>, Digest)>,
) -> Result<(), home::FileError> {
    if new.is_empty() {
        return Ok(());
    }
    pins.change(|skills| {
        for (name, (before, digest)) in new {
            if skills.get(name).copied() == *before {
                skills.insert(name.clone(), Some(*digest));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use testkit::TempHome;

    use super::*;
    use crate::catalog::scan;
    use crate::config::RouterConfig;

    const MANIFEST: &str =
        "name = \"OWN\"\ninstruction = \"x\"\neffect = \"external\"\ncommand = [\"./run\"]\n";

    fn house() -> TempHome {
        let home = TempHome::new();
        home.put("router/skills/own/run", "#!/bin/sh\n");
        home.put("router/skills/own/skill.toml", MANIFEST);
        runs(&home.router_skills().join("own/run"), 0o755);
        home
    }

    fn runs(file: &Path, mode: u32) {
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn found(home: &TempHome) -> (Found, Arc<Skill>) {
        let found = scan(&home.router_skills(), &RouterConfig::default(), &Found::default());
        assert_eq!(found.broken, []);
        let skill = Arc::clone(found.skills.values().next().unwrap());
        (found, skill)
    }

    fn standing_of(home: &TempHome) -> Standing {
        standing(&Pins::of(home).known(), &found(home).1)
    }

    #[test]
    fn a_change_between_judging_and_running_is_seen() {
        let home = house();
        let folder = home.router_skills().join("own");
        let changes: [&dyn Fn(); 3] = [
            &|| fs::write(folder.join("run"), "#!/bin/bash\n").unwrap(),
            &|| fs::write(folder.join("more"), "").unwrap(),
            &|| runs(&folder.join("run"), 0o700),
        ];
        // One whose content is read again, and one of which the stamp alone tells.
        for effect in ["external", "none"] {
            let manifest = MANIFEST.replace("external", effect);
            home.put("router/skills/own/skill.toml", manifest);
            for change in changes {
                let (_, skill) = found(&home);
                assert!(skill.is_as_it_was());
                change();
                assert!(!skill.is_as_it_was());
                fs::write(folder.join("run"), "#!/bin/sh\n").unwrap();
                fs::remove_file(folder.join("more")).ok();
                runs(&folder.join("run"), 0o755);
            }
        }
    }

    #[test]
    fn the_content_tells_where_the_stamp_does_not() {
        let home = house();
        let (_, skill) = found(&home);
        fs::write(home.router_skills().join("own/run"), "#!/bin/xx\n").unwrap();
        let stamp = found(&home).1.stamp;
        let mut fooled = Arc::into_inner(skill).unwrap();
        fooled.stamp = stamp;
        assert!(!fooled.is_as_it_was());
    }

    #[test]
    fn a_pin_that_was_written_meanwhile_stays() {
        let home = house();
        let pins = Pins::of(&home);
        let (mut all, skill) = found(&home);
        let known = pins.establish();
        assert!(matches!(&known, Known::Pins(none) if none.is_empty()), "{known:?}");
        drop(skill);
        let other = Digest::of(b"other");
        let name = all.skills.keys().next().unwrap().clone();
        pins.change(|skills| _ = skills.insert(name.clone(), Some(other))).unwrap();
        let skill = all.skills.get_mut(&name).and_then(Arc::get_mut).unwrap();
        skill.written = std::time::SystemTime::UNIX_EPOCH;
        pin(&pins, &known, &mut all);
        assert_eq!(pins.known().of(&name), Some(Some(other)));
        assert_eq!(standing_of(&home), Standing::Held(Held::Changed));
    }

    #[test]
    fn what_can_not_be_pinned_is_held() {
        let home = house();
        let pins = Pins::of(&home);
        let (mut all, skill) = found(&home);
        drop(skill);
        let name = all.skills.keys().next().unwrap().clone();
        let skill = all.skills.get_mut(&name).and_then(Arc::get_mut).unwrap();
        skill.written = std::time::SystemTime::UNIX_EPOCH;
        // A file where the folder should be stops root, too.
        home.put("router/state", "");
        pin(&pins, &Known::Fresh, &mut all);
        assert!(matches!(all.held.get(&name), Some(Held::Unpinned(_))), "{:?}", all.held);
    }

    #[test]
    fn without_pins_only_a_fresh_home_trusts_what_is_there() {
        let home = house();
        assert_eq!(standing_of(&home), Standing::New);
        home.put("router/audit/router-1.jsonl", "");
        assert_eq!(standing_of(&home), Standing::Held(Held::Lost));
        Pins::of(&home).establish();
        assert_eq!(standing_of(&home), Standing::Held(Held::Lost));
        let (_, skill) = found(&home);
        let trusted = |skills: &mut BTreeMap<ActionName, Pin>| {
            skills.insert(skill.name().clone(), Some(skill.digest));
        };
        Pins::of(&home).change(trusted).unwrap();
        assert_eq!(standing_of(&home), Standing::Pinned);
    }
}
