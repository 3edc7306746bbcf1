//! What the router logs, and where to: alone to stderr, beside an agent into a file, with its warnings told to the owner,
//! and for a single command its warnings alone, to whoever has typed it.

use std::io::{self, IsTerminal};
use std::sync::{Arc, OnceLock};

use home::Home;
use home::log::{LogFile, LogLines, Notices, Veiled};
use secrets::Secrets;
use tokio::sync::mpsc;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::config;

/// How many warnings wait to be told. More are in the file alone.
const WAITING: usize = 64;

/// A log that has begun.
#[derive(Debug)]
pub(crate) struct Log {
    notices: Notices,
    secrets: Arc<OnceLock<Secrets>>,
}

impl Log {
    /// Everything of note to stderr.
    pub(crate) fn on_stderr() -> Self {
        let lines = fmt::layer()
            .with_writer(LogLines::new(io::stderr()))
            .with_ansi(io::stderr().is_terminal())
            .with_target(false)
            .with_filter(filter());
        tracing_subscriber::registry().with(lines).init();
        Self::new()
    }

    /// Warnings as lines for whoever has typed a command: without a time, and nothing else unless RUST_LOG asks for it.
    pub(crate) fn for_a_person() -> Self {
        if config::log_filter().is_some() {
            return Self::on_stderr();
        }
        let lines = fmt::layer()
            .with_writer(LogLines::new(io::stderr()))
            .with_ansi(false)
            .without_time()
            .with_level(false)
            .with_target(false)
            .with_filter(LevelFilter::WARN);
        tracing_subscriber::registry().with(lines).init();
        Self::new()
    }

    /// Everything of note into the router's own log, without secrets once they are known.
    pub(crate) fn into_file(home: &Home) -> Self {
        let log = Self::new();
        let path = home.router_own_log();
        let opened = home::file::make_folder(&home.router_log())
            .map_err(|error| error.to_string())
            .and_then(|()| LogFile::open(&path).map_err(|error| error.to_string()));
        let problem = opened.as_ref().err().cloned();
        let file = opened.ok().map(|file| {
            let secrets = Arc::clone(&log.secrets);
            let file = Veiled::new(file, move |text| without_secrets(&secrets, text));
            fmt::layer().with_ansi(false).with_writer(file).with_filter(filter())
        });
        let warnings = log.notices.clone().with_filter(LevelFilter::WARN);
        tracing_subscriber::registry().with(warnings).with(file).init();
        if let Some(problem) = problem {
            tracing::warn!("nothing is logged to {}: {problem}", path.display());
        }
        log
    }

    fn new() -> Self {
        Self { notices: Notices::waiting(), secrets: Arc::default() }
    }

    /// From now on these stand neither in the file nor in a warning.
    pub(crate) fn knows(&self, secrets: &Secrets) {
        // It is said once.
        let _ = self.secrets.set(secrets.clone());
    }

    /// The warnings, those from before as well.
    pub(crate) fn warnings(&self) -> mpsc::Receiver<String> {
        let (sender, warnings) = mpsc::channel(WAITING);
        let secrets = Arc::clone(&self.secrets);
        self.notices.tell_to(move |text| {
            let _ = sender.try_send(without_secrets(&secrets, text));
        });
        warnings
    }
}

fn filter() -> Targets {
    let wanted = config::log_filter().and_then(|wanted| wanted.parse().ok());
    wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO))
}

fn without_secrets(secrets: &OnceLock<Secrets>, text: String) -> String {
    match secrets.get() {
        Some(secrets) => secrets.redact(&text),
        None => text,
    }
}
