//! What the router can run: the folders under router/skills, checked, and seen anew when they change.

mod check;
mod manifest;
mod params;
mod reach;
mod scan;
mod skill;
pub(crate) mod span;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use protocol::{ActionName, Code, Stopped};
use sha2::{Digest, Sha256};
use tokio::sync::watch as latest;

pub(crate) use check::RESERVED_NAMES;
pub use check::SkillError;
pub(crate) use check::printable;
pub use manifest::{Manifest, Mode};
pub use scan::{Found, scan};
pub use skill::{SecretUse, Skill};

use crate::config::RouterConfig;

/// The skills as they were found last. Clones see the same ones.
#[derive(Debug, Clone)]
pub struct Catalog {
    found: latest::Receiver<Arc<Found>>,
}

impl Catalog {
    /// The skills under `folder`, with the owner's wishes in `config`, and whatever they become: a folder
    /// that is added, changed or removed counts within a second, without a restart.
    ///
    /// `reload` reads the owner's wishes again when something has changed. Must be called within a tokio
    /// runtime.
    pub fn watched(
        folder: PathBuf,
        config: &RouterConfig,
        reload: impl FnMut() -> RouterConfig + Send + 'static,
    ) -> Self {
        let first = Arc::new(scan(&folder, config, &Found::default()));
        report(&Found::default(), &first);
        Self { found: watch::watched(folder, first, reload) }
    }

    /// The skills as they were found once.
    #[must_use]
    pub(crate) fn fixed(found: Found) -> Self {
        // Without a sender the last value stays.
        Self { found: latest::channel(Arc::new(found)).1 }
    }

    /// The skill that runs `action`.
    ///
    /// # Errors
    /// `unknown_action` with the nearest name, or `disabled`.
    pub fn find(&self, action: &ActionName) -> Result<Arc<Skill>, Stopped> {
        let found = self.found.borrow();
        let skill = found.skills.get(action).ok_or_else(|| unknown(action, &found))?;
        if skill.disabled {
            return Err(Stopped::new(
                Code::Disabled,
                format!("{action} is switched off in router/config.json (skills.{action}.enabled)"),
            ));
        }
        Ok(Arc::clone(skill))
    }

    /// Whether `skill` is there as it is, and switched on.
    #[must_use]
    pub fn serves(&self, skill: &Arc<Skill>) -> bool {
        let found = self.found.borrow();
        let there = found.skills.get(skill.name());
        there.is_some_and(|there| Arc::ptr_eq(there, skill) && !there.disabled)
    }

    /// What agents may know of the skills that are switched on.
    #[must_use]
    pub fn cards(&self) -> protocol::Catalog {
        let cards: Vec<_> = self
            .found
            .borrow()
            .skills
            .values()
            .filter(|skill| !skill.disabled)
            .map(|skill| skill.card.clone())
            .collect();
        // Cards are plain data and always have a JSON form.
        let digest = Sha256::digest(serde_json::to_vec(&cards).unwrap_or_default());
        let version = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        protocol::Catalog { version, cards }
    }

    /// Waits until the skills have changed; `false` when they never will again.
    pub async fn changed(&mut self) -> bool {
        self.found.changed().await.is_ok()
    }
}

fn unknown(action: &ActionName, found: &Found) -> Stopped {
    let broken = found.broken.iter().find(|error| {
        let folder = action.as_str().to_ascii_lowercase();
        error.file.components().any(|part| part.as_os_str() == folder.as_str())
    });
    if let Some(error) = broken {
        return Stopped::new(Code::UnknownAction, format!("{action} can't be run: {error}"));
    }
    let near = found
        .skills
        .keys()
        .map(|name| (strsim::jaro_winkler(name.as_str(), action.as_str()), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = near.map(|(_, name)| format!("; did you mean {name}?")).unwrap_or_default();
    Stopped::new(Code::UnknownAction, format!("there is no skill {action}{hint}"))
}

/// Tells the operator what has changed between two looks.
fn report(before: &Found, after: &Found) {
    for error in after.broken.iter().filter(|error| !before.broken.contains(error)) {
        tracing::warn!("skill left out: {error}");
    }
    for name in after.skills.keys().filter(|name| !before.skills.contains_key(*name)) {
        tracing::info!("skill {name} is there");
    }
    for name in before.skills.keys().filter(|name| !after.skills.contains_key(*name)) {
        tracing::info!("skill {name} is gone");
    }
}
