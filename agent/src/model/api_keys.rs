//! The keys of those providers that want one.

use secrecy::SecretString;

/// What providers know their customers by. None of it stands in an error, a log line or a URL.
#[derive(Debug, Clone, Default)]
pub struct ApiKeys {
    /// OPENAI_API_KEY, for OpenAI and for whoever speaks its API at another address.
    pub openai: Option<SecretString>,
    /// ANTHROPIC_API_KEY.
    pub anthropic: Option<SecretString>,
    /// GOOGLE_API_KEY or GEMINI_API_KEY.
    pub gemini: Option<SecretString>,
}
