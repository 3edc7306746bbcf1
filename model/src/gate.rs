//! What is known of the failures of each server and of each of its models, whatever chain they stand in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::ModelError;
use super::breaker::{self, Breaker, Standing};
use super::retry::Tries;

/// The breakers of all that was asked in this process, by address and by name.
#[derive(Debug, Default)]
pub struct Breakers(Mutex<HashMap<String, Arc<Breaker>>>);

impl Breakers {
    /// What stands before the model that people call `name`, of the server at `address`.
    pub(super) fn gate(&self, address: &str, name: &str) -> Gate {
        Gate { server: self.of(address), model: self.of(name) }
    }

    fn of(&self, whose: &str) -> Arc<Breaker> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(whose.to_owned()).or_default())
    }
}

/// Lets completions through to one model of one server. Where nothing listens, none of its models is there; everything
/// else is held against the model alone, for another one of the same server may well do what this one can't.
#[derive(Debug, Default)]
pub(super) struct Gate {
    server: Arc<Breaker>,
    model: Arc<Breaker>,
}

impl Gate {
    /// Lets one completion through to what people call `name`.
    ///
    /// # Errors
    /// As [`Breaker::pass`].
    pub(super) fn pass(&self, name: &str) -> Result<Pass<'_>, ModelError> {
        let held = [self.server.pass(name)?, self.model.pass(name)?];
        Ok(Pass { gate: self, held })
    }

    /// How it stands now: the server, if there is something to say of it, or else the model.
    #[must_use]
    pub(super) fn standing(&self) -> Standing {
        match self.server.standing() {
            Standing::Closed { failures: 0 } => self.model.standing(),
            server => server,
        }
    }

    /// Takes in how a completion, or a look at the model, has ended.
    pub(super) fn ended(&self, failure: Option<&ModelError>) {
        if matches!(failure, Some(ModelError::Unreachable { .. })) {
            return self.server.ended(failure);
        }
        self.server.ended(None);
        self.model.ended(failure);
    }
}

/// The right to ask once. Dropped unused, because a person has stopped the answer, it leaves all as it was.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    gate: &'a Gate,
    held: [breaker::Pass<'a>; 2],
}

impl Pass<'_> {
    /// Which failures are worth another try.
    #[must_use]
    pub(super) fn tries(&self) -> Tries {
        let [server, model] = &self.held;
        server.tries.min(model.tries)
    }

    /// Says how it has ended: well, or in this failure.
    pub(super) fn end(self, failure: Option<&ModelError>) {
        self.gate.ended(failure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{broken, gone, unknown};

    fn fails(gate: &Gate, error: &ModelError) {
        gate.pass("m at a").unwrap().end(Some(error));
    }

    fn rests(gate: &Gate) -> bool {
        gate.pass("m at a").is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_not_there_rests_with_all_its_models() {
        let breakers = Breakers::default();
        let (one, two) = (breakers.gate("a", "m at a"), breakers.gate("a", "n at a"));
        let elsewhere = breakers.gate("b", "m at b");
        fails(&one, &gone("a"));
        assert_eq!(two.pass("n at a").unwrap().tries(), Tries::UnlessGone);
        fails(&two, &gone("a"));
        fails(&one, &gone("a"));
        assert!(rests(&one) && rests(&two) && !rests(&elsewhere));
        assert_eq!(two.standing(), one.standing());
        // Another chain is made of the same.
        assert!(rests(&breakers.gate("a", "n at a")));
        one.ended(None);
        assert!(!rests(&one) && !rests(&two));
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_fails_rests_alone() {
        let breakers = Breakers::default();
        let (one, two) = (breakers.gate("a", "m at a"), breakers.gate("a", "n at a"));
        fails(&two, &gone("a"));
        for _ in 0..3 {
            fails(&one, &broken());
        }
        assert!(rests(&one) && !rests(&two));
        assert_eq!(two.standing(), Standing::Closed { failures: 0 }, "the server has answered");
        two.ended(Some(&unknown("a")));
        assert!(rests(&one), "what is said of one is not said of the other");
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_is_not_let_through_by_one_leaves_the_other_as_it_was() {
        let breakers = Breakers::default();
        let (one, two) = (breakers.gate("a", "m at a"), breakers.gate("a", "n at a"));
        for _ in 0..3 {
            fails(&one, &broken());
        }
        for _ in 0..3 {
            fails(&two, &gone("a"));
        }
        // The server may be tried again, the first model not yet.
        tokio::time::advance(std::time::Duration::from_secs(6)).await;
        assert!(rests(&one));
        assert_eq!(two.pass("n at a").unwrap().tries(), Tries::One);
    }
}
