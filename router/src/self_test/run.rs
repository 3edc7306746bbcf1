//! All attacks: those that wait, at the same time, and then the others, one after the other.

use std::fs;
use std::io;

use futures::future::join_all;
use home::Home;
use protocol::Object;
use secrets::Secrets;

use super::attack::ATTACKS;
use super::report::{Finding, Report, Verdict};
use super::target::Targets;
use super::trial::Trial;
use crate::catalog::{self, Found};
use crate::config::RouterConfig;
use crate::runner::{self, gate::Gates};
use crate::sandbox::{Launcher, Level, SelfCommand};

/// The manifest of the skill that the attacks run as: nothing but a host, for which the gate opens.
const MANIFEST: &str = r#"
name = "SANDBOX_TEST"
instruction = "Attack the sandbox."
effect = "external"
reads = "none"
builtin = "hello_world"
params = {}
net = { hosts = ["sandbox-test.invalid"] }
"#;

/// Runs every attack in the sandbox of this machine. `me` is how the router starts its own binary again, and
/// files below `home` and the owner's own folder are made to be read, and removed.
///
/// # Errors
/// When what is to be attacked can't be made.
pub async fn run(home: &Home, me: &SelfCommand) -> io::Result<Report> {
    let launcher = Launcher::open(me.clone(), &std::env::temp_dir()).await?;
    if launcher.found().level == Level::Nothing {
        let findings = ATTACKS.iter().map(|attack| Finding {
            attack: attack.name,
            verdict: Verdict::NotTried,
            tried: attack.tried,
            happened: "no skill can run on this machine".to_owned(),
        });
        return Ok(Report::new(launcher.found(), findings.collect()));
    }
    let folder = tempfile::tempdir()?;
    let place = folder.path().join("sandbox_test");
    fs::create_dir(&place)?;
    fs::write(place.join("skill.toml"), MANIFEST)?;
    let mut found = catalog::scan(folder.path(), &RouterConfig::default(), &Found::default());
    let Some((_, skill)) = found.skills.pop_first() else {
        return Err(io::Error::other(format!("its own skill is refused: {:?}", found.broken)));
    };
    let gates = Gates::new(Secrets::default());
    let gate = gates.open(&skill, &Object::new()).await;
    let gate = gate.map_err(|stopped| io::Error::other(stopped.message))?;
    let job = runner::job(&skill, None, skill.timeout);
    let targets = Targets::make(home, me, (launcher.found().level, &job.limits)).await?;
    let trial = Trial { me, launcher: &launcher, job, gate: &gate, target: &targets.target };
    let waiting = ATTACKS.iter().filter(|attack| attack.waits).map(|attack| trial.of(attack));
    let mut waited = join_all(waiting).await.into_iter();
    let mut findings = Vec::new();
    for attack in ATTACKS {
        let held = if attack.waits { waited.next() } else { Some(trial.of(attack).await) };
        findings.extend(held);
    }
    Ok(Report::new(launcher.found(), findings))
}
