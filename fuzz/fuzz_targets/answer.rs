//! Whatever a model writes and however it is cut: nothing panics, and the words that were shown while it
//! came are the words of the whole.

#![no_main]

use answer::{Answer, Shown, Words};
use model::Completion;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, String)| {
    let (size, text) = input;
    let mut words = Words::default();
    let mut shown = String::new();
    let characters: Vec<char> = text.chars().collect();
    let mut add = |piece: String, is_anew: bool| {
        if is_anew {
            shown.clear();
        }
        shown.push_str(&piece);
    };
    for chunk in characters.chunks(usize::from(size).max(1)) {
        let piece = words.push(&String::from_iter(chunk));
        add(piece, words.begins_anew());
    }
    let last = words.finish();
    add(last, words.begins_anew());
    assert_eq!(shown, Words::of(&text, [&[], &[]]));
    if let Ok(answer) = Answer::read(&Completion::new(text.as_str()), [&[], &[]], &Shown::default()) {
        assert_eq!(shown, answer.words);
    }
});
