//! Measures the release build against its budgets. A budget that is missed is shown, not failed: a
//! machine that is busy must not break a gate.
//!
//! A new bench is one file beside this one and one line in [`BENCHES`].

mod machine;
mod size;

use anyhow::{Context, Result};
use xshell::Shell;

/// Something that can be measured.
struct Bench {
    name: &'static str,
    /// What it measures, in one line.
    about: &'static str,
    run: fn(&Shell) -> Result<Vec<Figure>>,
}

/// One line of the result.
struct Figure {
    what: String,
    /// What was measured, with its unit.
    measured: String,
    /// What it may be at most, with its unit.
    budget: Option<&'static str>,
}

const BENCHES: &[Bench] =
    &[Bench { name: "size", about: "what the release build installs", run: size::run }];

/// Runs one bench, or `all`, or lists them.
///
/// # Errors
/// When there is no such bench or it can't be run.
pub(crate) fn run(sh: &Shell, name: Option<&str>) -> Result<()> {
    match name {
        None => list(),
        Some("all") => return BENCHES.iter().try_for_each(|bench| show(sh, bench)),
        Some(name) => {
            let bench = BENCHES.iter().find(|bench| bench.name == name);
            return show(sh, bench.with_context(|| format!("there is no bench {name}"))?);
        }
    }
    Ok(())
}

fn list() {
    for Bench { name, about, .. } in BENCHES {
        println!("{name:<14}{about}");
    }
}

fn show(sh: &Shell, bench: &Bench) -> Result<()> {
    let figures = (bench.run)(sh)?;
    println!("\n{}: {}\n{}\n", bench.name, bench.about, machine::facts(sh));
    for Figure { what, measured, budget } in figures {
        println!(
            "{what:<44}{measured:>12}{:>16}",
            budget.map_or(String::new(), |b| format!("<= {b}"))
        );
    }
    Ok(())
}
