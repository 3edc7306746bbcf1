//! What is sent for one ask: the way, the prompt that fits, and the form of the answer.

use answer::formats;
use answer::formats::json::{self, Shape};
use llm::{Budget, CompletionRequest, Format, Message, Share, Tool};
use prompt::{self, Gloss, Rendered, Said, choice, gloss_schema, is_long, narrowed, telling};
use protocol::ActionCard;

use super::measure;
use super::memo::{Memo, Size};
use crate::choice::schema;
use crate::{Ask, Assist, Fit, Listener, Picture, Progress, TurnParts, Way};

/// One request, before it takes a provider's shape.
#[derive(Debug)]
pub(super) struct Plan<'p> {
    /// How actions are asked for.
    pub(super) way: Way,
    /// Whether they are asked for at all.
    pub(super) asks_for_actions: bool,
    /// What the answer has to look like.
    pub(super) format: Format,
    /// What the prompt had to fit.
    pub(super) size: Size,
    /// The prompt.
    pub(super) rendered: Rendered,
    /// Whether it should fit, as far as one can tell.
    pub(super) fits: bool,
    /// The message, if it is what does not fit.
    pub(super) too_long: Option<TooLong>,
    /// What was said before, in messages of their own.
    earlier: &'p [Message],
    /// What goes along, to be seen.
    pub(super) picture: Option<&'p Picture>,
    /// How much may be thought besides the answer, in tokens.
    thoughts: u64,
    temperature: Option<f64>,
    /// Whether words alone are wanted.
    is_talk: bool,
}

/// A message that does not fit, whatever else is left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooLong {
    /// How long it is, estimated in tokens.
    pub(super) tokens: u64,
    /// How long it may be, estimated in tokens.
    pub(super) room: u64,
}

/// A message up to so many bytes is sent in any case: whoever can't read that is to say so itself.
const SHORT: usize = 200;

/// The share of what was said before, where it stands in messages of its own.
const EARLIER: &str = "EARLIER";

/// The share of what stands beside the messages: the form of the answer.
const FORM: &str = "FORM";

/// What is known of who is asked.
#[derive(Clone, Copy)]
pub(super) struct Knows<'m> {
    /// What is known of its server.
    pub(super) memo: &'m Memo,
    /// The window that its owner wishes for, in tokens.
    pub(super) wish: Option<u64>,
    /// What it is helped with, if it is small.
    pub(super) assist: Assist,
}

impl<'p> Plan<'p> {
    /// Plans `ask`.
    pub(super) fn new(ask: &Ask<'p>, way: Way, gloss: Option<&str>, knows: &Knows<'_>) -> Self {
        let format = if ask.talks { Format::Free } else { format(ask, way, gloss, knows) };
        let gloss = gloss.map_or(Gloss::None, Gloss::Is);
        Self::of(ask, (way, gloss), format, knows)
    }

    /// Plans to ask for a gloss of the message that `ask` is about.
    pub(super) fn gloss(ask: &Ask<'p>, knows: &Knows<'_>) -> Self {
        let format = Format::Schema(gloss_schema());
        Self::of(&ask.with_picture(None), (Way::Json, Gloss::Wanted), format, knows)
    }

    fn of(
        ask: &Ask<'p>,
        (way, gloss): (Way, Gloss<'_>),
        format: Format,
        knows: &Knows<'_>,
    ) -> Self {
        let Knows { memo, wish, assist } = *knows;
        let beside = beside(&format);
        let picture = ask.picture.filter(|_| memo.sees());
        loop {
            let size = memo.size(wish);
            let beside = beside + picture.map_or(0, |_| measure::picture(size.bytes_per_token));
            let thinks = memo.thinks();
            let kept = if thinks {
                measure::beside_thoughts(size.window, size.bytes_per_token)
            } else {
                0
            };
            let bytes = measure::prompt(size.window, size.bytes_per_token, beside + kept);
            let mut rendered = ask.prompt(Fit {
                way,
                bytes,
                gloss,
                is_small: assist.examples && memo.is_small(),
                talk: ask.talks,
            });
            if let Some(picture) = picture {
                rendered.text.push_str(&format!("\n\n{}", picture.caption));
            }
            let written = rendered.text.len() + said_before(ask.earlier);
            let fits = written <= bytes;
            if fits || wish.is_some() || !memo.grow(size.window) {
                // Small models keep to the form of the answer best when they don't gamble.
                let temperature = memo.takes_temperature().then_some(ask.temperature);
                let asks_for_actions = ask.turn.is_some() && !ask.talks;
                let read = measure::tokens(written + beside, size.bytes_per_token);
                let thoughts = if thinks { measure::thoughts(size.window, read) } else { 0 };
                return Self {
                    way,
                    asks_for_actions,
                    format,
                    size,
                    rendered,
                    fits,
                    too_long: if fits { None } else { too_long(ask, written, bytes, size) },
                    earlier: ask.earlier,
                    picture,
                    thoughts,
                    temperature,
                    is_talk: ask.talks,
                };
            }
        }
    }

    /// Whether words alone are wanted.
    pub(super) fn is_talk(&self) -> bool {
        self.is_talk
    }

    /// Tells the prompt, if it is about a user's message.
    pub(super) fn tell(&self, progress: &mut Listener<'_>) {
        if self.asks_for_actions || self.is_talk {
            progress(Progress::Prompt(&self.rendered.text));
        }
    }

    /// What the server is asked.
    pub(super) fn request(&self) -> CompletionRequest<'_> {
        let (system, user) = split(&self.rendered);
        CompletionRequest {
            system,
            messages: self.earlier,
            user,
            picture: self.picture,
            format: &self.format,
            temperature: self.temperature,
            budget: Budget {
                window: self.size.window,
                reads: self.tokens(),
                answer: measure::answer(self.size.window),
                thoughts: self.thoughts,
            },
        }
    }

    /// How much the server has to read, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rendered.text.len() + said_before(self.earlier) + beside(&self.format)
    }

    /// What that is made of.
    pub(super) fn shares(&self) -> Vec<Share> {
        let beside = [
            Share { name: EARLIER, bytes: said_before(self.earlier) },
            Share { name: FORM, bytes: beside(&self.format) },
        ];
        let shares = self.rendered.shares.iter().cloned();
        shares.chain(beside.into_iter().filter(|share| share.bytes > 0)).collect()
    }

    /// About how many tokens that is.
    pub(super) fn tokens(&self) -> u64 {
        measure::tokens(self.bytes(), self.size.bytes_per_token)
    }
}

/// How much longer the message is than what a prompt of `written` bytes has room for, if `bytes` are all that fit.
fn too_long(ask: &Ask<'_>, written: usize, bytes: usize, size: Size) -> Option<TooLong> {
    let message = ask.turn.map(|turn| turn.message.len()).filter(|&long| long > SHORT)?;
    let room = bytes.saturating_sub(written.saturating_sub(message));
    let tokens = |bytes| measure::tokens(bytes, size.bytes_per_token);
    Some(TooLong { tokens: tokens(message), room: tokens(room) })
}

fn format(ask: &Ask<'_>, way: Way, gloss: Option<&str>, knows: &Knows<'_>) -> Format {
    if let (Some(words), Way::Json) = (ask.choices, way) {
        return Format::Schema(schema(words));
    }
    let Some(turn) = &ask.turn else { return Format::Free };
    let TurnParts { message, cards, so_far, typed, .. } = *turn;
    // What a small model may say is listed from the message, and a long one is no list.
    let (is_small, assist) = (knows.memo.is_small(), knows.assist);
    if way == Way::Json && is_small && assist.narrow && !is_long(message) {
        let said = Said { message, gloss };
        let narrowed =
            narrowed(&prompt::Asked { said, cards, so_far, typed, memory_unasked: !assist.talk });
        let cards: Vec<&ActionCard> = narrowed.cards.iter().collect();
        return Format::Schema(json::schema(&cards, Some(&narrowed.shapes), !assist.talk));
    }
    let cards = choice(Said::plainly(&telling(message)), cards, so_far);
    if way == Way::Json && is_small && assist.one_action {
        let most = usize::from(!cards.is_empty());
        let shapes: Vec<Shape> = (0..=most).map(Shape::free).collect();
        return Format::Schema(json::schema(&cards, Some(&shapes), true));
    }
    formats::response(way, &cards)
}

/// How long these messages are, in bytes.
fn said_before(messages: &[Message]) -> usize {
    messages.iter().map(|message| message.text.len()).sum()
}

/// What goes with the prompt and is read by the model too, in bytes. A schema is made into a grammar instead.
fn beside(format: &Format) -> usize {
    let Format::Tools(tools) = format else { return 0 };
    let size = |tool: &Tool| {
        tool.name.len() + tool.description.len() + tool.parameters.to_string().len() + 64
    };
    tools.iter().map(size).sum()
}

/// The prompt in two messages: what is the same from turn to turn, to the last whole line of it, and the
/// rest. The line break between them is in neither.
fn split(rendered: &Rendered) -> (&str, &str) {
    let text = rendered.text.as_str();
    let stable = text.get(..rendered.stable).unwrap_or_default();
    match stable.rfind('\n').map(|end| (&text[..end], &text[end + 1..])) {
        Some((system, user)) if !user.trim().is_empty() && !system.trim().is_empty() => {
            (system, user)
        }
        _ => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_message_is_the_stable_part_to_its_last_whole_line() {
        let parts = |text: &str, stable| {
            let rendered = Rendered { text: text.to_owned(), stable, ..Rendered::default() };
            let (system, user) = split(&rendered);
            (system.to_owned(), user.to_owned())
        };
        let pair = |system: &str, user: &str| (system.to_owned(), user.to_owned());
        assert_eq!(parts("rules\nsay: hi", 6), pair("rules", "say: hi"));
        assert_eq!(parts("rules\nsay: hi", 11), pair("rules", "say: hi"));
        assert_eq!(parts("rules\n\n# X\nhi", 7), pair("rules\n", "# X\nhi"));
        assert_eq!(parts("hi", 0), pair("", "hi"));
        assert_eq!(parts("all\nof it\n", 10), pair("", "all\nof it\n"));
        // A place within a character, or beyond the end, is no place.
        assert_eq!(parts("ü\nhi", 1), pair("", "ü\nhi"));
        assert_eq!(parts("a\nhi", 99), pair("", "a\nhi"));
    }
}
