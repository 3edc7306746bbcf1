//! Where a person writes a long message: in an editor of their own, in a private file that is removed afterwards.
//!
//! The agent is confined and starts no program, so it asks the process that starts routers, with one byte that says
//! nothing more: the file is empty at first, and what the editor is comes from the person's environment. The answer is a
//! byte that says what came of it, a length and a text.
#![expect(clippy::disallowed_types, reason = "this is the one start of a person's editor")]

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use channel::MAX_MESSAGE;
use channel::console::{NotWritten, OwnEditor};
use rustix::process::{getpgid, getppid};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Asks for an editor.
const WRITE: u8 = b'w';

/// What came of it: a text, no editor, or a reason.
const TEXT: u8 = b't';
const NO_EDITOR: u8 = b'n';
const FAILED: u8 = b'f';

/// Where a terminal is for whoever has one.
const TERMINAL: &str = "/dev/tty";

/// The agent's side.
#[derive(Debug)]
pub(crate) struct Desk(Arc<UnixStream>);

impl Desk {
    pub(crate) fn new(other: Arc<UnixStream>) -> Self {
        Self(other)
    }

    async fn asked(&self) -> io::Result<(u8, String)> {
        let other = self.0.try_clone()?;
        other.set_nonblocking(true)?;
        let mut other = tokio::net::UnixStream::from_std(other)?;
        other.write_all(&[WRITE]).await?;
        let (came, length) = (other.read_u8().await?, other.read_u32_le().await?);
        let mut text = Vec::new();
        other.take(length.into()).read_to_end(&mut text).await?;
        Ok((came, String::from_utf8_lossy(&text).into_owned()))
    }
}

#[async_trait]
impl OwnEditor for Desk {
    async fn write(&self) -> Result<String, NotWritten> {
        match self.asked().await {
            Ok((TEXT, text)) => Ok(text),
            Ok((NO_EDITOR, _)) => Err(NotWritten::NoEditor),
            Ok((_, why)) => Err(NotWritten::Failed(why)),
            Err(error) => Err(NotWritten::Failed(error.to_string())),
        }
    }
}

/// Starts an editor as often as the agent asks, until it has gone.
pub(crate) fn serve(mut agent: &UnixStream) {
    let mut asked = [0];
    while let Ok(1) = agent.read(&mut asked)
        && asked == [WRITE]
    {
        let (came, text) = match write() {
            Ok(text) => (TEXT, text),
            Err(NotWritten::NoEditor) => (NO_EDITOR, String::new()),
            Err(NotWritten::Failed(why)) => (FAILED, why),
        };
        let length = u32::try_from(text.len()).unwrap_or_default().to_le_bytes();
        let answer = [&[came], length.as_slice(), text.as_bytes()].concat();
        if agent.write_all(&answer).is_err() {
            return;
        }
    }
}

fn write() -> Result<String, NotWritten> {
    let editor = editor().ok_or(NotWritten::NoEditor)?;
    written(&editor).map_err(|error| NotWritten::Failed(error.to_string()))
}

/// The person's editor: a program, perhaps with arguments, as the shell reads it.
fn editor() -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "what a person writes with is none of the agent's settings"
    )]
    let named = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// What was saved when the editor has ended. Its folder, with whatever it has put beside the file, is removed then.
fn written(editor: &str) -> io::Result<String> {
    let folder = tempfile::Builder::new()
        .prefix("safeclaw-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()?;
    let path = folder.path().join("message.md");
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    let terminal = || File::options().read(true).write(true).open(TERMINAL).map(Stdio::from);
    // In the agent's own group the terminal is the editor's as well, and Ctrl-Z stops both.
    let group = getpgid(getppid())?.as_raw_nonzero().get();
    let ended = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(&path)
        .stdin(terminal()?)
        .stdout(terminal()?)
        .stderr(terminal()?)
        .process_group(group)
        .status()?;
    if !ended.success() {
        return Err(io::Error::other(format!("{editor}: {ended}")));
    }
    let mut text = Vec::new();
    // One byte more, so that what is too long is told as such.
    File::open(&path)?.take(MAX_MESSAGE as u64 + 1).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
