//! The skill's way to the proxy: a port on its own loopback that leads to the proxy's socket on the host.
//!
//! The first stage stands in the skill's network and in the host's file system, so it can listen in the one
//! and connect in the other, while the skill sees nothing but the port.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::fcntl::OFlag;
use tokio::net::UnixStream;
use tokio::sync::Semaphore;

/// Where the proxy is to be found inside.
pub const PORT: u16 = 8118;

/// How many connections are forwarded at the same time; further ones wait.
const CONNECTIONS: usize = 64;

/// The proxy's socket, found while its directory may still be entered (root steps down later).
pub(super) struct Proxy(OwnedFd);

impl Proxy {
    /// Finds the socket at `path`.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::OpenOptionsExt;
        let socket = File::options().read(true).custom_flags(OFlag::O_PATH.bits()).open(path)?;
        Ok(Self(socket.into()))
    }

    /// The number of its descriptor.
    pub(super) fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.number()))
    }
}

/// Listens on the loopback of the namespace that this process stands in.
///
/// # Errors
/// What the kernel answered.
pub(super) fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Carries bytes between `listener` and the proxy until it is dropped.
pub(super) async fn run(listener: TcpListener, proxy: Proxy) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let permit = free.clone().acquire_owned().await.map_err(io::Error::other)?;
        let (mut inside, _) = listener.accept().await?;
        let path = proxy.path();
        tokio::spawn(async move {
            // A connection that fails is closed, which is all that the skill may learn of it.
            if let Ok(mut outside) = UnixStream::connect(path).await {
                let _ = tokio::io::copy_bidirectional(&mut inside, &mut outside).await;
            }
            drop(permit);
        });
    }
}
