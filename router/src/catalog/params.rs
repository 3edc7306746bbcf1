//! What the parameters of a skill have to look like.

use std::sync::OnceLock;

use jsonschema::Validator;
use protocol::Object;
use serde_json::Value;

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
            jsonschema::validator_for(&self.schema)
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

/// An error of the validator can repeat a whole parameter; its beginning is enough.
fn shortened(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
