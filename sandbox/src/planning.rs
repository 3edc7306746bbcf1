//! Turns a job into a plan: how the host's paths look from inside, and what every skill is given.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use super::job::Stay;
use super::probe::Found;
use super::stage::{INIT, LAUNCH, PORT, Plan};
use super::{Job, Lent, Level, Limits, Program, RunError, SelfCommand};

/// Where a skill finds its folder, the router's binary and its scratch directory in namespaces.
const SKILL: &str = "/skill";
const ROUTER: &str = "/router";
const WORK: &str = "/work";

/// Whether `job` may run at `level` at all.
pub(super) fn allowed(level: Level, job: &Job, found: &Found) -> Result<(), RunError> {
    let lacks = match level {
        Level::Nothing => "nothing on this machine can hold it in",
        Level::LandlockOnly if job.net.is_some() => {
            "its network could not be kept to the declared hosts, which takes namespaces"
        }
        Level::LandlockOnly if job.lent.iter().any(|lent| !lent.hidden.is_empty()) => {
            "what paths.denied names in an open folder could not be hidden, which takes namespaces"
        }
        Level::LandlockOnly | Level::Namespaces => return Ok(()),
    };
    Err(RunError::Refused { why: [lacks, &found.reasons.join("; ")].join(": ") })
}

/// A job that starts nothing, to try the sandbox. Something that is there must stand for its folder.
pub(super) fn nothing(folder: &Path) -> Job {
    Job {
        program: Program::Command(Vec::new()),
        folder: folder.to_owned(),
        lent: Vec::new(),
        env: Vec::new(),
        mark: String::new(),
        limits: Limits::default(),
        net: None,
    }
}

/// The arguments that start the first stage.
pub(super) fn launch(me: &SelfCommand) -> Vec<String> {
    [me.prefix.as_slice(), &[LAUNCH.to_owned()]].concat()
}

/// What one job is given of the host.
pub(super) struct Place {
    /// How the skill is held in.
    pub(super) level: Level,
    /// The router's own binary, where the user who runs skills can read it.
    pub(super) me: SelfCommand,
    /// The skill's folder, likewise.
    pub(super) folder: PathBuf,
    /// The scratch directory, unless the skill gets a file system for it.
    pub(super) scratch: Option<PathBuf>,
}

/// The plan for `job` in `place`, but for what belongs to the router's process.
pub(super) fn plan(place: &Place, job: &Job, stay: Stay) -> Plan {
    let (exe, prefix) = (&place.me.exe, &place.me.prefix);
    let (seen_folder, seen_exe) = match place.level {
        Level::Namespaces => (Path::new(SKILL), Path::new(ROUTER)),
        _ => (place.folder.as_path(), exe.as_path()),
    };
    let builtin = matches!(job.program, Program::Builtin(_));
    Plan {
        level: place.level,
        token: String::new(),
        alive: -1,
        again: [launch(&place.me).as_slice(), &[INIT.to_owned()]].concat(),
        folder: place.folder.clone(),
        lent: job.lent.clone(),
        exe: builtin.then(|| exe.clone()),
        scratch: place.scratch.clone(),
        net: job.net.clone(),
        program: program(&job.program, seen_folder, seen_exe, prefix),
        env: environment(job, place),
        limits: job.limits.clone(),
        cpu_seconds: (stay == Stay::Once).then(|| cpu_seconds(&job.limits)),
    }
}

fn program(program: &Program, folder: &Path, exe: &Path, prefix: &[String]) -> Vec<String> {
    match program {
        Program::Builtin(name) => {
            let call = ["skill".to_owned(), name.clone()];
            [&[exe.display().to_string()], prefix, &call].concat()
        }
        Program::Command(command) => {
            let mut command = command.clone();
            // `join` leaves an absolute path as it is.
            if let Some(first) = command.first_mut().filter(|first| first.contains('/')) {
                *first = folder.join(first.trim_start_matches("./")).display().to_string();
            }
            command
        }
    }
}

fn environment(job: &Job, place: &Place) -> Vec<(String, String)> {
    let scratch = place.scratch.as_deref().unwrap_or(Path::new(WORK)).display().to_string();
    let mut env = vec![
        ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("HOME", scratch.clone()),
        ("TMPDIR", scratch),
        ("LANG", "C.UTF-8".to_owned()),
    ];
    if job.net.is_some() {
        let proxy = format!("http://127.0.0.1:{PORT}");
        let names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
        env.extend(names.map(|name| (name, proxy.clone())));
    }
    let given = env.into_iter().map(|(name, value)| (name.to_owned(), value));
    let lent = Lent::variables(&job.lent, place.level);
    given.chain(lent).chain(job.env.iter().cloned()).collect()
}

/// What all processors together can do in the time of the call: it only ever counts when the router, which
/// holds the time itself, is stopped.
fn cpu_seconds(limits: &Limits) -> u64 {
    let processors = available_parallelism().map_or(1, |count| count.get() as u64);
    (limits.wall.as_secs() + 1).saturating_mul(processors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let exe = Path::new("/router");
        program(&Program::Command(words), Path::new("/skill"), exe, &["router".to_owned()])
    }

    #[test]
    fn programs_are_looked_for_in_the_skills_folder() {
        assert_eq!(command(&["./run", "./x"]), ["/skill/run", "./x"]);
        assert_eq!(command(&["bin/run"]), ["/skill/bin/run"]);
        assert_eq!(command(&["/usr/bin/env", "sh"]), ["/usr/bin/env", "sh"]);
        assert_eq!(command(&["python3", "/skill/main.py"]), ["python3", "/skill/main.py"]);
    }

    #[test]
    fn a_builtin_is_the_routers_own_binary() {
        let builtin = Program::Builtin("hello".to_owned());
        let prefix = ["router".to_owned()];
        let words = program(&builtin, Path::new("/skill"), Path::new("/router"), &prefix);
        assert_eq!(words, ["/router", "router", "skill", "hello"]);
    }
}
