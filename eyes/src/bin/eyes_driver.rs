//! `eyes_driver`: the outer process alone, for tests and for whoever uses this crate in another program.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(2).collect();
    eyes::launch::serve(&args)
}
