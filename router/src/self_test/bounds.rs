//! Attacks that use things up. Each stops by itself a little above its bound.

use std::fs::File;
use std::io::{self, Write};
use std::thread::{Builder, park};

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::attack::Answer;
use super::target::Target;

const MIB: usize = 1024 * 1024;

/// How large the stack of a task is that does nothing.
const STACK: usize = 64 * 1024;

/// Tasks of one process count for the kernel as processes do, and end with it.
pub(super) fn tasks(target: &Target) -> Answer {
    for started in 0..target.too_many_tasks {
        let task = Builder::new().stack_size(STACK).spawn(|| {
            loop {
                park();
            }
        });
        if let Err(error) = task {
            return Answer::Refused(format!("{error} after {started}"));
        }
    }
    Answer::Got(format!("started {}", target.too_many_tasks))
}

/// Memory that is never touched counts, and costs the machine nothing.
pub(super) fn memory(target: &Target) -> Answer {
    let pieces = target.too_much_memory / (64 * MIB as u64);
    let mut held: Vec<Vec<u8>> = Vec::new();
    for taken in 0..pieces {
        let mut piece = Vec::new();
        if let Err(error) = piece.try_reserve_exact(64 * MIB) {
            return Answer::Refused(format!("{error}, after {} MiB", taken * 64));
        }
        held.push(std::hint::black_box(piece));
    }
    Answer::Got(format!("took {} MiB", held.len() * 64))
}

pub(super) fn file(target: &Target) -> Answer {
    let written = File::create("large").and_then(|mut file| fill(&mut file, target.too_much_disk));
    written.map(|()| format!("wrote {} bytes", target.too_much_disk)).into()
}

pub(super) fn disk(target: &Target) -> Answer {
    let files = target.too_much_disk / MIB as u64;
    let written =
        (0..files).try_for_each(|number| fill(&mut File::create(number.to_string())?, MIB as u64));
    written.map(|()| format!("wrote {files} MiB")).into()
}

fn fill(file: &mut File, bytes: u64) -> io::Result<()> {
    let block = vec![b'x'; MIB];
    (0..bytes.div_ceil(MIB as u64)).try_for_each(|_| file.write_all(&block))
}

/// Its answer drowns in what it prints.
pub(super) fn output(target: &Target) -> Answer {
    let block = vec![b'x'; target.too_much_output];
    io::stdout().write_all(&block).map(|()| "printed it".to_owned()).into()
}

pub(super) fn core(_: &Target) -> Answer {
    let raised = || {
        let (_, most) = getrlimit(Resource::RLIMIT_CORE)?;
        setrlimit(Resource::RLIMIT_CORE, most, most)?;
        if most == 0 { Err(Errno::EPERM) } else { Ok("they are allowed".to_owned()) }
    };
    raised().map_err(io::Error::from).into()
}
