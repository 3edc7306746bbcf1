//! OpenAI's Chat Completions (platform.openai.com/docs/api-reference/chat), which llama.cpp, vLLM, LM Studio
//! and OpenRouter speak as well.

use serde_json::{Value, json};

use super::place::base;
use super::refusal::Overruns;
use super::{
    Listed, Part, Place, Provider, Refusal, Request, Said, Tokens, functions, lists_pictures,
    messages, number, text,
};
use crate::address::is_openai;
use crate::size::parameters;
use crate::{ApiKeys, CompletionRequest, Format, ModelError, Picture, ProviderName, Way};

/// OpenAI itself.
const OWN: &str = "https://api.openai.com/v1";

/// What OpenAI's reasoning models may think, in tokens, which they count as a part of the answer.
const THOUGHTS: u64 = 8_192;

/// OpenAI's words, then those of llama.cpp and vLLM.
const OVERRUNS: &Overruns = &[
    ("maximum context length", "maximum context length is"),
    ("context_length_exceeded", "maximum context length is"),
    ("exceed_context_size_error", "context size"),
    ("exceeds the available context size", "context size"),
    ("longer than the maximum model length", "maximum model length of"),
    ("context window", "context window of"),
];

/// A server that speaks OpenAI's API.
pub(crate) struct OpenAi {
    place: Place,
    /// OpenAI itself, whose demands are stricter than those of the others.
    is_own: bool,
}

impl OpenAi {
    /// The server at `base_url`, or OpenAI itself.
    ///
    /// # Errors
    /// [`ModelError::Settings`]: that is no address, or OpenAI has no key.
    pub(crate) fn new(base_url: Option<&str>, keys: &ApiKeys) -> Result<Self, ModelError> {
        let mut url = base(base_url, OWN)?;
        if url.path() == "/" {
            url.set_path("/v1/");
        }
        let is_own = is_openai(&url);
        let expected = if is_own { "OpenAI" } else { "a server with OpenAI's API" };
        let place = Place::new(ProviderName::OpenAi, expected, url);
        let mut place = place.with_key(keys, "authorization", "Bearer ")?;
        if is_own {
            place = place.demand_key()?;
            place.way = Way::Native;
            place.sees = true;
        }
        Ok(Self { place, is_own })
    }

    /// What llama.cpp says of itself stands beside `/v1`, not below it.
    fn props(&self) -> Option<Request> {
        let url = self.place.url.join("../props").ok()?;
        Some(Request::get(url))
    }
}

impl Provider for OpenAi {
    fn place(&self) -> &Place {
        &self.place
    }

    fn list(&self) -> Request {
        Request::get(format!("{}models", self.place.url))
    }

    fn describe(&self, _: &str) -> Vec<Request> {
        if self.is_own {
            return Vec::new();
        }
        let props = self.props().filter(|_| self.place.is_local());
        props.into_iter().chain([self.list()]).collect()
    }

    fn complete(&self, model: &str, asked: &CompletionRequest<'_>) -> Request {
        let mut body = json!({
            "model": model,
            "messages": messages(asked, json!({"role": "user", "content": content(asked)})),
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        match self.is_own {
            true => body["max_completion_tokens"] = (asked.budget.answer + THOUGHTS).into(),
            false => body["max_tokens"] = (asked.budget.answer + asked.budget.thoughts).into(),
        }
        if let Some(temperature) = asked.temperature {
            body["temperature"] = number(temperature);
        }
        match asked.format {
            Format::Free => {}
            Format::Schema(schema) => {
                // OpenAI's own strict mode takes no schema with shapes at its root.
                let form = json!({"name": "answer", "strict": !self.is_own, "schema": schema});
                body["response_format"] = json!({"type": "json_schema", "json_schema": form});
            }
            Format::Tools(tools) => body["tools"] = functions(tools),
        }
        Request::post(format!("{}chat/completions", self.place.url), body)
    }

    fn listed(&self, body: &Value) -> Option<Vec<Listed>> {
        if let Some(window) = body["default_generation_settings"]["n_ctx"].as_u64() {
            let sees = body["modalities"]["vision"].as_bool();
            let builds = ["build_info", "model_path"].map(|name| text(&body[name]));
            let build = builds.into_iter().flatten().map(str::to_owned);
            let build = build.reduce(|one, other| format!("{one} {other}"));
            // A server that was started with a file takes any name for it.
            let parameters = text(&body["model_path"]).and_then(parameters);
            let name = String::new();
            return Some(vec![Listed {
                name,
                window: Some(window),
                sees,
                thinks: None,
                parameters,
                build,
            }]);
        }
        let window = |model: &Value| {
            let names = ["max_model_len", "context_length", "context_window"];
            names.iter().find_map(|name| model[name].as_u64())
        };
        // OpenRouter's word for it, and Mistral's.
        let sees = |model: &Value| {
            lists_pictures(&model["architecture"]["input_modalities"])
                .or(model["capabilities"]["vision"].as_bool())
        };
        let listed = |model: &Value| {
            let name = text(&model["id"])?.to_owned();
            let parameters = model["meta"]["n_params"].as_u64();
            let (window, sees) = (window(model), sees(model));
            Some(Listed { name, window, sees, parameters, ..Listed::default() })
        };
        Some(body["data"].as_array()?.iter().filter_map(listed).collect())
    }

    fn parts(&self, frame: &Value) -> Vec<Part> {
        if frame.get("error").is_some_and(|error| !error.is_null()) {
            return vec![Part::Failed(Said::new(0, frame))];
        }
        let choice = &frame["choices"][0];
        // A server that does not stream sends one message instead of deltas.
        let delta = choice.get("delta").unwrap_or(&choice["message"]);
        let mut parts = Vec::new();
        for name in ["reasoning_content", "reasoning"] {
            parts.extend(text(&delta[name]).map(|thought| Part::Thought(thought.len())));
        }
        for name in ["content", "refusal"] {
            parts.extend(text(&delta[name]).map(|text| Part::Text(text.to_owned())));
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let of = |name: &str| call["function"][name].as_str().unwrap_or_default().to_owned();
            let at = call["index"].as_u64();
            parts.push(Part::Call { at, name: of("name"), params: of("arguments") });
        }
        parts.extend(usage(frame));
        parts.extend(
            text(&choice["finish_reason"]).map(|reason| Part::Done { reason: reason.to_owned() }),
        );
        parts
    }

    fn refusal(&self, said: &Said) -> Refusal {
        match said.refusal(OVERRUNS) {
            Refusal::Other if said.holds("model_not_found") => Refusal::UnknownModel,
            refusal => refusal,
        }
    }
}

/// What a user says: a text, or parts of which one is a picture.
fn content(asked: &CompletionRequest<'_>) -> Value {
    let Some(picture) = asked.picture else { return asked.user.into() };
    let url = format!("data:{};base64,{}", Picture::KIND, picture.base64);
    json!([{"type": "text", "text": asked.user}, {"type": "image_url", "image_url": {"url": url}}])
}

/// `usage` of the last chunk, and what llama.cpp adds in `timings`.
fn usage(frame: &Value) -> Option<Part> {
    let (usage, timings) = (&frame["usage"], &frame["timings"]);
    if !usage.is_object() && !timings.is_object() {
        return None;
    }
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
    Some(Part::Usage(Tokens {
        read: usage["prompt_tokens"].as_u64(),
        cached: timings["cache_n"].as_u64().or(cached),
        written: usage["completion_tokens"].as_u64(),
    }))
}
