//! Endpoints against real servers that behave and misbehave, each in the words of every provider.

mod apis;
mod fallen;
mod glossed;
mod in_force;
mod large;
mod learning;
mod limits;
mod lists;
mod misbehaviour;
mod pictures;
mod refusals;
mod requests;
mod secrets;
mod server;
mod small;
mod streams;

use std::sync::Arc;

use secrecy::SecretString;

use apis::Api;
use server::{Says, Server};

use super::*;
use crate::Progress;

/// What no error, log line or address may show.
const KEY: &str = "sk-hunter2-hunter2";

fn keys() -> ApiKeys {
    let key = || Some(SecretString::from(KEY));
    ApiKeys { openai: key(), anthropic: key(), gemini: key(), ..ApiKeys::default() }
}

/// An endpoint of `api` at `server` that knows nothing and keeps what it learns in a folder that is gone.
fn endpoint(api: &Api, server: &Server) -> Endpoint {
    let folder = tempfile::tempdir().unwrap();
    let known = Arc::new(Endpoints::at(folder.path()));
    Endpoint::new(&api.target(&server.address), &keys(), known).unwrap()
}

/// What was told while a completion went on.
#[derive(Debug, Default)]
struct Told {
    pieces: Vec<String>,
    waiting: Vec<(u64, u64)>,
    notices: Vec<String>,
}

/// Asks, and gives what was told and how it ended.
async fn ask(model: &dyn Model, ask: &Ask<'_>) -> (Told, Result<Completion, ModelError>) {
    let mut told = Told::default();
    let mut hear = |progress: Progress<'_>| match progress {
        Progress::Piece(piece) => told.pieces.push(piece.to_owned()),
        Progress::Waiting { waited, limit } => {
            told.waiting.push((waited.as_secs(), limit.as_secs()));
        }
        Progress::Notice(notice) => told.notices.push(notice.to_string()),
        Progress::Asked { .. } | Progress::Prompt(_) | Progress::WordsAlone => {}
    };
    let result = model.complete(ask, &mut hear).await;
    (told, result)
}

/// Says hi to a server of `api` that says this; gives what was told, and the text or the error in words
/// without the port, which differs from run to run.
async fn hi(api: &Api, says: Says) -> (Told, Result<String, String>) {
    let server = Server::start([says]).await;
    let (told, result) = ask(&endpoint(api, &server), &Ask::plain("hi")).await;
    assert_eq!(told.notices, [""; 0]);
    let result = result.map(|completion| completion.text).map_err(|error| error.to_string());
    (told, result.map_err(|error| error.replace(&server.address, "HOST")))
}

/// The error of [`hi`].
async fn error(api: &Api, bytes: Vec<u8>) -> String {
    hi(api, Says::This(bytes)).await.1.unwrap_err()
}
