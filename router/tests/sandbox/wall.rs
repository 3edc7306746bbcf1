//! What a skill must not be able to see, reach or use up.

use super::*;

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
