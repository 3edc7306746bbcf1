//! How large the three programs are.

use std::fs;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::Figure;

const PROGRAMS: [&str; 3] = ["safeclaw", "start_agent", "start_router"];

/// Builds them and looks.
///
/// # Errors
/// When the build fails.
pub(crate) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    cmd!(sh, "cargo build --release --locked --workspace --bins").run()?;
    PROGRAMS.iter().map(|program| figure(sh, program)).collect()
}

fn figure(sh: &Shell, program: &str) -> Result<Figure> {
    let path = sh.current_dir().join("target/release").join(program);
    let size = fs::metadata(&path).with_context(|| path.display().to_string())?.len();
    let measured = format!("{:.1} MB", size as f64 / 1e6);
    Ok(Figure { what: program.to_owned(), measured, budget: None })
}
