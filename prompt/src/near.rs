//! What helps with just this message, right before it: actions that it may be about, and how others asked for them.
//!
//! It changes with every message, so it stands behind the part of the prompt that stays.

use async_trait::async_trait;
use llm::Way;
use protocol::{ActionCard, Example};

use super::offered::are_few;
use super::relevance::{nearest, relevant};
use super::said::{Said, telling};
use super::section::{Manner, Part, Section, Source};
use super::wishes::{joins, wishes};
use super::{Gloss, Step, actions, form, template};

use super::Fit;

/// How many actions are shown by example.
const SHOWN: usize = 3;

/// How many examples of each.
const EXAMPLES: usize = 2;

/// The actions that the message may be about, where the part that stays has no room to describe all.
pub(super) struct Fitting;

#[async_trait]
impl Source for Fitting {
    fn name(&self) -> &'static str {
        template::MESSAGE
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let step = *step;
        let section = Section::written(move |manner| {
            let told = telling(step.message);
            let text = said(&told, manner).and_then(|said| described(&step, said, manner));
            text.map(Part::own).into_iter().collect()
        });
        Some(section.at_most(actions::MOST).making_room(41, 400, "descriptions of actions"))
    }
}

/// How others asked for the like.
pub(super) struct Alike;

#[async_trait]
impl Source for Alike {
    fn name(&self) -> &'static str {
        template::MESSAGE
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let step = *step;
        Some(Section::written(move |manner| {
            let told = telling(step.message);
            let said = said(&told, manner).filter(|_| manner.has_place);
            let text = said.and_then(|said| examples(&step, said, manner.fit));
            text.map(Part::own).into_iter().collect()
        }))
    }
}

/// What is held against the cards; nothing where the model is asked for a gloss.
fn said<'s>(told: &'s str, manner: &Manner<'s>) -> Option<Said<'s>> {
    let gloss = manner.fit.gloss;
    (!manner.fit.talk && gloss != Gloss::Wanted)
        .then(|| Said { message: told, gloss: gloss.text() })
}

fn described(step: &Step<'_>, said: Said<'_>, manner: &Manner<'_>) -> Option<String> {
    let way = manner.fit.way;
    if are_few(step.cards) || way == Way::Native {
        return None;
    }
    let routed: Vec<&ActionCard> = step.cards[1].iter().collect();
    let best = relevant(said, &routed).into_iter();
    Some(format!("The actions that may fit:\n{}", actions::render(best, way, manner.room)))
}

/// Messages like this one with the answers to them, the most like it last, and one that needs no action. A larger model has
/// read one of each action before, if they are few, and is shown only how two are asked for at once.
fn examples(step: &Step<'_>, said: Said<'_>, fit: Fit<'_>) -> Option<String> {
    if fit.way != Way::Json {
        return None;
    }
    let all: Vec<&ActionCard> = step.cards.into_iter().flatten().collect();
    let best = relevant(said, &all);
    let best = if best.len() < all.len() { best } else { Vec::new() };
    let examples: Vec<(&ActionCard, Vec<&Example>)> =
        best.into_iter().take(SHOWN).map(|card| (card, nearest(said, card))).collect();
    // An example of two makes a small model do two things of each.
    let two = || wished(said, &all).or_else(|| two_at_once(&examples));
    let mut lines: Vec<String> =
        (joins(said) && !examples.is_empty()).then(two).flatten().into_iter().collect();
    if fit.is_small || !are_few(step.cards) {
        lines.extend(alike(&examples));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Some of each, and what needs no action.
fn alike(examples: &[(&ActionCard, Vec<&Example>)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (card, examples) in examples.iter().rev() {
        let short = examples.iter().take(EXAMPLES).filter(|example| form::is_short(example));
        lines.extend(short.rev().map(|example| form::answered(&[(*card, *example)])));
    }
    match lines.as_slice() {
        // Where no word tells, it is talk more often than not.
        [] => lines.extend(form::all_of_talk()),
        _ => lines.push(form::one_of_talk()),
    }
    lines
}

/// How one asks for the first two things that the message asks for.
fn wished(said: Said<'_>, cards: &[&ActionCard]) -> Option<String> {
    let wished = wishes(said, cards);
    let [one, other, ..] = wished.as_slice() else { return None };
    let (one, other) = (one.card, other.card);
    let first = *nearest(said, one).first()?;
    // The same action is shown by two examples of it, or by the same.
    let examples = nearest(said, other);
    let second = examples.iter().find(|example| **example != first).or(examples.first())?;
    let pair = [(one, first), (other, *second)];
    pair.iter().all(|(_, example)| form::is_short(example)).then(|| form::answered(&pair))
}

/// How one asks for two things at once: of the two best actions, or of the best one twice.
fn two_at_once(examples: &[(&ActionCard, Vec<&Example>)]) -> Option<String> {
    let first = |place: usize| {
        let (card, examples) = examples.get(place)?;
        examples.first().map(|example| (*card, *example))
    };
    let again = || {
        let (card, examples) = examples.first()?;
        examples.get(1).map(|example| (*card, *example))
    };
    let pair = [first(0)?, first(1).or_else(again)?];
    pair.iter().all(|(_, example)| form::is_short(example)).then(|| form::answered(&pair))
}
