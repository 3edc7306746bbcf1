//! How large the three programs are.

use std::fs;

use anyhow::{Context, Result};
use xshell::Shell;

use super::{Figure, program};

const PROGRAMS: [&str; 3] = ["safeclaw", "start_agent", "start_router"];

/// Looks at what was built.
///
/// # Errors
/// When one is missing.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    PROGRAMS.iter().map(|program| figure(sh, program)).collect()
}

fn figure(sh: &Shell, name: &str) -> Result<Figure> {
    let path = program::path(sh, name);
    let size = fs::metadata(&path).with_context(|| path.display().to_string())?.len();
    Ok(Figure::new(name, size as f64 / 1e6, "MB"))
}
