//! How a storm goes on, as it happens: server-sent events. The first one says how it stands, so that a page that connects again has
//! missed nothing that it can't ask for.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use loopback::{UNBUFFERED, alive_for_pages};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::refusal::Refusal;
use crate::{Storms, beside};

/// How often it is looked whether somebody else has changed the files.
const LOOKS: Duration = Duration::from_secs(1);

/// What happens in a storm from now on.
pub(crate) async fn listen(
    State(storms): State<Storms>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let live = storms.live.clone();
    let (name, files) = beside(move || {
        let stored = storms.shelf.open(&id)?;
        let paths = [stored.log.path().to_owned(), stored.agents_folder(), stored.folder.clone()];
        Ok((stored.name.clone(), Files::of(paths)))
    })
    .await?;
    let (first, events) = live.watch(&name);
    let mut looks = interval(LOOKS);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let watching = Watching { first: Some(first), events, files, looks };
    let stream = stream::unfold(watching, |mut watching| async {
        let event = watching.next().await?;
        let kind = event["type"].as_str().unwrap_or("notice");
        let sent = Event::default().event(kind).data(event.to_string());
        Some((Ok::<_, Infallible>(sent), watching))
    });
    let events = Sse::new(stream).keep_alive(alive_for_pages());
    Ok((UNBUFFERED, events).into_response())
}

struct Watching {
    first: Option<Value>,
    events: broadcast::Receiver<Arc<Value>>,
    files: Files,
    looks: Interval,
}

impl Watching {
    /// What happens next; none when this page was too slow, and connects again.
    async fn next(&mut self) -> Option<Arc<Value>> {
        if let Some(first) = self.first.take() {
            return Some(Arc::new(first));
        }
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => {
                    let event = event.ok()?;
                    if event["type"] == "said" {
                        // The page has that already.
                        self.files.have_changed();
                    }
                    return Some(event);
                }
                _ = self.looks.tick() => {
                    if self.files.have_changed() {
                        return Some(Arc::new(json!({"type": "changed"})));
                    }
                }
            }
        }
    }
}

/// The files of a storm, as they were when somebody looked last.
struct Files {
    paths: [PathBuf; 3],
    seen: [Mark; 3],
}

/// What shows that a file has changed: its length and the time of its last change.
type Mark = Option<(u64, Option<SystemTime>)>;

impl Files {
    fn of(paths: [PathBuf; 3]) -> Self {
        let seen = paths.each_ref().map(mark);
        Self { paths, seen }
    }

    /// Whether one of them has changed since somebody looked.
    fn have_changed(&mut self) -> bool {
        let now = self.paths.each_ref().map(mark);
        std::mem::replace(&mut self.seen, now) != now
    }
}

fn mark(path: &PathBuf) -> Mark {
    let metadata = std::fs::metadata(path).ok()?;
    // A folder's time changes with every note beside the log; what counts there are the names in it.
    if metadata.is_dir() {
        return Some((visible(path), None));
    }
    Some((metadata.len(), metadata.modified().ok()))
}

/// A number that changes with the files of a folder that do not hide, and with their content.
fn visible(folder: &PathBuf) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let shown = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let mut all: Vec<_> = shown
        .filter(|entry| !entry.file_name().as_encoded_bytes().ends_with(b".log.md"))
        .map(|entry| {
            (entry.file_name(), entry.metadata().ok().and_then(|file| file.modified().ok()))
        })
        .collect();
    all.sort();
    let mut hasher = DefaultHasher::new();
    all.hash(&mut hasher);
    hasher.finish()
}
