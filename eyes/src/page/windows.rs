//! Closes the windows that a page opens, and stays in its own.

use super::tab::Tab;
use super::trouble;
use crate::look::LookError;

/// The most windows that are closed at a time. A page that opens more loses them with the session.
const MOST: usize = 16;

/// Closes all windows but ours.
///
/// # Errors
/// [`LookError::Browser`] and [`LookError::Slow`].
pub(super) async fn close_others(
    tab: &Tab<'_>,
    remarks: &mut Vec<String>,
) -> Result<(), LookError> {
    const CLOSED: &str = "the page opened other windows, which were closed";
    let windows = tab.clock.within(tab.client.windows()).await?;
    let windows = windows.map_err(|error| trouble::failed(&error))?;
    let others: Vec<_> = windows.into_iter().filter(|window| *window != tab.window).collect();
    if others.is_empty() {
        return Ok(());
    }
    for other in others.into_iter().take(MOST) {
        // One that is gone by now is closed as well.
        if tab.clock.within(tab.client.switch_to_window(other)).await?.is_ok() {
            let _ = tab.clock.within(tab.client.close_window()).await?;
        }
    }
    let home = tab.clock.within(tab.client.switch_to_window(tab.window.clone())).await?;
    home.map_err(|error| trouble::failed(&error))?;
    // A window that lay behind another one has slept.
    tab.command("Page.bringToFront", serde_json::json!({})).await?;
    if !remarks.iter().any(|remark| remark == CLOSED) {
        remarks.push(CLOSED.to_owned());
    }
    Ok(())
}
