//! A skill that has been checked and can be run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use egress::{Endpoint, HeaderTemplate, HostPattern};
use protocol::{ActionCard, ActionName, Code, Effect, Object, Stopped};
use sandbox::{Limits, Program};

use super::folder::{Folder, Place};
use super::manifest::Mode;
use super::marks::Marks;
use super::params::Params;
use super::portrait::Portrait;
use super::process::Process;
use super::walk::Listing;
use crate::digest::Digest;

/// A skill whose manifest and folder hold together.
#[derive(Debug)]
pub struct Skill {
    /// Its public face.
    pub card: ActionCard,
    /// What its manifest says of its parameters.
    pub marks: Marks,
    /// Its folder.
    pub folder: PathBuf,
    /// What is run.
    pub program: Program,
    /// How its process lives.
    pub mode: Mode,
    /// Which process that is.
    pub process: Process,
    /// How long a call may take.
    pub timeout: Duration,
    /// The folders of this machine that it is given.
    pub folders: Vec<Folder>,
    /// What a call may use, but for the time.
    pub limits: Limits,
    /// Whether it may be run again after a crash.
    pub idempotent: bool,
    /// The reply's text for people, with `{field}`s.
    pub summary: Option<String>,
    /// Its results carry panels for the screen.
    pub shows: bool,
    /// Its settings with the owner's values.
    pub settings: BTreeMap<String, String>,
    /// The first setting that it can't do without and that is empty.
    pub(super) unset: Option<String>,
    /// The hosts that it may connect to. Empty: no network.
    pub hosts: Vec<HostPattern>,
    /// Private addresses among them that the owner allows.
    pub allow_private: Vec<Endpoint>,
    /// Its secrets, by name.
    pub secrets: BTreeMap<String, SecretUse>,
    /// The owner wants every call to be a dry run.
    pub dry_run: bool,
    /// The owner has switched it off.
    pub disabled: bool,
    pub(super) params: Params,
    /// It is, to the letter, one that is compiled in.
    pub first_party: bool,
    /// What its folder held when this was made.
    pub digest: Digest,
    /// What changes when anything that this was made of changes.
    pub(super) fingerprint: [u8; 32],
    /// What changes when anything in its folder does.
    pub(super) stamp: [u8; 32],
    /// When its folder was changed last.
    pub(super) written: SystemTime,
}

/// A secret that goes out in a header to one host.
#[derive(Debug, Clone)]
pub struct SecretUse {
    /// The host.
    pub host: HostPattern,
    /// The header, with the place for the secret.
    pub header: HeaderTemplate,
    /// It is needed only by calls whose parameters have these values.
    pub when: Object,
    /// The skill does without it where it is not set.
    pub optional: bool,
}

impl Skill {
    /// The action's name.
    #[must_use]
    pub fn name(&self) -> &ActionName {
        &self.card.name
    }

    /// What it does to the world.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.card.effect
    }

    /// Whether it may go to any public address.
    #[must_use]
    pub fn reaches_anything(&self) -> bool {
        self.hosts.contains(&egress::HostPattern::Any)
    }

    /// Whether it is the workbench itself, and not one that took its name.
    #[must_use]
    pub fn is_workbench(&self) -> bool {
        self.first_party && self.name().as_str() == "WORKBENCH"
    }

    /// The key of router/config.json that it can't do without and that the owner has not set: a folder or a setting.
    #[must_use]
    pub fn lacks(&self) -> Option<String> {
        let unnamed = self.folders.iter().find(|folder| folder.place == Place::Unnamed);
        // A person opens one for it in a chat.
        let unnamed = unnamed.filter(|_| !self.is_workbench());
        let folder = unnamed.map(|folder| format!("folders.{}", folder.name));
        let key = folder.or_else(|| self.unset.as_ref().map(|key| format!("settings.{key}")))?;
        Some(format!("skills.{}.{key}", self.name()))
    }

    /// Checks a call's parameters against the schema.
    ///
    /// # Errors
    /// `bad_params` with everything that is wrong, for the model to mend; `unknown_action` when what the
    /// manifest has there is no schema.
    pub fn check(&self, params: &Object) -> Result<(), Stopped> {
        let complaints = self.params.complaints(params).map_err(|why| {
            Stopped::new(Code::UnknownAction, format!("{} can't be run: {why}", self.name()))
        })?;
        if complaints.is_empty() {
            return Ok(());
        }
        Err(Stopped::new(
            Code::BadParams,
            format!("the parameters don't fit: {}", complaints.join("; ")),
        ))
    }

    /// The secrets that a call with `params` needs.
    pub fn secrets_for<'a>(
        &'a self,
        params: &'a Object,
    ) -> impl Iterator<Item = (&'a String, &'a SecretUse)> {
        self.secrets.iter().filter(|(_, secret)| {
            secret.when.iter().all(|(key, value)| params.get(key) == Some(value))
        })
    }

    /// Whether its folder is still what this was made of. The content is read again where a change would be
    /// seen elsewhere; for the others the times and sizes tell, which only a write through a mapping that was
    /// open before can get around.
    pub(super) fn is_as_it_was(&self) -> bool {
        let Ok(listing) = Listing::of(&self.folder) else { return false };
        let reaches_out = self.effect() >= Effect::External || !self.hosts.is_empty();
        let content = || Portrait::of_all(&listing).is_ok_and(|now| now.digest() == self.digest);
        listing.stamp() == self.stamp && (!reaches_out || content())
    }
}
