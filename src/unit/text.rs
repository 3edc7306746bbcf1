//! The text of a unit file.

use std::path::Path;

/// The first line of every file that is written, by which it is known again.
pub(super) const MARK: &str =
    "# SafeClaw has written this file, and replaces it when it is installed again.";

/// What a unit runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// Mind and wall in one, over a pipe.
    Whole,
    /// The mind, which reaches its router over Redis.
    Agent,
    /// The wall, which serves a Redis.
    Router,
}

impl Runs {
    fn command(self) -> &'static str {
        match self {
            Self::Whole => "chat",
            Self::Agent => "agent",
            Self::Router => "router",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Whole => "SafeClaw, a personal AI agent",
            Self::Agent => "SafeClaw's agent: talks with people and asks the model",
            Self::Router => "SafeClaw's router: judges commands and runs skills",
        }
    }
}

/// What differs from unit to unit.
#[derive(Debug)]
pub(super) struct Facts<'f> {
    /// What it runs.
    pub(super) part: Runs,
    /// The program.
    pub(super) program: &'f Path,
    /// The home.
    pub(super) home: &'f Path,
    /// The user that a unit of the system runs as; a unit of a user has none.
    pub(super) user: Option<&'f str>,
    /// A file with REDIS_URL.
    pub(super) environment: Option<&'f Path>,
}

/// What systemd may take away from every unit. It does so with system calls alone.
const ALWAYS: &str = "\
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
";

/// What it may take away from a unit of the system as well.
const OF_THE_SYSTEM: &str = "\
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelModules=yes
CapabilityBoundingSet=
# The sandbox of the skills needs namespaces of its own and a /proc with nothing hidden. So RestrictNamespaces=,
# ProtectKernelTunables=, ProtectKernelLogs= and ProtectProc= are left out.
";

/// The text of the unit.
pub(super) fn unit(facts: &Facts<'_>) -> String {
    let Facts { part, program, home, user, environment } = facts;
    let start = [quoted(program), "--home".to_owned(), quoted(home), part.command().to_owned()];
    let (mut whose, mut wanted) = (String::new(), "default.target");
    if let Some(user) = user {
        whose = format!("User={user}\nStateDirectory={user}\nStateDirectoryMode=0700\n");
        whose.push_str(OF_THE_SYSTEM);
        wanted = "multi-user.target";
    }
    let after = match user {
        Some(_) => {
            "After=network-online.target redis-server.service ollama.service\nWants=network-online.target\n"
        }
        None => "",
    };
    let environment = environment
        .map(|file| format!("EnvironmentFile={}\n", escaped(&file.display().to_string())))
        .unwrap_or_default();
    format!(
        "{MARK}
[Unit]
Description={}
{after}
[Service]
Type=notify
NotifyAccess=main
ExecStart={}
{environment}StandardInput=null
WatchdogSec=60
Restart=always
RestartSec=10
# The router answers what runs before it ends, and takes up to 25 seconds for that.
TimeoutStopSec=40
KillMode=mixed
{ALWAYS}{whose}
[Install]
WantedBy={wanted}
",
        part.description(),
        start.join(" "),
    )
}

/// A path as one word of a command line in a unit file.
pub(super) fn quoted(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped(&text).replace('$', "$$"))
}

/// A text in which systemd replaces nothing.
fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_whatever_is_in_it() {
        for (path, word) in [
            ("/a b/safeclaw", "\"/a b/safeclaw\""),
            ("/100%/$HOME", "\"/100%%/$$HOME\""),
            ("/a\"b\\c", "\"/a\\\"b\\\\c\""),
        ] {
            assert_eq!(quoted(Path::new(path)), word);
        }
    }
}
