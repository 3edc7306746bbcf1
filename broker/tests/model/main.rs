//! The protocol of the queue on Redis as a model, and a search through every state that it can get into.
//!
//! ```text
//!   queue ──claim──► held in a router's hash ──finish───────────────────────► done, and said
//!                      ▲   │  Running             (keep ► send ► let go)
//!                claim │   │ reap: its router died, or only seemed to
//!                      │   │ beat: the claim's answer got lost
//!                      │   ▼ put back: its router drains
//!                     again
//!
//!   state of an id:  Unknown ► Running ⇄ Again,   Running + cancelled ⇄ Cancelled,   ► Done for ever
//!   in a router:     (claim ran) ► Ready ► (Announced) ► Begun ► Ending ► (Sending ► LettingGo) ► gone
//!                                    └──────────┴──────────┴───► PuttingBack ► gone
//! ```
//!
//! - Each script is one step, and so is each thing that a router does by itself; between any two of them every
//!   other router may do anything. `server` holds the scripts, `router` what a crash forgets, `steps` who may do
//!   what next, `acts` what that does, `promises` what must hold, and `search` looks at every state.
//! - There are two routers and two commands. One command may be run again, the other is announced before it is begun,
//!   and answered `interrupted` when it was announced before. One of them is sent twice, as after a broken connection, and may be taken back at
//!   any time. Its first copy may not have come.
//! - Bad luck is bounded: a crash, a drain, an answer that never comes, and a router that is taken for dead and
//!   goes on with all that it remembers.
//! - Left out is what time does (deadlines, expiry, stale commands), a server that forgets or that stops a script
//!   halfway, and all lanes but two. From which of these a claim takes is left to chance.
//! - An own search, because the checkers that there are bring a web server along.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it has found")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod acts;
mod promises;
mod router;
mod search;
mod server;
mod steps;

use promises::{
    ALWAYS, BEGUN_ONCE, FIELDS_ONCE, IN_THE_END, NEVER_INTERRUPTED, NEVER_POISON, NEVER_TAKEN_OVER,
    NOT_LOST, ONE_REPLY, STAYS_CANCELLED, TOLD_TRULY,
};
use search::{Promise, search};
use server::{IDEMPOTENT, ONCE};
use steps::Model;

/// A mistake that the protocol could make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    None,
    /// What is taken from a dead router still counts as running there.
    ReapLeavesRunning,
    /// A claim takes the command from its lane in one step and writes it into its hash in another.
    TakenBeforeHeld,
    /// A reply is kept though one is kept already, and though the command is not this router's any more.
    FinishOverwrites,
    /// A claim whose answer got lost does not use up its field.
    FieldReused,
    /// What is handed back counts as never begun.
    RedeliveryForgetsAttempts,
    /// What was taken back counts as running like any other once it is claimed.
    ClaimForgetsCancel,
    /// A claim that did not count as an attempt is undone like one that did.
    UncountedIsUndone,
    /// What is taken back after it may have been begun is answered as if it never was.
    CancelDeniesRun,
    /// A router begins what can't be done twice without a word.
    BeginsUnsaid,
    /// A router begins what can't be done twice though it is another one's by now.
    BeginsWhatIsLost,
}

/// One slot each, two strokes of bad luck, and a reply that is kept and sent in one step.
const PLAIN: Model =
    Model { target: ONCE, both: true, cluster: false, slots: 1, faults: 2, slip: Slip::None };

#[track_caller]
fn holds(model: Model) {
    match search(&model, ALWAYS, IN_THE_END) {
        Ok(states) => println!("{states} states of {model:?}"),
        Err(broken) => panic!("not so: {}\n{}", broken.promise, broken.trace),
    }
}

/// The search finds that `slip` breaks `promise`.
#[track_caller]
fn breaks(slip: Slip, promise: Promise) {
    let broken = search(&Model { slip, ..PLAIN }, &[promise], &[]).expect_err("it is a mistake");
    println!("{slip:?}, so that it is not so: {}\n{}", broken.promise, broken.trace);
}

#[test]
fn with_a_command_that_is_sent_twice_and_must_not_run_twice() {
    holds(PLAIN);
}

#[test]
fn with_a_command_that_is_sent_twice_and_may_run_again() {
    holds(Model { target: IDEMPOTENT, ..PLAIN });
}

#[test]
fn with_two_commands_in_one_routers_hands() {
    holds(Model { slots: 2, faults: 1, ..PLAIN });
}

#[test]
fn on_a_cluster() {
    for target in [IDEMPOTENT, ONCE] {
        holds(Model { target, cluster: true, faults: 1, ..PLAIN });
        holds(Model { target, cluster: true, both: false, ..PLAIN });
    }
}

#[test]
fn until_a_command_is_given_up() {
    let model = Model { target: IDEMPOTENT, both: false, faults: 3, ..PLAIN };
    holds(model);
    // Neither of these is there for nothing.
    let nevers = [(NEVER_POISON, IDEMPOTENT), (NEVER_INTERRUPTED, ONCE), (NEVER_TAKEN_OVER, ONCE)];
    for (never, target) in nevers {
        search(&Model { target, ..model }, &[never], &[]).expect_err("it does come to that");
    }
}

#[test]
fn a_reap_that_leaves_the_state_as_it_is_is_found() {
    breaks(Slip::ReapLeavesRunning, STAYS_CANCELLED);
}

#[test]
fn a_command_that_leaves_its_lane_before_it_is_held_is_found() {
    breaks(Slip::TakenBeforeHeld, NOT_LOST);
    let model = Model { slip: Slip::TakenBeforeHeld, ..PLAIN };
    search(&model, &[], IN_THE_END).expect_err("a crash in between loses it for good");
}

#[test]
fn a_late_owner_that_has_the_last_word_is_found() {
    breaks(Slip::FinishOverwrites, ONE_REPLY);
}

#[test]
fn a_field_that_is_used_again_is_found() {
    breaks(Slip::FieldReused, FIELDS_ONCE);
    breaks(Slip::FieldReused, NOT_LOST);
}

#[test]
fn a_redelivery_that_forgets_the_attempts_is_found() {
    breaks(Slip::RedeliveryForgetsAttempts, BEGUN_ONCE);
}

#[test]
fn a_claim_that_forgets_that_a_command_was_taken_back_is_found() {
    breaks(Slip::ClaimForgetsCancel, STAYS_CANCELLED);
}

#[test]
fn an_attempt_that_is_taken_off_though_none_was_counted_is_found() {
    breaks(Slip::UncountedIsUndone, TOLD_TRULY);
}

#[test]
fn a_cancel_that_denies_an_earlier_run_is_found() {
    breaks(Slip::CancelDeniesRun, TOLD_TRULY);
}

#[test]
fn what_is_begun_without_a_word_is_found() {
    breaks(Slip::BeginsUnsaid, BEGUN_ONCE);
}

#[test]
fn what_is_begun_though_it_is_anothers_is_found() {
    breaks(Slip::BeginsWhatIsLost, BEGUN_ONCE);
}
