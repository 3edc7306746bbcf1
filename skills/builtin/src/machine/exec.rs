//! A line of shell. What runs is the line that was judged, written anew.

use std::ffi::OsStr;

use governance::Line;
use safeclaw_skill::SkillError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, run, shown};

/// What is noted where a line began in the scratch directory and in no folder of the owner's.
const NO_FOLDER: &str = "it began in an empty folder of its own: paths.allowed in router/governance.json opens \
    one of yours, and `router governance check` shows which are open";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    command: String,
}

pub(super) fn exec(params: &Params, place: &Place) -> Result<Value, SkillError> {
    let line = Line::read(&params.command, &place.home.to_string_lossy());
    if !line.is_understood() {
        return Err(SkillError::new("this line can't be judged, so it is not run"));
    }
    let arguments = ["--norc", "--noprofile", "-c", &line.shell].map(OsStr::new);
    let ran = run::run("/bin/bash", &arguments, &place.here, &place.home)
        .map_err(|error| SkillError::new(format!("bash can't be started: {error}")))?;
    let mut output = shown(&ran.output, ran.whole);
    if ran.code.is_none() {
        output.push_str("\n... (stopped after 10 seconds)");
    }
    let mut told = json!({
        "output": output, "exit_code": ran.code, "bytes": ran.whole, "folder": place.here,
    });
    if !place.is_open {
        told["note"] = json!(NO_FOLDER);
    }
    Ok(told)
}
