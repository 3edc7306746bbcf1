//! Connections that are cut, in every way in which something between two machines can cut them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use broker::redis::{RedisAddress, RedisRequester, Terms};
use broker::{Feed, Requester};
use protocol::{Outcome, QueueNames};
use testkit::{RedisServer, wait_until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;

use crate::kit::*;

/// How a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Not at all.
    Whole,
    /// Both ends are told.
    Closed,
    /// What the server says gets lost, and after a while both ends are told.
    Deaf,
    /// Half of the next thing that the server says still arrives.
    Half,
}

/// Something between a client and a server that cuts connections.
struct Between {
    url: String,
    cut: broadcast::Sender<Cut>,
}

impl Between {
    async fn start(server: &RedisServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let (cut, port) = (broadcast::Sender::new(16), server.port());
        let cuts = cut.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, port, cuts.subscribe()));
            }
        });
        Self { url, cut }
    }

    /// Cuts all connections that there are.
    fn cut(&self, how: Cut) {
        // Without connections nobody hears of it.
        let _ = self.cut.send(how);
    }
}

async fn carry(mut client: TcpStream, port: u16, mut cuts: broadcast::Receiver<Cut>) {
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    let (mut said, mut heard) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let mut how = Cut::Whole;
    loop {
        let alive = tokio::select! {
            cut = cuts.recv() => {
                how = cut.unwrap_or(Cut::Closed);
                how != Cut::Closed
            }
            count = client.read(&mut said) => match count {
                Ok(count) if count > 0 => server.write_all(&said[..count]).await.is_ok(),
                _ => false,
            },
            count = server.read(&mut heard) => match count {
                Ok(count) if count > 0 => match how {
                    Cut::Deaf => return,
                    Cut::Half => {
                        let _ = client.write_all(&heard[..count / 2]).await;
                        return;
                    }
                    _ => client.write_all(&heard[..count]).await.is_ok(),
                },
                _ => false,
            },
            () = tokio::time::sleep(Duration::from_millis(50)), if how != Cut::Whole => return,
        };
        if !alive {
            return;
        }
    }
}

/// Asks many things while connections are cut; each is answered, and no id is begun for the first time twice.
async fn through(server: &RedisServer, agents: &Between, routers: &Between, cuts: &Between) {
    let runs = Runs::default();
    let begun = runs.clone();
    let _router = Router::at(&routers.url, quick(), true, move |request| {
        begun.begin(&request);
        answer(request);
    });
    let address = RedisAddress::new(&agents.url).unwrap();
    let agent = Arc::new(RedisRequester::new(address, QueueNames::default()).unwrap());
    agent.catalog().wait_for(Option::is_some).await.unwrap();
    let asking = tokio::spawn(async move {
        for n in 0..300 {
            let id = format!("m{n}");
            let reply = loop {
                // What surely was not sent is asked again by whoever asked.
                match agent.request(command(&id), LONG).await {
                    Err(broker::RequestError::Unsent { .. }) => tokio::task::yield_now().await,
                    answered => break answered.unwrap(),
                }
            };
            assert!(matches!(reply.outcome, Outcome::Done(_)), "{reply:?}");
        }
    });
    let mut how = [Cut::Closed, Cut::Deaf, Cut::Half].into_iter().cycle();
    while !asking.is_finished() {
        cuts.cut(how.next().unwrap());
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    asking.await.unwrap();
    for (id, attempts) in runs.all() {
        let firsts = attempts.iter().filter(|attempt| **attempt == 1).count();
        assert!(firsts <= 1, "{id}: {attempts:?}");
    }
    tokio::task::block_in_place(|| settles(server));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_agent_asks_survives_the_cuts_of_its_connections() {
    let server = RedisServer::start();
    let (agents, routers) = (Between::start(&server).await, Between::start(&server).await);
    through(&server, &agents, &routers, &agents).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_router_takes_survives_the_cuts_of_its_connections() {
    let server = RedisServer::start();
    let (agents, routers) = (Between::start(&server).await, Between::start(&server).await);
    through(&server, &agents, &routers, &routers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_connections_of_a_burst_are_closed_after_it() {
    const AT_ONCE: usize = 60;
    let server = RedisServer::start();
    let held = Mutex::new(Vec::new());
    let terms = Terms { slots: 2 * AT_ONCE, ..quick() };
    let _router = Router::publishing(&server, terms, move |request| {
        let mut held = held.lock().unwrap();
        held.push(request);
        // Nobody is answered before all have asked, so that all wait at the same time.
        if held.len() == AT_ONCE {
            held.drain(..).for_each(answer);
        }
    });
    let address = RedisAddress::new(&server.url()).unwrap();
    let agent = Arc::new(RedisRequester::new(address, QueueNames::default()).unwrap());
    agent.catalog().wait_for(Option::is_some).await.unwrap();
    let connections = || {
        let mut redis = connect(&server);
        redis::cmd("CLIENT").arg("LIST").query::<String>(&mut redis).unwrap().lines().count()
    };
    let before = tokio::task::block_in_place(connections);
    let asking = (0..AT_ONCE).map(|n| {
        let agent = Arc::clone(&agent);
        tokio::spawn(async move { agent.request(command(&format!("m{n}")), LONG).await })
    });
    for asked in asking.collect::<Vec<_>>() {
        asked.await.unwrap().unwrap();
    }
    tokio::task::block_in_place(|| {
        wait_until("they are closed", || connections() < before + AT_ONCE / 2);
    });
}
