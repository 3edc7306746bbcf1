//! The server that tells what a text means, as vectors: Ollama, or one that speaks OpenAI's `/v1/embeddings`.

use std::time::Duration;

use library::vectors::Vector;
use safeclaw_skill::http::{Client, Request};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

/// The most of an answer that is read, in bytes: 16 vectors of 4,096 numbers with 20 characters each are 1.3 MB.
const MOST: usize = 8 * 1024 * 1024;

/// What a text is for. Some models want to be told, each in the words of its card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// It asks.
    Question,
    /// It may be an answer.
    Passage,
}

/// What stands before a question and before a passage, by the beginning of the model's name, as the models' cards say.
const PREFIXES: [(&str, &str, &str); 4] = [
    ("nomic-embed", "search_query: ", "search_document: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("multilingual-e5", "query: ", "passage: "),
];

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Api {
    Ollama,
    OpenAi,
}

/// A server and its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Embedder {
    api: Api,
    url: String,
    model: String,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// The one that the owner has set, if any.
    ///
    /// # Errors
    /// When the manifest has no such settings.
    pub(super) fn of(call: &Call) -> Result<Option<Self>, SkillError> {
        let url: String = call.setting("embed_url")?;
        let api = match call.setting::<String>("embed_api")?.as_str() {
            "openai" => Api::OpenAi,
            _ => Api::Ollama,
        };
        let model = call.setting("embed_model")?;
        Ok((!url.is_empty()).then(|| Self {
            api,
            url: url.trim_end_matches('/').to_owned(),
            model,
        }))
    }

    /// The model's name, under which its vectors are kept.
    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// A vector for each of `texts`, in their order.
    ///
    /// # Errors
    /// When the server does not answer within `patience`, or with something else.
    pub(super) fn embed(
        &self,
        http: &Client,
        texts: &[&str],
        side: Side,
        patience: Duration,
    ) -> Result<Vec<Vector>, SkillError> {
        let before = self.prefix(side);
        let texts: Vec<String> = texts.iter().map(|text| format!("{before}{text}")).collect();
        let (path, asked) = match self.api {
            Api::Ollama => ("api/embed", json!({"model": self.model, "input": texts})),
            Api::OpenAi => {
                let asked =
                    json!({"model": self.model, "input": texts, "encoding_format": "float"});
                ("embeddings", asked)
            }
        };
        let request = Request::post(format!("{}/{path}", self.url)).json(asked).timeout(patience);
        let answer = http.send(&request)?.ok()?.prefix(MOST)?;
        let numbers = self.numbers(&answer.bytes)?;
        let vectors: Vec<Vector> = numbers.iter().filter_map(|one| Vector::of(one)).collect();
        if vectors.len() == texts.len() {
            return Ok(vectors);
        }
        let (model, found, wanted) = (&self.model, vectors.len(), texts.len());
        Err(SkillError::new(format!("{model} gave {found} vectors for {wanted} texts")))
    }

    fn prefix(&self, side: Side) -> &'static str {
        let name = self.model.rsplit('/').next().unwrap_or_default();
        let known = PREFIXES.iter().find(|(model, _, _)| name.starts_with(model));
        known.map_or("", |(_, question, passage)| match side {
            Side::Question => question,
            Side::Passage => passage,
        })
    }

    fn numbers(&self, answer: &[u8]) -> Result<Vec<Vec<f32>>, SkillError> {
        let strange = |error: serde_json::Error| {
            SkillError::new(format!("{} answered with no vectors: {error}", self.model))
        };
        match self.api {
            Api::Ollama => {
                let answer: OllamaAnswer = serde_json::from_slice(answer).map_err(strange)?;
                Ok(answer.embeddings)
            }
            Api::OpenAi => {
                let mut answer: OpenAiAnswer = serde_json::from_slice(answer).map_err(strange)?;
                answer.data.sort_by_key(|vector| vector.index);
                Ok(answer.data.into_iter().map(|vector| vector.embedding).collect())
            }
        }
    }
}

/// What the owner is told of a model that was tried: its name and how many numbers a vector of it has.
pub(super) fn tried(embedder: &Embedder, vector: &Vector) -> Value {
    json!({"model": embedder.model, "numbers": vector.numbers.len()})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedder(api: Api, model: &str) -> Embedder {
        Embedder { api, url: "http://localhost:1".to_owned(), model: model.to_owned() }
    }

    #[test]
    fn both_forms_of_answers_are_read_in_the_order_of_the_texts() {
        let openai =
            br#"{"data": [{"index": 1, "embedding": [2, 0]}, {"index": 0, "embedding": [1, 0]}]}"#;
        let read = embedder(Api::OpenAi, "m").numbers(openai).unwrap();
        assert_eq!(read, [[1.0, 0.0], [2.0, 0.0]]);
        let read = embedder(Api::Ollama, "m").numbers(br#"{"embeddings": [[1, 0]]}"#).unwrap();
        assert_eq!(read, [[1.0, 0.0]]);
        let error = embedder(Api::Ollama, "m").numbers(b"{}").unwrap_err().to_string();
        assert!(error.starts_with("m answered with no vectors"), "{error}");
    }

    #[test]
    fn a_model_that_wants_to_know_what_a_text_is_for_is_told() {
        let prefix = |model: &str, side| embedder(Api::Ollama, model).prefix(side);
        assert_eq!(prefix("nomic-embed-text:v1.5", Side::Question), "search_query: ");
        assert_eq!(prefix("intfloat/multilingual-e5-small", Side::Passage), "passage: ");
        assert_eq!(prefix("all-minilm", Side::Question), "");
    }
}
