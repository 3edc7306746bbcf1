//! Where a mind's words go: to the address in its file, or to where the owner has set such models up. A file may come from others,
//! so it opens no way out of the house: what is outside is asked only if the owner has set that service up.

use model::Maker;
use settings::{ProviderName, Target};

/// Why no text may go to a model, and what the owner does about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreached {
    /// Its provider wants a key, and there is none.
    #[error(
        "it thinks with {provider}, which you have not set up; write {variable}=... into .env in the home"
    )]
    Key {
        /// Who serves it.
        provider: ProviderName,
        /// Where the key would stand.
        variable: &'static str,
    },
    /// Its address is one that only the file names.
    #[error(
        "its model is at {url}, which you have not set up; if you trust that server, add it with `{mend}`"
    )]
    Address {
        /// The address.
        url: String,
        /// The command that adds it.
        mend: String,
    },
}

/// The model that `target` means by the owner's settings.
///
/// # Errors
/// [`Unreached`].
pub fn reached(target: &Target, maker: &Maker) -> Result<Target, Unreached> {
    let set: Vec<Target> = maker.llm.asked().collect();
    let mut alike = set.iter().filter(|known| known.provider == target.provider);
    let Some(url) = &target.base_url else {
        let same = alike.clone().find(|known| known.model == target.model);
        return match same.or_else(|| alike.next()) {
            Some(known) => Ok(Target { base_url: known.base_url.clone(), ..target.clone() }),
            None => missing_key(target.provider, maker).map_or_else(|| Ok(target.clone()), Err),
        };
    };
    if target.stays_here() || alike.any(|known| known.base_url.as_ref() == Some(url)) {
        return Ok(target.clone());
    }
    let mend = home::agent_command(&format!("config fallback {target}"));
    Err(Unreached::Address { url: url.clone(), mend })
}

/// The key without which a provider's own service is not set up.
fn missing_key(provider: ProviderName, maker: &Maker) -> Option<Unreached> {
    let (key, variable) = match provider {
        // Its address is the owner's, and offline is nowhere.
        ProviderName::Ollama | ProviderName::Offline => return None,
        ProviderName::OpenAi => (&maker.keys.openai, "OPENAI_API_KEY"),
        ProviderName::Anthropic => (&maker.keys.anthropic, "ANTHROPIC_API_KEY"),
        ProviderName::Gemini => (&maker.keys.gemini, "GEMINI_API_KEY"),
    };
    key.is_none().then_some(Unreached::Key { provider, variable })
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use model::ApiKeys;

    fn asked(maker: &Maker, text: &str) -> Result<String, String> {
        let reached = reached(&text.parse().unwrap(), maker);
        reached.map(|target| target.to_string()).map_err(|why| why.to_string())
    }

    #[test]
    fn text_goes_outside_the_house_only_to_what_the_owner_has_set_up() {
        let mut maker = Maker::default();
        for text in [
            "offline",
            "ollama:m",
            "ollama:m@http://127.0.0.1:9",
            "openai:m@http://localhost:8080/v1",
        ] {
            assert!(asked(&maker, text).is_ok(), "{text}");
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
            assert!(asked(&maker, text).is_err(), "{text}");
        }
        let told = asked(&maker, "openai:m@https://evil.example/v1").unwrap_err();
        assert!(told.contains("config fallback openai:m@https://evil.example/v1"), "{told}");
        maker.keys = ApiKeys { openai: Some(SecretString::from("x")), ..ApiKeys::default() };
        maker.llm.fallback = vec!["ollama:other@http://10.0.0.9:11434".parse().unwrap()];
        assert_eq!(
            outside.map(|text| asked(&maker, text).is_err()),
            [false, true, true, true, false, true]
        );
    }

    #[test]
    fn without_an_address_a_mind_is_asked_where_such_models_are_set_up() {
        let mut maker = Maker::default();
        let fallback =
            ["openai:qwen@http://127.0.0.1:8080/v1", "openai:gpt-4@https://x.example/v1"];
        maker.llm.fallback = fallback.map(|target| target.parse().unwrap()).to_vec();
        let reached = |text| asked(&maker, text).unwrap();
        assert_eq!(reached("openai:other"), "openai:other@http://127.0.0.1:8080/v1");
        assert_eq!(reached("openai:gpt-4"), "openai:gpt-4@https://x.example/v1");
        assert_eq!(reached("openai:m@https://x.example/v1"), "openai:m@https://x.example/v1");
        assert_eq!(reached("ollama:llama3.1:8B"), "ollama:llama3.1:8B");
    }
}
