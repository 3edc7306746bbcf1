//! Which cases run, and what is said of them in the end.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::case::Case;
use crate::servers::WebServer;

/// Picks cases by the words on the command line. What other test programs understand is passed over.
#[derive(Debug, Default)]
pub(crate) struct Picks {
    pub(crate) list: bool,
    classes: Vec<String>,
    words: Vec<String>,
}

impl Picks {
    pub(crate) fn of(arguments: impl Iterator<Item = String>) -> Self {
        let mut picks = Self::default();
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => picks.list = true,
                "--class" => picks.classes.extend(arguments.next()),
                flag if flag.starts_with('-') => {}
                word => picks.words.push(word.to_owned()),
            }
        }
        picks
    }

    /// Whether this case is meant.
    pub(crate) fn take(&self, case: &Case) -> bool {
        let all = self.classes.is_empty() && self.words.is_empty();
        all || self.classes.contains(&case.class)
            || self.words.iter().any(|word| case.class.contains(word) || case.name.contains(word))
    }
}

/// What has become of the cases by now.
pub(crate) struct Report {
    begun: Instant,
    has_port_80: bool,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    attacks: usize,
    benign: usize,
    without_port: usize,
    failed: Vec<String>,
    slowest: Vec<(u128, String)>,
}

impl Default for Report {
    fn default() -> Self {
        let has_port_80 = WebServer::start_at_80().is_some();
        Self { begun: Instant::now(), has_port_80, told: Mutex::default() }
    }
}

impl Report {
    /// Runs a case, and takes down how it went.
    pub(crate) fn take(&self, case: &Case, run: impl FnOnce() -> Result<(), String>) {
        if case.needs_port_80() && !self.has_port_80 {
            self.told.lock().unwrap_or_else(PoisonError::into_inner).without_port += 1;
            return;
        }
        let begun = Instant::now();
        let result = run();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.slowest.push((begun.elapsed().as_millis(), case.name.clone()));
        match case.is_benign() {
            true => told.benign += 1,
            false => told.attacks += 1,
        }
        if let Err(why) = result {
            let (class, name, rules) = (&case.class, &case.name, &case.rule);
            println!("FAILED {class}: {name} (from {:?}, rules {rules:?})\n{why}\n", case.from);
            let leak = if why.contains("LEAK ") { " LEAK" } else { "" };
            told.failed.push(format!("{class}: {name}{leak}"));
        }
    }

    /// Says the numbers.
    pub(crate) fn finish(self) -> ExitCode {
        let mut told = self.told.into_inner().unwrap_or_else(PoisonError::into_inner);
        let seconds = self.begun.elapsed().as_secs_f64();
        let (attacks, benign) = (told.attacks, told.benign);
        told.slowest.sort_by(|one, other| other.cmp(one));
        let slowest: Vec<String> =
            told.slowest.iter().take(3).map(|(ms, name)| format!("{name} {ms} ms")).collect();
        println!("hostile: {attacks} attacks, {benign} benign controls, {seconds:.1} s");
        if told.without_port > 0 {
            let left_out = told.without_port;
            println!("{left_out} cases were left out: they listen on port 80, so run them as root");
        }
        println!("slowest: {}", slowest.join("; "));
        for name in &told.failed {
            println!("FAILED {name}");
        }
        if told.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
