//! The queue keeps its promises through a short run of everything, and through a death at each point.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use chaos::run::{Fsync, Plan};
use chaos::schedule::{Fault, draw};
use chaos::{points, run};

/// The program that is started as a router.
fn program() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_chaos")).to_owned()
}

#[tokio::test]
async fn every_promise_is_kept_while_everything_breaks() {
    let plan = Plan {
        seed: 7,
        length: Duration::from_secs(8),
        routers: 3,
        fsync: Fsync::Always,
        program: program(),
    };
    let faults = draw(plan.seed, plan.length, plan.routers);
    for met in [
        |fault| matches!(fault, Fault::Kill(_)),
        |fault| matches!(fault, Fault::Pause(..)),
        |fault| matches!(fault, Fault::Drain(_)),
        |fault| matches!(fault, Fault::ServerKill(_)),
    ] {
        assert!(faults.iter().any(|planned| met(planned.fault)), "another seed has them all");
    }
    let verdict = run::run(&plan).await.unwrap();
    assert!(verdict.holds(), "\n{verdict}");
}

/// One test for all, two at a time, so that a small machine is not flooded with processes.
#[tokio::test]
async fn nothing_is_lost_whatever_point_a_router_dies_at() {
    let (front, back) = points::ALL.split_at(points::ALL.len() / 2);
    let die = async |points: &[broker::failpoint::Point]| {
        for point in points {
            let verdict = points::run(&program(), *point).await.unwrap();
            assert!(verdict.holds(), "{point}\n{verdict}");
        }
    };
    tokio::join!(die(front), die(back));
}
