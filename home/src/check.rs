//! One line of a checkup: what was looked at, what was seen there, and what mends it.

use serde::Serialize;

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It works.
    Ok,
    /// It works, and something about it should be changed.
    Warn,
    /// It does not work.
    Fail,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The name of the thing, such as `model`.
    pub name: &'static str,
    /// How it is.
    pub status: Status,
    /// What was tried and what happened, in one line.
    pub seen: String,
    /// What the owner does about it; empty when there is nothing to do.
    pub mend: String,
}

impl Check {
    /// It works.
    #[must_use]
    pub fn ok(name: &'static str, seen: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, seen: seen.into(), mend: String::new() }
    }

    /// It works, and `mend` makes it better.
    #[must_use]
    pub fn warn(name: &'static str, seen: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, seen: seen.into(), mend: mend.into() }
    }

    /// It does not work until `mend` is done.
    #[must_use]
    pub fn fail(name: &'static str, seen: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, seen: seen.into(), mend: mend.into() }
    }
}
