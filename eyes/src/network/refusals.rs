//! What a proxy did not give to a page.

use std::sync::{Arc, Mutex, PoisonError};

use egress::{Attempt, Decision, Endpoint};
use tokio::sync::mpsc;

/// How many different hosts are told of.
const TOLD: usize = 8;

/// How many are remembered, so that the page's own host is among them.
const KEPT: usize = 256;

/// Everything that was not given, each host once.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Vec<Kept>>);

#[derive(Debug, Clone, PartialEq)]
struct Kept {
    /// Host and port.
    wanted: String,
    /// The rules said no; else it could not be resolved, or did not arrive.
    is_refused: bool,
    /// The proxy's words.
    reason: String,
}

impl Refusals {
    /// Notes what is decided, until nothing more can be.
    pub(super) fn follow(self: &Arc<Self>, mut decided: mpsc::Receiver<Attempt>) {
        let kept = Arc::clone(self);
        tokio::spawn(async move {
            while let Some(attempt) = decided.recv().await {
                kept.note(attempt);
            }
        });
    }

    fn note(&self, Attempt { host, port, decision, .. }: Attempt) {
        let (is_refused, reason) = match decision {
            Decision::Allowed { .. } => return,
            Decision::Refused { reason } => (true, reason),
            Decision::Failed { reason } | Decision::Lost { reason } => (false, reason),
        };
        let wanted = port.map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
        let kept = Kept { wanted, is_refused, reason };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < KEPT && !all.contains(&kept) {
            all.push(kept);
        }
    }

    /// Whether this endpoint was refused (and did not fail), and in which words.
    pub(super) fn of(&self, endpoint: &Endpoint) -> Option<(bool, String)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = all.iter().rev().find(|kept| kept.wanted == endpoint.to_string())?;
        Some((one.is_refused, one.reason.clone()))
    }

    /// What was refused, if something was, for a page that never came.
    pub(super) fn only(&self) -> Option<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = &all.iter().find(|kept| kept.is_refused)?.wanted;
        Some(format!("it leads to {wanted}, which is refused"))
    }

    /// What was refused, for people.
    pub(super) fn remarks(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused: Vec<&Kept> = all.iter().filter(|kept| kept.is_refused).collect();
        let told = refused.iter().take(TOLD);
        let told = told.map(|kept| format!("the page wanted {}, which is refused", kept.wanted));
        let more = refused.len().checked_sub(TOLD).filter(|more| *more > 0);
        told.chain(more.map(|more| format!("the page wanted {more} more that are refused")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use egress::Carried;

    use super::*;

    fn attempt(host: &str, port: u16, decision: Decision) -> Attempt {
        Attempt { host: host.to_owned(), port: Some(port), decision, carried: Carried::default() }
    }

    fn refused(port: u16) -> Attempt {
        let decision = Decision::Refused { reason: "no".to_owned() };
        attempt("127.0.0.1", port, decision)
    }

    #[test]
    fn what_was_refused_is_told_once_and_not_for_ever() {
        let refusals = Refusals::default();
        let failed = Decision::Failed { reason: "no address".to_owned() };
        let allowed = Decision::Allowed { injected: Vec::new() };
        refusals.note(attempt("gone.test", 80, failed));
        refusals.note(attempt("fine.test", 80, allowed));
        assert!(refusals.remarks().is_empty());
        for port in (1..=10).chain(1..=1_000) {
            refusals.note(refused(port));
        }
        let remarks = refusals.remarks();
        assert_eq!(remarks[0], "the page wanted 127.0.0.1:1, which is refused");
        assert_eq!(remarks.len(), 9);
        assert_eq!(remarks[8], "the page wanted 247 more that are refused");
        assert_eq!(
            refusals.of(&"gone.test:80".parse().unwrap()),
            Some((false, "no address".to_owned()))
        );
        assert_eq!(refusals.of(&"fine.test:80".parse().unwrap()), None);
    }
}
