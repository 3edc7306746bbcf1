//! `start_router trust`: shows what has changed in a skill and takes the owner's yes to it.

use clap::Args;
use home::{FileError, Home};
use protocol::{ActionName, NameError};
use secrets::Secrets;

use super::queue::ask;
use crate::audit::{Deed, OwnersLog, Unrecorded};
use crate::catalog::{
    self, Found, Held, Known, Pins, Portrait, Skill, SkillError, Standing, printable,
};
use crate::config::{self, SettingsError};
use crate::digest::Digest;
use crate::owner;

/// `trust` and what stands behind it.
#[derive(Debug, Args)]
pub(super) struct Trust {
    /// The skills' actions, such as TELL_TIME.
    #[arg(required_unless_present = "list")]
    names: Vec<String>,
    /// List all skills with their digests, and whether they are what was pinned.
    #[arg(long, conflicts_with_all = ["names", "yes"])]
    list: bool,
    /// Say yes without being asked.
    #[arg(long)]
    yes: bool,
}

/// Why nothing was trusted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("there is no skill {0}; `{list}` lists them", list = home::router_command("trust --list"))]
    Unknown(ActionName),
    #[error("{name} can't be trusted before it can run: {why}")]
    Broken { name: ActionName, why: SkillError },
    #[error(transparent)]
    Unreadable(#[from] SkillError),
    #[error("{0} is changing just now; wait until it is whole, and ask again")]
    Changing(ActionName),
    #[error("nobody can be asked here; pass --yes to trust {0} as it is shown")]
    NotAsked(ActionName),
    #[error(transparent)]
    Unrecorded(#[from] Unrecorded),
    #[error("can't ask: {0}")]
    Ask(#[from] std::io::Error),
}

pub(super) fn run(home: &Home, trust: &Trust) -> Result<(), TrustError> {
    crate::defaults::write_missing(home)?;
    let config = config::read_config(home).map_err(SettingsError::from)?;
    let found = catalog::scan(&home.router_skills(), &config, &Found::default());
    let pins = Pins::of(home);
    if trust.list {
        return list(&found, &pins.known());
    }
    for name in &trust.names {
        let name = ActionName::new(name.to_ascii_uppercase())?;
        let skill = found.skills.get(&name).ok_or_else(|| missing(&name, &found))?;
        one(&owner::deeds(home), &pins, skill, trust.yes)?;
    }
    Ok(())
}

fn list(found: &Found, known: &Known) -> Result<(), TrustError> {
    if let Known::Lost(why) = known {
        home::say!("the pins are lost: {}", printable(why));
    }
    for skill in found.skills.values() {
        let state = match catalog::standing(known, skill) {
            // Its pin follows it.
            _ if skill.first_party => "first-party",
            Standing::Pinned | Standing::FirstParty => "pinned",
            Standing::New => "new",
            Standing::Held(Held::Lost) => "held: pins lost",
            Standing::Held(_) => "held: changed",
        };
        home::say!("{:<24} {state:<15} {}", skill.name().as_str(), skill.digest);
    }
    for error in &found.broken {
        home::say!("left out: {error}");
    }
    Ok(())
}

fn missing(name: &ActionName, found: &Found) -> TrustError {
    match found.broken_folder(name) {
        Some(why) => TrustError::Broken { name: name.clone(), why: why.clone() },
        None => TrustError::Unknown(name.clone()),
    }
}

fn one(deeds: &OwnersLog, pins: &Pins, skill: &Skill, yes: bool) -> Result<(), TrustError> {
    let (name, known) = (skill.name(), pins.known());
    let now = Portrait::of(&skill.folder)?;
    // What is shown has to be what was checked, and what is pinned has to be what was shown.
    if now.digest() != skill.digest {
        return Err(TrustError::Changing(name.clone()));
    }
    let pinned = known.of(name).flatten();
    if pinned == Some(skill.digest) {
        home::say!("{name} is what was pinned; there is nothing to trust");
        return Ok(());
    }
    show(skill, pinned, pins, &now);
    let asked = if yes { Some(true) } else { ask(&question(name), &Secrets::default())? };
    match asked {
        None => return Err(TrustError::NotAsked(name.clone())),
        Some(false) => home::say!("nothing was changed"),
        Some(true) => {
            let deed = Deed::Trust { action: name, digest: skill.digest };
            deeds.doing_now(&deed, || pin(pins, skill, &now))?;
            home::say!("{name} is trusted as it is now; a router that runs sees it at once");
        }
    }
    Ok(())
}

fn pin(pins: &Pins, skill: &Skill, now: &Portrait) -> Result<(), TrustError> {
    let name = skill.name();
    pins.keep(name, now)?;
    Ok(pins.change(|skills| {
        skills.insert(name.clone(), Some(skill.digest));
    })?)
}

fn question(name: &ActionName) -> String {
    format!("Trust {name} as shown?")
}

fn show(skill: &Skill, pinned: Option<Digest>, pins: &Pins, now: &Portrait) {
    let old = pinned.and_then(|pinned| pins.portrait(skill.name(), pinned));
    let shown = |digest: Option<Digest>| {
        digest.map_or_else(|| "unknown".to_owned(), |digest| digest.to_string())
    };
    home::say!("{}\n  pinned {}\n  now    {}", skill.name(), shown(pinned), skill.digest);
    if old.is_none() {
        home::say!("What it was before is not known, so this is all of it:");
    }
    for line in catalog::changes(old.as_ref(), now) {
        home::say!("  {}", printable(&line));
    }
}
