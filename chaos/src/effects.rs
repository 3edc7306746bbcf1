//! What routers really did: one line a time in a file that all of them append to.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use protocol::MessageId;

/// The file, open for one more line.
#[derive(Debug)]
pub(crate) struct Effects(File);

impl Effects {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Notes that this process has done what a command asks for. The line is there at once and whole, whatever
    /// becomes of the process, because it is one write.
    pub(crate) fn add(&self, id: &MessageId, attempt: u32) -> io::Result<()> {
        let line = format!("{id} {} {attempt}\n", std::process::id());
        (&self.0).write_all(line.as_bytes())
    }
}

/// How often each command was done.
pub(crate) fn count(path: &Path) -> io::Result<HashMap<String, u64>> {
    let mut counts = HashMap::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let id = line.split(' ').next().unwrap_or_default();
        *counts.entry(id.to_owned()).or_default() += 1;
    }
    Ok(counts)
}
