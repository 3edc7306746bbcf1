//! The agent's numbers for Prometheus, as this channel hears them: of the owner's session and those of programs. Nothing that
//! anybody has said stands in them, and no label holds a name that somebody else has chosen.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use metrics::{Labels, Text};
use protocol::SessionKey;

use super::hub::Hub;
use super::told::What;
use crate::Outgoing;

/// What was heard by now.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    turns: u64,
    time: Duration,
    failed: u64,
    actions: u64,
    questions: u64,
    refused: u64,
    begun: HashMap<SessionKey, Instant>,
}

impl Numbers {
    /// Counts one thing that is told in a session.
    pub(super) fn hear(&mut self, session: &SessionKey, what: &What) {
        let What::Says(outgoing) = what else { return };
        match outgoing {
            Outgoing::Begin { .. } => {
                self.begun.insert(session.clone(), Instant::now());
            }
            Outgoing::End => {
                self.turns += 1;
                self.time += self.begun.remove(session).map_or(Duration::ZERO, |at| at.elapsed());
            }
            Outgoing::Failed => self.failed += 1,
            Outgoing::Action(_) => self.actions += 1,
            Outgoing::Question(_) => self.questions += 1,
            Outgoing::Refused { .. } => self.refused += 1,
            _ => {}
        }
    }

    fn text(&self, listeners: usize) -> String {
        let mut text = Text::default();
        let version: Labels<'_> = &[("version", env!("CARGO_PKG_VERSION"))];
        text.gauge("safeclaw_agent_info", "The agent's version.", &[(version, 1.0)]);
        for (name, help, value) in [
            ("turns_total", "Messages that were answered.", self.turns as f64),
            ("turn_seconds_total", "How long that took.", self.time.as_secs_f64()),
            ("failed_turns_total", "Messages that could not be answered.", self.failed as f64),
            ("refused_messages_total", "Messages that there was no room for.", self.refused as f64),
            ("actions_total", "Actions that answers have called.", self.actions as f64),
            ("questions_total", "Questions that the wall has asked.", self.questions as f64),
        ] {
            text.counter(&format!("safeclaw_agent_{name}"), help, &[(&[], value)]);
        }
        let busy = self.begun.len() as f64;
        text.gauge("safeclaw_agent_busy", "Messages that are being answered.", &[(&[], busy)]);
        let help = "Programs and pages that listen.";
        text.gauge("safeclaw_agent_listeners", help, &[(&[], listeners as f64)]);
        text.finish()
    }
}

/// All of them.
pub(super) async fn tell(State(hub): State<Hub>) -> Response {
    let (numbers, listeners) = hub.numbers();
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    ([kind], numbers.text(listeners)).into_response()
}
