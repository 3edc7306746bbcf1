//! Turns a file's bytes into text, whatever it was written in.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into the page its own word on its charset is looked for, in bytes (HTML standard, section
/// "Determining the character encoding").
const PRESCAN: usize = 1024;

/// The text of `bytes`: by its byte order mark, else by the `label` of the Content-Type, else by what the
/// page itself says in a `<meta>` or an XML declaration, else as UTF-8 if it is that, else as
/// windows-1252, as browsers do. What does not fit becomes U+FFFD.
#[must_use]
pub fn decode(bytes: &[u8], label: Option<&str>) -> String {
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = named.or_else(|| declared(bytes)).unwrap_or_else(|| guessed(bytes));
    // It looks for a byte order mark first, and removes it.
    encoding.decode(bytes).0.into_owned()
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]).to_ascii_lowercase();
    let xml = head.starts_with("<?xml").then(|| after(&head, "encoding")).flatten();
    let found = xml.or_else(|| {
        head.match_indices("<meta").find_map(|(at, _)| {
            let tag = &head[at..];
            after(&tag[..tag.find('>').unwrap_or(tag.len())], "charset")
        })
    });
    let encoding = Encoding::for_label(found?.as_bytes())?;
    // A page whose declaration could be read as ASCII is not in UTF-16 (the standard says so too).
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// The value in `<name> = "<value>"`, with or without the quotes.
fn after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end =
        value.find(|c: char| c.is_whitespace() || "\"';>?".contains(c)).unwrap_or(value.len());
    Some(&value[..end])
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => UTF_8,
        // The page was cut in the middle of a character.
        Err(error) if error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_taken_from_where_it_is_said_first() {
        let cases: [(&[u8], Option<&str>, &str); 10] = [
            (b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe", Some("iso-8859-1"), "Grüße"),
            (b"\xff\xfeG\0r\0\xfc\0", None, "Grü"),
            (b"Gr\xfc\xdfe", Some("ISO-8859-1"), "Grüße"),
            (b"\x93\xfa\x96{", Some("shift_jis"), "日本"),
            (
                b"<meta charset=\"shift_jis\">\x93\xfa\x96{",
                None,
                "<meta charset=\"shift_jis\">日本",
            ),
            (
                b"<META http-equiv=x content='text/html; Charset=koi8-r'>\xc4\xc1",
                None,
                "<META http-equiv=x content='text/html; Charset=koi8-r'>да",
            ),
            (
                b"<?xml version='1.0' encoding='iso-8859-15'?>\xa4",
                None,
                "<?xml version='1.0' encoding='iso-8859-15'?>€",
            ),
            (b"<meta charset=utf-16>\xc3\xbc", None, "<meta charset=utf-16>ü"),
            (b"Gr\xc3\xbc", Some("no-such-charset"), "Grü"),
            (b"Gr\xfc\xdfe", None, "Grüße"),
        ];
        for (bytes, label, text) in cases {
            assert_eq!(decode(bytes, label), text);
        }
    }

    #[test]
    fn a_page_cut_inside_a_character_is_still_utf8() {
        assert_eq!(decode(b"Gr\xc3\xbc\xc3", None), "Grü\u{fffd}");
    }
}
