//! How a file ends: its last row, and what a crash may have left behind it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::archive::{self, is_compressed};
use super::row::{Head, Row};

/// How much of a file is read at first, in bytes.
const BLOCK: u64 = 64 * 1024;

/// The end of a file.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// How long the file is, in bytes.
    pub len: u64,
    /// The last row, if it has one.
    pub head: Option<Head>,
    /// What stands behind that row and its line end and is no row.
    pub rest: Vec<u8>,
    /// Whether the last row is there without its line end.
    pub open_line: bool,
}

impl Ending {
    /// Reads the end of the file at `path`; a file that is not there is empty.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        if is_compressed(path) {
            let mut bytes = Vec::new();
            archive::open(path)?.read_to_end(&mut bytes)?;
            let len = bytes.len() as u64;
            return Ok(match last_row(&bytes, true) {
                Some(ending) => Self { len, ..ending },
                None => Self { len, rest: bytes, ..Self::default() },
            });
        }
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            file => file?,
        };
        let len = file.metadata()?.len();
        let mut block = BLOCK;
        loop {
            let from = len.saturating_sub(block);
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(from))?;
            (&mut file).take(len - from).read_to_end(&mut bytes)?;
            if let Some(ending) = last_row(&bytes, from == 0) {
                return Ok(Self { len, ..ending });
            }
            if from == 0 {
                return Ok(Self { len, rest: bytes, ..Self::default() });
            }
            block = block.saturating_mul(8);
        }
    }
}

/// The last row that is whole in `bytes`. Where they are not the `beginning` of the file, the first line
/// is left out: a part of a row may look like one.
fn last_row(bytes: &[u8], beginning: bool) -> Option<Ending> {
    let mut end = bytes.len();
    loop {
        let start = bytes[..end].iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
        if start.is_none() && !beginning {
            return None;
        }
        let start = start.unwrap_or(0);
        if let Some(row) = Row::read(&bytes[start..end]) {
            let open_line = end == bytes.len();
            let rest = bytes.get(end + 1..).unwrap_or_default().to_vec();
            return Some(Ending { head: Some(row.head), rest, open_line, len: 0 });
        }
        end = start.checked_sub(1)?;
    }
}
