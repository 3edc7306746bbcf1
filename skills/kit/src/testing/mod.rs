//! What a skill's own tests are made of (feature `testing`).
//!
//! ```
//! use safeclaw_skill::testing::{Answer, Proxy, Trial};
//! use safeclaw_skill::{Call, SkillError, http::Request};
//! use serde_json::{Value, json};
//!
//! fn rate(params: Value, call: &Call) -> Result<Value, SkillError> {
//!     let url = format!("https://rates.example/{}", params["from"].as_str().unwrap_or("EUR"));
//!     Ok(call.http().send(&Request::get(url))?.ok()?.json()?)
//! }
//!
//! let proxy = Proxy::answering(|_asked| Answer::json(200, json!({"rate": 1.1})))?;
//! let result = Trial::default().proxy(&proxy).run(rate, json!({"from": "USD"})).unwrap();
//! assert_eq!(result, json!({"rate": 1.1}));
//! assert_eq!(proxy.asked()[0].target, "https://rates.example/USD");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`check_examples`] holds a manifest's examples against its `[params]` and the skill's own type.

mod examples;
mod proxy;
mod trial;

pub use examples::{ManifestError, check_examples};
pub use proxy::{Answer, Asked, Proxy};
pub use trial::Trial;
