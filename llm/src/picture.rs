//! A picture that goes along with a prompt, to a model that can see.

use data_encoding::BASE64;

/// A JPEG, and what the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its bytes in base64 (RFC 4648, 4), as every API takes them.
    pub(crate) base64: String,
    /// What stands behind the prompt where the picture goes along.
    pub caption: &'static str,
}

impl Picture {
    /// What `bytes` has as its kind.
    pub(crate) const KIND: &'static str = "image/jpeg";

    /// The picture in `bytes`; `None` if that is no JPEG.
    #[must_use]
    pub fn jpeg(bytes: &[u8], caption: &'static str) -> Option<Self> {
        let is_jpeg = bytes.starts_with(&[0xff, 0xd8, 0xff]);
        is_jpeg.then(|| Self { base64: BASE64.encode(bytes), caption })
    }
}
