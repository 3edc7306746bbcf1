//! What the window shows of this router and does at it: the same that the command line stands on, for those who look on.

mod deeds;
mod numbers;
mod sight;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use broker::redis::look::Look;
use broker::redis::{RedisAddress, Terms};
use home::Home;
use protocol::{QueueNames, Taint};
use secrets::Secrets;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use window::{Deed, Done, Explain, Proof, Rows, Sight, Trouble, Wall, Window};

use crate::audit::OwnersLog;
use crate::audit_log::{Files, last, reports, told, words};
use crate::catalog::Catalog;
use crate::config::{Settings, WindowPlace};
use crate::explain;
use crate::owner::{self, OwnerError, StorePlace};
use crate::pulse::Pulse;

/// How the queue on Redis is reached.
pub(crate) type Queue = (RedisAddress, QueueNames, Terms);

/// Everything that the window shows and does.
#[derive(Debug)]
pub(crate) struct Desk {
    home: Home,
    queue: Option<Queue>,
    catalog: Catalog,
    pulse: Pulse,
    secrets: Secrets,
    /// The places where routers keep what they share, found at the first look.
    places: tokio::sync::OnceCell<Vec<StorePlace>>,
    /// What the grant of each question that waits would have allowed, by its id: reading that takes its time.
    previews: Mutex<HashMap<String, String>>,
}

/// The queue of these settings, if it is on Redis.
pub(crate) fn look(settings: &Settings) -> Option<Queue> {
    let address = settings.queue.address().ok()??;
    Some((address, settings.queue.names.clone(), settings.terms().ok()?))
}

/// Keeps the window open wherever the owner wants it, for as long as the router lives.
pub(crate) async fn keep(desk: Desk, mut wanted: watch::Receiver<WindowPlace>) {
    let desk = Arc::new(desk);
    loop {
        let place = *wanted.borrow_and_update();
        let over = CancellationToken::new();
        // Whoever has it open is shut out with it.
        let shut = over.clone().drop_guard();
        let open = show(Arc::clone(&desk), place, over);
        tokio::pin!(open);
        let changed = tokio::select! {
            () = &mut open => return,
            changed = wanted.changed() => changed,
        };
        drop(shut);
        open.await;
        if changed.is_err() {
            return;
        }
    }
}

/// Shows it at `place` until it is over.
async fn show(desk: Arc<Desk>, place: WindowPlace, over: CancellationToken) {
    if let Some(address) = place.0 {
        match Window::open(address, &desk.home.router_state()).await {
            Ok(window) => {
                tracing::info!("the window is at {}", window.address().site());
                window.serve(desk, over.clone()).await;
            }
            Err(why) => tracing::warn!("{why}"),
        }
    }
    over.cancelled().await;
}

impl Desk {
    pub(crate) fn new(
        home: &Home,
        queue: Option<Queue>,
        catalog: &Catalog,
        pulse: &Pulse,
        secrets: &Secrets,
    ) -> Self {
        Self {
            home: home.clone(),
            queue,
            catalog: catalog.clone(),
            pulse: pulse.clone(),
            secrets: secrets.clone(),
            places: tokio::sync::OnceCell::new(),
            previews: Mutex::default(),
        }
    }

    /// Where routers of this home keep what they share.
    async fn places(&self) -> Result<&[StorePlace], OwnerError> {
        self.places.get_or_try_init(async || owner::places(&self.home)).await.map(Vec::as_slice)
    }

    /// The queue as it stands now.
    async fn looked(&self) -> Option<Result<Look, Trouble>> {
        let (address, names, terms) = self.queue.clone()?;
        Some(Look::connect(address, names, terms).await.map_err(trouble))
    }

    fn deeds(&self) -> OwnersLog {
        OwnersLog::of(&self.home, self.secrets.clone()).at_the_window()
    }
}

/// In words, as the command line says it.
fn trouble(error: impl std::error::Error) -> Trouble {
    Trouble(error.to_string())
}

/// Does what reads files, beside the router's own work.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    tokio::task::spawn_blocking(work).await.map_err(trouble)?
}

#[async_trait]
impl Wall for Desk {
    async fn sight(&self) -> Result<Sight, Trouble> {
        self.see().await.map_err(|error| Trouble(self.secrets.redact(&error.to_string())))
    }

    async fn rows(&self, count: usize) -> Result<Rows, Trouble> {
        let folder = self.home.router_audit();
        beside(move || {
            let rows =
                Files::all(&folder).and_then(|files| last(&files, count)).map_err(trouble)?;
            let line = |row| words(row).trim_end().to_owned();
            Ok(Rows { rows: rows.iter().map(line).collect() })
        })
        .await
    }

    async fn verify(&self) -> Result<Vec<Proof>, Trouble> {
        let folder = self.home.router_audit();
        beside(move || {
            let reports = reports(&folder, &[], false).map_err(trouble)?;
            let proof = |report| Proof { holds: holds(report), told: told(report) };
            Ok(reports.iter().map(proof).collect())
        })
        .await
    }

    async fn explain(&self, asked: Explain) -> Result<String, Trouble> {
        let home = self.home.clone();
        let taint = Taint::try_from(asked.taint).map_err(Trouble)?;
        beside(move || {
            let asked = explain::Explain {
                action: asked.action,
                params: asked.params,
                session: asked.session,
                principal: asked.principal,
                taint,
                foreign_url: false,
                said: None,
            };
            let told = explain::explain(&home, &asked).map_err(trouble)?;
            Ok(told.unwrap_or_else(|answer| answer))
        })
        .await
    }

    async fn perform(&self, deed: Deed) -> Result<Done, Trouble> {
        self.act(deed).await
    }

    async fn metrics(&self) -> Result<String, Trouble> {
        self.numbers().await
    }
}

fn holds(report: &crate::audit_log::Report) -> bool {
    report.broken.is_none()
}
