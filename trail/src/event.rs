//! One event of a log: its time, and its lines.

use jiff::Timestamp;
use protocol::Trace;

/// What a line begins with that is the first one of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogKind {
    /// A time.
    Process,
    /// The router's mark and a time.
    Skill,
}

/// What stands in front of the id.
const BEFORE: &str = "trace=";

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// When, in milliseconds since 1970.
    pub(crate) at: u64,
    /// Its lines without the time and without the last line's end.
    pub(crate) text: String,
}

impl Event {
    /// The events of a log. What stands in front of the first one is left out.
    pub(crate) fn all(text: &str, kind: LogKind) -> Vec<Self> {
        let mut events: Vec<Self> = Vec::new();
        for line in text.lines() {
            match (Self::first(line, kind), events.last_mut()) {
                (Some(event), _) => events.push(event),
                (None, Some(event)) => {
                    event.text.push('\n');
                    event.text.push_str(line);
                }
                (None, None) => {}
            }
        }
        events
    }

    /// The event that a line begins.
    fn first(line: &str, kind: LogKind) -> Option<Self> {
        let line = match kind {
            LogKind::Process => line,
            LogKind::Skill => line.strip_prefix("── ")?,
        };
        let (time, text) = line.split_once(' ')?;
        let at = time.parse::<Timestamp>().ok()?.as_millisecond();
        Some(Self { at: u64::try_from(at).ok()?, text: text.trim_start().to_owned() })
    }

    /// The id of the message that it belongs to, as its first line says.
    pub(crate) fn trace(&self) -> Option<Trace> {
        let line = self.text.lines().next()?;
        let (_, id) = line.split_once(BEFORE)?;
        id.split(|c: char| !c.is_ascii_alphanumeric()).next()?.parse().ok()
    }

    /// Whether it belongs to that message.
    pub(crate) fn is_of(&self, trace: Trace) -> bool {
        self.trace() == Some(trace)
    }
}
