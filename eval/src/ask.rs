//! The way to a model: any server that speaks OpenAI's chat completions.

use std::time::{Duration, Instant};

use agent::model::{Call, Completion, Usage};
use anyhow::{Context, Result, bail};
use reqwest::Client;
use serde::Deserialize;
use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// The longest answer, in tokens.
const LONGEST: u32 = 400;

/// A model of a server.
#[derive(Debug, Clone)]
pub struct Server {
    client: Client,
    base: String,
    model: String,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The part that stays from turn to turn, for the system's message; may be empty.
    pub system: String,
    /// The rest.
    pub user: String,
    /// The schema that the answer is forced into.
    pub schema: Option<Value>,
    /// The tools that it may call, as OpenAI lists them.
    pub tools: Vec<Value>,
}

#[derive(Deserialize)]
struct Reply {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Tokens,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Default, Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl Server {
    /// A model at a base address such as `http://127.0.0.1:8080`, with or without `/v1`; without a name, the one that
    /// the server lists first.
    ///
    /// # Errors
    /// When nobody answers there.
    pub async fn find(url: &str, model: Option<String>) -> Result<Self> {
        let base = url.trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base).to_owned();
        let client = Client::builder().no_proxy().timeout(PATIENCE).build()?;
        let model = match model {
            Some(model) => model,
            None => first_model(&client, &base).await?,
        };
        Ok(Self { client, base, model })
    }

    /// Which model it is.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Asks, at temperature 0.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn ask(&self, question: &Question) -> Result<Completion> {
        let begun = Instant::now();
        let url = format!("{}/v1/chat/completions", self.base);
        let response = self.client.post(&url).json(&self.body(question)).send().await;
        let response = response.with_context(|| format!("{url} does not answer"))?;
        let (status, text) = (response.status(), response.text().await?);
        if !status.is_success() {
            bail!("{url} answers {status}: {text}");
        }
        let reply: Reply = serde_json::from_str(&text).context("that is no chat completion")?;
        let usage = Usage {
            by: self.model.clone(),
            read: reply.usage.prompt_tokens,
            written: reply.usage.completion_tokens,
            first_token: Some(begun.elapsed()),
            ..Usage::default()
        };
        let message = reply.choices.into_iter().next().context("the answer is empty")?.message;
        let call =
            |call: ToolCall| Call { name: call.function.name, params: call.function.arguments };
        let calls = message.tool_calls.into_iter().map(call).collect();
        Ok(Completion { text: message.content.unwrap_or_default(), calls, usage })
    }

    fn body(&self, question: &Question) -> Value {
        let mut messages = Vec::new();
        if !question.system.is_empty() {
            messages.push(json!({"role": "system", "content": question.system}));
        }
        messages.push(json!({"role": "user", "content": question.user}));
        let mut body = json!({
            "model": self.model, "messages": messages, "temperature": 0, "max_tokens": LONGEST,
        });
        if let Some(schema) = &question.schema {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": true, "schema": schema},
            });
        }
        if !question.tools.is_empty() {
            body["tools"] = json!(question.tools);
        }
        body
    }
}

async fn first_model(client: &Client, base: &str) -> Result<String> {
    let url = format!("{base}/v1/models");
    let listed = client.get(&url).send().await.with_context(|| format!("{url} does not answer"))?;
    let listed: Value = listed.json().await.with_context(|| format!("{url} lists no models"))?;
    let name = listed["data"][0]["id"].as_str().context("the server has no model")?;
    // A server that was started with a file is called by its path.
    Ok(name.rsplit('/').next().unwrap_or(name).to_owned())
}
