//! The skills of the owner's machine: a line of shell, and files. They see the folders that router/governance.json opens, each
//! where it is, and nothing else of the machine.

mod exec;
mod files;
mod run;
mod send;

use std::path::{Path, PathBuf};

use safeclaw_skill::{Call, Object, SkillError};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How much of an output or a file is shown, in characters.
const SHOWN: usize = 4_000;

/// The largest file that is read, and the most of an output that is kept, in bytes.
const LARGEST: usize = 512 * 1024;

/// Does what `call` asks for.
pub(crate) fn run(params: Object, call: &Call) -> Result<Value, SkillError> {
    let place = Place::of(call)?;
    match call.action() {
        "EXEC" => exec::exec(&read(params)?, &place),
        "READ_FILE" => files::read(&read(params)?, &place),
        "GREP_FILES" => files::grep(&read(params)?, &place),
        "FIND_FILES" => files::find(&read(params)?, &place),
        "SEND_FILE" => send::send(&read(params)?, &place),
        other => Err(SkillError::new(format!("this machine knows no {other}"))),
    }
}

fn read<P: DeserializeOwned>(params: Object) -> Result<P, SkillError> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| SkillError::new(format!("the parameters do not fit: {error}")))
}

/// Where paths begin.
struct Place {
    /// Where one begins that has no beginning.
    here: PathBuf,
    /// What `~` stands for.
    home: PathBuf,
    /// Whether that is a folder of the owner's.
    is_open: bool,
}

impl Place {
    fn of(call: &Call) -> Result<Self, SkillError> {
        let here = call.folder("here")?;
        // Where no folder is open there is the scratch directory, in which the skill begins.
        let scratch = std::env::current_dir()?;
        let is_open = here.is_dir() && here != scratch;
        let here = if is_open { here.to_owned() } else { scratch };
        Ok(Self { here, home: call.folder("home")?.to_owned(), is_open })
    }

    /// The whole path of `asked`, as the router has judged it.
    fn path(&self, asked: &str) -> PathBuf {
        match asked.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(rest.trim_start_matches('/')),
            _ => self.here.join(asked),
        }
    }
}

/// The first characters of `bytes`, with the true length where there are more.
fn shown(bytes: &[u8], whole: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}\n... ({whole} bytes in all)", &text[..end]),
        None if whole > bytes.len() => format!("{text}\n... ({whole} bytes in all)"),
        None => text.into_owned(),
    }
}

/// What can't be reached, in words.
fn unreachable(path: &Path, error: &std::io::Error) -> SkillError {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file in a folder that is open".to_owned(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        _ => error.to_string(),
    };
    SkillError::new(format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_says_how_long_it_is() {
        assert_eq!(shown(b"abc", 3), "abc");
        assert_eq!(shown(b"abc", 9), "abc\n... (9 bytes in all)");
        let long = "é".repeat(5_000);
        let shown = shown(long.as_bytes(), long.len());
        assert!(shown.starts_with("éé") && shown.ends_with("... (10000 bytes in all)"));
        assert_eq!(shown.chars().filter(|c| *c == 'é').count(), SHOWN);
        assert_eq!(super::shown(b"a\xffb", 3), "a\u{fffd}b");
    }
}
