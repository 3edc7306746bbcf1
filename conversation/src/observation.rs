//! What the model is shown of an action's result.

use answer::Action;
use answer::sanitize::one_line;
use protocol::{ActionName, Code, Done, Object, Outcome, Reads, Reply, Status, Stopped, Taint};
use serde_json::Value;
use words::Words;

use crate::message::ActionLine;
use crate::question::Question;

/// An action that has an outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Which action.
    pub action: ActionName,
    /// How it ended.
    pub outcome: Outcome,
    /// Its fields as they go to artifact.json: of a routed action just as the router sent them.
    pub fields: Object,
    /// The action itself, if a person is asked about it first.
    pub held: Option<Action>,
    /// What the action says of it to people, if it knows a sentence.
    pub sentence: Option<String>,
}

impl Observation {
    /// What a local action brought.
    #[must_use]
    pub fn of_local(action: ActionName, result: Result<Done, Stopped>) -> Self {
        let outcome = result.map_or_else(Outcome::from, Outcome::from);
        let mut fields = Reply::new(None, action.as_str(), outcome.clone()).fields;
        // The wire's version says nothing here, for nothing was on the wire.
        fields.shift_remove("v");
        Self { action, outcome, fields, held: None, sentence: None }
    }

    /// The same action with another outcome.
    #[must_use]
    pub fn with_outcome(self, outcome: Outcome) -> Self {
        let result = match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Stopped(stopped) => Err(stopped),
        };
        Self { held: self.held, ..Self::of_local(self.action, result) }
    }

    /// The same, which keeps `action` if a person is asked about it first.
    #[must_use]
    pub fn holding(self, action: Action) -> Self {
        let held = self.question().map(|_| action);
        Self { held, ..self }
    }

    /// What the router answered.
    #[must_use]
    pub fn of_reply(action: ActionName, reply: Reply) -> Self {
        Self { action, outcome: reply.outcome, fields: reply.fields, held: None, sentence: None }
    }

    /// The same for people, in words: what the action says itself, or else its result as JSON.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.outcome {
            Outcome::Done(Done { text: Some(text), .. }) => text.clone(),
            Outcome::Done(done) if done.result.is_empty() => match self.fields.get("status") {
                Some(Value::String(status)) if status != "ok" => status.clone(),
                _ => "done".to_owned(),
            },
            Outcome::Done(done) => Value::Object(done.result.clone()).to_string(),
            Outcome::Stopped(stopped) => stopped.message.clone(),
        }
    }
}

impl Observation {
    /// What it has brought, in words, or why it has brought nothing.
    ///
    /// # Errors
    /// Words for people.
    pub fn brought(&self) -> Result<String, String> {
        match &self.outcome {
            Outcome::Done(Done { text: Some(text), .. }) => Ok(text.clone()),
            Outcome::Done(done) => Ok(lines_of(done)),
            Outcome::Stopped(_) if self.outcome.status() == Status::Pending => {
                Err("it waits for your yes".to_owned())
            }
            Outcome::Stopped(stopped) => Err(stopped.message.clone()),
        }
    }
}

/// How much of an action's text stands on its one line, in characters.
const LINE: usize = 300;

impl Observation {
    /// The same on one line for people: `CREATE_POST: ok, Posted on X`. Of a dry run the rest of its text
    /// follows on lines of its own, because it shows exactly what would be sent.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}: {}, {}", self.action, self.ending(), self.on_a_line(&self.text()))
    }

    /// The text, if its line does not show all of it.
    #[must_use]
    pub fn beyond_its_line(&self) -> Option<String> {
        let text = self.text();
        let is_shown = self.is_dry_run() || (!text.contains('\n') && text.chars().count() <= LINE);
        (!is_shown).then_some(text)
    }

    /// How it ended, for programs and for people. `by_name` shows people what programs read.
    #[must_use]
    pub fn ended(&self, by_name: bool) -> ActionLine {
        let line = self.line();
        let told = if by_name { line.clone() } else { self.told() };
        ActionLine { action: self.action.clone(), status: self.outcome.status(), line, told }
    }

    /// That it was stopped before it had an outcome.
    #[must_use]
    pub fn stopped(action: &ActionName, by_name: bool, words: &Words) -> ActionLine {
        let line = format!("{action}: stopped, though it may have happened by then");
        let told = words.fill("deed.stopped", &[("action", &spoken(action))]);
        let told = format!("! {told}");
        let told = if by_name { line.clone() } else { told };
        ActionLine { action: action.clone(), status: Status::Error, line, told }
    }

    /// One line as a person would say it. What a skill says stands behind its name, so that it never passes for the agent's
    /// own word.
    fn told(&self) -> String {
        let mark = match &self.outcome {
            Outcome::Done(_) if self.is_dry_run() => "○",
            Outcome::Done(_) if exit_code(&self.fields).unwrap_or(0) != 0 => "✗",
            Outcome::Done(_) => "✓",
            Outcome::Stopped(_) if self.outcome.status() == Status::Pending => "?",
            Outcome::Stopped(stopped) if stopped.maybe_executed => "!",
            Outcome::Stopped(_) => "✗",
        };
        if let Some(sentence) = &self.sentence {
            return format!("{mark} {sentence}");
        }
        let text = match &self.outcome {
            Outcome::Done(Done { text: None, result, .. }) if !result.is_empty() => listed(result),
            _ => self.text(),
        };
        format!("{mark} {}: {}", spoken(&self.action), self.on_a_line(&text))
    }

    /// The first line of `text`, as far as it fits; of a dry run all of it.
    fn on_a_line(&self, text: &str) -> String {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let short: String = first.chars().take(LINE).collect();
        let cut = if short.len() < first.len() { "…" } else { "" };
        let rest =
            if self.is_dry_run() && !rest.is_empty() { format!("\n{rest}") } else { String::new() };
        format!("{short}{cut}{rest}")
    }

    /// Whether it is known that what was wanted was not done, or not all of it.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.is_dry_run() || !matches!(self.outcome.status(), Status::Ok | Status::Pending)
    }

    fn is_dry_run(&self) -> bool {
        matches!(self.outcome, Outcome::Done(Done { dry_run: true, .. }))
    }

    fn ending(&self) -> &'static str {
        if self.is_dry_run() {
            return "dry run";
        }
        match self.outcome.status() {
            Status::Ok => "ok",
            Status::Error => "failed",
            Status::Denied => "refused",
            Status::Pending => "pending",
            Status::Skipped => "skipped",
            Status::Expired => "expired",
            Status::Unknown => "unknown",
            Status::Busy => "busy",
        }
    }

    /// What a local action wants to be done next, as its result's `follow_up` says. A routed one has no
    /// say in that: its result is data.
    #[must_use]
    pub fn follow_up(&self) -> Option<Action> {
        if !self.action.is_local() {
            return None;
        }
        let wanted = self.fields.get("follow_up")?;
        let name = ActionName::new(wanted.get("name")?.as_str()?).ok()?;
        let params = wanted.get("params")?.as_object()?.clone();
        Some(Action { name, params })
    }

    /// The question that a person has to answer before the action runs.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        // Only the router's own `pending` asks; whatever a skill calls an approval is data.
        if self.outcome.status() != Status::Pending {
            return None;
        }
        Question::read(self.fields.get("approval")?)
    }

    /// What it has brought into the conversation, by what its action `reads`. A failure that the action had a
    /// part in brings its words just as a success does.
    #[must_use]
    pub fn brings(&self, reads: Reads) -> Taint {
        let speaks = match &self.outcome {
            Outcome::Done(Done { brings: Some(brings), .. })
            | Outcome::Stopped(Stopped { brings: Some(brings), .. }) => return brings.taint(),
            Outcome::Done(_) => true,
            Outcome::Stopped(stopped) => speaks(stopped),
        };
        if speaks { reads.taint() } else { Taint::CLEAN }
    }

    /// Where what it has brought comes from: the action, and the address if its result names one.
    #[must_use]
    pub fn source(&self) -> String {
        match self.fields.get("url").and_then(Value::as_str) {
            Some(url) => format!("{} {}", self.action, one_line(url)),
            None => self.action.to_string(),
        }
    }
}

/// An action's name as people say it: one of the agent's own in words, a skill's as its author wrote it.
pub fn spoken(action: &ActionName) -> String {
    match action.as_str().strip_prefix('_') {
        Some("LLM_SUMMARY") => "Summary".to_owned(),
        Some("BROWSER_VISION") => "Browser".to_owned(),
        Some("BROADCAST_MSG") => "Message to all".to_owned(),
        Some("ADD_SCHEDULE") => "Reminder".to_owned(),
        Some(own) => capitalized(&own.replace('_', " ").to_ascii_lowercase()),
        None => action.to_string(),
    }
}

/// `text` with a capital at its beginning.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether the action had a part in it that it stopped: then it holds words of the action's.
#[must_use]
pub fn speaks(stopped: &Stopped) -> bool {
    stopped.maybe_executed
        || matches!(stopped.code, Code::SkillFailed | Code::BadResult | Code::TooLarge)
}

/// The exit code that a command's result names.
pub(crate) fn exit_code(fields: &Object) -> Option<i64> {
    fields.get("exit_code")?.as_i64()
}

/// All that stands in a result.
#[must_use]
pub fn lines_of(done: &Done) -> String {
    done.result.values().map(lines).collect()
}

/// All that stands in a value, each text on lines of its own.
fn lines(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(list) => list.iter().map(lines).collect(),
        Value::Object(fields) => fields.values().map(lines).collect(),
        other => format!("{other}\n"),
    }
}

/// A result without a text, as `key: value` one after the other.
fn listed(result: &Object) -> String {
    let value = |value: &Value| match value {
        Value::String(text) => one_line(text),
        other => other.to_string(),
    };
    let pairs: Vec<String> =
        result.iter().map(|(key, it)| format!("{key}: {}", value(it))).collect();
    pairs.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn name() -> ActionName {
        ActionName::new("CREATE_POST").unwrap()
    }

    #[test]
    fn an_old_routers_own_status_is_kept_and_said() {
        let reply =
            Reply::from_bytes(br#"{"status":"posted to X","action":"CREATE_POST"}"#).unwrap();
        let seen = Observation::of_reply(name(), reply);
        assert_eq!(seen.fields["status"], "posted to X");
        assert_eq!(seen.text(), "posted to X");
    }

    #[test]
    fn a_local_outcome_has_the_fields_of_a_reply() {
        let seen = Observation::of_local(name(), Err(Stopped::new(Code::BadParams, "no")));
        assert_eq!(
            serde_json::Value::from(seen.fields.clone()),
            json!({
                "status": "error", "action": "CREATE_POST", "text": "no",
                "error": {"code": "bad_params", "message": "no"},
            })
        );
        assert_eq!(seen.text(), "no");
    }

    #[test]
    fn people_are_told_in_words_and_programs_by_name() {
        let told = |result: Result<Done, Stopped>| {
            let ended = Observation::of_local(name(), result).ended(false);
            format!("{} | {}", ended.told, ended.told_in_ascii())
        };
        let text = |text: &str| Done { text: Some(text.to_owned()), ..Done::default() };
        let stopped = |code| Stopped::new(code, "no such page");
        let pairs = json!({"url": "https://x.com/1", "likes": 2});
        let result = pairs.as_object().unwrap().clone();
        let lines = [
            told(Ok(text("Posted on X\nand more"))),
            told(Ok(Done { dry_run: true, ..text("This would be sent:\n{}") })),
            told(Ok(Done { result, ..Done::default() })),
            told(Err(stopped(Code::SkillFailed))),
            told(Err(stopped(Code::Timeout).maybe_executed())),
            told(Err(stopped(Code::Approval))),
            Observation::stopped(
                &ActionName::new("_LLM_SUMMARY").unwrap(),
                false,
                words::CONSOLE.wanted([]),
            )
            .told,
        ];
        insta::assert_snapshot!(lines.join("\n"), @r"
        ✓ CREATE_POST: Posted on X | ok CREATE_POST: Posted on X
        ○ CREATE_POST: This would be sent:
        {} | dry run CREATE_POST: This would be sent:
        {}
        ✓ CREATE_POST: url: https://x.com/1, likes: 2 | ok CREATE_POST: url: https://x.com/1, likes: 2
        ✗ CREATE_POST: no such page | no CREATE_POST: no such page
        ! CREATE_POST: no such page | ! CREATE_POST: no such page
        ? CREATE_POST: no such page | ? CREATE_POST: no such page
        ! Summary: stopped, though it may have happened by then
        ");
        let ended = Observation::of_local(name(), Ok(text("Posted on X"))).ended(true);
        assert_eq!(
            (ended.told.as_str(), &ended.told),
            ("CREATE_POST: ok, Posted on X", &ended.line)
        );
    }
}
