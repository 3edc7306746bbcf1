//! The context of the container images: what compose.yaml needs, with programs in it that were built already.

use anyhow::{Context, Result};
use xshell::{Shell, TempDir, cmd};

use super::Facts;
use super::programs::{NAMES, Programs, numbers};
use super::tree::plain_modes;

/// What stands in a Dockerfile in front of all that runs programs; what is before it builds them.
const BASE: &str = " AS base\n";

/// How the Dockerfile takes a program that it has built.
const BUILT: &str = "COPY --from=build /out/";

/// The glibc of the system that the images stand on, Debian 12 (packages.debian.org/bookworm/libc6).
const GLIBC: &str = "2.36";

/// The folder with the context: `docker compose up --build` works in it as in a clone, and compiles nothing.
pub(super) fn context(sh: &Shell, programs: &Programs, facts: &Facts) -> Result<TempDir> {
    let folder = sh.create_temp_dir()?;
    let at = folder.path();
    let dockerfile = without_build(&sh.read_file("Dockerfile")?)?;
    sh.write_file(at.join("Dockerfile"), dockerfile)?;
    for file in ["compose.yaml", "compose.seccomp.json"] {
        sh.copy_file(file, at.join(file))?;
    }
    let bin = at.join("bin");
    sh.create_dir(&bin)?;
    for name in &NAMES[1..] {
        let program = programs.path(name);
        cmd!(sh, "install --mode=755 --target-directory={bin} {program}").quiet().run()?;
    }
    plain_modes(sh, at)?;
    if let Some(glibc) = &facts.glibc
        && numbers(glibc) > numbers(GLIBC)
    {
        eprintln!(
            "the images have glibc {GLIBC}, and these programs need {glibc}: they will not start there. \
             Build them on Debian 12, or static"
        );
    }
    Ok(folder)
}

/// The Dockerfile, without what builds the programs.
fn without_build(dockerfile: &str) -> Result<String> {
    let base = dockerfile.find(BASE).context("the Dockerfile has no stage called base")?;
    let from = dockerfile[..base].rfind('\n').map_or(0, |end| end + 1);
    let rest = &dockerfile[from..];
    let head =
        "# The images of compose.yaml, with the programs in bin/: nothing is compiled here.\n\n";
    Ok(format!("{head}{}", rest.replace(BUILT, "COPY bin/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_take_the_programs_and_the_rest_stays_as_it_is() {
        let sh = Shell::new().unwrap();
        sh.change_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let whole = sh.read_file("Dockerfile").unwrap();
        let made = without_build(&whole).unwrap();
        assert!(!made.contains("cargo") && !made.contains("AS build"), "{made}");
        assert_eq!(made.matches("COPY bin/start_").count(), whole.matches(BUILT).count(), "{made}");
        for stage in ["base", "router", "agent", "ollama"] {
            assert!(made.contains(&format!(" AS {stage}\n")), "{stage}: {made}");
        }
        // Debian 12 has this glibc.
        assert!(whole.contains("FROM debian:12"), "{GLIBC} is the glibc of another system");
    }
}
