//! What the files of the output folder bring into a conversation that reads them.

use std::collections::BTreeMap;

use document::Json;
use protocol::Reads;
use serde::{Deserialize, Serialize};

/// Name of a file directly in `output/` -> what it brings. A file that is not listed counts as private text of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Outputs(pub(super) BTreeMap<String, Reads>);

impl Json for Outputs {
    const LIMIT: u64 = 1024 * 1024;
}
