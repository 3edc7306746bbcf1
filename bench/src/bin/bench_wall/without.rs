//! The wall without a skill's process: what is left of a command when the skill takes no time.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use broker::Responder;
use broker::pipe::PipeRequester;
use broker::redis::{RedisAddress, RedisStore};
use protocol::{Done, QueueNames};
use shared::Folder;
use tokio_util::sync::CancellationToken;

use crate::PAUSE;
use crate::house::{self, House, Runs};
use crate::rounds::Rounds;

/// What is asked for: a look at nothing, something that the session is shown, something that is allowed to go out.
const SKILLS: [&str; 3] = ["look", "read", "post"];

/// About as long as an audit row.
const ROW: [u8; 400] = [b'x'; 400];

/// Measures homes in `folder`: one that keeps its sessions in files, and one that keeps them in the Redis at `url`.
///
/// # Errors
/// When a command is not done.
pub(crate) async fn measure(folder: &Path, url: &str, rounds: usize) -> Result<Rounds> {
    let in_files = House::build(&folder.join("files"), Runs::AtOnce, |home| {
        Ok(Arc::new(Folder::at(home.router_state())))
    })?;
    let in_redis = House::build(&folder.join("redis"), Runs::AtOnce, |_| {
        let address = RedisAddress::new(url)?;
        let store = RedisStore::new(address, QueueNames::default());
        Ok(Arc::new(store.map_err(|problem| anyhow!(problem))?))
    })?;
    let answered = answered_at_once();
    let rows = in_files.home().router_audit().join("rows");
    let rows = OpenOptions::new().create(true).append(true).open(rows)?;
    let mut measured = Rounds::default();
    for round in 0..rounds {
        for (house, kept) in [(&in_files, "files"), (&in_redis, "redis")] {
            for skill in SKILLS {
                tokio::time::sleep(PAUSE).await;
                measured.add(&format!("{skill}_{kept}"), house.ask(skill, round).await?);
            }
        }
        tokio::time::sleep(PAUSE).await;
        measured.add("queue", house::ask(&answered, "look", round).await?);
        tokio::time::sleep(PAUSE).await;
        measured.add("disk", synced_row(&rows)?);
    }
    for kept in ["files", "redis"] {
        measured.compare(&format!("post_{kept}_unsynced"), &format!("post_{kept}"), "disk");
    }
    in_files.end().await?;
    in_redis.end().await?;
    Ok(measured)
}

/// The agent's end of a queue without a wall.
fn answered_at_once() -> PipeRequester {
    let (agent, mut responder, _) = broker::memory::pair(CancellationToken::new());
    tokio::spawn(async move {
        while let Some(request) = responder.receive().await {
            request.reply(Done::default());
        }
    });
    agent
}

/// How long this disk takes to keep one row for good, as the audit log does before something goes out.
fn synced_row(mut rows: &File) -> Result<Duration> {
    let start = Instant::now();
    rows.write_all(&ROW)?;
    rows.sync_data()?;
    Ok(start.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everything_is_measured_in_every_round() {
        let folder = tempfile::tempdir().unwrap();
        let redis = testkit::RedisServer::start();
        let measured = measure(folder.path(), &redis.url(), 3).await.unwrap();
        assert_eq!(measured.counts(), [3; 8]);
    }
}
