//! The levels at which a machine can hold a skill in, and what is missing where one does not work.

use std::fmt;
use std::fs;

use serde::{Deserialize, Serialize};

use super::error::RunError;

/// How a skill is held in, from the tightest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Namespaces of its own (user, process, network, mount), Landlock, seccomp and limits.
    Namespaces,
    /// Landlock, seccomp and limits: no network at all, and the host's file names are in sight.
    LandlockOnly,
    /// No mechanism: nothing runs.
    Nothing,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespaces => "namespaces, Landlock and seccomp",
            Self::LandlockOnly => "Landlock and seccomp without namespaces",
            Self::Nothing => "nothing, so no skill runs",
        })
    }
}

/// What the machine allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The tightest level that works.
    pub level: Level,
    /// Why the levels above it do not, and what mends that.
    pub reasons: Vec<String>,
}

impl Found {
    pub(super) fn nothing() -> Self {
        Self { level: Level::Nothing, reasons: Vec::new() }
    }
}

/// Why `level` does not work here, and what mends that.
pub(super) fn missing(level: Level, error: &RunError) -> String {
    format!("{}: {error}; {}", name(level), advice(level))
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Namespaces => "namespaces do not work here",
        Level::LandlockOnly => "Landlock does not work here",
        Level::Nothing => "nothing works here",
    }
}

/// What usually stands in the way, by the kernel's own switches.
fn advice(level: Level) -> &'static str {
    let switch = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    if level != Level::Namespaces {
        return "it takes Linux 5.13 or newer with `landlock` in its list of security modules";
    }
    if switch("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
        return "allow them with `sysctl kernel.unprivileged_userns_clone=1`";
    }
    if switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1") {
        return "AppArmor forbids them: allow them with `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or for this binary with a profile that has `userns,`";
    }
    if switch("/proc/sys/user/max_user_namespaces").as_deref() == Some("0") {
        return "allow them with `sysctl user.max_user_namespaces=10000`";
    }
    "containers usually forbid them: run the router on the host, or allow `unshare` and `mount` in the container's seccomp profile"
}
