//! What a small model is offered: what the words tell, as often as they tell it, with values that stand in the message. It
//! takes whatever it is offered, and copies an example rather than saying nothing.
//!
//! All of it is a guess by words that makes a weak model answer better. Nothing is allowed by it: the wall judges.

mod copied;
mod due;
mod there;
mod values;

use answer::MAX_ACTIONS;
use answer::formats::json::Shape;
use conversation::observation::Observation;
use protocol::{ActionCard, Effect, Outcome};
use serde_json::Value;

use super::connect::Connected;
use super::form;
use super::handed::{hands_on, is_asking};
use super::offered::offered;
use super::said::Said;
use super::wishes::{Wished, joins, wishes};
use there::There;

/// A message, and what may be done about it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// What was said.
    pub said: Said<'a>,
    /// The actions that may be asked for: the local ones, then the router's.
    pub cards: [&'a [ActionCard]; 2],
    /// What this turn's actions have brought by now.
    pub so_far: &'a [Observation],
    /// The addresses that the person typed in this conversation.
    pub typed: &'a [String],
    /// Whether what remembers is offered where no word asks for it.
    pub memory_unasked: bool,
}

/// What is offered.
#[derive(Debug)]
pub struct Narrowed {
    /// The actions, with their parameters narrowed.
    pub cards: Vec<ActionCard>,
    /// What an answer may look like.
    pub shapes: Vec<Shape>,
}

/// What remembers: a small model would else store what it is told in passing.
const MEMORY: &str = "_MEMORY_WRITE";

/// How many thoughts are listed at most: two of the same kind for a dozen actions.
const THOUGHTS: usize = 144;

/// How many parts of a message are listed at most, for all actions together: the server makes a rule of each.
const PARTS: usize = 1_000;

/// What a small model thinks when it has acted, before it speaks. Left alone it thinks that it is being thanked.
const TELL_RESULTS: &str = "tell the user what the results say";
const DONE: &str = "done; nothing to do";
const TELL_WHY: &str = "tell the user why it was not done";

/// The actions that the parts of the message tell, or those that must be asked for again; if no word tells, all but those
/// that would need an address which nobody has named.
#[must_use]
pub fn narrowed(asked: &Asked<'_>) -> Narrowed {
    let all: Vec<&ActionCard> = asked.cards.into_iter().flatten().collect();
    let wished = wishes(asked.said, &all);
    let due = due::again(&all, &wished, asked.so_far);
    if !due.is_empty() {
        let shapes = vec![all_of(&due)];
        return Narrowed { cards: asked.narrow(due), shapes };
    }
    // A small model that has acted goes on acting as long as it may.
    let is_over = !asked.so_far.is_empty() && asked.so_far.len() >= wished.len();
    let cards = if is_over { Vec::new() } else { asked.meant(&wished) };
    let left = |one: &Wished<'_>| cards.iter().any(|card| card.name == one.card.name);
    let wished: Vec<Wished<'_>> = wished.into_iter().filter(left).collect();
    let cards = asked.narrow(cards);
    let shapes = asked.shapes(&wished, &cards);
    Narrowed { cards, shapes }
}

impl<'a> Asked<'a> {
    /// The actions that may be meant.
    fn meant(&self, wished: &[Wished<'a>]) -> Vec<&'a ActionCard> {
        let there = There::of(self);
        let mut cards = offered(self.said, self.cards, self.so_far);
        if !self.memory_unasked {
            let connected = Connected::of(self.said.message, self.cards);
            cards.retain(|card| card.name.as_str() != MEMORY || connected.tells(MEMORY));
        }
        let is_wished = |card: &ActionCard| wished.iter().any(|one| one.card.name == card.name);
        let message = self.said.message;
        if is_asking(message) && !hands_on(message) {
            // `Why do people post so much?` names no network.
            let is_order =
                |card: &ActionCard| is_wished(card) && there.has_what_it_needs(self.said, card);
            cards.retain(|card| card.effect == Effect::None || is_order(card));
        }
        if cards.iter().any(|card| is_wished(card)) {
            cards.retain(|card| is_wished(card) && there.has_place(card));
        } else {
            cards.retain(|card| there.has_what_it_needs(self.said, card));
        }
        cards
    }

    /// The answers that there may be: talk, unless something is handed on to an action; and as many actions as are told.
    fn shapes(&self, wished: &[Wished<'_>], cards: &[ActionCard]) -> Vec<Shape> {
        let message = self.said.message;
        let takes = |one: &Wished<'_>| copied::takes_words(one.card);
        let is_order = hands_on(message) && !is_asking(message) && wished.iter().any(takes);
        let is_first = self.so_far.is_empty();
        let mut shapes: Vec<Shape> = Vec::new();
        if !is_order || cards.is_empty() {
            shapes.push(self.talk());
        }
        if cards.is_empty() {
            return shapes;
        }
        match self.now(wished) {
            now @ [_, _, ..] if is_first => shapes.push(self.shape_of(now)),
            [now] if is_first => {
                let is_now = |card: &&ActionCard| card.name == now.card.name;
                shapes.extend(cards.iter().filter(is_now).map(one_of));
            }
            _ => shapes.extend(cards.iter().map(one_of)),
        }
        if wished.is_empty() && joins(self.said) {
            shapes.push(two_of(cards));
        }
        shapes
    }

    /// What can be done now: who reads something first acts on what it says only when it is read, unless the message holds
    /// the words.
    fn now<'w>(&self, wished: &'w [Wished<'a>]) -> &'w [Wished<'a>] {
        let acts = |one: &Wished<'_>| one.card.effect != Effect::None;
        match wished.iter().position(acts) {
            Some(deed) if !hands_on(self.said.message) => {
                let reads = |one: &Wished<'_>| there::is_about_a_place(one.card);
                if deed > 0 && wished[..deed].iter().all(reads) { &wished[..deed] } else { wished }
            }
            _ => wished,
        }
    }

    /// Words alone. Who has acted tells what came of it; what a deed brought is on the screen already.
    fn talk(&self) -> Shape {
        let card = |seen: &Observation| {
            let mut cards = self.cards.into_iter().flatten();
            cards.find(|card| card.name == seen.action)
        };
        let read = |seen: &Observation| card(seen).is_some_and(|card| card.effect == Effect::None);
        let done: Vec<&Observation> =
            self.so_far.iter().filter(|seen| matches!(seen.outcome, Outcome::Done(_))).collect();
        let thought = match (self.so_far, done.as_slice()) {
            ([], _) => return Shape::of(0, form::thoughts_of_talk().map(str::to_owned).collect()),
            (_, []) => TELL_WHY,
            (_, done) if done.iter().any(|seen| read(seen)) => TELL_RESULTS,
            _ => DONE,
        };
        Shape::of(0, vec![thought.to_owned()])
    }

    /// All that is wished for, each with its own words; of very much, as much as one answer may ask for.
    fn shape_of(&self, wished: &[Wished<'_>]) -> Shape {
        let wished = &wished[..wished.len().min(MAX_ACTIONS)];
        let cards: Vec<&ActionCard> = wished.iter().map(|one| one.card).collect();
        let there = There::of(self);
        let own = |(place, one): (usize, &Wished<'_>)| {
            let said = Said { message: &one.words, gloss: None };
            let copied = if hands_on(self.said.message) || self.said.gloss.is_some() {
                self.said.message
            } else {
                &one.words
            };
            let copied = if is_much(&cards, copied) { "" } else { copied };
            narrow(one.card, said, copied, &there.at(place, wished))
        };
        let each = wished.iter().enumerate().map(own).collect();
        Shape { each, ..all_of(&cards) }
    }

    /// The cards, each once, with what stands in the message as their only values.
    fn narrow(&self, cards: Vec<&ActionCard>) -> Vec<ActionCard> {
        let there = There::of(self);
        let copied = if is_much(&cards, self.said.message) { "" } else { self.said.message };
        let mut once: Vec<ActionCard> = Vec::new();
        for card in cards {
            if once.iter().all(|known| known.name != card.name) {
                once.push(narrow(card, self.said, copied, &there));
            }
        }
        once
    }
}

/// Whether the parts of `copied` are too many to be listed for all of these.
fn is_much(cards: &[&ActionCard], copied: &str) -> bool {
    cards.len() * copied::count(copied) > PARTS
}

/// The card with what is said as the only values of its parameters; parts of `copied`, if it is copied.
fn narrow(card: &ActionCard, said: Said<'_>, copied: &str, there: &There) -> ActionCard {
    let only = |(name, schema): (&String, &Value)| {
        let narrowed = there
            .only(schema)
            .or_else(|| values::only(said, card, name))
            .or_else(|| copied::only(copied, card, name));
        (name.clone(), narrowed.unwrap_or_else(|| schema.clone()))
    };
    ActionCard { params: card.params.iter().map(only).collect(), ..card.clone() }
}

/// The shape of an answer that asks for this one alone.
fn one_of(card: &ActionCard) -> Shape {
    Shape { each: vec![card.clone()], ..all_of(&[card]) }
}

/// The shape of an answer that asks for any two of them.
fn two_of(cards: &[ActionCard]) -> Shape {
    let pair = |one| cards.iter().map(move |other| form::thought(&[one, other]));
    let thoughts: Vec<String> = cards.iter().flat_map(pair).collect();
    Shape::of(2, if thoughts.len() > THOUGHTS { Vec::new() } else { thoughts })
}

/// The shape of an answer that asks for all of these, in this order.
fn all_of(cards: &[&ActionCard]) -> Shape {
    Shape::of(cards.len(), vec![form::thought(cards)])
}

#[cfg(test)]
mod tests;
