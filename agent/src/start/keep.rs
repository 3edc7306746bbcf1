//! How long conversations are kept: looked at when the agent starts, and every day. And when what is known of customers is brought
//! to the disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use business::Reception;
use conversation::workspace::{SessionFiles, Workspace, session_folders};
use document::{File, SaveError};
use journal::Journal;
use notes::{HouseTime, newest_log, prune_logs};
use protocol::Millis;
use settings::MemoryDays;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// How often what is known of customers is brought to the disk, if there is news.
const SOON: Duration = Duration::from_secs(1);

/// Does `work`, and beside it removes what is too old and keeps what is known of customers.
pub(super) async fn beside(
    work: impl Future<Output = ()>,
    (workspace, days): (Arc<Workspace>, MemoryDays),
    reception: Arc<Reception>,
) {
    tokio::join!(work, keep(workspace, days), keep_customers(reception));
}

async fn keep_customers(reception: Arc<Reception>) {
    loop {
        tokio::time::sleep(SOON).await;
        if !reception.is_kept() {
            keep_now(&reception).await;
        }
    }
}

/// Brings to the disk what is known of customers.
pub(super) async fn keep_now(reception: &Arc<Reception>) {
    let reception = Arc::clone(reception);
    if let Ok(Err(error)) = tokio::task::spawn_blocking(move || reception.keep()).await {
        tracing::warn!("{error}; what is known of customers is so until the agent ends");
    }
}

/// Removes what is too old, again and again.
async fn keep(workspace: Arc<Workspace>, days: MemoryDays) {
    loop {
        let there = Arc::clone(&workspace);
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || once(&there, days)).await {
            tracing::warn!(%error, "what is too old stays for now");
        }
        tokio::time::sleep(EVERY).await;
    }
}

fn once(workspace: &Workspace, days: MemoryDays) -> Result<(), SaveError> {
    let (folder, notices) = (workspace.folder(), workspace.notices());
    let file = File::<HouseTime>::new(folder.join("memory-kept.json"), notices);
    let clock = Millis::of_this_machine();
    let Some((time, jumped)) = file.read().next(clock, newest_log(&folder.join("log"))) else {
        return Ok(());
    };
    if jumped {
        notices.add(
            "this machine's clock is far ahead of what was kept last, so conversations are only removed as if a week \
             had passed; if the clock is wrong, set it right",
        );
    }
    file.save(time)?;
    let logs = time.days_ago(days.logs.get());
    prune(folder, time.days_ago(days.owner.get()), logs)?;
    for guest in session_folders(&workspace.sessions())? {
        prune(&guest, time.days_ago(days.guests.get()), logs)?;
    }
    Ok(())
}

/// Removes of one folder the conversations and logs that are older.
fn prune(folder: &Path, conversations: Millis, logs: Millis) -> Result<(), SaveError> {
    prune_logs(&folder.join("log"), logs)?;
    let notices = document::Notices::default();
    Journal::new(folder, &notices).forget_before(conversations)?;
    let (chats, open) = SessionFiles::chats_of(folder, &notices);
    chats.remove_older(conversations, open)?;
    Ok(())
}
