//! What is put into the library: a document and what is known about it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Document, Element, Role};

/// What every document is, as stored: something that was indexed.
pub(crate) const KIND: &str = "kb";

/// A document and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it came from.
    pub element: Element,
    /// Who may see it.
    pub role: Role,
    /// Where it is: a file's canonical path.
    pub place: String,
    /// The name that people are told.
    pub name: String,
    /// Whether the owner wrote it; all else is others' text.
    pub own: bool,
    /// When the file was changed last, in milliseconds since 1970; 0 when nobody knows.
    pub changed_at: i64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// What was read.
    pub document: Document,
}

impl Item {
    /// Its identity: role and place, so that equal names never meet.
    #[must_use]
    pub fn id(&self) -> String {
        self.id_as(self.role)
    }

    /// The identity that it has under another role.
    #[must_use]
    pub fn id_as(&self, role: Role) -> String {
        id(role, &self.place)
    }
}

/// The identity of what stands at `place` under `role`: 16 hexadecimal digits.
pub(crate) fn id(role: Role, place: &str) -> String {
    hex(&[role.to_string().as_bytes(), KIND.as_bytes(), place.as_bytes()])
}

/// The first 16 hexadecimal digits of a digest of `parts`, each with its length before it.
pub(crate) fn hex(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().take(8).fold(String::with_capacity(16), |mut text, byte| {
        use std::fmt::Write as _;
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// An item as it is kept on disk, the truth from which the index is built again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept<'a> {
    kind: Cow<'a, str>,
    element: Cow<'a, str>,
    role: String,
    place: Cow<'a, str>,
    name: Cow<'a, str>,
    own: bool,
    changed_at: i64,
    bytes: u64,
    pub(crate) created_at: i64,
    document: Cow<'a, Document>,
}

impl<'a> Kept<'a> {
    pub(crate) fn of(item: &'a Item, created_at: i64) -> Self {
        Self {
            kind: Cow::Borrowed(KIND),
            element: Cow::Borrowed(item.element.as_str()),
            role: item.role.to_string(),
            place: Cow::Borrowed(&item.place),
            name: Cow::Borrowed(&item.name),
            own: item.own,
            changed_at: item.changed_at,
            bytes: item.bytes,
            created_at,
            document: Cow::Borrowed(&item.document),
        }
    }

    pub(crate) fn item(self) -> Option<Item> {
        if self.kind != KIND {
            return None;
        }
        Some(Item {
            element: Element::of_word(&self.element)?,
            role: Role::read(&self.role)?,
            place: self.place.into_owned(),
            name: self.name.into_owned(),
            own: self.own,
            changed_at: self.changed_at,
            bytes: self.bytes,
            document: self.document.into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_of_different_roles_and_folders_are_different_items() {
        let ids = [
            id(Role::Admin, "a/report.pdf"),
            id(Role::Public, "a/report.pdf"),
            id(Role::Public, "b/report.pdf"),
            id(Role::Public, "report.pdf"),
        ];
        let different: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert!(ids.iter().all(|id| id.len() == 16));
    }
}
