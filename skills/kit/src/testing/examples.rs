//! Holds a manifest's examples against its parameters.

use std::path::{Path, PathBuf};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::Object;

/// Why a manifest or one of its examples is not good.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// There is no such file, or it may not be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The manifest.
        path: PathBuf,
        /// What is in the way.
        #[source]
        source: std::io::Error,
    },
    /// It is no TOML, or lacks what every manifest has.
    #[error("{} is no manifest", path.display())]
    Syntax {
        /// The manifest.
        path: PathBuf,
        /// Where it goes wrong.
        #[source]
        source: toml::de::Error,
    },
    /// A schema under `[params]` is none.
    #[error("[params] of {} is no JSON Schema: {reason}", path.display())]
    Schema {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It has no examples, so nothing shows the model how the action is called.
    #[error("{} has no [[examples]]", path.display())]
    NoExamples {
        /// The manifest.
        path: PathBuf,
    },
    /// An example's parameters are not what the action takes.
    #[error("the example {say:?} does not fit {against}: {reason}")]
    Example {
        /// The example's sentence.
        say: String,
        /// What it does not fit: `[params]` or the skill's type.
        against: &'static str,
        /// Where it differs.
        reason: String,
    },
}

/// The parts of a skill.toml that tests look at.
#[derive(Deserialize)]
pub(super) struct Manifest {
    pub(super) name: String,
    #[serde(default)]
    pub(super) settings: Object,
    #[serde(default)]
    params: Object,
    #[serde(default)]
    examples: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    say: String,
    #[serde(default)]
    params: Object,
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Self, ManifestError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ManifestError::Unreadable { path: path.to_owned(), source })?;
        toml::from_str(&text)
            .map_err(|source| ManifestError::Syntax { path: path.to_owned(), source })
    }

    /// The JSON Schema of all parameters: what is not `optional` is required, nothing else is accepted.
    fn schema(&self) -> Value {
        let mut properties = self.params.clone();
        let mut required = Vec::new();
        for (name, property) in &mut properties {
            let mut mark = |key| property.as_object_mut().and_then(|schema| schema.remove(key));
            let (optional, filled) = (mark("optional"), mark("principal"));
            // A word for the router alone.
            drop(mark("text"));
            if ![optional, filled].contains(&Some(Value::Bool(true))) {
                required.push(name.clone());
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// Checks that every example of the manifest at `path` fits its `[params]`, as the router will check it,
/// and is read as a `P`, as the skill will read it.
///
/// # Errors
/// [`ManifestError`] names the first thing that does not fit.
pub fn check_examples<P: DeserializeOwned>(path: impl AsRef<Path>) -> Result<(), ManifestError> {
    let path = path.as_ref();
    let manifest = Manifest::read(path)?;
    let schema = jsonschema::validator_for(&manifest.schema()).map_err(|error| {
        ManifestError::Schema { path: path.to_owned(), reason: error.to_string() }
    })?;
    if manifest.examples.is_empty() {
        return Err(ManifestError::NoExamples { path: path.to_owned() });
    }
    for Example { say, params } in manifest.examples {
        let bad = |against, reason| ManifestError::Example { say: say.clone(), against, reason };
        let params = Value::Object(params);
        schema.validate(&params).map_err(|error| bad("[params]", error.to_string()))?;
        serde_json::from_value::<P>(params)
            .map_err(|error| bad("the skill's parameters", error.to_string()))?;
    }
    Ok(())
}
