//! A registry with channels whose other ends the tests hold.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use action::{Actions, BroadcastMsg, LlmSummary, LocalAction, MemoryWrite};
use agent::registry::{Heard, SessionRegistry};
use async_trait::async_trait;
use broker::pipe::{PipePublisher, PipeRequester, PipeResponder};
use broker::{Feed, Responder, Subscriber, memory};
use channel::{Channel, ChannelError, Incoming, Line, Origin, Outgoing, Said, Ticket};
use conversation::workspace::{Cards, Workspace};
use mind::Mind;
use model::{Ask, Completion, Fit, Listener, Model, ModelError, Progress, Switch, Way};
use prompt::Fence;
use protocol::{ActionCard, Catalog, Done, Object, Principal, Reads, SessionKey, Stopped};
use serde_json::json;
use session::{Caller, Lines};
use testkit::TempHome;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Answers `say X` with X, fails at `fail`, thinks for ever about `stuck`, waits at `meet` for everybody, and else repeats what was said.
#[derive(Clone)]
pub(crate) struct Parrot {
    pub(crate) prompts: Arc<Mutex<Vec<String>>>,
    meeting: Arc<Barrier>,
}

#[async_trait]
impl Model for Parrot {
    fn name(&self) -> String {
        "parrot".to_owned()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let prompt = ask.prompt(Fit::of(Way::ToolCode, usize::MAX));
        self.prompts.lock().unwrap().push(prompt.text);
        let turn = ask.turn.unwrap();
        let text = match turn.message {
            "fail" => {
                let [address, mend] = ["10.0.0.7:80", "put it into `.env`"].map(str::to_owned);
                return Err(ModelError::WrongKey { address, status: 401, mend });
            }
            "stuck" => std::future::pending().await,
            "meet" => {
                self.meeting.wait().await;
                "met".to_owned()
            }
            _ if !turn.so_far.is_empty() => "Done.".to_owned(),
            message => message.strip_prefix("say ").map_or(format!("{message}?"), str::to_owned),
        };
        progress(Progress::Piece(&text));
        Ok(Completion::new(text))
    }
}

/// A local action that leaves a file in the output folder of whoever asks.
struct Page(ActionCard);

#[async_trait]
impl LocalAction for Page {
    fn card(&self) -> &ActionCard {
        &self.0
    }

    async fn run(&self, _: Object, caller: &Caller) -> Result<Done, Stopped> {
        caller.files.write_output("page.txt", b"a page", Reads::PUBLIC).unwrap();
        Ok(Done::default())
    }
}

/// A channel whose line the test holds.
struct Held {
    name: &'static str,
    is_owners: bool,
}

#[async_trait]
impl Channel for Held {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_owners(&self) -> bool {
        self.is_owners
    }

    async fn run(self: Box<Self>, _: Line) -> Result<(), ChannelError> {
        Ok(())
    }
}

/// The router's events, with the sessions that have asked for them.
pub(crate) struct Subscribed {
    requester: Arc<PipeRequester>,
    pub(crate) sessions: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Feed for Subscribed {
    fn catalog(&self) -> watch::Receiver<Option<Catalog>> {
        self.requester.catalog()
    }

    async fn subscribe(&self, session: &SessionKey, subscriber: Box<dyn Subscriber>) {
        self.sessions.lock().unwrap().push(session.to_string());
        self.requester.subscribe(session, subscriber).await;
    }
}

/// One channel's end.
pub(crate) struct End {
    pub(crate) line: Line,
}

pub(crate) struct House {
    pub(crate) home: TempHome,
    pub(crate) model: Parrot,
    pub(crate) router: PipeResponder,
    pub(crate) publisher: PipePublisher,
    pub(crate) subscribed: Arc<Mutex<Vec<String>>>,
    pub(crate) reception: Arc<business::Reception>,
    pub(crate) console: End,
    pub(crate) telegram: End,
    /// Only guests are here.
    pub(crate) http: End,
    pub(crate) quit: CancellationToken,
    pub(crate) serving: JoinHandle<()>,
    pub(crate) registry: Arc<SessionRegistry>,
}

pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

fn card(name: &str, reads: Reads) -> ActionCard {
    let value = json!({"name": name, "instruction": "Test.", "params": {}, "effect": "none", "reads": reads});
    serde_json::from_value(value).unwrap()
}

/// A house in which `meeting` messages `meet` wait for one another.
pub(crate) fn house_of(meeting: usize) -> House {
    house_in(TempHome::new(), meeting)
}

/// The same in a home that is there.
pub(crate) fn house_in(home: TempHome, meeting: usize) -> House {
    let workspace = Arc::new(Workspace::open(home.workspace()));
    let cards = vec![card("LOOK", Reads::PUBLIC), card("POST", Reads::NONE)];
    workspace.router_actions.save(Cards(cards)).unwrap();
    let meeting = Arc::new(Barrier::new(meeting));
    let model = Parrot { prompts: Arc::default(), meeting };
    let (requester, router, publisher) = memory::pair(CancellationToken::new());
    let (requester, lines) = (Arc::new(requester), Lines::default());
    let summary = LlmSummary::new(Arc::new(model.clone()), Fence::new(1)).unwrap();
    let broadcast = BroadcastMsg::new(lines.clone(), requester.clone(), LONG).unwrap();
    let local: Vec<Box<dyn LocalAction>> = vec![
        Box::new(MemoryWrite::new().unwrap()),
        Box::new(summary),
        Box::new(Page(card("_PAGE", Reads::NONE))),
        Box::new(broadcast),
    ];
    let actions = Actions::new(local, requester.clone(), LONG).unwrap();
    let switch = Arc::new(Switch::of(Arc::new(model.clone())));
    let mind = Mind::new(workspace, switch, actions);
    let mind = Arc::new(Mind {
        by_name: true,
        max_steps: 3,
        found: vec![format!("found at {}", home.root().display())],
        ..mind
    });
    let reception = Arc::clone(&mind.reception);
    let subscribed = Arc::<Mutex<Vec<String>>>::default();
    let feed = Subscribed { requester, sessions: Arc::clone(&subscribed) };
    let registry = SessionRegistry::new(mind, Arc::new(feed), lines, CancellationToken::new());
    let connect = |name, is_owners| -> (End, Heard) {
        let (line, heard) = registry.connect(&Held { name, is_owners });
        (End { line }, heard)
    };
    let (console, first) = connect("console", true);
    let (telegram, second) = connect("telegram", true);
    let (http, third) = connect("http", false);
    let quit = CancellationToken::new();
    let registry = Arc::new(registry);
    let heard = vec![first, second, third];
    let serving = tokio::spawn(Arc::clone(&registry).serve(heard, quit.clone()));
    House {
        home,
        model,
        router,
        publisher,
        subscribed,
        reception,
        console,
        telegram,
        http,
        quit,
        serving,
        registry,
    }
}

pub(crate) fn house() -> House {
    house_of(1)
}

impl House {
    /// Answers the next command as the router would, and gives it.
    pub(crate) async fn answers(
        &mut self,
        answer: impl Into<protocol::Outcome>,
    ) -> protocol::Command {
        let request = tokio::time::timeout(LONG, self.router.receive()).await.unwrap().unwrap();
        let command = request.command().unwrap().clone();
        request.reply(answer);
        command
    }

    /// What the model was shown, all in one.
    pub(crate) fn shown(&self) -> String {
        std::mem::take(&mut *self.model.prompts.lock().unwrap()).join("\n")
    }

    /// Has the router offer one more skill.
    pub(crate) fn offers(&self, card: ActionCard) {
        let workspace = Workspace::open(self.home.workspace());
        let mut cards = Cards::clone(&workspace.router_actions.read());
        cards.0.push(card);
        workspace.router_actions.save(cards).unwrap();
    }

    /// Has the owner start afresh.
    pub(crate) async fn clear(&mut self) {
        self.console.say("owner", "console:owner", "/clear").await;
        self.console.heard("owner").await;
    }

    pub(crate) fn session_files(&self, session: &str) -> std::path::PathBuf {
        match session {
            protocol::OWNER => self.home.workspace(),
            other => self.home.workspace().join("sessions").join(other),
        }
    }
}

impl End {
    pub(crate) async fn tell(&self, session: &str, from: &str, said: Said) -> Ticket {
        self.tell_as(Origin::Person, (session, from), said).await
    }

    /// As [`Self::tell`], by this kind of speaker.
    pub(crate) async fn tell_as(
        &self,
        origin: Origin,
        (session, from): (&str, &str),
        said: Said,
    ) -> Ticket {
        let (ticket, from) = (Ticket::new(), Principal::new(from).unwrap());
        let incoming = Incoming { ticket, session: key(session), from, origin, said };
        self.line.incoming.send(incoming).await.unwrap();
        ticket
    }

    pub(crate) async fn say(&self, session: &str, from: &str, text: &str) -> Ticket {
        self.tell(session, from, Said::typed(text)).await
    }

    /// The next thing that is heard here, with its session.
    pub(crate) async fn hear(&mut self) -> (String, Outgoing) {
        let heard = tokio::time::timeout(LONG, self.line.outgoing.recv()).await.unwrap().unwrap();
        (heard.session.to_string(), heard.outgoing)
    }

    /// What is heard here until a turn of `session` ends, one line for each thing, with its session where it is another.
    pub(crate) async fn heard(&mut self, session: &str) -> String {
        let mut heard = String::new();
        loop {
            let (of, outgoing) = self.hear().await;
            let is_end = outgoing == Outgoing::End && of == session;
            let Some(line) = line(outgoing) else { continue };
            let of = if of == session { String::new() } else { format!("({of}) ") };
            heard.push_str(&format!("{of}{line}\n"));
            if is_end {
                return heard;
            }
        }
    }

    /// What has been heard here by now and not been asked for.
    pub(crate) fn left(&mut self) -> Vec<String> {
        let mut left = Vec::new();
        while let Ok(heard) = self.line.outgoing.try_recv() {
            left.extend(line(heard.outgoing).map(|line| format!("({}) {line}", heard.session)));
        }
        left
    }
}

/// A thing that is heard, for people; none for what moves.
pub(crate) fn line(outgoing: Outgoing) -> Option<String> {
    Some(match outgoing {
        Outgoing::Begin { from, text, .. } => format!("{from}> {text}"),
        Outgoing::Queued { ahead, .. } => format!("queued behind {ahead}"),
        Outgoing::Refused { why, .. } => format!("refused: {why}"),
        Outgoing::Working(_) | Outgoing::Waiting(_) | Outgoing::Failed | Outgoing::Switched => {
            return None;
        }
        Outgoing::Words(text) | Outgoing::Text(text) | Outgoing::Aside { text, .. } => text,
        Outgoing::Action(ended) => format!("<{}>", ended.line),
        Outgoing::Notice(text) => format!("[{text}]"),
        Outgoing::Settled { how, .. } => format!("[{how}]"),
        Outgoing::Question(question) => format!("?{} {}", question.id, question.text),
        Outgoing::Picture(path) | Outgoing::File(path) => format!("{}", path.display()),
        Outgoing::Broadcast { text, .. } | Outgoing::Reminder { text, .. } => format!("!{text}"),
        Outgoing::End => "end".to_owned(),
    })
}
