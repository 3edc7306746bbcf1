//! `start_agent`: the mind on its own, for two machines or two containers.

use std::process::ExitCode;

fn main() -> ExitCode {
    home::program(|| agent::cli::main(std::env::args_os().collect()))
}
