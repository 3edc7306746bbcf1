//! Where a driver is installed, and the browser that it drives.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What drivers are called: by Chromium's own build, which Debian's package `chromium-driver` takes over, and by others.
const DRIVERS: [&str; 2] = ["chromedriver", "chromium.chromedriver"];

/// What ChromeDriver itself looks for (its chrome_finder.cc).
const BROWSERS: [&str; 5] =
    ["google-chrome", "chrome", "chromium", "chromium-browser", "google-chrome-stable"];

/// The first driver in a folder of `search`, if there is a browser as well.
pub(super) fn driver(search: &OsStr) -> Option<PathBuf> {
    first(search, &BROWSERS)?;
    first(search, &DRIVERS)
}

fn first(search: &OsStr, names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        std::env::split_paths(search).filter(|path| path.is_absolute()).collect();
    let paths = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.into_iter().find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_driver_counts_only_with_a_browser() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let search = std::env::join_paths([Path::new("."), folder.path()]).unwrap();
        put("chromedriver", 0o755);
        assert_eq!(driver(&search), None);
        put("chromium", 0o644);
        assert_eq!(driver(&search), None, "it can't be run");
        put("chromium", 0o755);
        assert_eq!(driver(&search), Some(folder.path().join("chromedriver")));
        assert_eq!(driver(OsStr::new("")), None);
    }
}
