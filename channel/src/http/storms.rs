//! The pages of storms, behind the same door as the chat's.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use futures::StreamExt as _;
use mind::storm::pages;

use super::guard::Visitor;
use super::web::{Door, Page};

/// The paths of the pages of storms.
pub(super) fn routes(page: &Page, door: &Arc<Door>) -> Router {
    let until = from_fn_with_state(Arc::clone(door), until_signed_out);
    pages(&page.workspace, &page.model).layer(until)
}

/// Ends a stream of events once its reader is signed out.
async fn until_signed_out(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let who = match request.extensions().get() {
        Some(Visitor::Page(who)) => Some(who.id.clone()),
        _ => None,
    };
    let response = next.run(request).await;
    let is_stream = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/event-stream");
    match who {
        Some(id) if response.headers().get(header::CONTENT_TYPE).is_some_and(is_stream) => response
            .map(|body| {
                let until = Box::pin(door.is_out(id));
                Body::from_stream(body.into_data_stream().take_until(until))
            }),
        _ => response,
    }
}
