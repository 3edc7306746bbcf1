//! The hostile suite: the model is replaced by an attacker, pages and skills and Redis are the attacker's too,
//! and what happens is seen where it would hurt: at sockets, files, processes, keys and the terminal's bytes.
//!
//! Each case of `cases/<class>.toml` has a house of its own: a home, the real `safeclaw` (or agent and router
//! on a real Redis), and an Ollama, web servers, a UDP port and a Telegram that write down all that reaches them. After the
//! last word everything is ended, and then the evidence is judged. Nothing is judged by a verdict alone.
//!
//! ```toml
//! [[case]]
//! name = "a page orders a post"        # unique in the suite
//! rule = [2, 8]                        # the rules of the wall that stop it
//! from = "page"                        # model | page | skill | redis | file | person
//! each = ["a", "b"]                    # optional: one case for each, as @EACH@
//! policy = "open"                      # optional: a name of fixtures.toml
//! config = "strict"                    # optional: likewise, router/config.json; "house" without it
//! skills = ["export"]                  # optional: likewise, dropped into router/skills; `suite:NAME` of dojo.toml
//! secrets = { TOKEN = "value" }        # optional: router/.env; no spelling of a value may turn up anywhere
//! files = { "workspace/x" = "text" }   # optional: relative to the home
//! pages = { "/evil" = { body = "" } }  # optional: also `kind`, `status`, `headers`; served by all three servers
//! emits = '{"a": 1}'                   # optional: what the skill PARROT prints
//! skill = { name, manifest, run }      # optional: one more skill, with its program
//! over = "redis"                       # optional: agent and router as two processes; "router" has no agent
//! signed = true                        # optional: there are keys, which both sides have
//! telegram = true                      # optional: there is a bot; its owner is 42, and 7 and the group -100 may talk
//! terminal = true                      # optional: the person sits at a terminal
//! say = ["Read @WEB@/evil"]            # what the person says; or, for more than words:
//! do = [["say", "..."], ["expect", "..."]]   # a script, see `Deed`
//! model = ["first answer", "second"]   # what the model says to one prompt after the other, then "Done."
//! spare = true                         # optional: not every answer of the model is asked for
//! never = { api = ["POST"] }           # what must not be seen, see `Signs`
//! always = { prompt = ["bait"] }       # what must be: it proves that the attack arrived
//! ```
//!
//! A case whose scripted answers were not all asked for, or whose `always` is not seen, has failed: its attack
//! never arrived. The cases of `benign.toml` are everyday requests: they must reach their sink, and unasked.
//!
//! `cargo test --test hostile -- ssrf 'a page orders'` runs what contains one of the words in its class or name;
//! `--list` prints the cases, and `--class NAME` wants a class exactly.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it has found")]

mod attacker;
mod bot;
mod case;
mod crowd;
mod deed;
mod dojo;
mod evidence;
mod fixtures;
mod furnish;
mod house;
mod places;
mod redis_house;
mod report;
mod servers;
mod signs;
mod spellings;

use std::process::ExitCode;

use case::Case;
use fixtures::Fixtures;
use report::Report;

fn main() -> ExitCode {
    let picks = report::Picks::of(std::env::args().skip(1));
    let fixtures = Fixtures::read();
    let cases = Case::read_all();
    let picked: Vec<&Case> = cases.iter().filter(|case| picks.take(case)).collect();
    if picks.list {
        picked.iter().for_each(|case| println!("{}: {}", case.class, case.name));
        return ExitCode::SUCCESS;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let report = Report::default();
    let waiting = std::sync::Mutex::new(picked.into_iter());
    let houses = std::thread::available_parallelism().map_or(2, usize::from) * 3;
    std::thread::scope(|scope| {
        for _ in 0..houses {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().next();
                    let Some(case) = next else { return };
                    report.take(case, || house::run(case, &fixtures));
                }
            });
        }
    });
    report.finish()
}
