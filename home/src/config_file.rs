//! Reads a `config.json` into the type of whoever owns it, and changes single keys in it.
//!
//! Which keys exist is told by the type alone: what was read is written out again, and a key that does
//! not come back is unknown. So a field of type map takes any key, every value in it is checked all the
//! same, and there is no second list of keys to keep. It asks three things of the type: each field has a
//! default (`#[serde(default)]`), each field is always written out, and none is read under another name
//! than it is written. A key that is gone, and that old homes still have with nothing in it, stays a field: of a type
//! that takes nothing else.

mod error;

use std::path::{Path, PathBuf};

use protocol::Object;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use error::ConfigError;

use crate::{file, nearest};

/// The settings of one process, as they stand in its `config.json`.
#[derive(Debug, Clone)]
pub struct ConfigFile<T> {
    path: PathBuf,
    settings: T,
}

impl<T: Serialize + DeserializeOwned> ConfigFile<T> {
    /// Reads the file at `path`; where there is none, writes `initial` there first.
    ///
    /// # Errors
    /// [`ConfigError`] names the file, the key, and what would be right. The file is left as it is.
    pub fn open(path: &Path, initial: &str) -> Result<Self, ConfigError> {
        file::write_missing(path, initial.as_bytes())?;
        Self::look(path)
    }

    /// Reads the file at `path` and writes nothing; where there is none, each key has its default.
    ///
    /// # Errors
    /// As for [`ConfigFile::open`].
    pub fn look(path: &Path) -> Result<Self, ConfigError> {
        let settings = check(path, &read(path)?)?;
        Ok(Self { path: path.to_owned(), settings })
    }

    /// The settings as they were read, or set since.
    pub fn settings(&self) -> &T {
        &self.settings
    }

    /// Where they stand.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets `key`, a path such as `llm.model`, in the file. Everything else in it stays as it stands at
    /// that moment, in its order.
    ///
    /// # Errors
    /// [`ConfigError`] when there is no such key, the value does not fit, or the file can't be written;
    /// neither the file nor the settings have changed then.
    pub fn set(&mut self, key: &str, value: Value) -> Result<(), ConfigError> {
        self.set_all([(key, value)])
    }

    /// Sets several keys at once.
    ///
    /// # Errors
    /// As [`ConfigFile::set`]; none of them is set then.
    pub fn set_all<'k>(
        &mut self,
        pairs: impl IntoIterator<Item = (&'k str, Value)>,
    ) -> Result<(), ConfigError> {
        let (object, settings) = self.with_all(pairs)?;
        // A map with text keys alone can always be written as JSON.
        let text = format!("{:#}\n", Value::Object(object));
        file::write(&self.path, text.as_bytes())?;
        self.settings = settings;
        Ok(())
    }

    /// The settings as they would be with these keys set. Nothing is written.
    ///
    /// # Errors
    /// As for [`ConfigFile::set`].
    pub fn as_if<'k>(
        &self,
        pairs: impl IntoIterator<Item = (&'k str, Value)>,
    ) -> Result<T, ConfigError> {
        Ok(self.with_all(pairs)?.1)
    }

    /// The file with these keys set, and the settings that it holds then.
    fn with_all<'k>(
        &self,
        pairs: impl IntoIterator<Item = (&'k str, Value)>,
    ) -> Result<(Object, T), ConfigError> {
        let mut object = read(&self.path)?;
        let mut wanted = Vec::new();
        for (key, value) in pairs {
            wanted.push(key);
            place(&mut object, key, value);
        }
        let settings = check(&self.path, &object).map_err(|error| match error {
            ConfigError::Value { key, found, expected, .. } if wanted.contains(&key.as_str()) => {
                ConfigError::Unfit { key, wanted: found, expected }
            }
            error => error,
        })?;
        Ok((object, settings))
    }
}

fn read(path: &Path) -> Result<Object, ConfigError> {
    let limit = protocol::json::MAX_BYTES as u64;
    let bytes = file::read(path, limit)?.unwrap_or_else(|| b"{}".to_vec());
    protocol::json::parse_object(&bytes)
        .map_err(|why| ConfigError::Syntax { path: path.to_owned(), why })
}

/// Puts `value` at the dotted `key`, with the objects that lead there. What is no object on the way is
/// replaced by one, which the check of the whole then refuses.
fn place(object: &mut Object, key: &str, value: Value) {
    let Some((first, rest)) = key.split_once('.') else {
        object.insert(key.to_owned(), value);
        return;
    };
    let inner = object.entry(first).or_insert_with(|| Object::new().into());
    if !inner.is_object() {
        *inner = Object::new().into();
    }
    if let Value::Object(inner) = inner {
        place(inner, rest, value);
    }
}

fn check<T: Serialize + DeserializeOwned>(path: &Path, object: &Object) -> Result<T, ConfigError> {
    let given = Value::Object(object.clone());
    let settings: T = serde_path_to_error::deserialize(&given).map_err(|e| {
        let key = e.path().to_string();
        let found = at(&given, &key).cloned();
        ConfigError::value(path, &key, found.as_ref(), &e.into_inner().to_string())
    })?;
    let known = serde_json::to_value(&settings)
        .map_err(|e| ConfigError::value(path, ".", None, &e.to_string()))?;
    match misfit(&given, &known, "") {
        None => Ok(settings),
        Some(Misfit::Unknown(key)) => {
            let nearest = nearest_key(&key, &known);
            Err(ConfigError::UnknownKey { path: path.to_owned(), key, nearest })
        }
        Some(Misfit::List(key)) => {
            let found = at(&given, &key);
            Err(ConfigError::value(path, &key, found, "a list, expected a map"))
        }
    }
}

/// The value at a key path as serde_path_to_error writes it: `channels.web.ports[0]`.
fn at<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    let pointer = key.replace('[', "/").replace(']', "").replace('.', "/");
    value.pointer(&format!("/{pointer}"))
}

/// Something that was given and did not come back as it was, with the path to it.
enum Misfit {
    /// A key that there is not.
    Unknown(String),
    /// A list in the place of an object: serde reads one as the fields in their order.
    List(String),
}

/// The first thing in `given` that is not there, or is something else, in `known`.
fn misfit(given: &Value, known: &Value, prefix: &str) -> Option<Misfit> {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => given.iter().find_map(|(name, value)| {
            let key = join(prefix, name);
            match known.get(name) {
                Some(known) => misfit(value, known, &key),
                None => Some(Misfit::Unknown(key)),
            }
        }),
        (Value::Array(given), Value::Array(known)) => {
            let pairs = given.iter().zip(known).enumerate();
            pairs.into_iter().find_map(|(i, (g, k))| misfit(g, k, &format!("{prefix}[{i}]")))
        }
        (Value::Array(_), Value::Object(_)) => Some(Misfit::List(prefix.to_owned())),
        _ => None,
    }
}

/// The key that was probably meant: one beside it with a similar name, or the same name elsewhere.
fn nearest_key(key: &str, known: &Value) -> Option<String> {
    let (parent, name) = key.rsplit_once('.').unwrap_or(("", key));
    let beside = if parent.is_empty() { Some(known) } else { at(known, parent) };
    let names = beside.and_then(Value::as_object)?.keys().map(String::as_str);
    match nearest(name, names) {
        Some(name) => Some(join(parent, name)),
        None => elsewhere(name, known, ""),
    }
}

fn elsewhere(name: &str, known: &Value, prefix: &str) -> Option<String> {
    let object = known.as_object()?;
    if object.contains_key(name) {
        return Some(join(prefix, name));
    }
    object.iter().find_map(|(inner, value)| elsewhere(name, value, &join(prefix, inner)))
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

#[cfg(test)]
mod tests;
