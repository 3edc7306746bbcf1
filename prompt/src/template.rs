//! The owner's template of the prompt, checked before it is used.

use handlebars::TemplateErrorReason;
use handlebars::template::{HelperTemplate, Template as Parsed, TemplateElement};

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

/// The placeholder of the message, behind all that does not change with it.
pub(super) const MESSAGE: &str = "USER_MESSAGE";

/// Whether a placeholder is one of the template's own, which a default home has.
pub(super) fn is_own(name: &str) -> bool {
    name == HOW || PLACEHOLDERS.contains(&name)
}

/// Why a template can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A placeholder that does not exist.
    #[error("line {line}: {{{{{name}}}}} is no placeholder; {meant}")]
    Unknown {
        /// Where, counted from 1.
        line: usize,
        /// What stands between the braces.
        name: String,
        /// What may stand there, in words.
        meant: String,
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

fn meant(name: &str, known: &[&str]) -> String {
    match home::nearest(name, known.iter().copied()) {
        Some(nearest) => format!("the nearest is {{{{{nearest}}}}}"),
        None => format!("there are {}", known.join(", ")),
    }
}

/// A template in which nothing but known placeholders stands.
#[derive(Debug)]
pub struct Template {
    pieces: Vec<Piece>,
    /// The placeholders that it leaves out, which is allowed.
    missing: Vec<&'static str>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// The owner's words.
    Words(String),
    /// The place of a section.
    Place(&'static str),
}

impl Template {
    /// Checks a template's text, which may name `optional` placeholders besides its own.
    ///
    /// # Errors
    /// [`TemplateError`] names the line and what should stand there.
    pub fn new(text: &str, optional: &[&'static str]) -> Result<Self, TemplateError> {
        let parsed = Parsed::compile(text).map_err(|error| unreadable(&error))?;
        let known: Vec<&'static str> =
            PLACEHOLDERS.into_iter().chain([HOW]).chain(optional.iter().copied()).collect();
        let pieces = pieces(parsed, &known)?;
        let mut template = Self { pieces, missing: Vec::new() };
        if !template.names(MESSAGE) {
            return Err(TemplateError::NoMessage);
        }
        template.missing = PLACEHOLDERS.into_iter().filter(|name| !template.names(name)).collect();
        Ok(template)
    }

    /// The placeholders that the template leaves out.
    #[must_use]
    pub fn missing(&self) -> &[&'static str] {
        &self.missing
    }

    /// Whether it has the place `{{HOW_TO_ANSWER}}`.
    #[must_use]
    pub fn has_place_for_the_form(&self) -> bool {
        self.names(HOW)
    }

    /// Whether it has a place for the section of this name.
    pub(super) fn names(&self, name: &str) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Place(place) if *place == name))
    }

    /// Its words and places, in order. What stands in a section is put there as it is: what looks like a placeholder in it stays
    /// text.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}

fn pieces(parsed: Parsed, known: &[&'static str]) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    for (element, at) in parsed.elements.into_iter().zip(&parsed.mapping) {
        match element {
            TemplateElement::RawString(words) => pieces.push(Piece::Words(words)),
            TemplateElement::Comment(_) => {}
            TemplateElement::Expression(inner) | TemplateElement::HtmlExpression(inner) => {
                pieces.push(Piece::Place(placeholder(&inner, known, at.0)?));
            }
            _ => return Err(TemplateError::NotPlain { line: at.0 }),
        }
    }
    Ok(pieces)
}

fn placeholder(
    inner: &HelperTemplate,
    known: &[&'static str],
    line: usize,
) -> Result<&'static str, TemplateError> {
    let name = match inner.name.as_name() {
        Some(name) if inner.params.is_empty() && inner.hash.is_empty() => name,
        _ => return Err(TemplateError::NotPlain { line }),
    };
    known.iter().copied().find(|known| *known == name).ok_or_else(|| TemplateError::Unknown {
        line,
        name: name.chars().take(80).collect(),
        meant: meant(name, known),
    })
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
        Template::new(text, &[]).unwrap_err().to_string()
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
        let template = Template::new("\\{{X}} {{SOUL_CONTENT}}{{{USER_MESSAGE}}}", &[]).unwrap();
        assert_eq!(template.missing().len(), PLACEHOLDERS.len() - 2);
    }

    #[test]
    fn words_stay_as_they_are_and_optional_places_are_known() {
        let template =
            Template::new("\\{{X}} <b>{{KNOWN}}{{! a note }} & {{USER_MESSAGE}}", &["KNOWN"]);
        let words = |text: &str| Piece::Words(text.to_owned());
        let pieces =
            [words("{{X}} <b>"), Piece::Place("KNOWN"), words(" & "), Piece::Place(MESSAGE)];
        assert_eq!(template.unwrap().pieces(), pieces);
        let error = Template::new("{{KNOWM}} {{USER_MESSAGE}}", &["KNOWN"]).unwrap_err();
        assert!(error.to_string().contains("the nearest is {{KNOWN}}"), "{error}");
    }
}
