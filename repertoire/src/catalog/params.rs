//! What the parameters of a skill have to look like.

use std::sync::OnceLock;

use jsonschema::Validator;
use protocol::Object;
use serde_json::Value;
use url::Url;

/// The longest list of what is wrong with some parameters.
const COMPLAINTS: usize = 5;

/// The JSON Schema of a skill's parameters. It is made ready when something is checked for the first time:
/// what that takes is most of what an idle router would hold.
#[derive(Debug)]
pub(super) struct Params {
    schema: Value,
    ready: OnceLock<Result<Validator, String>>,
}

impl Params {
    pub(super) fn new(schema: Value) -> Self {
        Self { schema, ready: OnceLock::new() }
    }

    /// Makes the schema ready.
    ///
    /// # Errors
    /// Words that say why it is no schema; nothing fits it then.
    pub(super) fn ready(&self) -> Result<&Validator, &str> {
        let ready = self.ready.get_or_init(|| {
            jsonschema::options()
                .should_validate_formats(true)
                // People, and models, leave the scheme out.
                .with_format("uri", is_address)
                .build(&self.schema)
                .map_err(|error| format!("[params] is no JSON Schema: {error}"))
        });
        ready.as_ref().map_err(String::as_str)
    }

    /// What is wrong with `params`; nothing when they fit.
    ///
    /// # Errors
    /// As [`Self::ready`].
    pub(super) fn complaints(&self, params: &Object) -> Result<Vec<String>, &str> {
        let params = Value::Object(params.clone());
        let complaints = self.ready()?.iter_errors(&params).take(COMPLAINTS).map(|error| {
            let complaint = match error.instance_path().to_string().trim_start_matches('/') {
                "" => error.to_string(),
                place => format!("{place}: {error}"),
            };
            shortened(&complaint)
        });
        Ok(complaints.collect())
    }
}

/// Whether `text` is an address of the web, or one once it begins with `https://`.
fn is_address(text: &str) -> bool {
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    let is_named = |url: &Url| url.host_str().is_some_and(|host| host.contains('.'));
    let is_one = match Url::parse(text) {
        Ok(url) => is_web(&url),
        Err(_) if text.contains("://") => false,
        Err(_) => {
            let url = Url::parse(&format!("https://{text}"));
            url.is_ok_and(|url| is_web(&url) && is_named(&url))
        }
    };
    is_one && !text.contains(char::is_whitespace)
}

/// An error of the validator can repeat a whole parameter; its beginning is enough.
fn shortened(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_format_is_more_than_a_word() {
        let fits = |format: &str, text: &str| {
            let schema = json!({"properties": {"x": {"type": "string", "format": format}}});
            let params = Object::from_iter([("x".to_owned(), json!(text))]);
            Params::new(schema).complaints(&params).unwrap().is_empty()
        };
        for (format, text) in [
            ("email", "anna@example.org"),
            ("date", "2026-12-01"),
            ("uri", "https://a.example/x"),
            ("uri", "a.example"),
        ] {
            assert!(fits(format, text), "{format} {text}");
        }
        for (format, text) in [
            ("email", "a@x.example,evil@y.example"),
            ("email", "not-an-email"),
            ("date", "tomorrow"),
            ("uri", "a b"),
            ("uri", "http://a.169.254.169.254/"),
            ("uri", "gopher://a.example/"),
            ("uri", "/etc/passwd"),
            ("uri", "mailto:x@y"),
        ] {
            assert!(!fits(format, text), "{format} {text}");
        }
    }
}
