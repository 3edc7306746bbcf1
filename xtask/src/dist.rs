//! Makes what is handed out, and says each step.
//!
//! ```text
//!   cargo metadata ──► parts ──► list of parts, licences
//!   programs ──► tree (the files as they are installed) ──► .tar.gz, .deb
//!       └──► context of the container images            all of it ──► SHA256SUMS
//! ```
//!
//! The same commit and the same compiler give the same bytes: all times are the commit's.

mod bom;
mod deb;
mod image;
mod licences;
mod parts;
mod programs;
mod tree;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::setup::is_there;
use parts::Parts;
use programs::Programs;
use tree::Tree;

/// The programs that pack, and the package of Debian that has each.
const TOOLS: [(&str, &str); 4] =
    [("tar", "tar"), ("gzip", "gzip"), ("sha256sum", "coreutils"), ("dpkg-deb", "dpkg")];

/// What is to be made.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Dist {
    /// The folder for all of it
    #[arg(long, value_name = "DIR", default_value = "target/packages")]
    out: PathBuf,
    /// The profile that the programs are built with; release is quicker, and makes larger ones
    #[arg(long, default_value = "dist")]
    profile: String,
    /// Take the programs from this folder, and build none
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
}

/// What several of the files tell.
#[derive(Debug)]
struct Facts {
    version: String,
    /// The commit, and when it was made, in seconds since 1970.
    commit: String,
    time: String,
    /// What the programs were built for, such as `x86_64-unknown-linux-gnu`.
    target: String,
    /// The oldest glibc that has all they use; none when they are static.
    glibc: Option<String>,
}

/// Makes everything.
///
/// # Errors
/// What is missing, or can't be built or written.
pub(crate) fn run(sh: &Shell, wanted: &Dist) -> Result<()> {
    let missing: Vec<_> = TOOLS.iter().filter(|(tool, _)| !is_there(sh, tool)).collect();
    for (tool, package) in &missing {
        eprintln!("{tool} is missing; on Debian: apt-get install {package}");
    }
    ensure!(missing.is_empty(), "nothing was made; install what is missing");
    sh.create_dir(&wanted.out)?;
    let out = sh.current_dir().join(&wanted.out).canonicalize()?;
    let programs = step("programs", || Programs::find(sh, wanted))?;
    eprintln!("{programs}");
    let parts = step("parts and licences", || Parts::of(sh, &programs.target))?;
    let facts = facts(sh, &parts, &programs)?;
    let bom = bom::json(&parts, &facts)?;
    let licences = licences::text(&parts)?;
    let name = format!("safeclaw-{}-{}", facts.version, facts.target);
    let named = |end: &str| out.join(format!("{name}{end}"));
    let made = [
        named(".tar.gz"),
        out.join(deb::name(&facts)?),
        named("-images.tar.gz"),
        named(".cdx.json"),
        named("-licences.txt"),
    ];
    sh.write_file(&made[3], &bom)?;
    sh.write_file(&made[4], &licences)?;
    let tree = step("files", || Tree::of(sh, &programs, &bom, &licences))?;
    step("archive", || pack(sh, tree.path(), &facts, &made[0]))?;
    step("Debian package", || deb::make(sh, tree.path(), &facts, &made[1]))?;
    let context = step("context of the images", || image::context(sh, &programs, &facts))?;
    pack(sh, context.path(), &facts, &made[2])?;
    step("sums", || sums(sh, &out, &made))?;
    println!("in {}:", out.display());
    for path in made.iter().chain([&out.join("SHA256SUMS")]) {
        let size = std::fs::metadata(path)?.len();
        println!("{:>9.3} MB  {}", size as f64 / 1e6, file_name(path));
    }
    println!("{programs}\n{} crates of other people are in them", parts.foreign().count());
    Ok(())
}

/// Says what is done now, and does it.
fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("== {name}");
    work().with_context(|| format!("the step \"{name}\" failed"))
}

fn facts(sh: &Shell, parts: &Parts, programs: &Programs) -> Result<Facts> {
    let told = cmd!(sh, "git log -1 --format=%h/%ct").quiet().ignore_stderr().read();
    let told = told.unwrap_or_else(|_| {
        eprintln!("git knows no commit here: the files are those of 1970");
        "unknown/0".to_owned()
    });
    let (commit, time) = told.split_once('/').context("git does not tell the commit")?;
    Ok(Facts {
        version: parts.root().version.clone(),
        commit: commit.to_owned(),
        time: time.to_owned(),
        target: programs.target.clone(),
        glibc: programs.glibc.clone(),
    })
}

/// Packs a folder under the name of the archive, the same way each time: files of root, by their names, with the
/// commit's time.
fn pack(sh: &Shell, folder: &Path, facts: &Facts, to: &Path) -> Result<()> {
    let (time, plain) = (&facts.time, to.with_extension(""));
    let name = file_name(&plain).trim_end_matches(".tar");
    // Where links lead stays as it is.
    let as_named = format!("s,^\\.,{name},S");
    cmd!(
        sh,
        "tar --create --file {plain} --directory {folder} --sort=name --owner=0 --group=0 --numeric-owner --mtime=@{time} --transform {as_named} ."
    )
    .quiet()
    .run()?;
    Ok(cmd!(sh, "gzip --no-name --best --force {plain}").quiet().run()?)
}

fn sums(sh: &Shell, out: &Path, made: &[PathBuf]) -> Result<()> {
    let _there = sh.push_dir(out);
    let files = made.iter().map(|path| file_name(path));
    let sums = cmd!(sh, "sha256sum").args(files).quiet().read()?;
    Ok(sh.write_file("SHA256SUMS", sums + "\n")?)
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// Stands in for the programs: it prints a line for completions, and writes one page.
    const PROGRAM: &str = "#!/bin/sh\ncase $1 in\ncompletions) echo \"complete $2\" ;;\n\
        manual) echo '.TH safeclaw 1' > \"$2/safeclaw.1\" ;;\nesac\n";

    /// Makes everything of programs that need this glibc, twice; gives what is there then, in two folders.
    fn made(sh: &Shell, folder: &Path, glibc: &str) -> [PathBuf; 2] {
        sh.change_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let programs = folder.join("programs");
        for name in programs::NAMES {
            let path = programs.join(name);
            sh.write_file(&path, format!("{PROGRAM}exit\n{glibc}")).unwrap();
            cmd!(sh, "chmod 755 {path}").quiet().run().unwrap();
        }
        ["one", "two"].map(|name| {
            let out = folder.join(name);
            let wanted = Dist {
                out: out.clone(),
                profile: "dist".to_owned(),
                programs: Some(programs.clone()),
            };
            run(sh, &wanted).unwrap();
            out
        })
    }

    /// The file of `folder` whose name ends so.
    fn ending(sh: &Shell, folder: &Path, end: &str) -> PathBuf {
        let files = sh.read_dir(folder).unwrap();
        files.into_iter().find(|path| path.to_string_lossy().ends_with(end)).unwrap()
    }

    /// The paths in an archive, without its first folder.
    fn paths(listing: &str) -> BTreeSet<String> {
        let path = |line: &str| Some(line.split_once('/')?.1.to_owned());
        listing.lines().filter_map(path).collect()
    }

    #[test]
    fn what_is_handed_out_is_whole_and_the_same_each_time() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        let [one, two] = made(&sh, folder.path(), "\0GLIBC_2.35\0");
        for path in sh.read_dir(&one).unwrap() {
            let other = two.join(path.file_name().unwrap());
            let bytes = |path: &Path| sh.read_binary_file(path).unwrap();
            assert!(bytes(&path) == bytes(&other), "{} is made anew each time", path.display());
        }
        let archive = ending(&sh, &one, "-gnu.tar.gz");
        let unpacked = folder.path().join("unpacked");
        sh.create_dir(&unpacked).unwrap();
        cmd!(sh, "tar --extract --file {archive} --directory {unpacked} --strip-components=1")
            .run()
            .unwrap();
        let text = |path: &str| sh.read_file(unpacked.join(path)).unwrap();
        assert_eq!(text("share/bash-completion/completions/safeclaw"), "complete bash\n");
        assert_eq!(text("share/fish/vendor_completions.d/safeclaw.fish"), "complete fish\n");
        let router = unpacked.join("bin/start_router");
        assert_eq!(std::fs::read_link(&router).unwrap(), Path::new("safeclaw"));
        assert_eq!(cmd!(sh, "{router} completions it").read().unwrap(), "complete it");
        let page = unpacked.join("share/man/man1/safeclaw.1.gz");
        assert_eq!(cmd!(sh, "gzip --decompress --stdout {page}").read().unwrap(), ".TH safeclaw 1");
        assert!(text("share/doc/safeclaw/copyright").contains("tokio 1."));
        let listing =
            cmd!(sh, "tar --list --verbose --numeric-owner --file {archive}").read().unwrap();
        assert!(listing.lines().all(|line| line.contains(" 0/0 ")), "{listing}");

        let package = ending(&sh, &one, ".deb");
        let field = |name: &str| cmd!(sh, "dpkg-deb --field {package} {name}").read().unwrap();
        assert_eq!([field("Package"), field("Depends")], ["safeclaw", "libc6 (>= 2.35)"]);
        let contents = cmd!(sh, "dpkg-deb --contents {package}").read().unwrap();
        assert!(contents.lines().all(|line| line.contains(" root/root ")), "{contents}");
        for path in ["./usr/bin/safeclaw\n", "./usr/bin/start_agent -> safeclaw\n"] {
            assert!(contents.contains(path), "{contents}");
        }

        let context = ending(&sh, &one, "-images.tar.gz");
        let inside = paths(&cmd!(sh, "tar --list --file {context}").read().unwrap());
        for path in ["Dockerfile", "compose.yaml", "compose.seccomp.json", "bin/start_agent"] {
            assert!(inside.contains(path), "{path}: {inside:?}");
        }
        let _there = sh.push_dir(&one);
        let checked = cmd!(sh, "sha256sum --check SHA256SUMS").quiet().read().unwrap();
        assert_eq!(checked.matches(": OK").count(), 5, "{checked}");
    }

    #[test]
    fn the_list_of_parts_names_licences_sums_and_what_stands_on_what() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        let [one, _] = made(&sh, folder.path(), "");
        let package = ending(&sh, &one, ".deb");
        assert_eq!(cmd!(sh, "dpkg-deb --field {package} Depends").read().unwrap(), "");
        let bom = sh.read_file(ending(&sh, &one, ".cdx.json")).unwrap();
        let bom: Value = serde_json::from_str(&bom).unwrap();
        assert_eq!((&bom["bomFormat"], &bom["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
        let parts = bom["components"].as_array().unwrap();
        let tokio = parts.iter().find(|part| part["name"] == "tokio").unwrap();
        assert_eq!(tokio["licenses"][0]["expression"], "MIT");
        let refs: BTreeSet<&str> = parts
            .iter()
            .chain([&bom["metadata"]["component"]])
            .map(|part| part["bom-ref"].as_str().unwrap())
            .collect();
        let edges = bom["dependencies"].as_array().unwrap();
        assert_eq!(edges.len(), refs.len());
        let ends = edges.iter().flat_map(|edge| edge["dependsOn"].as_array().unwrap());
        assert!(ends.into_iter().all(|end| refs.contains(end.as_str().unwrap())));
        // Each that was fetched is in the other list, too.
        let licences = sh.read_file(ending(&sh, &one, "-licences.txt")).unwrap();
        for part in parts.iter().filter(|part| part["hashes"].is_array()) {
            let [name, version] = ["name", "version"].map(|key| part[key].as_str().unwrap());
            assert!(licences.contains(&format!("\n{name} {version}: ")), "{name}");
        }
    }
}
