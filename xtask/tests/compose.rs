//! The promises that compose.yaml, the Dockerfile and .dockerignore make, checked without Docker.
#![allow(clippy::unwrap_used, reason = "this whole file is tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
}

fn compose() -> Value {
    serde_saphyr::from_str(&text("compose.yaml")).unwrap()
}

fn texts(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        Value::Object(map) => map.keys().map(String::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

/// Every promise that is not kept, as `service: promise`.
fn broken(compose: &Value) -> Vec<String> {
    let services = compose["services"].as_object().unwrap();
    let mut broken: Vec<String> = services
        .iter()
        .flat_map(|(name, service)| confinement(service).map(move |what| format!("{name}: {what}")))
        .collect();
    broken.extend(walls(services, &compose["networks"]).map(str::to_owned));
    broken
}

/// What every service keeps to.
fn confinement(service: &Value) -> impl Iterator<Item = &'static str> {
    let user = service["user"].as_str().unwrap_or("root");
    let is_tmpfs = |mount: &str| mount.starts_with("/tmp:size=");
    let opens = ["ports", "network_mode", "privileged", "cap_add", "devices", "pid", "ipc"];
    let kept = [
        ("runs as a user that is not root", user != "root" && !user.starts_with('0')),
        ("has a read-only file system", service["read_only"] == true),
        ("has a bounded /tmp", texts(&service["tmpfs"]).into_iter().any(is_tmpfs)),
        ("has no capabilities", texts(&service["cap_drop"]).contains("ALL")),
        ("gains no privileges", texts(&service["security_opt"]).contains("no-new-privileges:true")),
        ("opens nothing to the host", opens.iter().all(|key| service.get(key).is_none())),
        ("does not hold Docker's socket", !service.to_string().contains("docker.sock")),
    ];
    kept.into_iter().filter(|(_, kept)| !kept).map(|(promise, _)| promise)
}

/// Who reaches whom, and who holds the secrets.
fn walls(services: &Map<String, Value>, networks: &Value) -> impl Iterator<Item = &'static str> {
    let of = |name: &str| texts(&services[name]["networks"]);
    let inner = |network: &&str| networks[*network]["internal"] == true;
    let shared = |a: &str, b: &str| of(a).intersection(&of(b)).next().is_some();
    let holds_secrets = |service: &Value| service.to_string().contains("router/.env");
    let holders: Vec<_> = services.iter().filter(|(_, s)| holds_secrets(s)).collect();
    let aof = texts(&services["redis"]["command"]);
    let kept = [
        ("the agent reaches inner networks alone", of("agent").iter().all(inner)),
        ("the agent reaches redis", shared("agent", "redis")),
        ("the agent reaches ollama", shared("agent", "ollama")),
        ("redis reaches inner networks alone", of("redis").iter().all(inner)),
        ("the router reaches redis", shared("router", "redis")),
        ("the router reaches the skills' hosts", !of("router").iter().all(inner)),
        (
            "the router alone holds router/.env",
            holders.iter().map(|(name, _)| *name).eq(["router"]),
        ),
        ("redis keeps what it is told", aof.contains("--appendonly") && aof.contains("yes")),
        ("redis throws nothing away", aof.contains("noeviction")),
        ("ollama is optional", !texts(&services["ollama"]["profiles"]).is_empty()),
    ];
    kept.into_iter().filter(|(_, kept)| !kept).map(|(promise, _)| promise)
}

#[test]
fn the_compose_file_keeps_its_promises() {
    assert_eq!(broken(&compose()), [""; 0]);
}

#[test]
fn each_promise_that_is_broken_is_noticed() {
    let cases = [
        ("/services/agent/ports", json!(["8080:8080"]), "agent: opens nothing to the host"),
        ("/services/agent/read_only", json!(false), "agent: has a read-only file system"),
        ("/services/router/user", json!("0:0"), "router: runs as a user that is not root"),
        ("/services/router/user", json!(null), "router: runs as a user that is not root"),
        ("/services/redis/tmpfs", json!(["/tmp"]), "redis: has a bounded /tmp"),
        ("/services/redis/cap_drop", json!([]), "redis: has no capabilities"),
        ("/services/ollama/security_opt", json!([]), "ollama: gains no privileges"),
        (
            "/services/agent/networks",
            json!(["queue", "model", "outside"]),
            "the agent reaches inner networks alone",
        ),
        ("/networks/queue/internal", json!(false), "the agent reaches inner networks alone"),
        ("/services/router/networks", json!(["queue"]), "the router reaches the skills' hosts"),
        ("/services/agent/env_file", json!("router/.env"), "the router alone holds router/.env"),
        ("/services/router/volumes", json!([]), "the router alone holds router/.env"),
        ("/services/redis/command", json!(["redis-server"]), "redis keeps what it is told"),
        ("/services/redis/command", json!(["redis-server"]), "redis throws nothing away"),
        (
            "/services/agent/volumes",
            json!(["/var/run/docker.sock:/d"]),
            "agent: does not hold Docker's socket",
        ),
    ];
    for (pointer, value, promise) in cases {
        let mut changed = compose();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[key] = value;
        let noticed = broken(&changed);
        assert!(noticed.iter().any(|said| said == promise), "{pointer}: {noticed:?}");
    }
}

#[test]
fn each_image_that_is_built_is_a_stage_that_ends_as_the_user() {
    let dockerfile = text("Dockerfile");
    let compose = compose();
    let services = compose["services"].as_object().unwrap();
    let targets: BTreeSet<_> =
        services.values().filter_map(|service| service["build"]["target"].as_str()).collect();
    assert_eq!(targets, BTreeSet::from(["agent", "ollama", "router"]));
    for target in targets {
        let start = format!(" AS {target}\n");
        let (_, stage) = dockerfile.split_once(&start).unwrap();
        let stage = stage.split("\nFROM ").next().unwrap();
        let mut users = stage.lines().filter(|line| line.starts_with("USER "));
        assert_eq!(users.next_back(), Some("USER $UID:$GID"), "{target}");
    }
}

#[test]
fn no_secret_and_no_leftover_gets_into_an_image() {
    let ignored = text(".dockerignore");
    for pattern in ["**/.env", "target", ".git", "router/audit", "router/state", "router/log"] {
        assert!(ignored.lines().any(|line| line == pattern), "{pattern}");
    }
    assert!(!ignored.lines().any(|line| line.starts_with('!') && line.ends_with(".env")));
}
