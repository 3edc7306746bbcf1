//! What a program that measures has printed: `name value`, one figure a line.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{Figure, program};

/// The lines of one run.
#[derive(Debug)]
pub(super) struct Said(String);

impl Said {
    /// Runs a program of the release build to its end.
    ///
    /// # Errors
    /// When it can't be started or fails.
    pub(super) fn by(sh: &Shell, name: &str, args: &[&str]) -> Result<Self> {
        let program = program::path(sh, name);
        Ok(Self(cmd!(sh, "{program} {args...}").quiet().read()?))
    }

    /// The value with this name.
    ///
    /// # Errors
    /// When it was not printed.
    pub(super) fn value(&self, name: &str) -> Result<f64> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = line.and_then(|value| value.trim().parse().ok());
        value.with_context(|| format!("no {name} in {:?}", self.0))
    }

    /// The same as a line of the table, where it is called `what`.
    ///
    /// # Errors
    /// As [`Said::value`].
    pub(super) fn figure(&self, name: &str, what: &str, unit: &'static str) -> Result<Figure> {
        Ok(Figure::new(what, self.value(name)?, unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_a_whole_name() {
        let said = Said("rate_64 3.5\nrate 2\n".to_owned());
        assert_eq!(said.value("rate").unwrap(), 2.0);
        assert_eq!(said.value("rate_64").unwrap(), 3.5);
        assert!(said.value("rat").unwrap_err().to_string().contains("no rat"));
    }
}
