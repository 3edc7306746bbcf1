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
    broken.extend(uses(services).map(str::to_owned));
    broken
}

/// What every service keeps to.
fn confinement(service: &Value) -> impl Iterator<Item = &'static str> {
    let user = service["user"].as_str().unwrap_or("root");
    let is_tmpfs = |mount: &str| mount.starts_with("/tmp:size=");
    let opens = ["privileged", "cap_add", "devices", "pid", "ipc"];
    let is_here = |port: &&str| port.starts_with("127.0.0.1:");
    let beside = |mode: &str| mode.starts_with("service:");
    let is_pinned = |image: &str| {
        image.rsplit_once(':').is_some_and(|(_, tag)| tag.starts_with(|c: char| c.is_ascii_digit()))
    };
    let kept = [
        ("runs as a user that is not root", user != "root" && !user.starts_with('0')),
        ("has a read-only file system", service["read_only"] == true),
        ("has a bounded /tmp", texts(&service["tmpfs"]).into_iter().any(is_tmpfs)),
        ("has no capabilities", texts(&service["cap_drop"]).contains("ALL")),
        ("gains no privileges", texts(&service["security_opt"]).contains("no-new-privileges:true")),
        ("opens nothing to the host", opens.iter().all(|key| service.get(key).is_none())),
        ("is published on 127.0.0.1 alone", texts(&service["ports"]).iter().all(is_here)),
        ("has no network of the host", service["network_mode"].as_str().is_none_or(beside)),
        ("says how it is", !texts(&service["healthcheck"]["test"]).is_empty()),
        ("has bounded processes", service["pids_limit"].as_u64().is_some()),
        ("has bounded memory", service["mem_limit"].as_str().is_some()),
        ("has an image of a version", service["image"].as_str().is_none_or(is_pinned)),
        ("does not hold Docker's socket", !service.to_string().contains("docker.sock")),
    ];
    kept.into_iter().filter(|(_, kept)| !kept).map(|(promise, _)| promise)
}

/// Who reaches whom, and who holds the secrets.
fn walls(services: &Map<String, Value>, networks: &Value) -> impl Iterator<Item = &'static str> {
    let of = |name: &str| texts(&services[name]["networks"]);
    let inner = |network: &&str| networks[*network]["internal"] == true;
    let shared = |a: &str, b: &str| of(a).intersection(&of(b)).next().is_some();
    let holds_secrets = |service: &Value| service["volumes"].to_string().contains("/router");
    let holders: Vec<_> = services.iter().filter(|(_, s)| holds_secrets(s)).collect();
    let whole = |service: &Value| service["volumes"].to_string().contains("data}\"");
    let aof = texts(&services["redis"]["command"]);
    let kept = [
        ("the browser reaches the agent's proxy alone", of("browser").iter().all(inner)),
        ("the agent reaches the browser", shared("agent", "browser")),
        ("nobody but the agent reaches the browser", !shared("router", "browser")),
        ("nobody holds both homes", !services.values().any(whole)),
        ("the agent reaches redis", shared("agent", "redis")),
        ("the agent reaches ollama", shared("agent", "ollama")),
        ("redis reaches inner networks alone", of("redis").iter().all(inner)),
        ("the router reaches redis", shared("router", "redis")),
        ("the router reaches the skills' hosts", !of("router").iter().all(inner)),
        ("the router alone holds its home", holders.iter().map(|(name, _)| *name).eq(["router"])),
        ("redis keeps what it is told", aof.contains("--appendonly") && aof.contains("yes")),
        ("redis throws nothing away", aof.contains("noeviction")),
        ("redis is not killed when it is full", aof.contains("--maxmemory")),
        ("ollama is optional", !texts(&services["ollama"]["profiles"]).is_empty()),
    ];
    kept.into_iter().filter(|(_, kept)| !kept).map(|(promise, _)| promise)
}

/// What the README shows, and the containers have to make possible.
fn uses(services: &Map<String, Value>) -> impl Iterator<Item = &'static str> {
    let (agent, router) = (&services["agent"], &services["router"]);
    let options = texts(&router["security_opt"]);
    let home = |service: &Value, name: &str| {
        let mount = &service["volumes"][0];
        let folder = mount["source"].as_str().is_some_and(|from| from.ends_with(name));
        folder
            && mount["type"] == "bind"
            && mount["target"] == "/data"
            && mount.get("read_only").is_none()
            && mount["bind"]["create_host_path"] == false
    };
    let gpu = &services["ollama-gpu"]["deploy"]["resources"]["reservations"]["devices"][0];
    let kept = [
        (
            "skills have namespaces",
            options.contains("seccomp=./compose.seccomp.json")
                && options.contains("apparmor=unconfined")
                && options.contains("systempaths=unconfined"),
        ),
        (
            "the router alone has them",
            services.iter().all(|(name, service)| {
                name == "router" || !service["security_opt"].to_string().contains("confined")
            }),
        ),
        ("the agent reaches Telegram and the cloud", texts(&agent["networks"]).contains("outside")),
        (
            "the agent reaches the host's Ollama",
            agent["environment"]["OLLAMA_HOST"]
                == "${OLLAMA_HOST:-http://host.docker.internal:11434}"
                && texts(&agent["extra_hosts"]).contains("host.docker.internal:host-gateway"),
        ),
        ("programs reach the agent", texts(&agent["ports"]).contains("127.0.0.1:8787:8788")),
        ("the agent's settings can be edited", home(agent, "/agent")),
        ("the router's settings can be edited", home(router, "/router")),
        ("who says `quit` has ended the chat", agent["restart"] == "on-failure"),
        ("a graphics card is used when asked for", gpu["capabilities"] == json!(["gpu"])),
        (
            "what a chat does not need is optional",
            ["programs", "browser", "ollama", "ollama-gpu"]
                .iter()
                .all(|name| !texts(&services[*name]["profiles"]).is_empty()),
        ),
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
        ("/services/agent/ports", json!(["8080:8080"]), "agent: is published on 127.0.0.1 alone"),
        ("/services/agent/ports", json!([]), "programs reach the agent"),
        ("/services/agent/network_mode", json!("host"), "agent: has no network of the host"),
        ("/services/agent/privileged", json!(true), "agent: opens nothing to the host"),
        ("/services/agent/restart", json!("unless-stopped"), "who says `quit` has ended the chat"),
        ("/services/agent/extra_hosts", json!([]), "the agent reaches the host's Ollama"),
        ("/services/agent/healthcheck", json!({}), "agent: says how it is"),
        ("/services/router/pids_limit", json!(null), "router: has bounded processes"),
        ("/services/redis/mem_limit", json!(null), "redis: has bounded memory"),
        ("/services/redis/image", json!("redis:latest"), "redis: has an image of a version"),
        ("/services/redis/image", json!("redis"), "redis: has an image of a version"),
        (
            "/services/router/security_opt",
            json!(["no-new-privileges:true"]),
            "skills have namespaces",
        ),
        (
            "/services/agent/security_opt",
            json!(["no-new-privileges:true", "seccomp=unconfined"]),
            "the router alone has them",
        ),
        (
            "/services/browser/networks",
            json!(["pages", "outside"]),
            "the browser reaches the agent's proxy alone",
        ),
        ("/services/browser/profiles", json!([]), "what a chat does not need is optional"),
        ("/services/agent/read_only", json!(false), "agent: has a read-only file system"),
        ("/services/router/user", json!("0:0"), "router: runs as a user that is not root"),
        ("/services/router/user", json!(null), "router: runs as a user that is not root"),
        ("/services/redis/tmpfs", json!(["/tmp"]), "redis: has a bounded /tmp"),
        ("/services/redis/cap_drop", json!([]), "redis: has no capabilities"),
        ("/services/ollama/security_opt", json!([]), "ollama: gains no privileges"),
        (
            "/services/agent/networks",
            json!(["queue", "model"]),
            "the agent reaches Telegram and the cloud",
        ),
        ("/networks/queue/internal", json!(false), "redis reaches inner networks alone"),
        ("/services/router/networks", json!(["queue"]), "the router reaches the skills' hosts"),
        ("/services/agent/volumes", json!(["./data/router:/r"]), "the router alone holds its home"),
        ("/services/agent/volumes", json!(["${SAFECLAW_DATA:-./data}"]), "nobody holds both homes"),
        ("/services/router/volumes", json!([]), "the router's settings can be edited"),
        ("/services/redis/command", json!(["redis-server"]), "redis keeps what it is told"),
        ("/services/redis/command", json!(["redis-server"]), "redis throws nothing away"),
        ("/services/redis/command", json!(["redis-server"]), "redis is not killed when it is full"),
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

/// The system calls that the profile beside compose.yaml refuses.
fn refused() -> BTreeSet<String> {
    let profile: Value = serde_json::from_str(&text("compose.seccomp.json")).unwrap();
    assert_eq!(profile["defaultAction"], "SCMP_ACT_ALLOW");
    let rules = profile["syscalls"].as_array().unwrap();
    assert!(
        rules.iter().all(|rule| rule["action"] == "SCMP_ACT_ERRNO" && rule.get("args").is_none())
    );
    let names = rules.iter().flat_map(|rule| rule["names"].as_array().unwrap());
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_routers_profile_lets_it_build_a_sandbox_and_refuses_what_skills_are_refused() {
    let refused = refused();
    // What the stages of the sandbox call (sandbox/src/stage).
    let builds = ["clone", "mount", "umount2", "pivot_root", "unshare", "sethostname"];
    for call in builds.into_iter().chain(["landlock_restrict_self", "seccomp", "prctl"]) {
        assert!(!refused.contains(call), "{call}");
    }
    let table = text("sandbox/src/stage/refused.rs");
    let (_, table) = table.split_once("ALWAYS").unwrap();
    let (table, _) = table.split_once("];").unwrap();
    let calls = table.split("SYS_").skip(1).map(|rest| rest.split([',', '\n']).next().unwrap());
    for call in calls.filter(|call| !builds.contains(call)) {
        assert!(refused.contains(call), "{call}");
    }
}

#[test]
fn each_image_that_others_have_made_is_of_a_version() {
    let dockerfile = text("Dockerfile");
    let bases: Vec<_> = dockerfile.lines().filter_map(|line| line.strip_prefix("FROM ")).collect();
    assert!(bases.len() > 3);
    for base in bases {
        let image = base.split(' ').next().unwrap();
        let version = image
            .split_once(':')
            .is_some_and(|(_, tag)| tag.starts_with(|c: char| c.is_ascii_digit()));
        assert!(version || image == "base", "{base}");
    }
}

#[test]
fn no_secret_and_no_leftover_gets_into_an_image() {
    let ignored = text(".dockerignore");
    for pattern in
        ["**/.env", "target", ".git", "data", "router/audit", "router/state", "router/log"]
    {
        assert!(ignored.lines().any(|line| line == pattern), "{pattern}");
    }
    assert!(!ignored.lines().any(|line| line.starts_with('!') && line.ends_with(".env")));
}
