//! Programs that put commands on the queue, one after the other, and wait for each reply.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use broker::redis::{RedisAddress, RedisRequester};
use broker::{RequestError, Requester};
use protocol::{ActionName, Command, Envelope, MessageId, SessionKey, Status};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::tally::{Load, Tally};

/// How many there are. Each is a conversation of its own, of which the wall takes 10,000 commands an hour at most.
const CALLERS: u32 = 4;

/// How long a reply may take before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// The callers at work.
pub(crate) struct Callers {
    tasks: JoinSet<Result<()>>,
    stop: CancellationToken,
}

impl Callers {
    /// Starts them; together they send about `rate` commands a second.
    pub(crate) fn start(url: &str, tally: &Arc<Tally>, rate: u32, seed: u64) -> Result<Self> {
        let (mut tasks, stop) = (JoinSet::new(), CancellationToken::new());
        let pause = Duration::from_secs(1) * CALLERS / rate;
        for at in 0..CALLERS {
            let address = RedisAddress::new(url)?;
            let requester = RedisRequester::new(address, protocol::QueueNames::default());
            let caller = Caller {
                requester: requester.map_err(|error| anyhow!(error))?,
                tally: Arc::clone(tally),
                session: SessionKey::new(format!("caller-{at}"))?,
                rng: fastrand::Rng::with_seed(seed.wrapping_add(u64::from(at))),
            };
            tasks.spawn(caller.ask(pause, stop.clone()));
        }
        Ok(Self { tasks, stop })
    }

    /// Lets them finish what they wait for.
    pub(crate) async fn end(mut self) -> Result<()> {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended??;
        }
        Ok(())
    }
}

struct Caller {
    requester: RedisRequester,
    tally: Arc<Tally>,
    session: SessionKey,
    rng: fastrand::Rng,
}

impl Caller {
    async fn ask(mut self, pause: Duration, stop: CancellationToken) -> Result<()> {
        while !stop.is_cancelled() {
            let command = self.command()?;
            let (id, asked) = (command.message_id.clone(), Instant::now());
            self.tally.asked(Load::Command);
            match self.requester.request(command, PATIENCE).await {
                Ok(reply) => {
                    let ok = reply.outcome.status() == Status::Ok;
                    self.tally.answered(Load::Command, asked.elapsed(), ok);
                }
                Err(error @ RequestError::NoReply { .. }) => {
                    self.tally.lost(Load::Command, &format!("{id}: {error}"));
                }
                Err(error) => return Err(error.into()),
            }
            // From none to twice the pause.
            let pause = pause.mul_f64(2.0 * self.rng.f64());
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause.saturating_sub(asked.elapsed())) => {}
            }
        }
        Ok(())
    }

    /// A skill without any effect, or one that would post and has no token.
    fn command(&mut self) -> Result<Command> {
        let number = self.rng.u32(..);
        let (action, params) = match self.rng.u8(..10) {
            0..3 => ("CREATE_POST", format!(r#"{{"platform": "X", "text": "Number {number}"}}"#)),
            _ => ("HELLO_WORLD", format!(r#"{{"name": "number {number}"}}"#)),
        };
        Ok(Command {
            message_id: MessageId::new(Uuid::now_v7().to_string())?,
            action: ActionName::new(action)?,
            params: protocol::json::parse_object(params.as_bytes())?,
            envelope: Envelope { session: Some(self.session.clone()), ..Envelope::current() },
        })
    }
}
