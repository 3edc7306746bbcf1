//! The keys of models' providers and of channels: where they come from, and where they must not stand.

use std::ffi::OsString;
use std::path::Path;

use ::secrets::Secrets;
use home::{CHANNEL_KEY_NAMES, EnvError, EnvFile, Home, MODEL_KEY_NAMES, Variables, is_model_key};
use model::ApiKeys;
use secrecy::SecretString;

use super::{Llm, environment};

/// Words in the name of a setting that would be a secret.
const TELLING: [&str; 5] = ["apikey", "key", "token", "secret", "password"];

/// The keys that the environment holds, for the models of `llm`.
pub(super) fn keys(variables: &Variables, llm: &Llm) -> ApiKeys {
    let of_host = |name: &str| is_model_key(name) && !MODEL_KEY_NAMES.contains(&name);
    let of_hosts = variables.iter().filter(|(name, _)| of_host(name));
    let key = |name| variables.get(name).map(|key| SecretString::from(key.trim()));
    ApiKeys {
        // Whoever comes from AIStorm has set the second.
        openai: key("OPENAI_API_KEY").or_else(|| key("OPENAIAPIOPTIONS_APIKEY")),
        anthropic: key("ANTHROPIC_API_KEY"),
        // Where both are set, Google's own libraries take the first.
        gemini: key("GOOGLE_API_KEY").or_else(|| key("GEMINI_API_KEY")),
        of_hosts: of_hosts
            .map(|(name, key)| (name.to_owned(), SecretString::from(key.trim())))
            .collect(),
        openai_is_set: llm.asked().any(|target| target.is_openai()),
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
    file.iter().find(|(name, _)| is_the_minds(name))?;
    match EnvFile::read_private(path) {
        Err(error @ EnvError::Exposed { .. }) => Some(error.to_string()),
        _ => None,
    }
}

/// The names of this process's environment that no other process should be given: the wall asks no model and talks
/// with nobody.
#[must_use]
pub fn own_names() -> Vec<OsString> {
    #[expect(clippy::disallowed_methods, reason = "the configuration reads the environment")]
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| is_the_minds(&name.to_string_lossy())).collect()
}

/// The agent's keys, so that they can be taken out of what is logged; those of `.env` as far as it can be read.
#[must_use]
pub fn own_secrets(home: &Home) -> Secrets {
    let file = EnvFile::read(&home.env_file()).unwrap_or_default();
    let variables = environment(&file);
    Secrets::new(variables.iter().filter(|(name, _)| is_the_minds(name)))
}

/// Whether a variable of this name holds a key of the agent's alone.
fn is_the_minds(name: &str) -> bool {
    is_model_key(name) || CHANNEL_KEY_NAMES.contains(&name)
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
    use crate::ProviderName;

    fn variables<const N: usize>(pairs: [(&str, &str); N]) -> Variables {
        Variables::merge(&[], pairs.map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn the_agents_keys_are_known_to_whoever_logs_and_other_settings_are_not() {
        let home = testkit::TempHome::new();
        home.put(".env", "OPENAI_API_KEY=sk-of-the-file\nCOMMAND_QUEUE=safeclaw:other\n");
        let told = own_secrets(&home).redact("sk-of-the-file at safeclaw:other");
        assert_eq!(told, "[secret] at safeclaw:other");
    }

    #[test]
    fn google_has_two_names_for_its_key() {
        let gemini = |variables| {
            keys(&variables, &Llm::default()).gemini.map(|key| key.expose_secret().to_owned())
        };
        assert_eq!(gemini(variables([("GEMINI_API_KEY", "a")])).as_deref(), Some("a"));
        let both = variables([("GEMINI_API_KEY", "a"), ("GOOGLE_API_KEY", "b")]);
        assert_eq!(gemini(both).as_deref(), Some("b"));
        assert_eq!(gemini(variables([("OPENAI_API_KEY", "c")])), None);
    }

    #[test]
    fn the_name_that_aistorm_has_for_openais_key_is_read_and_kept_secret() {
        let openai = |variables| {
            keys(&variables, &Llm::default()).openai.map(|key| key.expose_secret().to_owned())
        };
        let own = ("OPENAIAPIOPTIONS_APIKEY", "sk-of-aistorm");
        assert_eq!(openai(variables([own])).as_deref(), Some("sk-of-aistorm"));
        assert_eq!(openai(variables([own, ("OPENAI_API_KEY", "b")])).as_deref(), Some("b"));
        let home = testkit::TempHome::new();
        home.put(".env", format!("{}={}\n", own.0, own.1));
        assert_eq!(own_secrets(&home).redact("it is sk-of-aistorm"), "it is [secret]");
        let host = variables([("OPENAIAPIOPTIONS_APIKEY_LLM", "c")]);
        let host = keys(&host, &Llm::default());
        let url = url::Url::parse("http://llm/").unwrap();
        let (_, key) = host.of(ProviderName::OpenAi, &url);
        assert_eq!(key.map(ExposeSecret::expose_secret), Some("c"));
    }

    #[test]
    fn its_debug_form_shows_no_key() {
        let shown =
            format!("{:?}", keys(&variables([("OPENAI_API_KEY", "hunter2")]), &Llm::default()));
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn keys_of_hosts_are_read_and_whether_openai_itself_is_asked() {
        let given = variables([("OPENAI_API_KEY_LLM", " a "), ("OPENAI_API_KEYS", "b")]);
        let is_set = |fallback: &str| {
            let fallback = vec![fallback.parse().unwrap()];
            keys(&given, &Llm { fallback, ..Llm::default() }).openai_is_set
        };
        let read = keys(&given, &Llm::default());
        let read: Vec<_> =
            read.of_hosts.iter().map(|(n, k)| (n.as_str(), k.expose_secret())).collect();
        assert_eq!(read, [("OPENAI_API_KEY_LLM", "a")]);
        assert!(is_set("openai:gpt-4o") && is_set("openai:m@https://api.openai.com/v1"));
        assert!(!is_set("offline") && !is_set("openai:m@https://openrouter.ai/api/v1"));
        let first = Llm { provider: ProviderName::OpenAi, ..Llm::default() };
        assert!(keys(&given, &first).openai_is_set);
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
