//! Text with the frequencies of a language and topics of its own, made by a seed: the same on every machine.

use std::fmt::Write;

/// How many words there are.
const WORDS: usize = 60_000;

/// How many words belong to a topic, and how many of a hundred words in a document are of its topic.
const TOPIC: usize = 60;
const OF_TOPIC: u64 = 15;

/// A sequence of numbers that look random (splitmix64).
#[derive(Debug)]
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or(0)
    }
}

/// A vocabulary in which the n-th word is as frequent as one in n: Zipf's law.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// The sum of the weights up to each word.
    sums: Vec<f64>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut numbers = Numbers(7);
        let words: Vec<String> = (0..WORDS).map(|at| word(at, &mut numbers)).collect();
        let sums = (1..=WORDS).scan(0.0, |sum, rank| {
            *sum += 1.0 / rank as f64;
            Some(*sum)
        });
        Self { words, sums: sums.collect() }
    }

    /// A word at its natural frequency.
    pub(crate) fn any(&self, numbers: &mut Numbers) -> &str {
        let all = self.sums.last().copied().unwrap_or(1.0);
        let point = (numbers.next() >> 11) as f64 / (1_u64 << 53) as f64 * all;
        let at = self.sums.partition_point(|sum| *sum < point);
        &self.words[at.min(WORDS - 1)]
    }

    /// A rare word: one of the last third.
    pub(crate) fn rare(&self, numbers: &mut Numbers) -> &str {
        &self.words[WORDS * 2 / 3 + numbers.below(WORDS / 3)]
    }

    /// A document of Markdown with this many sections of about `section` characters.
    pub(crate) fn document(
        &self,
        numbers: &mut Numbers,
        sections: usize,
        section: usize,
    ) -> String {
        let topic = 500 + numbers.below(WORDS - 500 - TOPIC);
        let mut text = String::new();
        for at in 0..sections {
            // Writing to a String does not fail.
            let _ = write!(text, "## Section {at} {}\n\n", self.word(numbers, topic));
            let end = text.len() + section;
            let mut in_sentence = 0;
            while text.len() < end {
                text.push_str(self.word(numbers, topic));
                in_sentence += 1;
                let ends = in_sentence > 8 && numbers.below(6) == 0;
                text.push_str(if ends { ". " } else { " " });
                if ends {
                    in_sentence = 0;
                }
            }
            text.push_str("\n\n");
        }
        text
    }

    fn word(&self, numbers: &mut Numbers, topic: usize) -> &str {
        if numbers.next() % 100 < OF_TOPIC {
            return &self.words[topic + numbers.below(TOPIC)];
        }
        self.any(numbers)
    }
}

/// A word that can be spoken, short where it is frequent.
fn word(at: usize, numbers: &mut Numbers) -> String {
    const BEGIN: [&str; 16] =
        ["b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st"];
    const MIDDLE: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ei", "ou"];
    let syllables = match at {
        ..100 => 1,
        100..3_000 => 2,
        _ => 3,
    };
    let mut word = String::new();
    for _ in 0..syllables {
        word.push_str(BEGIN[numbers.below(BEGIN.len())]);
        word.push_str(MIDDLE[numbers.below(MIDDLE.len())]);
    }
    // Words that sound alike are told apart by their end.
    const END: [&str; 10] = ["", "n", "r", "l", "m", "k", "t", "x", "nd", "rt"];
    word.push_str(END[at % END.len()]);
    word
}
