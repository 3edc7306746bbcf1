//! What the sandbox must hold. Each test runs as the user who runs the tests, and as an ordinary user too when
//! that is root; "without namespaces" is the machine that refuses them.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

mod jail;

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::time::Duration;

use jail::{Jail, leaking_descriptor, refuse, start_router, wait_until};
use router::sandbox::{Launcher, Level, Program, RunError, SelfCommand};

/// Makes two tests of one: at both levels.
macro_rules! at_both_levels {
    ($(async fn $name:ident($jail:ident: Jail) $body:block)*) => {$(
        mod $name {
            use super::*;

            async fn check(#[allow(unused_mut)] mut $jail: Jail) $body

            #[tokio::test]
            async fn in_namespaces() {
                check(Jail::new().await).await;
            }

            #[tokio::test]
            async fn without_namespaces() {
                check(Jail::without_namespaces().await).await;
            }
        }
    )*};
}

at_both_levels! {
    async fn the_environment_holds_what_the_job_says_and_nothing_else(jail: Jail) {
        let names = jail.sh("env -0 | cut -z -d= -f1 | tr '\\0' '\\n' | sort").await.unwrap();
        assert_eq!(names, "HOME\nLANG\nPATH\nPWD\nSAFECLAW_SKILL\nTMPDIR\n");
        let place = jail.sh("test \"$HOME\" = \"$(pwd)\" && test \"$TMPDIR\" = \"$HOME\" && echo same").await;
        assert_eq!(place.unwrap(), "same\n");
        let others = jail.sh("cat /proc/1/environ /proc/$PPID/environ /proc/1/mem 2>/dev/null; true").await;
        assert_eq!(others.unwrap(), "");
    }

    async fn files_of_the_host_cannot_be_read(jail: Jail) {
        let secret = jail.beside("secret", "s3cret");
        let secret = secret.display();
        let script = format!(
            "for f in {secret} /etc/shadow /etc/hostname /etc/resolv.conf /var/log/dpkg.log; do cat $f 2>/dev/null && echo read $f; done
             for d in /root /home /var /sys /tmp/.. {}; do ls $d 2>/dev/null | grep -v '^\\(bin\\|dev\\|etc\\|lib.*\\|nix\\|proc\\|sbin\\|skill\\|tmp\\|usr\\|work\\)$'; done; true",
            jail.home.path().display()
        );
        assert_eq!(jail.sh(&script).await.unwrap(), "");
    }

    async fn nothing_can_be_written_but_the_scratch(jail: Jail) {
        let secret = jail.beside("secret", "s3cret");
        let script = format!(
            "import glob
here = os.path.dirname(os.path.abspath(sys.argv[0]))
open('mine', 'w').write('x')
for path in [here + '/new', here + '/run', '/usr/new', '/etc/new', '/new', '/dev/new', '/proc/sys/kernel/core_pattern', '{}', '/var/tmp/new', '/run/new', '/skill/run']:
    try:
        open(path, 'a').write('x')
        print('wrote', path)
    except OSError: pass
for change in [
    lambda: os.chmod(here + '/run', 0o777), lambda: os.unlink(here + '/run'), lambda: os.rename(here + '/run', here + '/r'),
    lambda: os.fchmod(os.open(here + '/run', os.O_RDONLY), 0o777), lambda: os.utime(here), lambda: os.truncate(here + '/run', 0),
    lambda: os.setxattr(here, 'user.x', b'x'), lambda: os.chown(here, os.getuid(), os.getgid()),
]:
    if tried(change) is None: print('changed')
print(open('mine').read())",
            secret.display()
        );
        assert_eq!(jail.python(&script).await.unwrap(), "x\n");
    }

    async fn there_is_no_network_of_any_kind(jail: Jail) {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let path = jail.home.path().join("socket");
        let unix = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        let name = SocketAddr::from_abstract_name(jail.marker.as_bytes()).unwrap();
        let abstract_unix = UnixListener::bind_addr(&name).unwrap();
        let script = format!(
            "print(tried(lambda: socket.create_connection(('127.0.0.1', {}))))
print(tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {}))))
print(tried(lambda: socket.socket(socket.AF_UNIX).connect('{}')))
print(tried(lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + '{}')))
print(tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)))
a, b = socket.socketpair()
print(tried(a.send, b'x'))",
            tcp.local_addr().unwrap().port(),
            udp.local_addr().unwrap().port(),
            path.display(),
            jail.marker
        );
        assert_eq!(jail.python(&script).await.unwrap(), "EPERM\n".repeat(5) + "1\n");
        for listener in [unix, abstract_unix] {
            listener.set_nonblocking(true).unwrap();
            assert!(listener.accept().is_err());
        }
    }

    async fn a_fork_bomb_is_contained_and_gone_after(jail: Jail) {
        jail.limits.processes = 20;
        let script = "
started = 0
try:
    while started < 1000:
        if os.fork() == 0:
            time.sleep(1000)
        started += 1
except BlockingIOError: pass
print(started)";
        let started: usize = jail.python(script).await.unwrap().trim().parse().unwrap();
        // Without namespaces other calls count too, and may end meanwhile.
        let most = if jail.launcher.found().level == Level::Namespaces { 20 } else { 600 };
        assert!((1..=most).contains(&started), "{started} processes were started");
        jail.wait_until_gone();
    }

    async fn memory_is_bounded(jail: Jail) {
        jail.limits.memory = 256 * 1024 * 1024;
        let script = "
print(tried(lambda: len(bytearray(100 << 20))))
print(tried(lambda: len(bytearray(300 << 20))))
print(tried(lambda: mmap.mmap(-1, 300 << 20)))
zero = os.open('/dev/zero', os.O_RDONLY)
print(os.read(zero, 1))
print(tried(lambda: os.open('/dev/zero', os.O_RDWR)))
print(tried(lambda: os.memfd_create('x')))";
        let said = jail.python(script).await.unwrap();
        assert_eq!(said, "104857600\nMemoryError\nEPERM\nb'\\x00'\nEACCES\nENOSYS\n");
    }

    async fn output_is_cut_and_the_skill_stopped(jail: Jail) {
        let error = jail.sh("yes").await.unwrap_err();
        assert!(matches!(error, RunError::TooMuchOutput { limit: 262_144 }), "{error:?}");
        jail.wait_until_gone();
    }

    async fn one_that_never_ends_is_stopped_with_its_children(jail: Jail) {
        jail.limits.wall = Duration::from_millis(1500);
        let error = jail.sh("echo started >&2; trap '' TERM HUP INT; (while :; do sleep 1; done) & while :; do sleep 1; done").await.unwrap_err();
        assert!(matches!(error, RunError::TimedOut { .. }), "{error:?}");
        assert_eq!(jail.log(), "started\n");
        jail.wait_until_gone();
    }

    async fn a_daemon_does_not_outlive_its_call(jail: Jail) {
        let script = "
if os.fork() == 0:
    tried(os.setsid)
    tried(os.setpgid, 0, 0)
    if os.fork() == 0:
        for s in (signal.SIGTERM, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)
        time.sleep(1000)
    os._exit(0)
os.wait()
print('done')";
        assert_eq!(jail.python(script).await.unwrap(), "done\n");
        jail.wait_until_gone();
    }

    async fn dangerous_system_calls_are_refused(jail: Jail) {
        // Those that succeed for an ordinary process, so that nothing but the filter can be what refuses.
        let numbers = [
            (libc::SYS_ptrace, "0, 0, 0, 0", "EPERM"),
            (libc::SYS_keyctl, "0, -4, 1", "EPERM"),
            (libc::SYS_add_key, "0, 0, 0, 0, 0", "EPERM"),
            (libc::SYS_unshare, "0x10000000", "EPERM"),
            (libc::SYS_unshare, "0", "EPERM"),
            (libc::SYS_clone, "0x10000011, 0, 0, 0, 0", "EPERM"),
            (libc::SYS_mount, "0, 0, 0, 0, 0", "EPERM"),
            (libc::SYS_bpf, "99, 0, 0", "EPERM"),
            (libc::SYS_perf_event_open, "0, 0, 0, 0, 0", "EPERM"),
            (libc::SYS_userfaultfd, "1", "EPERM"),
            (libc::SYS_process_vm_readv, "0, 0, 0, 0, 0, 0", "EPERM"),
            (libc::SYS_shmget, "0, 4096, 0o600", "EPERM"),
            (libc::SYS_ioctl, "0, 0x5412, 0", "EPERM"),
            // The upper half of an argument is not looked at by the kernel either.
            (libc::SYS_ioctl, "0, 0x100005412, 0", "EPERM"),
            (libc::SYS_clone3, "0, 0", "ENOSYS"),
            (libc::SYS_io_uring_setup, "1, 0", "ENOSYS"),
            (0x4000_0000 + libc::SYS_getpid, "", "ENOSYS"),
        ];
        let script: String =
            numbers.iter().map(|(number, args, _)| format!("print(call({number}, {args}))\n")).collect();
        let expected: String = numbers.iter().map(|(.., answer)| format!("{answer}\n")).collect();
        assert_eq!(jail.python(&script).await.unwrap(), expected);
    }

    async fn no_power_is_left(jail: Jail) {
        let script = "
PR_GET_NO_NEW_PRIVS, PR_CAPBSET_READ, PR_CAP_AMBIENT = 39, 23, 47
print(os.getuid() != 0, os.getgroups(), libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0))
print([c for c in range(41) if libc.prctl(PR_CAP_AMBIENT, 1, c, 0, 0) > 0])
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)()
libc.capget(header, data)
print(list(data))";
        let said = jail.python(script).await.unwrap();
        let said: Vec<_> = said.lines().collect();
        assert!(said[0].starts_with("True [") && said[0].ends_with(" 1"), "{said:?}");
        assert_eq!(said[1..], ["[]", "[0, 0, 0, 0, 0, 0]"]);
    }

    async fn other_processes_cannot_be_hindered(jail: Jail) {
        let router = std::process::id();
        let script = format!(
            "import resource
print(tried(resource.prlimit, {router}, resource.RLIMIT_NOFILE, (10, 10)))
print(tried(os.sched_setaffinity, {router}, [0]))
print(tried(os.setpriority, os.PRIO_PROCESS, {router}, 19))
print(tried(resource.setrlimit, resource.RLIMIT_NOFILE, (10, 10)))"
        );
        let said = jail.python(&script).await.unwrap();
        let said: Vec<_> = said.lines().collect();
        assert!(said[..3].iter().all(|line| ["ESRCH", "EPERM", "ProcessLookupError"].contains(line)), "{said:?}");
        assert_eq!(said[3], "None");
    }

    async fn inherited_descriptors_are_closed(jail: Jail) {
        let secret = jail.beside("secret", "s3cret");
        let leaks = leaking_descriptor(&secret);
        let script = "print([n for n in range(3, 256) if not isinstance(tried(os.fstat, n), str)])";
        assert_eq!(jail.python(script).await.unwrap(), "[]\n");
        drop(leaks);
    }

    async fn signals_reach_nobody_outside(jail: Jail) {
        let script = format!(
            "for s in (0, signal.SIGKILL):
    for who in ({}, {}):
        print(tried(os.kill, who, s))",
            std::process::id(),
            std::os::unix::process::parent_id()
        );
        let said = jail.python(&script).await.unwrap();
        // In namespaces the number means nobody.
        assert!(said.lines().all(|line| ["ESRCH", "EPERM"].contains(&line)), "{said}");
    }

    async fn a_skill_that_only_its_owner_may_read_runs(jail: Jail) {
        fs::write(jail.folder().join("data"), "one").unwrap();
        jail.program("#!/bin/sh\ncd \"${0%/*}\" && cat data && ls -l run | cut -c1-10", 0o700);
        fs::set_permissions(jail.folder().join("data"), Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(jail.folder(), Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(jail.home.path(), Permissions::from_mode(0o700)).unwrap();
        let one = jail.run(b"").await.unwrap();
        assert!(one.starts_with("one-rwx"), "{one}");
        fs::write(jail.folder().join("data"), "two").unwrap();
        assert!(jail.run(b"").await.unwrap().starts_with("two-rwx"));
        assert_eq!(fs::metadata(jail.folder().join("data")).unwrap().mode() & 0o777, 0o600);
    }

    async fn large_input_and_output_flow_at_the_same_time(jail: Jail) {
        jail.limits.output_bytes = 9_000_000;
        jail.program("#!/bin/sh\nexec cat", 0o755);
        let input = "x".repeat(8_000_000);
        assert_eq!(jail.run(input.as_bytes()).await.unwrap().len(), input.len());
    }

    async fn input_may_be_left_unread(jail: Jail) {
        jail.program("#!/bin/sh\nexec 0<&-; echo '{}'", 0o755);
        assert_eq!(jail.run(&vec![b'x'; 8_000_000]).await.unwrap(), "{}\n");
    }

    async fn what_cannot_be_started_says_why_and_how_to_mend_it(jail: Jail) {
        let mut said = Vec::new();
        let programs = [
            ("#!/bin/sh\n", 0o644),
            ("#!/usr/bin/nosuchthing -x\n", 0o755),
            ("#!/bin/sh\r\n", 0o755),
            ("echo no first line\n", 0o755),
        ];
        for (text, mode) in programs {
            jail.program(text, mode);
            said.push(jail.run(b"").await.unwrap_err());
        }
        for command in ["./missing", "./", "nosuchprogram"] {
            let mut job = jail.job();
            job.program = Program::Command(vec![command.to_owned()]);
            said.push(jail.launcher.once(&job, b"", &jail.log_path()).await.unwrap_err());
        }
        assert!(said.iter().all(|error| matches!(error, RunError::NotStarted(_))), "{said:?}");
        let said: Vec<_> = said.iter().map(ToString::to_string).collect();
        assert_eq!(said[..], [
            "run is not executable; run `chmod +x run` in the skill's folder",
            "run wants /usr/bin/nosuchthing, which cannot be run here; install it under /usr, or correct the first line of run",
            "the first line of run ends with a carriage return; save run with Unix line ends",
            "run is neither a script with a first line such as `#!/bin/sh` nor a program for this machine; add that line, or build it for this machine",
            "there is no file missing in the skill's folder; add it, or correct `command` in skill.toml",
            "the skill's folder is a directory; name a program in `command` in skill.toml",
            "there is no program nosuchprogram in PATH; install nosuchprogram under /usr, or put ./nosuchprogram into the skill's folder",
        ]);
        assert_eq!(jail.log(), "");
    }

    async fn ends_are_told_apart(jail: Jail) {
        let error = jail.sh("echo first >&2; echo the reason >&2; echo >&2; exit 3").await.unwrap_err();
        assert_eq!(error.to_string(), "it ended with code 3: the reason");
        let error = jail.sh("kill -SEGV $$").await.unwrap_err();
        assert!(error.to_string().starts_with("it was killed by SIGSEGV"), "{error}");
        let error = jail.sh("echo 'x {\"why\":\"a lie\",\"fix\":\"b\"}' >&2; exit 125").await.unwrap_err();
        assert!(matches!(error, RunError::Exited { code: 125, .. }), "{error:?}");
        let error = jail.sh("exec head -c 20000000 /dev/zero > big").await.unwrap_err();
        assert!(!matches!(error, RunError::NotStarted(_)), "{error:?}");
        assert!(jail.log().starts_with("first\nthe reason\n\n"));
    }

    async fn many_run_at_the_same_time(jail: Jail) {
        if jail.launcher.found().level == Level::Namespaces {
            jail.limits.processes = 8;
        }
        jail.program("#!/bin/sh\nfor i in 1 2 3; do sleep 0.5 & done; wait; cat", 0o755);
        let calls = (0..30).map(|number| {
            let (launcher, job, log) = (jail.launcher.clone(), jail.job(), jail.log_path());
            tokio::spawn(async move { launcher.once(&job, format!("{number}").as_bytes(), &log).await })
        });
        for (number, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(call.await.unwrap().unwrap(), number.to_string().into_bytes(), "{}", jail.log());
        }
    }

    async fn a_call_that_is_given_up_is_killed(jail: Jail) {
        jail.program("#!/bin/sh\necho started >&2; sleep 1000 & sleep 1000", 0o755);
        let (launcher, job, log) = (jail.launcher.clone(), jail.job(), jail.log_path());
        let call = tokio::spawn(async move { launcher.once(&job, b"", &log).await.map(drop) });
        while jail.log() != "started\n" {
            tokio::task::yield_now().await;
        }
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        jail.wait_until_gone();
    }

    async fn the_routers_own_binary_runs_as_a_skill(jail: Jail) {
        let mut job = jail.job();
        job.program = Program::Builtin("hello_world".to_owned());
        let answer = jail.launcher.once(&job, b"{}", &jail.log_path()).await;
        let answer = String::from_utf8(answer.unwrap()).unwrap();
        assert!(answer.starts_with('{'), "{answer}");
    }

    async fn a_warm_skill_remembers(jail: Jail) {
        jail.program("#!/bin/sh\nn=0; while read -r line; do n=$((n+1)); echo \"call $n\" >&2; echo \"$n $line\"; done", 0o755);
        let mut warm = jail.launcher.serve(jail.job(), jail.log_path());
        assert_eq!(warm.call(b"a").await.unwrap(), b"1 a");
        assert_eq!(warm.call(b"b").await.unwrap(), b"2 b");
        while jail.log() != "call 1\ncall 2\n" {
            tokio::task::yield_now().await;
        }
        drop(warm);
        jail.wait_until_gone();
    }

    async fn a_warm_skill_starts_again_after_every_kind_of_end(jail: Jail) {
        jail.limits.wall = Duration::from_secs(3);
        jail.limits.output_bytes = 100;
        jail.program(
            "#!/bin/sh
n=0
while read -r line; do
  n=$((n+1))
  case $line in
    die) echo oh >&2; exit 4;;
    leave) exit 0;;
    hang) sleep 1000;;
    long) head -c 1000 /dev/zero | tr '\\0' x; sleep 1000;;
    twice) echo \"$n\"; echo unasked;;
    answer-and-die) echo \"$n\"; exit 0;;
    *) echo \"$n\";;
  esac
done",
            0o755,
        );
        let mut warm = jail.launcher.serve(jail.job(), jail.log_path());
        let ends = [
            ("die", "it ended with code 4: oh"),
            ("leave", "it ended with code 0"),
            ("hang", "it did not finish within 3 s and was stopped"),
            ("long", "it printed more than 100 bytes and was stopped"),
        ];
        for (line, end) in ends {
            assert_eq!(warm.call(b"x").await.unwrap(), b"1");
            assert_eq!(warm.call(line.as_bytes()).await.unwrap_err().to_string(), end);
        }
        for line in ["twice", "answer-and-die"] {
            assert_eq!(warm.call(line.as_bytes()).await.unwrap(), b"1", "{line}");
            // What it does after its answer is noticed as soon as it has been done.
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(warm.call(b"x").await.unwrap(), b"1", "{line}");
            drop(std::mem::replace(&mut warm, jail.launcher.serve(jail.job(), jail.log_path())));
        }
        drop(warm);
        jail.wait_until_gone();
    }

    async fn an_answer_to_a_call_that_was_given_up_is_never_read(jail: Jail) {
        jail.program("#!/bin/sh\nwhile read -r line; do case $line in slow*) sleep 1;; esac; echo \"$line\"; done", 0o755);
        let mut warm = jail.launcher.serve(jail.job(), jail.log_path());
        let given_up = tokio::time::timeout(Duration::from_millis(500), warm.call(b"slow")).await;
        assert!(given_up.is_err());
        assert_eq!(warm.call(b"quick").await.unwrap(), b"quick");
    }
}

#[tokio::test]
async fn the_scratch_is_bounded_in_bytes_and_in_files() {
    let jail = Jail::new().await;
    let script = "
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill(place):
    written = 0
    for n in range(100):
        with open(f'{place}/{n}', 'wb', buffering=0) as f:
            written += f.write(b'x' * (1 << 20))
def litter():
    for n in range(100000): open(f'empty{n}', 'w').close()
print(tried(fill, '/work'), sum(os.stat(f).st_size for f in os.listdir()) <= 16 << 20)
print(tried(fill, '/dev/shm'))
[os.unlink(f) for f in os.listdir()]
print(tried(litter), len(os.listdir()) < 8192)
print(tried(lambda: os.open('x', os.O_CREAT)))";
    let said = jail.python(script).await.unwrap();
    assert_eq!(said, "ENOSPC True\nENOSPC\nENOSPC True\nENOSPC\n");
}

#[tokio::test]
async fn a_file_is_bounded_without_namespaces_and_removed() {
    let jail = Jail::without_namespaces().await;
    let error = jail.sh("pwd >&2; exec head -c 20000000 /dev/zero > big").await.unwrap_err();
    assert!(error.to_string().contains("SIGXFSZ"), "{error}");
    let scratch = jail.log().lines().next().unwrap().to_owned();
    assert!(scratch.contains("safeclaw-skills-"), "{scratch}");
    assert!(!fs::exists(scratch).unwrap());
}

#[tokio::test]
async fn processes_outside_and_process_one_cannot_be_looked_into() {
    let jail = Jail::new().await;
    let script = "
print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit()) == [1, os.getpid()])
print([tried(lambda: open('/proc/1/' + f, 'rb').read()) for f in ('environ', 'mem', 'maps')])
print([tried(os.readlink, '/proc/1/' + f) for f in ('cwd', 'exe', 'root', 'fd/0')])
print(open('/proc/1/cmdline').read().replace(chr(0), ' '))";
    let said = jail.python(script).await.unwrap();
    let refused = "['EACCES', 'EACCES', 'EACCES']";
    let links = "['EACCES', 'EACCES', 'EACCES', 'EACCES']";
    assert_eq!(said, format!("True\n{refused}\n{links}\n/proc/self/exe launch init \n"));
}

#[tokio::test]
async fn with_network_there_is_the_proxy_and_nothing_else() {
    let mut jail = Jail::new().await;
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = SocketAddr::from_abstract_name(jail.marker.as_bytes()).unwrap();
    let _abstract = UnixListener::bind_addr(&name).unwrap();
    let path = jail.home.path().join("proxy");
    let proxy = UnixListener::bind(&path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    jail.net = Some(path.clone());
    std::thread::spawn(move || {
        for connection in proxy.incoming() {
            let mut connection = connection.unwrap();
            let mut asked = Vec::new();
            connection.read_to_end(&mut asked).unwrap();
            connection.write_all(&[b"asked ", &asked[..]].concat()).unwrap();
        }
    });
    let script = format!(
        "
from urllib.parse import urlparse
assert len({{os.environ[n] for n in ('http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY')}}) == 1
url = urlparse(os.environ['http_proxy'])
for n in range(3):
    s = socket.create_connection((url.hostname, url.port))
    s.sendall(b'x' * n); s.shutdown(socket.SHUT_WR)
    print(s.makefile().read())
print(tried(lambda: socket.create_connection(('127.0.0.1', {}))))
print(tried(lambda: socket.create_connection(('192.0.2.1', 80))))
print(tried(lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + '{}')))
print(tried(lambda: socket.socket(socket.AF_UNIX).connect('{}')))
for family, kind, protocol in [(16, 3, 0), (17, 3, 0), (40, 1, 0), (38, 5, 0), (2, 3, 1), (2, 1, 132), (2, 5, 132)]:
    print(tried(socket.socket, family, kind, protocol))",
        tcp.local_addr().unwrap().port(),
        jail.marker,
        path.display()
    );
    let said = jail.python(&script).await.unwrap();
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said[..5], ["asked ", "asked x", "asked xx", "ECONNREFUSED", "ENETUNREACH"]);
    assert!(["ECONNREFUSED", "EPERM"].contains(&said[5]), "{said:?}");
    assert_eq!(said[6], "ENOENT");
    assert_eq!(said[7..], ["EPERM"; 7]);
}

#[tokio::test]
async fn a_machine_that_refuses_namespaces_says_so_and_refuses_network() {
    let mut jail = Jail::without_namespaces().await;
    let [reason] = &jail.launcher.found().reasons[..] else { panic!("one reason") };
    assert!(reason.contains("cannot make namespaces"), "{reason}");
    jail.net = Some(jail.home.path().join("proxy"));
    let error = jail.sh("true").await.unwrap_err();
    assert!(matches!(&error, RunError::Refused { why } if why.contains("network")), "{error:?}");
}

#[tokio::test]
async fn a_machine_with_no_mechanism_runs_nothing() {
    refuse(&[libc::SYS_unshare], libc::EPERM);
    refuse(&[libc::SYS_landlock_create_ruleset], libc::ENOSYS);
    let jail = Jail::at_any_level().await;
    assert_eq!(jail.launcher.found().level, Level::Nothing);
    assert_eq!(jail.launcher.found().reasons.len(), 2);
    let error = jail.sh("touch /tmp/ran").await.unwrap_err();
    assert!(matches!(error, RunError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn a_binary_that_only_its_owner_may_reach_starts_and_runs_as_a_skill() {
    let jail = Jail::new().await;
    let private = jail.home.path().join("private");
    fs::create_dir(&private).unwrap();
    let exe = private.join("start_router");
    fs::copy(start_router(), &exe).unwrap();
    for path in [&exe, &private] {
        fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
    }
    let me = SelfCommand { exe, prefix: Vec::new() };
    let launcher = Launcher::open(me, &std::env::temp_dir()).await.unwrap();
    assert_eq!(launcher.found().level, Level::Namespaces, "{:?}", launcher.found());
    let mut job = jail.job();
    job.program = Program::Builtin("hello_world".to_owned());
    assert_eq!(launcher.once(&job, b"{}", &jail.log_path()).await.unwrap().first(), Some(&b'{'));
}

#[tokio::test]
async fn copies_are_made_for_root_alone_once_and_removed_at_the_end() {
    let jail = Jail::new().await;
    jail.program("#!/bin/sh\necho ok", 0o700);
    let copies = || {
        let mine = |name: &str| name.starts_with("safeclaw-skills-");
        let entries = fs::read_dir(std::env::temp_dir()).unwrap().filter_map(Result::ok);
        let places = entries.filter(|entry| entry.file_name().to_str().is_some_and(mine));
        let runs =
            places.flat_map(|place| fs::read_dir(place.path()).into_iter().flatten().flatten());
        let programs = runs.map(|copy| copy.path().join("skill/run")).filter(|run| run.exists());
        let text = |run| fs::read_to_string(run).unwrap_or_default();
        programs.map(text).filter(|text| text.contains(&jail.marker)).count()
    };
    jail.program(&format!("#!/bin/sh\necho {}", jail.marker), 0o700);
    for _ in 0..2 {
        assert_eq!(jail.run(b"").await.unwrap(), format!("{}\n", jail.marker));
    }
    assert_eq!(copies(), usize::from(nix::unistd::geteuid().is_root()));
    let Jail { launcher, marker, .. } = &jail;
    assert!(!marker.is_empty() && std::sync::Arc::strong_count(launcher) == 1);
}

/// What the next test kills: it holds a skill, as a router does.
#[tokio::test]
#[ignore = "it never ends; the next test starts and kills it"]
async fn hold_a_skill() {
    let jail = Jail::new().await;
    let marker = std::env::args().nth(4).unwrap();
    let mut job = jail.job();
    jail.program("#!/bin/sh\nsleep 1000 & sleep 1000", 0o755);
    job.program = Program::Command(vec!["./run".to_owned(), marker]);
    jail.launcher.once(&job, b"", &jail.log_path()).await.unwrap();
}

#[tokio::test]
#[allow(clippy::disallowed_types)]
async fn when_the_router_is_killed_its_skills_die_too() {
    let jail = Jail::new().await;
    let me = std::env::current_exe().unwrap();
    // The last argument is one more filter, which no test's name matches, and what it looks for.
    let arguments = ["--exact", "--ignored", "hold_a_skill", jail.marker.as_str()];
    let mut router = std::process::Command::new(me)
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The router itself, the shell; the sleeps carry no marker.
    wait_until("the skill runs", || jail.running() >= 2);
    router.kill().unwrap();
    router.wait().unwrap();
    jail.wait_until_gone();
}

/// The whole battery once more, as a user without any power.
#[test]
#[allow(clippy::disallowed_types)]
fn all_of_this_holds_for_an_ordinary_user() {
    if !nix::unistd::geteuid().is_root() {
        return; // then it just did
    }
    let place = tempfile::tempdir().unwrap();
    let temp = place.path().join("tmp");
    fs::create_dir(&temp).unwrap();
    for (path, mode) in [(place.path(), 0o755), (&temp, 0o1777)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let battery = place.path().join("battery");
    fs::copy(std::env::current_exe().unwrap(), &battery).unwrap();
    fs::copy(start_router(), place.path().join("start_router")).unwrap();
    let output = std::process::Command::new(battery)
        .args(["--skip", "all_of_this_holds"])
        .env("TMPDIR", &temp)
        .current_dir(&temp)
        .uid(12_345)
        .gid(12_345)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("the_environment_holds"), "{said}");
}
