//! HELLO_WORLD: a greeting. It reaches nothing, so it shows that the way to the sandbox and back works.

use safeclaw_skill::SkillError;
use serde::{Deserialize, Serialize};

/// What it is called with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Who is greeted; the world when nobody is named.
    name: Option<String>,
}

/// What it answers.
#[derive(Debug, Serialize)]
pub(crate) struct Greeting {
    greeting: String,
}

pub(crate) fn run(params: Params) -> Result<Greeting, SkillError> {
    let name = params.name.as_deref().map_or("World", str::trim);
    Ok(Greeting { greeting: format!("Hello, {}!", if name.is_empty() { "World" } else { name }) })
}

#[cfg(test)]
mod tests {
    use safeclaw_skill::testing::{Trial, check_examples};
    use serde_json::json;

    use super::*;

    #[test]
    fn greets_by_name_or_the_world() {
        for (params, greeting) in [
            (json!({"name": "Frankie"}), "Hello, Frankie!"),
            (json!({"name": " "}), "Hello, World!"),
            (json!({}), "Hello, World!"),
        ] {
            let answer = Trial::default().run(|params, _| run(params), params).unwrap();
            assert_eq!(answer, json!({"greeting": greeting}));
        }
    }

    #[test]
    fn the_manifests_examples_fit() {
        check_examples::<Params>("../retired/hello_world/skill.toml").unwrap();
    }
}
