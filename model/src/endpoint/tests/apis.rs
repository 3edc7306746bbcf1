//! How each provider says the same.

use llm::Target;
use serde_json::{Value, json};

/// One provider's API.
pub(super) struct Api {
    pub(super) name: &'static str,
    /// What stands behind the server's address.
    path: &'static str,
    /// More text.
    text: fn(&str) -> Value,
    /// More thoughts.
    thought: fn(&str) -> Value,
    /// The end, with 1,000 tokens read, 900 of them known, and 7 written.
    done: fn() -> Vec<Value>,
    /// A failure in the middle.
    failure: fn(&str) -> Value,
    /// What it is called in errors.
    pub(super) expected: &'static str,
    /// What mends a silence.
    pub(super) look: &'static str,
}

pub(super) const OLLAMA: Api = Api {
    name: "ollama",
    path: "",
    text: |text| json!({"message": {"role": "assistant", "content": text}, "done": false}),
    thought: |text| json!({"message": {"role": "assistant", "content": "", "thinking": text}, "done": false}),
    done: || {
        vec![json!({
            "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
            "prompt_eval_count": 1_000, "eval_count": 7,
        })]
    },
    failure: |words| json!({"error": words}),
    expected: "Ollama",
    look: "see what it does with `ollama ps`",
};

pub(super) const OPENAI: Api = Api {
    name: "openai",
    path: "/v1",
    text: |text| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}),
    thought: |text| json!({"choices": [{"index": 0, "delta": {"reasoning_content": text}}]}),
    done: || {
        vec![
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": null}),
            json!({"choices": [], "usage": {
                "prompt_tokens": 1_000, "completion_tokens": 7, "total_tokens": 1_007,
                "prompt_tokens_details": {"cached_tokens": 900},
            }}),
            json!("[DONE]"),
        ]
    },
    failure: |words| json!({"error": {"message": words, "type": "server_error", "code": 500}}),
    expected: "a server with OpenAI's API",
    look: "see what it does in its log",
};

pub(super) const ANTHROPIC: Api = Api {
    name: "anthropic",
    path: "",
    text: |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
    thought: |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": text}}),
    done: || {
        vec![
            // Each stream begins with this one, but it is no harm that it comes late.
            json!({"type": "message_start", "message": {"usage": {
                "input_tokens": 40, "cache_creation_input_tokens": 60, "cache_read_input_tokens": 900,
                "output_tokens": 1,
            }}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
            json!({"type": "message_stop"}),
        ]
    },
    failure: |words| json!({"type": "error", "error": {"type": "api_error", "message": words}}),
    expected: "Anthropic",
    look: "see what it does in its log",
};

pub(super) const GEMINI: Api = Api {
    name: "gemini",
    path: "",
    text: |text| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}),
    thought: |text| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text, "thought": true}]}}]}),
    done: || {
        vec![json!({
            "candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 1_000, "cachedContentTokenCount": 900, "candidatesTokenCount": 7,
            },
        })]
    },
    failure: |words| json!({"error": {"code": 500, "message": words, "status": "INTERNAL"}}),
    expected: "Gemini",
    look: "see what it does in its log",
};

pub(super) const ALL: [Api; 4] = [OLLAMA, OPENAI, ANTHROPIC, GEMINI];

impl Api {
    /// The model `m` at a server on this machine.
    pub(super) fn target(&self, address: &str) -> Target {
        format!("{}:m@http://{address}{}", self.name, self.path).parse().unwrap()
    }

    /// All that it says in a stream.
    pub(super) fn frames(&self) -> Vec<Value> {
        let mut frames = vec![(self.text)("Hi"), (self.thought)("hm"), (self.failure)("no")];
        frames.extend((self.done)());
        frames
    }

    /// One frame of a stream.
    pub(super) fn frame(&self, value: &Value) -> String {
        match (self.name, value) {
            ("ollama", value) => format!("{value}\n"),
            (_, Value::String(word)) => format!("data: {word}\n\n"),
            (_, value) => format!("data: {value}\n\n"),
        }
    }

    /// More text, as a frame.
    pub(super) fn text(&self, text: &str) -> String {
        self.frame(&(self.text)(text))
    }

    /// More thoughts, as a frame.
    pub(super) fn thought(&self, text: &str) -> String {
        self.frame(&(self.thought)(text))
    }

    /// The end, as frames.
    pub(super) fn done(&self) -> String {
        (self.done)().iter().map(|value| self.frame(value)).collect()
    }

    /// A failure in the middle, as a frame.
    pub(super) fn failure(&self, words: &str) -> String {
        self.frame(&(self.failure)(words))
    }
}
