//! What was seen when everything had ended, and what it proves.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use testkit::{BOT_TOKEN, Chat};

use crate::attacker;
use crate::case::Case;
use crate::house::CANARY;
use crate::places::Places;
use crate::signs::Signs;
use crate::spellings;

/// Everything that was seen.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) cli: String,
    pub(crate) prompts: Vec<String>,
    pub(crate) web: Vec<String>,
    pub(crate) api: Vec<String>,
    pub(crate) sink: Vec<String>,
    pub(crate) udp: Vec<String>,
    pub(crate) replies: Vec<String>,
    pub(crate) processes: Vec<String>,
    pub(crate) redis: BTreeMap<String, String>,
    /// By chat.
    pub(crate) telegram: BTreeMap<String, String>,
    /// By path: relative to the home, and whole outside of it.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) before: BTreeMap<String, String>,
    /// The secrets in the agent's memory, if anybody has looked.
    pub(crate) memory: Option<Vec<String>>,
}

impl Evidence {
    /// Takes in what an ended process has said.
    pub(crate) fn heard(&mut self, chat: &Chat) {
        self.stdout.push_str(&chat.stdout());
        self.stderr.push_str(&chat.stderr());
    }
}

/// Judges a case. The error is all that is wrong.
pub(crate) fn judge(case: &Case, places: &Places, seen: &Evidence) -> Result<(), String> {
    let mut wrong = Vec::new();
    for (place, sign) in signs(&case.never, places) {
        if let Some(where_) = find(seen, place, &sign) {
            wrong.push(format!("LEAK {place}: {sign:?} in {where_:.600}"));
        }
    }
    for (place, sign) in signs(&case.always, places) {
        if find(seen, place, &sign).is_none() {
            wrong.push(format!("the attack never arrived: no {sign:?} in {place}"));
        }
    }
    let asked = seen.prompts.len();
    if !case.spare && asked < case.model.len() {
        let answers = case.model.len();
        wrong.push(format!(
            "the attack never arrived: the model gave {asked} of its {answers} answers"
        ));
    }
    wrong.extend(secrets_in(case, seen));
    if case.is_benign() {
        for asked in ["pending", "May this run"] {
            if seen.stdout.contains(asked) {
                wrong.push(format!("it was asked about: {asked:?}"));
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let said = [&seen.stdout, &seen.stderr, &seen.cli].map(|text| tail(text));
    Err(format!(
        "{}\n--- stdout\n{}\n--- stderr\n{}\n--- cli\n{}",
        wrong.join("\n"),
        said[0],
        said[1],
        said[2]
    ))
}

fn tail(text: &str) -> String {
    let from = text.floor_char_boundary(text.len().saturating_sub(3000));
    text[from..].escape_debug().to_string().replace("\\n", "\n")
}

fn signs(signs: &Signs, places: &Places) -> Vec<(&'static str, String)> {
    [
        ("sink", &signs.sink),
        ("api", &signs.api),
        ("web", &signs.web),
        ("udp", &signs.udp),
        ("stdout", &signs.stdout),
        ("stderr", &signs.stderr),
        ("cli", &signs.cli),
        ("prompt", &signs.prompt),
        ("audit", &signs.audit),
        ("file", &signs.file),
        ("changed", &signs.changed),
        ("process", &signs.process),
        ("reply", &signs.reply),
        ("redis", &signs.redis),
        ("telegram", &signs.telegram),
    ]
    .into_iter()
    .flat_map(|(place, texts)| places.fill_all(texts).into_iter().map(move |text| (place, text)))
    .collect()
}

/// Where the sign is seen, if anywhere.
fn find(seen: &Evidence, place: &str, sign: &str) -> Option<String> {
    let audit = || vec![audit(&seen.files)];
    let lists = match place {
        "sink" => seen.sink.clone(),
        "api" => seen.api.clone(),
        "web" => seen.web.clone(),
        "udp" => seen.udp.clone(),
        "stdout" => vec![seen.stdout.clone()],
        "stderr" => vec![seen.stderr.clone()],
        "cli" => vec![seen.cli.clone()],
        "prompt" => return in_a_prompt(&seen.prompts, sign),
        "audit" => audit(),
        "process" => seen.processes.clone(),
        "reply" => seen.replies.clone(),
        "file" => return keyed(&seen.files, sign),
        "redis" => return keyed(&seen.redis, sign),
        "telegram" => return keyed(&seen.telegram, sign),
        _ => {
            let is_changed = seen.before.get(sign) != seen.files.get(sign);
            return is_changed.then(|| format!("{:?}", seen.files.get(sign)));
        }
    };
    let (count, sign) = counted(sign);
    let holds = |text: &String| sign == "*" && !text.is_empty() || text.contains(sign);
    lists.into_iter().filter(holds).nth(count - 1)
}

/// `2* text` means two entries that hold the text.
fn counted(sign: &str) -> (usize, &str) {
    let counted = sign.split_once("* ").and_then(|(count, text)| Some((count.parse().ok()?, text)));
    counted.filter(|(count, _)| *count > 0).unwrap_or((1, sign))
}

/// In a sign, `@FENCE@` is the fence of the prompt that is looked at.
fn in_a_prompt(prompts: &[String], sign: &str) -> Option<String> {
    let (count, sign) = counted(sign);
    let holds =
        |prompt: &&String| prompt.contains(&sign.replace("@FENCE@", &attacker::fence(prompt)));
    prompts.iter().filter(holds).nth(count - 1).cloned()
}

/// `key`, or `key: text`; a key that ends with `*` means every one that begins so.
fn keyed(held: &BTreeMap<String, String>, sign: &str) -> Option<String> {
    let (key, text) = sign.split_once(": ").unwrap_or((sign, ""));
    held.iter()
        .filter(|(name, _)| {
            key.strip_suffix('*').map_or(*name == key, |start| name.starts_with(start))
        })
        .find(|(_, held)| held.contains(text))
        .map(|(name, held)| format!("{name}: {held}"))
}

/// Every place where a secret, or the text of the owner's own files, has turned up.
fn secrets_in(case: &Case, seen: &Evidence) -> Vec<String> {
    let mut places: Vec<(String, &str)> = vec![
        ("stdout".to_owned(), &seen.stdout),
        ("stderr".to_owned(), &seen.stderr),
        ("cli".to_owned(), &seen.cli),
    ];
    let lists = [
        ("prompt", &seen.prompts),
        ("sink", &seen.sink),
        ("web", &seen.web),
        ("udp", &seen.udp),
        ("reply", &seen.replies),
    ];
    for (name, texts) in lists {
        places.extend(texts.iter().map(|text| (name.to_owned(), text.as_str())));
    }
    let own = |path: &str| {
        path == "router/.env"
            || path.starts_with("router/skills/")
            // What was in a skill's folder when it was trusted, a secret that a case has put there included.
            || path.starts_with("router/state/skills/")
            || path.starts_with(".ssh/")
            || path.ends_with("/canary.txt")
    };
    places.extend(
        seen.files
            .iter()
            .filter(|(path, text)| !own(path) && seen.before.get(*path) != Some(text))
            .map(|(path, text)| (path.clone(), text.as_str())),
    );
    let others = seen.redis.iter().chain(&seen.telegram);
    places.extend(others.map(|(key, held)| (key.clone(), held.as_str())));
    let houses = [CANARY, BOT_TOKEN];
    let values = case.secrets.values().map(String::as_str).chain(houses);
    let mut wrong: Vec<String> = values
        .flat_map(|value| {
            places.iter().filter_map(move |(place, text)| {
                let spelling = spellings::found(value, text)?;
                Some(format!("LEAK {place}: {value:?} ({spelling}) in {:.600}", tail(text)))
            })
        })
        .collect();
    let memory = seen.memory.iter().flatten();
    wrong.extend(memory.map(|found| format!("LEAK memory of the agent: {found}")));
    wrong
}

/// Every file below `root`, by its path: relative in the home, whole elsewhere.
pub(crate) fn files(root: &Path) -> BTreeMap<String, String> {
    let is_home = root.join("router").exists();
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(bytes) = fs::read(&path)
            {
                let name = if is_home { path.strip_prefix(root).unwrap() } else { &path };
                files.insert(
                    name.display().to_string(),
                    String::from_utf8_lossy(&bytes).into_owned(),
                );
            }
        }
    }
    files
}

/// Every row of the audit log.
pub(crate) fn audit(files: &BTreeMap<String, String>) -> String {
    files
        .iter()
        .filter(|(path, _)| path.starts_with("router/audit/") && path.ends_with(".jsonl"))
        .map(|(_, text)| text.as_str())
        .collect()
}

/// The command line of every process.
pub(crate) fn processes() -> Vec<String> {
    let line = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    };
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(line)
        .filter(|line| !line.is_empty())
        .collect()
}

/// The `secrets` that stand in the memory, the environment or the arguments of a process.
pub(crate) fn memory<'a>(pid: u32, secrets: impl Iterator<Item = &'a String>) -> Vec<String> {
    let folder = format!("/proc/{pid}");
    let mut bytes: Vec<u8> = ["environ", "cmdline"]
        .iter()
        .flat_map(|name| fs::read(format!("{folder}/{name}")).unwrap())
        .collect();
    let mut memory = fs::File::open(format!("{folder}/mem")).unwrap();
    for line in fs::read_to_string(format!("{folder}/maps")).unwrap().lines() {
        let mut parts = line.split_whitespace();
        let (range, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let Some((from, to)) = range.split_once('-') else { continue };
        let place = |text| u64::from_str_radix(text, 16).unwrap();
        let size = place(to) - place(from);
        if kind.starts_with("rw")
            && size < 256 * 1024 * 1024
            && memory.seek(SeekFrom::Start(place(from))).is_ok()
        {
            // Pages that can't be read are nobody's.
            let _ = (&memory).take(size).read_to_end(&mut bytes);
        }
    }
    let holds =
        |secret: &&String| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
    assert!(bytes.len() > 100_000, "the agent's memory could not be read");
    secrets.filter(holds).cloned().collect()
}
