//! Requests that are not served: a status, a word for programs and a sentence for people, in English and as the pages' words have it.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use home::FileError;
use serde_json::json;
use storm::{NameError, PremiseError};
use storm_runner::{RunError, ShelfError};

use crate::told::Told;

/// Why a request is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It can't be done whatever the storm is like.
    Bad(Told),
    /// There is no such thing.
    Unknown(Told),
    /// It can't be done as things are.
    Conflict(Told),
    /// Something of the agent's own is wrong.
    Failed(Told),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, why) = match self {
            Self::Bad(why) => (StatusCode::BAD_REQUEST, "bad_request", why),
            Self::Unknown(why) => (StatusCode::NOT_FOUND, "unknown", why),
            Self::Conflict(why) => (StatusCode::CONFLICT, "conflict", why),
            Self::Failed(why) => (StatusCode::INTERNAL_SERVER_ERROR, "failed", why),
        };
        let message = why.to_string();
        let error = json!({"code": code, "message": message, "told": why});
        (status, Json(json!({ "error": error }))).into_response()
    }
}

impl From<ShelfError> for Refusal {
    fn from(error: ShelfError) -> Self {
        let why = Told::from(&error);
        match error {
            ShelfError::Name(_) | ShelfError::Ending { .. } => Self::Bad(why),
            ShelfError::Missing { .. } | ShelfError::NoneChosen => Self::Unknown(why),
            ShelfError::Taken(_)
            | ShelfError::Cast { .. }
            | ShelfError::Running(_)
            | ShelfError::Begun(_) => Self::Conflict(why),
            ShelfError::Broken { .. }
            | ShelfError::NoAgent { .. }
            | ShelfError::Log(_)
            | ShelfError::File(_) => Self::Failed(why),
        }
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Shelf(error) => error.into(),
            RunError::Nothing | RunError::Long(_) => Self::Bad(Told::from(&error)),
            RunError::Failed { .. } | RunError::Wordless(_) | RunError::Budget { .. } => {
                Self::Conflict(Told::from(&error))
            }
        }
    }
}

impl From<NameError> for Refusal {
    fn from(error: NameError) -> Self {
        Self::Bad(Told::from(&error))
    }
}

impl From<PremiseError> for Refusal {
    fn from(error: PremiseError) -> Self {
        Self::Bad(Told::from(&error))
    }
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        Self::Failed(Told::from(&error))
    }
}

impl From<JsonRejection> for Refusal {
    fn from(error: JsonRejection) -> Self {
        Self::Bad(error.body_text().into())
    }
}
