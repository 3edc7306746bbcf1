//! Runs skills so that they can do no harm: nothing of the host, no network but the proxy, bounds on
//! everything, and nothing left when they end.
//!
//! The router starts its own binary again, twice, with an empty environment and through one pipe:
//!
//! ```text
//! router                       launch (stage 1)              init (stage 2, process 1)     the skill
//! ------                       ----------------              -------------------------     ---------
//! Job -> Plan, twice  stdin->  takes its copy      stdin->   takes its copy      stdin->   the input
//! own process group            closes descriptors            mounts: /usr /skill /work
//! watches the time             steps down from root          rlimits, no powers
//! bounds the output            user, pid, net, ipc           Landlock, seccomp
//! keeps the log                and uts namespaces            starts the skill   ------->   runs
//! kills the group              forwards 127.0.0.1:8118       reaps, ends as it ended
//!                              to the proxy's socket
//!                              ends when the router ends
//! ```
//!
//! For calls without a network the first two stages stand ready before the call, and wait for the second copy of the plan; each
//! is used once.
//!
//! Each stage is a new process because a process with one thread may change what it is without `unsafe`.
//! A stage that fails says so on stderr behind a random word that no skill ever sees, so that "it did not
//! start" is never a skill's own claim. The launcher needs nothing installed, and no bubblewrap.
//!
//! Where the machine refuses namespaces ([`Level::LandlockOnly`]) the same stages run without them: Landlock,
//! seccomp and limits hold the skill, a process group that it cannot leave holds its children, and it has no
//! network at all. Where that fails too, nothing runs.
//!
//! What remains: memory is bounded for each process and not for all of them together (that takes a cgroup,
//! which is rarely delegated). /proc/self/mountinfo shows a skill where its folder lies on the host. Without
//! namespaces a skill can learn the names of files that it can't read, and each file that it writes is bounded,
//! not their sum.

mod alive;
mod error;
mod group;
mod job;
mod launcher;
mod lent;
mod limits;
mod log;
mod planning;
mod probe;
mod process;
mod ready;
mod self_command;
mod shelf;
mod stage;
mod staging;
mod tree;
mod warm;

pub use error::{NotStarted, RunError};
pub use job::{Job, Program};
pub use launcher::Launcher;
pub use lent::Lent;
pub use limits::Limits;
pub use log::ROTATE_BYTES;
pub use probe::{Found, Level};
pub use self_command::SelfCommand;
pub use stage::{LAUNCH, run_stage};
pub use stage::{PORT, UNPRIVILEGED};
pub use warm::Warm;
