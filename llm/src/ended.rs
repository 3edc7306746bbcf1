//! Why an answer ended, as its server says.

/// Why an answer ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ended {
    /// The model had nothing more to say.
    #[default]
    OfItself,
    /// It was cut off: it had as many tokens as an answer may have, or the window was full.
    AtLimit,
    /// It said the same again and again, and was cut off.
    Repeating,
    /// Otherwise, in the server's word, such as `tool_calls` or `content_filter`.
    Otherwise(String),
}

impl Ended {
    /// What a server's word means: Ollama's `done_reason`, OpenAI's `finish_reason`, Anthropic's `stop_reason`,
    /// Gemini's `finishReason`.
    #[must_use]
    pub(crate) fn read(word: &str) -> Self {
        match word.to_lowercase().as_str() {
            "stop" | "end_turn" | "stop_sequence" | "eos" | "load" => Self::OfItself,
            // Ollama and OpenAI; Anthropic and Gemini; Mistral; Anthropic's newer models.
            "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
                Self::AtLimit
            }
            _ => Self::Otherwise(word.to_owned()),
        }
    }
}
