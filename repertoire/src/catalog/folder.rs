//! The folders of this machine that a skill is given: named by its manifest, chosen by the owner.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::manifest::{Access, FolderUse};
use crate::config::SkillConfig;

/// The folders at the root of what a skill sees; none of the owner's takes such a place.
const TAKEN: [&str; 24] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "mnt", "nix", "opt",
    "proc", "root", "router", "run", "sbin", "skill", "srv", "sys", "tmp", "usr", "var", "work",
];

/// Folders of the system, which no skill is given, nor anything below them.
const SYSTEM: [&str; 13] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run",
    "/sbin", "/sys", "/usr",
];

/// Folders that hold the folders of many; only one below them can be given.
const OF_MANY: [&str; 8] = ["/home", "/media", "/mnt", "/opt", "/srv", "/tmp", "/var", "/var/tmp"];

/// A folder that a skill sees at `/<name>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Its name in the manifest.
    pub name: String,
    /// Whether the skill may write there, too.
    pub write: bool,
    /// Where it is.
    pub place: Place,
}

/// Where a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Where the owner says, in router/config.json.
    Owners(PathBuf),
    /// Below router/data, made when it is missing.
    Data(PathBuf),
    /// Nowhere: the owner has named none yet.
    Unnamed,
}

/// The manifest's folders with the owner's paths. `data` is where those without one lie.
///
/// # Errors
/// A name that can't be shown, or a wish that no folder stands for.
pub(super) fn folders(
    asked: &BTreeMap<String, FolderUse>,
    config: &SkillConfig,
    data: &Path,
) -> Result<Vec<Folder>, String> {
    if let Some(name) = config.folders.keys().find(|name| !asked.contains_key(*name)) {
        return Err(format!(
            "router/config.json names a folder {name:?}, which is none of this skill's [folders]"
        ));
    }
    asked.iter().map(|(name, folder)| one(name, folder, config, data)).collect()
}

fn one(name: &str, asked: &FolderUse, config: &SkillConfig, data: &Path) -> Result<Folder, String> {
    let letters = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !letters || !(1..=32).contains(&name.len()) || TAKEN.contains(&name) {
        return Err(format!(
            "folders.{name}: choose another name; it is 1 to 32 lower-case letters, digits and _, and the skill sees \
            the folder at /{name}"
        ));
    }
    let place = match config.folders.get(name) {
        Some(path) => Place::Owners(path.clone()),
        None if asked.owners => Place::Unnamed,
        None => Place::Data(data.to_owned()),
    };
    Ok(Folder { name: name.to_owned(), write: asked.access == Access::Write, place })
}

/// `path` as a folder that a skill of `home` may be given.
///
/// # Errors
/// Why not, and what mends it.
pub fn usable(path: &Path, write: bool, home: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    let is_plain =
        path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if !path.is_absolute() || !is_plain {
        return Err(format!("{shown} is no whole path: write it from / on, without . and .."));
    }
    let real = path.canonicalize().map_err(|error| format!("{shown} can't be used: {error}"))?;
    if real != path.components().collect::<PathBuf>() {
        return Err(format!("there is a link on the way to {shown}: write {}", real.display()));
    }
    if !real.is_dir() {
        return Err(format!("{shown} is no folder"));
    }
    if SYSTEM.iter().any(|system| real.starts_with(system)) {
        return Err(format!("{shown} belongs to the system"));
    }
    if OF_MANY.iter().any(|many| real == Path::new(many)) {
        return Err(format!("{shown} holds the folders of many: name one below it"));
    }
    let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    if home.starts_with(&real) {
        return Err(format!("{shown} holds SafeClaw's own home, where policy and secrets lie"));
    }
    if std::env::home_dir().is_some_and(|own| own.starts_with(&real)) {
        return Err(format!("{shown} holds your home directory: name one below it"));
    }
    let ours = real.starts_with(home.join("router/data"))
        || (!write && real.starts_with(home.join("workspace")));
    if real.starts_with(&home) && !ours {
        return Err(format!("{shown} lies in SafeClaw's own home"));
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use testkit::TempHome;

    use super::*;

    fn asked(toml: &str) -> BTreeMap<String, FolderUse> {
        toml::from_str(toml).unwrap()
    }

    fn of(toml: &str, config: &SkillConfig) -> Result<Vec<Folder>, String> {
        folders(&asked(toml), config, Path::new("/h/router/data/library"))
    }

    #[test]
    fn a_folder_is_the_owners_or_our_own() {
        let library = "[library]\naccess = \"write\"\n[papers]\naccess = \"read\"";
        let config = SkillConfig {
            folders: BTreeMap::from([("papers".to_owned(), "/home/x/papers".into())]),
            ..SkillConfig::default()
        };
        let found = of(library, &config).unwrap();
        assert_eq!(found[0].place, Place::Data("/h/router/data/library".into()));
        assert_eq!(found[1].place, Place::Owners("/home/x/papers".into()));
        assert_eq!((found[0].write, found[1].write), (true, false));
        let project = of("[project]\naccess = \"write\"\nowners = true", &SkillConfig::default());
        assert_eq!(project.unwrap()[0].place, Place::Unnamed);
        let none = of("", &config).unwrap_err();
        assert!(none.contains("\"papers\""), "{none}");
    }

    #[test]
    fn names_take_no_place_of_the_system() {
        for name in ["usr", "work", "proc", "router", "A", "\"a/b\"", "\"\"", "\"..\""] {
            let said = of(&format!("[{name}]\naccess = \"read\""), &SkillConfig::default());
            assert!(said.is_err(), "{name}");
        }
    }

    #[test]
    fn what_holds_the_home_or_lies_in_it_is_not_given() {
        let home = TempHome::new();
        let root = home.root().canonicalize().unwrap();
        for inner in ["router/data/library", "workspace/inbox", "router/skills"] {
            fs::create_dir_all(root.join(inner)).unwrap();
        }
        let beside = tempfile::tempdir().unwrap();
        let beside = beside.path().canonicalize().unwrap();
        let may = |path: &Path, write| usable(path, write, &root);
        assert_eq!(may(&beside, true), Ok(beside.clone()));
        assert!(may(&root.join("router/data/library"), true).is_ok());
        assert!(may(&root.join("workspace/inbox"), false).is_ok());
        for (path, why) in [
            (root.as_path(), "holds SafeClaw's own home"),
            (root.parent().unwrap(), "hold"),
            (&root.join("router"), "lies in SafeClaw's own home"),
            (&root.join("router/skills"), "lies in SafeClaw's own home"),
            (&root.join("workspace/inbox"), "lies in SafeClaw's own home"),
            (Path::new("/"), "holds SafeClaw's own home"),
            (Path::new("/etc"), "belongs to the system"),
            (Path::new("/usr/share"), "belongs to the system"),
            (Path::new("/tmp"), "of many"),
            (Path::new("relative"), "no whole path"),
            (&beside.join("missing"), "can't be used"),
            (&beside.join("../x"), "no whole path"),
        ] {
            let said = may(path, true).unwrap_err();
            assert!(said.contains(why), "{}: {said}", path.display());
        }
    }

    #[test]
    fn a_link_on_the_way_is_named() {
        let home = TempHome::new();
        let beside = tempfile::tempdir().unwrap();
        let beside = beside.path().canonicalize().unwrap();
        fs::create_dir_all(beside.join("real/project")).unwrap();
        symlink(beside.join("real"), beside.join("link")).unwrap();
        let said = usable(&beside.join("link/project"), true, home.root()).unwrap_err();
        assert!(
            said.ends_with(&format!("write {}", beside.join("real/project").display())),
            "{said}"
        );
    }
}
