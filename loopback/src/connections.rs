//! Connections: how many there may be, and how long each may take to say what it wants.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How many may be open in all: half of the files that a process may open unless somebody says otherwise (1,024).
const MOST: usize = 512;

/// How many of them may be strangers'. The next one takes the place of the one that has been here longest, so that silent
/// connections keep nobody out.
const STRANGERS: usize = 64;

/// How long each stranger has its place for sure: who has the token shows it at once.
const SURE: Duration = Duration::from_secs(1);

/// How long the head of a request may take, and how long a connection may be silent between two.
const HEAD: Duration = Duration::from_secs(10);

/// How long the next try waits when a connection can't be taken, mostly because no file is left.
const AGAIN: Duration = Duration::from_millis(200);

/// Those who have not shown the token yet, who came first before the others.
#[derive(Debug, Default)]
struct Strangers {
    all: Mutex<VecDeque<Arc<Place>>>,
    freed: Notify,
}

/// A stranger's place.
#[derive(Debug)]
struct Place {
    since: Instant,
    /// Cancelled when another one takes it.
    taken: CancellationToken,
}

/// Somebody who is connected. It stands in the extensions of each request.
#[derive(Debug, Clone)]
pub struct Caller {
    place: Arc<Place>,
    strangers: Arc<Strangers>,
}

/// Serves whoever connects, until it is over and those who are here have left.
pub async fn serve(listener: TcpListener, app: Router, over: CancellationToken) {
    let (strangers, here) = (Arc::new(Strangers::default()), TaskTracker::new());
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let next = async {
            let room = Arc::clone(&room).acquire_owned().await;
            let (stream, _) = listener.accept().await?;
            Ok::<_, std::io::Error>((stream, strangers.admit().await, room))
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            () = over.cancelled() => break,
        };
        match accepted {
            Ok((stream, caller, room)) => {
                let (app, over) = (app.clone(), over.clone());
                here.spawn(async move {
                    attend(stream, app, caller, over).await;
                    drop(room);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    here.close();
    here.wait().await;
}

/// Serves one connection to its end.
async fn attend(stream: TcpStream, app: Router, caller: Caller, over: CancellationToken) {
    let (app, asking) = (TowerToHyperService::new(app), caller.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(asking.clone());
        app.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let mut is_ending = false;
    loop {
        tokio::select! {
            // An error is that of somebody who is gone, or who took too long.
            _ = connection.as_mut() => break,
            () = caller.place.taken.cancelled() => break,
            () = over.cancelled(), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
    caller.is_no_stranger();
}

impl Strangers {
    /// A place for the next one; waits until there is one.
    async fn admit(self: &Arc<Self>) -> Caller {
        while let Err(sure) = self.make_room() {
            tokio::select! {
                () = self.freed.notified() => {}
                () = tokio::time::sleep(sure) => {}
            }
        }
        let place = Arc::new(Place { since: Instant::now(), taken: CancellationToken::new() });
        self.all().push_back(Arc::clone(&place));
        Caller { place, strangers: Arc::clone(self) }
    }

    /// Sends the first one away if there are too many; an error is how long that one's place is sure yet.
    fn make_room(&self) -> Result<(), Duration> {
        let mut all = self.all();
        if let Some(first) = all.front()
            && all.len() >= STRANGERS
        {
            match SURE.checked_sub(first.since.elapsed()) {
                Some(sure) if !sure.is_zero() => return Err(sure),
                _ => first.taken.cancel(),
            }
            all.pop_front();
        }
        Ok(())
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn all(&self) -> MutexGuard<'_, VecDeque<Arc<Place>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller {
    /// The token was shown, or the connection has ended: the place is free for the next stranger.
    pub fn is_no_stranger(&self) {
        self.strangers.all().retain(|stranger| !Arc::ptr_eq(stranger, &self.place));
        self.strangers.freed.notify_one();
    }
}
