//! What a case's script can do.

use serde::Deserialize;

/// One line of a script: a list of texts, the first of which says what is done.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(crate) enum Deed {
    /// `["say", TEXT]`: the person says it.
    Say(String),
    /// `["press", KEYS]`: the person presses keys at the terminal.
    Press(String),
    /// `["expect", TEXT]`: waits until it stands on stdout, behind what was waited for before.
    Expect(String),
    /// `["audit", TEXT]`: waits until it stands in the audit log.
    Audit(String),
    /// `["file", PATH, TEXT]`: waits until the file holds the text.
    File(String, String),
    /// `["gone", TEXT]`: waits until no process has it on its command line.
    Gone(String),
    /// `["put", PATH, TEXT]`: writes a file.
    Put(String, String),
    /// `["link", PATH, TARGET]`: makes a symbolic link in the place of whatever is there.
    Link(String, String),
    /// `["mode", PATH, OCTAL]`: changes who may read it.
    Mode(String, u32),
    /// `["cli", ARGUMENT...]`: the owner types a command in another terminal.
    Cli(Vec<String>),
    /// `["memory"]`: searches the agent's memory, environment and arguments for the secrets.
    Memory,
    /// `["crowd", COUNT]`: so many connect to the channel for programs and say half a head, and then a program with the token
    /// asks. Its answer is kept under `reply`.
    Crowd(usize),
    /// `["restart"]`: everything ends, and starts again in the same home.
    Restart,
    /// `["redis", WORD...]`: a command straight to Redis.
    Redis(Vec<String>),
    /// `["steal"]`: takes the oldest command off the queue: `@COMMAND@`, and its id is `@ID@`.
    Steal,
    /// `["copy"]`: the same, and the command stays.
    Copy,
    /// `["change", FROM, TO]`: `@CHANGED@` is `@COMMAND@` with another text in it.
    Change(String, String),
    /// `["serve"]`: a router starts beside the agent.
    Serve,
    /// `["question"]`: the id in the last reply that was waited for is `@QUESTION@`.
    Question,
    /// `["log", TEXT]`: waits until the router has said it.
    Log(String),
    /// `["telegram", WORD...]`: what somebody does there, see `Bot::carry_out`.
    Telegram(Vec<String>),
    /// `["await", KEY]`: waits for a reply there, which is kept under `reply`.
    Await(String),
}

impl TryFrom<Vec<String>> for Deed {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let verb = words.next().ok_or("a deed is a list of words")?;
        let mut rest: Vec<String> = words.collect();
        let count = rest.len();
        let mut next = || if rest.is_empty() { String::new() } else { rest.remove(0) };
        let (deed, wanted) = match verb.as_str() {
            "say" => (Self::Say(next()), 1),
            "press" => (Self::Press(next()), 1),
            "expect" => (Self::Expect(next()), 1),
            "audit" => (Self::Audit(next()), 1),
            "file" => (Self::File(next(), next()), 2),
            "gone" => (Self::Gone(next()), 1),
            "put" => (Self::Put(next(), next()), 2),
            "link" => (Self::Link(next(), next()), 2),
            "mode" => {
                let (path, mode) = (next(), next());
                (Self::Mode(path, u32::from_str_radix(&mode, 8).map_err(|e| e.to_string())?), 2)
            }
            "cli" => (Self::Cli(rest), count),
            "memory" => (Self::Memory, 0),
            "crowd" => (Self::Crowd(next().parse().map_err(|_| "how many are a crowd?")?), 1),
            "restart" => (Self::Restart, 0),
            "redis" => (Self::Redis(rest), count),
            "telegram" => (Self::Telegram(rest), count),
            "change" => (Self::Change(next(), next()), 2),
            "serve" => (Self::Serve, 0),
            "question" => (Self::Question, 0),
            "log" => (Self::Log(next()), 1),
            "steal" => (Self::Steal, 0),
            "copy" => (Self::Copy, 0),
            "await" => (Self::Await(next()), 1),
            other => return Err(format!("there is no deed {other:?}")),
        };
        if count == wanted { Ok(deed) } else { Err(format!("{verb} takes {wanted} words")) }
    }
}
