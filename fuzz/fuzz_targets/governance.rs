//! Whatever line is judged: nothing panics, and what is written anew means the same and stays as it is.

#![no_main]

use std::path::Path;

use governance::{DEFAULT, Governance, Line, Ruling};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let home = "/home/ada";
    let governance = Governance::read(DEFAULT, Path::new(home)).expect("the default one holds");
    if governance.judge(input).ruling() == Ruling::Deny {
        return;
    }
    let once = Line::read(input, home);
    let twice = Line::read(&once.shell, home);
    assert!(twice.is_understood(), "{:?}", once.shell);
    assert_eq!(twice.shell, once.shell);
    assert_ne!(governance.judge(&once.shell).ruling(), Ruling::Deny);
});
