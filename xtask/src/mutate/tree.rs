//! A copy of the tree in which a control may be missing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

/// Where it is. What is built from it stays between runs.
const FOLDER: &str = "target/mutants";

/// The copy.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    build: PathBuf,
}

impl Tree {
    /// Copies what git knows or would know. Files that are the same already are left alone, so that little is
    /// built again.
    ///
    /// # Errors
    /// When git or the disk refuses.
    pub(crate) fn copy(sh: &Shell) -> Result<Self> {
        let from = sh.current_dir();
        let root = from.join(FOLDER).join("tree");
        let build = from.join(FOLDER).join("build");
        let listed =
            cmd!(sh, "git ls-files --cached --others --exclude-standard").quiet().read()?;
        let files: BTreeSet<&str> = listed.lines().filter(|file| sh.path_exists(file)).collect();
        sh.create_dir(&root)?;
        for file in &files {
            let (old, new) = (from.join(file), root.join(file));
            let same =
                sh.path_exists(&new) && sh.read_binary_file(&old)? == sh.read_binary_file(&new)?;
            if !same && old.is_file() {
                sh.create_dir(new.parent().unwrap_or(&root))?;
                std::fs::copy(&old, &new)?;
                // As new as can be: cargo looks at times alone.
                sh.write_file(&new, sh.read_binary_file(&old)?)?;
            }
        }
        remove_others(&root, &root, &files)?;
        Ok(Self { root, build })
    }

    /// Its first folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where it is built.
    pub(crate) fn build(&self) -> &Path {
        &self.build
    }

    /// A file of it.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// Removes what is no longer in the tree.
fn remove_others(root: &Path, folder: &Path, files: &BTreeSet<&str>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let inside = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            remove_others(root, &path, files)?;
        } else if !files.contains(inside.as_str()) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}
