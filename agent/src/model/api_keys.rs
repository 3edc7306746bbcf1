//! The keys by which providers know who asks.

use secrecy::SecretString;

/// One key for each provider that wants one. They come from the environment or `.env`, and are shown to the
/// provider alone.
#[derive(Debug, Clone, Default)]
pub struct ApiKeys {
    /// OPENAI_API_KEY.
    pub openai: Option<SecretString>,
    /// ANTHROPIC_API_KEY.
    pub anthropic: Option<SecretString>,
    /// GOOGLE_API_KEY or GEMINI_API_KEY.
    pub gemini: Option<SecretString>,
}
