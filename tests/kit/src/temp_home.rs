//! A home for the length of a test.

use std::fs;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use home::Home;
use tempfile::TempDir;

/// Its manifest.
const HELLO_WORLD: &str = include_str!("../../../skills/retired/hello_world/skill.toml");

/// An empty home in a temporary folder, which goes with the value. It stands in for a [`Home`].
#[derive(Debug)]
pub struct TempHome {
    home: Home,
    _folder: TempDir,
}

impl TempHome {
    /// Makes one.
    ///
    /// # Panics
    /// When the temporary folder can't be made.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default that makes folders would surprise")]
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("safeclaw-home-").unwrap();
        Self { home: Home::at(folder.path()).unwrap(), _folder: folder }
    }

    /// Makes one with HELLO_WORLD among its skills: a skill without any effect, which no fresh home has.
    ///
    /// # Panics
    /// As [`TempHome::new`].
    #[must_use]
    pub fn greeting() -> Self {
        let home = Self::new();
        home.put_hello_world();
        home
    }

    /// Puts HELLO_WORLD into a home that no router has written yet; the first-party skills come to it then.
    ///
    /// # Panics
    /// As [`TempHome::put`].
    pub fn put_hello_world(&self) {
        self.put("router/skills/hello_world/skill.toml", HELLO_WORLD);
        // A folder of skills without this list counts as one of the first version, which had all of them.
        self.put("router/skills/.known", "hello_world\n");
    }

    /// Puts a skill without effect there, which runs the shell `script` and brings what `reads` says. Its action is its name in
    /// capitals.
    ///
    /// # Panics
    /// As [`TempHome::put`].
    pub fn put_script(&self, name: &str, reads: &str, script: &str) {
        let folder = format!("router/skills/{name}");
        let manifest = format!(
            "name = {:?}\ninstruction = \"Test.\"\neffect = \"none\"\nreads = {reads:?}\ncommand = [\"./run\"]\n",
            name.to_ascii_uppercase()
        );
        self.put(format!("{folder}/skill.toml"), manifest);
        self.put(format!("{folder}/run"), format!("#!/bin/sh\ncat > /dev/null\n{script}\n"));
        let program = self.root().join(folder).join("run");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes a file at a path relative to the home, with the folders above it.
    ///
    /// # Panics
    /// When that is not possible.
    pub fn put(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The text of the file at a path relative to the home.
    ///
    /// # Panics
    /// When there is none, or it is no text.
    #[must_use]
    pub fn text(&self, path: impl AsRef<Path>) -> String {
        let path = self.root().join(path);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }
}

impl Deref for TempHome {
    type Target = Home;
    fn deref(&self) -> &Home {
        &self.home
    }
}
