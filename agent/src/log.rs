//! What is logged, and where to: warnings to stderr, everything of note to workspace/agent.log.

mod file;

use std::io::IsTerminal;

use home::Home;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::config;
use file::LogFile;

pub(crate) use file::set_aside;

/// Starts logging. A log that can't be opened is said, and the agent goes on.
pub fn start(home: &Home) {
    let wanted = config::log_filter();
    let filter = |usual: &str| -> Targets {
        let wanted = wanted.as_deref().and_then(|wanted| wanted.parse().ok());
        wanted.or_else(|| usual.parse().ok()).unwrap_or_default()
    };
    let terminal = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .with_filter(filter("warn"));
    let path = home.agent_log();
    let opened = home::file::make_folder(&home.workspace())
        .map_err(|error| error.to_string())
        .and_then(|()| LogFile::open(&path).map_err(|error| error.to_string()));
    let problem = opened.as_ref().err().cloned();
    let file = opened.ok().map(|file| {
        fmt::layer()
            .with_ansi(false)
            .with_writer(std::sync::Mutex::new(file))
            .with_filter(filter("info"))
    });
    // A second start within one process, as in tests, keeps the first one's log.
    let _ = tracing_subscriber::registry().with(terminal).with(file).try_init();
    if let Some(problem) = problem {
        tracing::warn!("nothing is logged to {}: {problem}", path.display());
    }
}
