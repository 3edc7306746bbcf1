//! The router processes, and who starts them again when they have ended.
#![allow(clippy::disallowed_types, reason = "what is killed here are processes")]

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use broker::failpoint::{self, Point};
use rustix::process::{Pid, Signal, kill_process};

use crate::router::GRACE;

/// After how long a router that was asked to end is no longer waited for: its grace, and a wide margin for a busy
/// machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest time until a router that has ended is started again, in milliseconds.
const RESTART_MS: u64 = 300;

/// What is in the folder of a run.
#[derive(Debug, Clone)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn effects(&self) -> PathBuf {
        self.0.join("effects")
    }

    fn log(&self, router: usize) -> PathBuf {
        self.0.join(format!("router-{router}.log"))
    }

    fn ready(&self) -> PathBuf {
        self.0.join("ready")
    }
}

/// How routers ended.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ends {
    /// Killed by us.
    pub(crate) killed: u64,
    /// Ended with 0 after they had been asked to.
    pub(crate) drained: u64,
    /// Did not end with 0, or not in time, after they had been asked to.
    pub(crate) undrained: u64,
    /// Died at their failpoint.
    pub(crate) at_point: u64,
    /// Ended, and nobody had asked them to.
    pub(crate) unasked: u64,
}

/// The routers.
#[derive(Debug)]
pub(crate) struct Fleet {
    program: PathBuf,
    url: String,
    folder: Folder,
    posts: Vec<Post>,
    rng: fastrand::Rng,
    /// Whether routers that have ended are started again.
    restarts: bool,
    pub(crate) ends: Ends,
}

/// A place for one router process at a time.
#[derive(Debug)]
struct Post {
    process: Option<Child>,
    asked: Asked,
    /// When the next process is started.
    next_at: Instant,
    /// What arms the next processes, one after the other.
    armed: VecDeque<Point>,
    /// Whether its processes end commands in the steps of a cluster.
    in_steps: bool,
}

/// What was done to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    ToEnd(Instant),
    Killed,
    /// It will die on its own.
    Armed,
}

impl Fleet {
    /// Starts `routers` processes of `program`. The first is one that ends commands in the steps of a cluster.
    pub(crate) fn start(
        program: &Path,
        url: &str,
        folder: &Folder,
        routers: usize,
        seed: u64,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder.ready())?;
        File::create(folder.effects())?;
        let post = |at| Post {
            process: None,
            asked: Asked::Nothing,
            next_at: Instant::now(),
            armed: VecDeque::new(),
            in_steps: at == 0 && routers > 1,
        };
        let mut fleet = Self {
            program: program.to_owned(),
            url: url.to_owned(),
            folder: folder.clone(),
            posts: (0..routers).map(post).collect(),
            rng: fastrand::Rng::with_seed(seed),
            restarts: true,
            ends: Ends::default(),
        };
        fleet.look()?;
        Ok(fleet)
    }

    /// Adds a router that dies at the first of `points`, and its successors at the next ones. Whoever comes after them lives.
    pub(crate) fn add_armed(&mut self, points: &[Point]) -> Result<()> {
        self.posts.push(Post {
            process: None,
            asked: Asked::Nothing,
            next_at: Instant::now(),
            armed: points.iter().copied().collect(),
            in_steps: false,
        });
        self.look()
    }

    pub(crate) fn count(&self) -> usize {
        self.posts.len()
    }

    /// How many processes run.
    pub(crate) fn alive(&self) -> usize {
        self.posts.iter().filter(|post| post.process.is_some()).count()
    }

    /// Takes in who has ended, and starts those whose time has come.
    pub(crate) fn look(&mut self) -> Result<()> {
        for at in 0..self.posts.len() {
            if let Some(status) = self.posts[at].ended()? {
                let asked = self.posts[at].asked;
                self.note_end(at, asked, status);
                let pause = Duration::from_millis(self.rng.u64(..=RESTART_MS));
                if let Some(gone) = self.posts[at].process.take() {
                    // Another process may be given its id.
                    let _ = std::fs::remove_file(self.folder.ready().join(gone.id().to_string()));
                }
                self.posts[at].next_at = Instant::now() + pause;
            }
            let post = &self.posts[at];
            if self.restarts && post.process.is_none() && post.next_at <= Instant::now() {
                self.launch(at)?;
            }
        }
        Ok(())
    }

    fn note_end(&mut self, at: usize, asked: Asked, status: ExitStatus) {
        let killed = status.signal() == Some(Signal::KILL.as_raw());
        let count = match asked {
            Asked::Killed => &mut self.ends.killed,
            Asked::ToEnd(_) if status.success() => &mut self.ends.drained,
            Asked::ToEnd(_) => &mut self.ends.undrained,
            Asked::Armed if killed => &mut self.ends.at_point,
            Asked::Armed | Asked::Nothing => &mut self.ends.unasked,
        };
        *count += 1;
        if matches!(asked, Asked::Nothing | Asked::ToEnd(_)) && !status.success() {
            eprintln!("router {at} ended with {status}; see {}", self.folder.log(at).display());
        }
    }

    fn launch(&mut self, at: usize) -> Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(self.folder.log(at))?;
        let mut command = Command::new(&self.program);
        command.arg("router").args(["--url", &self.url]);
        command.arg("--effects").arg(self.folder.effects());
        command.arg("--ready").arg(self.folder.ready());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let post = &mut self.posts[at];
        post.asked = Asked::Nothing;
        if let Some(point) = post.armed.pop_front() {
            command.env(failpoint::ENV, point.to_string());
            post.asked = Asked::Armed;
        } else if post.in_steps {
            // Armed so that it never happens.
            command.env(failpoint::ENV, format!("{}:{}", Point::Kept, u32::MAX));
        }
        post.process = Some(command.spawn().context("a router can't be started")?);
        Ok(())
    }

    /// Kills a router, if it runs.
    pub(crate) fn kill(&mut self, at: usize) -> Result<()> {
        self.posts[at].asked = Asked::Killed;
        self.posts[at].signal(Signal::KILL)
    }

    /// Asks a router to end. One that has only just been started dies of it.
    pub(crate) fn drain(&mut self, at: usize) -> Result<()> {
        let ready = self.folder.ready();
        let post = &mut self.posts[at];
        if let Some(process) = &post.process
            && matches!(post.asked, Asked::Nothing | Asked::Armed)
        {
            let listens = ready.join(process.id().to_string()).exists();
            post.asked = if listens { Asked::ToEnd(Instant::now()) } else { Asked::Killed };
        }
        self.posts[at].signal(Signal::TERM)
    }

    /// Asks an armed router to end: it dies before it has.
    pub(crate) fn part(&mut self, at: usize) -> Result<()> {
        self.posts[at].signal(Signal::TERM)
    }

    /// Stops a router, or lets it go on.
    pub(crate) fn pause(&self, at: usize, stop: bool) -> Result<Option<u32>> {
        let post = &self.posts[at];
        post.signal(if stop { Signal::STOP } else { Signal::CONT })?;
        Ok(post.process.as_ref().map(Child::id))
    }

    /// Whether the process of this id has left its post.
    pub(crate) fn is_gone(&self, at: usize, process: u32) -> bool {
        self.posts[at].process.as_ref().is_none_or(|now| now.id() != process)
    }

    /// The id of the process at a post.
    pub(crate) fn process(&self, at: usize) -> Option<u32> {
        self.posts[at].process.as_ref().map(Child::id)
    }

    /// Lets all routers go on that were stopped.
    pub(crate) fn thaw(&self) -> Result<()> {
        (0..self.posts.len()).try_for_each(|at| self.pause(at, false).map(drop))
    }

    /// Asks all to end for good.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.restarts = false;
        (0..self.posts.len()).try_for_each(|at| self.drain(at))
    }
}

impl Post {
    /// How its process has ended, if it has. One that does not end although it was asked to is killed.
    fn ended(&mut self) -> Result<Option<ExitStatus>> {
        let Some(process) = &mut self.process else { return Ok(None) };
        if let Asked::ToEnd(since) = self.asked
            && since.elapsed() > GRACE + PATIENCE
        {
            process.kill()?;
        }
        Ok(process.try_wait()?)
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        // Not waited for yet, so its id is no other's.
        let Some(process) = &self.process else { return Ok(()) };
        match kill_process(Pid::from_child(process), signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error).context("a router can't be signalled"),
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for post in &mut self.posts {
            if let Some(process) = &mut post.process {
                let _ = process.kill();
                let _ = process.wait();
            }
        }
    }
}
