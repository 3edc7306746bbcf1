//! A router process: the broker's real end, and an effect that can be counted.
//!
//! It judges as the real router does: what is late, or has been taken back, is not begun, and what can't be
//! done twice is not begun again.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use broker::failpoint::{self, Point};
use broker::redis::{self, RedisAddress, Terms};
use broker::{Publisher, Request, Responder};
use protocol::{Catalog, Code, Command, Done, Object, QueueNames, Stopped};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::effects::Effects;

/// The action that may be run again.
pub const AGAIN: &str = "LOOK";

/// The action that must not be run twice.
pub const ONCE: &str = "POST";

/// After how long without a sign of life a router counts as dead: short, so that a run sees many deaths.
pub const DEAD_AFTER: Duration = Duration::from_secs(1);

/// How long a router that ends waits for what runs.
pub const GRACE: Duration = Duration::from_secs(5);

/// How long the answers to what was stopped at the end may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The longest time that half a skill takes, in milliseconds.
const HALF_MS: u64 = 15;

/// How many commands may wait in a lane. A flood is more.
pub const WAITING_MOST: usize = 200;

/// How a router process is started.
#[derive(Debug, Clone, clap::Args)]
pub struct RouterArgs {
    /// The Redis to serve
    #[arg(long)]
    pub url: String,
    /// The file to which effects are appended
    #[arg(long)]
    pub effects: PathBuf,
    /// The folder in which it says that it is ready for signals
    #[arg(long)]
    pub ready: PathBuf,
}

/// What serving a command needs.
struct Worker {
    effects: Effects,
    publisher: Box<dyn Publisher>,
    /// Cancelled when the time to finish is over.
    stop: CancellationToken,
}

/// Serves until SIGTERM.
///
/// # Errors
/// When it can't start.
pub async fn serve(args: RouterArgs) -> Result<()> {
    end_with_parent();
    let mut terminate = signal(SignalKind::terminate()).context("no signals")?;
    std::fs::write(args.ready.join(std::process::id().to_string()), "")?;
    let terms = Terms {
        slots: 4,
        waiting_most: WAITING_MOST,
        beat: DEAD_AFTER / 5,
        dead_after: DEAD_AFTER,
        ..Terms::default()
    };
    let shutdown = CancellationToken::new();
    let (responder, publisher) = redis::responder(
        RedisAddress::new(&args.url)?,
        QueueNames::default(),
        terms.clone(),
        shutdown.clone(),
    )
    .map_err(anyhow::Error::msg)?;
    tokio::spawn(async move {
        terminate.recv().await;
        shutdown.cancel();
    });
    let worker = Worker {
        effects: Effects::open(&args.effects)?,
        publisher: Box::new(publisher),
        stop: CancellationToken::new(),
    };
    run(responder, Arc::new(worker), terms.slots).await;
    Ok(())
}

async fn run(mut responder: impl Responder, worker: Arc<Worker>, slots: usize) {
    // That there is one tells agents that a router of this version lives.
    worker.publisher.catalog(&Catalog::default()).await;
    let (slots, tasks) = (Arc::new(Semaphore::new(slots)), TaskTracker::new());
    let closing = responder.closing();
    loop {
        let slot = tokio::select! {
            slot = Arc::clone(&slots).acquire_owned() => slot,
            () = closing.cancelled() => break,
        };
        let Some(request) = responder.receive().await else { break };
        let at_work = Arc::clone(&worker);
        tasks.spawn(async move {
            at_work.serve(request).await;
            drop(slot);
        });
    }
    tasks.close();
    let mut finished = async || tokio::join!(tasks.wait(), responder.drained());
    if timeout(GRACE, finished()).await.is_err() {
        worker.stop.cancel();
        let _ = timeout(LAST_WORDS, finished()).await;
    }
    let _ = timeout(LAST_WORDS, responder.leave()).await;
}

impl Worker {
    async fn serve(&self, request: Request) {
        match self.answer(&request).await {
            Ok(done) => request.reply(done),
            Err(stopped) if stopped.code == Code::Draining => request.run_again(),
            Err(stopped) => request.reply(stopped),
        }
    }

    async fn answer(&self, request: &Request) -> Result<Done, Stopped> {
        let command = request.command().map_err(|malformed| malformed.stopped.clone())?;
        // After a crash nobody knows what has been done, whatever ends it now.
        let ended = |code, message: &str| {
            let stopped = Stopped::new(code, message);
            if request.attempt() > 1 { stopped.maybe_executed() } else { stopped }
        };
        if request.cancelled().is_cancelled() {
            return Err(ended(Code::Cancelled, "it was taken back"));
        }
        if command.envelope.deadline.is_some_and(|deadline| deadline <= self.publisher.now()) {
            return Err(ended(Code::Deadline, "it came after its deadline"));
        }
        let may_run_again = command.action.as_str() == AGAIN;
        if request.may_have_begun() && !may_run_again {
            return Err(interrupted());
        }
        if !may_run_again && !request.begins().await {
            return Err(Stopped::new(Code::Cancelled, "another router has taken it over"));
        }
        failpoint::pass(Point::BeforeSkill);
        let ended = tokio::select! {
            done = self.run(command, request.attempt()) => done,
            () = request.cancelled().cancelled() => {
                Err(Stopped::new(Code::Cancelled, "nobody waits for it").maybe_executed())
            }
            () = self.stop.cancelled(), if may_run_again => {
                Err(Stopped::new(Code::Draining, "the router was shut down"))
            }
            () = self.stop.cancelled() => Err(interrupted()),
        };
        failpoint::pass(Point::AfterSkill);
        ended
    }

    /// The skill. Its result tells one run from another.
    async fn run(&self, command: &Command, attempt: u32) -> Result<Done, Stopped> {
        sleep(Duration::from_millis(fastrand::u64(..=HALF_MS))).await;
        failpoint::pass(Point::MidSkill);
        if let Err(error) = self.effects.add(&command.message_id, attempt) {
            return Err(Stopped::new(Code::SkillFailed, error.to_string()));
        }
        sleep(Duration::from_millis(fastrand::u64(..=HALF_MS))).await;
        let run = json!(format!("{}.{}", std::process::id(), fastrand::u32(..)));
        Ok(Done { result: Object::from_iter([("run".to_owned(), run)]), ..Done::default() })
    }
}

fn interrupted() -> Stopped {
    Stopped::new(Code::Interrupted, "a router ended while it ran").maybe_executed()
}

/// Ends this process when the one that started it does, whose end of stdin closes then.
fn end_with_parent() {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(3);
    });
}
