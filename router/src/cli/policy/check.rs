//! Finds mistakes in the policy, also where it speaks of skills that are not there.

use std::path::Path;
use std::process::ExitCode;

use home::Home;
use protocol::Effect;

use crate::catalog::Found;
use crate::cli::error::CommandError;
use crate::explain::skills;
use crate::policy::{Checked, Fault, PolicyError, Rule, Rules, Then, load};

/// Every mistake with its line, and whether there is one.
pub(super) fn check(home: &Home) -> Result<(String, ExitCode), CommandError> {
    let path = home.router().join("policy.toml");
    match load(&path) {
        Ok(Checked { rules, mut warnings }) => {
            warnings.extend(beside_the_skills(&rules, &skills(home)?));
            warnings.sort_by_key(|warning| warning.place.line);
            let mut text = told(&path, "warning", &warnings);
            text.push_str(&format!("{} holds: {}\n", path.display(), sum(&rules, warnings.len())));
            Ok((text, ExitCode::SUCCESS))
        }
        Err(PolicyError::Broken { faults, .. }) => {
            let mut text = told(&path, "error", &faults);
            let errors = count(faults.len(), "error");
            text.push_str(&format!("{errors}; a router does not start with this policy, and one that runs keeps the one before\n"));
            Ok((text, ExitCode::FAILURE))
        }
        Err(error) => Err(error.into()),
    }
}

fn told(path: &Path, kind: &str, faults: &[Fault]) -> String {
    let one = |Fault { place, why, fix }: &Fault| {
        let shown = path.display();
        format!("{shown} line {}: {}\n  {kind}: {why}\n  do:    {fix}\n", place.line, place.text)
    };
    faults.iter().map(one).collect()
}

fn sum(rules: &Rules, warnings: usize) -> String {
    let version = rules.version.get(..12).unwrap_or_default();
    let rules = count(rules.rules.len(), "rule");
    format!("{rules}, {}, version {version}", count(warnings, "warning"))
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Rules that speak of no skill that is there, or say of one what does not count.
fn beside_the_skills(rules: &Rules, found: &Found) -> Vec<Fault> {
    rules.rules.iter().filter_map(|rule| beside(rule, found)).collect()
}

fn beside(rule: &Rule, found: &Found) -> Option<Fault> {
    let fault = |why: String, fix: String| Some(Fault { place: rule.place.clone(), why, fix });
    let meant: Vec<_> = found
        .skills
        .values()
        .filter(|skill| rule.conditions.action.matches(skill.name().as_str()))
        .collect();
    if meant.is_empty() && !rule.conditions.action.is_of_agent() {
        let all: Vec<&str> = found.skills.keys().map(|name| name.as_str()).collect();
        return fault(
            "this rule's action is that of no skill".to_owned(),
            format!("there are {}", all.join(", ")),
        );
    }
    let strange = rule
        .conditions
        .params
        .keys()
        .find(|name| meant.iter().all(|skill| !skill.card.params.contains_key(*name)));
    if let Some(name) = strange.filter(|_| !meant.is_empty()) {
        let known = meant.iter().flat_map(|skill| skill.card.params.keys()).map(String::as_str);
        let near = home::nearest(name, known);
        return fault(
            format!("this rule never matches: no such skill has a parameter {name}"),
            near.map_or_else(|| "leave it out".to_owned(), |near| format!("did you mean {near}?")),
        );
    }
    let all_final =
        !meant.is_empty() && meant.iter().all(|skill| skill.effect() == Effect::Irreversible);
    if rule.then == Then::Allow && all_final {
        let why = "what it allows can't be taken back, and is asked for all the same".to_owned();
        return fault(why, "write then = \"ask\", or delete it".to_owned());
    }
    None
}
