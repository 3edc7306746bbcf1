//! Switches each control of the wall and of the pages off in turn, and looks whether a test notices.
//!
//! The controls of the wall stand in tests/hostile/mutants.toml, and those of the pages in tests/page/mutants.toml. Each
//! is taken out of a copy of the tree under target/mutants, which is built there and attacked by the cases that it names.

mod mutant;
mod suite;
mod tree;

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use xshell::Shell;

use mutant::Mutant;
use suite::{Outcome, Suite};
use tree::Tree;

/// Runs the mutants that `picks` name: by a rule's number, by `page` for all of the pages, or by words of their control. All
/// without picks.
///
/// # Errors
/// When one survives, can't be built, or a test fails without any.
pub(crate) fn run(sh: &Shell, list: bool, picks: &[String]) -> Result<()> {
    let all = Mutant::read_all(sh)?;
    let picked: Vec<&Mutant> = all.iter().filter(|mutant| mutant.is_picked(picks)).collect();
    ensure!(!picked.is_empty(), "no control is called so; see: cargo xtask mutate-wall --list");
    if list {
        picked.iter().for_each(|mutant| println!("{:>4}  {}", mutant.place(), mutant.control));
        return Ok(());
    }
    let tree = Tree::copy(sh)?;
    eprintln!("the tests without any mutant ...");
    ensure_green(sh, &tree, &picked)?;
    let mut rows = Vec::new();
    for (place, mutant) in picked.iter().enumerate() {
        let begun = Instant::now();
        let outcome = attacked(sh, &tree, mutant)?;
        let row = format!("{:>4}  {:<70}  {outcome}", mutant.place(), mutant.control);
        let (done, seconds) = (place + 1, begun.elapsed().as_secs());
        eprintln!("{done:>3}/{}  {row}  ({seconds} s)", picked.len());
        rows.push((row, matches!(outcome, Outcome::Killed { .. })));
    }
    println!("\nrule  {:<70}  killed by", "control switched off");
    rows.iter().for_each(|(row, _)| println!("{row}"));
    let alive = rows.iter().filter(|(_, killed)| !killed).count();
    println!("{} mutants, {} killed, {alive} not", rows.len(), rows.len() - alive);
    if alive > 0 {
        bail!("{alive} controls can be switched off and no case notices");
    }
    Ok(())
}

/// A case that fails anyway would kill every mutant.
fn ensure_green(sh: &Shell, tree: &Tree, mutants: &[&Mutant]) -> Result<()> {
    let suites: BTreeSet<&Suite> = mutants.iter().map(|mutant| &mutant.suite).collect();
    for suite in suites {
        let own: Vec<_> = mutants.iter().filter(|mutant| mutant.suite == *suite).collect();
        let classes: Vec<String> = own.iter().flat_map(|mutant| mutant.classes.clone()).collect();
        let arguments = suite::arguments(&classes, own.iter().flat_map(|mutant| &mutant.cases));
        match suite.attack(sh, tree, &arguments)? {
            Outcome::Survived => {}
            other => bail!("{suite} fails without any mutant: {other}"),
        }
    }
    Ok(())
}

fn attacked(sh: &Shell, tree: &Tree, mutant: &Mutant) -> Result<Outcome> {
    let file = tree.file(&mutant.file);
    let text = sh.read_file(&file)?;
    sh.write_file(&file, mutant.applied_to(&text).context("mutants.toml")?)?;
    let outcome = mutant.suite.attack(sh, tree, &mutant.arguments());
    sh.write_file(&file, text)?;
    outcome
}
