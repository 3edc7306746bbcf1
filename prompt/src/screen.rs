//! The screen: how things stand at the workbench, in the place of all that was printed there before.

use std::collections::BTreeMap;

use async_trait::async_trait;
use protocol::{Object, Taint};
use serde_json::Value;

use super::Step;
use super::section::{Section, Source};

/// The panels that the latest result brought which brought any. They come from the results themselves, are rendered anew for
/// each thought, and are kept nowhere else.
pub(super) struct Screen;

#[async_trait]
impl Source for Screen {
    fn name(&self) -> &'static str {
        "SCREEN"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let so_far = step.so_far.iter().rev().map(|seen| &seen.fields);
        let screen = shown(so_far.chain(step.artifact.0.iter().rev()))?;
        let section = Section::information("screen", screen);
        // Files and programs speak there, whoever wrote them.
        let taint = Taint { untrusted: true, private: false };
        Some(section.tainted(taint, "the screen").at_most(16_000).making_room(
            45,
            800,
            "a part of the screen",
        ))
    }
}

/// The screen of the first of `results` that has one, as a model is shown it.
pub fn shown<'a>(results: impl IntoIterator<Item = &'a Object>) -> Option<String> {
    let panels = results.into_iter().find_map(|fields| {
        // Only a router that writes `v` says what is a screen.
        fields.get("screen").filter(|_| fields.contains_key("v"))?.as_object()
    })?;
    let content = |panel: &Value| panel.get("content").and_then(Value::as_str).map(str::to_owned);
    let panels: BTreeMap<&String, String> =
        panels.iter().filter_map(|(name, panel)| Some((name, content(panel)?))).collect();
    let sections = panels.iter().map(|(name, content)| format!("--- {name} ---\n{content}"));
    let sections: Vec<_> = sections.collect();
    (!sections.is_empty()).then(|| format!("=== Current Screen State ===\n{}", sections.join("\n")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_latest_screen_is_shown_by_name() {
        let old = fields(json!({"v": 2, "screen": {"bash": {"content": "old"}}}));
        let new = fields(json!({"v": 2, "screen": {
            "python": {"content": "x = 1"}, "bash": {"content": "Last exit code: 0"}}}));
        let other = fields(json!({"v": 2, "greeting": "Hi"}));
        assert_eq!(
            shown([&other, &new, &old]).unwrap(),
            "=== Current Screen State ===\n--- bash ---\nLast exit code: 0\n--- python ---\nx = 1"
        );
    }

    #[test]
    fn without_a_screen_the_prompt_stays_as_it_is() {
        for none in [json!({"v": 2}), json!({"v": 2, "screen": {}}), json!({"v": 2, "screen": "x"})]
        {
            assert_eq!(shown([&fields(none)]), None);
        }
        // A skill of an old router, which lets through what its skills say.
        assert_eq!(shown([&fields(json!({"screen": {"bash": {"content": "x"}}}))]), None);
    }
}
