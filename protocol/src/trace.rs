//! The id under which everything is found that came of one message.

use std::fmt;
use std::str::FromStr;

use crate::{Envelope, Millis};

/// The time at which a message came, which the agent gives to no two messages of a conversation, as hexadecimal digits such as
/// `19ab3f2c1d4`. It stands in the agent's log, on the wire as the command's `asked`, in the router's log, in the audit and
/// in the skills' logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace(Millis);

/// It is no such id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an id of a message has 1 to 16 digits, 0 to 9 and a to f")]
pub struct NoTrace;

impl Envelope {
    /// The id of the message that this belongs to; `None` where no message asked for it.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        self.asked.map(Trace)
    }
}

impl Trace {
    /// When the message came.
    #[must_use]
    pub fn asked(self) -> Millis {
        self.0
    }
}

impl From<Millis> for Trace {
    fn from(asked: Millis) -> Self {
        Self(asked)
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0.0)
    }
}

impl FromStr for Trace {
    type Err = NoTrace;
    fn from_str(text: &str) -> Result<Self, NoTrace> {
        let is_hex = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let asked = is_hex.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        asked.map(|asked| Self(Millis(asked))).ok_or(NoTrace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        let trace = Trace::from(Millis(1_763_798_400_123));
        assert_eq!(trace.to_string().parse(), Ok(trace));
        for wrong in ["", "+1", "xyz", "0x1", "11112222333344445", "1 2"] {
            assert_eq!(wrong.parse::<Trace>(), Err(NoTrace), "{wrong}");
        }
    }
}
