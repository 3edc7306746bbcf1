//! What runs other commands: it is taken off, so that the command inside is judged, or it is refused.

use crate::line::{Reading, Simple};
use crate::word::{Word, in_quotes};

/// What makes the shell itself run or mean something that nobody has judged.
const OF_THE_SHELL: [&str; 33] = [
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
const OTHER_USERS: [&str; 8] =
    ["doas", "pkexec", "run0", "runas", "runuser", "su", "sudo", "sudoedit"];

/// Programs whose job is to run others in ways that are not taken apart here.
const RUNNERS: [&str; 48] = [
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
const SHELLS: [&str; 7] = ["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// A wrapper: its options that take no value, those that take one, and how many words stand before the command.
struct Wrapper {
    name: &'static str,
    plain: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    long_valued: &'static [&'static str],
    before: usize,
}

const NONE: Wrapper =
    Wrapper { name: "", plain: "", valued: "", long: &[], long_valued: &[], before: 0 };

const WRAPPERS: [Wrapper; 11] = [
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
        long: &["exit", "no-run-if-empty", "null", "verbose"],
        long_valued: &["delimiter", "max-args", "max-chars", "max-lines", "max-procs", "replace"],
        ..NONE
    },
];

/// Options by which a program that does something else runs commands or writes files: by its letters and by its long names.
const GUARDED: [(&str, &str, &[&str]); 14] = [
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
const GIT: [&str; 12] = [
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
const GIT_OPTIONS: [&str; 13] = [
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

/// Takes apart the command `words` and keeps what it runs. A line within it is written anew in its place.
pub(crate) fn unwrap(reading: &mut Reading, words: &mut [Word]) {
    let mut at = 0;
    while let Some(first) = words.get(at) {
        let shown = shown(&words[at..]);
        let Some(name) = first.literal.clone() else {
            return reading.fault(&shown, "the name of a command is written out");
        };
        let name = match base_name(&name) {
            Ok(name) => name.to_owned(),
            Err(why) => return reading.fault(&shown, why),
        };
        if let Some(why) = never(&name) {
            return reading.fault(&shown, why);
        }
        if SHELLS.contains(&name.as_str()) {
            return shell(reading, name, &mut words[at + 1..], &shown);
        }
        let inner = WRAPPERS.iter().find(|wrapper| wrapper.name == name);
        let inner = match inner.map(|wrapper| wrapper.inner(reading, &words[at + 1..])) {
            Some(Err(why)) => return reading.fault(&shown, why),
            Some(Ok(inner)) => inner,
            None => None,
        };
        let Some(skipped) = inner else { return simple(reading, &name, &words[at + 1..], &shown) };
        reading.line.commands.push(Simple {
            name: name.clone(),
            args: words[at + 1..].to_vec(),
            wraps: true,
        });
        // What comes from elsewhere must not be read as an option of something that runs more.
        if name == "xargs" && words.get(at + 1 + skipped).is_some_and(takes_apart) {
            return reading.fault(&shown, "xargs hands it words that nobody has judged");
        }
        at += 1 + skipped;
    }
}

/// The name without its folder, which must be one of the system's programs.
fn base_name(name: &str) -> Result<&str, &'static str> {
    const PROGRAMS: [&str; 5] = ["/bin", "/sbin", "/usr/bin", "/usr/local/bin", "/usr/sbin"];
    match name.rsplit_once('/') {
        None if name.is_empty() => Err("it has no name"),
        None => Ok(name),
        Some((folder, base)) if PROGRAMS.contains(&folder) && !base.is_empty() => Ok(base),
        Some(_) => Err("a file of a folder is no command: name a program of the system"),
    }
}

fn never(name: &str) -> Option<&'static str> {
    if OF_THE_SHELL.contains(&name) {
        return Some("it makes the shell do what nobody has judged");
    }
    if OTHER_USERS.contains(&name) {
        return Some("nothing is run as somebody else");
    }
    let is_loader = name.starts_with("ld-linux") || name.starts_with("ld-musl");
    (is_loader || RUNNERS.contains(&name))
        .then_some("it runs other commands, which can't be judged")
}

/// Whether options of this command run others, so that its words have to be known.
fn takes_apart(word: &Word) -> bool {
    let Some(name) = word.literal.as_deref() else { return true };
    let name = name.rsplit('/').next().unwrap_or(name);
    ["find", "git"].contains(&name)
        || SHELLS.contains(&name)
        || WRAPPERS.iter().any(|wrapper| wrapper.name == name)
        || GUARDED.iter().any(|(guarded, ..)| *guarded == name)
}

impl Wrapper {
    /// How many words stand before the command inside; `None` when there is none.
    fn inner(&self, reading: &mut Reading, words: &[Word]) -> Result<Option<usize>, &'static str> {
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

/// `sh -c LINE`, whose line is written anew in its place.
fn shell(reading: &mut Reading, name: String, words: &mut [Word], shown: &str) {
    const ONLY: &str = "a shell is given a line that is written out, by -c and nothing else";
    let is_c = words.first().and_then(|word| word.literal.as_deref()) == Some("-c");
    let line = words.get(1).and_then(|word| word.literal.clone()).filter(|_| is_c);
    let Some(line) = line else { return reading.fault(shown, ONLY) };
    reading.line.commands.push(Simple { name, args: Vec::new(), wraps: true });
    let anew = reading.text(&line);
    words[1].shell = in_quotes(&anew);
    words[1].literal = None;
}

/// A command that runs no other, or only by its options.
fn simple(reading: &mut Reading, name: &str, args: &[Word], shown: &str) {
    let has_options =
        name == "find" || name == "git" || GUARDED.iter().any(|(known, ..)| *known == name);
    if has_options && args.iter().any(|arg| arg.may_be_option) {
        let why = "what is put in could be read as an option: write ./* in the place of *";
        return reading.fault(shown, why);
    }
    match name {
        "find" => find(reading, args, shown),
        "git" => return git(reading, args, shown),
        _ => {}
    }
    let guarded = GUARDED.iter().find(|(known, ..)| *known == name);
    if let Some((_, letters, long)) = guarded
        && let Some(option) = args
            .iter()
            .filter_map(|arg| arg.literal.as_deref())
            .find(|arg| is_guarded(arg, letters, long))
    {
        return reading.fault(shown, format!("{option} runs other commands, or writes"));
    }
    reading.line.commands.push(Simple { name: name.to_owned(), args: args.to_vec(), wraps: false });
}

fn is_guarded(arg: &str, letters: &str, long: &[&str]) -> bool {
    if arg.starts_with("--") {
        let name = arg.split('=').next().unwrap_or(arg);
        // GNU programs know a long option by its first letters.
        return name.len() > 2 && long.iter().any(|known| known.starts_with(name));
    }
    // `tar` takes its first letters without a dash, too; `-o` and the like may stand among others.
    arg.strip_prefix('-').is_some_and(|rest| rest.chars().any(|c| letters.contains(c)))
}

/// What `find` does with what it finds.
fn find(reading: &mut Reading, args: &[Word], shown: &str) {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        match arg.literal.as_deref() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let rest = &args[at + 1..];
                let is_end = |word: &Word| matches!(word.literal.as_deref(), Some(";" | "+"));
                let Some(end) = rest.iter().position(is_end) else {
                    return reading.fault(shown, "-exec has no end: write \\; behind its command");
                };
                if rest[..end].first().is_some_and(takes_apart) {
                    return reading.fault(shown, "find hands it names that nobody has judged");
                }
                unwrap(reading, &mut rest[..end].to_vec());
                at += end + 1;
            }
            Some("-delete") => {
                reading.line.commands.push(Simple {
                    name: "rm".to_owned(),
                    args: Vec::new(),
                    wraps: false,
                });
            }
            Some("-fls" | "-fprint" | "-fprint0" | "-fprintf") => {
                return reading.fault(shown, "find writes to no file: use >");
            }
            _ => {}
        }
        at += 1;
    }
}

fn git(reading: &mut Reading, args: &[Word], shown: &str) {
    const CONFIGURES: &str =
        "it would run what it is told: -c, -C and the like are not for git here";
    let literal: Option<Vec<&str>> = args.iter().map(|arg| arg.literal.as_deref()).collect();
    let Some(literal) = literal else {
        return reading.fault(shown, "the words of git are written out");
    };
    let is_part = |arg: &&&str| !arg.starts_with('-');
    let part = literal.iter().position(|arg| is_part(&arg));
    let before = &literal[..part.unwrap_or(literal.len())];
    let harmless =
        ["--no-pager", "--no-optional-locks", "--literal-pathspecs", "--version", "--help"];
    if before.iter().any(|arg| !harmless.contains(arg)) {
        return reading.fault(shown, CONFIGURES);
    }
    if part.is_some_and(|part| GIT.contains(&literal[part])) {
        return reading.fault(shown, "this part of git runs other commands");
    }
    let behind = part.map_or(&[][..], |part| &literal[part + 1..]);
    let is_bad = |arg: &&str| {
        is_guarded(arg, "", &GIT_OPTIONS)
            || arg.starts_with("-O")
            || *arg == "-x"
            || arg.starts_with("-c")
    };
    if let Some(option) = behind.iter().find(|arg| is_bad(arg)) {
        return reading.fault(shown, format!("{option} runs other commands, or writes"));
    }
    let args = args[part.unwrap_or(0)..].to_vec();
    reading.line.commands.push(Simple { name: "git".to_owned(), args, wraps: false });
}

fn shown(words: &[Word]) -> String {
    words.iter().map(Word::shown).collect::<Vec<_>>().join(" ")
}
