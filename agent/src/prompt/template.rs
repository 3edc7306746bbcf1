//! The owner's template of the prompt, checked before it is used.

use std::collections::BTreeMap;

use handlebars::template::{HelperTemplate, Template as Parsed, TemplateElement};
use handlebars::{Handlebars, TemplateErrorReason};

/// The placeholders that a template should have, in the order of the built-in template: what changes seldom comes first, because
/// every model server reuses the beginning that two prompts share.
pub const PLACEHOLDERS: [&str; 7] = [
    "SOUL_CONTENT",
    "AGENT_ACTIONS",
    "ROUTER_ACTIONS",
    "MEMORY_CONTENT",
    "ARTIFACT",
    "USER_INPUT_HISTORY",
    MESSAGE,
];

/// The place for how to answer, whose text depends on the model that is asked. A template may leave it out and have
/// words of its own.
pub(super) const HOW: &str = "HOW_TO_ANSWER";

const MESSAGE: &str = "USER_MESSAGE";

/// The placeholders whose values stay the same from turn to turn.
const STABLE: [&str; 4] = ["SOUL_CONTENT", "AGENT_ACTIONS", "ROUTER_ACTIONS", HOW];

/// The names under which the two parts of the template are registered.
const PARTS: [&str; 2] = ["front", "rest"];

/// Why a template can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A placeholder that does not exist.
    #[error("line {line}: {{{{{name}}}}} is no placeholder; {}", meant(.name))]
    Unknown {
        /// Where, counted from 1.
        line: usize,
        /// What stands between the braces.
        name: String,
    },
    /// Something between braces that is more than a name.
    #[error(
        "line {line}: only plain placeholders such as {{{{USER_MESSAGE}}}} may stand between braces, \
         no helpers, blocks or partials; write \\{{{{ for braces that mean nothing"
    )]
    NotPlain {
        /// Where, counted from 1.
        line: usize,
    },
    /// Braces that don't fit together.
    #[error("line {line}: the braces can't be read; every {{{{ needs a name and }}}}")]
    Syntax {
        /// Where, counted from 1.
        line: usize,
    },
    /// The model would never see what was said.
    #[error(
        "{{{{USER_MESSAGE}}}} is missing, so the model would not see the message; add it at the end"
    )]
    NoMessage,
}

fn meant(name: &str) -> String {
    let known = || PLACEHOLDERS.into_iter().chain([HOW]);
    match home::nearest(name, known()) {
        Some(nearest) => format!("the nearest is {{{{{nearest}}}}}"),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    }
}

/// A template in which nothing but known placeholders stands.
#[derive(Debug)]
pub struct Template {
    registry: Handlebars<'static>,
    /// The placeholders that it leaves out, which is allowed.
    missing: Vec<&'static str>,
    /// Whether it has a place for how to answer.
    has_place: bool,
}

impl Template {
    /// Checks a template's text.
    ///
    /// # Errors
    /// [`TemplateError`] names the line and what should stand there.
    pub fn new(text: &str) -> Result<Self, TemplateError> {
        let parsed = Parsed::compile(text).map_err(|error| unreadable(&error))?;
        let names = placeholders(&parsed)?;
        if !names.contains(&MESSAGE) {
            return Err(TemplateError::NoMessage);
        }
        let missing = PLACEHOLDERS.into_iter().filter(|name| !names.contains(name)).collect();
        let has_place = names.contains(&HOW);
        let mut registry = bare_registry();
        for (name, part) in PARTS.into_iter().zip(divided(parsed)) {
            registry.register_template(name, part);
        }
        Ok(Self { registry, missing, has_place })
    }

    /// The placeholders that the template leaves out.
    #[must_use]
    pub fn missing(&self) -> &[&'static str] {
        &self.missing
    }

    /// Whether it has the place `{{HOW_TO_ANSWER}}`.
    #[must_use]
    pub fn has_place_for_the_form(&self) -> bool {
        self.has_place
    }

    /// Puts the values into their places, once: what looks like a placeholder in a value stays text. The text
    /// comes in two parts, the first of which holds nothing that changes from turn to turn.
    ///
    /// # Errors
    /// None for a checked template and a value for each of [`PLACEHOLDERS`] and for how to answer; the words are the engine's.
    pub(super) fn render(&self, values: &BTreeMap<&str, String>) -> Result<[String; 2], String> {
        let part = |name| self.registry.render(name, values).map_err(|error| error.to_string());
        Ok([part(PARTS[0])?, part(PARTS[1])?])
    }
}

/// An engine that can do nothing but put values into places. Its helpers could look into values.
fn bare_registry() -> Handlebars<'static> {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.register_escape_fn(handlebars::no_escape);
    for helper in [
        "if", "unless", "each", "with", "lookup", "raw", "log", "eq", "ne", "gt", "gte", "lt",
        "lte", "and", "or", "not", "len",
    ] {
        registry.unregister_helper(helper);
    }
    registry
}

/// The template up to the first placeholder whose value changes, and the rest of it.
fn divided(mut front: Parsed) -> [Parsed; 2] {
    let changes = |element: &TemplateElement| match element {
        TemplateElement::Expression(inner) | TemplateElement::HtmlExpression(inner) => {
            inner.name.as_name().is_some_and(|name| !STABLE.contains(&name))
        }
        _ => false,
    };
    let at = front.elements.iter().position(changes).unwrap_or(front.elements.len());
    let mut rest = front.clone();
    front.elements.truncate(at);
    front.mapping.truncate(at);
    rest.elements.drain(..at);
    rest.mapping.drain(..at);
    [front, rest]
}

fn placeholders(parsed: &Parsed) -> Result<Vec<&'static str>, TemplateError> {
    let mut names = Vec::new();
    for (element, at) in parsed.elements.iter().zip(&parsed.mapping) {
        match element {
            TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
            TemplateElement::Expression(inner) | TemplateElement::HtmlExpression(inner) => {
                names.push(placeholder(inner, at.0)?);
            }
            _ => return Err(TemplateError::NotPlain { line: at.0 }),
        }
    }
    Ok(names)
}

fn placeholder(inner: &HelperTemplate, line: usize) -> Result<&'static str, TemplateError> {
    let name = match inner.name.as_name() {
        Some(name) if inner.params.is_empty() && inner.hash.is_empty() => name,
        _ => return Err(TemplateError::NotPlain { line }),
    };
    PLACEHOLDERS
        .into_iter()
        .chain([HOW])
        .find(|known| *known == name)
        .ok_or_else(|| TemplateError::Unknown { line, name: name.chars().take(80).collect() })
}

fn unreadable(error: &handlebars::TemplateError) -> TemplateError {
    let line = error.pos().map_or(1, |(line, _)| line);
    match error.reason() {
        TemplateErrorReason::InvalidSyntax(_) => TemplateError::Syntax { line },
        _ => TemplateError::NotPlain { line },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Template::new(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_with_a_template_is_said_with_its_line() {
        let errors = [
            "a\nb {{MEMORY_CONTENTS}} {{USER_MESSAGE}}",
            "{{user_message}}",
            "{{weather}} {{USER_MESSAGE}}",
            "{{USER_MESSAGE}}\n{{#each x}}{{/each}}",
            "{{USER_MESSAGE}} {{lookup a b}}",
            "{{USER_MESSAGE}}\n\n{{> partial}}",
            "{{USER_MESSAGE}} {{this}} {{@root}}",
            "{{USER_MESSAGE}}\n{{#if x}}",
            "one\ntwo {{ USER_MESSAGE",
            "one\ntwo {{}}",
            "",
            "no placeholder at all",
        ]
        .map(error);
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn what_is_left_out_is_known() {
        let template = Template::new("\\{{X}} {{SOUL_CONTENT}}{{{USER_MESSAGE}}}").unwrap();
        assert_eq!(template.missing().len(), PLACEHOLDERS.len() - 2);
    }

    #[test]
    fn a_value_is_never_rendered_again() {
        let template = Template::new("{{USER_MESSAGE}} & {{SOUL_CONTENT}}").unwrap();
        let values = BTreeMap::from([
            ("SOUL_CONTENT", "<soul>".to_owned()),
            ("USER_MESSAGE", "{{SOUL_CONTENT}} {{#each x}} \\{{x}}".to_owned()),
        ]);
        let text = template.render(&values).unwrap();
        assert_eq!(text.concat(), "{{SOUL_CONTENT}} {{#each x}} \\{{x}} & <soul>");
    }
}
