//! Does what the command line of storms asks for.

use std::path::PathBuf;

use mind::storm::{
    Ended, Heard, Minds, Runner, Shelf, ShelfError, Stored, StormError, casting, command, now,
};
use model::Maker;
use protocol::SessionKey;
use storm::{Name, Premise, export};

use super::screen::Screen;
use super::{Budget, Command};
use crate::start;

/// What the commands work with.
pub(super) struct Desk {
    /// The storms.
    pub(super) shelf: Shelf,
    /// Where agents are copied from.
    pub(super) personas: PathBuf,
    /// What models are made with.
    pub(super) maker: Maker,
}

/// How long a storm goes on.
enum Turns {
    Speakers(u32),
    Rounds(u32),
}

impl Desk {
    /// Does `command`; `given` is the premise or the words of a person, where it has one.
    pub(super) fn run(self, command: Command, given: &str) -> Result<(), StormError> {
        match command {
            Command::New { name, agents, .. } => self.begin(&name, given, &agents),
            Command::Start { name, budget } => self.go_on(&name, budget, &Turns::Rounds(1)),
            Command::Auto { name, rounds, budget } => {
                self.go_on(&name, budget, &Turns::Rounds(rounds))
            }
            Command::Next { name, count, budget } => {
                self.go_on(&name, budget, &Turns::Speakers(count))
            }
            Command::Say { name, .. } => self.say(&name, given),
            Command::Stop { name } => self.stop(&name),
            Command::List => self.list(),
            Command::Export { name, format } => {
                let stored = self.open(&name)?;
                let title = stored.name.as_str();
                show(&export(format.into(), title, &stored.premise, stored.log.log()));
                Ok(())
            }
        }
    }

    fn begin(&self, name: &str, premise: &str, wanted: &[String]) -> Result<(), StormError> {
        let name = Name::new(name).map_err(ShelfError::from)?;
        let premise = Premise::new(premise)?;
        let cast = casting(&self.personas, wanted, &self.maker.llm.target())?;
        let folder = self.shelf.create(&name, &premise, &cast, now())?;
        let names: Vec<&str> = cast.agents().iter().map(|agent| agent.name.as_str()).collect();
        show(&format!(
            "{} is there, with {}.\nEdit the files in its folder Agents as you like; `{}` lets each of them speak once.\n",
            folder.display(),
            names.join(", "),
            command("storm start", &name),
        ));
        Ok(())
    }

    fn go_on(&self, name: &str, budget: Budget, turns: &Turns) -> Result<(), StormError> {
        let mut stored = self.open(name)?;
        let agents = stored.cast()?.agents().len();
        let count = match turns {
            Turns::Speakers(count) => *count as usize,
            Turns::Rounds(rounds) => *rounds as usize * agents,
        };
        let minds = Minds::new(self.maker.clone(), SessionKey::owner());
        let runtime = start::runtime()?;
        let mut screen = Screen::default();
        let mut hear = |heard: Heard<'_>| screen.hear(&heard);
        let mut runner = Runner { stored: &mut stored, speaks: &minds, limit: budget.tokens };
        let ended = runtime.block_on(runner.next(count, &mut hear));
        screen.end();
        if ended? == Ended::Stopped {
            show("[stopped]\n");
        }
        show(&format!("[{} is next]\n", stored.next()?.name));
        Ok(())
    }

    fn say(&self, name: &str, text: &str) -> Result<(), StormError> {
        let mut stored = self.open(name)?;
        stored.say(text, &mut |_| {})?;
        let next = stored.next().map(|agent| format!("; {} is next", agent.name));
        show(&format!("[said{}]\n", next.unwrap_or_default()));
        Ok(())
    }

    fn stop(&self, name: &str) -> Result<(), StormError> {
        let is_asked = self.open(name)?.stop()?;
        show(if is_asked {
            "[it stops after the present speaker]\n"
        } else {
            "[it does not go on anywhere]\n"
        });
        Ok(())
    }

    fn list(&self) -> Result<(), StormError> {
        let names = self.shelf.names()?;
        if names.is_empty() {
            let new = home::command("storm new NAME --premise TEXT");
            show(&format!(
                "there are no storms in {}; make one with `{new}`\n",
                self.shelf.folder().display()
            ));
        }
        for name in names {
            let told = match self.shelf.open(name.as_str()) {
                Ok(stored) => line(&stored),
                Err(error) => error.to_string(),
            };
            show(&format!("{name}: {told}\n"));
        }
        Ok(())
    }

    fn open(&self, name: &str) -> Result<Stored, StormError> {
        let stored = self.shelf.open(name)?;
        for warning in stored.log.warnings() {
            home::say_on_stderr!("[{}, {warning}]", stored.log.path().display());
        }
        Ok(stored)
    }
}

/// How a storm stands, in a line.
fn line(stored: &Stored) -> String {
    let said = stored.log.log().messages().count();
    match stored.next() {
        Ok(agent) => format!("{}, {} is next", home::counted(said as u64, "message"), agent.name),
        Err(error) => error.to_string(),
    }
}

fn show(text: &str) {
    home::say_part(format_args!("{text}"));
}
