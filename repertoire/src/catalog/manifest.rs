//! What stands in a skill.toml, as it is written. [`super::Skill`] is what remains after checking.

use std::collections::BTreeMap;

use protocol::{ActionName, Effect, Example, Object, SetName};
use serde::Deserialize;

use super::brings::Brings;
use super::process::Per;

/// A skill.toml. Its keys are the contract with everybody who writes a skill.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The action's name; the folder has the same in lower case.
    pub name: ActionName,
    /// What it is for; the model reads it.
    pub instruction: String,
    /// What it does to the world.
    pub effect: Effect,
    /// What enters the session with its result; [`Brings::of`] says what is meant where nothing is said.
    pub reads: Option<Brings>,
    /// Whether it may be run again after a crash; by default only when it has no effect elsewhere.
    pub idempotent: Option<bool>,
    /// The program and its arguments. A program with a `/` is a file of the folder.
    pub command: Option<Vec<String>>,
    /// Instead of `command`: a skill that is compiled into the router.
    pub builtin: Option<String>,
    /// Whether a process serves one call or many.
    #[serde(default)]
    pub mode: Mode,
    /// The process that it shares with other actions of the same program; by default one of its own.
    pub process: Option<String>,
    /// Whether each conversation has a process of its own.
    #[serde(default)]
    pub per: Per,
    /// The actions that it is offered together with, once the owner or a persona turns them on; without one it always is.
    pub set: Option<SetName>,
    /// Whether its results carry panels for the screen, under `screen`.
    #[serde(default)]
    pub shows: bool,
    /// How long a call may take, such as `15s`, `500ms` or `2m`.
    pub timeout: Option<String>,
    /// The reply's text for people, with `{field}`s of the result or of the params.
    pub summary: Option<String>,
    /// Parameter -> JSON Schema, and beside the schema's own keys those of [`super::Marks`].
    #[serde(default)]
    pub params: Object,
    /// Setting -> its default; the owner's values stand in router/config.json.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The settings that it can't do without. As long as one is empty the skill is off.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Where it may connect to.
    #[serde(default)]
    pub net: Net,
    /// The secrets that the router adds to its requests.
    #[serde(default)]
    pub secrets: BTreeMap<String, SecretUse>,
    /// The folders of this machine that it works in, by name.
    #[serde(default)]
    pub folders: BTreeMap<String, FolderUse>,
    /// What it may use of the machine, where that is more than every skill may.
    #[serde(default)]
    pub limits: Bounds,
    /// Sentences that ask for it.
    #[serde(default)]
    pub examples: Vec<ManifestExample>,
}

/// `[limits]`: what a skill needs beyond the bounds of every skill. Sizes are written `16MB`; how long a call may take
/// is [`Manifest::timeout`].
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The largest file that it may write.
    pub file: Option<String>,
    /// How much it may write into its scratch directory.
    pub scratch: Option<String>,
    /// How much private memory each of its processes may have.
    pub memory: Option<String>,
    /// How large an answer it may give; 1 MB at most, and 256 KB without it.
    pub output: Option<String>,
    /// How many processes and threads it may have at a time.
    pub processes: Option<u64>,
    /// How many files one process may have open.
    pub files: Option<u64>,
}

/// An [`Example`] in which a typo is an error.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestExample {
    /// What a person says.
    pub say: String,
    /// What the action is called with.
    pub params: Object,
}

impl From<ManifestExample> for Example {
    fn from(example: ManifestExample) -> Self {
        Self { say: example.say, params: example.params }
    }
}

/// How a skill's process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One process a call.
    #[default]
    Once,
    /// One process for many calls, one line each.
    Serve,
}

/// `[folders.NAME]`: a folder that the skill sees at `/NAME`. The owner's path stands in router/config.json; without one
/// it lies below router/data.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderUse {
    /// Whether the skill only reads there.
    pub access: Access,
    /// Only the owner can name it; until then the skill is off.
    #[serde(default)]
    pub owners: bool,
}

/// What a skill may do in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Read.
    Read,
    /// Read and write.
    Write,
}

/// `[net]`: without it a skill has no network.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Net {
    /// `api.x.com`, `api.x.com:8443`, `*` for any public host, or `{setting}` for the URL in a setting; an empty setting is
    /// no host.
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// `[secrets.NAME]`: a value of router/.env that goes out in a header to one host.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretUse {
    /// The host, written as in [`Net::hosts`].
    pub host: String,
    /// The header's name.
    pub header: String,
    /// The header's value, with `{}` for the secret.
    #[serde(default = "bare")]
    pub format: String,
    /// The secret is needed only by calls whose parameters have these values.
    #[serde(default)]
    pub when: Object,
    /// The skill does without it where it is not set; without this a call is a dry run then.
    #[serde(default)]
    pub optional: bool,
}

fn bare() -> String {
    "{}".to_owned()
}
