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
    /// It asks for a tool, in the server's word, such as `tool_calls`.
    ForTools(String),
    /// Its server ended it, in its own word, such as `content_filter`.
    ByServer(String),
}

impl Ended {
    /// What a server's word means: Ollama's `done_reason`, OpenAI's `finish_reason`, Anthropic's `stop_reason`,
    /// Gemini's `finishReason`.
    #[must_use]
    pub(crate) fn read(word: &str) -> Self {
        match word.to_lowercase().as_str() {
            "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "load" => Self::OfItself,
            "tool_calls" | "tool_use" | "function_call" => Self::ForTools(word.to_owned()),
            // Ollama and OpenAI; Anthropic and Gemini; Mistral; Anthropic's newer models.
            "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
                Self::AtLimit
            }
            _ => Self::ByServer(word.to_owned()),
        }
    }

    /// What helps who got half an answer that ended so, in words for people.
    #[must_use]
    pub const fn mend(&self) -> &'static str {
        match self {
            Self::ByServer(_) => "say it in other words",
            _ => "say \"go on\", or ask for less at once",
        }
    }
}
