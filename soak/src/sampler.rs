//! What processes hold, and what Redis and the homes have grown to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::series::Series;

/// The figures of one process: its memory in MB (10^6 bytes, proportional set size), and its descriptors.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) memory: Series,
    pub(crate) descriptors: Series,
}

/// All figures of a run.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    /// By the name of the process, in the order of names.
    pub(crate) processes: BTreeMap<&'static str, Figures>,
    /// All keys of Redis.
    pub(crate) keys: Series,
    /// Those of them that have no end set.
    pub(crate) endless: Series,
    /// What Redis holds, in MB.
    pub(crate) redis_memory: Series,
    /// What all homes take on the disk, in MB.
    pub(crate) disk: Series,
}

impl Sampler {
    /// Looks at a process. One that has just been killed is left out.
    pub(crate) fn process(&mut self, name: &'static str, id: u32, second: f64) {
        let Some((memory, descriptors)) = held(id).zip(descriptors(id)) else { return };
        let figures = self.processes.entry(name).or_default();
        figures.memory.add(second, memory);
        figures.descriptors.add(second, descriptors);
    }

    /// Takes in what `INFO keyspace memory` has told.
    pub(crate) fn redis(&mut self, told: &str, second: f64) {
        let line = |name: &str| told.lines().find_map(|line| line.strip_prefix(name));
        if let Some(bytes) = line("used_memory:").and_then(number) {
            self.redis_memory.add(second, bytes / 1e6);
        }
        // `db0:keys=12,expires=4,avg_ttl=118000`; no such line while there is no key.
        let fields = line("db0:").unwrap_or("keys=0,expires=0");
        let field = |name: &str| {
            let mut fields = fields.split(',');
            fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('=')).and_then(number)
        };
        if let (Some(keys), Some(ending)) = (field("keys"), field("expires")) {
            self.keys.add(second, keys);
            self.endless.add(second, keys - ending);
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

/// What process `id` has made for itself, in MB: its anonymous memory. The pages of its files are shared with the processes that come and go,
/// and the kernel takes them back when it likes.
fn held(id: u32) -> Option<f64> {
    let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss_Anon:"))?;
    let kib: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1_024.0 / 1e6)
}

/// How many descriptors process `id` has open.
fn descriptors(id: u32) -> Option<f64> {
    Some(fs::read_dir(format!("/proc/{id}/fd")).ok()?.count() as f64)
}

/// What the files below `folder` take, in MB.
pub(crate) fn disk(folder: &Path) -> f64 {
    let (mut bytes, mut open) = (0, vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => open.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                // It was removed meanwhile.
                Err(_) => {}
            }
        }
    }
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_redis_tells_is_read() {
        let mut sampler = Sampler::default();
        sampler.redis("# Memory\r\nused_memory:1500000\r\n# Keyspace\r\ndb0:keys=12,expires=4,avg_ttl=0,subexpiry=0\r\n", 1.0);
        let seen = [&sampler.redis_memory, &sampler.keys, &sampler.endless].map(Series::last);
        assert_eq!(seen, [1.5, 12.0, 8.0]);
        sampler.redis("used_memory:1500000", 2.0);
        assert_eq!(sampler.keys.last(), 0.0);
    }

    #[test]
    fn a_process_that_is_gone_leaves_no_figure() {
        let mut sampler = Sampler::default();
        sampler.process("this", std::process::id(), 1.0);
        sampler.process("none", u32::MAX, 1.0);
        assert_eq!(sampler.processes.keys().collect::<Vec<_>>(), [&"this"]);
        assert!(sampler.processes["this"].memory.last() > 0.0);
    }
}
