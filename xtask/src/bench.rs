//! Measures the release build against its budgets. A budget that is missed is shown, not failed: a
//! machine that is busy must not break a gate.
//!
//! A new bench is one file beside this one and one line in [`BENCHES`].

mod figure;
mod machine;
mod ollama;
mod program;
mod said;

mod channels;
mod clock;
mod eyes;
mod library;
mod memory;
mod page;
mod prompt;
mod queue;
mod size;
mod start;
mod storm;
mod turn;
mod wall;
mod words;
mod workbench;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::chaos;
use figure::Figure;
use said::Said;

/// Something that can be measured.
struct Bench {
    name: &'static str,
    /// What it measures, in one line.
    about: &'static str,
    run: fn(&Shell) -> Result<Vec<Figure>>,
}

const BENCHES: &[Bench] = &[
    Bench { name: "size", about: "what the release build installs", run: size::run },
    Bench { name: "start", about: "from the start to the first answer", run: start::run },
    Bench { name: "turn", about: "what a turn costs besides the model", run: turn::run },
    Bench { name: "channels", about: "what many chats at once cost", run: channels::run },
    Bench { name: "clock", about: "what 10,000 jobs cost", run: clock::run },
    Bench { name: "memory", about: "what the processes hold while idle", run: memory::run },
    Bench { name: "page", about: "when pages are painted, and what they hold", run: page::run },
    Bench { name: "queue", about: "what the broker costs on Redis", run: queue::run },
    Bench { name: "wall", about: "what the wall adds to a command", run: wall::run },
    Bench { name: "words", about: "when the first words are shown", run: words::run },
    Bench { name: "eyes", about: "what a look at a page takes", run: eyes::run },
    Bench { name: "storm", about: "what a storm of 1,000 messages costs", run: storm::run },
    Bench { name: "library", about: "what papers cost, and how they are found", run: library::run },
    Bench { name: "workbench", about: "what a folder that is open costs", run: workbench::run },
    Bench { name: "prompt", about: "what the model has to read, turn by turn", run: prompt::run },
];

/// Runs one bench, or `all`, or lists them.
///
/// # Errors
/// When there is no such bench or it can't be run.
pub(crate) fn run(sh: &Shell, name: Option<&str>) -> Result<()> {
    let Some(name) = name else {
        BENCHES.iter().for_each(|Bench { name, about, .. }| println!("{name:<10}{about}"));
        return Ok(());
    };
    let chosen: Vec<_> =
        BENCHES.iter().filter(|bench| name == "all" || name == bench.name).collect();
    ensure!(!chosen.is_empty(), "there is no bench {name}; cargo xtask bench lists them");
    cmd!(sh, "cargo build --release --locked").args(chaos::RELEASE).run()?;
    chaos::is_left_out_of(sh, &["safeclaw", "start_agent", "start_router"])?;
    // First, because measuring is work, too.
    let machine = machine::facts(sh);
    let mut rows = Vec::new();
    for Bench { name, about, run } in chosen {
        eprintln!("measuring {name}: {about}");
        rows.extend(run(sh)?.into_iter().map(|figure| figure.row(name)));
    }
    println!("\n{machine}\n\n{}", rows.concat());
    Ok(())
}
