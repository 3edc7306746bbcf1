//! The utterances themselves: what they expect can be had, and there are enough of each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::collections::{BTreeMap, BTreeSet};

use answer::Action;
use conversation::workspace::PROMPT;
use eval::cards::Homes;
use eval::expect::Expected;
use eval::score::is_right;
use eval::utterance::{Asked, Group, Lang, Split, Utterance, action_of, all, counted};
use protocol::Object;
use serde_json::{Value, json};

/// A value that fits what is expected.
fn sample(expected: &Value, is_object: bool) -> Option<Value> {
    let Some((key, inside)) = expected.as_object().and_then(|object| object.iter().next()) else {
        return Some(expected.clone());
    };
    let first = || inside.as_array().and_then(|choices| choices.first());
    match key.as_str() {
        "contains" => {
            let pieces: Vec<&str> = inside.as_array()?.iter().filter_map(Value::as_str).collect();
            let text = if pieces.is_empty() { "x".to_owned() } else { pieces.join(" ") };
            Some(if is_object { json!({"it": text}) } else { json!(text) })
        }
        "any" => sample(first()?, is_object),
        "url" => Some(json!(format!("https://{}", inside.as_str()?))),
        _ => None,
    }
}

fn as_expected(expected: &Expected) -> Action {
    let value = |(key, value): (&String, &Value)| {
        sample(value, key == "new_memory").map(|value| (key.clone(), value))
    };
    let params: Object = expected.params.iter().filter_map(value).collect();
    Action { name: expected.name.clone(), params }
}

#[test]
fn every_expected_action_exists_and_what_is_expected_is_right() {
    let homes = Homes::read().unwrap();
    for utterance in all().unwrap().into_iter().chain(counted().unwrap()) {
        let actions = homes.with(utterance.skills);
        let given: Vec<Action> = utterance.expect.iter().map(as_expected).collect();
        assert!(is_right(&utterance, &given, actions), "{}: {given:?}", utterance.id);
        assert_eq!(
            utterance.group == Group::None,
            utterance.expect.is_empty() && utterance.seen.is_empty(),
            "{}",
            utterance.id
        );
        assert_eq!(
            utterance.group == Group::Several,
            utterance.expect.len() > 1,
            "{}",
            utterance.id
        );
        assert_eq!(
            utterance.group == Group::Recover,
            !utterance.seen.is_empty(),
            "{}",
            utterance.id
        );
        utterance.seen.iter().for_each(|seen| assert!(action_of(seen).is_ok()));
    }
}

fn counts<K: Ord>(utterances: &[Utterance], key: impl Fn(&Utterance) -> K) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    utterances.iter().for_each(|one| *counts.entry(key(one)).or_default() += 1);
    counts
}

#[test]
fn there_are_enough_of_each_kind_and_both_halves_are_alike() {
    let all = all().unwrap();
    assert!(all.len() >= 140, "{}", all.len());
    let groups = counts(&all, |one| one.group);
    assert!(groups.len() == 4 && groups.values().all(|count| *count >= 16), "{groups:?}");
    let langs = counts(&all, |one| one.lang);
    for lang in [Lang::De, Lang::Es, Lang::Zh, Lang::Fr, Lang::Ru] {
        assert!(langs[&lang] >= 6, "{langs:?}");
    }
    let halves = counts(&all, |one| (one.group, one.split));
    for group in groups.keys() {
        let (tune, held) = (halves[&(*group, Split::Tune)], halves[&(*group, Split::Held)]);
        assert!(tune.abs_diff(held) <= 2, "{halves:?}");
    }
    let ids: BTreeSet<&str> = all.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids.len(), all.len(), "each has its own id");
    let counted = counted().unwrap();
    assert!(counted.len() >= 60, "{}", counted.len());
    let names: BTreeSet<&str> = counted.iter().map(|one| one.id.as_str()).collect();
    assert!(names.len() == counted.len() && names.is_disjoint(&ids), "each has its own id");
    let says: BTreeSet<&str> = all.iter().map(|one| one.say.as_str()).collect();
    assert!(counted.iter().all(|one| !says.contains(one.say.as_str())));
}

#[tokio::test]
async fn no_utterance_stands_in_a_prompt_as_an_example() {
    let (all, homes) = (all().unwrap(), Homes::read().unwrap());
    for utterance in &all {
        let actions = homes.with(utterance.skills);
        let examples: Vec<&str> = actions
            .cards()
            .into_iter()
            .flatten()
            .flat_map(|card| &card.examples)
            .map(|one| one.say.as_str())
            .collect();
        assert!(!examples.contains(&utterance.say.as_str()), "{}", utterance.id);
        for asked in [Asked::ToolCode, Asked::Json, Asked::Native] {
            let (stable, rest) = eval::run::prompt(utterance, actions, asked).await.unwrap();
            let whole = stable + &rest;
            assert_eq!(
                whole.matches(&utterance.say).count(),
                1,
                "{} {asked}: {whole}",
                utterance.id
            );
        }
    }
    assert!(PROMPT.contains("{{HOW_TO_ANSWER}}"));
}
