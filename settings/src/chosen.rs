//! What people choose in a chat that is to last: the model, which models may read what is private, the sets, whom the bot
//! is for, and who else may talk over Telegram.
//!
//! The agent can't change its own settings, whoever has taken it over: the kernel lets it read agent/config.json and not write
//! it. So it notes a choice in its workspace, and the next start, or the next `agent config`, takes it over before anything is
//! confined. Only these keys can be noted, and each value has to fit its type.

use std::fs;
use std::path::Path;

use home::{ConfigFile, Home, file};
use protocol::Object;
use serde_json::Value;

use super::{AgentConfig, SettingsError};

/// The keys that can be noted.
const KEYS: [&str; 7] = [
    "llm.provider",
    "llm.model",
    "llm.base_url",
    "llm.private_to",
    "sets",
    "bot_mode",
    "telegram.allow",
];

/// The longest file, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Notes `pairs` in the file at `path`, beside what is noted there.
///
/// # Errors
/// [`SettingsError`]; nothing is noted then.
pub(super) fn note<'k>(
    path: &Path,
    pairs: impl IntoIterator<Item = (&'k str, Value)>,
) -> Result<(), SettingsError> {
    let mut noted = noted(path).unwrap_or_default();
    noted.extend(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)));
    // A map with text keys alone can always be written as JSON.
    let text = format!("{:#}\n", Value::Object(noted));
    file::write(path, text.as_bytes()).map_err(|error| SettingsError::Config(error.into()))
}

/// What is noted for `key` in the file at `path`.
pub(super) fn value(path: &Path, key: &str) -> Option<Value> {
    noted(path)?.remove(key)
}

/// Takes what is noted in the workspace of `home` over into `config`, and gives what went wrong, for people.
pub(super) fn take_over(home: &Home, config: &mut ConfigFile<AgentConfig>) -> Option<String> {
    let path = home.choices();
    let taken = match pairs(&path) {
        Ok(pairs) if pairs.is_empty() => return None,
        Ok(pairs) => config.set_all(by_key(&pairs)).map_err(|error| error.to_string()),
        Err(why) => Err(why.to_owned()),
    };
    let path_shown = path.display();
    match taken {
        Ok(()) => fs::remove_file(&path).err().map(|error| format!("{path_shown} stays: {error}")),
        Err(why) => {
            let aside = file::set_aside(&path).map_or_else(
                |error| format!("it stays: {error}"),
                |aside| format!("it is {} now", aside.display()),
            );
            Some(format!("what {path_shown} says does not count: {why}; {aside}"))
        }
    }
}

/// The settings that [`take_over`] would leave behind, and what it would say. Nothing is written.
pub(super) fn looked_over(
    home: &Home,
    config: &ConfigFile<AgentConfig>,
) -> (AgentConfig, Option<String>) {
    let path = home.choices();
    let looked = match pairs(&path) {
        Ok(pairs) => config.as_if(by_key(&pairs)).map_err(|error| error.to_string()),
        Err(why) => Err(why.to_owned()),
    };
    looked.map_or_else(
        |why| {
            let told = format!("what {} says does not count: {why}", path.display());
            (config.settings().clone(), Some(told))
        },
        |settings| (settings, None),
    )
}

fn by_key(pairs: &Object) -> impl Iterator<Item = (&str, Value)> {
    pairs.iter().map(|(key, value)| (key.as_str(), value.clone()))
}

/// What is noted in the file at `path`, if it is nothing but choices.
fn pairs(path: &Path) -> Result<Object, &'static str> {
    // A link may lead anywhere, and its end is no choice of a person's.
    let is_there = fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    let noted = if is_there { noted(path) } else { Some(Object::new()) };
    noted
        .filter(|noted| noted.keys().all(|key| KEYS.contains(&key.as_str())))
        .ok_or("it does not hold what was chosen in a chat")
}

fn noted(path: &Path) -> Option<Object> {
    match file::read(path, LONGEST) {
        Ok(None) => Some(Object::new()),
        Ok(Some(bytes)) => protocol::json::parse_object(&bytes).ok(),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home() -> (tempfile::TempDir, Home, ConfigFile<AgentConfig>) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        let config = crate::open(&home.agent_config()).unwrap();
        (folder, home, config)
    }

    #[test]
    fn what_was_chosen_stands_in_the_settings_from_the_next_start_on() {
        let (_folder, home, mut config) = home();
        note(&home.choices(), [("sets", json!(["library"]))]).unwrap();
        note(&home.choices(), [("llm.provider", json!("ollama")), ("llm.model", json!("m"))])
            .unwrap();
        assert_eq!(take_over(&home, &mut config), None);
        let config = crate::open(&home.agent_config()).unwrap();
        let sets: Vec<&str> = config.settings().sets.iter().map(|set| set.as_str()).collect();
        assert_eq!((sets, config.settings().llm.model.as_str()), (vec!["library"], "m"));
        assert!(!home.choices().exists());
    }

    #[test]
    fn nothing_else_is_taken_over() {
        let (folder, home, mut config) = home();
        let before = fs::read_to_string(home.agent_config()).unwrap();
        let outside = folder.path().join("outside.json");
        fs::write(&outside, "{\"sets\": [\"library\"]}").unwrap();
        let wrong = [
            "{\"telegram.owner\": 666}",
            "{\"sets\": [\"library\"], \"browser.allow_private\": [\"127.0.0.1:80\"]}",
            "{\"sets\": \"../x\"}",
            "{\"llm\": {\"provider\": \"ollama\"}}",
            "{\"llm.base_url\": \"https://user:hunter2@example.com/v1\"}",
            "no JSON",
        ];
        for text in wrong {
            file::write(&home.choices(), text.as_bytes()).unwrap();
            let told = take_over(&home, &mut config).unwrap();
            assert!(told.contains("does not count") && !told.contains("hunter2"), "{told}");
            assert!(!home.choices().exists(), "{text}");
        }
        std::os::unix::fs::symlink(&outside, home.choices()).unwrap();
        assert_eq!(take_over(&home, &mut config), None);
        assert_eq!(fs::read_to_string(home.agent_config()).unwrap(), before);
    }
}
