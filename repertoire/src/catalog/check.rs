//! From a folder to a [`Skill`]: reads skill.toml and checks that manifest and folder hold together.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use egress::HostPattern;
use protocol::{ActionCard, ActionName, Effect, Object};
use sandbox::Program;
use serde_json::Value;

use super::bounds::limits;
use super::brings::Brings;
use super::folder::folders;
use super::manifest::Manifest;
use super::marks::Marks;
use super::params::Params;
use super::portrait::Portrait;
use super::process::Process;
use super::reach::{Reach, allow_private, reach, settings, unset};
use super::skill::Skill;
use super::span;
use super::walk::left_out;
use crate::config::RouterConfig;
use crate::defaults;
use crate::digest::Digest;

/// How long a call may take when the manifest does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);

/// The largest skill.toml, in bytes.
const MAX_MANIFEST: u64 = 64 * 1024;

/// Why a folder is no skill: the file, the key, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", printable(&file.display().to_string()), printable(why))]
pub struct SkillError {
    /// The file or folder that is at fault.
    pub file: PathBuf,
    /// What is wrong with it and what mends it.
    pub why: String,
}

/// `text` without anything that a terminal would act on: it comes from whoever wrote the skill. Line breaks
/// of an explanation stay, indented.
pub fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => "\n  ".to_owned(),
        c if c.is_control() || legible::turns(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// What a look at a folder brought.
pub(super) struct Looked {
    /// As in [`Skill`].
    pub(super) fingerprint: [u8; 32],
    /// As in [`Skill`].
    pub(super) stamp: [u8; 32],
    /// As in [`Skill`].
    pub(super) written: SystemTime,
    /// What its files hold.
    pub(super) portrait: Portrait,
}

/// Reads and checks the skill in `folder`, whose digest is that of what was `looked` at.
///
/// # Errors
/// [`SkillError`] for the first thing that is wrong.
pub(super) fn check(
    folder: &Path,
    owner: &RouterConfig,
    looked: &Looked,
) -> Result<Skill, SkillError> {
    let file = folder.join("skill.toml");
    let fault = |why: String| SkillError { file: file.clone(), why };
    let text = read(&file).map_err(fault)?;
    // What is checked here has to be what the digest stands for.
    if looked.portrait.digest_of("skill.toml") != Some(Digest::of(text.as_bytes())) {
        return Err(fault("it is a link, or changed while it was read".to_owned()));
    }
    let first_party = defaults::is_first_party(&text);
    let manifest: Manifest =
        toml::from_str(&text).map_err(|error| fault(error.to_string().trim_end().to_owned()))?;
    check_name(folder, &manifest).map_err(fault)?;
    check_params(&manifest).map_err(fault)?;
    let process = Process::of(&manifest).map_err(fault)?;
    let config = &process.wishes(manifest.name.as_str(), &owner.skills);
    let program = program(folder, &manifest).map_err(fault)?;
    let settings = settings(&manifest, config).map_err(fault)?;
    let unset = unset(&manifest, &settings).map_err(fault)?;
    // It reaches nothing as long as it is off.
    let reached = if unset.is_some() { Ok(Reach::default()) } else { reach(&manifest, &settings) };
    let (hosts, secrets) = reached.map_err(fault)?;
    if !config.any_host && !first_party {
        check_hosts(&hosts, &manifest.name).map_err(fault)?;
    }
    let limits = limits(&manifest.limits, &owner.limits).map_err(fault)?;
    // Two processes of one program of ours share its data.
    let ours = manifest.builtin.as_deref().filter(|_| first_party).unwrap_or(&process.name);
    let folders = folders(&manifest.folders, config, &data(folder, ours)).map_err(fault)?;
    let timeout = timeout(manifest.timeout.as_deref()).map_err(fault)?;
    let (card, marks) = card(&manifest, timeout).map_err(fault)?;
    let skill = Skill {
        folder: folder.to_owned(),
        program,
        mode: manifest.mode,
        process,
        timeout,
        limits,
        folders,
        idempotent: manifest
            .idempotent
            .unwrap_or(matches!(manifest.effect, Effect::None | Effect::Local)),
        summary: manifest.summary,
        shows: manifest.shows,
        settings,
        unset,
        hosts,
        secrets,
        allow_private: allow_private(config).map_err(fault)?,
        dry_run: config.dry_run,
        disabled: !config.enabled,
        params: Params::new(card.params_schema()),
        // What else lies in its folder nobody has compiled in.
        first_party: first_party && looked.portrait.files.len() == 1,
        digest: looked.portrait.digest(),
        fingerprint: looked.fingerprint,
        stamp: looked.stamp,
        written: looked.written,
        card,
        marks,
    };
    if !first_party {
        skill.process.check_is_free(skill.name(), &skill.program).map_err(fault)?;
        check_schema(&skill).map_err(fault)?;
    }
    Ok(skill)
}

/// Where its own data lies: `router/data/<name>`, beside router/skills.
fn data(folder: &Path, name: &str) -> PathBuf {
    folder.ancestors().nth(2).unwrap_or(folder).join("data").join(name)
}

fn read(file: &Path) -> Result<String, String> {
    // Regular files alone, and bounded: a pipe of that name would be waited for.
    let bytes = home::file::read(file, MAX_MANIFEST).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or("it is missing; every skill has one")?;
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

fn check_name(folder: &Path, manifest: &Manifest) -> Result<(), String> {
    let name = &manifest.name;
    let wanted = name.as_str().to_ascii_lowercase();
    if name.is_local() {
        return Err(format!("name: {name} starts with _, which marks an action of the agent"));
    }
    if name.is_reserved() {
        return Err(format!("name: {name} is a request to the router itself; choose another"));
    }
    if folder.file_name().is_none_or(|folder| folder != wanted.as_str()) {
        return Err(format!("name: {name} belongs into a folder called {wanted}"));
    }
    Ok(())
}

fn check_params(manifest: &Manifest) -> Result<(), String> {
    for (name, schema) in &manifest.params {
        let mut letters = name.bytes();
        let good = letters.next().is_some_and(|b| b.is_ascii_lowercase())
            && letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !good {
            return Err(format!("params.{name}: a name is lower-case letters, digits and _"));
        }
        if let Some(key) = reference(schema) {
            return Err(format!(
                "params.{name}: {key} refers to other schemas; write it out instead"
            ));
        }
        if !schema.is_object() {
            return Err(format!(
                "params.{name}: it is a table such as {{ type = \"string\", maxLength = 200 }}"
            ));
        }
    }
    Ok(())
}

/// A key by which a schema refers to another one: schemas that refer to each other can take for ever.
fn reference(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(object) => object.iter().find_map(|(key, inner)| {
            if key.starts_with('$') { Some(key.as_str()) } else { reference(inner) }
        }),
        Value::Array(list) => list.iter().find_map(reference),
        _ => None,
    }
}

/// A skill that reaches every host can carry anything anywhere: that is the owner's to allow, not its author's.
fn check_hosts(hosts: &[HostPattern], name: &ActionName) -> Result<(), String> {
    if hosts.contains(&HostPattern::Any) {
        return Err(format!(
            "net.hosts: \"*\" is every host there is; name those that it needs, or allow all of them in \
            router/config.json with skills.{name}.any_host = true"
        ));
    }
    Ok(())
}

fn program(folder: &Path, manifest: &Manifest) -> Result<Program, String> {
    match (&manifest.command, &manifest.builtin) {
        (Some(command), None) => {
            let program = command.first().ok_or("command: it names no program")?;
            for word in command {
                check_is_looked_at(word)?;
            }
            if program.contains('/') {
                check_executable(folder, program)?;
            }
            Ok(Program::Command(command.clone()))
        }
        (None, Some(name)) if builtin::NAMES.contains(&name.as_str()) => {
            Ok(Program::Builtin(name.clone()))
        }
        (None, Some(name)) => {
            Err(format!("builtin: there is no {name:?}; there are {}", builtin::NAMES.join(", ")))
        }
        (Some(_), Some(_)) => Err("it has both command and builtin; keep one".to_owned()),
        (None, None) => {
            Err("it says neither command nor builtin; add command = [\"./run\"]".to_owned())
        }
    }
}

/// What a word of the command names must not lie where nobody looks for changes.
fn check_is_looked_at(word: &str) -> Result<(), String> {
    let name = left_out(Path::new(word)).filter(|_| word.contains('/'));
    name.map_or(Ok(()), |name| {
        Err(format!("command: changes under {name}/ are not looked at; put the program elsewhere"))
    })
}

fn check_executable(folder: &Path, program: &str) -> Result<(), String> {
    let path = folder.join(program.trim_start_matches("./"));
    let shown = path.display();
    let facts = fs::metadata(&path)
        .map_err(|_| format!("command: {shown} is missing; put the program there"))?;
    if !facts.is_file() {
        return Err(format!("command: {shown} is no file"));
    }
    if facts.permissions().mode() & 0o111 == 0 {
        return Err(format!("command: {shown} is not executable; run `chmod +x {shown}`"));
    }
    Ok(())
}

fn timeout(text: Option<&str>) -> Result<Duration, String> {
    match text {
        None => Ok(DEFAULT_TIMEOUT),
        Some(text) => span::parse(text).map_err(|why| format!("timeout: {why}")),
    }
}

fn card(manifest: &Manifest, timeout: Duration) -> Result<(ActionCard, Marks), String> {
    let mut params = manifest.params.clone();
    let marks = Marks::take(&mut params)?;
    let card = ActionCard {
        name: manifest.name.clone(),
        instruction: manifest.instruction.clone(),
        params,
        optional: marks.optional.clone(),
        effect: manifest.effect,
        reads: Brings::of(manifest.reads.as_ref(), !manifest.net.hosts.is_empty()),
        examples: manifest.examples.iter().cloned().map(Into::into).collect(),
        timeout_ms: u64::try_from(timeout.as_millis()).ok(),
        set: manifest.set.clone(),
        more: Object::new(),
    };
    Ok((card, marks))
}

/// Checks that there is a schema and that the examples fit it. Of the manifests that are compiled in, the
/// tests have checked it.
fn check_schema(skill: &Skill) -> Result<(), String> {
    skill.params.ready()?;
    for example in &skill.card.examples {
        skill
            .check(&example.params)
            .map_err(|stopped| format!("examples: {:?}: {}", example.say, stopped.message))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use testkit::TempHome;

    use super::*;
    use crate::catalog::{Found, scan};
    use crate::config::SkillConfig;

    fn fresh() -> (TempHome, Found) {
        let home = TempHome::new();
        defaults::write_missing(&home).unwrap();
        let found = look(&home);
        (home, found)
    }

    fn look(home: &TempHome) -> Found {
        scan(&home.router_skills(), &RouterConfig::default(), &Found::default())
    }

    #[test]
    fn the_manifests_that_are_compiled_in_have_schemas_and_fitting_examples() {
        let (_home, found) = fresh();
        assert_eq!(found.broken, []);
        assert_eq!(found.skills.len(), defaults::SKILLS.len());
        for skill in found.skills.values() {
            assert_eq!(check_schema(skill), Ok(()), "{}", skill.name());
        }
    }

    #[test]
    fn one_that_the_owner_has_changed_is_checked_like_any_other() {
        let (home, _) = fresh();
        let file = home.router_skills().join("create_post/skill.toml");
        let manifest = fs::read_to_string(&file).unwrap();
        for (change, why) in [
            (("minLength = 1", "minLength = 'one'"), "[params] is no JSON Schema"),
            (("text = \"Hello World\"", "text = \"\""), "examples: \"Post 'Hello World' to X.\""),
        ] {
            let changed = manifest.replacen(change.0, change.1, 1);
            assert_ne!(changed, manifest);
            fs::write(&file, changed).unwrap();
            let found = look(&home);
            assert_eq!(found.skills.len(), defaults::SKILLS.len() - 1);
            assert!(found.broken[0].why.contains(why), "{:?}", found.broken);
        }
    }

    #[test]
    fn only_the_owner_gives_a_skill_every_host() {
        let (home, _) = fresh();
        let file = home.router_skills().join("web_fetch/skill.toml");
        let manifest = fs::read_to_string(&file).unwrap();
        fs::write(&file, manifest.replacen("20s", "21s", 1)).unwrap();
        let found = look(&home);
        let why = &found.broken[0].why;
        assert!(why.contains("skills.WEB_FETCH.any_host = true"), "{why}");
        let wish = SkillConfig { any_host: true, ..SkillConfig::default() };
        let config = RouterConfig {
            skills: [("WEB_FETCH".to_owned(), wish)].into(),
            ..RouterConfig::default()
        };
        let found = scan(&home.router_skills(), &config, &found);
        assert_eq!(found.broken, []);
    }

    #[test]
    fn a_setting_is_no_way_around_that() {
        let (home, _) = fresh();
        let file = home.router_skills().join("web_fetch/skill.toml");
        let manifest = fs::read_to_string(&file).unwrap();
        let hidden = "[settings]\nsite = \"*\"\n[net]\nhosts = [\"{site}\"]";
        fs::write(&file, manifest.replacen("[net]\nhosts = [\"*\"]", hidden, 1)).unwrap();
        let why = &look(&home).broken[0].why;
        assert!(why.contains("any_host"), "{why}");
    }

    #[test]
    fn nothing_fits_what_is_no_schema() {
        let params = Params::new(serde_json::json!({"type": "nothing that exists"}));
        for _ in 0..2 {
            let why = params.complaints(&Object::new()).unwrap_err();
            assert!(why.starts_with("[params] is no JSON Schema: "), "{why}");
        }
    }
}
