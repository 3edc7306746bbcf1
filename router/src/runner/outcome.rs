//! What a skill's process gave, in the words of the wire.

use protocol::json::{self, BOUNDS, Bounds, parse_within};
use protocol::{Code, Effect, Object, Stopped};
use serde_json::Value;

use crate::sandbox::RunError;

/// The result in what a skill printed.
///
/// # Errors
/// `bad_result` when that is no object; `skill_failed` when it is `{"error": "words"}`, perhaps with `"maybe_executed": true`.
pub(super) fn result(output: &[u8], effect: Effect) -> Result<Object, Stopped> {
    let bad = |why: String| with_effect(Stopped::new(Code::BadResult, why), effect);
    if output.trim_ascii().is_empty() {
        return Err(bad("the skill printed nothing; it has to print one JSON object".to_owned()));
    }
    // How much it may print, the sandbox has held.
    let parsed = parse_within(output, Bounds { bytes: output.len(), ..BOUNDS });
    let result = match parsed {
        Ok(Value::Object(result)) => result,
        Ok(other) => {
            return Err(bad(format!(
                "the skill's result: it is {}, not an object",
                json::kind(&other)
            )));
        }
        Err(error) => return Err(bad(format!("what the skill printed is no JSON: {error}"))),
    };
    match result.get("error") {
        Some(Value::String(words)) if result.len() == 1 => {
            Err(Stopped::new(Code::SkillFailed, words.clone()))
        }
        Some(Value::String(words))
            if result.len() == 2 && result.get("maybe_executed") == Some(&Value::Bool(true)) =>
        {
            Err(with_effect(Stopped::new(Code::SkillFailed, words.clone()), effect))
        }
        _ => Ok(result),
    }
}

/// Has a result tell something more, behind what came out.
pub(super) fn tell(result: &mut Object, told: Vec<String>) {
    for told in told {
        match result.get_mut("output") {
            Some(Value::String(output)) => output.push_str(&format!("\n[{told}]")),
            _ => drop(result.insert("output".to_owned(), Value::String(told))),
        }
    }
}

/// What went wrong with a process, for whoever asked.
pub(super) fn stopped(error: &RunError, effect: Effect) -> Stopped {
    let (code, has_run) = match error {
        RunError::TimedOut { .. } => (Code::Timeout, true),
        RunError::TooMuchOutput { .. } => (Code::BadResult, true),
        RunError::Exited { .. } | RunError::Killed { .. } => (Code::SkillFailed, true),
        RunError::NotStarted(_) => (Code::SkillFailed, false),
        RunError::Refused { .. } => (Code::Internal, false),
        RunError::Broken(_) => (Code::Internal, true),
    };
    let stopped = Stopped::new(code, error.to_string());
    if has_run { with_effect(stopped, effect) } else { stopped }
}

/// A skill that reaches out and then fails may have done what it was asked all the same.
pub(super) fn with_effect(stopped: Stopped, effect: Effect) -> Stopped {
    if effect >= Effect::External { stopped.maybe_executed() } else { stopped }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn code(output: &str) -> Code {
        result(output.as_bytes(), Effect::None).unwrap_err().code
    }

    #[test]
    fn what_is_no_object_is_no_result() {
        for output in ["", " \n", "[1]", "hello", "{", "{} {}", r#"{"a":1,"a":2}"#] {
            assert_eq!(code(output), Code::BadResult, "{output:?}");
        }
    }

    #[test]
    fn an_error_in_words_is_a_failure_and_one_among_other_fields_is_a_result() {
        let failed = result(br#"{"error": "no such city"}"#, Effect::External).unwrap_err();
        assert_eq!(failed, Stopped::new(Code::SkillFailed, "no such city"));
        assert!(result(br#"{"error": "none", "sum": 1}"#, Effect::None).is_ok());
        let unsure = br#"{"error": "no answer came", "maybe_executed": true}"#;
        assert!(result(unsure, Effect::External).unwrap_err().maybe_executed);
        assert!(!result(unsure, Effect::Local).unwrap_err().maybe_executed);
    }

    #[test]
    fn only_what_reaches_out_may_have_had_its_effect() {
        let late = RunError::TimedOut { after: Duration::from_secs(1) };
        assert!(stopped(&late, Effect::External).maybe_executed);
        assert!(!stopped(&late, Effect::Local).maybe_executed);
        let refused = RunError::Refused { why: "x".to_owned() };
        assert!(!stopped(&refused, Effect::External).maybe_executed);
    }
}
