//! Where a persona's words go: a model outside the house only if the owner has set its service up.

use crate::config::{ProviderName, Target};
use crate::model::Maker;

/// Why text must not go to `target`, and what the owner does about it; `None` if it may.
pub(super) fn refusal(target: &Target, maker: &Maker) -> Option<String> {
    let place = |of: &Target| (of.provider, of.base_url.clone());
    if maker.llm.asked().any(|known| place(&known) == place(target)) {
        return None;
    }
    match &target.base_url {
        Some(_) if target.stays_here() => None,
        Some(url) => Some(format!(
            "it thinks at {url}, which you have not set up; `config fallback` or `config llm` with a model there does"
        )),
        None => missing_key(target.provider, maker),
    }
}

/// The key without which a provider's own service is not set up.
fn missing_key(provider: ProviderName, maker: &Maker) -> Option<String> {
    let (key, name) = match provider {
        // Its address is the owner's, and offline is nowhere.
        ProviderName::Ollama | ProviderName::Offline => return None,
        ProviderName::OpenAi => (&maker.keys.openai, "OPENAI_API_KEY"),
        ProviderName::Anthropic => (&maker.keys.anthropic, "ANTHROPIC_API_KEY"),
        ProviderName::Gemini => (&maker.keys.gemini, "GEMINI_API_KEY"),
    };
    key.is_none().then(|| {
        format!("it thinks with {provider}, which you have not set up; write {name}=... into .env in the home")
    })
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::model::ApiKeys;

    #[test]
    fn text_goes_outside_the_house_only_to_what_the_owner_has_set_up() {
        let mut maker = Maker::default();
        let refused = |maker: &Maker, text: &str| refusal(&text.parse().unwrap(), maker).is_some();
        for text in [
            "offline",
            "ollama:m",
            "ollama:m@http://127.0.0.1:9",
            "openai:m@http://localhost:8080/v1",
        ] {
            assert!(!refused(&maker, text), "{text}");
        }
        let outside = [
            "openai:gpt-4",
            "anthropic:claude",
            "gemini:flash",
            "openai:m@https://evil.example/v1",
            "ollama:m@http://10.0.0.9:11434",
            "openai:m@http://127.0.0.1.evil.example/v1",
        ];
        for text in outside {
            assert!(refused(&maker, text), "{text}");
        }
        maker.keys = ApiKeys { openai: Some(SecretString::from("x")), ..ApiKeys::default() };
        maker.llm.fallback = vec!["ollama:other@http://10.0.0.9:11434".parse().unwrap()];
        assert_eq!(
            outside.map(|text| refused(&maker, text)),
            [false, true, true, true, false, true]
        );
    }
}
