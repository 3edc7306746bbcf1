//! Whether this machine can hold a workbench.

use std::path::Path;

use home::Check;

use crate::sandbox::{Launcher, Level, SelfCommand};

const NAME: &str = "workbench";

/// What its environments and its habits need, and what a package calls it.
const PROGRAMS: [(&str, &str); 3] = [("bash", "bash"), ("python3", "python3"), ("git", "git")];

/// Looks at the sandbox and at the programs.
pub(super) async fn check(me: &SelfCommand) -> Check {
    let level = match Launcher::open(me.clone(), &std::env::temp_dir()).await {
        Ok(launcher) => launcher.found().level,
        Err(_) => Level::Nothing,
    };
    let is_there = |name: &str| {
        ["/usr/bin", "/usr/local/bin"].iter().any(|at| Path::new(at).join(name).exists())
    };
    let missing: Vec<_> =
        PROGRAMS.iter().filter(|(name, _)| !is_there(name)).map(|(_, package)| *package).collect();
    told(level, &missing)
}

fn told(level: Level, missing: &[&str]) -> Check {
    let missing = missing.join(" ");
    match level {
        Level::Nothing => Check::warn(
            NAME,
            "this machine can't hold one",
            "mend what the sandbox says; then /work DIR opens a folder",
        ),
        _ if !missing.is_empty() => {
            Check::warn(NAME, format!("it would lack {missing}"), format!("install {missing}"))
        }
        Level::Namespaces => {
            Check::ok(NAME, "/work DIR opens a folder for bash, python and an editor")
        }
        Level::LandlockOnly => Check::warn(
            NAME,
            "it runs here, but .git/hooks and .git/config of a project are not locked",
            "allow unprivileged user namespaces, or look at both before you use git there",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let text = |level, missing: &[&str]| format!("{:?}", told(level, missing));
        assert!(text(Level::Nothing, &[]).contains("can't hold one"));
        assert!(text(Level::Namespaces, &["python3", "git"]).contains("install python3 git"));
        assert!(text(Level::LandlockOnly, &[]).contains("not locked"));
        assert!(text(Level::Namespaces, &[]).contains("/work DIR opens"));
    }
}
