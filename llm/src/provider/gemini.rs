//! Google's Gemini (ai.google.dev/api/generate-content and ai.google.dev/api/models).

use serde_json::{Value, json};

use super::place::base;
use super::refusal::Overruns;
use super::{Listed, Part, Place, Provider, Refusal, Request, Said, Tokens, number, text};
use crate::{
    ApiKeys, CompletionRequest, Format, Message, ModelError, Picture, ProviderName, Role, Tool, Way,
};

/// Google itself.
const OWN: &str = "https://generativelanguage.googleapis.com";

/// What its models may think, in tokens, which it counts as a part of the answer.
const THOUGHTS: u64 = 8_192;

/// `The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).`
const OVERRUNS: &Overruns =
    &[("exceeds the maximum number of tokens", "maximum number of tokens allowed")];

/// A server that speaks Gemini's API.
pub(crate) struct Gemini(Place);

impl Gemini {
    /// The server at `base_url`, or Google itself.
    ///
    /// # Errors
    /// [`ModelError::Settings`]: that is no address, or Google has no key.
    pub(crate) fn new(base_url: Option<&str>, keys: &ApiKeys) -> Result<Self, ModelError> {
        let mut url = base(base_url, OWN)?;
        if let Some(front) = url.path().strip_suffix("v1beta/").map(str::to_owned) {
            url.set_path(&front);
        }
        let is_own = url.host_str() == Some("generativelanguage.googleapis.com");
        let place = Place::new(ProviderName::Gemini, "Gemini", url);
        // Google takes the key in the URL as well, where every proxy on the way writes it down.
        let mut place = place.with_key(keys, "x-goog-api-key", "")?;
        if is_own {
            place = place.demand_key()?;
        }
        place.way = Way::Native;
        place.sees = true;
        Ok(Self(place))
    }

    /// The URL of something of `model`.
    fn model(&self, model: &str, end: &str) -> String {
        let mut url = self.0.url.clone();
        let name = model.strip_prefix("models/").unwrap_or(model);
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v1beta", "models", &format!("{name}{end}")]);
        }
        url.into()
    }
}

/// What was said before, as Gemini has it.
fn earlier(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "model",
    };
    json!({"role": role, "parts": [{"text": message.text}]})
}

impl Provider for Gemini {
    fn place(&self) -> &Place {
        &self.0
    }

    fn list(&self) -> Request {
        Request::get(format!("{}v1beta/models?pageSize=1000", self.0.url))
    }

    fn describe(&self, model: &str) -> Vec<Request> {
        vec![Request::get(self.model(model, ""))]
    }

    fn complete(&self, model: &str, asked: &CompletionRequest<'_>) -> Request {
        let mut parts = vec![json!({"text": asked.user})];
        parts.extend(asked.picture.map(
            |picture| json!({"inlineData": {"mimeType": Picture::KIND, "data": picture.base64}}),
        ));
        let user = json!({"role": "user", "parts": parts});
        let contents: Vec<Value> = asked.messages.iter().map(earlier).chain([user]).collect();
        let mut body = json!({
            "contents": contents,
            "generationConfig": {"maxOutputTokens": asked.budget.answer + THOUGHTS},
        });
        if !asked.system.is_empty() {
            body["systemInstruction"] = json!({"parts": [{"text": asked.system}]});
        }
        let config = &mut body["generationConfig"];
        if let Some(temperature) = asked.temperature {
            config["temperature"] = number(temperature);
        }
        match asked.format {
            Format::Free => {}
            Format::Schema(schema) => {
                config["responseMimeType"] = "application/json".into();
                config["responseJsonSchema"] = schema.clone();
            }
            Format::Tools(tools) => {
                let functions: Vec<Value> = tools.iter().map(function).collect();
                body["tools"] = json!([{"functionDeclarations": functions}]);
            }
        }
        let url = self.model(model, ":streamGenerateContent");
        Request::post(format!("{url}?alt=sse"), body)
    }

    fn listed(&self, body: &Value) -> Option<Vec<Listed>> {
        if body["name"].is_string() {
            let window = body["inputTokenLimit"].as_u64();
            return Some(vec![Listed { window, ..Listed::default() }]);
        }
        let listed = |model: &Value| {
            let methods = model["supportedGenerationMethods"].as_array()?;
            let writes = methods.iter().any(|method| method == "generateContent");
            let name = text(&model["name"]).filter(|_| writes)?;
            let name = name.strip_prefix("models/").unwrap_or(name).to_owned();
            Some(Listed { name, window: model["inputTokenLimit"].as_u64(), ..Listed::default() })
        };
        Some(body["models"].as_array()?.iter().filter_map(listed).collect())
    }

    fn parts(&self, frame: &Value) -> Vec<Part> {
        if frame.get("error").is_some() {
            return vec![Part::Failed(Said::new(0, frame))];
        }
        if let Some(reason) = text(&frame["promptFeedback"]["blockReason"]) {
            return vec![Part::Done { reason: reason.to_owned() }];
        }
        let candidate = &frame["candidates"][0];
        let contents = candidate["content"]["parts"].as_array().into_iter().flatten();
        let mut parts: Vec<Part> = contents.filter_map(content).collect();
        parts.extend(usage(&frame["usageMetadata"]));
        let reason = text(&candidate["finishReason"]);
        parts.extend(reason.map(|reason| Part::Done { reason: reason.to_owned() }));
        parts
    }

    fn refusal(&self, said: &Said) -> Refusal {
        // A wrong key is a bad request here.
        if said.holds("API_KEY_INVALID") || said.holds("API key not valid") {
            return Refusal::WrongKey;
        }
        said.refusal(OVERRUNS)
    }
}

/// A tool. An object that nothing is known of is none in Gemini's own kind of schema, but it is in JSON Schema.
fn function(tool: &Tool) -> Value {
    let mut function = json!({"name": tool.name, "description": tool.description});
    if tool.parameters["properties"].as_object().is_some_and(|known| !known.is_empty()) {
        function["parametersJsonSchema"] = tool.parameters.clone();
    }
    function
}

fn content(part: &Value) -> Option<Part> {
    if let Some(call) = part.get("functionCall") {
        let name = call["name"].as_str().unwrap_or_default().to_owned();
        let params = call.get("args").map(ToString::to_string).unwrap_or_default();
        return Some(Part::Call { at: None, name, params });
    }
    let words = text(&part["text"])?;
    Some(match part["thought"].as_bool() {
        Some(true) => Part::Thought(words.len()),
        _ => Part::Text(words.to_owned()),
    })
}

fn usage(usage: &Value) -> Option<Part> {
    usage.is_object().then(|| {
        Part::Usage(Tokens {
            read: usage["promptTokenCount"].as_u64(),
            cached: usage["cachedContentTokenCount"].as_u64(),
            written: usage["candidatesTokenCount"].as_u64(),
        })
    })
}
