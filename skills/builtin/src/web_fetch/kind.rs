//! What kind of text a page is, by its Content-Type.

use safeclaw_skill::SkillError;

/// How a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// HTML: the readable part is looked for.
    Html,
    /// Any other text: it is taken as it stands.
    Plain,
    /// The server does not say: its first character decides.
    Unsaid,
}

impl Kind {
    /// The kind that a Content-Type names; what is no text is refused before its body is read.
    pub(super) fn of(content_type: Option<&str>) -> Result<Self, SkillError> {
        let Some(content_type) = content_type else { return Ok(Self::Unsaid) };
        let essence = content_type.split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        match essence.as_str() {
            "" => Ok(Self::Unsaid),
            "text/html" | "application/xhtml+xml" => Ok(Self::Html),
            "text/plain" | "text/markdown" | "text/csv" => Ok(Self::Plain),
            "application/json" | "application/xml" | "text/xml" => Ok(Self::Plain),
            other if other.ends_with("+json") || other.ends_with("+xml") => Ok(Self::Plain),
            other => Err(SkillError::new(format!(
                "this is no page of text but {other:?}; WEB_FETCH reads HTML, plain text, JSON and XML"
            ))),
        }
    }
}

/// The charset that a Content-Type names.
pub(super) fn charset(content_type: Option<&str>) -> Option<String> {
    content_type?.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_taken_and_everything_else_is_not() {
        for (content_type, kind) in [
            (None, Kind::Unsaid),
            (Some("Text/HTML; charset=utf-8"), Kind::Html),
            (Some("application/xhtml+xml"), Kind::Html),
            (Some("text/plain"), Kind::Plain),
            (Some("application/ld+json"), Kind::Plain),
            (Some("application/atom+xml;charset=utf-8"), Kind::Plain),
        ] {
            assert_eq!(Kind::of(content_type), Ok(kind), "{content_type:?}");
        }
        for other in ["image/png", "application/pdf", "application/octet-stream", "text/javascript"]
        {
            assert!(Kind::of(Some(other)).unwrap_err().to_string().contains(other));
        }
    }

    #[test]
    fn the_charset_is_found_in_any_spelling() {
        assert_eq!(
            charset(Some("text/html; a=b; Charset=\"ISO-8859-1\"")).as_deref(),
            Some("ISO-8859-1")
        );
        assert_eq!(charset(Some("text/html")), None);
        assert_eq!(charset(None), None);
    }
}
