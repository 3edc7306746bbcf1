//! The files of the workspace: whether they can be read, and whether an agent works there.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use document::Document as _;
use home::{Check, Home};
use notes::Notes;
use prompt::{Fence, Now, Prompt, Sources};
use serde_json::Value;

/// The files that hold JSON, with what they keep.
const DOCUMENTS: [(&str, &str); 3] = [
    ("memory.json", "what is remembered"),
    ("input_history.json", "what was said"),
    ("agent_action.json", "how actions are described"),
];

pub(super) fn checks(home: &Home) -> Vec<Check> {
    vec![workspace(home), template(home), running(home)]
}

/// The largest document that is looked at, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

fn workspace(home: &Home) -> Check {
    const NAME: &str = "workspace";
    let folder = home.workspace();
    if !folder.exists() {
        return Check::ok(NAME, "none yet; the first chat makes it");
    }
    for (name, what) in DOCUMENTS {
        if let Err(why) = readable(&folder.join(name)) {
            let path = folder.join(name);
            let seen = format!("{} ({what}) can't be read: {why}", path.display());
            let mend = format!(
                "mend {} by hand, or move it away; the next chat sets it aside and begins a new one",
                path.display()
            );
            return Check::fail(NAME, seen, mend);
        }
    }
    for name in ["memory.md", "memory-archive.md"] {
        let path = folder.join(name);
        let read = home::file::read(&path, Notes::LIMIT).map_err(|error| error.to_string());
        let text = read.and_then(|bytes| {
            String::from_utf8(bytes.unwrap_or_default()).map_err(|_| "it is no text".to_owned())
        });
        if let Err(why) = text {
            let seen = format!("{} (what is noted) can't be read: {why}", path.display());
            let mend = format!(
                "mend {} by hand, or move it away; the next chat sets it aside and begins a new one",
                path.display()
            );
            return Check::fail(NAME, seen, mend);
        }
    }
    match rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK) {
        Ok(()) => Check::ok(NAME, format!("{} can be read and written", folder.display())),
        Err(error) => Check::fail(
            NAME,
            format!("{} can't be written: {error}", folder.display()),
            format!(
                "give it to the user who runs SafeClaw: chown -R \"$USER\" '{}'",
                folder.display()
            ),
        ),
    }
}

/// Whether the file is missing, or holds JSON.
fn readable(path: &Path) -> Result<(), String> {
    let Some(bytes) = home::file::read(path, LIMIT).map_err(|error| error.to_string())? else {
        return Ok(());
    };
    serde_json::from_slice::<Value>(&bytes).map(drop).map_err(|error| error.to_string())
}

fn template(home: &Home) -> Check {
    const NAME: &str = "prompt";
    let path = home.workspace().join("PROMPT.md");
    let Ok(text) = fs::read_to_string(&path) else {
        return Check::ok(NAME, "the built-in PROMPT.md");
    };
    let mend = format!("change {}, or remove it for the built-in one", path.display());
    let mut prompt = match Prompt::new(Fence::new(0)) {
        Ok(prompt) => prompt,
        Err(error) => return Check::fail(NAME, error.to_string(), mend),
    };
    // As the agent has them.
    let sources = Sources::built_in().with(Now { book: None });
    let faults: Vec<String> =
        prompt.check(&text, &sources).iter().map(ToString::to_string).collect();
    if faults.is_empty() {
        return Check::ok(NAME, "PROMPT.md can be used");
    }
    Check::warn(NAME, faults.join("; "), mend)
}

/// Whether an agent holds the workspace. Its lock is tried and given back at once, in a way that writes nothing.
pub(super) fn runs(home: &Home) -> io::Result<bool> {
    let Ok(file) = File::open(home.agent_lock()) else { return Ok(false) };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn running(home: &Home) -> Check {
    const NAME: &str = "agent";
    match runs(home) {
        Ok(false) => Check::ok(NAME, "none runs here"),
        Ok(true) => Check::ok(NAME, "one runs here"),
        Err(error) => Check::warn(
            NAME,
            format!("whether one runs can't be told: {error}"),
            "put the home on a local disk; its file system knows no locks",
        ),
    }
}
