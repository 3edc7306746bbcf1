//! This router's numbers for Prometheus. Labels hold names of skills, lanes and statuses alone, which are few.

use metrics::Text;
use window::Trouble;

use super::{Desk, trouble};

impl Desk {
    pub(super) async fn numbers(&self) -> Result<String, Trouble> {
        let mut text = Text::default();
        let version: &[(&str, &str)] = &[("version", env!("CARGO_PKG_VERSION"))];
        text.gauge("safeclaw_router_info", "The router's version.", &[(version, 1.0)]);
        self.add_own(&mut text);
        let sight = self.see().await?;
        let one = |value: usize| [(&[] as metrics::Labels<'_>, value as f64)];
        let stopped = sight.stops.iter().filter(|stop| stop.why.is_some()).count();
        text.gauge("safeclaw_router_stopped", "Places whose kill switch is thrown.", &one(stopped));
        let waiting = sight.questions.len();
        text.gauge("safeclaw_router_questions", "Questions that wait for a person.", &one(waiting));
        text.gauge("safeclaw_router_grants", "Grants that count.", &one(sight.grants.len()));
        let off = sight.skills.iter().filter(|skill| skill.off.is_some()).count();
        let skills: [(metrics::Labels<'_>, f64); 2] = [
            (&[("state", "on")], (sight.skills.len() - off) as f64),
            (&[("state", "off")], off as f64),
        ];
        text.gauge("safeclaw_router_skills", "Skills, by whether they may run.", &skills);
        let sum =
            |of: fn(&window::ShownTraffic) -> u64| sight.traffic.iter().map(of).sum::<u64>() as f64;
        let bytes: [(metrics::Labels<'_>, f64); 2] = [
            (&[("direction", "sent")], sum(|row| row.sent)),
            (&[("direction", "received")], sum(|row| row.received)),
        ];
        text.counter("safeclaw_router_net_bytes_total", "Bytes between skills and hosts.", &bytes);
        self.add_queue(&mut text).await?;
        Ok(text.finish())
    }

    /// What this router counts itself.
    fn add_own(&self, text: &mut Text) {
        let beats = self.pulse.beats();
        let ends: Vec<_> =
            beats.counts.iter().map(|(status, n)| ([("status", *status)], *n)).collect();
        let ends: Vec<(metrics::Labels<'_>, f64)> =
            ends.iter().map(|(labels, n)| (labels.as_slice(), *n as f64)).collect();
        let name = "safeclaw_router_commands_total";
        text.counter(name, "Commands that this router has answered, by status.", &ends);
        let times: Vec<_> =
            beats.times.iter().map(|(action, t)| ([("action", action.as_str())], t)).collect();
        let of =
            |value: fn(&(u64, std::time::Duration)) -> f64| -> Vec<(metrics::Labels<'_>, f64)> {
                times.iter().map(|(labels, time)| (labels.as_slice(), value(time))).collect()
            };
        let seconds = of(|(_, time)| time.as_secs_f64());
        let name = "safeclaw_router_run_seconds_total";
        text.counter(name, "How long skills have run, by action.", &seconds);
        let runs = of(|(count, _)| *count as f64);
        text.counter("safeclaw_router_runs_total", "How often skills have run, by action.", &runs);
        drop(beats);
        let running = self.pulse.running().len() as f64;
        text.gauge("safeclaw_router_running", "Commands that run here.", &[(&[], running)]);
    }

    /// What the queue on Redis counts.
    async fn add_queue(&self, text: &mut Text) -> Result<(), Trouble> {
        let Some(look) = self.looked().await else { return Ok(()) };
        let Ok(look) = look else { return Ok(()) };
        let standing = look.standing().await.map_err(trouble)?;
        let lanes: Vec<_> = standing
            .lanes
            .iter()
            .map(|lane| ([("lane", lane.lane.as_str())], lane.waiting))
            .collect();
        let lanes: Vec<(metrics::Labels<'_>, f64)> =
            lanes.iter().map(|(labels, n)| (labels.as_slice(), *n as f64)).collect();
        text.gauge("safeclaw_queue_waiting", "Commands that wait, by lane.", &lanes);
        let in_hand = standing.in_hand as f64;
        text.gauge("safeclaw_queue_in_hand", "Commands in routers' hands.", &[(&[], in_hand)]);
        let alive = look.routers_alive() as f64;
        text.gauge("safeclaw_queue_routers", "Routers that live.", &[(&[], alive)]);
        let dead = standing.dead_letters as f64;
        text.gauge("safeclaw_queue_dead_letters", "Commands that were given up.", &[(&[], dead)]);
        Ok(())
    }
}
