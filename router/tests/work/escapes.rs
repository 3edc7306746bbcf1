//! Ways out of a workbench, tried from inside bash, python and an environment of the project, as root and as a user.
//!
//! Each attempt prints `ESCAPED` when it succeeds. Whether an attempt means anything is seen by the first ones, which may
//! succeed: they do in the project itself what the others do outside.

use std::fs;

use crate::desk::Desk;

/// What may be done in the project, so that a refusal elsewhere says something.
const ALLOWED: [&str; 4] = [
    "echo x > /workspace/ok && cat /workspace/ok >/dev/null && echo ESCAPED",
    "ln -s /workspace/ok /workspace/okl && cat /workspace/okl >/dev/null && echo ESCAPED",
    "sleep 100 & kill $! && echo ESCAPED",
    "echo x > /tmp/ok && chmod 700 /tmp/ok && echo ESCAPED",
];

/// Out of bash. SECRET is a file of the host beside the project, HOME is SafeClaw's home, PROJECT its path outside.
const FROM_BASH: [&str; 28] = [
    "cat SECRET && echo ESCAPED",
    "cat /workspace/../SECRET && echo ESCAPED",
    "ln -sf SECRET /workspace/l && cat /workspace/l && echo ESCAPED",
    "ln SECRET /workspace/h && cat /workspace/h && echo ESCAPED",
    "ls HOME && echo ESCAPED",
    "ls PROJECT && echo ESCAPED",
    "ls /root /home 2>/dev/null | grep . && echo ESCAPED",
    "cat /etc/shadow && echo ESCAPED",
    "echo x > /etc/x && echo ESCAPED",
    "echo x > /usr/x && echo ESCAPED",
    "echo x > /skill/x && echo ESCAPED",
    "echo x > /router && echo ESCAPED",
    "mkdir /newroot && echo ESCAPED",
    "tr '\\0' '\\n' < /proc/1/environ | grep = && echo ESCAPED",
    "cat /proc/1/root/SECRET && echo ESCAPED",
    "cat /proc/1/cwd/SECRET && echo ESCAPED",
    "ls -d /proc/[0-9]* | wc -l | { read n; [ $n -gt 40 ] && echo ESCAPED; }",
    "kill -9 1 && sleep 0.2 && ! kill -0 1 2>/dev/null && echo ESCAPED",
    "unshare -r true && echo ESCAPED",
    "unshare -m true && echo ESCAPED",
    "mount -t tmpfs x /workspace && echo ESCAPED",
    "umount /workspace/.git/hooks 2>/dev/null && echo ESCAPED",
    "mknod /workspace/d b 8 0 && echo ESCAPED",
    "exec 3<>/dev/tcp/127.0.0.1/PORT && echo ESCAPED",
    "getent hosts example.com && echo ESCAPED",
    "su -c true 2>/dev/null && echo ESCAPED",
    "cp /bin/sh /workspace/sh && chmod u+s /workspace/sh && /workspace/sh -pc 'id -u' | grep -x 0 && echo ESCAPED",
    "setpriv --reuid=0 true 2>/dev/null && echo ESCAPED",
];

/// Out of the repository: what the owner's git would run.
const FROM_GIT: [&str; 14] = [
    "echo x > /workspace/.git/hooks/pre-commit && echo ESCAPED",
    "rm /workspace/.git/hooks/old && echo ESCAPED",
    "chmod 777 /workspace/.git/hooks/old && echo ESCAPED",
    "git -C /workspace config core.fsmonitor 'touch /tmp/x' && echo ESCAPED",
    "echo x >> /workspace/.git/config && echo ESCAPED",
    "mv /workspace/.git/config /workspace/.git/c && echo ESCAPED",
    "echo ../evil > /workspace/.git/commondir && echo ESCAPED",
    "rm -f /workspace/.git/commondir; [ -e /workspace/.git/commondir ] || echo ESCAPED",
    "mv /workspace/.git/commondir /workspace/.git/c && echo ESCAPED",
    "mv /workspace/.git /workspace/.git2 && echo ESCAPED",
    "rm -rf /workspace/.git; [ -e /workspace/.git/config ] || echo ESCAPED",
    "cp -r /workspace/.git /workspace/g && mv -T /workspace/g /workspace/.git && echo ESCAPED",
    "mv /workspace/deep/er/sub /workspace/s && echo ESCAPED",
    "mv /workspace/deep /workspace/d && echo ESCAPED",
];

/// Out of python, and in the same words out of an environment of the project.
const FROM_PYTHON: [&str; 9] = [
    "print(open('SECRET').read()); print('ESCAPED')",
    "import os; os.chroot('/workspace'); print('ESCAPED')",
    "import os; print(os.listdir('HOME')); print('ESCAPED')",
    "import socket; socket.create_connection(('127.0.0.1', PORT), 2); print('ESCAPED')",
    "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); print('ESCAPED')",
    "import ctypes; l = ctypes.CDLL(None); print('ESCAPED' if l.ptrace(16, 1, 0, 0) == 0 else '')",
    "import ctypes; l = ctypes.CDLL(None); print('ESCAPED' if l.unshare(0x10000000) == 0 else '')",
    "import os; os.setuid(0); print('ESCAPED')",
    "import os; [print('ESCAPED') for fd in range(3, 256) if os.path.exists(f'/proc/self/fd/{fd}') and os.path.realpath(f'/proc/self/fd/{fd}').startswith('/tmp/.tmp')]",
];

/// An environment of the project that does what it is told.
const HANDS: &str = "class Hands:
    def handle_command(self, cmd):
        exec(cmd, {})
        return {'output': '', 'processed': True}
    def get_screen(self): return {'content': ''}
";

fn tried(mut desk: Desk) {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let (secret, home) = (desk.place().path("secret"), desk.place().path("home"));
    let project = desk.project();
    let real = |attempt: &str| {
        attempt
            .replace("/SECRET", &secret.display().to_string())
            .replace("SECRET", &secret.display().to_string())
            .replace("HOME", &home.display().to_string())
            .replace("PROJECT", &project.display().to_string())
            .replace("PORT", &port)
    };
    desk.says("bash", "mkdir -p env; true");
    desk.says("editor", &format!("create env/hands.py\n{HANDS}"));
    for attempt in ALLOWED {
        let said = desk.says("bash", &real(attempt));
        assert!(said.contains("ESCAPED"), "in the project itself: {attempt}: {said}");
    }
    let mut count = 0;
    let from_bash = FROM_BASH.iter().chain(&FROM_GIT).map(|attempt| ("bash", *attempt));
    let from_python =
        ["python", "hands"].into_iter().flat_map(|env| FROM_PYTHON.map(|attempt| (env, attempt)));
    for (env, attempt) in from_bash.chain(from_python) {
        let answer = desk.run(env, &real(attempt));
        let said = answer["response"]["output"].as_str().unwrap_or_default();
        let escaped = said.lines().any(|line| line.contains("ESCAPED") && !line.contains("print("));
        assert!(!escaped && !said.contains("the secret"), "{env}: {attempt}: {said}");
        count += 1;
    }
    assert!(count >= 30, "{count}");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "the secret");
}

/// Puts a repository with a hook into the project.
fn with_repository(desk: Desk) -> Desk {
    let mut desk = desk;
    desk.says("bash", "git init -q . && touch .git/hooks/old && git init -q deep/er/sub");
    // A repository that is there at the start is locked.
    desk.again(&[])
}

#[test]
fn none_works_for_who_runs_the_tests() {
    tried(with_repository(Desk::open()));
}

#[test]
fn none_works_for_an_ordinary_user() {
    if let Some(desk) = Desk::open_as_user() {
        tried(with_repository(desk));
    }
}
