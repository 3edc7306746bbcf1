//! The skills: which can run, which are left out or held back and why, and which secrets are missing.

use home::{Check, Home};

use crate::catalog::{Found, Known, Pins, Skill, Standing, printable, scan, standing};
use crate::config::Settings;

const NAME: &str = "skills";

pub(super) fn checks(home: &Home, settings: &Settings) -> Vec<Check> {
    let folder = home.router_skills();
    if !folder.exists() {
        return vec![Check::ok(NAME, "none yet; the first start writes the first-party ones")];
    }
    let found = scan(&folder, &settings.config, &Found::default());
    let mut checks: Vec<Check> = found.broken.iter().map(left_out).collect();
    let known = Pins::of(home).known();
    checks.extend(found.skills.values().filter_map(|skill| held_back(&known, skill)));
    if checks.is_empty() {
        checks.push(Check::ok(NAME, format!("{} can run", found.skills.len())));
    }
    checks.extend(secrets(&found, settings));
    checks
}

fn left_out(error: &crate::catalog::SkillError) -> Check {
    let mend = format!("change the file, then look again: {}", home::router_command("skills"));
    Check::warn(NAME, format!("left out: {}", printable(&error.to_string())), mend)
}

fn held_back(known: &Known, skill: &Skill) -> Option<Check> {
    let Standing::Held(why) = standing(known, skill) else { return None };
    let mend = home::router_command(&format!("trust {}", skill.name()));
    Some(Check::warn(NAME, format!("{} is held back: {why}", skill.name()), mend))
}

/// Skills that only pretend to run because a secret is missing.
fn secrets(found: &Found, settings: &Settings) -> Option<Check> {
    let missing = |skill: &Skill| -> Option<String> {
        let needed = skill.secrets.iter().filter(|(_, secret)| !secret.optional);
        let names = needed.map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.filter(|name| !settings.secrets.has(name)).collect();
        (!names.is_empty()).then(|| format!("{} ({})", skill.name(), names.join(", ")))
    };
    let dry: Vec<String> = found.skills.values().filter_map(|skill| missing(skill)).collect();
    (!dry.is_empty()).then(|| {
        let seen = format!("without these, actions make a dry run: {}", dry.join("; "));
        Check::ok("secrets", seen)
    })
}
