//! What the first SafeClaw, which was written in Python, kept, and where it goes.

use std::path::Path;

use home::EnvFile;
use serde_json::Value;

use super::plan::{Plan, bytes};

/// The files of its workspace that are read as they are.
const FILES: [&str; 6] = [
    "SOUL.md",
    "PROMPT.md",
    "memory.json",
    "agent_action.json",
    "input_history.json",
    "artifact.json",
];

/// The names in its .env that mean the same here.
const NAMES: [&str; 10] = [
    "REDIS_URL",
    "COMMAND_QUEUE",
    "RESPONSE_PREFIX",
    "REMOTE_BROWSER_SERVER",
    "OLLAMA_HOST",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "TELEGRAM_BOT_TOKEN",
];

/// Plans what comes from `dir`.
///
/// # Errors
/// Words: it is no such home.
pub(super) fn plan(dir: &Path, plan: &mut Plan) -> Result<(), String> {
    let agent = [dir.join("agent"), dir.to_owned()];
    let agent = agent.iter().find(|agent| agent.join("workspace").is_dir()).ok_or_else(|| {
        format!(
            "{} is no home of the first SafeClaw: there is no agent/workspace in it",
            dir.display()
        )
    })?;
    let root = if agent == dir { dir.parent().unwrap_or(dir) } else { dir };
    for name in FILES {
        if let Some(bytes) = bytes(&agent.join("workspace").join(name)) {
            let bytes = if name == "memory.json" { of_nobody(bytes) } else { bytes };
            plan.file(&format!("workspace/{name}"), Path::new("workspace").join(name), bytes);
        }
    }
    config(agent, plan);
    let mut files = vec![agent.join(".env"), root.join(".env")];
    files.dedup();
    for path in files.iter().filter(|path| path.exists()) {
        env(path, plan);
    }
    if agent.join("workspace/router_actions.json").exists() {
        plan.stays("workspace/router_actions.json", "the router publishes what it can do");
    }
    let skills = root.join("router/skills");
    for entry in std::fs::read_dir(skills).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().join("skill.py").exists() {
            let new = home::router_command("new-skill");
            let why = format!(
                "a skill is a program with a manifest now: `{new} NAME --lang python` makes one to copy it into"
            );
            plan.stays(format!("router/skills/{name}"), why);
        }
    }
    Ok(())
}

/// A memory without the word that its owner has typed an address in it: that counts only where it was typed.
fn of_nobody(bytes: Vec<u8>) -> Vec<u8> {
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(mut memory)) if memory.contains_key("_own") => {
            memory.remove("_own");
            Value::Object(memory).to_string().into_bytes()
        }
        _ => bytes,
    }
}

fn config(agent: &Path, plan: &mut Plan) {
    let Some(text) = bytes(&agent.join("config.json")) else { return };
    let Ok(Value::Object(config)) = serde_json::from_slice(&text) else {
        return plan.stays("config.json", "it is no JSON object");
    };
    for (key, value) in config {
        match (key.as_str(), &value) {
            ("llm", Value::Object(llm)) => {
                for (name, value) in llm {
                    match name.as_str() {
                        "provider" => plan.setting("llm.provider", "llm.provider", value.clone()),
                        "model" => plan.setting("llm.model", "llm.model", value.clone()),
                        _ => plan.stays(format!("llm.{name}"), "there is no such setting"),
                    }
                }
            }
            ("timeout", _) => plan.setting("timeout", "timeout", value),
            ("channels", Value::Object(channels)) => {
                for (name, channel) in channels {
                    let token =
                        ["token", "bot_token"].iter().find_map(|key| channel.get(*key)?.as_str());
                    match (name.as_str(), token) {
                        ("telegram", Some(token)) => {
                            plan.secret("channels.telegram", "TELEGRAM_BOT_TOKEN", token);
                            let set = home::agent_command("config telegram");
                            plan.stays("who owns the bot", format!("`{set}` finds that out"));
                        }
                        _ => plan.stays(format!("channels.{name}"), "there is no such channel"),
                    }
                }
            }
            _ => plan.stays(key, "there is no such setting"),
        }
    }
}

fn env(path: &Path, plan: &mut Plan) {
    let env = match EnvFile::read(path) {
        Ok(env) => env,
        Err(error) => return plan.stays(path.display().to_string(), error.to_string()),
    };
    for (name, value) in env.iter() {
        match NAMES.iter().find(|known| **known == name) {
            Some(known) => {
                plan.secret(&format!("{name} of .env{}", leading(known, value)), known, value)
            }
            None => plan.stays(format!("{name} of .env"), "nothing here reads it"),
        }
    }
}

/// Where a value leads that is no secret: whoever says yes to it should see that. What may be a password in it is not shown.
fn leading(name: &str, value: &str) -> String {
    if !["REDIS_URL", "REMOTE_BROWSER_SERVER", "OLLAMA_HOST"].contains(&name) {
        return String::new();
    }
    let (_, place) = value.rsplit_once('@').unwrap_or(("", value.trim()));
    format!(" ({})", legible::line(place))
}
