//! What the model is shown of an action's result.

use protocol::{ActionName, Code, Done, Object, Outcome, Reads, Reply, Status, Stopped, Taint};
use serde_json::Value;

use crate::question::Question;
use answer::Action;
use answer::sanitize::one_line;

/// An action that has an outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Which action.
    pub action: ActionName,
    /// How it ended.
    pub outcome: Outcome,
    /// Its fields as they go to artifact.json: of a routed action just as the router sent them.
    pub fields: Object,
    /// A local action that a person is asked about first: what is to be done after a yes.
    pub held: Option<Action>,
}

impl Observation {
    /// What a local action brought.
    #[must_use]
    pub fn of_local(action: ActionName, result: Result<Done, Stopped>) -> Self {
        let outcome = result.map_or_else(Outcome::from, Outcome::from);
        let mut fields = Reply::new(None, action.as_str(), outcome.clone()).fields;
        // The wire's version says nothing here, for nothing was on the wire.
        fields.shift_remove("v");
        Self { action, outcome, fields, held: None }
    }

    /// The same, which holds `action` back if a person is asked about it first.
    #[must_use]
    pub fn holding(self, action: Action) -> Self {
        let held = self.question().map(|_| action);
        Self { held, ..self }
    }

    /// What the router answered.
    #[must_use]
    pub fn of_reply(action: ActionName, reply: Reply) -> Self {
        Self { action, outcome: reply.outcome, fields: reply.fields, held: None }
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

/// How much of an action's text stands on its one line, in characters.
const LINE: usize = 300;

impl Observation {
    /// The same on one line for people: `CREATE_POST: ok, Posted on X`. Of a dry run the rest of its text
    /// follows on lines of its own, because it shows exactly what would be sent.
    #[must_use]
    pub fn line(&self) -> String {
        let text = self.text();
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let short: String = first.chars().take(LINE).collect();
        let cut = if short.len() < first.len() { "…" } else { "" };
        let line = format!("{}: {}, {short}{cut}", self.action, self.ending());
        if self.is_dry_run() && !rest.is_empty() { format!("{line}\n{rest}") } else { line }
    }

    /// The text, if its line does not show all of it.
    #[must_use]
    pub fn beyond_its_line(&self) -> Option<String> {
        let text = self.text();
        let is_shown = self.is_dry_run() || (!text.contains('\n') && text.chars().count() <= LINE);
        (!is_shown).then_some(text)
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
            Outcome::Stopped(stopped) => {
                stopped.maybe_executed
                    || matches!(stopped.code, Code::SkillFailed | Code::BadResult | Code::TooLarge)
            }
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
}
