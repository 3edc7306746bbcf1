//! What multis keeps, and where it goes.

use std::path::{Path, PathBuf};

use home::EnvFile;
use serde_json::{Map, Value, json};

use super::plan::{Plan, bytes};

/// Where its folders may lie: today's layout, then the flat one before it.
const MEMORY: [&str; 2] = ["data/memory/chats", "memory/chats"];

/// What stays whatever it holds, and why.
const STAYS: [(&str, &str); 6] = [
    ("data/documents.db", "its index can't be read here: put the papers in again with /index"),
    (
        "data/scheduler.json",
        "set them again with /remind and /cron, because a job here knows who made it",
    ),
    (
        "auth/governance.json",
        "its lists judge the first word alone: set router/governance.json, which judges the whole line",
    ),
    ("auth/beeper-token.json", "there is no Beeper here"),
    ("tools.json", "what may run stands in router/policy.toml"),
    ("logs", "they tell of the past alone"),
];

/// Plans what comes from `dir`.
///
/// # Errors
/// Words: it is no such home.
pub(super) fn plan(dir: &Path, plan: &mut Plan) -> Result<(), String> {
    let no_home = |why: &str| format!("{} is no home of multis: {why}", dir.display());
    let text = bytes(&dir.join("config.json")).ok_or_else(|| no_home("there is no config.json"))?;
    let config: Value = serde_json::from_slice(&text)
        .map_err(|error| no_home(&format!("config.json can't be read: {error}")))?;
    let Value::Object(mut config) = config else {
        return Err(no_home("config.json is no object"));
    };
    llm(&mut config, plan);
    people(&mut config, plan);
    if let Some(Value::Object(memory)) = config.remove("memory") {
        for (from, key) in [
            ("admin_retention_days", "memory.owner"),
            ("retention_days", "memory.guests"),
            ("log_retention_days", "memory.logs"),
        ] {
            if let Some(days) = memory.get(from) {
                plan.setting(&format!("memory.{from}"), key, days.clone());
            }
        }
    }
    if let Some(business) = config.remove("business") {
        self::business(business, plan);
    }
    if config.remove("security").is_some_and(|security| security.get("pin_hash").is_some()) {
        let set = home::router_command("pin set");
        plan.stays(
            "security.pin_hash",
            format!("it is easily guessed from: `{set}` sets the PIN anew"),
        );
    }
    for (key, why) in [
        ("pairing_code", "it never ends: /pair gives one that does"),
        ("governance", "what may run stands in router/policy.toml"),
        ("agents", "write workspace/personas/NAME.md for each"),
        ("chat_agents", "/agent NAME chooses one in a chat"),
        ("defaults", "/agent NAME chooses one in a chat"),
    ] {
        if config.remove(key).is_some() {
            plan.stays(key, why);
        }
    }
    config.keys().for_each(|key| plan.stays(key.as_str(), "there is no such setting"));
    files(dir, plan);
    Ok(())
}

fn llm(config: &mut Map<String, Value>, plan: &mut Plan) {
    let Some(Value::Object(llm)) = config.remove("llm") else { return };
    let text = |key: &str| llm.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    for (from, key) in
        [("provider", "llm.provider"), ("model", "llm.model"), ("baseUrl", "llm.base_url")]
    {
        if let Some(value) = text(from) {
            plan.setting(&format!("llm.{from}"), key, json!(value));
        }
    }
    if let Some(secret) = text("apiKey") {
        match text("provider") {
            Some("anthropic") => plan.secret("llm.apiKey", "ANTHROPIC_API_KEY", secret),
            Some("gemini" | "google") => plan.secret("llm.apiKey", "GEMINI_API_KEY", secret),
            Some("openai") => plan.secret("llm.apiKey", "OPENAI_API_KEY", secret),
            _ => plan.stays("llm.apiKey", "it is not known whose it is: write it into .env"),
        }
    }
}

fn people(config: &mut Map<String, Value>, plan: &mut Plan) {
    if let Some(mode) = config.remove("bot_mode") {
        plan.setting("bot_mode", "bot_mode", mode);
    }
    let owner = config.remove("owner_id").as_ref().and_then(number);
    let allowed: Vec<i64> = match config.remove("allowed_users") {
        Some(Value::Array(users)) => {
            users.iter().filter_map(number).filter(|id| Some(*id) != owner).collect()
        }
        _ => Vec::new(),
    };
    if let Some(Value::Object(platforms)) = config.remove("platforms") {
        for (name, platform) in platforms {
            let token = platform.get("bot_token").and_then(Value::as_str);
            match (name.as_str(), token) {
                ("telegram", Some(token)) => {
                    plan.secret("platforms.telegram.bot_token", "TELEGRAM_BOT_TOKEN", token);
                }
                ("telegram", None) => plan.stays("platforms.telegram", "it has no bot_token"),
                _ => plan.stays(format!("platforms.{name}"), "there is no such channel here"),
            }
        }
    }
    if let Some(owner) = owner {
        plan.setting("owner_id", "telegram.owner", json!(owner));
    }
    if !allowed.is_empty() {
        plan.setting("allowed_users", "telegram.allow", json!(allowed));
    }
}

/// A number, also where it is written as a text.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn business(mut business: Value, plan: &mut Plan) {
    // Its chats on Telegram begin otherwise.
    if let Some(Value::String(chat)) = business.pointer_mut("/escalation/admin_chat")
        && let Some(id) = chat.strip_prefix("tg-").or_else(|| chat.strip_prefix("tg:"))
    {
        *chat = format!("telegram-{id}");
    }
    match serde_json::from_value::<business::Profile>(business) {
        Ok(profile) => {
            let text = serde_json::to_vec_pretty(&profile).unwrap_or_default();
            plan.file("business", "workspace/business.json", text);
        }
        Err(error) => plan.stays("business", format!("it can't be read: {error}")),
    }
}

fn files(dir: &Path, plan: &mut Plan) {
    if dir.join(".env").exists() {
        match EnvFile::read(&dir.join(".env")) {
            Ok(env) => {
                for (name, value) in env.iter() {
                    let known = [
                        "TELEGRAM_BOT_TOKEN",
                        "OPENAI_API_KEY",
                        "ANTHROPIC_API_KEY",
                        "GEMINI_API_KEY",
                    ];
                    match known.into_iter().find(|known| *known == name) {
                        Some(known) => plan.secret(&format!("{name} of .env"), known, value),
                        None => plan.stays(format!("{name} of .env"), "nothing here reads it"),
                    }
                }
            }
            Err(error) => plan.stays(".env", error.to_string()),
        }
    }
    memory(dir, plan);
    for entry in sorted(&dir.join("skills")) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(bytes) = bytes(&entry).filter(|_| name.ends_with(".md")) else { continue };
        let read = persona::PolicySkill::read(&String::from_utf8_lossy(&bytes));
        match read {
            Ok(_) => plan.file(
                &format!("skills/{name}"),
                Path::new("workspace/skills").join(&name),
                bytes,
            ),
            Err(error) => plan.stays(format!("skills/{name}"), error.to_string()),
        }
    }
    for (name, why) in STAYS {
        if dir.join(name).exists() {
            plan.stays(name, why);
        }
    }
}

/// The owner's notes. A model has written them, and customers may have had a hand in them, so they are set aside at first.
fn memory(dir: &Path, plan: &mut Plan) {
    let Some(chats) = MEMORY.map(|name| dir.join(name)).into_iter().find(|chats| chats.is_dir())
    else {
        return;
    };
    for chat in sorted(&chats) {
        let name = chat.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let from = format!("the memory of chat {name}");
        let Some(bytes) = bytes(&chat.join("memory.md")) else { continue };
        if name != "admin" {
            plan.stays(from, "others' chats begin afresh");
            continue;
        }
        let text = aside(&String::from_utf8_lossy(&bytes));
        let what = format!("{from}, set aside until you say so (/memory --quarantined)");
        plan.file(&what, "workspace/memory.md", text.into_bytes());
    }
}

/// The notes, each marked as one that others may have had a hand in. What stands before the first becomes one as well.
fn aside(text: &str) -> String {
    let is_heading = |line: &str| {
        let time = line.strip_prefix("## ").map(str::trim);
        time.is_some_and(|time| time.parse::<jiff::Timestamp>().is_ok())
    };
    let mut notes = String::new();
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty()).peekable();
    if lines.peek().is_some_and(|line| !is_heading(line)) {
        notes.push_str("## 1970-01-01T00:00:00.000Z captured [T]\n\n");
    }
    for line in lines {
        let end = if is_heading(line) { " captured [T]" } else { "" };
        notes.push_str(line.trim_end());
        notes.push_str(end);
        notes.push('\n');
    }
    notes
}

/// What lies in a folder, sorted.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
