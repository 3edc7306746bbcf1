//! Reads actions out of a completion, whatever form it has.

use agent::answer::{Action, Answer};
use agent::model::Completion;
use agent::model::Way;
use anyhow::{Context, Result};
use protocol::{ActionName, Object, json};
use serde::Deserialize;

/// The form that a schema forces.
#[derive(Deserialize)]
struct Form {
    #[serde(default)]
    actions: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    name: String,
    #[serde(default)]
    params: Object,
}

/// The actions that a completion asks for.
///
/// # Errors
/// Why it can't be read.
pub fn actions(completion: &Completion, way: Way) -> Result<Vec<Action>> {
    match way {
        Way::ToolCode => Ok(Answer::parse(&completion.text)?.actions),
        Way::Json => {
            let value = json::parse(completion.text.trim().as_bytes())?;
            let form: Form = serde_json::from_value(value)?;
            form.actions.into_iter().map(|asked| action(&asked.name, asked.params)).collect()
        }
        Way::Native => {
            let call = |call: &agent::model::Call| {
                let params = if call.params.is_empty() { "{}" } else { &call.params };
                let params = json::parse(params.as_bytes())?;
                let params = params.as_object().cloned().context("the parameters are no object")?;
                action(&call.name, params)
            };
            completion.calls.iter().map(call).collect()
        }
    }
}

fn action(name: &str, params: Object) -> Result<Action> {
    Ok(Action { name: ActionName::new(name.to_owned())?, params })
}
