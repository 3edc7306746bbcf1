//! One attack, first without the sandbox and then in it.
#![expect(clippy::disallowed_types, reason = "this is where the sandbox makes its processes")]

use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use uuid::Uuid;

use super::attack::{Answer, Attack, Proof};
use super::report::{Finding, Verdict};
use super::stage::{NAME, Order};
use super::target::Target;
use crate::runner::gate::Gate;
use crate::sandbox::{Job, Launcher, Program, RunError, SelfCommand};

/// How long an attack may take that should end by itself.
const ENOUGH: Duration = Duration::from_secs(20);

/// How long one is watched that should not.
const A_WHILE: Duration = Duration::from_secs(2);

/// How long processes that were killed may take to be gone.
const GONE: Duration = Duration::from_secs(2);

/// What all trials share.
pub(super) struct Trial<'a> {
    pub(super) me: &'a SelfCommand,
    pub(super) launcher: &'a Launcher,
    /// What every attack's job is made of.
    pub(super) job: Job,
    pub(super) gate: &'a Gate,
    pub(super) target: &'a Target,
}

impl Trial<'_> {
    /// Runs `attack` both ways.
    pub(super) async fn of(&self, attack: &Attack) -> Finding {
        let held = if attack.waits {
            let (works, held) = tokio::join!(self.works(attack), self.is_held(attack));
            works.map(|()| held)
        } else {
            match self.works(attack).await {
                Ok(()) => Ok(self.is_held(attack).await),
                Err(why) => Err(why),
            }
        };
        let (verdict, happened) = held.unwrap_or_else(|why| {
            (Verdict::NotTried, format!("without the sandbox, too, it fails: {why}"))
        });
        Finding { attack: attack.name, verdict, tried: attack.tried, happened }
    }

    /// Whether it succeeds without the sandbox; if not, why.
    async fn works(&self, attack: &Attack) -> Result<(), String> {
        let name = name();
        let outside = tokio::time::timeout(time(attack), self.outside(attack, &name)).await;
        let left = end_all(&running(&name));
        match (attack.proof, outside) {
            (Proof::GoesOn, Err(_)) => Ok(()),
            (_, Err(_)) => Err("it does not end".to_owned()),
            (_, Ok(Err(error))) => Err(error.to_string()),
            (Proof::Floods, Ok(Ok(output))) if output.len() > self.job.limits.output_bytes => {
                Ok(())
            }
            (proof, Ok(Ok(output))) => match answer(&output) {
                Answer::Got(_) if proof == Proof::Answers || left > 0 => Ok(()),
                Answer::Got(how) => Err(format!("{how}, and that was all")),
                Answer::Refused(why) | Answer::Moot(why) => Err(why),
            },
        }
    }

    async fn outside(&self, attack: &Attack, name: &str) -> io::Result<Vec<u8>> {
        let place = tempfile::tempdir()?;
        let mut child = Command::new(&self.me.exe)
            .args(&self.me.prefix)
            .args(["skill", name])
            .current_dir(place.path())
            .process_group(0)
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(&self.order(attack, true)?).await?;
        }
        Ok(child.wait_with_output().await?.stdout)
    }

    fn order(&self, attack: &Attack, outside: bool) -> io::Result<Vec<u8>> {
        let target = Target { outside, ..self.target.clone() };
        Ok(serde_json::to_vec(&Order { attack: attack.name.to_owned(), target })?)
    }

    /// Whether the sandbox holds it, and what happened.
    async fn is_held(&self, attack: &Attack) -> (Verdict, String) {
        let order = match self.order(attack, false) {
            Ok(order) => order,
            Err(error) => return (Verdict::NotTried, error.to_string()),
        };
        let name = name();
        let mut job = Job { program: Program::Builtin(name.clone()), ..self.job.clone() };
        job.limits.wall = time(attack);
        job.net = attack.with_gate.then(|| self.gate.socket());
        let ended = self.launcher.once(&job, &order, Path::new("/dev/null")).await;
        let left = still_running(&name).await;
        if left > 0 {
            return (Verdict::Leaked, format!("{left} processes outlived it"));
        }
        judge(attack.proof, ended)
    }
}

/// What an end in the sandbox means, when nothing outlived it.
fn judge(proof: Proof, ended: Result<Vec<u8>, RunError>) -> (Verdict, String) {
    match (proof, ended) {
        (Proof::GoesOn, Err(error @ RunError::TimedOut { .. }))
        | (Proof::Floods, Err(error @ RunError::TooMuchOutput { .. }))
        | (Proof::Answers, Err(error @ RunError::Killed { signal: Signal::SIGXFSZ, .. })) => {
            (Verdict::Contained, error.to_string())
        }
        (Proof::Floods, Ok(output)) => {
            (Verdict::Leaked, format!("it printed {} bytes", output.len()))
        }
        (proof, Ok(output)) => match answer(&output) {
            Answer::Got(_) if proof == Proof::Lingers => {
                (Verdict::Contained, "it was gone when its call ended".to_owned())
            }
            Answer::Got(how) => (Verdict::Leaked, how),
            Answer::Refused(why) => (Verdict::Contained, why),
            Answer::Moot(why) => (Verdict::NotTried, why),
        },
        (_, Err(error)) => (Verdict::NotTried, error.to_string()),
    }
}

fn answer(output: &[u8]) -> Answer {
    let unclear = |error| Answer::Moot(format!("it ended without a clear answer: {error}"));
    serde_json::from_slice(output).unwrap_or_else(unclear)
}

/// A name by which the processes of one attack can be found.
fn name() -> String {
    format!("{NAME}{}", Uuid::new_v4())
}

fn time(attack: &Attack) -> Duration {
    if attack.proof == Proof::GoesOn { A_WHILE } else { ENOUGH }
}

/// The processes of this machine that have `name` among their arguments.
fn running(name: &str) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let named = processes.filter(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == name.as_bytes())
    });
    named
        .filter_map(|process| process.file_name().to_str()?.parse().ok().map(Pid::from_raw))
        .collect()
}

/// How many are still there once those that were killed had time to go; these are ended.
async fn still_running(name: &str) -> usize {
    let start = Instant::now();
    while !running(name).is_empty() && start.elapsed() < GONE {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    end_all(&running(name))
}

/// Ends them; how many there were.
fn end_all(processes: &[Pid]) -> usize {
    for process in processes {
        // One that has just ended is what is wanted.
        let _ = kill(*process, Signal::SIGKILL);
    }
    processes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_or_the_right_end_is_contained() {
        let verdict = |proof, text: &str| judge(proof, Ok(text.as_bytes().to_vec())).0;
        assert_eq!(verdict(Proof::Answers, r#"{"got":"x"}"#), Verdict::Leaked);
        assert_eq!(verdict(Proof::Answers, r#"{"refused":"x"}"#), Verdict::Contained);
        assert_eq!(verdict(Proof::Answers, r#"{"moot":"x"}"#), Verdict::NotTried);
        assert_eq!(verdict(Proof::Answers, ""), Verdict::NotTried);
        assert_eq!(verdict(Proof::Floods, "xxx"), Verdict::Leaked);
        assert_eq!(verdict(Proof::Lingers, r#"{"got":"x"}"#), Verdict::Contained);
        let crashed = RunError::Exited { code: 101, last_stderr_line: String::new() };
        assert_eq!(judge(Proof::Answers, Err(crashed)).0, Verdict::NotTried);
        let late = || Err(RunError::TimedOut { after: A_WHILE });
        assert_eq!(judge(Proof::Answers, late()).0, Verdict::NotTried);
        assert_eq!(judge(Proof::GoesOn, late()).0, Verdict::Contained);
    }
}
