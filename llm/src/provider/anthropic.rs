//! Anthropic's Messages (platform.claude.com/docs/en/api/messages, .../build-with-claude/streaming and
//! .../prompt-caching).

use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use super::place::base;
use super::refusal::Overruns;
use super::{Listed, Part, Place, Provider, Refusal, Request, Said, Tokens, earlier, number, text};
use crate::{ApiKeys, CompletionRequest, Format, ModelError, Picture, ProviderName, Tool, Way};

/// Anthropic itself.
const OWN: &str = "https://api.anthropic.com";

/// The version of the API, which each request has to name.
const VERSION: &str = "2023-06-01";

/// `prompt is too long: 210000 tokens > 200000 maximum`, and what is said if the answer has no room.
const OVERRUNS: &Overruns =
    &[("prompt is too long", "tokens >"), ("exceed context limit", "exceed context limit")];

/// A server that speaks Anthropic's API.
pub(crate) struct Anthropic(Place);

impl Anthropic {
    /// The server at `base_url`, or Anthropic itself.
    ///
    /// # Errors
    /// [`ModelError::Settings`]: that is no address, or Anthropic has no key.
    pub(crate) fn new(base_url: Option<&str>, keys: &ApiKeys) -> Result<Self, ModelError> {
        let mut url = base(base_url, OWN)?;
        if let Some(front) = url.path().strip_suffix("v1/").map(str::to_owned) {
            url.set_path(&front);
        }
        let is_own = url.host_str() == Some("api.anthropic.com");
        let place = Place::new(ProviderName::Anthropic, "Anthropic", url);
        let mut place = place.with_key(keys, "x-api-key", "")?;
        if is_own {
            place = place.demand_key()?;
        }
        place.headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        place.way = Way::Native;
        place.sees = true;
        Ok(Self(place))
    }
}

impl Provider for Anthropic {
    fn place(&self) -> &Place {
        &self.0
    }

    fn list(&self) -> Request {
        Request::get(format!("{}v1/models?limit=1000", self.0.url))
    }

    fn describe(&self, _: &str) -> Vec<Request> {
        Vec::new()
    }

    fn complete(&self, model: &str, asked: &CompletionRequest<'_>) -> Request {
        let user = json!({"role": "user", "content": content(asked)});
        let messages: Vec<Value> = earlier(asked).chain([user]).collect();
        let mut body = json!({
            "model": model,
            "max_tokens": asked.budget.answer + asked.budget.thoughts,
            "stream": true,
            "messages": messages,
        });
        // What stands before the mark, tools included, is read from the cache in the next turn.
        if !asked.system.is_empty() {
            let mark = json!({"type": "ephemeral"});
            body["system"] = json!([{"type": "text", "text": asked.system, "cache_control": mark}]);
        }
        if let Some(temperature) = asked.temperature {
            body["temperature"] = number(temperature);
        }
        // A schema is left to the prompt: not all of its models can be forced into one.
        if let Format::Tools(tools) = asked.format {
            let tool = |tool: &Tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
            body["tools"] = tools.iter().map(tool).collect();
        }
        Request::post(format!("{}v1/messages", self.0.url), body)
    }

    fn listed(&self, body: &Value) -> Option<Vec<Listed>> {
        let listed = |model: &Value| {
            let window = model["max_input_tokens"].as_u64();
            let sees = model["capabilities"]["image_input"]["supported"].as_bool();
            let name = text(&model["id"])?.to_owned();
            Some(Listed { name, window, sees, ..Listed::default() })
        };
        Some(body["data"].as_array()?.iter().filter_map(listed).collect())
    }

    fn parts(&self, frame: &Value) -> Vec<Part> {
        let at = frame["index"].as_u64();
        match frame["type"].as_str().unwrap_or_default() {
            "message_start" => vec![usage(&frame["message"]["usage"])],
            "content_block_start" => block(at, &frame["content_block"]).into_iter().collect(),
            "content_block_delta" => delta(at, &frame["delta"]).into_iter().collect(),
            "message_delta" => {
                let reason = text(&frame["delta"]["stop_reason"]);
                let done = reason.map(|reason| Part::Done { reason: reason.to_owned() });
                [usage(&frame["usage"])].into_iter().chain(done).collect()
            }
            "message_stop" => vec![Part::End],
            "error" => vec![Part::Failed(Said::new(0, frame))],
            // Pings, and what may be added one day.
            _ => Vec::new(),
        }
    }

    fn refusal(&self, said: &Said) -> Refusal {
        said.refusal(OVERRUNS)
    }
}

/// What a user says: a text, or blocks of which one is a picture.
fn content(asked: &CompletionRequest<'_>) -> Value {
    let Some(picture) = asked.picture else { return asked.user.into() };
    let source = json!({"type": "base64", "media_type": Picture::KIND, "data": picture.base64});
    json!([{"type": "image", "source": source}, {"type": "text", "text": asked.user}])
}

fn block(at: Option<u64>, block: &Value) -> Option<Part> {
    match block["type"].as_str()? {
        "text" => text(&block["text"]).map(|text| Part::Text(text.to_owned())),
        "tool_use" => {
            let name = block["name"].as_str().unwrap_or_default().to_owned();
            Some(Part::Call { at, name, params: String::new() })
        }
        _ => None,
    }
}

fn delta(at: Option<u64>, delta: &Value) -> Option<Part> {
    match delta["type"].as_str()? {
        "text_delta" => text(&delta["text"]).map(|text| Part::Text(text.to_owned())),
        "thinking_delta" => text(&delta["thinking"]).map(|text| Part::Thought(text.len())),
        "input_json_delta" => text(&delta["partial_json"]).map(|params| Part::Call {
            at,
            name: String::new(),
            params: params.to_owned(),
        }),
        _ => None,
    }
}

/// What is read from the cache and what is written to it is not counted among the input.
fn usage(usage: &Value) -> Part {
    let of = |name: &str| usage[name].as_u64();
    let cached = of("cache_read_input_tokens");
    let written = of("cache_creation_input_tokens").unwrap_or_default();
    let beside = cached.unwrap_or_default().saturating_add(written);
    Part::Usage(Tokens {
        read: of("input_tokens").map(|input| input.saturating_add(beside)),
        cached,
        written: of("output_tokens"),
    })
}
