//! Ollama, the server of local models: `/api/chat`, `/api/tags`, `/api/show` and `/api/version` of its docs/api.md.

use serde_json::{Value, json};

use super::refusal::Overruns;
use super::{
    Host, Listed, Part, Place, Provider, Refusal, Request, Said, SizedBy, Tokens, functions,
    lists_pictures, messages, number, text,
};
use crate::framing::Framing;
use crate::{CompletionRequest, Format, ModelError, ProviderName};

/// What it says of a prompt that is too long, when it is told not to cut it.
const OVERRUNS: &Overruns = &[
    ("context length", "context length of"),
    ("exceed_context_size", "context size"),
    ("exceeds the available context size", "context size"),
];

/// An Ollama server.
pub(crate) struct Ollama(Place);

impl Ollama {
    /// The server at `base_url`, which is read as OLLAMA_HOST is.
    ///
    /// # Errors
    /// [`ModelError::Settings`] if that is no address.
    pub(crate) fn new(base_url: Option<&str>) -> Result<Self, ModelError> {
        let host = Host::new(base_url.unwrap_or_default());
        let host = host.map_err(|error| ModelError::Settings(error.to_string()))?;
        let mut place = Place::new(ProviderName::Ollama, "Ollama", host.url().clone());
        place.address = host.to_string();
        place.framing = Framing::Lines;
        place.sized = SizedBy::Asker;
        Ok(Self(place))
    }
}

impl Provider for Ollama {
    fn place(&self) -> &Place {
        &self.0
    }

    fn list(&self) -> Request {
        Request::get(format!("{}api/tags", self.0.url))
    }

    fn describe(&self, model: &str) -> Vec<Request> {
        let url = &self.0.url;
        vec![
            Request::get(format!("{url}api/version")),
            Request::post(format!("{url}api/show"), json!({"model": model})),
        ]
    }

    fn complete(&self, model: &str, asked: &CompletionRequest<'_>) -> Request {
        let mut user = json!({"role": "user", "content": asked.user});
        if let Some(picture) = asked.picture {
            user["images"] = json!([picture.base64]);
        }
        let mut body = json!({
            "model": model,
            "messages": messages(asked, user),
            "stream": true,
            // It would leave out the beginning of the prompt without a word.
            "truncate": false,
            "shift": false,
            "options": {"num_ctx": asked.budget.window, "num_predict": asked.budget.answer + asked.budget.thoughts},
        });
        if let Some(temperature) = asked.temperature {
            body["options"]["temperature"] = number(temperature);
        }
        match asked.format {
            Format::Free => {}
            Format::Schema(schema) => body["format"] = schema.clone(),
            Format::Tools(tools) => body["tools"] = functions(tools),
        }
        Request::post(format!("{}api/chat", self.0.url), body)
    }

    fn listed(&self, body: &Value) -> Option<Vec<Listed>> {
        if let Some(version) = text(&body["version"]) {
            return Some(vec![Listed { build: Some(version.to_owned()), ..Listed::default() }]);
        }
        if let Some(info) = body["model_info"].as_object() {
            let window = info.iter().find(|(name, _)| name.ends_with(".context_length"));
            let window = window.and_then(|(_, window)| window.as_u64());
            let sees = lists_pictures(&body["capabilities"]);
            let abilities = body["capabilities"].as_array();
            let thinks = abilities.map(|all| all.iter().any(|one| one == "thinking"));
            // Each `ollama pull` or `ollama create` changes it.
            let build = text(&body["modified_at"]).map(str::to_owned);
            let parameters = info.get("general.parameter_count").and_then(Value::as_u64);
            let name = String::new();
            return Some(vec![Listed { name, window, sees, thinks, parameters, build }]);
        }
        let named = |model: &Value| {
            Some(Listed { name: text(&model["name"])?.to_owned(), ..Listed::default() })
        };
        Some(body["models"].as_array()?.iter().filter_map(named).collect())
    }

    fn parts(&self, frame: &Value) -> Vec<Part> {
        if frame.get("error").is_some() {
            return vec![Part::Failed(Said::new(0, frame))];
        }
        let message = &frame["message"];
        let mut parts = Vec::new();
        parts.extend(text(&message["thinking"]).map(|thought| Part::Thought(thought.len())));
        parts.extend(text(&message["content"]).map(|text| Part::Text(text.to_owned())));
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let name = function["name"].as_str().unwrap_or_default().to_owned();
            parts.push(Part::Call { at: None, name, params: function["arguments"].to_string() });
        }
        if frame["done"].as_bool() == Some(true) {
            let (read, written) =
                (frame["prompt_eval_count"].as_u64(), frame["eval_count"].as_u64());
            let reason = frame["done_reason"].as_str().unwrap_or("stop").to_owned();
            let usage = Part::Usage(Tokens { read, cached: None, written });
            parts.extend([usage, Part::Done { reason }, Part::End]);
        }
        parts
    }

    fn refusal(&self, said: &Said) -> Refusal {
        match said.refusal(OVERRUNS) {
            // A proxy before it has no such page, which says nothing of models.
            Refusal::UnknownModel if !said.holds("not found") && said.status == 404 => {
                Refusal::Other
            }
            refusal => refusal,
        }
    }
}
