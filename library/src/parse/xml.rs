//! XML as the office formats and books write it: events by local name, entities resolved by the reader.

use html_escape::decode_html_entities;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::broken;
use crate::ParseError;

/// A piece of XML, by local names alone.
pub(super) enum Piece<'a> {
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Text(&'a str),
}

/// Walks `bytes`; an element without inside is opened and closed.
pub(super) fn walk(
    bytes: &[u8],
    what: &'static str,
    mut take: impl FnMut(Piece<'_>),
) -> Result<(), ParseError> {
    let text = crate::charset::decode(bytes, None);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event().map_err(|error| broken(what, error))? {
            Event::Eof => return Ok(()),
            Event::Start(tag) => take(Piece::Open(tag.local_name().as_ref(), &tag)),
            Event::Empty(tag) => {
                take(Piece::Open(tag.local_name().as_ref(), &tag));
                take(Piece::Close(tag.local_name().as_ref()));
            }
            Event::End(tag) => take(Piece::Close(tag.local_name().as_ref())),
            Event::Text(words) => take(Piece::Text(&words)),
            Event::CData(words) => take(Piece::Text(&words)),
            Event::GeneralRef(name) => {
                take(Piece::Text(&decode_html_entities(&format!("&{};", &*name))));
            }
            _ => {}
        }
    }
}

/// The attribute `name` of `tag`, by its local name.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(decode_html_entities(&*found.value).into_owned())
}
