//! Breaks everything around the queue. The crate `chaos` does that, on a broker with failpoints; a build for
//! release has none.

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

/// What is built for release: all programs but those that want a broker with failpoints, the one that asks models for
/// their marks, and the one that looks at the others for long. One build of both would give failpoints to all.
pub(crate) const RELEASE: [&str; 8] =
    ["--workspace", "--exclude", "chaos", "--exclude", "eval", "--exclude", "soak", "--bins"];

/// The variable that only a broker with failpoints knows.
const FAILPOINT: &str = "SAFECLAW_FAILPOINT";

/// Passes `args` on to the crate's own program.
///
/// # Errors
/// When a promise of the queue was broken, or it can't be run.
pub(crate) fn run(sh: &Shell, args: &[String]) -> Result<()> {
    Ok(cmd!(sh, "cargo run --quiet --locked --package chaos -- {args...}").run()?)
}

/// Looks into programs that are built for release.
///
/// # Errors
/// When one of them has failpoints.
pub(crate) fn is_left_out_of(sh: &Shell, programs: &[&str]) -> Result<()> {
    for program in programs {
        let bytes = sh.read_binary_file(format!("target/release/{program}"))?;
        let armed = String::from_utf8_lossy(&bytes).contains(FAILPOINT);
        ensure!(!armed, "{program} was built with failpoints: it would die when told to");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features_of_the_broker(sh: &Shell, packages: &[&str]) -> String {
        let tree = cmd!(sh, "cargo tree --locked --edges normal,features --invert broker");
        tree.args(packages).quiet().ignore_stderr().read().unwrap()
    }

    #[test]
    fn a_build_for_release_has_no_failpoints() {
        let sh = Shell::new().unwrap();
        let feature = "broker feature \"failpoints\"";
        assert!(!features_of_the_broker(&sh, &RELEASE[..7]).contains(feature));
        assert!(features_of_the_broker(&sh, &["--package", "chaos"]).contains(feature));
    }

    #[test]
    fn a_program_with_failpoints_is_found() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        sh.write_file("target/release/good", b"\x7fELF\xff").unwrap();
        sh.write_file("target/release/bad", [b"\x7fELF\xff", FAILPOINT.as_bytes()].concat())
            .unwrap();
        is_left_out_of(&sh, &["good"]).unwrap();
        let error = is_left_out_of(&sh, &["good", "bad"]).unwrap_err().to_string();
        assert!(error.starts_with("bad was built with failpoints"), "{error}");
    }
}
