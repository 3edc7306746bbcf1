//! `cargo xtask errands`: how often does a model do a small job at the workbench, from start to end?
//!
//! Each try is a run of `safeclaw work` of the release build, in a home and a folder of its own. Whether the job is done, a command
//! tells that the model never sees.
#![expect(
    clippy::disallowed_types,
    reason = "what is tried is a process, which may have to be killed"
)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use xshell::{Shell, cmd};

/// What to try.
#[derive(Debug, Args)]
pub(crate) struct Errands {
    /// The model, as `safeclaw agent config llm` takes it, such as ollama:qwen2.5:3b
    #[arg(long, value_name = "TARGET")]
    model: String,
    /// How often each job is tried
    #[arg(long, default_value_t = 10)]
    times: u32,
    /// How long one try may take, in minutes
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// The temperature; without one it is 0, and the tries of a job are nearly the same
    #[arg(long)]
    temperature: Option<f64>,
}

/// A job, and how it is seen that it is done.
struct Errand {
    name: &'static str,
    /// The files of the folder, with their content.
    files: &'static [(&'static str, &'static str)],
    say: &'static str,
    /// A command of sh, run in the folder: 0 means that it is done.
    done: &'static str,
}

const ERRANDS: [Errand; 3] = [
    Errand {
        name: "write a file",
        files: &[],
        say: "Write the line 'buy milk' into the file todo.txt.",
        done: "test \"$(cat todo.txt)\" = 'buy milk'",
    },
    Errand {
        name: "count and write down",
        files: &[(
            "guests.csv",
            "name,town\nAnn,Bern\nBo,Oslo\nCy,Rome\nDee,Bonn\nEd,Graz\nFay,Lodz\n",
        )],
        say: "How many lines has guests.csv? Write that number into count.txt, and nothing else.",
        done: "test \"$(tr -d '[:space:]' < count.txt)\" = 7",
    },
    Errand {
        name: "mend a program",
        files: &[
            ("calc.py", "def add(a, b):\n    return a - b\n"),
            ("test_calc.py", "from calc import add\n\nassert add(2, 3) == 5\nprint(\"ok\")\n"),
        ],
        say: "python3 test_calc.py fails. Mend calc.py so that it passes.",
        done: "grep -q 'assert add(2, 3) == 5' test_calc.py && python3 -B -c 'import calc; assert calc.add(20, 3) == 23'",
    },
];

/// Tries each job, and prints how often it was done.
///
/// # Errors
/// When something can't be built or started, or the model does not answer.
pub(crate) fn run(sh: &Shell, errands: &Errands) -> Result<()> {
    cmd!(sh, "cargo build --quiet --locked --release --bin safeclaw").run()?;
    let program = sh.current_dir().join("target/release/safeclaw");
    println!("| what is to be done | done | said to be done, and not | no end in time | median |");
    println!("|---|---|---|---|---|");
    for errand in &ERRANDS {
        let (mut done, mut claimed, mut endless, mut times) = (0, 0, 0, Vec::new());
        for number in 1..=errands.times {
            let begun = Instant::now();
            let (is_done, ended) = tried(sh, &program, errands, errand)?;
            times.push(begun.elapsed().as_secs_f64());
            done += u32::from(is_done);
            endless += u32::from(ended.is_none());
            claimed += u32::from(!is_done && ended.is_some_and(|status| status.success()));
            eprintln!("{}, {number} of {}: {is_done}, {ended:?}", errand.name, errands.times);
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let of = errands.times;
        println!("| {} | {done} of {of} | {claimed} | {endless} | {median:.0} s |", errand.name);
    }
    Ok(())
}

/// One try: whether the job is done, and how `safeclaw work` ended, if it did in time.
fn tried(
    sh: &Shell,
    program: &Path,
    errands: &Errands,
    errand: &Errand,
) -> Result<(bool, Option<ExitStatus>)> {
    let (home, folder) = (sh.create_temp_dir()?, sh.create_temp_dir()?);
    for (name, text) in errand.files {
        fs::write(folder.path().join(name), text)?;
    }
    let (home, model) = (home.path(), &errands.model);
    cmd!(sh, "{program} agent config llm {model} --home {home}").quiet().ignore_stdout().run()?;
    if let Some(temperature) = errands.temperature {
        write_persona(sh, home, model, temperature)?;
        let chosen = cmd!(sh, "{program} --home {home}").stdin("/agent tried\n").quiet();
        let told = chosen.ignore_stderr().read()?;
        ensure!(told.contains("tried answers here from now on"), "{told}");
    }
    let mut work = Command::new(program)
        .arg("work")
        .arg(folder.path())
        .arg(errand.say)
        .arg("--home")
        .arg(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| program.display().to_string())?;
    let ended = within(&mut work, Duration::from_secs(errands.minutes * 60))?;
    let check = Command::new("sh")
        .args(["-c", errand.done])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok((check.success(), ended))
}

/// Writes the persona `tried`, which differs from the default one in the temperature alone.
fn write_persona(sh: &Shell, home: &Path, target: &str, temperature: f64) -> Result<()> {
    let (kind, model) =
        target.split_once(':').context("the model has no service before a colon")?;
    let soul = sh.read_file("workspace/SOUL.md")?;
    let tag = format!(
        r#"<aistorm type="{kind}" model="{model}" temperature="{temperature}" cadence="drive" />"#
    );
    sh.write_file(home.join("workspace/personas/tried.md"), format!("{tag}\n\n{soul}"))?;
    Ok(())
}

/// How it ends; nothing when it was killed because it did not in time.
fn within(work: &mut Child, most: Duration) -> Result<Option<ExitStatus>> {
    let begun = Instant::now();
    while begun.elapsed() < most {
        if let Some(status) = work.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    work.kill()?;
    work.wait()?;
    Ok(None)
}
