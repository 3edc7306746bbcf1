//! Channels that go on, fail, and end.

use std::sync::Mutex;

use action::Actions;
use async_trait::async_trait;
use channel::{Incoming, Line, Origin, Outgoing, Said, Ticket};
use conversation::workspace::{Memory, Workspace};
use mind::Mind;
use model::{Ask, Completion, Listener, Model, ModelError, Switch};
use protocol::Object;
use session::Lines;
use testkit::eventually;

use super::*;

/// Thinks for ever, and tells that it has begun.
struct Thinker(CancellationToken);

#[async_trait]
impl Model for Thinker {
    fn name(&self) -> String {
        "thinker".to_owned()
    }

    async fn complete(&self, _: &Ask<'_>, _: &mut Listener<'_>) -> Result<Completion, ModelError> {
        self.0.cancel();
        std::future::pending().await
    }
}

/// What a channel of these tests does.
enum Does {
    /// Says this and listens until its line ends.
    Says(&'static str),
    /// Nothing but listen.
    Listens,
    Fails,
    Panics,
    /// Wants the agent to end, and listens until it does.
    Quits(CancellationToken),
}

struct Acts {
    name: &'static str,
    does: Does,
    heard: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Channel for Acts {
    fn name(&self) -> &'static str {
        self.name
    }

    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        let Line { incoming, mut outgoing } = line;
        match self.does {
            Does::Fails => {
                return Err(ChannelError { channel: self.name, reason: "no way".to_owned() });
            }
            Does::Panics => panic!("on purpose"),
            Does::Quits(quit) => quit.cancel(),
            Does::Listens => {}
            Does::Says(text) => {
                let (session, from) =
                    (SessionKey::owner(), Principal::new("console:owner").unwrap());
                let said = Said::Message(text.to_owned());
                incoming
                    .send(Incoming {
                        ticket: Ticket::new(),
                        session,
                        from,
                        origin: Origin::Person,
                        said,
                    })
                    .await
                    .unwrap();
            }
        }
        while let Some(heard) = outgoing.recv().await {
            if let Outgoing::Notice(notice) = heard.outgoing {
                self.heard.lock().unwrap().push(notice);
            }
        }
        drop(incoming);
        Ok(())
    }
}

struct House {
    folder: tempfile::TempDir,
    thinks: CancellationToken,
    heard: Arc<Mutex<Vec<String>>>,
    quit: CancellationToken,
    terminate: CancellationToken,
}

impl House {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            thinks: CancellationToken::new(),
            heard: Arc::default(),
            quit: CancellationToken::new(),
            terminate: CancellationToken::new(),
        }
    }

    fn channel(&self, name: &'static str, does: Does) -> Box<dyn Channel> {
        Box::new(Acts { name, does, heard: Arc::clone(&self.heard) })
    }

    /// Runs these channels to the end.
    fn run(
        &self,
        channels: Vec<Box<dyn Channel>>,
    ) -> tokio::task::JoinHandle<Result<(), StartError>> {
        let workspace = Arc::new(Workspace::open(self.folder.path()));
        let owner = SessionKey::owner();
        workspace.session_files(&owner).memory.save(Memory::of(Object::new())).unwrap();
        let (requester, responder, publisher) = broker::memory::pair(CancellationToken::new());
        let requester = Arc::new(requester);
        let actions = Actions::new(Vec::new(), requester.clone(), FAREWELL).unwrap();
        let model = Arc::new(Switch::of(Arc::new(Thinker(self.thinks.clone()))));
        let mind = Mind::new(workspace, model, actions);
        let mind = Arc::new(Mind { by_name: true, max_steps: 1, ..mind });
        let registry =
            SessionRegistry::new(mind, requester, Lines::default(), CancellationToken::new());
        let (quit, terminate) = (self.quit.clone(), self.terminate.clone());
        tokio::spawn(async move {
            let _router = (responder, publisher);
            run(registry, channels, quit, terminate.cancelled_owned()).await
        })
    }

    fn has_heard(&self, text: &str) -> bool {
        self.heard.lock().unwrap().iter().any(|heard| heard.contains(text))
    }
}

#[tokio::test]
async fn a_channel_that_fails_is_told_once_and_the_others_go_on() {
    for does in [Does::Fails, Does::Panics] {
        let house = House::new();
        let channels =
            vec![house.channel("telegram", does), house.channel("console", Does::Listens)];
        let running = house.run(channels);
        eventually("it is said", async || house.has_heard("the telegram channel has failed")).await;
        assert!(house.has_heard("the other channels go on"));
        assert_eq!(house.heard.lock().unwrap().len(), 1);
        assert!(!running.is_finished());
        house.terminate.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_failure_of_the_last_channel_is_the_agents() {
    let house = House::new();
    let running = house.run(vec![house.channel("console", Does::Fails)]);
    let error = running.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the console channel has failed: no way");
}

#[tokio::test]
async fn the_end_from_outside_keeps_the_turn_that_runs() {
    let house = House::new();
    let running = house.run(vec![house.channel("telegram", Does::Says("remember me"))]);
    house.thinks.cancelled().await;
    house.terminate.cancel();
    running.await.unwrap().unwrap();
    let history = std::fs::read_to_string(house.folder.path().join("input_history.json")).unwrap();
    assert!(history.contains("remember me") && history.contains("(stopped)"), "{history}");
    assert!(house.has_heard("stopped"));
}

#[tokio::test]
async fn who_quits_ends_every_channel() {
    let house = House::new();
    let quits = house.channel("console", Does::Quits(house.quit.clone()));
    let running = house.run(vec![house.channel("telegram", Does::Listens), quits]);
    running.await.unwrap().unwrap();
}
