//! A server that speaks OpenAI's `/v1/embeddings` on this machine, asked over a plain connection.

use std::io::{Read, Write};
use std::net::TcpStream;

use anyhow::{Context, Result, bail, ensure};
use library::vectors::Vector;
use serde_json::{Value, json};

/// How much of a passage is sent when the whole is too much for the model, in characters.
const SHORT: usize = 600;

/// Where it is, and its model.
pub(crate) struct Embedder {
    address: String,
    path: String,
    model: String,
}

impl Embedder {
    /// The one that `http://127.0.0.1:8080/v1 MODEL` names.
    pub(crate) fn of(words: &[&str]) -> Result<Self> {
        let [url, model] = words[..] else { bail!("--embed URL MODEL") };
        let rest =
            url.strip_prefix("http://").context("an address such as http://127.0.0.1:8080/v1")?;
        let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = format!("/{}/embeddings", path.trim_end_matches('/'));
        Ok(Self { address: address.to_owned(), path, model: model.to_owned() })
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    pub(crate) fn one(&self, text: &str) -> Result<Vector> {
        self.all(&[text])?.pop().context("no vector")
    }

    /// A vector for each of `texts`. Where one is too much for the model its beginning has to do, as in the router's skill.
    pub(crate) fn all(&self, texts: &[&str]) -> Result<Vec<Vector>> {
        self.asked(texts).or_else(|_| texts.iter().map(|text| self.alone(text)).collect())
    }

    fn alone(&self, text: &str) -> Result<Vector> {
        let end = text.char_indices().nth(SHORT).map_or(text.len(), |(end, _)| end);
        let asked = self.asked(&[text]).or_else(|_| self.asked(&[&text[..end]]));
        asked?.pop().context("no vector")
    }

    fn asked(&self, texts: &[&str]) -> Result<Vec<Vector>> {
        let body = json!({"model": self.model, "input": texts}).to_string();
        let mut stream = TcpStream::connect(&self.address)?;
        let (path, host, length) = (&self.path, &self.address, body.len());
        write!(
            stream,
            "POST {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
        ensure!(head.contains(" 200 "), "{head}");
        let answer: Value = serde_json::from_str(body)?;
        let data = answer["data"].as_array().context("no data")?;
        let numbers = |one: &Value| -> Option<Vec<f32>> {
            let numbers = one["embedding"].as_array()?.iter();
            #[expect(clippy::cast_possible_truncation, reason = "it was a float of this size")]
            numbers.map(|number| Some(number.as_f64()? as f32)).collect()
        };
        let vectors: Option<Vec<Vector>> =
            data.iter().map(|one| Vector::of(&numbers(one)?)).collect();
        vectors.context("no vectors")
    }
}
