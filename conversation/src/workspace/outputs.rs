//! What the files of the output folder bring into a conversation that reads them.

use std::collections::BTreeMap;

use document::Document;
use protocol::Reads;

/// Name of a file directly in `output/` -> what it brings. A file that is not listed counts as private text of others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Outputs(pub(super) BTreeMap<String, Reads>);

impl Document for Outputs {
    const LIMIT: u64 = 1024 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        document::json(text).map(Self)
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}
