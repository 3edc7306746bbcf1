//! Books (EPUB 3.3): the chapters of the spine, in order, each read as a web page.

use std::collections::HashMap;

use super::xml::{Piece, attribute, walk};
use super::{Budget, Parser, broken, html, zipped};
use crate::{Document, ParseError, charset};

const WHAT: &str = "epub";

/// The media types that a chapter has.
const PAGES: [&str; 2] = ["application/xhtml+xml", "text/html"];

pub(super) struct Epub;

impl Parser for Epub {
    fn parse(&self, bytes: &[u8], budget: &Budget) -> Result<Document, ParseError> {
        let mut archive = zipped::Archive::open(bytes, budget, WHAT)?;
        let container = archive.needed("META-INF/container.xml")?;
        let mut package = None;
        walk(&container, WHAT, |piece| {
            if let Piece::Open("rootfile", tag) = piece {
                package = package.take().or_else(|| attribute(tag, "full-path"));
            }
        })?;
        let package = package.ok_or_else(|| broken(WHAT, "its container names no package"))?;
        if archive.part("META-INF/encryption.xml")?.is_some_and(|bytes| locks(&bytes)) {
            return Err(ParseError::Encrypted);
        }
        let chapters = chapters(&archive.needed(&package)?)?;
        let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut document = Document::default();
        for chapter in chapters {
            let path = resolve(folder, &chapter);
            let Some(bytes) = archive.part(&path)? else {
                document.notes.push(format!("The chapter {chapter:?} is missing in the book"));
                continue;
            };
            let page = html::read_xhtml(&charset::decode(&bytes, None));
            document.sections.extend(page.sections);
            document.notes.extend(page.notes);
        }
        Ok(document)
    }
}

/// Whether more than fonts are locked.
fn locks(encryption: &[u8]) -> bool {
    let mut locked = false;
    let walked = walk(encryption, WHAT, |piece| {
        if let Piece::Open("CipherReference", tag) = piece {
            let uri = attribute(tag, "URI").unwrap_or_default().to_ascii_lowercase();
            locked |= [".xhtml", ".html", ".htm", ".xml"].iter().any(|end| uri.ends_with(end));
        }
    });
    locked || walked.is_err()
}

/// The files of the spine, in reading order.
fn chapters(package: &[u8]) -> Result<Vec<String>, ParseError> {
    let mut files = HashMap::new();
    let mut spine = Vec::new();
    walk(package, WHAT, |piece| match piece {
        Piece::Open("item", tag) => {
            let kind = attribute(tag, "media-type").unwrap_or_default();
            if let (true, Some(id), Some(href)) =
                (PAGES.contains(&kind.as_str()), attribute(tag, "id"), attribute(tag, "href"))
            {
                files.insert(id, href);
            }
        }
        Piece::Open("itemref", tag) => spine.extend(attribute(tag, "idref")),
        _ => {}
    })?;
    Ok(spine.iter().filter_map(|id| files.get(id).cloned()).collect())
}

/// The name in the archive of what `href` means in `folder`. It is only ever looked up in the archive.
fn resolve(folder: &str, href: &str) -> String {
    let href = href.split(['#', '?']).next().unwrap_or_default();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    unescape(&parts.join("/"))
}

/// `text` with its `%20` and the like resolved.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chapters_name_is_found_from_the_packages_folder() {
        assert_eq!(resolve("OEBPS", "text/a%20b.xhtml#x"), "OEBPS/text/a b.xhtml");
        assert_eq!(resolve("OEBPS/x", "../c.xhtml"), "OEBPS/c.xhtml");
        assert_eq!(resolve("", "../../../etc/passwd"), "etc/passwd");
        assert_eq!(resolve("", "100%"), "100%");
    }
}
