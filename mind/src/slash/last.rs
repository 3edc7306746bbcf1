//! `/last`: shows the latest actions by their names, with all that they brought.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Object;
use serde_json::Value;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Last;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Last))
}

#[async_trait]
impl Perform for Last {
    async fn perform(&self, at: At<'_>) {
        let artifact = at.session.files.artifact.read();
        match artifact.0.as_slice() {
            [] => at.text("No action has run here yet. /did tells what was done before a /clear."),
            latest => at.text(latest.iter().map(shown).collect::<Vec<_>>().join("\n")),
        }
    }
}

/// One action, with its fields as programs read them.
fn shown(fields: &Object) -> String {
    format!("{:#}", Value::Object(fields.clone()))
}
