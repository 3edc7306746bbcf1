//! What a command tells on stdout and stderr.
//!
//! Whoever reads may have closed the pipe: `head` does so once it has seen enough. `println!` panics then; what is told
//! with [`say!`](crate::say) goes nowhere instead, and the command does the rest of its work.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something that belongs on stdout is lost, and not for want of a reader.
static LOST: AtomicBool = AtomicBool::new(false);

/// Tells a line on stdout, as `println!` does, and never panics.
#[macro_export]
macro_rules! say {
    () => { $crate::say_part(::std::format_args!("\n")) };
    ($($line:tt)+) => {
        $crate::say_part(::std::format_args!("{}\n", ::std::format_args!($($line)+)))
    };
}

/// Tells a line on stderr, as `eprintln!` does, and never panics.
#[macro_export]
macro_rules! say_on_stderr {
    ($($line:tt)+) => {
        $crate::say_part_on_stderr(::std::format_args!("{}\n", ::std::format_args!($($line)+)))
    };
}

/// A number of things, as `1 file` or `2 entries`.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {what}s"),
    }
}

/// Tells a part of a line on stdout, which is seen at once. What keeps it from there, as a full disk does, is told on
/// stderr.
pub fn say_part(part: Arguments<'_>) {
    let mut out = io::stdout().lock();
    let told = out.write_fmt(part).and_then(|()| out.flush());
    let lost = told.err().filter(|error| error.kind() != ErrorKind::BrokenPipe);
    if let Some(error) = lost
        && !LOST.swap(true, Ordering::Relaxed)
    {
        say_on_stderr!("error: what is told here can't be written: {error}");
    }
}

/// Tells a part of a line on stderr. Where that can't be, there is no other place.
pub fn say_part_on_stderr(part: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(part);
}

/// Whether something that was told on stdout is lost. What nobody wanted to read any more is not.
pub(super) fn has_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}
