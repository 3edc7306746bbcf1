//! `/help`: lists the commands that one may use here.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use super::table::{TABLE, Who};

#[derive(Debug)]
struct Help;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Help))
}

#[async_trait]
impl Perform for Help {
    async fn perform(&self, at: At<'_>) {
        at.text(help(at.session.is_owners()));
    }
}

/// Every command that the owner, or a guest, may use.
fn help(is_owner: bool) -> String {
    let mut text = String::from("Say what you want in your own words, or use a command:\n");
    for entry in TABLE.iter().filter(|entry| is_owner || entry.who == Who::Everyone) {
        // Writing to a String can't fail.
        let _ = writeln!(text, "  {:<22} {}", entry.usage, entry.about);
    }
    let ends = "Ctrl-C stops an answer; quit, exit or q ends the chat.";
    text.push_str(if is_owner { ends } else { "What else there is, only the owner may use." });
    text
}
