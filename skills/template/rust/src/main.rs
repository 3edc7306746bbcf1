//! {{NAME}}: how many words and characters a text has. Make it your own.
//!
//! Build it with `cargo build --release` in this folder: the router then picks it up by itself.
//! `cargo test` tries it without a router. Log with `eprintln!`; standard output is the answer.

use std::process::ExitCode;

use safeclaw_skill::{SkillError, serve};
use serde::{Deserialize, Serialize};

/// What the skill is called with: the same as `[params]` in skill.toml.
#[derive(Deserialize)]
struct Params {
    text: String,
}

/// What it answers, as one JSON object.
#[derive(Serialize)]
struct Counted {
    words: usize,
    characters: usize,
}

fn main() -> ExitCode {
    // `serve_calls` also hands over the settings, the network and whether this is a dry run.
    serve(count)
}

fn count(params: Params) -> Result<Counted, SkillError> {
    if params.text.trim().is_empty() {
        // These words reach the person who asked; `?` on any error does the same.
        return Err(SkillError::new("the text is empty"));
    }
    Ok(Counted {
        words: params.text.split_whitespace().count(),
        characters: params.text.chars().count(),
    })
}

#[cfg(test)]
mod tests {
    use safeclaw_skill::testing::{Trial, check_examples};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_examples_in_skill_toml_fit() {
        check_examples::<Params>("skill.toml").unwrap();
    }

    #[test]
    fn a_text_is_counted() {
        let answer = Trial::default().run(|params, _| count(params), json!({"text": "Hello World"}));
        assert_eq!(answer, Ok(json!({"words": 2, "characters": 11})));
    }
}
