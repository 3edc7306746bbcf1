//! What a set-up asks about and router/config.json holds: the window, and the folder of papers. Its home may be a draft of another.

use std::path::Path;

use anyhow::Result;
use home::Home;
use window::Address;

use super::library::allowed;
use super::wishes;
use crate::config::WindowPlace;

/// Where the window is shown; none where it is off.
///
/// # Errors
/// router/config.json can't be read.
pub fn window(home: &Home) -> Result<Option<Address>> {
    // A draft has no file that is not wanted.
    let config = wishes::read(home)?;
    let place = config["window"].as_str().unwrap_or("off");
    Ok(WindowPlace::try_from(place.to_owned())?.0)
}

/// Shows the window at `place`, or nowhere.
///
/// # Errors
/// router/config.json can't be read or written.
pub fn set_window(home: &Home, place: Option<Address>) -> Result<()> {
    Ok(wishes::set(home, "window", WindowPlace(place).into())?)
}

/// The folder whose papers `/index` may take.
///
/// # Errors
/// router/config.json can't be read.
pub fn papers(home: &Home) -> Result<Option<String>> {
    Ok(allowed::folder(home)?)
}

/// Opens `folder` for `/index`, or none, in `home`, which is a draft of `real`.
///
/// # Errors
/// It is no folder that a skill may see, or router/config.json can't be read or written.
pub fn set_papers(home: &Home, real: &Home, folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else { return Ok(allowed::close(home)?) };
    Ok(allowed::open(home, &allowed::real(real, folder)?, false)?)
}
