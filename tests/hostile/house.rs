//! One house for one case: everything in it, from the first word to the evidence.

use std::collections::BTreeMap;
use std::fs;
use std::net::Ipv4Addr;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use testkit::{Chat, OllamaServer, TempHome, Terminal};

use crate::attacker;
use crate::bot::Bot;
use crate::case::{Case, Over, Page};
use crate::crowd;
use crate::deed::Deed;
use crate::evidence::{self, Evidence};
use crate::fixtures::Fixtures;
use crate::furnish;
use crate::places::Places;
use crate::redis_house::Queue;
use crate::servers::{UdpPort, WebServer};

pub(crate) const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What stands in the owner's own files, inside and outside of the home. It may turn up nowhere else.
pub(crate) const CANARY: &str = "canary-that-never-leaves-5d1f";

/// The key file in the home of a case that is `signed`.
const KEYS: &str = "safeclaw.keys";

/// What nothing that works comes near.
const BOUND: Duration = Duration::from_secs(30);

/// Every way out of the house.
struct Outside {
    web: WebServer,
    api: WebServer,
    sink: WebServer,
    /// The sink once more, on port 80.
    at_80: Option<(Ipv4Addr, WebServer)>,
    udp: UdpPort,
    folder: TempDir,
}

/// The processes of one house.
struct House<'a> {
    case: &'a Case,
    places: Places,
    home: TempHome,
    model: Option<OllamaServer>,
    queue: Option<Queue>,
    bot: Option<Bot>,
    router: Option<Chat>,
    agent: Option<Seat>,
    seen: Evidence,
}

/// Where the person sits.
enum Seat {
    Piped(Chat),
    Terminal(Terminal),
}

/// Runs a case to its end. The error is all that was wrong.
pub(crate) fn run(case: &Case, fixtures: &Fixtures) -> Result<(), String> {
    let ran = catch_unwind(AssertUnwindSafe(|| one(case, fixtures)));
    ran.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(words.unwrap_or_else(|| "it panicked".to_owned()))
    })
}

fn one(case: &Case, fixtures: &Fixtures) -> Result<(), String> {
    let outside = Outside {
        web: WebServer::start(),
        api: WebServer::start(),
        sink: WebServer::start(),
        at_80: WebServer::start_at_80(),
        udp: UdpPort::start(),
        folder: TempDir::with_prefix("safeclaw-outside-").unwrap(),
    };
    fs::write(outside.folder.path().join("canary.txt"), CANARY).unwrap();
    let home = TempHome::new();
    let ports = [
        ("WEB", outside.web.port),
        ("API", outside.api.port),
        ("SINK", outside.sink.port),
        ("UDP", outside.udp.port),
    ];
    let mut places =
        Places::new(&case.one, home.root(), outside.folder.path(), ports, &case.secrets);
    if let Some((address, _)) = &outside.at_80 {
        places.add_address(*address);
    }
    furnish::furnish(case, fixtures, &home, &places);
    let bot = case.telegram.then(|| Bot::start(&home));
    outside.show(case, &places);
    let answers = places.fill_all(&case.model);
    let model = (!answers.is_empty()).then(|| attacker::start(answers));
    let queue = (case.over != Over::Pipe).then(Queue::start);
    let seen = Evidence { before: evidence::files(home.root()), ..Evidence::default() };
    let mut house =
        House { case, places, home, model, queue, bot, router: None, agent: None, seen };
    if case.signed {
        house.cli(&["router".to_owned(), "keys".to_owned(), "new".to_owned()]);
    }
    house.start();
    for deed in case.script() {
        house.carry_out(&deed);
    }
    house.end();
    let mut seen = house.seen;
    seen.prompts = house.model.as_ref().map(OllamaServer::prompts).unwrap_or_default();
    seen.files = evidence::files(house.home.root());
    seen.files.extend(evidence::files(outside.folder.path()));
    seen.redis = house.queue.as_ref().map(Queue::all).unwrap_or_default();
    seen.telegram = house.bot.as_ref().map(Bot::sent).unwrap_or_default();
    seen.web = outside.web.seen();
    seen.api = outside.api.seen();
    seen.sink = outside.sink.seen();
    seen.sink.extend(outside.at_80.iter().flat_map(|(_, server)| server.seen()));
    seen.udp = outside.udp.seen();
    evidence::judge(case, &house.places, &seen)
}

impl Outside {
    fn show(&self, case: &Case, places: &Places) {
        let page = |page: &Page| Page {
            kind: places.fill(&page.kind),
            headers: page
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), places.fill(value)))
                .collect(),
            body: places.fill(&page.body),
            ..*page
        };
        let pages: BTreeMap<String, Page> =
            case.pages.iter().map(|(path, shown)| (path.clone(), page(shown))).collect();
        let at_80 = self.at_80.iter().map(|(_, server)| server);
        for server in [&self.web, &self.api, &self.sink].into_iter().chain(at_80) {
            server.show(pages.clone());
        }
    }
}

impl House<'_> {
    fn start(&mut self) {
        if matches!(self.case.over, Over::Redis | Over::Router) {
            self.serve();
        }
        let args: &[&str] = if self.case.over == Over::Pipe { &[] } else { &["agent"] };
        let root = self.home.root();
        let variables = self.variables();
        let variables = borrowed(&variables);
        self.agent = match self.case.over {
            Over::Router => None,
            _ if self.case.terminal => {
                let terminal = Terminal::start(SAFECLAW, args, root, &variables);
                terminal.expect_last("you>");
                Some(Seat::Terminal(terminal))
            }
            _ => Some(Seat::Piped(Chat::start(SAFECLAW, args, root, &variables))),
        };
        if matches!(self.case.over, Over::Pipe | Over::Redis) {
            self.wait_for_the_catalogue();
        }
    }

    /// Starts a router of its own.
    fn serve(&mut self) {
        let variables = self.variables();
        let router = Chat::start(SAFECLAW, &["router"], self.home.root(), &borrowed(&variables));
        router.expect_on_stderr("serving safeclaw:command_queue");
        self.router = Some(router);
    }

    /// The environment of every process.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let ollama = self.model.as_ref().map_or("127.0.0.1:1".to_owned(), OllamaServer::host);
        let mut variables = vec![("OLLAMA_HOST", ollama)];
        variables.extend(self.queue.as_ref().map(|queue| ("REDIS_URL", queue.url())));
        if self.case.signed {
            let keys = self.home.root().join(KEYS).display().to_string();
            variables.push(("SAFECLAW_KEY_FILE", keys));
        }
        variables
    }

    /// On a busy machine the first word could be said before the agent knows what the router can do. Where
    /// no router starts, none comes.
    fn wait_for_the_catalogue(&self) {
        let file = self.home.root().join("workspace/router_actions.json");
        let failed = || match &self.agent {
            Some(Seat::Piped(chat)) => chat.stderr().contains("error: "),
            _ => false,
        };
        until("the catalogue is there", || file.exists() || failed());
    }

    /// Ends every process, and keeps what they have said.
    fn end(&mut self) {
        match self.agent.take() {
            Some(Seat::Piped(mut chat)) => {
                if self.bot.is_some() || self.serves_programs() {
                    // The end of its input ends no agent with which others may talk.
                    chat.terminate();
                }
                chat.end();
                self.seen.heard(&chat);
            }
            Some(Seat::Terminal(terminal)) => {
                self.seen.stdout.push_str(&String::from_utf8_lossy(&terminal.bytes()));
            }
            None => {}
        }
        if let Some(mut router) = self.router.take() {
            router.terminate();
            router.wait();
            self.seen.heard(&router);
        }
        let root = self.home.root().display().to_string();
        until("every process of the house has ended", || {
            !evidence::processes().iter().any(|line| line.contains(&root))
        });
        self.seen.processes = evidence::processes();
    }

    fn serves_programs(&self) -> bool {
        self.case.files.get("agent/config.json").is_some_and(|config| config.contains("http"))
    }

    fn carry_out(&mut self, deed: &Deed) {
        let fill = |text: &String| self.places.fill(text);
        let path = |path: &String| self.home.root().join(self.places.fill(path));
        match deed {
            Deed::Say(text) => self.say(&fill(text)),
            Deed::Press(keys) => self.press(&fill(keys)),
            Deed::Expect(text) => self.expect(&fill(text)),
            Deed::Audit(text) => {
                let text = fill(text);
                let home = self.home.root();
                until(&format!("{text:?} in the audit log"), || {
                    evidence::audit(&evidence::files(home)).contains(&text)
                });
            }
            Deed::File(file, text) => {
                let (file, text) = (path(file), fill(text));
                until(&format!("{text:?} in {}", file.display()), || {
                    fs::read_to_string(&file).is_ok_and(|found| found.contains(&text))
                });
            }
            Deed::Gone(text) => {
                let text = fill(text);
                until(&format!("no process has {text:?}"), || {
                    !evidence::processes().iter().any(|line| line.contains(&text))
                });
            }
            Deed::Put(file, text) => self.home.put(fill(file), fill(text)),
            Deed::Link(file, target) => {
                let (file, target) = (path(file), fill(target));
                let _ = fs::remove_file(&file);
                let _ = fs::remove_dir_all(&file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                symlink(target, file).unwrap();
            }
            Deed::Mode(file, mode) => {
                fs::set_permissions(path(file), fs::Permissions::from_mode(*mode)).unwrap();
            }
            Deed::Cli(words) => self.cli(&self.places.fill_all(words)),
            Deed::Memory => self.look_into_the_agent(),
            Deed::Crowd(count) => {
                let Some(Seat::Piped(chat)) = &self.agent else { panic!("no agent is there") };
                let answer = crowd::stand_around(*count, self.home.root(), chat.pid());
                self.seen.replies.push(answer);
            }
            Deed::Restart => {
                self.end();
                self.start();
            }
            Deed::Serve => self.serve(),
            Deed::Telegram(words) => {
                let words = self.places.fill_all(words);
                let bot = self.bot.as_ref().expect("this house has no bot");
                bot.carry_out(&words, &mut self.places);
            }
            Deed::Log(text) => {
                let router = self.router.as_ref().expect("this house has no router of its own");
                router.expect_on_stderr(text);
            }
            _ => self.on_the_queue(deed),
        }
    }

    fn say(&mut self, text: &str) {
        match self.agent.as_mut().expect("nobody sits in this house") {
            Seat::Piped(chat) => chat.say(text),
            Seat::Terminal(terminal) => terminal.press(format!("{text}\r")),
        }
    }

    fn press(&mut self, keys: &str) {
        match &mut self.agent {
            Some(Seat::Terminal(terminal)) => terminal.press(keys),
            _ => panic!("keys are pressed at a terminal"),
        }
    }

    fn expect(&mut self, text: &str) {
        match self.agent.as_mut().expect("nobody sits in this house") {
            Seat::Piped(chat) => drop(chat.expect(text)),
            Seat::Terminal(terminal) => terminal.expect(text),
        }
    }

    fn cli(&mut self, words: &[String]) {
        let mut command = Command::new(SAFECLAW);
        command.args(words).arg("--home").arg(self.home.root()).env_clear();
        if let Some(queue) = &self.queue {
            command.env("REDIS_URL", queue.url());
        }
        let output = command.output().unwrap();
        self.seen.cli.push_str(&String::from_utf8_lossy(&output.stdout));
        self.seen.cli.push_str(&String::from_utf8_lossy(&output.stderr));
    }

    fn look_into_the_agent(&mut self) {
        let Some(Seat::Piped(chat)) = &self.agent else { panic!("there is no agent to look into") };
        self.seen.memory = Some(evidence::memory(chat.pid(), self.case.secrets.values()));
    }

    fn on_the_queue(&mut self, deed: &Deed) {
        let queue = self.queue.as_ref().expect("this house has no Redis");
        match deed {
            Deed::Redis(words) => queue.tell(&self.places.fill_all(words)),
            Deed::Steal | Deed::Copy => {
                let (command, id) = queue.command(matches!(deed, Deed::Steal));
                self.places.set("@COMMAND@", command);
                self.places.set("@ID@", id);
            }
            Deed::Change(from, to) => {
                let command = self.places.fill("@COMMAND@");
                let changed = command.replacen(&self.places.fill(from), &self.places.fill(to), 1);
                assert_ne!(changed, command, "there is no {from:?} in {command}");
                self.places.set("@CHANGED@", changed);
            }
            Deed::Question => {
                let last = self.seen.replies.last().expect("no reply was waited for");
                let reply: serde_json::Value = serde_json::from_str(last).unwrap();
                let id = reply["approval"]["id"].as_str().expect("the reply asks nothing");
                self.places.set("@QUESTION@", id.to_owned());
            }
            Deed::Await(key) => self.seen.replies.push(queue.reply(&self.places.fill(key))),
            _ => {}
        }
    }
}

fn borrowed<'v>(variables: &'v [(&'static str, String)]) -> Vec<(&'static str, &'v str)> {
    variables.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Waits for `condition`, which something that works brings about at once.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < BOUND, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
