//! The queue and what routers share: the Redis if one is set, the kill switch, the questions that wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use broker::Store;
use broker::redis::look::{Look, Server, Standing};
use broker::redis::{RedisAddress, RedisStore};
use home::{Check, Home};
use protocol::Millis;

use crate::config::Settings;
use shared::Switch;
use shared::{Folder, SWITCH};

const NAME: &str = "queue";

/// A clock that is off by more makes commands too old before they arrive.
const CLOCK: Duration = Duration::from_secs(5);

/// A server that answers slower holds up each action.
const SLOW: Duration = Duration::from_millis(50);

pub(super) async fn checks(home: &Home, settings: &Settings) -> Vec<Check> {
    let local: Arc<dyn Store> = Arc::new(Folder::at(home.router_state()));
    let mut checks = Vec::new();
    match settings.queue.address() {
        Ok(None) => {
            checks.push(Check::ok(NAME, "no Redis is set: agent and router speak over a pipe"))
        }
        Ok(Some(address)) => {
            checks.extend(on_redis(&address, settings).await);
            match RedisStore::new(address, settings.queue.names.clone()) {
                Ok(store) => checks.extend(switch("the Redis", Arc::new(store)).await),
                Err(error) => {
                    checks.push(Check::fail(NAME, error, "set another REDIS_URL in .env"))
                }
            }
        }
        Err(error) => checks.push(Check::fail(NAME, error.to_string(), "change REDIS_URL in .env")),
    }
    checks.extend(switch("this machine", local).await);
    checks
}

/// Whether everything is stopped.
async fn switch(place: &str, store: Arc<dyn Store>) -> Option<Check> {
    let (table, key) = Switch::PLACE;
    match store.read(SWITCH, key).await {
        Ok(None) => None,
        Ok(Some(_)) => {
            let seen = format!("everything is stopped on {place} ({} is thrown)", table.name);
            Some(Check::warn(
                "kill switch",
                seen,
                format!("let it go on: {}", home::resume_command()),
            ))
        }
        Err(fault) => Some(Check::fail(
            "kill switch",
            format!("it can't be read on {place}, which counts as stopped: {fault}"),
            "mend what keeps router/state or the Redis from being read",
        )),
    }
}

async fn on_redis(address: &RedisAddress, settings: &Settings) -> Vec<Check> {
    let start = "start it, or correct REDIS_URL in .env";
    let terms = match settings.terms() {
        Ok(terms) => terms,
        Err(error) => return vec![Check::fail(NAME, error.to_string(), super::MEND)],
    };
    if let Err(why) = address.check().await {
        return vec![Check::fail(NAME, why, start)];
    }
    let look = match Look::glance(address.clone(), settings.queue.names.clone(), terms).await {
        Ok(look) => look,
        Err(error) => return vec![Check::fail(NAME, error.to_string(), start)],
    };
    let asked = Instant::now();
    match look.standing().await {
        Ok(standing) => {
            let mut checks = vec![server(&standing.server, asked.elapsed())];
            checks.extend(clock(look.now()));
            checks.extend(served(&standing));
            checks
        }
        Err(error) => vec![Check::fail(
            NAME,
            error.to_string(),
            format!("{} prints what its user may do", home::router_command("redis-acl")),
        )],
    }
}

fn server(server: &Server, took: Duration) -> Check {
    let version = server.version.as_deref().unwrap_or("unknown version");
    let ms = took.as_secs_f64() * 1_000.0;
    let seen = format!("{}, {version}, answers in {ms:.1} ms", server.address);
    if server.append_only == Some(false) {
        let seen = format!("{seen}; a restart of it loses what waits");
        return Check::warn(NAME, seen, "redis-cli config set appendonly yes, and in redis.conf");
    }
    if server.eviction.as_deref().is_some_and(|policy| policy != "noeviction") {
        let seen = format!("{seen}; it throws commands away when its memory is full");
        let mend = "redis-cli config set maxmemory-policy noeviction, and in redis.conf";
        return Check::warn(NAME, seen, mend);
    }
    if took > SLOW {
        return Check::warn(NAME, seen, "move it nearer, or look at what else it does");
    }
    Check::ok(NAME, seen)
}

fn clock(server: Millis) -> Option<Check> {
    let here = Millis::of_this_machine();
    let off = here.since(server).max(server.since(here));
    let seen = format!("this machine's clock and the Redis' differ by {} s", off.as_secs());
    (off > CLOCK).then(|| Check::warn("clock", seen, "set both by NTP: timedatectl set-ntp true"))
}

fn served(standing: &Standing) -> Vec<Check> {
    let mut checks = Vec::new();
    let alive = standing.routers.iter().filter(|router| router.alive).count();
    let waiting: u64 = standing.lanes.iter().map(|lane| lane.waiting).sum();
    let seen = format!("{alive} routers live, {waiting} commands wait");
    checks.push(match alive {
        0 => Check::warn(
            "routers",
            seen,
            format!("start one: {}", home::router_command("").trim_end()),
        ),
        _ => Check::ok("routers", seen),
    });
    if standing.dead_letters > 0 {
        let seen = format!("{} commands were given up", standing.dead_letters);
        checks.push(Check::warn("dead letters", seen, home::router_command("queue dead")));
    }
    checks
}
