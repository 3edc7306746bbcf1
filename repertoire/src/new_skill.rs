//! Writes the folder of a new skill that works, for its author to change.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use home::{FileError, Home, file};
use protocol::{ActionName, NameError};

use crate::defaults;

/// The languages that there is a template for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Rust, with the kit.
    Rust,
    /// Python 3, with nothing but its standard library.
    Python,
    /// A shell script.
    Sh,
}

/// Why no skill was written.
#[derive(Debug, thiserror::Error)]
pub enum NewSkillError {
    /// It is no name of an action.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It is the name of an action of the agent's.
    #[error("{0} starts with _, which marks an action of the agent; leave the _ out")]
    Local(ActionName),
    /// It is the router's own.
    #[error("{0} is a request to the router itself; choose another name")]
    Reserved(ActionName),
    /// First-party skills go by it.
    #[error("{0} is a process of first-party skills; choose another name")]
    Ours(ActionName),
    /// A folder of that name is there.
    #[error("{} is there already; choose another name, or remove it", .0.display())]
    Exists(PathBuf),
    /// It can't be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// One file of a template: where it goes, whether it can be run, and its text.
struct Template {
    path: &'static str,
    runs: bool,
    text: &'static str,
}

macro_rules! template {
    ($folder:literal, $path:literal, runs: $runs:literal) => {
        Template {
            path: $path,
            runs: $runs,
            text: include_str!(concat!("../../skills/template/", $folder, "/", $path)),
        }
    };
}

// The program comes before the manifest, so that a folder is whole when the router first takes it for one.
const RUST: [Template; 3] = [
    template!("rust", "Cargo.toml", runs: false),
    template!("rust", "src/main.rs", runs: false),
    template!("rust", "skill.toml", runs: false),
];
const PYTHON: [Template; 2] =
    [template!("python", "run", runs: true), template!("python", "skill.toml", runs: false)];
const SH: [Template; 2] =
    [template!("sh", "run", runs: true), template!("sh", "skill.toml", runs: false)];

impl Language {
    fn templates(self) -> &'static [Template] {
        match self {
            Self::Rust => &RUST,
            Self::Python => &PYTHON,
            Self::Sh => &SH,
        }
    }
}

/// Writes the folder of the skill `name` and gives its path.
///
/// # Errors
/// [`NewSkillError`]; a folder that is there already is left alone.
pub fn write(home: &Home, name: &str, lang: Language) -> Result<PathBuf, NewSkillError> {
    let name = ActionName::new(name.to_ascii_uppercase())?;
    if name.is_local() {
        return Err(NewSkillError::Local(name));
    }
    if name.is_reserved() {
        return Err(NewSkillError::Reserved(name));
    }
    // The first-party skills come into a home that has no folder of skills, which this one makes.
    defaults::write_missing(home)?;
    let lower = name.as_str().to_ascii_lowercase();
    if defaults::is_ours(&lower) && !defaults::is_folder(&lower) {
        return Err(NewSkillError::Ours(name));
    }
    let folder = home.router_skills().join(&lower);
    if folder.exists() {
        return Err(NewSkillError::Exists(folder));
    }
    for template in lang.templates() {
        let path = folder.join(template.path);
        if let Some(parent) = path.parent() {
            file::make_folder(parent)?;
        }
        let text = template
            .text
            .replace("{{NAME}}", name.as_str())
            .replace("{{folder}}", &lower)
            .replace("{{kit}}", &kit());
        file::write(&path, text.as_bytes())?;
        let mode = if template.runs { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))
            .map_err(|error| FileError::new("make usable", &path, error))?;
    }
    Ok(folder)
}

/// How a manifest of cargo names the kit: by its folder in the checkout that this router was built from.
fn kit() -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../skills/kit");
    match checkout.canonicalize() {
        Ok(path) => format!("path = {:?}", path.display().to_string()),
        Err(_) => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
    }
}

/// What the author does next.
pub fn next_steps(folder: &Path, lang: Language) -> String {
    let shown = folder.display();
    let build = match lang {
        Language::Rust => format!("\n  cargo build --release --manifest-path {shown}/Cargo.toml"),
        Language::Python | Language::Sh => String::new(),
    };
    format!(
        "{shown} is a skill that works.{build}\n  Change skill.toml and the program; `{}` lets a router run what you \
         changed.\n  `{}` lists it, or says what is wrong with it.",
        home::router_command("trust NAME"),
        home::router_command("skills"),
    )
}
