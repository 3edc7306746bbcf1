//! The conversations as the page asks for them: a list, and one of them whole.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use conversation::workspace::StoredChat;
use journal::Form;
use serde::Deserialize;
use serde_json::{Value, json};

use super::show::{Showing, beside};
use crate::http::refusal::Refusal;

/// How many are listed at most.
const LISTED: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Words that stand in them.
    #[serde(default)]
    words: String,
}

/// Those that were put away, the latest first, and which of them is open.
pub(super) async fn list(
    State(showing): State<Showing>,
    wanted: Result<Query<Wanted>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(Wanted { words }) = wanted.map_err(|error| Refusal::Bad(error.body_text()))?;
    let (words, files) = (words.to_lowercase(), showing.files);
    let listed = beside(move || {
        let chats = files.chats().all().into_iter().filter(|(_, chat)| chat.holds(&words));
        let shown = |(number, chat): (u64, StoredChat)| json!({"number": number, "title": chat.title, "last": chat.last.0});
        let listed: Vec<Value> = chats.take(LISTED).map(shown).collect();
        Ok(json!({"open": files.chat.read().number, "conversations": listed}))
    });
    Ok(Json(listed.await?).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct As {
    /// The form to save it in.
    form: String,
}

/// One of them as a file to save.
pub(super) async fn one(
    State(showing): State<Showing>,
    Path(number): Path<u64>,
    wanted: Result<Query<As>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(As { form }) = wanted.map_err(|error| Refusal::Bad(error.body_text()))?;
    let files = showing.files;
    let chat = beside(move || Ok(files.chats().read(number))).await?.ok_or(Refusal::Unknown)?;
    let form =
        Form::named(&form).ok_or_else(|| Refusal::Bad("form is md, html or json".to_owned()))?;
    let name = format!("attachment; filename=\"conversation-{number}.{}\"", form.ending());
    // Nothing of it is ever shown by the page's own site.
    let head = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((head, form.write(&chat.title, &chat.events)).into_response())
}
