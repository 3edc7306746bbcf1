//! What is to be said or done later: jobs, when they are due, and the file that they live in.
//!
//! | file | |
//! |---|---|
//! | `zone.rs` | the time zone, and times in people's words |
//! | `when.rs` | a span, a local date and time, or a cron pattern, read |
//! | `job.rs` | one job, and what is left of it when it is due |
//! | `jobs.rs` | `scheduler.json`: all jobs |
//! | `book.rs` | the jobs as the agent uses them: adding, cancelling, what is due |
//!
//! A job is told, or begun, at most once, also when the agent is killed: it is marked on the disk first. What was marked and
//! not finished when the agent ended is told of at the next start, in other words, and not begun again.

mod book;
mod job;
mod jobs;
mod when;
mod zone;

pub use book::{Added, Book, BookError, NewJob};
pub use job::{Due, Job, JobId};
pub use jobs::{JOBS_MOST, Jobs};
pub use when::{Pattern, When, WhenError};
pub use zone::Zone;
