//! Who thinks, as the page asks for it: the model, how full its window was and with what, and the others that its server has.
//! Another one is chosen with `/model`, as at the console.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use model::{Listed, Model};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::show::Showing;

/// How long the model's server may take to tell what it has.
const TELLS: Duration = Duration::from_secs(5);

/// Who thinks, what the latest answer took, and what else there is.
pub(super) async fn model(State(showing): State<Showing>) -> Response {
    let model = &showing.page.model;
    let (listed, why) = match timeout(TELLS, model.models()).await {
        Ok(Ok(listed)) => (listed, None),
        Ok(Err(error)) => (Vec::new(), Some(error.to_string())),
        Err(_) => (Vec::new(), Some(format!("no answer within {} s", TELLS.as_secs()))),
    };
    let first = model.first();
    let holds = model.in_force();
    Json(json!({
        "model": first.to_string(),
        "window": holds.map(|holds| holds.window.value),
        "latest": showing.page.standing.now().usage.map(|usage| json!({
            "by": usage.by,
            "read": usage.read,
            "written": usage.written,
            "window": usage.window,
            "shares": usage.shares.iter()
                .map(|share| json!({"name": share.name, "bytes": share.bytes}))
                .collect::<Vec<_>>(),
            "cut": usage.cut,
        })),
        "models": listed.iter().map(|one| shown(one, &first.model)).collect::<Vec<_>>(),
        "why": why,
    }))
    .into_response()
}

fn shown(listed: &Listed, asked: &str) -> Value {
    json!({
        "name": listed.name,
        "parameters": listed.parameters,
        "window": listed.window,
        "asked": listed.name == asked,
    })
}
