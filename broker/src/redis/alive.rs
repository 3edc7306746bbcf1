//! What a router does besides serving: it says that it lives, hears what is taken back, and takes over from
//! routers that have died.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use redis::{RedisError, Value};
use tokio::time::sleep;

use super::bells::bell;
use super::claim::{Pulse, Told};
use super::life::{Life, millis};
use super::link::{BackOff, read_clock};
use super::responder::LEASE_MS;
use super::scripts::{BEAT, REAP};
use super::sweep::sweep;
use crate::failpoint::{self, Point};
use crate::unrun::REMEMBERED;

/// How often routers that have died are looked for, in beats.
const LOOK: u32 = 2;

/// How often the clock is read and replies that nobody fetches are swept, in beats.
const SWEEP: u32 = 60;

impl Life {
    /// Beats for ever.
    pub(super) async fn go_on(self: Arc<Self>) {
        let mut control = self.control_rung();
        let mut is_in_touch;
        let mut beats: u32 = 0;
        loop {
            match self.beat().await {
                Ok(()) => {
                    // First of all: whoever asked a router that was killed a moment ago still waits.
                    if beats.is_multiple_of(LOOK) {
                        self.take_over().await;
                        self.reap().await;
                    }
                    is_in_touch = true;
                    beats = beats.wrapping_add(1);
                    if beats.is_multiple_of(SWEEP) {
                        // Beside the beat, for a server may hold much.
                        tokio::spawn(Arc::clone(&self).look_after());
                    }
                }
                Err(error) => {
                    is_in_touch = false;
                    self.say_down(&error);
                }
            }
            tokio::select! {
                () = sleep(self.jittered()) => {}
                () = &mut control, if is_in_touch => control = self.control_rung(),
            }
        }
    }

    async fn look_after(self: Arc<Self>) {
        // A clock that can't be read is as it was.
        let _ = read_clock(&mut self.commands(), &self.clock).await;
        sweep(&self).await;
    }

    async fn beat(&self) -> Result<(), RedisError> {
        let name = self.name().await?;
        self.hear().await?;
        // In this order: what is claimed in between is not below the first number.
        let settled = self.hands.settled();
        let held = self.hands.all();
        let mut beat = BEAT.key(&self.keys.routers);
        beat.key(self.keys.work(&name)).key(&self.keys.control).key(&self.keys.again);
        beat.key(&self.keys.watched);
        beat.arg(&*name).arg(settled).arg(millis(REMEMBERED)).arg(&self.keys.states).arg(LEASE_MS);
        beat.arg(u8::from(self.terms.keys.is_some())).arg(millis(self.terms.silence()));
        for held in held.iter().filter(|held| held.router == name) {
            beat.arg(held.field).arg(held.id.as_ref().map_or("!", |id| id.as_str()));
        }
        match beat.invoke_async(&mut self.commands()).await? {
            Pulse::Fenced => self.fenced(&name),
            Pulse::Told(told) => told.into_iter().for_each(|(field, told)| match told {
                Told::Cancelled => self.hands.cancel(field),
                Told::Lost => self.hands.lose(field),
            }),
        }
        Ok(())
    }

    /// Hands back what routers hold that have been silent for too long. The server knows whether somebody has watched for
    /// that time, so that routers which never live as long themselves still take over.
    async fn reap(&self) {
        let Some(name) = self.known_name() else { return };
        let mut reap = REAP.key(&self.keys.routers);
        reap.key(&self.keys.again)
            .key(&self.keys.watched)
            .arg(&*name)
            .arg(millis(self.terms.dead_after));
        reap.arg(&self.keys.states).arg(&self.keys.works);
        match reap.invoke_async::<u64>(&mut self.commands()).await {
            Ok(0) => {}
            Ok(count) => {
                failpoint::pass(Point::Reaped);
                tracing::warn!("a router has died; {count} commands of it are taken over");
            }
            Err(error) => self.say_down(&error),
        }
    }

    /// Waits until an agent has taken something back.
    fn control_rung(self: &Arc<Self>) -> BoxFuture<'static, ()> {
        let life = Arc::clone(self);
        Box::pin(async move {
            let mut back_off = BackOff::new();
            loop {
                let Ok(mut connection) = life.address.blocking().await else {
                    back_off.pause().await;
                    continue;
                };
                loop {
                    match bell(&life.keys.control).query_async(&mut connection).await {
                        Ok(Some(Value::BulkString(_))) => return,
                        Ok(_) => back_off.reset(),
                        Err(_) => break,
                    }
                }
                back_off.pause().await;
            }
        })
    }

    /// A beat with up to a tenth more, so that routers don't all come at once.
    fn jittered(&self) -> Duration {
        let part = u32::from(uuid::Uuid::new_v4().as_bytes()[0]);
        self.terms.beat + self.terms.beat * part / 2_560
    }
}
