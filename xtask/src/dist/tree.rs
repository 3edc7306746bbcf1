//! The files as they are installed below a prefix such as /usr, in a folder that goes with the value.

use std::path::Path;

use anyhow::Result;
use xshell::{Shell, TempDir, cmd};

use super::programs::{NAMES, Programs};

/// What each shell calls the file with the completions.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/safeclaw"),
    ("zsh", "share/zsh/vendor-completions/_safeclaw"),
    ("fish", "share/fish/vendor_completions.d/safeclaw.fish"),
];

/// Where pages of the manual go.
const PAGES: &str = "share/man/man1";

/// Where a package puts its papers.
const PAPERS: &str = "share/doc/safeclaw";

/// The folder.
pub(super) struct Tree(TempDir);

impl Tree {
    /// One program, the two other names of it, and what it says of itself: its completions and its manual.
    pub(super) fn of(sh: &Shell, programs: &Programs, bom: &str, licences: &str) -> Result<Self> {
        let tree = Self(sh.create_temp_dir()?);
        let at = |path: &str| tree.path().join(path);
        let safeclaw = programs.path(NAMES[0]);
        let bin = at("bin");
        sh.create_dir(&bin)?;
        cmd!(sh, "install --mode=755 --target-directory={bin} {safeclaw}").quiet().run()?;
        for name in &NAMES[1..] {
            let link = bin.join(name);
            cmd!(sh, "ln --symbolic safeclaw {link}").quiet().run()?;
        }
        for (shell, path) in SHELLS {
            let script = cmd!(sh, "{safeclaw} completions {shell}").quiet().read()?;
            sh.write_file(at(path), script + "\n")?;
        }
        let pages = at(PAGES);
        sh.create_dir(&pages)?;
        cmd!(sh, "{safeclaw} manual {pages}").quiet().ignore_stdout().run()?;
        let pages = sh.read_dir(&pages)?;
        cmd!(sh, "gzip --no-name --best").args(pages).quiet().run()?;
        let copyright = format!("{}\n\n{licences}", sh.read_file("LICENSE")?.trim_end());
        sh.write_file(at(PAPERS).join("copyright"), copyright)?;
        sh.write_file(at(PAPERS).join("safeclaw.cdx.json"), bom)?;
        for paper in ["README.md", "CHANGELOG.md"] {
            sh.write_file(at(PAPERS).join(paper), sh.read_file(paper)?)?;
        }
        plain_modes(sh, tree.path())?;
        Ok(tree)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Lets everybody read what is in `folder`, whatever the umask of who packs.
pub(super) fn plain_modes(sh: &Shell, folder: &Path) -> Result<()> {
    Ok(cmd!(sh, "chmod --recursive u=rwX,go=rX {folder}").quiet().run()?)
}
