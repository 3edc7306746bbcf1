//! What runs other commands: it is taken off, so that the command inside is judged, or it is refused.

use super::runners::{
    GIT, GIT_OPTIONS, GUARDED, OF_THE_SHELL, OTHER_USERS, RUNNERS, SHELLS, WRAPPERS,
};
use super::word::{Word, in_quotes};
use super::{Reading, Simple};

/// Takes apart the command `words` and keeps what it runs. A line within it is written anew in its place.
pub(super) fn unwrap(reading: &mut Reading, words: &mut [Word]) {
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
    // What stands behind its first word, printf prints.
    let options = if name == "printf" { &args[..args.len().min(1)] } else { args };
    if has_options && options.iter().any(|arg| arg.may_be_option) {
        let why = "what is put in could be read as an option: write it out, or begin it with ./, such as ./* or ./\"$NAME\"";
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
            .enumerate()
            // tar takes the letters of its first word without a dash, too.
            .find(|(at, arg)| {
                is_guarded(arg, letters, long)
                    || (name == "tar" && *at == 0 && has_one(arg, letters))
            })
            .map(|(_, arg)| arg)
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
    // `-o` and the like may stand among others.
    arg.strip_prefix('-').is_some_and(|rest| has_one(rest, letters))
}

fn has_one(text: &str, letters: &str) -> bool {
    text.chars().any(|c| letters.contains(c))
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
