//! Reads what a model gave back into words and actions, in whatever way it was asked.

use llm::Completion;

use super::echo::{self, Shown};
use super::error::AnswerError;
use super::formats::{Call, calls, tool_calls};
use super::found::Block;
use super::name::Cards;
use super::splitter::Splitter;
use super::{Action, Answer, MAX_ACTIONS, Words};

impl Answer {
    /// Reads a whole completion: its tool calls and its text, in any of the forms that models write.
    /// `cards` are the actions that may be asked for: the local ones, then the router's.
    /// `shown` is what the model read of others' texts: what it repeats of them without a tag is no action.
    ///
    /// # Errors
    /// [`AnswerError`] says what the model has to write differently. Nothing of such an answer is run.
    pub fn read(
        completion: &Completion,
        cards: Cards<'_>,
        shown: &Shown<'_>,
    ) -> Result<Self, AnswerError> {
        if completion.words_alone {
            let words = Words::alone().whole(&completion.text);
            return Ok(Self { words, actions: Vec::new() });
        }
        let mut splitter = Splitter::new(cards);
        let mut words = splitter.push(&completion.text);
        splitter.began_anew();
        let (last, found) = splitter.finish();
        if found.is_anew {
            words.clear();
        }
        words.push_str(&last);
        if let Some(fault) = found.fault {
            return Err(fault);
        }
        let mut asked = Asked { cards, actions: Vec::new(), before: 0, count: 0 };
        asked.begin();
        tool_calls(completion)?.into_iter().try_for_each(|call| asked.add(call))?;
        for block in &found.blocks {
            asked.block(block, shown)?;
        }
        if words.is_empty() && asked.actions.is_empty() {
            return Err(AnswerError::Empty);
        }
        Ok(Self { words, actions: asked.actions })
    }
}

/// The actions that were read by now.
struct Asked<'c> {
    cards: Cards<'c>,
    actions: Vec<Action>,
    /// How many of them stood in earlier blocks.
    before: usize,
    /// How many there were, those that stood in two blocks included.
    count: usize,
}

impl<'c> Asked<'c> {
    fn block(&mut self, block: &Block, shown: &Shown<'_>) -> Result<(), AnswerError> {
        let read = calls(block)?;
        echo::check(block, &read, shown)?;
        let most = self.count + read.len();
        if most > MAX_ACTIONS {
            return Err(AnswerError::TooMany(most));
        }
        self.begin();
        read.into_iter().try_for_each(|call| self.add(call))
    }

    /// A block begins.
    fn begin(&mut self) {
        self.before = self.actions.len();
    }

    /// Adds one action. What another block has asked for already was said twice and meant once.
    fn add(&mut self, call: Call) -> Result<(), AnswerError> {
        self.count += 1;
        if self.count > MAX_ACTIONS {
            return Err(AnswerError::TooMany(self.count));
        }
        let number = self.count;
        let action = call.action(self.cards);
        let action = action.map_err(|problem| AnswerError::Action { number, problem })?;
        if !self.actions[..self.before].contains(&action) {
            self.actions.push(action);
        }
        Ok(())
    }
}
