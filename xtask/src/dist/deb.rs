//! A Debian package (deb(5)), by `dpkg-deb`.

use std::path::Path;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use super::Facts;

/// What the package is called, by the custom of Debian.
pub(super) fn name(facts: &Facts) -> Result<String> {
    Ok(format!("safeclaw_{}_{}.deb", facts.version, machine(facts)?))
}

/// Makes `package` with the files of `tree` below /usr.
pub(super) fn make(sh: &Shell, tree: &Path, facts: &Facts, package: &Path) -> Result<()> {
    let folder = sh.create_temp_dir()?;
    let root = folder.path();
    sh.create_dir(root.join("DEBIAN"))?;
    let usr = root.join("usr");
    cmd!(sh, "cp --archive {tree} {usr}").quiet().run()?;
    sh.write_file(root.join("DEBIAN/control"), control(facts, kib(sh, &usr)?)?)?;
    super::tree::plain_modes(sh, root)?;
    // Times that are later than this one become this one.
    let packing = cmd!(sh, "dpkg-deb --root-owner-group --build {root} {package}");
    Ok(packing.env("SOURCE_DATE_EPOCH", &facts.time).quiet().ignore_stdout().run()?)
}

fn kib(sh: &Shell, folder: &Path) -> Result<u64> {
    let told =
        cmd!(sh, "du --summarize --apparent-size --block-size=1024 {folder}").quiet().read()?;
    Ok(told.split_whitespace().next().unwrap_or_default().parse()?)
}

/// What Debian calls the machine.
fn machine(facts: &Facts) -> Result<&'static str> {
    match facts.target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        _ => bail!("no package is made for {}", facts.target),
    }
}

/// The package's own facts (deb-control(5)).
fn control(facts: &Facts, kib: u64) -> Result<String> {
    let Facts { version, glibc, .. } = facts;
    let machine = machine(facts)?;
    let depends = glibc.as_ref().map(|glibc| format!("Depends: libc6 (>= {glibc})\n"));
    let depends = depends.unwrap_or_default();
    Ok(format!(
        "Package: safeclaw\nVersion: {version}\nArchitecture: {machine}\nMaintainer: SafeClaw <safeclaw@localhost>\n\
         Installed-Size: {kib}\n{depends}Recommends: ca-certificates\n\
         Suggests: chromium, chromium-driver, python3, redis-server\nSection: utils\nPriority: optional\n\
         Description: personal AI agent behind a wall\n \
         The agent, which asks a language model, may only ask for what it wants done. The\n \
         router, another process, decides by the owner's rules, asks a person where they\n \
         say so, and runs each skill in a sandbox. Nothing is started by the installation.\n"
    ))
}
