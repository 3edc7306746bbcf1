//! How much fits: windows in tokens, prompts in bytes, and what leads from one to the other.

/// The window that is assumed for a server nearby, in tokens, and asked for where one can ask.
pub(super) const LOCAL: u64 = 8_192;

/// The window that is assumed for a server in a cloud, in tokens.
pub(super) const CLOUD: u64 = 128_000;

/// How many bytes make a token as long as no server has counted: fewer than in English, so that other
/// languages fit as well.
pub(super) const BYTES_PER_TOKEN: f64 = 3.0;

/// How far a server's count may move that: from Chinese or numbers to plain English words.
const BOUNDS: (f64, f64) = (1.5, 6.0);

/// A count beyond this many bytes a token was not of the whole prompt: some servers leave out what they knew.
const IMPLAUSIBLE: f64 = 8.0;

/// Below this many tokens it is mostly the server's own frame around the prompt that is counted.
const TOO_FEW: u64 = 200;

/// What is left free because a count of bytes is only nearly one of tokens.
const SAFETY: f64 = 0.9;

/// How long an answer may be at most, in tokens.
const ANSWER: u64 = 2_048;

/// How much a model that thinks may think at most, in tokens, besides its answer.
const THOUGHTS: u64 = 8_192;

/// What a picture takes, in tokens: one of 1,000 pixels a side takes 1,000 to 1,600 of them.
const PICTURE: f64 = 1_600.0;

/// About how many bytes of a prompt a picture takes the place of.
pub(super) fn picture(bytes_per_token: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few thousand bytes"
    )]
    let bytes = (PICTURE * bytes_per_token) as usize;
    bytes
}

/// About how many bytes of a prompt are kept free in such a window so that a model that thinks can think as much as it
/// may say.
pub(super) fn beside_thoughts(window: u64, bytes_per_token: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a few thousand bytes"
    )]
    let bytes = (answer(window) as f64 * bytes_per_token * SAFETY) as usize;
    bytes
}

/// How much may be thought in such a window besides the answer and a prompt of about `prompt` tokens, in tokens: what
/// is left, with an eighth of the prompt and the server's frame around it for the case that it is longer than one thinks.
pub(super) fn thoughts(window: u64, prompt: u64) -> u64 {
    let taken = prompt.saturating_add(prompt / 8).saturating_add(answer(window) + TOO_FEW);
    THOUGHTS.min(window.saturating_sub(taken))
}

/// How long an answer may be in such a window, in tokens.
pub(super) fn answer(window: u64) -> u64 {
    ANSWER.min(window / 4)
}

/// How long a prompt may be in such a window, in bytes, if `beside` bytes of tools go with it.
pub(super) fn prompt(window: u64, bytes_per_token: f64, beside: usize) -> usize {
    let tokens = window.saturating_sub(answer(window));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a window is a few million tokens at most"
    )]
    let bytes = (tokens.min(1 << 40) as f64 * bytes_per_token * SAFETY) as usize;
    bytes.saturating_sub(beside)
}

/// About how many tokens so many bytes are.
pub(super) fn tokens(bytes: usize, bytes_per_token: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a prompt is a few million bytes at most"
    )]
    let tokens = (bytes as f64 / bytes_per_token) as u64;
    tokens
}

/// What `bytes_per_token` becomes when a server counts `tokens` in so many bytes.
pub(super) fn learned(bytes_per_token: f64, bytes: usize, tokens: u64) -> f64 {
    if tokens < TOO_FEW {
        return bytes_per_token;
    }
    #[expect(clippy::cast_precision_loss, reason = "a prompt is a few million bytes at most")]
    let counted = bytes as f64 / tokens as f64;
    if counted > IMPLAUSIBLE {
        return bytes_per_token;
    }
    f64::midpoint(bytes_per_token, counted).clamp(BOUNDS.0, BOUNDS.1)
}

/// What `bytes_per_token` becomes when a prompt that should have fit did not.
pub(super) fn halved(bytes_per_token: f64) -> f64 {
    (bytes_per_token / 2.0).max(BOUNDS.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_leaves_room_for_the_answer() {
        assert_eq!([answer(8_192), answer(4_096), answer(128_000)], [2_048, 1_024, 2_048]);
        assert_eq!(prompt(8_192, 3.0, 0), 16_588);
        assert_eq!(prompt(8_192, 3.0, 16_000), 588);
        assert_eq!(prompt(0, 3.0, 5), 0);
        assert_eq!(tokens(3_000, 3.0), 1_000);
    }

    #[test]
    fn thoughts_get_what_the_prompt_and_the_answer_leave() {
        assert_eq!(thoughts(8_192, 1_600), 8_192 - 2_048 - 1_800 - 200);
        assert_eq!([thoughts(128_000, 1_600), thoughts(4_096, 4_000)], [8_192, 0]);
        // The longest prompt leaves as much for thoughts as for the answer, nearly.
        let longest = prompt(8_192, 3.0, beside_thoughts(8_192, 3.0));
        assert_eq!(thoughts(8_192, tokens(longest, 3.0)), 1_798);
    }

    #[test]
    fn the_servers_count_moves_the_estimate_within_bounds() {
        assert_eq!(learned(3.0, 4_000, 1_000), 3.5);
        assert_eq!(learned(3.0, 1_000, 2_000), 1.75);
        assert_eq!(learned(1.5, 1_000, 2_000), 1.5);
        assert_eq!(learned(6.0, 7_000, 1_000), 6.0);
        // The rest was cached and not counted, or it is the frame that counts.
        assert_eq!(learned(3.0, 20_000, 1_000), 3.0);
        assert_eq!(learned(3.0, 100, 50), 3.0);
        assert_eq!([halved(4.0), halved(2.0)], [2.0, 1.5]);
    }
}
