//! Looks for a banner in frames of other sites, which only the driver can enter.

use fantoccini::error::CmdError;
use serde_json::Value;

use super::banner::{Found, SCRIPT};
use super::tab::Tab;
use super::{phrases, trouble};
use crate::look::LookError;

/// Tries the frames one after the other, at most eight. What was clicked in the first one that has a banner.
///
/// The script runs in the frame's own world here, so the frame may answer what it likes: it is believed a
/// word, and nothing depends on that.
///
/// # Errors
/// [`LookError::Browser`] and [`LookError::Slow`].
pub(super) async fn click(tab: &Tab<'_>, frames: &[u16]) -> Result<Option<String>, LookError> {
    for frame in frames.iter().take(8) {
        let entered = tab.clock.within(tab.client.enter_frame(*frame)).await?;
        let answer = match entered {
            Ok(()) => ask(tab).await?,
            Err(_) => None,
        };
        // The window itself is entered again whatever became of the frame.
        let home = tab.clock.within(tab.client.switch_to_window(tab.window.clone())).await?;
        home.map_err(|error| trouble::failed(&error))?;
        if answer.is_some() {
            return Ok(answer);
        }
    }
    Ok(None)
}

async fn ask(tab: &Tab<'_>) -> Result<Option<String>, LookError> {
    let script = format!("return ({SCRIPT})(arguments[0])");
    let args = vec![phrases::args(true)];
    let answer: Result<Value, CmdError> =
        tab.clock.within(tab.client.execute(&script, args)).await?;
    let found = answer.ok().and_then(|value| serde_json::from_value::<Found>(value).ok());
    Ok(found.and_then(|found| found.clicked))
}
