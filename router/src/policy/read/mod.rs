//! From the text of router/policy.toml to [`Rules`]: everything that is wrong is found at once, with its line.

mod clashes;
mod reading;
mod rule;
mod sections;

#[cfg(test)]
mod tests;

use sha2::{Digest, Sha256};
use toml::de::DeTable;

use self::reading::{Reading, Section};
use super::fault::Fault;
use super::rules::Rules;

/// What the file may hold.
const KEYS: [&str; 6] = ["effects", "approval", "limits", "pin", "hosts", "rules"];

/// A policy that holds, with what should be looked at all the same.
#[derive(Debug)]
pub struct Checked {
    /// The rules.
    pub rules: Rules,
    /// What is allowed and seldom meant.
    pub warnings: Vec<Fault>,
}

/// Reads a policy.
///
/// # Errors
/// Everything that is wrong, by line.
pub fn read(text: &str) -> Result<Checked, Vec<Fault>> {
    let mut reading = Reading::of(text);
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let fix = "mend it; what stands below it was not looked at yet";
            reading.fault(&error.span().unwrap_or(0..0), error.message(), fix);
            return Err(reading.faults);
        }
    };
    let file = Section { name: "the file".to_owned(), table: document.get_ref() };
    reading.check_keys(&file, &KEYS);
    let rules = Rules {
        effects: sections::effects(&mut reading, &file),
        approval: sections::approval(&mut reading, &file),
        limits: sections::limits(&mut reading, &file),
        pin: sections::pin(&mut reading, &file),
        rules: rule::rules(&mut reading, &file),
        named_hosts: sections::named_hosts(&mut reading, &file),
        version: data_encoding::HEXLOWER.encode(&Sha256::digest(text)),
    };
    reading.finish(rules)
}
