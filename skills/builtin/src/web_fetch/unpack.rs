//! Unpacks a compressed body, and no more of it than is wanted.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use safeclaw_skill::SkillError;
use safeclaw_skill::http::Prefix;

/// The first `limit` bytes of what `body` unpacks to. A small body that unpacks to a huge one costs no
/// more time and memory than any other.
pub(super) fn unpack(body: Prefix, encoding: &str, limit: usize) -> Result<Prefix, SkillError> {
    let bytes = body.bytes.as_slice();
    let packed: Box<dyn Read + '_> = match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => return Ok(body),
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(bytes)),
        // RFC 9110 section 8.4.1.2: deflate is zlib's format, but some servers send it bare.
        "deflate" if is_zlib(bytes) => Box::new(ZlibDecoder::new(bytes)),
        "deflate" => Box::new(DeflateDecoder::new(bytes)),
        other => {
            return Err(SkillError::new(format!(
                "the page is compressed as {other:?}, which was not asked for"
            )));
        }
    };
    let mut unpacked = Vec::new();
    let read = packed.take(limit as u64 + 1).read_to_end(&mut unpacked);
    if let (Err(error), false) = (read, body.cut) {
        return Err(SkillError::new(format!("the page's compression is broken: {error}")));
    }
    let cut = body.cut || unpacked.len() > limit;
    unpacked.truncate(limit);
    Ok(Prefix { bytes: unpacked, cut })
}

/// Whether these bytes begin with a header of RFC 1950.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn packed(encoding: &str, text: &[u8]) -> Vec<u8> {
        let best = Compression::best();
        let mut out = Vec::new();
        match encoding {
            "gzip" => GzEncoder::new(&mut out, best).write_all(text).unwrap(),
            "zlib" => ZlibEncoder::new(&mut out, best).write_all(text).unwrap(),
            _ => DeflateEncoder::new(&mut out, best).write_all(text).unwrap(),
        }
        out
    }

    fn whole(bytes: Vec<u8>) -> Prefix {
        Prefix { bytes, cut: false }
    }

    #[test]
    fn every_spelling_of_the_encodings_is_unpacked() {
        for (format, encoding) in
            [("gzip", "gzip"), ("gzip", " X-GZIP"), ("zlib", "deflate"), ("bare", "Deflate")]
        {
            let body = unpack(whole(packed(format, b"Hello")), encoding, 100).unwrap();
            assert_eq!(body, whole(b"Hello".to_vec()), "{format}");
        }
        assert_eq!(unpack(whole(b"Hello".to_vec()), "", 100).unwrap(), whole(b"Hello".to_vec()));
    }

    #[test]
    fn a_bomb_is_cut_at_the_limit() {
        for (format, encoding) in [("gzip", "gzip"), ("zlib", "deflate"), ("bare", "deflate")] {
            let bomb = packed(format, &vec![b'x'; 50_000_000]);
            assert!(bomb.len() < 100_000);
            let body = unpack(whole(bomb), encoding, 1_000).unwrap();
            assert_eq!((body.bytes.len(), body.cut), (1_000, true));
            assert!(body.bytes.capacity() < 1_000_000);
        }
    }

    #[test]
    fn a_body_that_was_cut_gives_what_it_has_and_a_broken_one_is_an_error() {
        // Text that does not repeat, so that half of the packed bytes hold about half of it.
        let text: Vec<u8> =
            (0..20_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let mut bytes = packed("gzip", &text);
        bytes.truncate(bytes.len() / 2);
        let body = unpack(Prefix { bytes: bytes.clone(), cut: true }, "gzip", 1_000_000).unwrap();
        assert!(body.cut && body.bytes.len() > 10_000 && text.starts_with(&body.bytes));
        let error = unpack(whole(bytes), "gzip", 1_000_000).unwrap_err().to_string();
        assert!(error.starts_with("the page's compression is broken"), "{error}");
        let error = unpack(whole(b"Hello".to_vec()), "gzip", 100).unwrap_err().to_string();
        assert!(error.starts_with("the page's compression is broken"), "{error}");
    }

    #[test]
    fn an_encoding_that_was_not_asked_for_is_refused() {
        for encoding in ["br", "zstd", "gzip, gzip"] {
            let error = unpack(whole(vec![1]), encoding, 100).unwrap_err().to_string();
            assert!(error.contains(encoding), "{error}");
        }
    }
}
