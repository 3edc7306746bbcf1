//! The window's life: it listens, writes its key, serves, and takes the key away again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use home::file;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::address::Address;
use crate::door::Door;
use crate::gate::Gate;
use crate::history::History;
use crate::key::KeyFile;
use crate::routes::{Showing, routes};
use crate::wall::Wall;

/// How often the queue is looked at for the charts.
const LOOKS: Duration = Duration::from_secs(10);

/// The largest token file that is read, in bytes.
const MOST: u64 = 1_024;

/// A window that listens and is not served yet.
#[derive(Debug)]
pub struct Window {
    listener: TcpListener,
    gate: Gate,
    key: PathBuf,
}

impl Window {
    /// Listens at `address`, and writes the key that links are made with into `state`, the router's folder for state.
    ///
    /// # Errors
    /// In words that say what to do.
    pub async fn open(address: Address, state: &Path) -> Result<Self, String> {
        let listener = TcpListener::bind(address.socket()).await.map_err(|error| {
            let mend = home::router_command("window on 127.0.0.2:PORT");
            format!("the window can't listen at {address}: {error}; set another port: `{mend}`")
        })?;
        let here = listener.local_addr().map_err(|error| error.to_string())?;
        // Only the port may be another: 0 stands for one that is free.
        let address: Address =
            here.to_string().parse().map_err(|error| format!("the window: {error}"))?;
        let written = |error: home::FileError| format!("the window can't be opened: {error}");
        file::make_folder(state).map_err(written)?;
        let (key, path) = (KeyFile::new(address), KeyFile::path(state));
        key.write(&path).map_err(written)?;
        let metrics = metrics_token(state).map_err(written)?;
        let gate = Gate { address, door: Door::new(key.codes()), metrics };
        Ok(Self { listener, gate, key: path })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> Address {
        self.gate.address
    }

    /// Shows `wall` until it is over.
    pub async fn serve(self, wall: Arc<dyn Wall>, over: CancellationToken) {
        let history = Arc::new(Mutex::new(History::default()));
        let looking = look(Arc::clone(&wall), Arc::clone(&history));
        let app = routes(Showing { wall, gate: Arc::new(self.gate), history });
        tokio::select! {
            () = loopback::serve(self.listener, app, over.clone()) => {}
            () = looking => {}
            () = over.cancelled() => {}
        }
        // No link of this life opens another one's window.
        if let Err(error) = std::fs::remove_file(&self.key) {
            tracing::warn!("{} is still there: {error}", self.key.display());
        }
    }
}

async fn look(wall: Arc<dyn Wall>, history: Arc<Mutex<History>>) {
    let mut looks = tokio::time::interval(LOOKS);
    loop {
        looks.tick().await;
        if let Ok(sight) = wall.sight().await {
            history.lock().unwrap_or_else(PoisonError::into_inner).add(&sight);
        }
    }
}

/// What Prometheus shows: it stands in a file of its own, which `credentials_file` can name, and stays the same.
fn metrics_token(state: &Path) -> Result<String, home::FileError> {
    let path = state.join("metrics.token");
    let token = [Uuid::new_v4(), Uuid::new_v4()].map(|half| half.simple().to_string()).concat();
    file::write_missing(&path, token.as_bytes())?;
    let bytes = file::read(&path, MOST)?.unwrap_or_default();
    let there = String::from_utf8_lossy(&bytes).trim().to_owned();
    // An empty file would let in whoever shows nothing.
    if there.len() < 32 {
        file::write(&path, token.as_bytes())?;
        return Ok(token);
    }
    Ok(there)
}
