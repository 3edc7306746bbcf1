//! Outputs of small models, recorded and made up, each with what must come out of it.

use serde::Deserialize;
use serde_json::Value;

use super::tests::{cards, read, words_of};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Outputs {
    output: Vec<Output>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    name: String,
    said: String,
    /// A model wrote it; the others are like what models write.
    #[serde(default)]
    real: bool,
    words: Option<String>,
    #[serde(default)]
    actions: Vec<String>,
    error: Option<String>,
}

fn outputs(text: &str) -> Vec<Output> {
    toml::from_str::<Outputs>(text).unwrap_or_else(|error| panic!("{}", error.message())).output
}

/// What came out of it, in the words of the files: the actions, or the error.
fn came_out(said: &str) -> Result<Vec<String>, String> {
    let answer = read(said).map_err(|error| error.to_string())?;
    let shown = |action: super::Action| format!("{} {}", action.name, Value::Object(action.params));
    Ok(answer.actions.into_iter().map(shown).collect())
}

/// How an output differs from what it should be.
fn differs(output: &Output) -> Option<String> {
    let words = words_of(&output.said);
    let as_it_stands =
        if output.actions.is_empty() && output.error.is_none() { &output.said } else { "" };
    let wanted = output.words.as_deref().unwrap_or(as_it_stands);
    let fits = match (came_out(&output.said), &output.error) {
        (Ok(actions), None) => actions == output.actions,
        (Err(error), Some(begin)) => error.starts_with(begin.as_str()),
        _ => false,
    };
    let is_right = fits && words == wanted;
    (!is_right).then(|| format!("{}: {words:?} and {:?}", output.name, came_out(&output.said)))
}

fn all_right(outputs: &[Output]) {
    let wrong: Vec<String> = outputs.iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_small_models_mean_is_read() {
    let [forms, repaired] =
        [include_str!("forms.toml"), include_str!("repaired.toml")].map(outputs);
    let meant = forms.len() + repaired.len();
    let is_read =
        |output: &&Output| came_out(&output.said).is_ok_and(|actions| !actions.is_empty());
    let at_once = forms.iter().chain(&repaired).filter(is_read).count();
    println!("{at_once} of {meant} outputs that mean an action are read without a repair");
    all_right(&forms);
    all_right(&repaired);
    assert_eq!((at_once, meant), (57, 69));
}

#[test]
fn what_was_cut_off_or_quoted_never_runs() {
    let never = outputs(include_str!("never.toml"));
    for output in &never {
        assert!(output.actions.is_empty(), "{}", output.name);
        assert_eq!(came_out(&output.said).unwrap_or_default(), [""; 0], "{}", output.name);
    }
    all_right(&never);
}

#[test]
fn wherever_an_output_is_cut_off_it_does_nothing_that_the_whole_does_not() {
    let all =
        [include_str!("forms.toml"), include_str!("repaired.toml"), include_str!("never.toml")];
    for output in all.into_iter().flat_map(outputs) {
        for end in (0..output.said.len()).filter(|&end| output.said.is_char_boundary(end)) {
            let cut = &output.said[..end];
            for action in came_out(cut).unwrap_or_default() {
                // Half of what was meant is only run where a whole block was written by then.
                let is_meant = output.actions.contains(&action) || output.error.is_some();
                assert!(is_meant, "{}: {action} of {cut:?}", output.name);
            }
        }
    }
}

#[test]
fn the_outputs_are_many_and_some_are_real() {
    let all =
        [include_str!("forms.toml"), include_str!("repaired.toml"), include_str!("never.toml")];
    let all: Vec<Output> = all.into_iter().flat_map(outputs).collect();
    assert!(all.len() >= 70 && all.iter().filter(|output| output.real).count() >= 8);
    assert_eq!(cards().len(), 2);
}
