//! Which entries of the history are shown.

use super::*;

#[test]
fn the_history_moves_in_hops() {
    let mut history = History::default();
    let mut shown = Vec::new();
    for n in 1..=27 {
        history.add(n.to_string(), "ok");
        let text = history::render(&history, 5_400);
        shown.push(text.lines().filter(|line| line.starts_with("user: ")).count());
    }
    let expected =
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 6, 7, 8, 9, 10, 6, 7, 8, 9, 10, 6, 7, 8, 9, 10, 6, 7];
    assert_eq!(shown, expected);
}

#[test]
fn the_newest_entry_is_shown_however_long_entries_are() {
    let mut history = History::default();
    for n in 1..=20 {
        history.add(format!("{n} {}", "m".repeat(400)), "a".repeat(900));
        for limit in [5_400, 1_200, 100] {
            let text = history::render(&history, limit);
            assert!(text.contains(&format!("user: {n} m")), "{n} of {limit}: {text}");
        }
    }
}
