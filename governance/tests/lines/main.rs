//! Lines that must be denied, lines that must run, and what a real bash does with what was judged.

#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "a real bash runs what was judged")]

mod hostile;

use std::path::Path;

use governance::{Access, DEFAULT, Governance, Line, Ruling};

const HOME: &str = "/home/ada";

/// The default lists, with a folder that is read and one that is written.
fn governance() -> Governance {
    let opened = DEFAULT
        .replace("\"allowed\": []", "\"allowed\": [\"~/Documents\", \"~/Projects\"]")
        .replace("\"writable\": []", "\"writable\": [\"~/Projects/out\"]")
        .replace("\"denied\": [", "\"denied\": [\"~/Projects/keys\", ");
    Governance::read(&opened, Path::new(HOME)).unwrap()
}

const DENIED: &[&str] = &[
    // Not the first command, and not a plain one.
    "rm -rf x",
    "ls && rm -rf x",
    "ls; rm x",
    "ls | sh",
    "ls || rm x",
    "ls\nrm x",
    "! rm x",
    "( rm x )",
    "{ rm x; }",
    "if ls; then rm x; fi",
    "while ls; do rm x; done",
    "for f in a; do rm $f; done",
    "if ls; then ls; else rm x; fi",
    // Quoted, escaped, hidden.
    "r\\m x",
    "'rm' x",
    "r''m x",
    "\"r\"m x",
    "$'rm' x",
    "$'\\x72m' x",
    "$\"rm\" x",
    "/bin/rm x",
    "/usr/bin/../bin/rm x",
    "./rm x",
    "r\\\nm x",
    // Not literal.
    "$X x",
    "${X} x",
    "x=rm; $x y",
    "$(echo rm) x",
    "`echo rm` x",
    "r* x",
    "/bin/r? x",
    "{rm,x}",
    "~/rm x",
    // Within another.
    "echo $(rm x)",
    "echo `rm x`",
    "echo \"$(rm x)\"",
    "echo \"`rm x`\"",
    "echo ${X:-$(rm x)}",
    "echo $((a[$(rm x)]))",
    "x=$(rm x)",
    "cat <(rm x)",
    "ls > >(rm x)",
    "cat <<< $(rm x)",
    "cat <<E\n$(rm x)\nE",
    "for f in $(rm x); do ls; done",
    "(( a[$(rm x)] ))",
    "[[ -v a[$(rm x)] ]]",
    "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]",
    "printf -v 'a[$(rm x)]' x",
    "ls() { rm x; }; ls",
    "function ls { rm x; }",
    "coproc rm x",
    // An option that a variable or a command puts in.
    "x=-exec; find . \"$x\" rm {} +",
    "x='a -exec rm {} ;'; find ./$x",
    "find . ''$x",
    "find . \"$(printf %s -delete)\"",
    "find . \"`printf %s -delete`\"",
    "find ./a`printf ' -delete'`",
    "for v in -exec; do find . \"$v\" rm {} +; done",
    "find . \"$a$b\"",
    "x=-v; printf \"$x\" 'a[$(rm x)]' y",
    "x=-v; [ \"$x\" 'a[$(rm x)]' ]",
    "x=-o; sort a \"$x\" b",
    "tar cIf 'rm x' a.tar a",
    "tar FIc a",
    "case a in a) rm x;; esac",
    // Wrapped.
    "env rm x",
    "env -i A=1 rm x",
    "env -S 'rm x'",
    "env PATH=/tmp ls",
    "command rm x",
    "exec rm x",
    "nice -n 5 rm x",
    "nice -5 rm x",
    "nohup rm x",
    "timeout -s 9 5 rm x",
    "timeout --signal=KILL 5 rm x",
    "time rm x",
    "time -p rm x",
    "stdbuf -o0 rm x",
    "setsid rm x",
    "sudo ls",
    "su -c ls",
    "doas ls",
    "echo x | xargs rm",
    "echo x | xargs -I{} rm {}",
    "echo x | xargs --max-lines rm ls",
    "echo x | xargs --replace rm ls",
    "echo -delete | xargs find .",
    "echo x | xargs -n 1 env rm",
    "find . -exec rm {} \\;",
    "find . -exec rm {} +",
    "find . -exec sh -c 'rm x' \\;",
    "find . -exec env rm {} \\;",
    "find . -ok rm {} ';'",
    "find . -execdir rm {} \\;",
    "find . -delete",
    "find . -fprintf /x y",
    "find . $X",
    "find *",
    "sh -c 'rm x'",
    "bash -c 'ls; rm x'",
    "bash -c \"$X\"",
    "bash -lc 'ls'",
    "bash x.sh",
    "sh -c 'sh -c \"rm x\"'",
    "echo 'rm x' | bash",
    "eval 'rm x'",
    "eval ls",
    "source x",
    ". x",
    "trap 'rm x' EXIT",
    "alias ls=rm",
    "builtin eval ls",
    "enable -f x y",
    "hash -p /bin/rm ls",
    "busybox rm x",
    "watch rm x",
    "parallel rm ::: x",
    "script -c 'rm x'",
    "ssh host rm x",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm",
    "git -c core.pager='rm x' log",
    "git -c alias.x='!rm x' x",
    "git --exec-path=/tmp status",
    "git -C /x status",
    "git grep -Orm x",
    "git grep --open-files-in-pager=rm x",
    "git diff --ext-diff",
    "git submodule foreach rm",
    "git push",
    "sort --compress-program=rm x",
    "sort --compress-prog rm x",
    "sort *",
    "sort -o /x y",
    "tree | awk '{system(\"rm\")}'",
    "python3 -c 'import os'",
    // What a command is.
    "PATH=/tmp ls",
    "PATH=/tmp; ls",
    "LD_PRELOAD=x ls",
    "IFS=/ ls",
    "BASH_ENV=x ls",
    "GIT_PAGER=rm git log",
    "GIT_SSH_COMMAND=x git status",
    "export PATH=/tmp",
    "declare -x PATH=/tmp",
    "for PATH in /tmp; do ls; done",
    "a[0]=1 ls",
    "a=(rm)",
    // Files.
    "cat < /etc/shadow",
    "cat < ~/.ssh/id_ed25519",
    "echo x > /etc/passwd",
    "echo x > ~/Documents/a",
    "echo x > ~/Documents/../.bashrc",
    "echo x > ~/Projects/outside/a",
    "cat < ~/Documents-evil/a",
    "cat < ~/Projects/keys/a",
    "cat ~/Projects/keys/a",
    "cat ~/Projects/../.ssh/id",
    "echo x >& /etc/passwd",
    "echo x &> ~/a",
    "cat < $X",
    "ls > *",
    "exec 3<>/dev/tcp/127.0.0.1/80",
    "cat < /dev/tcp/127.0.0.1/80",
    "cd / && echo x > work/a",
    // No line.
    "",
    "   ",
    "# rm",
    "ls (",
    "ls 'x",
    "ls \"x",
    "ls &&",
    "!",
    "time",
    "sh -c !",
    "ls & rm x",
    "sleep 100 &",
    "if ls",
    "ls \u{0} x",
    "ls \u{1b}[2J",
    "~99999999999999999999999",
    "ls 99999999999999999999>x",
    "((((((((((((((((((((((((((((((((((((((((",
];

const ALLOWED: &[&str] = &[
    "ls",
    "ls -la ~/Documents",
    "ls *.md",
    "cat 'my notes.txt'",
    "cat \"a b\" | grep -n 'x y' | head -5",
    "grep -rn TODO . || echo none",
    "/usr/bin/wc -l < ~/Documents/a.txt",
    "find . -name '*.rs' -newer a.txt",
    "find . -type f -exec wc -l {} +",
    "find ./* -maxdepth 1 -print0 | xargs -0 wc -c",
    "git status",
    "git --no-pager log --oneline -5",
    "git diff HEAD~1 -- src",
    "git show HEAD:README.md",
    "echo 'rm -rf /'",
    "echo rm",
    "echo \"it's $HOME\"",
    "echo $(date +%F)",
    "echo `date`",
    "printf '%s\\n' a b",
    "x=1; echo $x",
    "n=$(ls | wc -l) && echo $n",
    "for f in *.txt; do head -1 \"$f\"; done",
    "if test -f a; then cat a; elif [ -d b ]; then ls b; else echo no; fi",
    "while false; do ls; done",
    "! grep -q x a",
    "(cd src && ls)",
    "{ ls; pwd; }",
    "env LC_ALL=C sort ./*",
    "LC_ALL=C sort -n a",
    "TZ=UTC date",
    "timeout 5 ls",
    "nice -n 10 du -sh .",
    "time ls",
    "sh -c 'ls | wc -l'",
    "command -v ls",
    "ls 2>/dev/null",
    "ls > /dev/null 2>&1",
    "ls &> /tmp/out; cat /tmp/out",
    "sort < ~/Projects/a > ~/Projects/out/b",
    "cat <<< 'some text'",
    "du -sh -- *",
    "echo '日本語' \"é\" | wc -m",
    "date # now",
    "stat -c '%s' a",
    "x=a; cat \"$x\" $x",
    "x=a; find ./\"$x\" -name b",
    "printf '%s\\n' \"$HOME\"",
    "printf '%s' $(date)",
];

#[test]
fn what_no_list_holds_is_denied_however_it_is_written() {
    let governance = governance();
    for line in DENIED {
        let verdict = governance.judge(line);
        let is_asked = verdict.ruling() == Ruling::Confirm && line.starts_with("git push");
        assert!(verdict.ruling() == Ruling::Deny || is_asked, "{line:?}: {:?}", verdict.parts);
    }
}

#[test]
fn everyday_lines_run() {
    let governance = governance();
    for line in ALLOWED {
        let verdict = governance.judge(line);
        assert_eq!(verdict.ruling(), Ruling::Allow, "{line:?}: {:?}", verdict.parts);
    }
}

#[test]
fn what_is_written_anew_means_the_same_and_stays_the_same() {
    let governance = governance();
    for line in ALLOWED {
        let once = Line::read(line, HOME);
        let twice = Line::read(&once.shell, HOME);
        assert!(twice.is_understood(), "{line:?} -> {:?}", once.shell);
        assert_eq!(twice.shell, once.shell, "{line:?}");
        assert_eq!(governance.judge(&once.shell).ruling(), Ruling::Allow, "{line:?}");
    }
}

#[test]
fn a_question_is_asked_where_the_list_says_so_and_a_no_wins() {
    let text = r#"{"commands": {"allow": ["git", "mv", "ls"], "requireConfirmation": ["git push", "mv", "cp"],
        "deny": ["mv -f", "env"]}}"#;
    let governance = Governance::read(text, Path::new(HOME)).unwrap();
    for (line, ruling) in [
        ("git status", Ruling::Allow),
        ("git push", Ruling::Confirm),
        ("git --no-pager push origin", Ruling::Confirm),
        ("ls && git push", Ruling::Confirm),
        ("cp a b", Ruling::Confirm),
        ("mv a b", Ruling::Confirm),
        ("mv -f a b", Ruling::Deny),
        ("mv a b -f", Ruling::Deny),
        ("mv $x b", Ruling::Deny),
        ("env ls", Ruling::Deny),
        ("cat a", Ruling::Deny),
    ] {
        assert_eq!(governance.judge(line).ruling(), ruling, "{line}");
    }
    assert_eq!(Governance::closed().judge("ls").ruling(), Ruling::Deny);
}

#[test]
fn a_mistake_names_its_key_and_the_nearest_one() {
    for (text, why) in [
        ("[]", "the file: it is an object"),
        ("{", "the file: EOF"),
        (r#"{"command": {}}"#, "command: there is no such key; did you mean commands?"),
        (r#"{"commands": {"requireConfirm": []}}"#, "did you mean commands.requireConfirmation?"),
        (r#"{"commands": {"allow": "ls"}}"#, "commands.allow: it is a list"),
        (r#"{"commands": {"allow": ["ls", 1]}}"#, "commands.allow[1]: it is a text"),
        (r#"{"commands": {"deny": ["rm *"]}}"#, "commands.deny[0]: \"rm *\" is no command"),
        (
            r#"{"paths": {"allowed": ["Documents"]}}"#,
            "paths.allowed[0]: \"Documents\" is no whole path",
        ),
        (r#"{"paths": {"allowed": ["~/a/../.ssh"]}}"#, "without * and .."),
        (r#"{"rateLimits": {}}"#, "rateLimits: [limits] of router/policy.toml"),
    ] {
        let faults = Governance::read(text, Path::new(HOME)).unwrap_err();
        let told = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(told.contains(why), "{text}: {told}");
    }
    // The words of the first multis, and a list that serves Windows, too.
    let seed = r#"{"commands": {"allowlist": ["ls"], "denylist": ["rm"]}, "paths": {"denied": ["C:\\Windows"]}}"#;
    let read = Governance::read(seed, Path::new(HOME)).unwrap();
    assert_eq!(read.judge("ls").ruling(), Ruling::Allow);
    assert_eq!(read.judge("rm x").ruling(), Ruling::Deny);
}

#[test]
fn paths_are_compared_by_component() {
    let governance = governance();
    let judge = |asked: &str, access| {
        let paths = governance.paths();
        paths.judge(&paths.whole(asked), access).is_ok()
    };
    for (asked, read, write) in [
        ("~/Documents", true, false),
        ("~/Documents/a/../b", true, false),
        ("a.txt", true, false),
        ("~/Documents-evil/a", false, false),
        ("~/Documents/../.ssh/id", false, false),
        ("~/Projects/out/a", true, true),
        ("~/Projects/outside", true, false),
        ("~/Projects/keys", false, false),
        ("~/Projects/keys/a", false, false),
        ("~/Projects/keys2", true, false),
        ("/etc/passwd", false, false),
        ("/home/ada/Documents/x", true, false),
        ("/home/ada", false, false),
        ("/", false, false),
    ] {
        assert_eq!(
            (judge(asked, Access::Read), judge(asked, Access::Write)),
            (read, write),
            "{asked}"
        );
    }
}
