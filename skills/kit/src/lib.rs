//! The author's side of a SafeClaw skill.
//!
//! A skill is a folder `router/skills/<action in lower case>/` with a `skill.toml` and an executable. The
//! router starts the executable in a sandbox, hands it one JSON object, the parameters, and takes one JSON
//! object back, the result. This crate speaks that contract, so that a skill is a function:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use safeclaw_skill::{SkillError, serve};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize)]
//! struct Params {
//!     name: String,
//! }
//!
//! #[derive(Serialize)]
//! struct Greeting {
//!     greeting: String,
//! }
//!
//! fn greet(params: Params) -> Result<Greeting, SkillError> {
//!     Ok(Greeting { greeting: format!("Hello, {}!", params.name) })
//! }
//!
//! fn main() -> ExitCode {
//!     serve(greet)
//! }
//! ```
//!
//! The same program serves both modes of a manifest: `mode = "once"` starts it for every call, and
//! `mode = "serve"` keeps it alive, with what the function keeps between calls.
//!
//! # What a skill may rely on
//!
//! - The parameters fit the `[params]` of `skill.toml`: the router has checked them.
//! - The working directory is an empty scratch folder, and the skill's own folder is `/skill`, read-only.
//! - Standard output belongs to the answer. Log with `eprintln!`: standard error is the skill's log.
//! - `?` works on any error; its words reach the person who asked. [`SkillError::new`] makes one from words.
//! - A panic is answered as an error too. In serve mode the skill then goes on with the next call.
//!
//! # More than the parameters
//!
//! [`serve_calls`] hands over a [`Call`] as well: the [message id](Call::message_id), which is the same
//! when a call is tried again and so serves as an idempotency key, whether this is a
//! [dry run](Call::is_dry_run), the owner's [settings](Call::setting) and the [network](Call::http).
//!
//! # The network
//!
//! A skill reaches only the hosts that its `[net] hosts` name, and only through the router's proxy. The
//! [`http`] client does so. Secrets stay with the router: [`Request::secret`](http::Request::secret)
//! says which header the proxy will fill in, and the skill never sees the value.
//!
//! ```
//! use safeclaw_skill::{Call, SkillError, http::Request};
//! use serde::Deserialize;
//! use serde_json::{Value, json};
//!
//! #[derive(Deserialize)]
//! struct Params {
//!     text: String,
//! }
//!
//! fn publish(params: Params, call: &Call) -> Result<Value, SkillError> {
//!     let request = Request::post("https://api.example.com/notes")
//!         .secret("Authorization", "Bearer {}", "EXAMPLE_TOKEN")
//!         .json(json!({"text": params.text}));
//!     if call.is_dry_run() {
//!         return Ok(request.would_send());
//!     }
//!     Ok(call.http().send(&request)?.ok()?.json()?)
//! }
//!
//! # #[cfg(feature = "testing")] {
//! # use safeclaw_skill::testing::Trial;
//! # let shown = Trial::default().dry_run().run(publish, json!({"text": "Hi"})).unwrap();
//! # assert_eq!(shown["would_send"]["headers"]["Authorization"], "Bearer <EXAMPLE_TOKEN>");
//! # assert_eq!(shown["would_send"]["body"]["text"], "Hi");
//! # }
//! ```
//!
//! # Tests
//!
//! With the feature `testing`, [`testing`] feeds a skill's function with parameters, stands in for the
//! router's proxy, and checks the examples of a manifest.

pub mod http;

mod call;
mod config;
mod error;
mod serve;
#[cfg(feature = "testing")]
pub mod testing;

pub use call::Call;
pub use error::SkillError;
pub use serve::{serve, serve_calls};

/// A JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;
