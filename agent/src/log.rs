//! What is logged, and where to: everything of note to workspace/agent.log, warnings to people; the agent's keys nowhere.

use home::Home;
use home::log::{LogFile, Notices, Veiled};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// Starts logging, and gives the warnings, which are lines on stderr until somebody listens to them. A log that can't be
/// opened is said, and the agent goes on.
#[must_use]
pub fn start(home: &Home) -> Notices {
    let wanted = settings::log_filter().and_then(|wanted| wanted.parse::<Targets>().ok());
    let filter = wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let path = home.agent_log();
    let opened = home::file::make_folder(&home.workspace())
        .map_err(|error| error.to_string())
        .and_then(|()| LogFile::open(&path).map_err(|error| error.to_string()));
    let problem = opened.as_ref().err().cloned();
    let file = opened.ok().map(|file| {
        let keys = settings::own_secrets(home);
        let file = Veiled::new(file, move |text| keys.redact(&text));
        fmt::layer().with_ansi(false).with_writer(file).with_filter(filter)
    });
    let notices = Notices::on_stderr();
    let warnings = notices.clone().with_filter(LevelFilter::WARN);
    // A second start within one process, as in tests, keeps the first one's log.
    let _ = tracing_subscriber::registry().with(warnings).with(file).try_init();
    if let Some(problem) = problem {
        tracing::warn!("nothing is logged to {}: {problem}", path.display());
    }
    notices
}
