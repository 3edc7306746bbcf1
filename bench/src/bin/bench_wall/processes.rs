//! Skills in the sandbox, through the whole router, beside bare processes of the same programs.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use router::sandbox::SelfCommand;
use serde_json::Value;
use shared::Folder;
use tokio::task::JoinSet;

use crate::PAUSE;
use crate::bare::{self, Talk};
use crate::house::{House, Runs, params};
use crate::rounds::Rounds;

/// How many ask at a time.
const CALLERS: [usize; 2] = [1, 64];

/// Measures a home in `folder` whose sandbox starts `router` for its stages.
///
/// # Errors
/// When a command is not done.
pub(crate) async fn measure(folder: &Path, router: &Path, rounds: usize) -> Result<Rounds> {
    let me = SelfCommand { exe: router.to_owned(), prefix: Vec::new() };
    let house = House::build(&folder.join("sandbox"), Runs::In(me), |home| {
        Ok(Arc::new(Folder::at(home.router_state())))
    })?;
    let mut talk = Talk::with(&house.program("warm"))?;
    // What is prepared by the first calls is no part of the others: the launcher, copies, the process that stays.
    house.ask("once", rounds).await?;
    house.ask("warm", rounds).await?;
    let mut measured = Rounds::default();
    for round in 0..rounds {
        let input = Value::Object(params(round)).to_string();
        tokio::time::sleep(PAUSE).await;
        measured.add("once", house.ask("once", round).await?);
        tokio::time::sleep(PAUSE).await;
        measured.add("once_bare", bare::once(&house.program("once"), &input)?);
        tokio::time::sleep(PAUSE).await;
        measured.add("warm", house.ask("warm", round).await?);
        tokio::time::sleep(PAUSE).await;
        measured.add("warm_bare", talk.ask(&input)?);
    }
    measured.compare("once_more", "once", "once_bare");
    measured.compare("warm_more", "warm", "warm_bare");
    let house = Arc::new(house);
    for callers in CALLERS {
        measured.tell(&format!("once_rate_{callers}"), rate(&house, callers, rounds).await?);
    }
    if let Some(house) = Arc::into_inner(house) {
        house.end().await?;
    }
    Ok(measured)
}

/// How many commands a second come back when so many callers ask for a skill that runs once, each as soon as it is answered.
async fn rate(house: &Arc<House>, callers: usize, rounds: usize) -> Result<f64> {
    let each = (rounds * 10 / callers).max(2);
    let mut asking = JoinSet::new();
    let start = Instant::now();
    for caller in 0..callers {
        let house = Arc::clone(house);
        asking.spawn(async move {
            for round in 0..each {
                house.ask_in(&format!("of-{callers}-{caller}"), "once", round).await?;
            }
            Ok::<_, anyhow::Error>(())
        });
    }
    while let Some(asked) = asking.join_next().await {
        asked??;
    }
    Ok((callers * each) as f64 / start.elapsed().as_secs_f64())
}
