//! What is to be said or done later: jobs, when they are due, and the file that they live in.
//!
//! | file | |
//! |---|---|
//! | `job.rs` | one job, and what is left of it when it is due |
//! | `jobs.rs` | `scheduler.json`: all jobs |
//! | `budget.rs` | what the clock may have models do on one day |
//! | `watch.rs` | what a job looks at before it says anything |
//! | `book.rs` | the jobs as the agent uses them: adding, cancelling, what is due |
//!
//! The crate `when` reads when that is.
//!
//! A job is told, or begun, at most once, also when the agent is killed: it is marked on the disk first. What was marked and
//! not finished when the agent ended is told of at the next start, in other words, and not begun again.

mod book;
mod budget;
mod job;
mod jobs;
mod watch;

pub use book::{Added, Book, BookError, NewJob};
pub use budget::{ClockBudget, ClockSpent};
pub use job::{Due, Job, JobId};
pub use jobs::{JOBS_MOST, Jobs};
pub use watch::{News, Watch};
pub use when::{Pattern, QuietHours, When, WhenError, Zone};
