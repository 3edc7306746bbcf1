//! An agent whose model and router say what a test tells them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use action::{Actions, LocalAction, MemoryWrite};
use agent::registry::SessionRegistry;
use async_trait::async_trait;
use broker::pipe::{PipePublisher, PipeResponder};
use broker::{Publisher, Responder, memory};
use channel::{Addressed, Channel, ChannelError, Incoming, Line, Origin, Outgoing, Said, Ticket};
use conversation::workspace::{Cards, Workspace};
use mind::Mind;
use model::{
    Ask, Call, Completion, Ended, Fit, Listener, Model, ModelError, Progress, Switch, Way,
};
use protocol::{
    ActionCard, Code, Command, Done, Event, EventKind, MessageId, Millis, Object, Outcome,
    Principal, Reads, SessionKey, Stopped,
};
use serde_json::{Value, json};
use session::{Caller, Lines};
use testkit::TempHome;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Says one text after the other, in two pieces each; when none is left, it thinks for ever.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    pub(crate) says: Arc<Mutex<VecDeque<Result<String, ModelError>>>>,
    pub(crate) prompts: Arc<Mutex<Vec<String>>>,
    /// Whether its answers are cut off, after 2,048 tokens.
    pub(crate) is_cut: Arc<AtomicBool>,
    /// The tool calls beside its next answer.
    pub(crate) calls: Arc<Mutex<Vec<Call>>>,
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let prompt = ask.prompt(Fit::of(Way::ToolCode, usize::MAX));
        self.prompts.lock().unwrap().push(prompt.text);
        let next = self.says.lock().unwrap().pop_front();
        let Some(said) = next else { return std::future::pending().await };
        let text = said?;
        let middle = (0..=text.len() / 2).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        progress(Progress::Piece(&text[..middle]));
        progress(Progress::Piece(&text[middle..]));
        let mut completion = Completion::new(text);
        completion.calls = std::mem::take(&mut self.calls.lock().unwrap());
        if self.is_cut.load(Ordering::SeqCst) {
            (completion.ended, completion.usage.written) = (Ended::AtLimit, Some(2_048));
        }
        Ok(completion)
    }
}

pub(crate) struct House {
    pub(crate) home: TempHome,
    pub(crate) model: Scripted,
    pub(crate) router: PipeResponder,
    pub(crate) publisher: PipePublisher,
    pub(crate) incoming: mpsc::Sender<Incoming>,
    pub(crate) outgoing: mpsc::UnboundedReceiver<Addressed>,
    pub(crate) leaving: CancellationToken,
    pub(crate) task: JoinHandle<()>,
}

/// A channel that the test holds the other end of.
pub(crate) struct Tester;

#[async_trait]
impl Channel for Tester {
    fn name(&self) -> &'static str {
        "console"
    }

    async fn run(self: Box<Self>, _: Line) -> Result<(), ChannelError> {
        Ok(())
    }
}

/// A local action whose result wants another one done next.
pub(crate) struct Page(ActionCard);

#[async_trait]
impl LocalAction for Page {
    fn card(&self) -> &ActionCard {
        &self.0
    }

    async fn run(&self, _: Object, _: &Caller) -> Result<Done, Stopped> {
        Ok(done(
            "follow_up",
            json!({"name": "_MEMORY_WRITE", "params": {"new_memory": {"page": "seen"}}}),
        ))
    }
}

/// A local action that a person is asked about once, under this id.
pub(crate) struct Asks(ActionCard, AtomicBool);

/// What the router calls what was asked of it.
pub(crate) const ASKED: &str = "asked-1";

#[async_trait]
impl LocalAction for Asks {
    fn card(&self) -> &ActionCard {
        &self.0
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        if !self.1.swap(true, Ordering::SeqCst) {
            let asked = Stopped::new(Code::Approval, "a person is asked first");
            let approval = json!({"id": "0123456789", "question": "Look?"});
            return Err(asked.with("approval", approval).with("message_id", ASKED));
        }
        let text = format!("seen {} for {}\nall of it", params["url"], caller.principal);
        Ok(Done { text: Some(text), ..done("seen", params["url"].clone()) })
    }
}

pub(crate) fn card(name: &str, reads: Reads) -> ActionCard {
    let value = json!({"name": name, "instruction": "Test.", "params": {}, "effect": "none", "reads": reads});
    serde_json::from_value(value).unwrap()
}

pub(crate) async fn house(says: &[&str]) -> House {
    house_in(TempHome::new(), says).await
}

/// Actions are told in the words of programs.
pub(crate) async fn house_in(home: TempHome, says: &[&str]) -> House {
    house_telling(home, says, true).await
}

/// `by_name` is whether actions are told in the words of programs.
pub(crate) async fn house_telling(home: TempHome, says: &[&str], by_name: bool) -> House {
    let workspace = Arc::new(Workspace::open(home.workspace()));
    let text = json!({"type": "string"});
    let shell = |name| ActionCard {
        params: json!({"env": text, "command": text}).as_object().unwrap().clone(),
        ..card(name, Reads::NONE)
    };
    let cards = vec![
        shell("SHELL"),
        shell("WORKBENCH"),
        card("LOOK", Reads::PUBLIC),
        card("POST", Reads::NONE),
        card("MAIL", Reads::PRIVATE),
        // No router has such a skill; whoever writes this file would like one.
        card("APPROVE", Reads::NONE),
    ];
    workspace.router_actions.save(Cards(cards)).unwrap();
    let model = Scripted::default();
    model.says.lock().unwrap().extend(says.iter().map(|text| Ok((*text).to_owned())));
    let (requester, router, publisher) = memory::pair(CancellationToken::new());
    let requester = Arc::new(requester);
    let write = MemoryWrite::new().unwrap();
    let page = Page(card("_PAGE", Reads::PUBLIC));
    let asks = ActionCard {
        params: json!({"url": {"type": "string"}}).as_object().unwrap().clone(),
        ..card("_ASKS", Reads::PUBLIC)
    };
    let asks = Asks(asks, AtomicBool::new(false));
    let local: Vec<Box<dyn LocalAction>> = vec![Box::new(write), Box::new(page), Box::new(asks)];
    let actions = Actions::new(local, requester.clone(), LONG).unwrap();
    let switch = Arc::new(Switch::of(Arc::new(model.clone())));
    let mind = Mind::new(workspace, switch, actions);
    let mind = Arc::new(Mind { by_name, max_steps: 3, ..mind });
    let leaving = CancellationToken::new();
    let registry = SessionRegistry::new(mind, requester, Lines::default(), leaving.clone());
    let (Line { incoming, outgoing }, heard) = registry.connect(&Tester);
    registry.open(SessionKey::owner(), Principal::new("console:owner").unwrap());
    let task = tokio::spawn(Arc::new(registry).serve(vec![heard], CancellationToken::new()));
    House { home, model, router, publisher, incoming, outgoing, leaving, task }
}

impl House {
    /// Ends it and starts it again on the same files.
    pub(crate) async fn restarted(self, says: &[&str]) -> House {
        self.leaving.cancel();
        tokio::time::timeout(LONG, self.task).await.unwrap().unwrap();
        house_in(self.home, says).await
    }

    /// Says something that makes the agent ask its router, answers as that, and gives what was asked.
    pub(crate) async fn routed(
        &mut self,
        text: &str,
        answer: impl Into<Outcome>,
    ) -> (Command, String) {
        self.say(text).await;
        let request = tokio::time::timeout(LONG, self.router.receive()).await.unwrap().unwrap();
        let command = request.command().unwrap().clone();
        request.reply(answer);
        (command, self.heard().await)
    }

    /// The bits that the next command carries.
    pub(crate) async fn taint(&mut self) -> String {
        let (command, _) = self.routed("/run POST", Done::default()).await;
        command.envelope.taint.into()
    }

    pub(crate) async fn result(&self, action: &str, done: Done) {
        self.result_of(None, action, done).await;
    }

    /// How what was asked about has ended.
    pub(crate) async fn result_of(
        &self,
        id: Option<&str>,
        action: &str,
        ended: impl Into<Outcome>,
    ) {
        let id = id.map(|id| MessageId::new(id).unwrap());
        let reply = protocol::Reply::new(id.clone(), action, ended.into());
        let event = Event {
            event: EventKind::Result,
            session: SessionKey::new("owner").unwrap(),
            at: Millis(1),
            message_id: id,
            text: None,
            reply: Some(reply.fields),
        };
        self.publisher.event(&event).await;
    }

    pub(crate) async fn tell(&self, said: Said) -> Ticket {
        self.tell_as("console:owner", said).await
    }

    pub(crate) async fn tell_as(&self, from: &str, said: Said) -> Ticket {
        let from = Principal::new(from).unwrap();
        let (ticket, session) = (Ticket::new(), SessionKey::new("owner").unwrap());
        self.incoming
            .send(Incoming { ticket, session, from, origin: Origin::Person, said })
            .await
            .unwrap();
        ticket
    }

    pub(crate) async fn say(&self, text: &str) {
        self.tell(Said::typed(text)).await;
    }

    pub(crate) async fn hear(&mut self) -> Outgoing {
        tokio::time::timeout(LONG, self.outgoing.recv()).await.unwrap().unwrap().outgoing
    }

    /// What was said until the turn's end: words in a row, everything else on lines of its own.
    pub(crate) async fn heard(&mut self) -> String {
        let mut heard = String::new();
        loop {
            match self.hear().await {
                Outgoing::Begin { .. } | Outgoing::Queued { .. } => {}
                Outgoing::Refused { why, .. } => heard.push_str(&format!("\n[{why}]\n")),
                Outgoing::Broadcast { text, .. } => heard.push_str(&format!("\n!{text}\n")),
                Outgoing::Reminder { text, .. } => heard.push_str(&format!("\n!{text}\n")),
                Outgoing::Settled { how, .. } => heard.push_str(&format!("\n[{how}]\n")),
                Outgoing::Picture(path) | Outgoing::File(path) => {
                    heard.push_str(&format!("\n<{}>\n", path.display()))
                }
                Outgoing::End => return heard,
                Outgoing::Working(_)
                | Outgoing::Waiting(_)
                | Outgoing::Failed
                | Outgoing::Switched => {}
                Outgoing::Aside { text, .. } => heard.push_str(&format!("\n{text}\n")),
                Outgoing::Words(words) => heard.push_str(&words),
                Outgoing::Action(ended) => heard.push_str(&format!("\n<{}>\n", ended.line)),
                Outgoing::Notice(text) => heard.push_str(&format!("\n[{text}]\n")),
                Outgoing::Text(text) => heard.push_str(&format!("\n{text}\n")),
                Outgoing::Question(asked) => {
                    heard.push_str(&format!("\n?{} {}\n", asked.id, asked.text));
                }
            }
        }
    }

    /// The line of an action that ends next.
    pub(crate) async fn hear_ended(&mut self) -> String {
        match self.hear().await {
            Outgoing::Action(ended) => ended.told,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn turn(&mut self, text: &str) -> String {
        self.say(text).await;
        self.heard().await
    }

    /// A file of the workspace when the turn has been kept: nothing else is answered before that.
    pub(crate) async fn kept(&mut self, name: &str) -> Value {
        self.turn("/help").await;
        serde_json::from_str(&self.home.text(format!("workspace/{name}"))).unwrap()
    }

    pub(crate) async fn history(&mut self) -> Value {
        self.kept("input_history.json").await
    }

    pub(crate) fn prompt(&self, number: usize) -> String {
        self.model.prompts.lock().unwrap()[number].clone()
    }
}

pub(crate) fn actions(names: &[&str]) -> String {
    let list: Vec<Value> = names.iter().map(|name| json!({"name": name, "params": {}})).collect();
    format!("<tool_code>{}</tool_code>", json!(list))
}

pub(crate) fn done(key: &str, value: Value) -> Done {
    Done { result: Object::from_iter([(key.to_owned(), value)]), ..Done::default() }
}
