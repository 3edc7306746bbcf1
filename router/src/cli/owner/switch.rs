//! `stop` and `resume`: the kill switch.

use home::Home;

use super::OwnerError;
use super::places::{Place, deeds, local, places};
use crate::audit::{Deed, MYSELF};
use crate::switch::Switch;

/// Throws the switch in every place that can be reached, and then writes it down: nothing keeps a stop from stopping.
pub(in crate::cli) async fn stop(home: &Home) -> Result<(), OwnerError> {
    let (places, mut failed) = match places(home) {
        Ok(places) => (places, None),
        Err(error) => (vec![local(home)], Some(error)),
    };
    for Place { name, store } in places {
        match Switch::new(store).throw(MYSELF).await {
            Ok(()) => println!("stopped: {name}"),
            Err(fault) => {
                println!("NOT stopped: {name}");
                failed.get_or_insert(fault.into());
            }
        }
    }
    let why = failed.as_ref().map(ToString::to_string);
    let recorded = deeds(home).done(&Deed::Stop, why.as_deref());
    if let Err(error) = recorded {
        eprintln!("the stop is in force, and could not be recorded: {error}");
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let resume = home::router_command("resume");
    println!("nothing begins any more, and what runs is stopped; `{resume}` lets it go on");
    Ok(())
}

/// Puts it back in every place.
pub(in crate::cli) async fn resume(home: &Home) -> Result<(), OwnerError> {
    deeds(home).doing(&Deed::Resume, put_back(home)).await
}

async fn put_back(home: &Home) -> Result<(), OwnerError> {
    for Place { name, store } in places(home)? {
        let was_thrown = Switch::new(store).put_back().await?;
        println!("{}: {name}", if was_thrown { "goes on" } else { "was not stopped" });
    }
    Ok(())
}
