//! What the window shows.

use std::collections::HashMap;
use std::sync::PoisonError;

use broker::redis::look::{Entry, Letter, Look};
use protocol::Millis;
use window::{
    QueueSight, Running, ShownEnd, ShownGrant, ShownLetter, ShownQuestion, ShownSkill,
    ShownTraffic, Sight, Stop, Trouble,
};

use super::{Desk, trouble};
use crate::audit;
use crate::catalog::printable;
use crate::owner::{self, Asking, StorePlace};
use crate::policy::approval::short;
use crate::session_key::key_of;
use shared::TrafficBook;

/// How many commands and dead letters are shown.
const LISTED: usize = 100;

/// How much of a router's name tells it from others: its end, for the beginning is the time.
const TOLD_OF_ROUTER: usize = 8;

impl Desk {
    pub(super) async fn see(&self) -> Result<Sight, Trouble> {
        let places = self.places().await.map_err(trouble)?;
        let mut sight = Sight {
            now: owner::now(),
            version: env!("CARGO_PKG_VERSION"),
            stops: stops(places).await,
            queue: self.queue_here(),
            running: self.running_here(),
            ended: self.ended(),
            questions: self.questions(places).await?,
            letters: Vec::new(),
            skills: self.skills(),
            traffic: traffic(places).await?,
            grants: grants(places).await?,
        };
        match self.looked().await {
            None => {}
            Some(Ok(look)) => self.add_the_queue(&look, &mut sight).await?,
            Some(Err(Trouble(why))) => sight.queue.trouble = Some(why),
        }
        Ok(sight)
    }

    /// What this router knows of the queue by itself.
    fn queue_here(&self) -> QueueSight {
        let beats = self.pulse.beats();
        let done = beats.counts.get("ok").copied().unwrap_or_default();
        let pending = beats.counts.get("pending").copied().unwrap_or_default();
        let ended = beats.counts.values().sum::<u64>() - pending;
        QueueSight {
            place: "a pipe".to_owned(),
            routers: 1,
            ended,
            not_done: ended - done,
            ..QueueSight::default()
        }
    }

    async fn add_the_queue(&self, look: &Look, sight: &mut Sight) -> Result<(), Trouble> {
        let standing = look.standing().await.map_err(trouble)?;
        let queue = &mut sight.queue;
        queue.place = look.shown();
        queue.waiting = Some(standing.lanes.iter().map(|lane| lane.waiting).sum());
        queue.oldest_ms = standing.lanes.iter().filter_map(|lane| lane.oldest_ms).max();
        queue.routers = look.routers_alive();
        queue.dead = standing.dead_letters;
        let listed = look.list(None, LISTED).await.map_err(trouble)?;
        let elsewhere = listed.entries.iter().filter_map(running_elsewhere);
        let mine: Vec<String> = sight.running.iter().map(|run| run.id.clone()).collect();
        sight.running.extend(elsewhere.filter(|run| !mine.contains(&run.id)));
        let (letters, _) = look.letters(LISTED, None).await.map_err(trouble)?;
        sight.letters = letters.iter().map(|letter| self.letter(letter)).collect();
        Ok(())
    }

    fn running_here(&self) -> Vec<Running> {
        let runs = self.pulse.running().into_iter().map(|run| Running {
            id: run.id,
            action: run.action.to_string(),
            session: run.session,
            since: Some(run.since),
            router: None,
        });
        runs.collect()
    }

    fn ended(&self) -> Vec<ShownEnd> {
        let beats = self.pulse.beats();
        let ended = beats.ended.iter().map(|end| ShownEnd {
            id: end.id.clone(),
            action: end.action.to_string(),
            session: end.session.clone(),
            at: end.at,
            status: end.status.to_owned(),
            message: end.message.as_deref().map(printable),
        });
        ended.collect()
    }

    async fn questions(&self, places: &[StorePlace]) -> Result<Vec<ShownQuestion>, Trouble> {
        let waiting = owner::waiting(places).await.map_err(trouble)?;
        let mut shown = Vec::new();
        for asking in waiting {
            let grant = self.preview(&asking).await;
            let Asking { id, parked, .. } = asking;
            let text = parked.shown(&id, owner::now());
            let brief = text.get("brief").and_then(|brief| brief.as_str()).unwrap_or_default();
            shown.push(ShownQuestion {
                message_id: parked.command.message_id.to_string(),
                brief: self.secrets.redact(brief),
                exact: self.secrets.redact(&parked.question),
                digest: short(&parked.digest),
                session: key_of(&parked.command).to_owned(),
                until: parked.until,
                wants_code: parked.code.is_some(),
                wants_pin: parked.pin,
                grant,
                id,
            });
        }
        self.previews().retain(|id, _| shown.iter().any(|question| question.id == *id));
        Ok(shown)
    }

    /// What `always` would allow, and would have allowed in the last 30 days: read once for each question.
    async fn preview(&self, asking: &Asking) -> Option<String> {
        let scope = asking.parked.grant.clone()?;
        if let Some(known) = self.previews().get(&asking.id) {
            return Some(known.clone());
        }
        let (folder, now, words) = (self.home.router_audit(), owner::now(), scope.to_string());
        let read = tokio::task::spawn_blocking(move || audit::preview(&folder, &scope, now)).await;
        let told = match read {
            Ok(Ok(counts)) => audit::previewed(&words, counts),
            _ => words,
        };
        let told = self.secrets.redact(&told);
        self.previews().insert(asking.id.clone(), told.clone());
        Some(told)
    }

    // A std mutex, because it is never held across an await. Poisoned, the texts are still whole.
    fn previews(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.previews.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn skills(&self) -> Vec<ShownSkill> {
        let failed = self.pulse.beats().failed.clone();
        let skills = self.catalog.shown().into_iter().map(|(skill, off)| ShownSkill {
            name: skill.name().to_string(),
            about: printable(&skill.card.instruction),
            effect: skill.effect().to_string(),
            reads: skill.card.reads.to_string(),
            hosts: skill.hosts.iter().map(ToString::to_string).collect(),
            digest: skill.digest.to_string(),
            off,
            failed: failed.get(skill.name()).map(|(at, why)| (*at, printable(why))),
        });
        skills.collect()
    }

    fn letter(&self, letter: &Letter) -> ShownLetter {
        let dead = &letter.dead;
        let reason = serde_json::json!(dead.reason).as_str().unwrap_or_default().to_owned();
        ShownLetter {
            name: letter.name.as_str().to_owned(),
            action: printable(dead.action.as_deref().unwrap_or("-")),
            reason,
            message: printable(&self.secrets.redact(&dead.message)),
            at: dead.at,
            attempts: dead.attempts,
            may_have_run: letter.may_have_run(),
        }
    }
}

async fn stops(places: &[StorePlace]) -> Vec<Stop> {
    let mut stops = Vec::new();
    for place in places {
        let why = owner::is_thrown(place).await.map(|stopped| stopped.message);
        stops.push(Stop { place: place.name.clone(), why });
    }
    stops
}

fn running_elsewhere(entry: &Entry) -> Option<Running> {
    let router = entry.router.as_ref()?;
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let from = router.char_indices().rev().nth(TOLD_OF_ROUTER - 1).map_or(0, |(at, _)| at);
    Some(Running {
        id: known(&entry.id),
        action: printable(&known(&entry.action)),
        session: printable(&known(&entry.session)),
        since: None,
        router: Some(router[from..].to_owned()),
    })
}

async fn traffic(places: &[StorePlace]) -> Result<Vec<ShownTraffic>, Trouble> {
    let mut all = Vec::new();
    for place in places {
        let rows = TrafficBook::new(&place.store).rows().await.map_err(trouble)?;
        all.extend(rows.into_iter().map(|(skill, host, traffic)| ShownTraffic {
            skill,
            host: printable(&host),
            since: traffic.since,
            last: traffic.last,
            allowed: traffic.allowed,
            refused: traffic.refused,
            sent: traffic.sent,
            received: traffic.received,
        }));
    }
    Ok(ShownTraffic::merged(all))
}

async fn grants(places: &[StorePlace]) -> Result<Vec<ShownGrant>, Trouble> {
    let held = owner::held(places).await.map_err(trouble)?;
    let shown = held.into_iter().map(|(_, grant)| ShownGrant {
        what: grant.scope.to_string(),
        until: Millis(grant.until.0),
        used: grant.used,
        times: grant.times,
        by: grant.given_by.to_string(),
        session: grant.scope.session.map_or_else(|| "-".to_owned(), |session| session.to_string()),
        id: grant.id,
    });
    Ok(shown.collect())
}
