//! The agent's process never holds a skill's secret, in no encoding and nowhere: not in its environment, its
//! arguments, its memory, its files. The same search finds it in the router, so the search itself works.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use testkit::{Chat, TempHome, json_server};

/// Long enough that nothing holds it by chance, and different in every encoding.
const SECRET: &str = "s3cr3t+Token/that=nobody&sees~7Qx?";

/// A name for an encoding, and what the secret looks like in it.
type Needle = (&'static str, Vec<u8>);

fn needles() -> Vec<Needle> {
    let bytes = SECRET.as_bytes();
    let mut needles = vec![
        ("raw", bytes.to_vec()),
        ("reversed", bytes.iter().rev().copied().collect()),
        ("UTF-16", SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("hex", hex(|byte| format!("{byte:02x}"))),
        ("HEX", hex(|byte| format!("{byte:02X}"))),
        (
            "URL",
            hex(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            }),
        ),
        (
            "url",
            hex(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02x}")
                }
            }),
        ),
        ("URL, all of it", hex(|byte| format!("%{byte:02X}"))),
    ];
    // Behind one or two other bytes base64 looks different.
    for before in 0..3 {
        let shifted = [&b"::"[..before], bytes].concat();
        for (name, last) in [("base64", b"+/"), ("base64url", b"-_")] {
            let text = base64(&shifted, last);
            // The characters at both ends also depend on what stands beside the secret.
            needles.push((name, text[4..text.len() - 4].to_vec()));
        }
    }
    needles
}

fn hex(of: impl Fn(u8) -> String) -> Vec<u8> {
    SECRET.bytes().map(of).collect::<String>().into_bytes()
}

fn base64(bytes: &[u8], last: &[u8; 2]) -> Vec<u8> {
    let letter = |six: u32| match six {
        0..26 => b'A' + u8::try_from(six).unwrap(),
        26..52 => b'a' + u8::try_from(six - 26).unwrap(),
        52..62 => b'0' + u8::try_from(six - 52).unwrap(),
        _ => last[six as usize - 62],
    };
    let encoded = bytes.chunks(3).flat_map(|three| {
        let at = |place: usize| three.get(place).copied().unwrap_or(0);
        let bits = u32::from_be_bytes([0, at(0), at(1), at(2)]);
        let mut four = [18, 12, 6, 0].map(|shift| letter(bits >> shift & 63));
        four[three.len() + 1..].fill(b'=');
        four
    });
    encoded.collect()
}

/// The encodings in which `bytes` hold the secret.
fn held(bytes: &[u8], needles: &[Needle]) -> Vec<&'static str> {
    let mut begins = [false; 256];
    needles.iter().for_each(|(_, needle)| begins[usize::from(needle[0])] = true);
    let mut held = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        if begins[usize::from(*byte)] {
            held.extend(
                needles
                    .iter()
                    .filter(|(_, needle)| bytes[at..].starts_with(needle))
                    .map(|(name, _)| name),
            );
        }
    }
    held.dedup();
    held
}

/// The same for all memory of a process that it can have written to.
fn held_in_memory(pid: u32, needles: &[Needle]) -> Vec<&'static str> {
    let memory = fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let mut held_anywhere = Vec::new();
    let mut seen = 0;
    for line in maps.lines() {
        let mut fields = line.split(' ');
        let (range, rights) = (fields.next().unwrap(), fields.next().unwrap());
        if !rights.starts_with("rw") {
            continue;
        }
        let (from, to) = range.split_once('-').unwrap();
        let [from, to] = [from, to].map(|hex| u64::from_str_radix(hex, 16).unwrap());
        let mut region = vec![0; usize::try_from(to - from).unwrap()];
        // A region that has gone since holds nothing.
        let Ok(size) = memory.read_at(&mut region, from) else { continue };
        seen += size;
        // Memory that was never touched is zero.
        for piece in region[..size].split(|byte| *byte == 0).filter(|piece| piece.len() > 8) {
            held_anywhere.extend(held(piece, needles));
        }
        // Wide characters have zeros in them.
        let wide: Vec<Needle> =
            needles.iter().filter(|(name, _)| *name == "UTF-16").cloned().collect();
        held_anywhere.extend(held(&region[..size], &wide));
    }
    assert!(seen > 100_000, "of process {pid} {seen} bytes were read");
    held_anywhere.sort_unstable();
    held_anywhere.dedup();
    held_anywhere
}

fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
}

/// A server that is given the token and hands it back in every way that the router should see through.
fn echo() -> u16 {
    let encoded = String::from_utf8(base64(SECRET.as_bytes(), b"+/")).unwrap();
    let id = String::from_utf8(hex(|byte| format!("{byte:02x}"))).unwrap();
    let answer = format!(r#"{{"id":"{id}","url":"https://social.example/{SECRET}/{encoded}"}}"#);
    json_server(move |_| answer.clone()).0
}

#[test]
fn an_agent_never_holds_a_skills_secret_and_the_router_does() {
    let port = echo();
    let home = TempHome::new();
    home::file::write(&home.router_env(), format!("MASTODON_TOKEN={SECRET}\n").as_bytes()).unwrap();
    home.put(
        "router/policy.toml",
        "[effects]\nnone = \"allow\"\nlocal = \"allow\"\nexternal = \"allow\"\n",
    );
    home.put(
        "router/config.json",
        format!(
            r#"{{"skills": {{"CREATE_POST": {{"settings": {{"mastodon_url": "http://127.0.0.1:{port}"}}, "allow_private": ["127.0.0.1:{port}"]}}}}}}"#
        ),
    );
    let mut chat =
        Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), &[("RUST_LOG", "trace")]);
    chat.ask("Publish 'Hello World' on Mastodon.", "CREATE_POST: ok");
    chat.ask("/status", "workspace:");
    let needles = needles();
    let agent = chat.pid();
    let router = chat.router();
    assert!(held_in_memory(router, &needles).contains(&"raw"), "the search finds nothing");
    let nowhere: Vec<&str> = Vec::new();
    assert_eq!(held_in_memory(agent, &needles), nowhere, "in the agent's memory");
    for name in ["environ", "cmdline"] {
        let bytes = fs::read(format!("/proc/{agent}/{name}")).unwrap();
        assert!(!bytes.is_empty());
        assert_eq!(held(&bytes, &needles), nowhere, "in the agent's {name}");
    }
    assert_eq!(chat.end().code(), Some(0));
    let mut found = vec![
        ("stdout".to_owned(), chat.stdout().into_bytes()),
        ("stderr".to_owned(), chat.stderr().into_bytes()),
    ];
    files(&home.workspace(), &mut found);
    files(home.agent_log().parent().unwrap(), &mut found);
    assert!(found.iter().any(|(name, _)| name.ends_with("artifact.json")), "nothing was kept");
    for (name, bytes) in found {
        assert_eq!(held(&bytes, &needles), nowhere, "in {name}");
    }
    // The search knows every encoding.
    for (name, needle) in &needles {
        assert!(held(&[b"x", needle.as_slice(), b"y"].concat(), &needles).contains(name));
    }
}
