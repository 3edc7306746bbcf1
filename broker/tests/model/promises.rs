//! What the protocol promises.

use super::search::Promise;
use super::server::{IDEMPOTENT, Id, ONCE, Reply, Standing};
use super::steps::State;

pub(crate) const NOT_LOST: Promise = Promise {
    name: "a command is in a lane, in a router's hands, or has ended and was answered",
    holds: |state| {
        both(|id| {
            !state.sent[id] || waits(state, id) || in_hand(state, id) > 0 || answered(state, id)
        })
    },
};

pub(crate) const BEGUN_ONCE: Promise = Promise {
    name: "what can't be done twice is begun once at most",
    holds: |state| state.server.seen.begun <= 1,
};

pub(crate) const ONE_REPLY: Promise = Promise {
    name: "all replies to a command are the same",
    holds: |state| !state.server.seen.contradicted,
};

pub(crate) const STAYS_CANCELLED: Promise = Promise {
    name: "what was taken back is not given out to be run",
    holds: |state| !state.server.seen.run_though_cancelled,
};

pub(crate) const FIELDS_ONCE: Promise = Promise {
    name: "no field is used for two commands",
    holds: |state| !state.server.seen.field_reused,
};

pub(crate) const ONE_COPY: Promise = Promise {
    name: "until it has ended, one copy of a command is in hand at a time",
    holds: |state| both(|id| done(state, id).is_some() || in_hand(state, id) <= 1),
};

pub(crate) const TOLD_TRULY: Promise = Promise {
    name: "nobody is told that a command was not begun that may have been done",
    holds: |state| {
        state.server.seen.said[ONCE] != Some(Reply::TakenBack) || state.server.seen.begun == 0
    },
};

/// In every state.
pub(crate) const ALWAYS: &[Promise] =
    &[NOT_LOST, BEGUN_ONCE, ONE_REPLY, STAYS_CANCELLED, FIELDS_ONCE, ONE_COPY, TOLD_TRULY];

/// In every state in which nothing is left to be done.
pub(crate) const IN_THE_END: &[Promise] = &[
    Promise {
        name: "every command is answered",
        holds: |state| both(|id| !state.sent[id] || answered(state, id)),
    },
    Promise {
        name: "nothing lies in a lane or in anybody's hands",
        holds: |state| {
            both(|id| !waits(state, id) && in_hand(state, id) == 0)
                && state.routers.iter().all(|router| !router.is_busy())
        },
    },
    Promise {
        name: "what was given up has one dead letter, and nothing else has one",
        holds: |state| {
            both(|id| {
                let given_up = done(state, id).is_some_and(Reply::is_given_up);
                state.server.letters[id] == u8::from(given_up)
            })
        },
    },
];

/// Not a promise: it shows that the model comes so far.
pub(crate) const NEVER_POISON: Promise = Promise {
    name: "no command is given up after the last attempt",
    holds: |state| state.server.seen.said[IDEMPOTENT] != Some(Reply::Poison),
};

/// Not a promise: it shows that the model comes so far.
pub(crate) const NEVER_INTERRUPTED: Promise = Promise {
    name: "no command is given up after the first attempt",
    holds: |state| state.server.seen.said[ONCE] != Some(Reply::Interrupted),
};

/// Not a promise: what a router had taken and not begun is run by the next one.
pub(crate) const NEVER_TAKEN_OVER: Promise = Promise {
    name: "what can't be done twice is run in the first attempt only",
    holds: |state| state.server.seen.said[ONCE] != Some(Reply::Ran(2)),
};

fn both(holds: impl Fn(Id) -> bool) -> bool {
    holds(IDEMPOTENT) && holds(ONCE)
}

fn waits(state: &State, id: Id) -> bool {
    state.server.queue.iter().chain(&state.server.again).any(|command| command.id == id)
}

fn in_hand(state: &State, id: Id) -> usize {
    state.server.work.iter().filter(|held| held.command.id == id).count()
}

fn done(state: &State, id: Id) -> Option<Reply> {
    match state.server.states[id] {
        Standing::Done(reply) => Some(reply),
        _ => None,
    }
}

fn answered(state: &State, id: Id) -> bool {
    done(state, id).is_some() && state.server.seen.said[id] == done(state, id)
}
