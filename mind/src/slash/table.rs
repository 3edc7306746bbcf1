//! The table of all slash commands.

use super::perform::Read;
use super::{
    actions, agent, agents, approvals, approve, ask, business, cancel, clear, cron, did, docs,
    exec, export, forget, grants, help, index, jobs, last, log, memory, mode, model, net, pair,
    plan, remember, remind, reply, run, search, sessions, sets, skills, start, status, stop, storm,
    unlock, unpair, watch, web, work,
};
use crate::answering::GUESTS_ANSWER;

/// One line of the table: a way to write a command. A command that is written in several ways has a line for each.
#[derive(Debug, Clone, Copy)]
pub struct SlashEntry {
    /// The command as it is written: its name, and then words for what stands behind it.
    pub usage: &'static str,
    /// One line for `/help`: an imperative, at most 256 bytes.
    pub about: &'static str,
    /// Who may use it.
    pub who: Who,
    /// Reads what stands behind the name.
    pub read: fn(&str) -> Read,
}

/// Who may use a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The owner and guests.
    Everyone,
    /// The owner alone. The text tells a guest so.
    Owner(&'static str),
}

use Who::{Everyone, Owner};

/// A guest who throws the kill switch hears this.
const GUESTS_STOP: &str = "only the owner can stop everything; /cancel stops what runs here";

/// A guest who asks for the grants hears this.
const GUESTS_GRANTS: &str = "only the owner sees and takes back what is allowed";

/// A guest who asks who has talked to whom hears this.
const GUESTS_NET: &str = "only the owner sees who has talked to whom";

/// A guest who lets a session go on hears this.
const GUESTS_UNLOCK: &str = "only the owner lets a conversation go on, and has been told";

/// A guest who asks for the model hears this.
pub(super) const GUESTS_MODEL: &str = "only the owner says who thinks";

/// A guest who asks for the sets of actions hears this.
const GUESTS_SETS: &str = "only the owner says what is offered";

/// A guest who opens a folder hears this.
const GUESTS_WORK: &str =
    "only the owner opens a folder to work in, and undoes what was done there";

/// A guest who wants a plan done hears this.
const GUESTS_PLAN: &str = "only the owner has plans carried out";

/// A guest who asks for a storm hears this.
const GUESTS_STORM: &str = "only the owner lets several minds talk";

/// A guest who fills the library hears this.
pub(super) const GUESTS_INDEX: &str = "only the owner puts papers into the library";

/// A guest who reaches for the machine hears this.
const GUESTS_MACHINE: &str = "only the owner runs commands and reads files here";

/// A guest who asks for the page hears this.
const GUESTS_WEB: &str = "only the owner signs in on the page";

/// A guest who sets the clock hears this.
pub(super) const GUESTS_CLOCK: &str = "only the owner sets the clock";

/// A guest who sets modes hears this.
pub(super) const GUESTS_MODE: &str = "only the owner says who is answered";

/// A guest who reaches for the business hears this.
pub(super) const GUESTS_BUSINESS: &str = "only the owner speaks for the business";

/// A guest who brings others in hears this.
pub(super) const GUESTS_PAIR: &str = "only the owner says who may talk here";

/// All commands, in the order of `/help`.
#[rustfmt::skip]
pub static TABLE: &[SlashEntry] = &[
    line("/help [COMMAND]", "show the commands, or what one of them does; /help all explains all", Everyone, help::read),
    line("/actions", "list what can be done, with a sentence that asks for it", Everyone, actions::read),
    line("/skills", "list what the router can do here, and the policies by which people are answered", Everyone, skills::read),
    line("/run ACTION {json}", "run an action with these parameters, without the model", Everyone, run::read),
    line("/approvals", "show the questions that wait for you", Owner(GUESTS_ANSWER), approvals::read),
    line("/approve [ID]", "say yes, with an ID where several questions are open; a code goes behind it, and so does always, for an hour, or always 5x 2h", Owner(GUESTS_ANSWER), approve::read),
    line("/deny [ID]", "say no", Owner(GUESTS_ANSWER), approve::read_deny),
    line("/unlock [SESSION]", "go on after too many noes, and take back what you said no to", Owner(GUESTS_UNLOCK), unlock::read),
    line("/did", "show what was done here, by the router's own book", Everyone, did::read),
    line("/last", "show the latest actions with all that they brought", Everyone, last::read),
    line("/grants", "show what is allowed for a while; /grants revoke ID takes one back", Owner(GUESTS_GRANTS), grants::read),
    line("/net", "show which skill has talked to which host, how much and since when", Owner(GUESTS_NET), net::read),
    line("/memory", "show what is remembered and noted; /memory private KEY marks one thing as private", Everyone, memory::read),
    line("/memory --quarantined", "show what was set aside, because others may have wanted it", Everyone, memory::read),
    line("/memory keep|drop KEY", "make what was set aside count, or remove it", Everyone, memory::read),
    line("/remember NOTE", "note something down for this and later conversations", Everyone, remember::read),
    line("/forget KEY", "forget one thing; /forget note NUMBER forgets a note, /forget notes all of them", Everyone, forget::read),
    line("/log [DAY]", "show what was said and done today, or on a day of UTC such as 2026-11-23", Everyone, log::read),
    line("/search QUERY", "find passages in the library", Everyone, search::read),
    line("/ask QUESTION", "answer from the library, with the file and the page", Everyone, ask::read),
    line("/docs", "show how much is in the library, by type", Everyone, docs::read),
    line("/index PATH public|admin", "put a file into the library, for everybody or for you alone", Owner(GUESTS_INDEX), index::read),
    line("/clear", "start afresh: forget what was said and done, keep what is remembered", Everyone, clear::read),
    line("/new", "begin another conversation; this one is put away", Everyone, clear::read_new),
    line("/sessions [WORDS]", "list the conversations, or those that hold these words", Everyone, sessions::read),
    line("/open NUMBER", "go on with one of them", Everyone, sessions::read_open),
    line("/rename [NUMBER] TITLE", "give this conversation or another one a title", Everyone, sessions::read_rename),
    line("/delete NUMBER", "remove one of them", Everyone, sessions::read_delete),
    line("/export [NUMBER] md|html|json", "write this conversation or another one down in a file", Everyone, export::read),
    line("/cancel", "stop what runs; at a terminal Ctrl-C does so at once", Everyone, cancel::read),
    line("/cancel ID", "take back a job of the clock", Everyone, cancel::read),
    line("/remind SPAN TEXT", "remind you later: 20m, 2h or 3d; --agent behind it has the model do it then", Owner(GUESTS_CLOCK), remind::read),
    line("/cron PATTERN TEXT", "the same again and again: minute, hour, day, month, weekday, such as 0 9 * * 1-5", Owner(GUESTS_CLOCK), cron::read),
    line("/watch PATTERN ACTION {json}", "look again and again, and tell you when that has changed; behind it, only when ... says of which change you want to hear", Owner(GUESTS_CLOCK), watch::read),
    line("/jobs", "show what the clock will say and do", Owner(GUESTS_CLOCK), jobs::read),
    line("/stop", "the kill switch: stop everything that runs, and let nothing run", Owner(GUESTS_STOP), stop::read),
    line("/storm new NAME PREMISE", "gather several minds around one question, in Markdown files", Owner(GUESTS_STORM), storm::read),
    line("/storm start [NAME]", "let each of its agents speak once; /storm next [COUNT] the next ones, /storm auto ROUNDS all of them", Owner(GUESTS_STORM), storm::read),
    line("/storm say TEXT", "say something in the storm yourself; /storm stop ends it, /storm list shows all, /storm export md|html|jsonl writes it down", Owner(GUESTS_STORM), storm::read),
    line("/model", "show who thinks and how it is asked; /model list shows what else there is", Owner(GUESTS_MODEL), model::read),
    line("/model TARGET", "ask another, such as ollama:qwen2.5:3b; --keep behind it makes it last", Owner(GUESTS_MODEL), model::read),
    line("/model trust", "let the models outside of your network that stand in read what is private; /model distrust takes that back", Owner(GUESTS_MODEL), model::read),
    line("/agents", "list the personas; @NAME before a message asks one", Owner(GUESTS_MODEL), agents::read),
    line("/agent NAME", "have a persona answer in this chat; default is SOUL.md again", Owner(GUESTS_MODEL), agent::read),
    line("/sets", "show the sets of actions; /sets on NAME offers one, /sets off NAME takes it back", Owner(GUESTS_SETS), sets::read),
    line("/work DIR [TASK]", "work in this folder, with bash, python and an editor; /work shows which is open, /work off closes it", Owner(GUESTS_WORK), work::read),
    line("/plan GOAL", "write down the steps to a goal, show them, and do one after the other", Owner(GUESTS_PLAN), plan::read),
    line("/undo", "put that folder back as it was before the latest task; what you changed since stays", Owner(GUESTS_WORK), work::read_undo),
    line("/exec COMMAND", "run a line of shell on your machine, as far as router/governance.json allows it", Owner(GUESTS_MACHINE), exec::read),
    line("/read PATH", "show a file of a folder that router/governance.json opens, or list the folder", Owner(GUESTS_MACHINE), exec::read_file),
    line("/mode", "show whom the bot is for, and how each chat is treated", Owner(GUESTS_MODE), mode::read),
    line("/mode business|personal", "answer strangers as customers, or refuse them", Owner(GUESTS_MODE), mode::read),
    line("/mode silent|off", "answer nobody but you: silent keeps what is said, off keeps nothing", Owner(GUESTS_MODE), mode::read),
    line("/mode business|silent|off|default NAME", "the same for one chat, by its name", Owner(GUESTS_MODE), mode::read),
    line("/business setup", "say what customers are told and when you are called; /business show shows it, /business clear removes it", Owner(GUESTS_BUSINESS), business::read),
    line("/reply CHAT TEXT", "say something to the people of another chat, such as a customer whose question came to you", Owner(GUESTS_BUSINESS), reply::read),
    line("/pair", "give a code with which somebody else joins: /start CODE, sent to the bot within ten minutes", Owner(GUESTS_PAIR), pair::read),
    line("/unpair", "list who may talk with the bot beside you", Owner(GUESTS_PAIR), unpair::read),
    line("/unpair ID", "end that for one of them, at once", Owner(GUESTS_PAIR), unpair::read),
    line("/web", "give a link that signs your browser in on the agent's page", Owner(GUESTS_WEB), web::read),
    line("/start [CODE]", "say what this is; with a code of the owner's, join", Everyone, start::read),
    line("/status", "show what is connected and how full things are", Everyone, status::read),
];

const fn line(
    usage: &'static str,
    about: &'static str,
    who: Who,
    read: fn(&str) -> Read,
) -> SlashEntry {
    SlashEntry { usage, about, who, read }
}

impl SlashEntry {
    /// The command's name with its slash, in lower case.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_can_be_shown_and_typed() {
        for entry in TABLE {
            let name = entry.name();
            let letters = name.strip_prefix('/').unwrap();
            assert!(
                !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_lowercase()),
                "{name}"
            );
            // The Bot API takes 256 characters.
            assert!(!entry.about.is_empty() && entry.about.len() <= 256, "{name}");
            let first = TABLE.iter().find(|other| other.name() == name).unwrap();
            assert_eq!(first.who, entry.who, "{name} is one command");
        }
    }
}
