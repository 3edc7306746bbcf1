//! The programs that run others, and the options by which they do.

use super::Reading;
use super::word::Word;

/// What makes the shell itself run or mean something that nobody has judged.
pub(super) const OF_THE_SHELL: [&str; 33] = [
    ".",
    "alias",
    "bind",
    "builtin",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "declare",
    "enable",
    "eval",
    "export",
    "fc",
    "function",
    "getopts",
    "hash",
    "history",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "select",
    "set",
    "shopt",
    "source",
    "suspend",
    "trap",
    "typeset",
    "unalias",
    "unset",
    "wait",
];

/// What becomes somebody else.
pub(super) const OTHER_USERS: [&str; 8] =
    ["doas", "pkexec", "run0", "runas", "runuser", "su", "sudo", "sudoedit"];

/// Programs whose job is to run others in ways that are not taken apart here.
pub(super) const RUNNERS: [&str; 48] = [
    "at",
    "batch",
    "bwrap",
    "busybox",
    "capsh",
    "chroot",
    "chrt",
    "choom",
    "crontab",
    "dbus-run-session",
    "entr",
    "expect",
    "fakeroot",
    "faketime",
    "firejail",
    "flock",
    "gdb",
    "ld.so",
    "linux32",
    "linux64",
    "logsave",
    "ltrace",
    "nsenter",
    "numactl",
    "parallel",
    "perf",
    "prlimit",
    "proot",
    "rlwrap",
    "run-parts",
    "runcon",
    "screen",
    "script",
    "setarch",
    "setpriv",
    "socat",
    "ssh",
    "start-stop-daemon",
    "strace",
    "systemd-run",
    "taskset",
    "tmux",
    "toybox",
    "unbuffer",
    "unshare",
    "valgrind",
    "watch",
    "xvfb-run",
];

/// Shells: only `-c LINE` is taken apart.
pub(super) const SHELLS: [&str; 7] = ["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// A wrapper: its options that take no value, those that take one, and how many words stand before the command.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    pub(super) plain: &'static str,
    pub(super) valued: &'static str,
    pub(super) long: &'static [&'static str],
    pub(super) long_valued: &'static [&'static str],
    pub(super) before: usize,
}

const NONE: Wrapper =
    Wrapper { name: "", plain: "", valued: "", long: &[], long_valued: &[], before: 0 };

pub(super) const WRAPPERS: [Wrapper; 11] = [
    Wrapper { name: "command", plain: "pvV", ..NONE },
    Wrapper { name: "exec", plain: "cl", valued: "a", ..NONE },
    Wrapper {
        name: "env",
        plain: "i",
        valued: "u",
        long: &["ignore-environment"],
        long_valued: &["unset"],
        ..NONE
    },
    Wrapper { name: "ionice", plain: "t", valued: "cn", ..NONE },
    Wrapper { name: "nice", valued: "n", long_valued: &["adjustment"], ..NONE },
    Wrapper { name: "nohup", ..NONE },
    Wrapper { name: "setsid", plain: "cfw", long: &["ctty", "fork", "wait"], ..NONE },
    Wrapper { name: "stdbuf", valued: "ioe", long_valued: &["input", "output", "error"], ..NONE },
    Wrapper {
        name: "time",
        plain: "pv",
        valued: "f",
        long: &["portability", "verbose"],
        long_valued: &["format"],
        ..NONE
    },
    Wrapper {
        name: "timeout",
        plain: "fpv",
        valued: "ks",
        long: &["foreground", "preserve-status", "verbose"],
        long_valued: &["kill-after", "signal"],
        before: 1,
    },
    Wrapper {
        name: "xargs",
        plain: "0rtx",
        valued: "dEILnPs",
        // The last two take a value behind `=` alone, so a word that follows is the command.
        long: &["exit", "no-run-if-empty", "null", "verbose", "max-lines", "replace"],
        long_valued: &["delimiter", "max-args", "max-chars", "max-lines", "max-procs", "replace"],
        ..NONE
    },
];

/// Options by which a program that does something else runs commands or writes files: by its letters and by its long names.
pub(super) const GUARDED: [(&str, &str, &[&str]); 14] = [
    ("ag", "", &["--pager"]),
    ("bat", "", &["--pager"]),
    ("diff", "", &["--paginate"]),
    ("fd", "xX", &["--exec", "--exec-batch"]),
    ("man", "PHE", &["--pager", "--html", "--preprocessor"]),
    ("printf", "v", &[]),
    ("rg", "", &["--pre", "--hostname-bin"]),
    ("rsync", "e", &["--rsh", "--rsync-path"]),
    ("sort", "oT", &["--compress-program", "--output", "--temporary-directory"]),
    ("split", "", &["--filter"]),
    (
        "tar",
        "IFT",
        &[
            "--to-command",
            "--use-compress-program",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--files-from",
        ],
    ),
    ("test", "vR", &[]),
    ("[", "vR", &[]),
    ("zip", "T", &["--unzip-command", "--test"]),
];

/// Parts of git that run what they are told.
pub(super) const GIT: [&str; 12] = [
    "bisect",
    "credential",
    "daemon",
    "difftool",
    "filter-branch",
    "hook",
    "mergetool",
    "remote-ext",
    "send-email",
    "shell",
    "submodule",
    "upload-pack",
];

/// Options of git, before and behind its part, that run what they name or lead it elsewhere.
pub(super) const GIT_OPTIONS: [&str; 13] = [
    "--config-env",
    "--exec",
    "--exec-path",
    "--ext-diff",
    "--git-dir",
    "--open-files-in-pager",
    "--output",
    "--paginate",
    "--receive-pack",
    "--textconv",
    "--upload-pack",
    "--work-tree",
    "--namespace",
];

impl Wrapper {
    /// How many words stand before the command inside; `None` when there is none.
    pub(super) fn inner(
        &self,
        reading: &mut Reading,
        words: &[Word],
    ) -> Result<Option<usize>, &'static str> {
        const WRITTEN: &str = "its words are written out";
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.literal.as_deref().ok_or(WRITTEN)?;
            if text == "--" {
                at += 1;
                break;
            }
            if !text.starts_with('-') || (text == "-" && self.name != "env") {
                break;
            }
            at += self.option(text).ok_or("this option is not known to be harmless")?;
        }
        if self.name == "env" {
            let variables =
                words.iter().skip(at).map_while(|word| word.literal.as_deref()?.split_once('='));
            let names: Vec<_> = variables.map(|(name, _)| name).collect();
            at += names.len();
            names.iter().for_each(|name| reading.assigned(name));
        }
        at += self.before;
        if words.iter().take(at).any(|word| word.literal.is_none()) {
            return Err(WRITTEN);
        }
        Ok((at < words.len()).then_some(at))
    }

    /// How many words the option takes, with itself; nothing when it is not known.
    fn option(&self, text: &str) -> Option<usize> {
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            return match value {
                None if self.long.contains(&name) => Some(1),
                None if self.long_valued.contains(&name) => Some(2),
                Some(_) if self.long_valued.contains(&name) => Some(1),
                _ => None,
            };
        }
        let letters = &text[1..];
        let is_level =
            self.name == "nice" && letters.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if is_level || text == "-" {
            return Some(1);
        }
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                let is_last = at + letter.len_utf8() == letters.len();
                return Some(if is_last { 2 } else { 1 });
            }
            if !self.plain.contains(letter) {
                return None;
            }
        }
        Some(1)
    }
}
