//! What the agent gives up before it talks to anybody: from then on the kernel holds it to its own files, and
//! lets it start no programs.
//!
//! It holds against whatever makes the agent open a path that it should not, such as a link in its workspace,
//! and takes from code that somebody has brought into this process most of what it could do next. It does
//! not hold the network: whom the agent talks to, and what it says, is not the kernel's to judge.
//!
//! Nothing of it is required. A kernel that can't do a part leaves that part out, which is said in the log and
//! by `/status`.

mod calls;
mod files;

use std::fmt;
use std::path::PathBuf;

use home::Home;

/// Whether Unix sockets may still be opened. Whoever can reach those of the system or of the desktop can have
/// programs started outside of all this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnixSockets {
    /// None is needed.
    Refused,
    /// The queue is reached through one.
    Allowed,
}

/// What holds. Its text is the line for `/status`.
#[derive(Debug)]
pub struct Confined {
    /// The version of Landlock that holds the files, or why none does.
    files: Result<i32, String>,
    /// Whether the filter of system calls is there, or why it is not.
    calls: Result<(), String>,
}

/// Confines this thread, and all threads and processes that it starts afterwards. Call it while it is the only
/// one: those that are there already are not held.
#[must_use]
pub fn confine(home: &Home, unix: UnixSockets) -> Confined {
    confine_with(home, unix, &[])
}

/// The same where the owner has named further folders that the agent may change.
#[must_use]
pub fn confine_with(home: &Home, unix: UnixSockets, named: &[PathBuf]) -> Confined {
    // Landlock first: the filter refuses nothing that it needs, but nothing depends on that so.
    let confined = Confined { files: files::hold(home, named), calls: calls::refuse(unix) };
    tracing::info!("{confined}");
    confined
}

impl fmt::Display for Confined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.as_ref().map(|abi| format!("files (Landlock ABI {abi})"));
        let calls = self.calls.as_ref().map(|()| "no new programs".to_owned());
        let parts = [("files", files), ("new programs", calls)];
        let held: Vec<&str> = parts.iter().filter_map(|(_, part)| part.as_deref().ok()).collect();
        match held.as_slice() {
            [] => f.write_str("confined: not at all")?,
            held => write!(f, "confined: {}", held.join(", "))?,
        }
        for (part, why) in &parts {
            if let Err(why) = why {
                write!(f, "; {part} are not held: {why}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_hold_is_said_with_its_reason() {
        let said = |files, calls: Result<(), &str>| {
            Confined { files, calls: calls.map_err(str::to_owned) }.to_string()
        };
        let none = || Err("this kernel has no Landlock".to_owned());
        assert_eq!(said(Ok(7), Ok(())), "confined: files (Landlock ABI 7), no new programs");
        assert_eq!(
            said(none(), Ok(())),
            "confined: no new programs; files are not held: this kernel has no Landlock"
        );
        assert_eq!(
            said(none(), Err("refused")),
            "confined: not at all; files are not held: this kernel has no Landlock; \
             new programs are not held: refused"
        );
    }
}
