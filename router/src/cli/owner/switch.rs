//! `stop` and `resume`: the kill switch.

use home::Home;

use super::places::places;
use super::{MYSELF, OwnerError};
use crate::switch::Switch;

/// Throws the switch in every place.
pub(in crate::cli) async fn stop(home: &Home) -> Result<(), OwnerError> {
    for place in places(home)? {
        Switch::new(place.store).throw(MYSELF).await?;
        println!("stopped: {}", place.name);
    }
    println!("nothing begins any more, and what runs is stopped; `resume` lets it go on");
    Ok(())
}

/// Puts it back in every place.
pub(in crate::cli) async fn resume(home: &Home) -> Result<(), OwnerError> {
    for place in places(home)? {
        let was_thrown = Switch::new(place.store).put_back().await?;
        let said = if was_thrown { "goes on" } else { "was not stopped" };
        println!("{said}: {}", place.name);
    }
    Ok(())
}
