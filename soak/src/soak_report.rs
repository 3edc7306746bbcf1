//! What a run has shown.

use std::fmt;
use std::time::Duration;

use crate::house::LASTING;
use crate::sampler::Sampler;
use crate::tally::{Count, LATE, Load};

/// By which part memory may grow in a run that is long enough to tell.
const MOST_GROWTH: f64 = 0.02;

/// A run that is shorter can't tell growth from chance. Nor can it show that the keys of Redis level off: what a command leaves there
/// ends after ten minutes, which have to be over before the second half of the time that counts.
const TELLING: Duration = Duration::from_secs(20 * 60);

/// How many descriptors more than after the warm-up are no growth: connections come and go.
const MORE_DESCRIPTORS: f64 = 8.0;

/// The same for keys of Redis without an end: each command that is under way has some.
const MORE_KEYS: f64 = 24.0;

/// By which part the keys of Redis may grow in the second half of a run where they level off.
const LEVEL: f64 = 0.05;

/// What a run has shown. It prints as tables.
#[derive(Debug)]
pub struct SoakReport {
    pub(crate) length: Duration,
    pub(crate) sampler: Sampler,
    pub(crate) counts: Vec<(Load, Count)>,
    /// How many processes were killed.
    pub(crate) kills: u64,
    /// What else went wrong, such as an audit log that is not whole.
    pub(crate) faults: Vec<String>,
}

impl SoakReport {
    /// Whether nothing was lost and nothing grew.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.all_faults().is_empty()
    }

    /// How much of everything was asked, and what of it has no answer.
    #[must_use]
    pub fn asked_and_lost(&self) -> (u64, u64) {
        let lost = |count: &Count| count.asked - count.answered;
        let sum = |of: fn(&Count) -> u64| self.counts.iter().map(|(_, count)| of(count)).sum();
        (sum(|count| count.asked), self.counts.iter().map(|(_, count)| lost(count)).sum())
    }

    /// What did not hold, in words.
    fn all_faults(&self) -> Vec<String> {
        let mut faults = self.faults.clone();
        for (load, count) in &self.counts {
            let load = load.words();
            match count {
                Count { asked: 0, .. } => faults.push(format!("there were no {load}")),
                Count { asked, answered, .. } if asked != answered => {
                    faults.push(format!("{load}: {} of {asked} were lost", asked - answered));
                }
                _ => {}
            }
            if count.twice > 0 {
                faults.push(format!("{load}: {} were told twice", count.twice));
            }
        }
        for name in LASTING {
            faults.extend(self.growth(name));
        }
        let (before, after) = (self.sampler.endless.first(), self.sampler.endless.last());
        if after > before + MORE_KEYS {
            faults.push(format!("Redis has {after} keys without an end after {before}"));
        }
        faults
    }

    fn growth(&self, name: &str) -> Vec<String> {
        let Some(figures) = self.sampler.processes.get(name) else {
            return vec![format!("{name} was never seen")];
        };
        let mut faults = Vec::new();
        let (before, after) = (figures.descriptors.first(), figures.descriptors.last());
        if after > before + MORE_DESCRIPTORS {
            faults.push(format!("{name} has {after} descriptors after {before}"));
        }
        let part = figures.memory.part();
        if self.length >= TELLING && part > MOST_GROWTH {
            faults.push(format!("the memory of {name} grew by {:.1} %", part * 100.0));
        }
        faults
    }

    fn asked(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let late = LATE.as_secs();
        writeln!(f, "| what | asked | answered | not ok | later than {late} s | lost | longest |")?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for (load, count) in &self.counts {
            let Count { asked, answered, not_ok, late, longest, .. } = count;
            let (load, lost, longest) = (load.words(), asked - answered, longest.as_secs_f64());
            writeln!(
                f,
                "| {load} | {asked} | {answered} | {not_ok} | {late} | {lost} | {longest:.1} s |"
            )?;
        }
        Ok(())
    }

    fn held(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| process | MB after the warm-up | at the end | most | MB an hour | in the second half | descriptors | at the end |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        for (name, figures) in &self.sampler.processes {
            let (memory, open) = (&figures.memory, &figures.descriptors);
            let slope = match LASTING.contains(name) {
                true => format!("{:+.2} | {:+.2}", memory.an_hour(), memory.an_hour_late()),
                // It begins anew after each kill.
                false => "- | -".to_owned(),
            };
            let (first, last, most) = (memory.first(), memory.last(), memory.most());
            let (before, after) = (open.first(), open.last());
            writeln!(
                f,
                "| {name} | {first:.1} | {last:.1} | {most:.1} | {slope} | {before} | {after} |"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for SoakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:.1} minutes, {} kills\n", self.length.as_secs_f64() / 60.0, self.kills)?;
        self.asked(f)?;
        writeln!(f)?;
        self.held(f)?;
        let Sampler { keys, endless, redis_memory, disk, .. } = &self.sampler;
        writeln!(
            f,
            "\n| | after the warm-up | at the end | most | an hour | in the second half |\n|---|---|---|---|---|---|"
        )?;
        for (name, series) in [
            ("keys in Redis", keys),
            ("those without an end", endless),
            ("MB in Redis", redis_memory),
            ("MB of the homes on the disk", disk),
        ] {
            let (first, last, most) = (series.first(), series.last(), series.most());
            let (an_hour, late) = (series.an_hour(), series.an_hour_late());
            writeln!(
                f,
                "| {name} | {first:.1} | {last:.1} | {most:.1} | {an_hour:+.1} | {late:+.1} |"
            )?;
        }
        let told = match (self.length >= TELLING, keys.part_late() < LEVEL) {
            (true, true) => "The keys in Redis level off.",
            (true, false) => "The keys in Redis do not level off in this time.",
            (false, _) => {
                "Whether the keys in Redis level off takes 20 minutes to tell: each command leaves some there for ten."
            }
        };
        writeln!(f, "\n{told}")?;
        let faults = self.all_faults();
        if faults.is_empty() {
            return writeln!(f, "\nNothing was lost, and the audit logs are whole.");
        }
        faults.iter().try_for_each(|fault| writeln!(f, "\nFAIL: {fault}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(minutes: u64) -> SoakReport {
        let mut sampler = Sampler::default();
        for at in 0..10u32 {
            for name in LASTING {
                let figures = sampler.processes.entry(name).or_default();
                figures.memory.add(f64::from(at), 10.0);
                figures.descriptors.add(f64::from(at), 20.0);
            }
            sampler.endless.add(f64::from(at), 5.0);
        }
        let count = Count { asked: 1, answered: 1, ..Count::default() };
        SoakReport {
            length: Duration::from_secs(minutes * 60),
            sampler,
            counts: Load::ALL.map(|load| (load, count)).into(),
            kills: 0,
            faults: Vec::new(),
        }
    }

    #[test]
    fn each_fault_is_told_and_nothing_else_is_one() {
        assert!(report(30).holds(), "{}", report(30));
        let fault = |change: fn(&mut SoakReport)| {
            let mut report = report(30);
            change(&mut report);
            let faults = report.all_faults();
            assert!(
                !report.holds() && report.to_string().contains(&format!("FAIL: {}", faults[0]))
            );
            faults.join("; ")
        };
        let told = [
            fault(|it| it.counts[1].1.asked = 3),
            fault(|it| it.counts[0].1 = Count::default()),
            fault(|it| it.counts[3].1.twice = 1),
            fault(|it| it.faults.push("the audit of wall is not whole".to_owned())),
            fault(|it| drop(it.sampler.processes.remove("safeclaw"))),
            fault(|it| figures(it).descriptors.add(10.0, 29.0)),
            fault(|it| figures(it).memory.add(10.0, 12.0)),
            fault(|it| it.sampler.endless.add(10.0, 30.0)),
        ];
        assert_eq!(
            told,
            [
                "turns with the model: 2 of 3 were lost",
                "there were no commands of programs, on the queue",
                "reminders: 1 were told twice",
                "the audit of wall is not whole",
                "safeclaw was never seen",
                "agent on Redis has 29 descriptors after 20",
                "the memory of agent on Redis grew by 10.7 %",
                "Redis has 30 keys without an end after 5",
            ]
        );
    }

    fn figures(report: &mut SoakReport) -> &mut crate::sampler::Figures {
        report.sampler.processes.get_mut("agent on Redis").unwrap()
    }

    #[test]
    fn keys_level_off_once_as_many_end_as_come_and_a_short_run_does_not_tell() {
        let told = |minutes: u32, keys: fn(f64) -> f64| {
            let mut report = report(minutes.into());
            let looks = (0..minutes * 6).map(|at| f64::from(at) * 10.0);
            looks.for_each(|second| report.sampler.keys.add(second, keys(second)));
            let told = report.to_string();
            told.lines()
                .find(|line| {
                    line.contains("keys in Redis level") || line.contains("keys in Redis do")
                })
                .unwrap()
                .to_owned()
        };
        let ending = |second: f64| 10.0 * second.min(600.0) + second % 3.0;
        assert_eq!(told(30, ending), "The keys in Redis level off.");
        // Level from the warm-up on.
        assert_eq!(told(120, ending), "The keys in Redis level off.");
        let endless = |second: f64| 10.0 * second;
        assert_eq!(told(30, endless), "The keys in Redis do not level off in this time.");
        assert!(told(6, ending).contains("takes 20 minutes to tell"));
    }

    #[test]
    fn a_short_run_can_not_tell_growth_from_chance() {
        let mut report = report(1);
        figures(&mut report).memory.add(10.0, 12.0);
        assert!(report.holds(), "{report}");
    }
}
