//! The judgement of answers that models have given, and the table that is made of such.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use eval::cards::{Homes, root};
use eval::record::Record;
use eval::results::{Results, Row, kept, reach};
use eval::utterance::{Asked, all};
use eval::{score, table};
use serde::Deserialize;

/// Answers with the way in which they were asked for, and whether they are right.
const RECORDED: &str = include_str!("recorded.jsonl");

#[derive(Deserialize)]
struct Recorded {
    id: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<(String, String)>,
    right: bool,
}

#[test]
fn recorded_answers_are_judged_as_people_judged_them() {
    let (all, homes) = (all().unwrap(), Homes::read().unwrap());
    let mut judged = 0;
    for line in RECORDED.lines() {
        let recorded: Recorded = serde_json::from_str(line).unwrap();
        let utterance = all.iter().find(|one| one.id == recorded.id).unwrap();
        let actions = homes.with(utterance.skills);
        let call = |(name, params): (String, String)| model::Call { name, params };
        let completion = model::Completion {
            text: recorded.text,
            calls: recorded.calls.into_iter().map(call).collect(),
            ..model::Completion::default()
        };
        let read = answer::Answer::read(&completion, actions.cards(), &answer::Shown::default());
        let right = read.is_ok_and(|given| score::is_right(utterance, &given.actions, actions));
        assert_eq!(right, recorded.right, "{line}");
        judged += 1;
    }
    assert!(judged >= 10, "{judged}");
}

#[test]
fn the_table_in_the_book_is_the_one_of_the_results_that_are_kept() {
    let page = std::fs::read_to_string(root().join(table::PAGE)).unwrap();
    let kept = kept().unwrap();
    assert!(!kept.is_empty());
    assert_eq!(table::between_marks(&page).unwrap(), table::readme(&kept).trim());
}

#[test]
fn a_row_counts_by_group_half_and_language() {
    let record = |id: &str, right| {
        let all = all().unwrap();
        let one = all.iter().find(|one| one.id == id).unwrap();
        Record {
            id: id.to_owned(),
            group: one.group,
            lang: one.lang,
            split: one.split,
            right,
            say: one.say.clone(),
            digest: String::new(),
            steps: Vec::new(),
            actions: Vec::new(),
            error: None,
            ms: 1_500,
        }
    };
    let records = [record("post-x", true), record("post-x-de", false), record("none-thanks", true)];
    let row = Row::of(Asked::Json, &records);
    assert_eq!((row.all(), row.action, row.none), ([2, 3], [1, 2], [1, 1]));
    assert_eq!((row.held, row.not_english), ([0, 1], [0, 1]));
    let results = Results {
        model: "M".to_owned(),
        server: "S".to_owned(),
        date: "2026-11-22".to_owned(),
        command: "c".to_owned(),
        note: Some("Why so.".to_owned()),
        row: vec![row.clone()],
    };
    let [noted, plain] = [&results, &Results { note: None, ..results.clone() }]
        .map(|results| table::readme(std::slice::from_ref(results)));
    assert_eq!(noted, format!("{plain}\nWhy so.\n"));
    let reached = |row: &Row, floor| reach(std::slice::from_ref(row), floor);
    reached(&row, 66).unwrap();
    let error = reached(&row, 67).unwrap_err().to_string();
    assert!(error.starts_with("only 2 of 3 are right in the json way, and 67 %"), "{error}");
    let other = Row { way: Asked::ToolCode, ..row.clone() };
    reached(&other, 0).unwrap_err();
    reached(&Row::of(Asked::Json, &[]), 0).unwrap_err();
    assert_eq!(
        table::rows(&[row]).lines().last().unwrap(),
        "| `json` | 1 of 2 | 1 of 1 | 0 of 0 | 0 of 0 | 67 % | 0 % | 0 % |"
    );
}
