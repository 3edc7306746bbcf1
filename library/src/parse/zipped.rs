//! Archives: parts are read by name from memory, never written, and never more than the budget.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{Budget, broken};
use crate::ParseError;

/// An open archive, with what is left of its budget.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
    limit: u64,
    what: &'static str,
}

impl<'a> Archive<'a> {
    pub(super) fn open(
        bytes: &'a [u8],
        budget: &Budget,
        what: &'static str,
    ) -> Result<Self, ParseError> {
        // A Word or Excel file with a password is an older container, of which only the name is known here.
        if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
            return Err(ParseError::Encrypted);
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(what, error))?;
        if zip.len() > budget.parts {
            let why = format!("it has {} parts, and {} are the limit", zip.len(), budget.parts);
            return Err(broken(what, why));
        }
        Ok(Self { zip, left: budget.unpacked, limit: budget.unpacked, what })
    }

    /// The part `name`, unpacked; none when the archive has no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ParseError> {
        let part = match self.zip.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(refused(self.what, &error)),
        };
        if part.encrypted() {
            return Err(ParseError::Encrypted);
        }
        let mut bytes = Vec::new();
        let read = part.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| broken(self.what, error))?;
        self.left = self
            .left
            .checked_sub(bytes.len() as u64)
            .ok_or(ParseError::Bomb { limit: self.limit })?;
        Ok(Some(bytes))
    }

    /// The part `name` of a file that cannot be without it.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>, ParseError> {
        let missing = || broken(self.what, format!("it has no {name}"));
        let missing = missing();
        self.part(name)?.ok_or(missing)
    }

    /// Unpacks all parts to nowhere, and says when they are too much. What an archive tells of its sizes
    /// may be a lie.
    pub(super) fn measure(mut self) -> Result<(), ParseError> {
        for index in 0..self.zip.len() {
            let part = self.zip.by_index(index).map_err(|error| refused(self.what, &error))?;
            if part.encrypted() {
                return Err(ParseError::Encrypted);
            }
            let copied = std::io::copy(&mut part.take(self.left + 1), &mut std::io::sink());
            let copied = copied.map_err(|error| broken(self.what, error))?;
            self.left =
                self.left.checked_sub(copied).ok_or(ParseError::Bomb { limit: self.limit })?;
        }
        Ok(())
    }
}

fn refused(what: &'static str, error: &ZipError) -> ParseError {
    match error {
        ZipError::UnsupportedArchive(words) if *words == ZipError::PASSWORD_REQUIRED => {
            ParseError::Encrypted
        }
        ZipError::InvalidPassword => ParseError::Encrypted,
        other => broken(what, other),
    }
}
