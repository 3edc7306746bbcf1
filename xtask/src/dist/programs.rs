//! The programs: static where that can be built, and else what they need of their system.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::Dist;
use crate::setup::is_there;

/// Their names. The first is the other two as well, by the name under which it is started; in containers the mind
/// and the wall do not hold each other's code.
pub(super) const NAMES: [&str; 3] = ["safeclaw", "start_agent", "start_router"];

/// Programs that were built.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) folder: PathBuf,
    pub(super) target: String,
    pub(super) glibc: Option<String>,
}

impl Programs {
    /// Builds them, or takes those that are named.
    pub(super) fn find(sh: &Shell, wanted: &Dist) -> Result<Self> {
        let told = cmd!(sh, "rustc --verbose --version").quiet().read()?;
        let host = told.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("rustc does not tell its host")?.to_owned();
        let (folder, target) = match &wanted.programs {
            Some(folder) => (sh.current_dir().join(folder), host),
            None => build(sh, &wanted.profile, host)?,
        };
        let mut versions = Vec::new();
        for name in NAMES {
            versions.extend(newest_glibc(&sh.read_binary_file(folder.join(name))?));
        }
        let newest = versions.into_iter().max_by_key(|version| numbers(version));
        Ok(Self { folder, target, glibc: newest })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl fmt::Display for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.glibc {
            None => f.write_str("the programs are static, and need nothing of their system"),
            Some(version) => write!(f, "the programs need glibc {version} or a newer one"),
        }
    }
}

/// Builds them for a static target, if all that this takes is there, and else for this machine.
fn build(sh: &Shell, profile: &str, host: String) -> Result<(PathBuf, String)> {
    let target = match without_musl(sh, &host)? {
        None => host.replace("-gnu", "-musl"),
        Some(missing) => {
            eprintln!("not static, but for the glibc of this machine: {missing}");
            host
        }
    };
    cmd!(sh, "cargo build --locked --profile {profile} --target {target} --bins").run()?;
    // Cargo calls the folder of one profile by another name.
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok((sh.current_dir().join("target").join(&target).join(folder), target))
}

/// What is missing for static programs, with what to do about it.
fn without_musl(sh: &Shell, host: &str) -> Result<Option<String>> {
    let musl = host.replace("-gnu", "-musl");
    let sysroot = cmd!(sh, "rustc --print sysroot").quiet().read()?;
    if !PathBuf::from(sysroot).join("lib/rustlib").join(&musl).is_dir() {
        return Ok(Some(format!("{musl} is not installed; run: rustup target add {musl}")));
    }
    // The crates that have parts in C.
    let has_compiler = is_there(sh, "musl-gcc");
    Ok((!has_compiler)
        .then(|| "musl-gcc is missing; on Debian: apt-get install musl-tools".to_owned()))
}

/// The newest version of glibc whose symbols stand in a program. An ELF file holds the names of symbol versions
/// (`GLIBC_2.34`) as text that a zero byte ends. One name has no number: that of the short list of addresses, which came with 2.36.
fn newest_glibc(program: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"\0GLIBC_";
    const SHORT_LIST: (&str, &str) = ("ABI_DT_RELR", "2.36");
    let places = program.windows(MARK.len()).enumerate().filter(|(_, bytes)| *bytes == MARK);
    let version = |(at, _): (usize, &[u8])| {
        let rest = &program[at + MARK.len()..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(&rest[..end]).ok()?;
        let version = if text == SHORT_LIST.0 { SHORT_LIST.1 } else { text };
        numbers(version).map(|_| version)
    };
    places.filter_map(version).max_by_key(|text| numbers(text)).map(str::to_owned)
}

/// The numbers of a version, which compare as versions do.
pub(super) fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_counts_by_its_numbers() {
        let program = b"\x7fELF\0GLIBC_2.9\0x\0GLIBC_2.34\0GLIBC_2.4\0GLIBC_PRIVATE\0 GLIBC_9.9\0";
        assert_eq!(newest_glibc(program).as_deref(), Some("2.34"));
        let short = b"\x7fELF\0GLIBC_2.34\0GLIBC_ABI_DT_RELR\0GLIBC_2.35\0";
        assert_eq!(newest_glibc(short).as_deref(), Some("2.36"));
        assert_eq!(newest_glibc(b"\x7fELF static"), None);
    }

    #[test]
    fn what_is_missing_for_static_programs_is_told_with_the_command_that_mends_it() {
        let sh = Shell::new().unwrap();
        let missing = without_musl(&sh, "mips-unknown-linux-gnu").unwrap().unwrap();
        assert!(missing.ends_with("rustup target add mips-unknown-linux-musl"), "{missing}");
    }
}
