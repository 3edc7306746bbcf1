//! Asks the frames of other sites, which only the driver can enter: for a banner, and for their text.
//!
//! Scripts run in the frame's own world here, so the frame may answer what it likes: it is believed a word, and
//! nothing depends on that.

use fantoccini::error::CmdError;
use serde_json::Value;

use super::banner::{Found, SCRIPT};
use super::tab::Tab;
use super::{phrases, trouble};
use crate::look::LookError;

/// How many frames are asked for a banner.
const MOST_BANNERS: usize = 8;
/// How many frames are read.
const MOST_READ: usize = 8;
/// How much of one frame's text is read, in UTF-16 units.
const MOST_TEXT: usize = 100_000;

/// Tries the frames one after the other. What was clicked in the first one that has a banner.
///
/// # Errors
/// [`LookError::Browser`] and [`LookError::Slow`].
pub(super) async fn click(tab: &Tab<'_>, frames: &[u16]) -> Result<Option<String>, LookError> {
    for frame in frames.iter().take(MOST_BANNERS) {
        let script = format!("return ({SCRIPT})(arguments[0])");
        let answer = ask(tab, *frame, &script, vec![phrases::args(true)]).await?;
        let found = answer.and_then(|value| serde_json::from_value::<Found>(value).ok());
        if let Some(clicked) = found.and_then(|found| found.clicked) {
            return Ok(Some(clicked));
        }
    }
    Ok(None)
}

/// What was read of frames.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Their texts.
    pub(super) texts: Vec<String>,
    /// How many of these were cut at their end.
    pub(super) cut: usize,
    /// How many could not be read, those at no place among them.
    pub(super) unread: usize,
}

/// Reads the frames at these places of the window.
///
/// # Errors
/// [`LookError::Browser`] and [`LookError::Slow`].
pub(super) async fn read(tab: &Tab<'_>, places: &[i32]) -> Result<Texts, LookError> {
    const TEXT: &str = "return document.body ? document.body.innerText.slice(0, arguments[0]) : ''";
    let mut read = Texts::default();
    let known = places.iter().filter_map(|place| u16::try_from(*place).ok());
    for place in known.take(MOST_READ) {
        // One unit more shows that there is more.
        let most = vec![(MOST_TEXT + 1).into()];
        if let Some(Value::String(mut text)) = ask(tab, place, TEXT, most).await? {
            read.cut += usize::from(cut(&mut text));
            read.texts.push(text);
        }
    }
    read.unread = places.len().saturating_sub(read.texts.len());
    Ok(read)
}

/// Cuts a text at [`MOST_TEXT`] units. Whether there was something to cut.
fn cut(text: &mut String) -> bool {
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, character)| {
        units += character.len_utf16();
        (units > MOST_TEXT).then_some(at)
    });
    end.map(|end| text.truncate(end)).is_some()
}

/// What a script says in the frame at a place, and `None` where it says nothing. The window itself is entered again whatever
/// became of the frame.
async fn ask(
    tab: &Tab<'_>,
    place: u16,
    script: &str,
    args: Vec<Value>,
) -> Result<Option<Value>, LookError> {
    let entered = tab.clock.within(tab.client.enter_frame(place)).await?;
    let answer: Option<Result<Value, CmdError>> = match entered {
        Ok(()) => Some(tab.clock.within(tab.client.execute(script, args)).await?),
        Err(_) => None,
    };
    let home = tab.clock.within(tab.client.switch_to_window(tab.window.clone())).await?;
    home.map_err(|error| trouble::failed(&error))?;
    Ok(answer.and_then(Result::ok))
}
