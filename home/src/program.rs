//! A whole program, from its first line to its exit code.

use std::process::ExitCode;

use super::output;

/// Runs a program. Its code is a failure if something that it told on stdout is lost, for then it has not done all of its work.
#[must_use]
pub fn program(work: impl FnOnce() -> ExitCode) -> ExitCode {
    share_the_heap();
    let code = work();
    if output::has_lost() { ExitCode::FAILURE } else { code }
}

/// Lets all threads take memory from one heap.
///
/// glibc gives a thread that has to wait for the heap another one, and what is free in one is of no use in the others. A program that does the
/// same few large things in changing threads then keeps the room for them once in each heap. `cargo xtask soak` shows what that comes to.
#[cfg(target_env = "gnu")]
fn share_the_heap() {
    #[expect(unsafe_code, reason = "only C has this setting")]
    // SAFETY: no other thread runs yet, and the call writes nothing but the setting. If it fails, all stays as it was.
    let _ = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Other C libraries have one heap.
#[cfg(not(target_env = "gnu"))]
fn share_the_heap() {}
