//! What the attacks are let loose on: made for them, in reach of everybody on this machine, and gone after.
#![expect(clippy::disallowed_types, reason = "one target is a process")]

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener as StdUnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use home::Home;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use serde::{Deserialize, Serialize};
use tempfile::{Builder, NamedTempFile, TempDir};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, UdpSocket, UnixListener};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::processes;
use super::stage::NAME;
use crate::sandbox::{Level, Limits, SelfCommand};

/// What an attack is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Target {
    /// Whether this run is the one without the sandbox.
    pub(super) outside: bool,
    /// What every server says, and the name of the abstract socket.
    pub(super) word: String,
    pub(super) home_file: Result<PathBuf, String>,
    pub(super) owner_file: Result<PathBuf, String>,
    /// A folder that everybody may write to.
    pub(super) open_folder: PathBuf,
    /// The names of the router's variables that no skill is given.
    pub(super) variables: BTreeSet<String>,
    pub(super) tcp: SocketAddr,
    /// The same on an address that is not the loopback's, where the machine has one.
    pub(super) machine: Result<SocketAddr, String>,
    pub(super) udp: SocketAddr,
    pub(super) unix: PathBuf,
    /// The id of a process.
    pub(super) victim: u32,
    pub(super) too_many_tasks: u64,
    pub(super) too_much_memory: u64,
    pub(super) too_much_disk: u64,
    pub(super) too_much_output: usize,
}

/// The targets themselves. Dropping them removes them.
pub(super) struct Targets {
    pub(super) target: Target,
    victim: Child,
    _servers: JoinSet<()>,
    _files: [Option<NamedTempFile>; 2],
    _left_open: OwnedFd,
    _folder: TempDir,
}

impl Drop for Targets {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

impl Targets {
    /// Makes them. `limits` are those that the attacks will meet at `level`.
    pub(super) async fn make(
        home: &Home,
        me: &SelfCommand,
        (level, limits): (Level, &Limits),
    ) -> io::Result<Self> {
        let folder = Builder::new().prefix("safeclaw-sandbox-test-").tempdir()?;
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777))?;
        let (home_file, home_path) = key_file(Some(home.root().to_owned()));
        let (owner_file, owner_path) = key_file(std::env::home_dir());
        let word = format!("reached-{}", Uuid::new_v4());
        let mut servers = Servers { word: word.clone(), running: JoinSet::new() };
        let mut target = Target {
            outside: false,
            home_file: home_path,
            owner_file: owner_path,
            open_folder: folder.path().to_owned(),
            variables: super::files::names(&fs::read("/proc/self/environ")?),
            tcp: servers.tcp((Ipv4Addr::LOCALHOST, 0).into()).await?,
            machine: servers
                .machine()
                .await
                .map_err(|error| format!("the machine has no other address: {error}")),
            udp: servers.udp().await?,
            unix: servers.unix(folder.path())?,
            victim: 0,
            too_many_tasks: too_many_tasks(level, limits),
            too_much_memory: limits.memory + limits.memory / 4,
            too_much_disk: limits.scratch_bytes + limits.scratch_bytes / 8,
            too_much_output: limits.output_bytes * 4,
            word,
        };
        let left_open = left_open(folder.path())?;
        let mut command = Command::new(&me.exe);
        command.args(&me.prefix).args(["skill", &format!("{NAME}{}", Uuid::new_v4())]);
        let victim = processes::start(command.env("SAFECLAW_VICTIM", &target.word), &target)?;
        target.victim = victim.id();
        Ok(Self {
            target,
            victim,
            _servers: servers.running,
            _files: [home_file, owner_file],
            _left_open: left_open,
            _folder: folder,
        })
    }
}

/// A file in `folder` that everybody could read who reaches it.
fn key_file(folder: Option<PathBuf>) -> (Option<NamedTempFile>, Result<PathBuf, String>) {
    let Some(folder) = folder else { return (None, Err("there is no such folder".to_owned())) };
    let made = Builder::new()
        .prefix(".sandbox-test-")
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(&folder)
        .and_then(|mut file| file.write_all(b"a key\n").map(|()| file));
    match made {
        Ok(file) => {
            let path = file.path().to_owned();
            (Some(file), Ok(path))
        }
        Err(error) => (None, Err(format!("no file can be made in {}: {error}", folder.display()))),
    }
}

/// A file that every process which the router starts inherits, as one that a library forgot to protect.
fn left_open(folder: &Path) -> io::Result<OwnedFd> {
    let file = OwnedFd::from(File::create(folder.join("open"))?);
    fcntl(file.as_fd(), FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file)
}

/// Without namespaces every task of the user counts, and there is room for several calls beside them.
fn too_many_tasks(level: Level, limits: &Limits) -> u64 {
    if level == Level::Namespaces {
        return 2 * limits.processes;
    }
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let tasks = processes.filter_map(|process| fs::read_dir(process.path().join("task")).ok());
    16 * limits.processes + tasks.map(|tasks| tasks.count() as u64).sum::<u64>()
}

/// Says a word to whoever comes.
struct Servers {
    word: String,
    running: JoinSet<()>,
}

impl Servers {
    async fn tcp(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind(address).await?;
        let (address, word) = (listener.local_addr()?, self.word.clone());
        self.running.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.write_all(word.as_bytes()).await;
            }
        });
        Ok(address)
    }

    /// On the address from which the machine would go out. Nothing is sent for that.
    async fn machine(&mut self) -> io::Result<SocketAddr> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).await?;
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).await?;
        let address = socket.local_addr()?.ip();
        if address.is_loopback() {
            return Err(io::ErrorKind::AddrNotAvailable.into());
        }
        self.tcp((address, 0).into()).await
    }

    async fn udp(&mut self) -> io::Result<SocketAddr> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (address, word) = (socket.local_addr()?, self.word.clone());
        self.running.spawn(async move {
            while let Ok((_, from)) = socket.recv_from(&mut [0; 1]).await {
                let _ = socket.send_to(word.as_bytes(), from).await;
            }
        });
        Ok(address)
    }

    /// One by path, which it gives, and one by name.
    fn unix(&mut self, folder: &Path) -> io::Result<PathBuf> {
        let path = folder.join("socket");
        let by_path = StdUnixListener::bind(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o777))?;
        let by_name = StdUnixListener::bind_addr(&UnixAddr::from_abstract_name(&self.word)?)?;
        for listener in [by_path, by_name] {
            listener.set_nonblocking(true)?;
            let (listener, word) = (UnixListener::from_std(listener)?, self.word.clone());
            self.running.spawn(async move {
                while let Ok((mut stream, _)) = listener.accept().await {
                    let _ = stream.write_all(word.as_bytes()).await;
                }
            });
        }
        Ok(path)
    }
}
