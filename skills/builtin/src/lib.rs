//! The first-party skills, which are compiled into the router.
//!
//! The router runs its own binary as `... skill <name>` inside the same sandbox that every skill gets:
//! these have no more rights than a skill that somebody dropped into the folder. Their manifests are
//! `router/skills/<name>/skill.toml`.

mod create_post;
mod hello_world;
mod library;
mod machine;
mod notify;
mod web_fetch;
mod workbench;

pub use library::{Root, fatal};

use std::io::Write;
use std::process::ExitCode;

use safeclaw_skill::{serve, serve_calls};

/// A skill's whole `main`.
type Main = fn() -> ExitCode;

const SKILLS: [(&str, Main); 7] = [
    ("create_post", || serve_calls(create_post::run)),
    ("hello_world", || serve(hello_world::run)),
    ("library", library::main),
    ("machine", || serve_calls(machine::run)),
    ("notify", || serve_calls(notify::run)),
    ("web_fetch", || serve_calls(web_fetch::run)),
    ("workbench", workbench::serve),
];

/// The names that a manifest may give as `builtin = "..."`.
pub const NAMES: [&str; 7] =
    [SKILLS[0].0, SKILLS[1].0, SKILLS[2].0, SKILLS[3].0, SKILLS[4].0, SKILLS[5].0, SKILLS[6].0];

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

    /// The first-party skills whose program has the name of none of them.
    const SHARED: [(&str, &str); 13] = [
        ("search_docs", "library"),
        ("search_public_docs", "library"),
        ("list_public_docs", "library"),
        ("embed_docs", "library"),
        ("list_docs", "library"),
        ("index_doc", "library"),
        ("publish_doc", "library"),
        ("forget_doc", "library"),
        ("exec", "machine"),
        ("read_file", "machine"),
        ("grep_files", "machine"),
        ("find_files", "machine"),
        ("send_file", "machine"),
    ];

    #[test]
    fn every_name_has_a_manifest_that_names_it() {
        for name in NAMES {
            let shared = SHARED.iter().filter(|(_, program)| *program == name);
            let mut folders: Vec<&str> = shared.map(|(folder, _)| *folder).collect();
            if folders.is_empty() {
                folders.push(name);
            }
            for folder in folders {
                // No home is given that one any more.
                let path = match folder {
                    "hello_world" => "../retired/hello_world/skill.toml".to_owned(),
                    folder => format!("../../router/skills/{folder}/skill.toml"),
                };
                let manifest = std::fs::read_to_string(&path).unwrap();
                assert!(manifest.contains(&format!("builtin = \"{name}\"\n")), "{path}");
                let action = folder.to_uppercase();
                assert!(manifest.contains(&format!("name = \"{action}\"\n")), "{path}");
            }
        }
    }

    #[test]
    fn an_unknown_name_fails() {
        assert_eq!(format!("{:?}", run("no_such")), format!("{:?}", ExitCode::FAILURE));
    }
}
