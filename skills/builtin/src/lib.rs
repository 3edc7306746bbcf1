//! The first-party skills, which are compiled into the router.
//!
//! The router runs its own binary as `... skill <name>` inside the same sandbox that every skill gets:
//! these have no more rights than a skill that somebody dropped into the folder. Their manifests are
//! `router/skills/<name>/skill.toml`.

mod create_post;
mod hello_world;
mod web_fetch;
mod workbench;

use std::io::Write;
use std::process::ExitCode;

use safeclaw_skill::{serve, serve_calls};

/// A skill's whole `main`.
type Main = fn() -> ExitCode;

const SKILLS: [(&str, Main); 4] = [
    ("create_post", || serve_calls(create_post::run)),
    ("hello_world", || serve(hello_world::run)),
    ("web_fetch", || serve_calls(web_fetch::run)),
    ("workbench", workbench::serve),
];

/// The names that a manifest may give as `builtin = "..."`.
pub const NAMES: [&str; 4] = [SKILLS[0].0, SKILLS[1].0, SKILLS[2].0, SKILLS[3].0];

/// Is the skill `name` from here on: reads the call on standard input and answers it on standard output.
#[must_use]
pub fn run(name: &str) -> ExitCode {
    if let Some((_, skill)) = SKILLS.iter().find(|(known, _)| *known == name) {
        return skill();
    }
    let known = NAMES.join(", ");
    // Without a standard error there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "there is no built-in skill {name:?}; there are {known}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_manifest_that_names_it() {
        for name in NAMES {
            let path =
                format!("{}/../../router/skills/{name}/skill.toml", env!("CARGO_MANIFEST_DIR"));
            let manifest = std::fs::read_to_string(&path).unwrap();
            assert!(manifest.contains(&format!("builtin = \"{name}\"\n")), "{path}");
            assert!(manifest.contains(&format!("name = \"{}\"\n", name.to_uppercase())), "{path}");
        }
    }

    #[test]
    fn an_unknown_name_fails() {
        assert_eq!(format!("{:?}", run("no_such")), format!("{:?}", ExitCode::FAILURE));
    }
}
