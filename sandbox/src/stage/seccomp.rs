//! seccomp: the system calls that no skill may make.
//!
//! A list of what is refused, not of what is allowed: skills are programs in any language, and a list of
//! everything that their runtimes call would be wrong tomorrow. What is refused reaches parts of the kernel
//! that were attacked before, looks into other processes, or gets around a bound.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter, sock_filter,
};

use super::failure::{Failure, Trying};
use super::landlock::Held;
use super::plan::Plan;
use super::refused;
use crate::Level;

/// The first number of the x32 calls, a second way to every call on x86-64 (and no number elsewhere).
const X32: u32 = 0x4000_0000;

/// What is refused: the number of a call, with the conditions under which; none means always.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Holds this process and all that it starts.
pub(super) fn apply(plan: &Plan, held: &Held) -> Result<(), Failure> {
    let programs = programs(plan, held).map_err(io::Error::other).trying("write the filters")?;
    for program in programs {
        apply_filter(&program).map_err(io::Error::other).trying("apply seccomp")?;
    }
    Ok(())
}

/// Of several filters the strictest answer counts. The calls that programs have a second way for are answered
/// as an old kernel would, so that they take it.
fn programs(plan: &Plan, held: &Held) -> Result<[BpfProgram; 3], seccompiler::BackendError> {
    let mut forbidden = always(refused::ALWAYS);
    forbidden.extend(new_namespaces()?);
    forbidden.extend(terminal_input()?);
    forbidden.extend(shared_memory()?);
    forbidden.extend(sockets(plan)?);
    if plan.level != Level::Namespaces {
        forbidden.extend(host_in_sight(held)?);
    }
    let missing = always(refused::AS_IF_MISSING);
    Ok([second_table(), filter(forbidden, libc::EPERM)?, filter(missing, libc::ENOSYS)?])
}

/// What is refused besides where the skill stands among the host's files and processes.
fn host_in_sight(held: &Held) -> Result<Rules, seccompiler::BackendError> {
    let mut tables = vec![
        refused::LEAVING_THE_GROUP,
        refused::CHANGING_FILES,
        refused::CHANGING_FILES_ONCE,
        refused::HINDERING_OTHERS,
    ];
    if !held.signals {
        tables.push(refused::SIGNALS);
    }
    let mut rules = always(&tables.concat());
    // Bounds may be lowered for oneself, which is 0.
    rules.insert(libc::SYS_prlimit64, vec![rule(vec![is_not(0, 0)?])?]);
    Ok(rules)
}

fn filter(rules: Rules, errno: i32) -> Result<BpfProgram, seccompiler::BackendError> {
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)?.try_into()
}

/// Refuses every number of the x32 table, which the other filters do not know.
fn second_table() -> BpfProgram {
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    vec![
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0), // the call's number
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refuse),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn always(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

/// `clone` with a flag that makes a namespace.
fn new_namespaces() -> Result<Rules, seccompiler::BackendError> {
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let rules = flags.map(|flag| rule(vec![has_bits(0, flag.unsigned_abs().into())?]));
    Ok(Rules::from([(libc::SYS_clone, rules.into_iter().collect::<Result<_, _>>()?)]))
}

/// `ioctl` that types into a terminal.
fn terminal_input() -> Result<Rules, seccompiler::BackendError> {
    let requests = [libc::TIOCSTI, libc::TIOCLINUX].map(|request| rule(vec![is(1, request)?]));
    Ok(Rules::from([(libc::SYS_ioctl, requests.into_iter().collect::<Result<_, _>>()?)]))
}

/// `mmap` of shared memory without a file, which no limit on memory counts.
fn shared_memory() -> Result<Rules, seccompiler::BackendError> {
    let both = (libc::MAP_SHARED | libc::MAP_ANONYMOUS).unsigned_abs();
    Ok(Rules::from([(libc::SYS_mmap, vec![rule(vec![has_bits(3, both.into())?])?])]))
}

/// No sockets at all without network (a socket file of the host could be in sight, and the kernel's network
/// code is large); with it TCP, UDP and Unix sockets. Pairs of Unix sockets are pipes and always allowed.
fn sockets(plan: &Plan) -> Result<Rules, seccompiler::BackendError> {
    let unix = libc::AF_UNIX.unsigned_abs().into();
    let pairs = vec![rule(vec![is_not(0, unix)?])?];
    let single = if plan.net.is_some() { unusual_sockets()? } else { Vec::new() };
    Ok(Rules::from([(libc::SYS_socket, single), (libc::SYS_socketpair, pairs)]))
}

/// Everything but TCP, UDP and Unix sockets, by family, by kind and by protocol.
fn unusual_sockets() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let none_of = |argument, values: &[i32]| {
        let conditions = values.iter().map(|value| is_not(argument, value.unsigned_abs().into()));
        rule(conditions.collect::<Result<_, _>>()?)
    };
    let mut rules = vec![
        none_of(0, &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6])?,
        none_of(2, &[0, libc::IPPROTO_TCP, libc::IPPROTO_UDP, libc::IPPROTO_MPTCP])?,
    ];
    // The kind of a socket is a number below 16; flags stand above it.
    for kind in (0..16).filter(|kind| ![libc::SOCK_STREAM, libc::SOCK_DGRAM].contains(kind)) {
        let kind = kind.unsigned_abs().into();
        rules.push(rule(vec![condition(1, SeccompCmpOp::MaskedEq(15), kind)?])?);
    }
    Ok(rules)
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(conditions)
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    condition(argument, SeccompCmpOp::Ne, value)
}

fn has_bits(argument: u8, bits: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    condition(argument, SeccompCmpOp::MaskedEq(bits), bits)
}

/// The kernel looks at the lower half of each of these arguments only, and so must the filter.
fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}
