//! Runs a skill's function for one call, or for one call a line.

use std::any::Any;
use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::call::Who;
use crate::config::{Config, Mode};
use crate::{Call, Object, SkillError};

/// The largest call that is read, in bytes. The router sends at most 256 KiB of parameters.
const MAX_INPUT: u64 = 1024 * 1024;

/// The largest answer that the router takes of any skill, in bytes; of most it takes 256 KiB (`[limits] output`).
const MAX_ANSWER: usize = 1024 * 1024;

/// The key beside the parameters under which serve mode describes the call.
const CALL_KEY: &str = "_call";

/// Runs `skill` as the router asks: once, or once a line. It is the whole `main` of a skill.
///
/// The result has to be a JSON object, so a struct or a map. A failure, a panic among them, is answered as
/// `{"error": "<words>"}`, with `"maybe_executed": true` where it may have been done all the same; only what cannot be answered at all ends the process with another exit code.
pub fn serve<P, R>(mut skill: impl FnMut(P) -> Result<R, SkillError>) -> ExitCode
where
    P: DeserializeOwned,
    R: Serialize,
{
    serve_calls(|params, _call| skill(params))
}

/// The same for a function that also looks at the [`Call`].
pub fn serve_calls<P, R>(mut skill: impl FnMut(P, &Call) -> Result<R, SkillError>) -> ExitCode
where
    P: DeserializeOwned,
    R: Serialize,
{
    let config = match Config::from_environment() {
        Ok(config) => config,
        Err(error) => return ended(&error.to_string()),
    };
    let mut skill = |params, call: &Call| answer(&mut skill, params, call);
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    let served = match config.mode {
        Mode::Once => once(input, output, &config.call, &mut skill),
        Mode::Serve => lines(input, output, &config.call, &mut skill),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ended(&SkillError::from(error).to_string()),
    }
}

/// Nobody can be answered: the router reads the last line of standard error instead.
fn ended(words: &str) -> ExitCode {
    // Standard error may be closed; then there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{words}");
    ExitCode::FAILURE
}

/// Why the process could not go on.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("the call could not be read")]
    Input(#[source] io::Error),
    #[error("the call is larger than {MAX_INPUT} bytes")]
    TooLarge,
    #[error("the answer could not be written")]
    Output(#[source] io::Error),
}

fn once(
    input: impl Read,
    mut output: impl Write,
    call: &Call,
    skill: &mut impl FnMut(Object, &Call) -> Result<Object, SkillError>,
) -> Result<(), Broken> {
    let mut bytes = Vec::new();
    input.take(MAX_INPUT + 1).read_to_end(&mut bytes).map_err(Broken::Input)?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Broken::TooLarge);
    }
    write(&mut output, object(&bytes).and_then(|params| skill(params, call)))
}

fn lines(
    mut input: impl BufRead,
    mut output: impl Write,
    shared: &Call,
    skill: &mut impl FnMut(Object, &Call) -> Result<Object, SkillError>,
) -> Result<(), Broken> {
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(MAX_INPUT + 1).read_until(b'\n', &mut line);
        if read.map_err(Broken::Input)? == 0 {
            return Ok(());
        }
        if line.len() as u64 > MAX_INPUT {
            return Err(Broken::TooLarge);
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answered = call_of_line(&line, shared).and_then(|(params, call)| skill(params, &call));
        write(&mut output, answered)?;
    }
}

/// What `_call` holds.
#[derive(Deserialize)]
struct LineCall {
    action: Option<String>,
    session: Option<String>,
    principal: Option<String>,
    #[serde(default)]
    owner: bool,
    message_id: Option<String>,
    attempt: Option<u32>,
    #[serde(default)]
    dry_run: bool,
}

fn call_of_line(line: &[u8], shared: &Call) -> Result<(Object, Call), SkillError> {
    let mut params = object(line)?;
    let mut call = shared.clone();
    if let Some(described) = params.remove(CALL_KEY) {
        let described: LineCall = serde_json::from_value(described)
            .map_err(|error| SkillError::new(format!("{CALL_KEY} cannot be read: {error}")))?;
        call.dry_run = described.dry_run;
        call.action = described.action.unwrap_or(call.action);
        let LineCall { session, principal, owner, .. } = described;
        call.who = Who { session, principal, owner };
        call.attempt = described.attempt.unwrap_or(call.attempt);
        call.message_id = described.message_id.unwrap_or(call.message_id);
    }
    Ok((params, call))
}

fn object(bytes: &[u8]) -> Result<Object, SkillError> {
    serde_json::from_slice(bytes).map_err(|error| {
        SkillError::new(format!("the parameters on standard input are no JSON object: {error}"))
    })
}

/// Runs `skill` for one call, from JSON to JSON.
pub(crate) fn answer<P, R>(
    skill: &mut impl FnMut(P, &Call) -> Result<R, SkillError>,
    params: Object,
    call: &Call,
) -> Result<Object, SkillError>
where
    P: DeserializeOwned,
    R: Serialize,
{
    let params = serde_json::from_value(Value::Object(params))
        .map_err(|error| SkillError::new(format!("the parameters do not fit: {error}")))?;
    let result = catch_unwind(AssertUnwindSafe(|| skill(params, call)))
        .map_err(|panic| SkillError::new(format!("the skill panicked: {}", words(&*panic))))
        .map_err(SkillError::maybe_executed)??;
    let result = serde_json::to_value(result).map_err(SkillError::from);
    match result.map_err(SkillError::maybe_executed)? {
        Value::Object(object) => Ok(object),
        other => {
            Err(SkillError::new(format!("the skill's result is no object: {other}"))
                .maybe_executed())
        }
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no words")
}

fn write(output: &mut impl Write, answered: Result<Object, SkillError>) -> Result<(), Broken> {
    let mut line = match answered {
        Ok(result) => Value::Object(result).to_string(),
        Err(error) => error.answer().to_string(),
    };
    if line.len() > MAX_ANSWER {
        let size = line.len();
        let why = format!("the answer is {size} bytes long, {MAX_ANSWER} are the limit");
        line = SkillError::new(why).maybe_executed().answer().to_string();
    }
    line.push('\n');
    output.write_all(line.as_bytes()).and_then(|()| output.flush()).map_err(Broken::Output)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Params {
        n: u32,
    }

    fn call() -> Call {
        Call {
            action: "DOUBLE".to_owned(),
            message_id: "m0".to_owned(),
            attempt: 1,
            dry_run: false,
            who: Who::default(),
            folders: std::collections::BTreeMap::new(),
            settings: Object::new(),
            proxy: None,
        }
    }

    fn double(params: Params, call: &Call) -> Result<Value, SkillError> {
        match params.n {
            13 => Err(SkillError::new("13 brings bad luck")),
            14 => panic!("no more than {}", params.n),
            15 => Ok(json!([15])),
            16 => Ok(json!({"text": "x".repeat(MAX_ANSWER)})),
            n => Ok(json!({"n": n * 2, "id": call.message_id(), "dry": call.is_dry_run()})),
        }
    }

    fn run_once(input: &str) -> String {
        let mut output = Vec::new();
        let mut skill = |params, call: &Call| answer(&mut double, params, call);
        once(input.as_bytes(), &mut output, &call(), &mut skill).unwrap();
        String::from_utf8(output).unwrap()
    }

    fn run_lines(input: &str) -> String {
        let mut output = Vec::new();
        let mut skill = |params, call: &Call| answer(&mut double, params, call);
        lines(input.as_bytes(), &mut output, &call(), &mut skill).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn one_call_gets_one_object() {
        assert_eq!(run_once("{\"n\": 4}"), "{\"n\":8,\"id\":\"m0\",\"dry\":false}\n");
    }

    #[test]
    fn every_failure_is_one_object_with_words() {
        // What has no result may have been done all the same.
        for (input, words) in [
            ("{\"n\":14}", "the skill panicked: no more than 14"),
            ("{\"n\":15}", "the skill's result is no object: [15]"),
            ("{\"n\":16}", "the answer is 1048587 bytes long, 1048576 are the limit"),
        ] {
            let answer: Value = serde_json::from_str(&run_once(input)).unwrap();
            assert_eq!(answer, json!({"error": words, "maybe_executed": true}));
        }
        for (input, words) in [
            ("{\"n\":13}", "13 brings bad luck"),
            (
                "{\"n\":\"x\"}",
                "the parameters do not fit: invalid type: string \"x\", expected u32",
            ),
            ("{\"n\":1,\"m\":2}", "the parameters do not fit: unknown field `m`, expected `n`"),
        ] {
            let answer: Value = serde_json::from_str(&run_once(input)).unwrap();
            assert_eq!(answer, json!({"error": words}));
        }
        for input in ["", "[1]", "{", "\u{0}"] {
            assert!(run_once(input).starts_with("{\"error\":\"the parameters on standard input"));
        }
    }

    #[test]
    fn serve_mode_answers_a_line_with_a_line_and_goes_on_after_failures() {
        let answers = run_lines(concat!(
            "{\"n\":1,\"_call\":{\"message_id\":\"m1\",\"attempt\":2,\"dry_run\":true}}\n",
            "\n",
            "{\"n\":14}\n",
            "nonsense\n",
            "{\"n\":1,\"_call\":7}\n",
            "{\"n\":2,\"_call\":{\"message_id\":\"m2\"}}",
        ));
        let answers: Vec<Value> =
            answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 5, "{answers:?}");
        assert_eq!(answers[0], json!({"n": 2, "id": "m1", "dry": true}));
        assert_eq!(answers[1]["error"], "the skill panicked: no more than 14");
        assert!(answers[2]["error"].is_string() && answers[3]["error"].is_string());
        assert_eq!(answers[4], json!({"n": 4, "id": "m2", "dry": false}));
    }

    #[test]
    fn a_call_that_never_ends_is_not_read_for_ever() {
        let mut skill = |params, call: &Call| answer(&mut double, params, call);
        let endless = || io::BufReader::new(io::repeat(b'1'));
        let served = once(endless(), io::sink(), &call(), &mut skill);
        assert!(matches!(served, Err(Broken::TooLarge)));
        let served = lines(endless(), io::sink(), &call(), &mut skill);
        assert!(matches!(served, Err(Broken::TooLarge)));
    }
}
