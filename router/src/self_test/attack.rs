//! What an attack is, and the list of them.

use std::io;

use serde::{Deserialize, Serialize};

use super::target::Target;
use super::{bounds, files, kernel, network, processes};

/// What became of an attack, as it tells itself.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// It succeeded, and has this to show for it.
    Got(String),
    /// Something stopped it.
    Refused(String),
    /// It could not begin.
    Moot(String),
}

impl From<io::Result<String>> for Answer {
    fn from(done: io::Result<String>) -> Self {
        done.map_or_else(|error| Self::Refused(error.to_string()), Self::Got)
    }
}

/// How an attack shows that it succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// By its answer.
    Answers,
    /// By a process that outlives it.
    Lingers,
    /// By going on when its time is up.
    GoesOn,
    /// By printing more than it may.
    Floods,
}

/// One attack.
pub(super) struct Attack {
    pub(super) name: &'static str,
    pub(super) tried: &'static str,
    pub(super) proof: Proof,
    /// Whether it runs as a skill that declares a host, with the proxy's gate open to it.
    pub(super) with_gate: bool,
    /// Whether it waits for seconds where it is held. Such attacks ask little of the machine, so they run at the same time.
    pub(super) waits: bool,
    pub(super) run: fn(&Target) -> Answer,
}

/// An attack that answers, and has no network.
const fn attack(name: &'static str, tried: &'static str, run: fn(&Target) -> Answer) -> Attack {
    Attack { name, tried, proof: Proof::Answers, with_gate: false, waits: false, run }
}

const fn gated(name: &'static str, tried: &'static str, run: fn(&Target) -> Answer) -> Attack {
    Attack { with_gate: true, ..attack(name, tried, run) }
}

const fn waiting(attack: Attack) -> Attack {
    Attack { waits: true, ..attack }
}

const fn ending(
    name: &'static str,
    tried: &'static str,
    end: (Proof, fn(&Target) -> Answer),
) -> Attack {
    Attack { proof: end.0, ..attack(name, tried, end.1) }
}

/// All of them.
pub(super) const ATTACKS: &[Attack] = &[
    attack("home", "read a file of SafeClaw's home", files::home),
    attack("owner", "read a key file below the owner's home, like ~/.ssh", files::owner),
    attack("write", "write a file beside the scratch directory", files::write),
    attack("devices", "open a device of the machine", files::devices),
    attack("descriptors", "use a file that the router left open", files::descriptors),
    attack("environment", "find the router's variables in its own environment", files::environment),
    attack("others' environment", "read the environment of another process", files::environ),
    attack("tcp", "connect to an address of this machine", network::tcp),
    attack("loopback", "connect to a server on the router's loopback", network::loopback),
    waiting(attack("udp", "exchange datagrams with a server on the loopback", network::udp)),
    attack("unix socket", "connect to a Unix socket by its path", network::unix),
    attack("abstract socket", "connect to an abstract Unix socket", network::abstract_unix),
    attack("raw socket", "open a raw or a packet socket", network::raw),
    attack("kernel socket", "open a netlink socket", network::netlink),
    gated("tcp +net", "the same as a skill with network: an address of this machine", network::tcp),
    gated("loopback +net", "the same, to the router's loopback", network::loopback),
    waiting(gated("udp +net", "the same, with datagrams", network::udp)),
    gated("unix socket +net", "the same, to a Unix socket", network::unix),
    gated("abstract socket +net", "the same, to an abstract Unix socket", network::abstract_unix),
    gated("raw socket +net", "the same, with a raw or a packet socket", network::raw),
    waiting(gated("proxy", "have the proxy connect to the router's loopback", network::proxy)),
    attack("ptrace", "trace another process", processes::ptrace),
    attack("memory of others", "open the memory of another process", processes::memory),
    attack("signals", "send a signal to a process outside", processes::signal),
    ending("daemon", "leave a process behind", (Proof::Lingers, processes::daemon)),
    waiting(ending("endless", "never end", (Proof::GoesOn, processes::endless))),
    attack("fork bomb", "start ever more tasks", bounds::tasks),
    attack("memory", "take more memory than one process may have", bounds::memory),
    attack("large file", "write a file larger than the scratch directory", bounds::file),
    attack(
        "disk",
        "write more into the scratch directory than it holds, in many files",
        bounds::disk,
    ),
    ending("output", "print more than fits into a reply", (Proof::Floods, bounds::output)),
    attack("core dump", "allow itself core dumps", bounds::core),
    attack("mount", "mount a file system in namespaces of its own", kernel::mount),
    attack("user namespace", "make a user namespace", kernel::user_namespace),
    attack("setuid", "become root", kernel::setuid),
    attack("set-user-id", "be raised by a set-user-id program", kernel::raised),
    attack("keyring", "use the kernel's keys", kernel::keyring),
    attack("bpf", "call bpf", kernel::bpf),
    attack("perf", "call perf_event_open", kernel::perf),
    attack("modules", "load a kernel module", kernel::modules),
    attack("clock", "set the clock", kernel::clock),
];
