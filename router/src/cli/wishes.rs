//! The owner's wishes for skills in router/config.json, as a command line changes them: what else stands there stays.

use home::{FileError, Home, file};
use serde_json::{Map, Value, json};

/// The largest config.json that is read, in bytes.
const MOST: u64 = 1024 * 1024;

/// Why router/config.json was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WishError {
    /// It can't be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no JSON, or not of the form that it has.
    #[error("{0}; mend it and say the same again")]
    Broken(String),
}

/// All of router/config.json.
pub(super) fn read(home: &Home) -> Result<Value, WishError> {
    let path = home.router_config();
    let Some(bytes) = file::read(&path, MOST)? else { return Ok(json!({})) };
    serde_json::from_slice(&bytes)
        .map_err(|error| WishError::Broken(format!("{} is no JSON: {error}", path.display())))
}

/// Sets one key of it.
pub(super) fn set(home: &Home, key: &str, value: String) -> Result<(), WishError> {
    let mut config = read(home)?;
    let all = config.as_object_mut();
    let all = all.ok_or_else(|| WishError::Broken("router/config.json is no object".to_owned()))?;
    all.insert(key.to_owned(), value.into());
    write(home, &config)
}

/// Changes what stands there under `skills`.
pub(super) fn change(
    home: &Home,
    with: impl FnOnce(&mut Map<String, Value>),
) -> Result<(), WishError> {
    let mut config = read(home)?;
    let skills = config
        .as_object_mut()
        .map(|config| config.entry("skills").or_insert_with(|| json!({})))
        .and_then(Value::as_object_mut)
        .ok_or_else(|| WishError::Broken("router/config.json: skills is no object".to_owned()))?;
    with(skills);
    write(home, &config)
}

fn write(home: &Home, config: &Value) -> Result<(), WishError> {
    Ok(file::write(&home.router_config(), format!("{config:#}\n").as_bytes())?)
}
