//! An agent that has lived for a while: 500 things in its memory, 50 skills behind it, a full history.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use action::{Actions, LlmSummary, LocalAction, MemoryWrite};
use agent::registry::SessionRegistry;
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use channel::{Channel, ChannelError, Incoming, Line, Origin, Outgoing, Said, Ticket};
use conversation::workspace::{Cards, Memory, Workspace};
use mind::Mind;
use model::{Model, Switch};
use prompt::Fence;
use protocol::{ActionCard, Principal, SessionKey, Status};
use serde_json::json;
use session::Lines;
use tokio_util::sync::CancellationToken;

use crate::instant::{self, InstantModel};

const MEMORY_KEYS: usize = 500;
const SKILLS: usize = 50;

/// A session at work, and the ends that a channel would hold.
pub(crate) struct House {
    line: Line,
    person: Principal,
}

/// A channel whose line the bench holds.
struct Held;

#[async_trait]
impl Channel for Held {
    fn name(&self) -> &'static str {
        "console"
    }

    async fn run(self: Box<Self>, _: Line) -> Result<(), ChannelError> {
        Ok(())
    }
}

impl House {
    /// Builds it with its workspace in `folder`. Must be called within a tokio runtime.
    pub(crate) fn build(folder: &Path) -> Result<Self> {
        let workspace = Arc::new(Workspace::open(folder));
        let key = SessionKey::owner();
        let files = workspace.session_files(&key);
        files.memory.save(memory())?;
        workspace.router_actions.save(Cards(skills()?))?;
        let model: Arc<dyn Model> = Arc::new(InstantModel);
        let (requester, responder, _) = broker::memory::pair(CancellationToken::new());
        let requester = Arc::new(requester);
        tokio::spawn(instant::serve(responder));
        let local = local_actions(&model)?;
        let actions = Actions::new(local, requester.clone(), Duration::from_secs(10))?;
        let model = Arc::new(Switch::of(model));
        let mind = Mind::new(workspace, model, actions);
        let mind = Arc::new(Mind { by_name: true, ..mind });
        let person = Principal::new("console:owner")?;
        let registry =
            SessionRegistry::new(mind, requester, Lines::default(), CancellationToken::new());
        let (line, heard) = registry.connect(&Held);
        registry.open(key, person.clone());
        tokio::spawn(Arc::new(registry).serve(vec![heard], CancellationToken::new()));
        Ok(Self { line, person })
    }

    /// Says `message` and waits until the turn is over.
    ///
    /// # Errors
    /// When anything in it went wrong, for a turn that fails is fast.
    pub(crate) async fn answer(&mut self, message: &str) -> Result<()> {
        let said = Said::Message(message.to_owned());
        let (ticket, session) = (Ticket::new(), SessionKey::new("owner")?);
        self.line
            .incoming
            .send(Incoming {
                ticket,
                session,
                from: self.person.clone(),
                origin: Origin::Person,
                said,
            })
            .await?;
        loop {
            match self.line.outgoing.recv().await.context("the session has ended")?.outgoing {
                Outgoing::End => return Ok(()),
                Outgoing::Notice(trouble) => bail!("{trouble}"),
                Outgoing::Action(ended) if ended.status != Status::Ok => bail!("{}", ended.line),
                _ => {}
            }
        }
    }
}

fn local_actions(model: &Arc<dyn Model>) -> Result<Vec<Box<dyn LocalAction>>> {
    let memory_write = MemoryWrite::new().context("no _MEMORY_WRITE")?;
    let llm_summary = LlmSummary::new(Arc::clone(model), Fence::new(2));
    Ok(vec![Box::new(memory_write), Box::new(llm_summary.context("no _LLM_SUMMARY")?)])
}

fn memory() -> Memory {
    let fact =
        |n: usize| (format!("fact_{n}"), json!(format!("a thing worth keeping, number {n}")));
    Memory::of((0..MEMORY_KEYS).map(fact).collect())
}

fn skills() -> Result<Vec<ActionCard>> {
    let skill = |n: usize| {
        json!({
            "name": format!("{}_{n}", instant::SKILL),
            "instruction": "Do one thing for the owner and say how it went.",
            "params": {
                "target": {"type": "string", "enum": ["home", "work", "garden"]},
                "text": {"type": "string", "maxLength": 3000},
            },
            "effect": "none", "reads": "none", "timeout_ms": 15_000,
            "examples": [{"say": "Do the thing at home.", "params": {"target": "home", "text": "now"}}],
        })
    };
    Ok((0..SKILLS).map(|n| serde_json::from_value(skill(n))).collect::<Result<_, _>>()?)
}
