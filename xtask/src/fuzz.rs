//! Feeds random input to the parsers of untrusted text.
//!
//! cargo-fuzz asks for a nightly compiler, because it instruments with flags that are not stable. With
//! `RUSTC_BOOTSTRAP=1` the stable compiler takes them too, so that there is one toolchain to install and
//! what is fuzzed is what is shipped.

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::setup::is_there;
use crate::tool::CARGO_FUZZ;

/// Fuzzes one target for some seconds, or lists the targets.
///
/// # Errors
/// When the target finds something, is unknown, or can't be built.
pub(crate) fn run(sh: &Shell, target: Option<&str>, seconds: u32) -> Result<()> {
    let targets = targets(sh)?;
    ensure!(!targets.is_empty(), "there are no targets in fuzz/fuzz_targets");
    let Some(target) = target else {
        println!("{}", targets.join("\n"));
        return Ok(());
    };
    let known = targets.iter().any(|known| known == target);
    ensure!(known, "there is no target {target}; there is: {}", targets.join(", "));
    ensure!(is_there(sh, "c++"), "a C++ compiler is missing; run: sudo apt-get install g++");
    let cargo_fuzz = CARGO_FUZZ.find(sh)?;
    let seconds = seconds.to_string();
    cmd!(sh, "{cargo_fuzz} run {target} -- -max_total_time={seconds}")
        .env("RUSTC_BOOTSTRAP", "1")
        .run()
        .with_context(|| format!("{target} failed; an input that it found is in fuzz/artifacts"))
}

fn targets(sh: &Shell) -> Result<Vec<String>> {
    let files = sh.read_dir("fuzz/fuzz_targets")?;
    let rust = files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs"));
    Ok(rust.filter_map(|file| file.file_stem()?.to_str().map(str::to_owned)).collect())
}
