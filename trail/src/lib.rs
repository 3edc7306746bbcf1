//! What the logs know of one message: their lines that carry its id, from the agent over the router to the skills.
//!
//! A log is read with the one that it has set aside. An event begins with a line that begins with a time, and goes on to the
//! next such line; in a skill's log, where skills write what they like, with a line of the router's that begins with `── ` and
//! a time.

mod event;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use home::Home;
use protocol::Trace;

use event::{Event, LogKind};

/// Something that was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailLine {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Which log says so: `agent`, `router`, or the name of a skill.
    pub from: String,
    /// What; some lines long.
    pub text: String,
}

/// One log of a home.
struct Log {
    path: PathBuf,
    from: String,
    kind: LogKind,
}

/// All that the logs of `home` say of the message `trace`, by time.
///
/// # Errors
/// The first log that is there and can't be read.
pub fn of(home: &Home, trace: Trace) -> io::Result<Vec<TrailLine>> {
    let mut found = Vec::new();
    for log in logs(home) {
        let line =
            |event: Event| TrailLine { at: event.at, from: log.from.clone(), text: event.text };
        found.extend(events(&log)?.into_iter().filter(|event| event.is_of(trace)).map(line));
    }
    found.sort_by_key(|line| line.at);
    Ok(found)
}

/// The latest messages that the agent's log knows, at most `most`, the oldest first: when each came, and its id.
///
/// # Errors
/// When that log is there and can't be read.
pub fn latest(home: &Home, most: usize) -> io::Result<Vec<(u64, Trace)>> {
    let mut found: Vec<(u64, Trace)> = Vec::new();
    for log in logs(home).into_iter().take(1) {
        for (at, trace) in events(&log)?.iter().filter_map(|event| Some((event.at, event.trace()?)))
        {
            if found.iter().all(|(_, known)| *known != trace) {
                found.push((at, trace));
            }
        }
    }
    found.drain(..found.len().saturating_sub(most));
    Ok(found)
}

/// Every log; that of the agent comes first.
fn logs(home: &Home) -> Vec<Log> {
    let of = |path, from: &str| Log { path, from: from.to_owned(), kind: LogKind::Process };
    let mut logs = vec![of(home.agent_log(), "agent"), of(home.router_own_log(), "router")];
    let own = home.router_own_log();
    let entries = fs::read_dir(home.router_log()).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| *path != own);
    logs.extend(paths.filter_map(|path| {
        let from = path.file_name()?.to_str()?.strip_suffix(".log")?.to_owned();
        Some(Log { path, from, kind: LogKind::Skill })
    }));
    logs
}

/// The events of a log, those of the one that it has set aside first.
fn events(log: &Log) -> io::Result<Vec<Event>> {
    let mut aside = log.path.clone().into_os_string();
    aside.push(".1");
    let mut text = read(Path::new(&aside))?;
    text.push_str(&read(&log.path)?);
    Ok(Event::all(&text, log.kind))
}

/// The text of a file; nothing where there is none.
fn read(path: &Path) -> io::Result<String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use testkit::TempHome;

    use super::*;

    #[test]
    fn what_carries_the_id_is_found_in_every_log_by_time_and_nothing_else_is() {
        let home = TempHome::new();
        home.put(
            "workspace/agent.log.1",
            "2026-11-24T10:00:00.000001Z  INFO message{trace=1a session=owner}: a: has come\n",
        );
        home.put(
            "workspace/agent.log",
            "2026-11-24T10:00:03.5Z  INFO message{trace=1a session=owner}: a: answered\n\
             2026-11-24T10:00:04Z  INFO message{trace=1ab session=owner}: a: another\n",
        );
        home.put(
            "router/log/safeclaw-router.log",
            "2026-11-24T10:00:02Z  WARN command{trace=1a id=7}: r: odd\nand more of it\n2026-11-24T10:00:02Z  INFO r: other\n",
        );
        home.put(
            "router/log/web.log",
            "from before\n── 2026-11-24T10:00:01.250Z GET trace=1a id=7\n2026-11-24T11:00:00Z its own words\n\
             ── 2026-11-24T10:00:09Z GET trace=- id=8\nof nobody\n",
        );
        let trace = "1a".parse().unwrap();
        let found: Vec<(String, String)> =
            of(&home, trace).unwrap().into_iter().map(|line| (line.from, line.text)).collect();
        let told = [
            ("agent", "INFO message{trace=1a session=owner}: a: has come"),
            ("web", "GET trace=1a id=7\n2026-11-24T11:00:00Z its own words"),
            ("router", "WARN command{trace=1a id=7}: r: odd\nand more of it"),
            ("agent", "INFO message{trace=1a session=owner}: a: answered"),
        ];
        assert_eq!(found, told.map(|(from, text)| (from.to_owned(), text.to_owned())));
        let ids = |most| {
            let latest = latest(&home, most).unwrap();
            latest.into_iter().map(|(_, trace)| trace.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            (ids(9), ids(1)),
            (vec!["1a".to_owned(), "1ab".to_owned()], vec!["1ab".to_owned()])
        );
        assert_eq!(of(&TempHome::new(), trace).unwrap(), []);
    }
}
