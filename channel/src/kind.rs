//! What a file is, by its bytes alone: no name and no word of whoever sends it counts.

/// What a browser shows as a picture.
const PICTURES: [(&[u8], &str); 4] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
];

/// The kind of a picture that a page may show; none for anything else, such as SVG, which can hold a script.
pub(crate) fn picture(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    PICTURES.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, kind)| *kind)
}

/// The kind of a file, as people and models are told of it.
pub(crate) fn of(bytes: &[u8]) -> &'static str {
    if let Some(kind) = picture(bytes) {
        return kind;
    }
    if bytes.starts_with(b"%PDF-") {
        return "application/pdf";
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return "application/zip";
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_bytes_and_no_script_is_one() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\nx"[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBP", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
            (b"<!doctype html>", None),
            (b"\x89PNG", None),
            (b"", None),
        ] {
            assert_eq!(picture(bytes), kind, "{bytes:?}");
        }
        assert_eq!(of(b"<svg onload=alert(1)>"), "text/plain");
        assert_eq!(of(b"%PDF-1.7"), "application/pdf");
        assert_eq!(of(b"\0\x01"), "application/octet-stream");
    }
}
