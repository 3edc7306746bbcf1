//! Marks where data begins and ends, so that data can't do it.

use answer::sanitize::as_read;

/// The letters of a fence: none that are taken for one another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The random part of a section's tags, the same for a whole session so that prompts share their
/// beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    state: u64,
    token: String,
}

impl Fence {
    /// A fence from a seed, which must be random: who knows it can write data that ends its section.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut fence = Self { state: seed, token: String::new() };
        fence.renew();
        fence
    }

    /// The random part.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Takes another random part until none of `texts` contains it.
    pub fn keep_out_of<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        // A model may take one for the other that is written in capitals, or with something invisible in it.
        let read: Vec<String> = texts.map(as_read).collect();
        while read.iter().any(|text| text.contains(&self.token)) {
            self.renew();
        }
    }

    /// `body` between tags that it does not contain.
    pub fn around(&self, name: &str, body: &str) -> String {
        let token = &self.token;
        let end = if body.is_empty() { "" } else { "\n" };
        format!("<{name}-{token}>\n{body}{end}</{name}-{token}>")
    }

    /// The next eight letters (40 bits) of a splitmix64 sequence, Steele et al. 2014.
    fn renew(&mut self) {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        self.token =
            (0..8).map(|place| char::from(LETTERS[(mixed >> (5 * place)) as usize % 32])).collect();
    }
}
