//! The browsers of the sessions that are open: one that does not end when it is asked to is killed.
//!
//! A page whose script never ends can hold up its browser, and with it the driver's answers in its session, also the
//! answer to the request to end it.

use std::collections::HashMap;
use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::time::timeout;

use super::driver::children;

/// How long a browser may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many sessions are known at most. More are open only if somebody opens them without end.
const KNOWN: usize = 64;

/// The process of each session's browser.
#[derive(Debug, Default)]
pub(super) struct Browsers(Mutex<HashMap<String, Pid>>);

impl Browsers {
    /// Learns from the driver's answer to a request for a session which process its browser is
    /// (`goog:processID`).
    pub(super) fn learn(&self, status: StatusCode, answer: &Bytes) {
        let Ok(answer) = serde_json::from_slice::<Value>(answer) else { return };
        let session = answer.pointer("/value/sessionId").and_then(Value::as_str);
        let process = answer.pointer("/value/capabilities/goog:processID").and_then(Value::as_i64);
        let process = process.and_then(|id| Pid::from_raw(id.try_into().ok()?));
        if let (true, Some(session), Some(process)) = (status.is_success(), session, process) {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() < KNOWN {
                known.insert(session.to_owned(), process);
            }
        }
    }

    /// Waits for a session's end, and kills its browser if that takes too long.
    pub(super) async fn end<T>(&self, session: String, asked: impl Future<Output = T>) -> T {
        let mut asked = std::pin::pin!(asked);
        let in_time = timeout(PATIENCE, &mut asked).await;
        let process = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        match (in_time, process) {
            (Ok(ended), _) => ended,
            (Err(_), process) => {
                // Its number may be another's by now, but no other's whose parent is the driver.
                if let Some(process) = process.filter(|id| is_grandchild(*id)) {
                    let _ = kill_process(process, Signal::KILL);
                }
                asked.await
            }
        }
    }
}

/// Whether the driver, a child of this process, has started this one.
fn is_grandchild(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    let stat = stat.unwrap_or_default();
    // The name before the state may hold anything, also a bracket (proc_pid_stat(5)).
    let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
    let parent = parent.and_then(|id| Pid::from_raw(id.parse().ok()?));
    parent.is_some_and(|parent| children().contains(&parent))
}
