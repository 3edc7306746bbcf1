//! `stop` and `resume`: the kill switch.

use home::Home;

use crate::audit::MYSELF;
use crate::owner::{self, OwnerError};

/// Throws the switch in every place that can be reached.
pub(in crate::cli) async fn stop(home: &Home) -> Result<(), OwnerError> {
    let thrown = owner::throw(home, &owner::deeds(home), MYSELF).await;
    let mut failed = thrown.unread;
    for (name, fault) in thrown.places {
        match fault {
            None => home::say!("stopped: {name}"),
            Some(fault) => {
                home::say!("NOT stopped: {name}");
                failed.get_or_insert(fault.into());
            }
        }
    }
    if let Err(error) = thrown.recorded {
        home::say_on_stderr!("the stop is in force, and could not be recorded: {error}");
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let resume = home::resume_command();
    home::say!("nothing begins any more, and what runs is stopped; `{resume}` lets it go on");
    Ok(())
}

/// Puts it back in every place.
pub(in crate::cli) async fn resume(home: &Home) -> Result<(), OwnerError> {
    for (name, was_thrown) in owner::put_back(home, &owner::deeds(home)).await? {
        home::say!("{}: {name}", if was_thrown { "goes on" } else { "was not stopped" });
    }
    Ok(())
}
