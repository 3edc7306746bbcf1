//! The keys of those providers that want one, and which of them goes to which address.

use std::collections::BTreeMap;

use secrecy::SecretString;
use url::Url;

use crate::ProviderName;
use crate::address::{is_near, is_openai, is_this_machine};

/// What providers know their customers by. None of it stands in an error, a log line or a URL.
#[derive(Debug, Clone, Default)]
pub struct ApiKeys {
    /// OPENAI_API_KEY, or OPENAIAPIOPTIONS_APIKEY as AIStorm calls it, for OpenAI and for whoever speaks its API at
    /// another address.
    pub openai: Option<SecretString>,
    /// ANTHROPIC_API_KEY.
    pub anthropic: Option<SecretString>,
    /// GOOGLE_API_KEY or GEMINI_API_KEY.
    pub gemini: Option<SecretString>,
    /// Those of single hosts, by their variables: OPENAI_API_KEY_OPENROUTER_AI is for openrouter.ai.
    pub of_hosts: BTreeMap<String, SecretString>,
    /// Whether OpenAI itself is set as well, so that OPENAI_API_KEY is its own and nobody else's.
    pub openai_is_set: bool,
}

/// The variable in which the key for an address stands or would have to stand, and what stands there.
pub type Chosen<'a> = (String, Option<&'a SecretString>);

impl ApiKeys {
    /// The key for a server of `provider` at `url`. One of that host's own comes first: its owner has named the host.
    /// The provider's own key goes to the provider, to this machine and, encrypted, elsewhere, and to nobody beside
    /// OpenAI where that is asked as well.
    #[must_use]
    pub fn of(&self, provider: ProviderName, url: &Url) -> Chosen<'_> {
        let (names, key): (&[&str], _) = match provider {
            ProviderName::OpenAi => (&["OPENAI_API_KEY", "OPENAIAPIOPTIONS_APIKEY"], &self.openai),
            ProviderName::Anthropic => (&["ANTHROPIC_API_KEY"], &self.anthropic),
            ProviderName::Gemini => (&["GOOGLE_API_KEY", "GEMINI_API_KEY"], &self.gemini),
            ProviderName::Ollama | ProviderName::Offline => return (String::new(), None),
        };
        let host = spelled(url);
        for name in names {
            let own = format!("{name}_{host}");
            if let Some(key) = self.of_hosts.get(&own) {
                return (own, Some(key));
            }
        }
        match self.is_for(provider, url) {
            true => (names[0].to_owned(), key.as_ref()),
            false => (format!("{}_{host}", names[0]), None),
        }
    }

    /// Whether the provider's own key may go to `url`. What is refused because it would be read on the way is told
    /// where it is sent; in one's own network most servers want none, so there it is just not sent.
    fn is_for(&self, provider: ProviderName, url: &Url) -> bool {
        if provider == ProviderName::OpenAi && self.openai_is_set {
            return is_openai(url);
        }
        url.scheme() == "https" || is_this_machine(url) || !is_near(url)
    }
}

/// The host of `url` as a variable can have it: capitals, digits and `_`.
fn spelled(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    host.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    /// The variable and what is sent, with these keys of hosts.
    fn chosen(url: &str, hosts: &[&str], openai_is_set: bool) -> (String, Option<String>) {
        let own = |name: &&str| ((*name).to_owned(), SecretString::from("the host's"));
        let keys = ApiKeys {
            openai: Some(SecretString::from("general")),
            of_hosts: hosts.iter().map(own).collect(),
            openai_is_set,
            ..ApiKeys::default()
        };
        let url = Url::parse(url).unwrap();
        let (variable, key) = keys.of(ProviderName::OpenAi, &url);
        (variable, key.map(|key| key.expose_secret().to_owned()))
    }

    #[test]
    fn the_general_key_goes_to_no_server_in_the_own_network_unencrypted() {
        for url in ["https://api.openai.com/v1", "https://openrouter.ai/api", "https://10.0.0.5/"] {
            let sent = ("OPENAI_API_KEY".to_owned(), Some("general".to_owned()));
            assert_eq!(chosen(url, &[], false), sent, "{url}");
        }
        for url in ["http://127.0.0.1:1/", "http://[::1]/", "http://localhost:8080/"] {
            assert_eq!(chosen(url, &[], false).1.as_deref(), Some("general"), "{url}");
        }
        for (url, variable) in [
            ("http://10.0.0.5:8080/v1", "OPENAI_API_KEY_10_0_0_5"),
            ("http://[fd00::1]/v1", "OPENAI_API_KEY_FD00__1"),
            ("http://llm/v1", "OPENAI_API_KEY_LLM"),
            ("http://nas.local/v1", "OPENAI_API_KEY_NAS_LOCAL"),
            ("http://x.localhost/v1", "OPENAI_API_KEY_X_LOCALHOST"),
        ] {
            assert_eq!(chosen(url, &[], false), (variable.to_owned(), None), "{url}");
        }
    }

    #[test]
    fn the_general_key_is_openais_alone_where_that_is_asked_as_well() {
        assert_eq!(chosen("https://api.openai.com/v1", &[], true).1.as_deref(), Some("general"));
        for url in ["https://openrouter.ai/api/v1", "http://127.0.0.1:8080/v1"] {
            assert_eq!(chosen(url, &[], true).1, None, "{url}");
        }
    }

    #[test]
    fn a_key_that_names_its_host_goes_there_and_nowhere_else() {
        let names = ["OPENAI_API_KEY_OPENROUTER_AI", "OPENAI_API_KEY_10_0_0_5"];
        for url in ["https://openrouter.ai/api/v1", "http://10.0.0.5:8080/v1"] {
            assert_eq!(chosen(url, &names, true).1.as_deref(), Some("the host's"), "{url}");
        }
        for url in ["https://api.openai.com/", "https://openrouter.ai.example.com/"] {
            assert_eq!(chosen(url, &names, false).1.as_deref(), Some("general"), "{url}");
        }
    }

    #[test]
    fn each_provider_has_names_of_its_own() {
        let hosts = ["ANTHROPIC_API_KEY_LLM", "GEMINI_API_KEY_LLM"];
        let own = |name: &str| (name.to_owned(), SecretString::from("x"));
        let keys = ApiKeys { of_hosts: hosts.into_iter().map(own).collect(), ..ApiKeys::default() };
        let url = Url::parse("http://llm/").unwrap();
        assert_eq!(keys.of(ProviderName::Anthropic, &url).0, "ANTHROPIC_API_KEY_LLM");
        assert_eq!(keys.of(ProviderName::Gemini, &url).0, "GEMINI_API_KEY_LLM");
        assert_eq!(keys.of(ProviderName::OpenAi, &url).0, "OPENAI_API_KEY_LLM");
        assert!(keys.of(ProviderName::OpenAi, &url).1.is_none());
    }
}
