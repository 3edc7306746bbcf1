//! Installs the programs that the tests run against.

use anyhow::{Result, bail, ensure};
use xshell::{Shell, cmd};

/// A program that the tests start, and the Debian package that has it.
const PROGRAMS: [(&str, &str); 9] = [
    ("redis-server", "redis-server"),
    ("python3", "python3"),
    ("setsid", "util-linux"),
    ("unshare", "util-linux"),
    ("mount", "mount"),
    ("dpkg-deb", "dpkg"),
    ("npm", "npm"),
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
];

/// Installs what is missing.
///
/// # Errors
/// When it can't, with the command or the packages that would help.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    for part in ["fmt", "clippy"] {
        let found = cmd!(sh, "cargo {part} --version").quiet().ignore_stderr().read().is_ok();
        ensure!(found, "cargo {part} is missing; run: rustup component add rustfmt clippy");
    }
    let missing = missing(sh);
    if missing.is_empty() {
        axe(sh)?;
        let programs = PROGRAMS.map(|(program, _)| program).join(", ");
        eprintln!("everything is there: cargo fmt, cargo clippy, {programs}");
        return Ok(());
    }
    eprintln!(
        "installing {} (tests start their own servers on ports of their own)",
        missing.join(", ")
    );
    install(sh, &missing)?;
    let left = self::missing(sh);
    ensure!(left.is_empty(), "{} can't be found even now: look at PATH", left.join(", "));
    axe(sh)
}

/// What finds barriers on a page, and where its tests look for it. Nothing else takes it in.
const AXE: &str = "axe-core@4.14.1";
const AXE_FOLDER: &str = "target/axe";

/// Gets it where it is missing.
fn axe(sh: &Shell) -> Result<()> {
    if sh.path_exists(format!("{AXE_FOLDER}/package/axe.min.js")) {
        return Ok(());
    }
    eprintln!("getting {AXE}");
    sh.create_dir(AXE_FOLDER)?;
    let _there = sh.push_dir(AXE_FOLDER);
    let packed = cmd!(sh, "npm pack --silent {AXE}").read()?;
    cmd!(sh, "tar -xzf {packed}").run()?;
    Ok(())
}

fn missing(sh: &Shell) -> Vec<&'static str> {
    let absent = PROGRAMS.iter().filter(|(program, _)| !is_there(sh, program));
    let mut packages: Vec<_> = absent.map(|(_, package)| *package).collect();
    packages.dedup();
    packages
}

/// Whether a program is on the PATH.
pub(crate) fn is_there(sh: &Shell, program: &str) -> bool {
    cmd!(sh, "sh -c 'command -v \"$0\"' {program}").quiet().ignore_stderr().read().is_ok()
}

fn install(sh: &Shell, packages: &[&str]) -> Result<()> {
    let list = packages.join(" ");
    if !is_there(sh, "apt-get") {
        bail!("there is no apt-get here: install {list} with your system's package manager");
    }
    let is_root = cmd!(sh, "id -u").quiet().read()? == "0";
    if !is_root && !is_there(sh, "sudo") {
        bail!("there is no sudo here; run as root: apt-get install {list}");
    }
    // The setting goes behind sudo, which would drop it from the environment.
    let first = if is_root { "env" } else { "sudo" };
    let apt = ["DEBIAN_FRONTEND=noninteractive", "apt-get"];
    cmd!(sh, "{first} {apt...} update").run()?;
    cmd!(sh, "{first} {apt...} install --yes --no-install-recommends {packages...}").run()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_on_the_path() {
        let sh = Shell::new().unwrap();
        assert!(is_there(&sh, "sh"));
        assert!(!is_there(&sh, "no-such-program; true"));
    }
}
