//! What the attacks found, for people and for programs.

use std::fmt;

use serde::Serialize;

use crate::sandbox::{Found, Level};

/// How one attack ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It works without the sandbox, and did not in it.
    Contained,
    /// It worked in the sandbox.
    Leaked,
    /// It shows nothing here: it does not work without the sandbox either, or could not be run.
    NotTried,
}

/// One attack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its short name.
    pub attack: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// What was tried.
    pub tried: &'static str,
    /// What happened.
    pub happened: String,
}

/// All attacks, and the level that they met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How this machine holds a skill in.
    pub level: Level,
    /// Why it does not hold it tighter, and what mends that.
    pub reasons: Vec<String>,
    /// The attacks, in the order of their list.
    pub findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(found: &Found, findings: Vec<Finding>) -> Self {
        Self { level: found.level, reasons: found.reasons.clone(), findings }
    }

    /// How many attacks ended with `verdict`.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contained => "contained",
            Self::Leaked => "LEAKED",
            Self::NotTried => "not tried",
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { attack, verdict, tried, happened } in &self.findings {
            writeln!(f, "{verdict:<9}  {attack:<22}  {tried}: {happened}")?;
        }
        writeln!(
            f,
            "\n{} contained, {} leaked, {} not tried\nlevel: {}",
            self.count(Verdict::Contained),
            self.count(Verdict::Leaked),
            self.count(Verdict::NotTried),
            self.level
        )?;
        self.reasons.iter().try_for_each(|reason| writeln!(f, "because {reason}"))
    }
}
