//! A registry with many chats, and the ends that a channel and a model would hold.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use action::{Actions, LlmSummary, LocalAction, MemoryWrite};
use agent::registry::SessionRegistry;
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use broker::pipe::{PipePublisher, PipeResponder};
use channel::{Channel, ChannelError, Incoming, Line, Origin, Outgoing, Said, Ticket};
use conversation::workspace::{Cards, Workspace};
use mind::Mind;
use model::{Ask, Completion, Fit, Listener, Model, ModelError, Progress, Switch, Way};
use prompt::Fence;
use protocol::{ActionCard, Principal, SessionKey};
use serde_json::json;
use session::Lines;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const SKILLS: usize = 10;

/// Tells when it is handed a prompt, and answers at once.
struct Clock(mpsc::UnboundedSender<Instant>);

#[async_trait]
impl Model for Clock {
    fn name(&self) -> String {
        "clock".to_owned()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let _ = ask.prompt(Fit::of(Way::ToolCode, usize::MAX));
        let _ = self.0.send(Instant::now());
        let text = "Quite well, thank you.";
        progress(Progress::Piece(text));
        Ok(Completion::new(text))
    }
}

/// A channel whose line the bench holds.
struct Held;

#[async_trait]
impl Channel for Held {
    fn name(&self) -> &'static str {
        "bench"
    }

    async fn run(self: Box<Self>, _: Line) -> Result<(), ChannelError> {
        Ok(())
    }
}

/// The registry from outside.
pub(crate) struct House {
    line: Line,
    asked: mpsc::UnboundedReceiver<Instant>,
    /// Nothing is asked of it.
    _router: (PipeResponder, PipePublisher),
}

impl House {
    /// Builds it with its workspace in `folder`. Must be called within a tokio runtime.
    pub(crate) fn build(folder: &Path) -> Result<Self> {
        let workspace = Arc::new(Workspace::open(folder));
        workspace.router_actions.save(Cards(skills()?))?;
        let (clock, asked) = mpsc::unbounded_channel();
        let model: Arc<dyn Model> = Arc::new(Clock(clock));
        let (requester, responder, publisher) = broker::memory::pair(CancellationToken::new());
        let requester = Arc::new(requester);
        let summary = LlmSummary::new(Arc::clone(&model), Fence::new(2));
        let local: Vec<Box<dyn LocalAction>> = vec![
            Box::new(MemoryWrite::new().context("no _MEMORY_WRITE")?),
            Box::new(summary.context("no _LLM_SUMMARY")?),
        ];
        let actions = Actions::new(local, requester.clone(), Duration::from_secs(10))?;
        let model = Arc::new(Switch::of(model));
        let mind = Mind::new(workspace, model, actions);
        let mind = Arc::new(Mind { by_name: true, ..mind });
        let registry =
            SessionRegistry::new(mind, requester, Lines::default(), CancellationToken::new());
        let (line, heard) = registry.connect(&Held);
        tokio::spawn(Arc::new(registry).serve(vec![heard], CancellationToken::new()));
        Ok(Self { line, asked, _router: (responder, publisher) })
    }

    /// Says something in a chat.
    pub(crate) async fn say(&self, chat: usize) -> Result<()> {
        let session = SessionKey::new(format!("bench-{chat}"))?;
        let from = Principal::new(format!("bench:{chat}"))?;
        let said = Said::Message("How are you today?".to_owned());
        self.line
            .incoming
            .send(Incoming { ticket: Ticket::new(), session, from, origin: Origin::Person, said })
            .await?;
        Ok(())
    }

    /// When the model was asked next.
    pub(crate) async fn asked(&mut self) -> Result<Instant> {
        self.asked.recv().await.context("the registry has ended")
    }

    /// Waits for this many turns to end, and forgets when the model was asked for them.
    ///
    /// # Errors
    /// When anything in them went wrong, for a turn that fails is fast.
    pub(crate) async fn answered(&mut self, turns: usize) -> Result<()> {
        let mut ended = 0;
        while ended < turns {
            match self.line.outgoing.recv().await.context("the registry has ended")?.outgoing {
                Outgoing::End => ended += 1,
                Outgoing::Notice(trouble) | Outgoing::Refused { why: trouble, .. } => {
                    bail!("{trouble}")
                }
                _ => {}
            }
        }
        while self.asked.try_recv().is_ok() {}
        Ok(())
    }
}

fn skills() -> Result<Vec<ActionCard>> {
    let skill = |n: usize| {
        json!({
            "name": format!("DO_THING_{n}"),
            "instruction": "Do one thing for the owner and say how it went.",
            "params": {"text": {"type": "string", "maxLength": 3000}},
            "effect": "none", "reads": "none", "timeout_ms": 15_000,
            "examples": [{"say": "Do the thing at home.", "params": {"text": "now"}}],
        })
    };
    Ok((0..SKILLS).map(|n| serde_json::from_value(skill(n))).collect::<Result<_, _>>()?)
}
