//! The keys of models' providers and of channels: where they come from, and where they must not stand.

use std::path::Path;

use home::{CHANNEL_KEY_NAMES, EnvError, EnvFile, MODEL_KEY_NAMES, Variables};
use secrecy::SecretString;

use crate::model::ApiKeys;

/// Words in the name of a setting that would be a secret.
const TELLING: [&str; 5] = ["apikey", "key", "token", "secret", "password"];

/// The keys that the environment holds.
pub(super) fn keys(variables: &Variables) -> ApiKeys {
    let key = |name| variables.get(name).map(|key| SecretString::from(key.trim()));
    ApiKeys {
        openai: key("OPENAI_API_KEY"),
        anthropic: key("ANTHROPIC_API_KEY"),
        // Where both are set, Google's own libraries take the first.
        gemini: key("GOOGLE_API_KEY").or_else(|| key("GEMINI_API_KEY")),
    }
}

/// The token of the Telegram bot, if the environment holds one.
pub(super) fn telegram_token(variables: &Variables) -> Option<SecretString> {
    variables.get("TELEGRAM_BOT_TOKEN").map(|token| SecretString::from(token.trim()))
}

/// What programs have to show, if the environment holds it.
pub(super) fn http_token(variables: &Variables) -> Option<SecretString> {
    variables.get("SAFECLAW_HTTP_TOKEN").map(|token| SecretString::from(token.trim()))
}

/// A word for the owner when others can read the file in which such a key stands.
pub(super) fn exposed(path: &Path, file: &EnvFile) -> Option<String> {
    MODEL_KEY_NAMES.iter().chain(&CHANNEL_KEY_NAMES).find(|name| file.get(name).is_some())?;
    match EnvFile::read_private(path) {
        Err(error @ EnvError::Exposed { .. }) => Some(error.to_string()),
        _ => None,
    }
}

/// Whether the setting at the path `key` would be a secret, by the end of its name.
pub(super) fn is_named_like_one(key: &str) -> bool {
    let name: String = key.rsplit('.').next().unwrap_or_default().to_lowercase();
    let name = name.replace(['_', '-', ' '], "");
    TELLING.iter().any(|telling| name.ends_with(telling))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn variables<const N: usize>(pairs: [(&str, &str); N]) -> Variables {
        Variables::merge(&[], pairs.map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn google_has_two_names_for_its_key() {
        let gemini = |variables| keys(&variables).gemini.map(|key| key.expose_secret().to_owned());
        assert_eq!(gemini(variables([("GEMINI_API_KEY", "a")])).as_deref(), Some("a"));
        let both = variables([("GEMINI_API_KEY", "a"), ("GOOGLE_API_KEY", "b")]);
        assert_eq!(gemini(both).as_deref(), Some("b"));
        assert_eq!(gemini(variables([("OPENAI_API_KEY", "c")])), None);
    }

    #[test]
    fn its_debug_form_shows_no_key() {
        let shown = format!("{:?}", keys(&variables([("OPENAI_API_KEY", "hunter2")])));
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn names_of_secrets_are_known_however_they_are_written() {
        for name in ["llm.api_key", "apiKey", "llm.openai-token", "x.Client_Secret"] {
            assert!(is_named_like_one(name), "{name}");
        }
        for name in ["llm.modle", "max_tokens", "keys"] {
            assert!(!is_named_like_one(name), "{name}");
        }
    }
}
