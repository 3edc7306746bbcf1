//! A slash command as a person typed it, read once.

use ::business::GUESTS_COMMANDS;
use conversation::question::Decision;
use home::nearest;
use protocol::{Object, Pin, SessionKey};
use session::Caller;

use super::perform::{At, Ends, Read};
use super::table::{GUESTS_BUSINESS, GUESTS_INDEX, TABLE, Who};
use crate::Mind;

/// A customer who gives another command than those for customers hears this.
const CUSTOMERS: &str = "there is no such command here; /help shows what there is";

/// Whether a customer may give the command of this name.
pub(super) fn is_for_customers(name: &str) -> bool {
    name == "/start" || GUESTS_COMMANDS.contains(&name)
}

/// A slash command. It keeps the text, because other channels show what was said.
#[derive(Debug, Clone)]
pub struct SlashCommand {
    text: String,
    /// Its name in the table; nothing if it is none of these.
    name: &'static str,
    who: Who,
    read: Read,
}

impl SlashCommand {
    /// Reads `text` as a command; `None` when it is a message. Names count in any case, and may name a bot:
    /// `/Help@my_bot`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (word, rest) = protocol::slash(text)?;
        let (text, name) = (text.trim(), if word == "/" { "/help" } else { &word });
        let (name, who, read) = match TABLE.iter().find(|entry| entry.name() == name) {
            Some(entry) => (entry.name(), entry.who, (entry.read)(rest)),
            None => ("", Who::Everyone, Err(unknown(name))),
        };
        Some(Self { text: shown(name, text), name, who, read })
    }

    /// The command as it was typed, but for what may be a PIN.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it ends at once.
    #[must_use]
    pub fn ends(&self) -> Ends {
        self.read.as_ref().map_or(Ends::Nothing, |command| command.ends())
    }

    /// The answer to a question that it is.
    #[must_use]
    pub fn answers(&self) -> Option<&Decision> {
        self.read.as_ref().ok()?.answers()
    }

    /// All that the command has to say, if it need not wait for the turn that runs.
    #[must_use]
    pub fn aside(&self, mind: &Mind, caller: &Caller) -> Option<String> {
        let is_for_all = self.who == Who::Everyone && self.is_open_to(mind, &caller.session);
        self.read.as_ref().ok().filter(|_| is_for_all)?.aside(mind, caller)
    }

    /// The answer to the question of the set-up that waits.
    #[must_use]
    pub fn answer_to_setup(text: String) -> Self {
        let read = Ok(super::business::answer(text.clone()));
        Self { text, name: "/business", who: Who::Owner(GUESTS_BUSINESS), read }
    }

    /// The question for whom a paper at `path` is that a person has given under `name`.
    #[must_use]
    pub fn paper(path: String, name: String) -> Self {
        let text = format!("/index {path}");
        let read = Ok(super::index::given(path, name));
        Self { text, name: "/index", who: Who::Owner(GUESTS_INDEX), read }
    }

    /// What it says of the result `done`, which came later than it could wait for; nothing where it has no words of its own.
    #[must_use]
    pub fn told(&self, done: &Object) -> Option<String> {
        self.read.as_ref().ok()?.told(done)
    }

    /// Whether whoever is in this session may know of the command: a customer knows few.
    fn is_open_to(&self, mind: &Mind, session: &SessionKey) -> bool {
        !mind.reception.is_customer(session) || is_for_customers(self.name)
    }

    /// Carries the command out, if whoever gave it may, and says what came of it.
    pub async fn run(&self, at: At<'_>) {
        if !self.is_open_to(at.mind, &at.session.key) {
            return at.notice(CUSTOMERS);
        }
        match (self.who, &self.read) {
            (Who::Owner(why), _) if !at.session.is_owners() => at.notice(why),
            (_, Ok(command)) => command.perform(at).await,
            (_, Err(why)) => at.notice(why),
        }
    }
}

/// Two are the same if they were typed the same.
impl PartialEq for SlashCommand {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// `text` without what may be a PIN: it is shown on the other channels.
fn shown(name: &str, text: &str) -> String {
    if name != "/approve" || !Pin::stands_in(text) {
        return text.to_owned();
    }
    let hidden = |piece: &str| {
        let word = piece.trim_end();
        match Pin::typed(word) {
            Some(_) => format!("****{}", &piece[word.len()..]),
            None => piece.to_owned(),
        }
    };
    text.split_inclusive(char::is_whitespace).map(hidden).collect()
}

fn unknown(name: &str) -> String {
    if name == "/resume" {
        let resume = home::resume_command();
        return format!(
            "`{resume}` in a terminal lets things run again after /stop; /unlock ends what three noes have stopped"
        );
    }
    let near = nearest(name, TABLE.iter().map(super::SlashEntry::name));
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    format!("there is no command {name}{hint} (/help lists them)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Option<String> {
        SlashCommand::read(text).unwrap().read.err()
    }

    #[test]
    fn digits_that_may_be_a_pin_are_not_shown() {
        for text in [
            "/approve 493817",
            "/approve ab12\n493817",
            "/approve\t493817 ",
            "/approve\u{a0}493817",
        ] {
            let read = SlashCommand::read(text).unwrap();
            assert!(!read.text().contains("493817") && read.text().contains("****"), "{text:?}");
        }
    }

    #[test]
    fn a_message_is_no_command() {
        assert_eq!(SlashCommand::read("what is 1/2?"), None);
        assert_eq!(SlashCommand::read(" /help ").unwrap().text(), "/help");
    }

    #[test]
    fn what_may_be_a_pin_is_shown_to_nobody() {
        let text = |text: &str| SlashCommand::read(text).unwrap().text().to_owned();
        assert_eq!(text("/approve ab12cd34 493817"), "/approve ab12cd34 ****");
        assert_eq!(text("/Approve 4938"), "/Approve ****");
        assert_eq!(text("/approve ab K7QX"), "/approve ab K7QX");
    }

    #[test]
    fn names_count_in_any_case_and_may_name_a_bot() {
        for text in ["/", "/HELP", "/Help me", "/help@safe_bot", "/Status@Safe_Bot x"] {
            assert_eq!(wrong(text), None, "{text}");
        }
        assert_eq!(SlashCommand::read("/STOP").unwrap().ends(), Ends::Everything);
        assert_eq!(SlashCommand::read("/Cancel@bot").unwrap().ends(), Ends::Turn);
        assert_eq!(SlashCommand::read("/stopp").unwrap().ends(), Ends::Nothing);
    }

    #[test]
    fn what_can_not_be_read_is_told() {
        let texts = [
            "/run",
            "/run a",
            "/run A [1]",
            "/run A {",
            "/forget",
            "/memry",
            "/memory keep",
            "/approve a b c",
            "/deny a b",
        ];
        insta::assert_snapshot!(texts.map(|text| wrong(text).unwrap()).join("\n"));
    }
}
