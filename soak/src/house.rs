//! The house: a Redis with two routers and an agent, and a safeclaw with everything in one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use testkit::{OllamaServer, RedisServer, RedisSetup, children_of};

use crate::model::{self, ASKED};
use crate::process::{Daemon, Start, kill};
use crate::sampler::{Sampler, disk};
use crate::talk::Talk;

/// The names of the processes, as the report shows them.
const STEADY: &str = "router on Redis";
const KILLED: &str = "router on Redis, killed";
const AGENT: &str = "agent on Redis";
const WHOLE: &str = "safeclaw";
const PIPED: &str = "its router, killed";

/// Those that live from the beginning to the end.
pub(crate) const LASTING: [&str; 3] = [STEADY, AGENT, WHOLE];

/// The homes of a house.
const HOMES: [&str; 3] = ["wall", "mind", "whole"];

/// Those of them that hold an audit.
pub(crate) const WALLS: [&str; 2] = ["wall", "whole"];

/// Everything that runs.
pub(crate) struct House {
    folder: PathBuf,
    pub(crate) redis: RedisServer,
    /// Both agents ask it.
    _model: OllamaServer,
    steady: Daemon,
    mortal: Daemon,
    agent: u32,
    whole: u32,
}

impl House {
    /// Starts everything below `folder`; gives the two talks as well.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<(Self, [Talk; 2])> {
        let redis = RedisSetup::default().durable_each_second().start();
        let (url, model) = (redis.url(), model::start());
        for home in HOMES {
            settle(&folder.join(home))?;
        }
        let start = |args: &[&'static str], home: &str, redis: Option<&String>| Start {
            program: program.to_owned(),
            args: args.to_vec(),
            home: folder.join(home),
            ollama: model.host(),
            redis: redis.cloned(),
        };
        let router = || start(&["router"], "wall", Some(&url));
        let steady = Daemon::start(router(), folder.join("steady.log"))?;
        let mortal = Daemon::start(router(), folder.join("mortal.log"))?;
        let agent = Talk::start(&start(&["agent"], "mind", Some(&url)))?;
        let whole = Talk::start(&start(&[], "whole", None))?;
        let house = Self {
            folder: folder.to_owned(),
            redis,
            _model: model,
            steady,
            mortal,
            agent: agent.id(),
            whole: whole.id(),
        };
        Ok((house, [agent, whole]))
    }

    /// Looks at everything.
    pub(crate) fn sample(&self, sampler: &mut Sampler, second: f64) {
        sampler.process(STEADY, self.steady.id(), second);
        sampler.process(KILLED, self.mortal.id(), second);
        sampler.process(AGENT, self.agent, second);
        sampler.process(WHOLE, self.whole, second);
        if let Some(router) = self.piped() {
            sampler.process(PIPED, router, second);
        }
        let told = self.redis.ask(&["INFO", "keyspace", "memory"]);
        sampler.redis(&told, second);
        let homes = HOMES.map(|home| disk(&self.folder.join(home)));
        sampler.disk.add(second, homes.iter().sum());
    }

    /// The router that the one in one talks to over a pipe, while there is one.
    fn piped(&self) -> Option<u32> {
        children_of(self.whole).into_iter().flat_map(children_of).next()
    }

    /// Kills one of the two routers that may be killed.
    pub(crate) fn strike(&mut self, piped: bool) -> Result<()> {
        match piped {
            true => self.piped().into_iter().for_each(kill),
            false => self.mortal.replace()?,
        }
        Ok(())
    }

    /// Ends the routers on Redis.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.steady.end()?;
        self.mortal.end()
    }
}

/// A home with HELLO_WORLD, whose policy takes what is asked here and asks a person now and then.
fn settle(home: &Path) -> Result<()> {
    const HELLO_WORLD: &str = include_str!("../../skills/retired/hello_world/skill.toml");
    let policy = format!(
        "[effects]\nnone = \"allow\"\nlocal = \"allow\"\nexternal = \"ask\"\nirreversible = \"ask\"\n\
         [[rules]]\naction = \"HELLO_WORLD\"\nparams = {{ name = \"{ASKED}*\" }}\nthen = \"ask\"\n\
         [limits]\nper_minute = 1000\nper_hour = 10000\n"
    );
    let put = |path: &str, text: &str| -> Result<()> {
        let path = home.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(fs::write(path, text)?)
    };
    put("router/skills/hello_world/skill.toml", HELLO_WORLD)?;
    // A folder of skills without this list counts as one of the first version, which had all of them.
    put("router/skills/.known", "hello_world\n")?;
    put("router/policy.toml", &policy)
}
