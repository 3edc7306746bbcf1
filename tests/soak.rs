//! A short soak of the real programs: nothing is lost while routers are killed under a mixed load.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use soak::run::{Soak, run};

fn plan() -> Soak {
    Soak {
        length: Duration::from_secs(20),
        rate: 8,
        seed: 7,
        program: PathBuf::from(env!("CARGO_BIN_EXE_safeclaw")),
        home: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_in_a_short_run_of_everything() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("homes");
    let report = run(&Soak { home: Some(home.clone()), ..plan() }).await.unwrap();
    assert!(report.holds(), "\n{report}");
    // What was asked went the whole way: through the wall, which has written it down.
    for wall in ["wall", "whole"] {
        let audit =
            fs::read_to_string(home.join(wall).join("router/audit/router-1.jsonl")).unwrap();
        assert!(audit.contains("HELLO_WORLD"), "{wall}");
    }
    assert!(report.asked_and_lost().0 > 50, "\n{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine"), "").unwrap();
    let error = run(&Soak { home: Some(folder.path().to_owned()), ..plan() }).await.unwrap_err();
    assert!(error.to_string().ends_with("is not empty: name a new folder"), "{error}");
}
