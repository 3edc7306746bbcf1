//! Waits until a page has come to rest.

use std::time::Duration;

use serde_json::json;

use super::tab::Tab;
use crate::look::LookError;

/// The most that is waited for a page to come to rest.
const LONGEST: Duration = Duration::from_secs(8);

/// Waits until the page is complete and quiet: no new text, nothing loading. At most 8 s, and at most half of
/// what is left, so that something can still be seen.
///
/// # Errors
/// Those of [`Tab::run`].
pub(super) async fn settle(tab: &Tab<'_>, remarks: &mut Vec<String>) -> Result<(), LookError> {
    const NEVER: &str = "the page never came to rest; this is how it was in the end";
    let longest = (tab.clock.left() / 2).min(LONGEST);
    let args = json!({ "longest": longest.as_millis() as u64 });
    let rested: bool = tab.run(include_str!("scripts/settle.js"), &args).await?;
    if !rested && !remarks.iter().any(|remark| remark == NEVER) {
        remarks.push(NEVER.to_owned());
    }
    Ok(())
}
