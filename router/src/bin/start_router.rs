//! `start_router`: the wall on its own, for two machines or two containers.

use std::process::ExitCode;

fn main() -> ExitCode {
    home::program(|| router::cli::main(std::env::args_os().collect(), &[]))
}
