//! What the figures were measured on, without which they say nothing.

use xshell::{Shell, cmd};

/// Processor, memory, kernel, compiler and what else the machine has to do, in one line.
pub(crate) fn facts(sh: &Shell) -> String {
    let cpu = field(sh, "/proc/cpuinfo", "model name");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = field(sh, "/proc/meminfo", "MemTotal");
    let kernel = cmd!(sh, "uname -sr").quiet().read().unwrap_or_default();
    let rustc = cmd!(sh, "rustc --version").quiet().read().unwrap_or_default();
    let load = sh.read_file("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    format!("{cpu}, {cores} cores, {memory}, {kernel}, {rustc}, load {load}")
}

/// The value of the first line `name : value` in a file of the kernel.
fn field(sh: &Shell, file: &str, name: &str) -> String {
    let text = sh.read_file(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    let value =
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned());
    value.unwrap_or_else(|| format!("unknown {name}"))
}
