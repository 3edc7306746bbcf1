//! What can be judged without running anything.

mod book;
mod cycles;
mod house;
pub(crate) mod licences;
mod names;
mod sizes;
mod source;

use xshell::cmd;

use crate::stage::Stage;

/// The stages that need no compiler, the quickest first.
pub(crate) const QUICK: [Stage; 7] = [
    Stage::new("format", "cargo fmt --all --check", |sh| {
        Ok(cmd!(sh, "cargo fmt --all --check").run()?)
    }),
    Stage::new("house rules", "cargo xtask lint", house::check),
    Stage::new("modules", "cargo xtask lint", cycles::check),
    Stage::new("names of types", "cargo xtask lint", names::check),
    Stage::new("sizes of crates", "cargo xtask lint", sizes::check),
    Stage::new("book", "cargo xtask lint", book::check),
    Stage::new("licences", "cargo xtask lint", licences::check),
];

/// The stage that takes minutes.
pub(crate) const CLIPPY: Stage =
    Stage::new("clippy", "cargo clippy --workspace --all-targets --locked -- -D warnings", |sh| {
        Ok(cmd!(sh, "cargo clippy --workspace --all-targets --locked -- -D warnings").run()?)
    });

#[cfg(test)]
mod tests {
    use xshell::Shell;

    use super::*;

    /// The quick rules hold here, so that whoever runs these tests after a move hears of them.
    #[test]
    fn this_workspace_keeps_the_rules_of_the_house() {
        let sh = Shell::new().unwrap();
        sh.change_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let rules = [house::check, cycles::check, names::check, sizes::check, book::check];
        let broken: Vec<String> = rules
            .iter()
            .filter_map(|rule| rule(&sh).err())
            .map(|error| error.to_string())
            .collect();
        assert_eq!(broken, [""; 0]);
    }
}
