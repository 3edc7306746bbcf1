//! What is kept of a page: files below the output folder of whoever asks.

use std::sync::Arc;

use conversation::workspace::SessionFiles;
use eyes::Seen;
use protocol::{Code, Reads, Stopped};

/// The files' paths, relative to the files' folder.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) picture: Option<String>,
    pub(super) text: String,
    /// What is seen first, for models that see.
    pub(super) glance: Option<String>,
}

impl Kept {
    /// Saves what was seen as number `number` of the looks that run side by side.
    pub(super) async fn of(
        files: &Arc<SessionFiles>,
        number: usize,
        seen: &Seen,
    ) -> Result<Self, Stopped> {
        let name = if number == 1 {
            "browser_vision".to_owned()
        } else {
            format!("browser_vision-{number}")
        };
        // What this look did not bring leaves: the picture of the page before it would pass for one of this page.
        let outputs = [
            (format!("{name}.html"), Some(seen.html.clone().into_bytes())),
            (format!("{name}.txt"), Some(seen.text.clone().into_bytes())),
            (format!("{name}.png"), seen.picture.clone()),
            (format!("{name}.jpg"), seen.glance.clone()),
        ];
        let files = Arc::clone(files);
        // It waits for the disk.
        let saved = tokio::task::spawn_blocking(move || {
            outputs.iter().try_for_each(|(name, bytes)| match bytes {
                Some(bytes) => files.write_output(name, bytes, Reads::PUBLIC),
                None => files.remove_output(name),
            })
        });
        let saved = saved.await.map_err(|error| Stopped::new(Code::Internal, error.to_string()))?;
        saved.map_err(|error| Stopped::new(Code::Internal, error.to_string()).maybe_executed())?;
        let path = |ending: &str| format!("output/{name}.{ending}");
        Ok(Self {
            picture: seen.picture.as_ref().map(|_| path("png")),
            text: path("txt"),
            glance: seen.glance.as_ref().map(|_| path("jpg")),
        })
    }
}
