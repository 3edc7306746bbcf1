//! What is in a home before the first word: settings, policy, secrets, files and skills.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use testkit::TempHome;

use crate::case::{Case, OneSkill};
use crate::fixtures::Fixtures;
use crate::house::CANARY;
use crate::places::Places;

/// Puts everything into the home that is there before the first word.
pub(crate) fn furnish(case: &Case, fixtures: &Fixtures, home: &TempHome, places: &Places) {
    home.put(".ssh/id_rsa", CANARY);
    home.put_hello_world();
    let config = fixtures.config(case.config.as_deref().unwrap_or("house"));
    home.put("router/config.json", places.fill(&config));
    if let Some(policy) = &case.policy {
        home.put("router/policy.toml", places.fill(fixtures.policy(&places.fill(policy))));
    }
    if !case.secrets.is_empty() {
        let lines: String =
            case.secrets.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        home::file::write(&home.router_env(), lines.as_bytes()).unwrap();
    }
    for (path, text) in &case.files {
        home.put(path, places.fill(text));
    }
    let mut skills: Vec<OneSkill> =
        case.skills.iter().flat_map(|name| fixtures.skills(&places.fill(name))).collect();
    skills.extend(case.skill.clone());
    if let Some(emits) = &case.emits {
        skills.push(fixtures.skill("parrot"));
        home.put("router/skills/parrot/says", places.fill(emits));
    }
    if !skills.is_empty() {
        // A folder that is there keeps the router from writing its own skills.
        for name in ["create_post", "web_fetch"] {
            let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("router/skills").join(name);
            home.put(
                format!("router/skills/{name}/skill.toml"),
                fs::read(own.join("skill.toml")).unwrap(),
            );
        }
    }
    skills.iter().for_each(|skill| drop_skill(home, places, skill));
}

fn drop_skill(home: &TempHome, places: &Places, skill: &OneSkill) {
    let name = &skill.name;
    let mut manifest = places.fill(&skill.manifest);
    for (key, line) in [
        ("effect", "effect = \"none\"\n".to_owned()),
        ("command", "command = [\"./run\"]\n".to_owned()),
        ("instruction", "instruction = \"Test.\"\n".to_owned()),
        ("name", format!("name = {:?}\n", name.to_ascii_uppercase())),
    ] {
        if !manifest.lines().any(|line| line.starts_with(&format!("{key} ="))) {
            manifest = line + &manifest;
        }
    }
    home.put(format!("router/skills/{name}/run"), places.fill(&skill.run));
    let run = home.router_skills().join(name).join("run");
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    home.put(format!("router/skills/{name}/skill.toml"), manifest);
}
