//! What is said in one turn, as one growing text over as few messages as hold it.

use ::markup::harmless;
use teloxide_core::types::MessageId;

use crate::markup;
use crate::styled::{LONGEST, Styled};

/// The text of a turn, and the messages that show it by now.
#[derive(Debug, Default)]
pub struct Sheet {
    /// What is complete.
    fixed: Styled,
    /// The words that still come.
    words: String,
    shown: Vec<(MessageId, Styled)>,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
}

/// What brings the messages nearer to the text.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// A further message.
    Send(Styled),
    /// Another text in one that is there.
    Edit(MessageId, Styled),
    /// One too many.
    Delete(MessageId),
}

impl Sheet {
    /// Adds a piece of the model's words.
    pub fn word(&mut self, piece: &str) {
        self.words.push_str(piece);
    }

    /// Adds a text of its own.
    pub fn text(&mut self, text: &str) {
        self.add(markup::read(text));
    }

    /// Adds a text of its own that is shown as it is.
    pub fn line(&mut self, text: &str) {
        self.add(Styled::plain(harmless(text)));
    }

    /// The next change that a message needs; `None` when all of them show what was said.
    pub fn next(&self) -> Option<Change> {
        let mut all = self.fixed.clone();
        all.append(markup::read(&self.words));
        let pieces = all.pieces(LONGEST);
        for (at, piece) in pieces.iter().enumerate() {
            match self.shown.get(at) {
                Some((_, shown)) if shown == piece => {}
                Some((id, _)) => return Some(Change::Edit(*id, piece.clone())),
                None => return Some(Change::Send(piece.clone())),
            }
        }
        self.shown.get(pieces.len()).map(|(id, _)| Change::Delete(*id))
    }

    /// A change was made; if a message was sent for it, under this id.
    pub fn made(&mut self, change: Change, sent: Option<MessageId>) {
        match change {
            Change::Send(text) => self.shown.extend(sent.map(|id| (id, text))),
            Change::Edit(id, text) => {
                if let Some(shown) = self.shown.iter_mut().find(|(shown, _)| *shown == id) {
                    *shown = (sent.unwrap_or(id), text);
                }
            }
            Change::Delete(id) => self.shown.retain(|(shown, _)| *shown != id),
        }
    }

    fn add(&mut self, text: Styled) {
        let words = std::mem::take(&mut self.words);
        self.fixed.append(markup::read(&words));
        self.fixed.new_line();
        self.fixed.append(text);
        self.fixed.new_line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes all changes that are needed; gives how many, and the texts that stand there then.
    fn show(sheet: &mut Sheet) -> (usize, Vec<String>) {
        let mut count = 0;
        while let Some(change) = sheet.next() {
            count += 1;
            let id = i32::try_from(sheet.shown.len()).unwrap();
            let sent = matches!(change, Change::Send(_)).then_some(MessageId(id));
            sheet.made(change, sent);
        }
        (count, sheet.shown.iter().map(|(_, text)| text.text.clone()).collect())
    }

    #[test]
    fn it_grows_in_one_message_and_goes_on_in_the_next() {
        let mut sheet = Sheet::default();
        assert_eq!(sheet.next(), None);
        sheet.word("One **wo");
        assert_eq!(show(&mut sheet), (1, vec!["One **wo".to_owned()]));
        sheet.word("rd**.");
        assert_eq!(show(&mut sheet), (1, vec!["One **word**.".to_owned()]));
        assert_eq!(show(&mut sheet).0, 0, "nothing is left to do");
        sheet.line("POST: done");
        sheet.word("Then");
        assert_eq!(show(&mut sheet), (1, vec!["One **word**.\nPOST: done\nThen".to_owned()]));
        sheet.word(&format!("\n\n{}\n\n{}", "x".repeat(3_000), "y".repeat(3_000)));
        let (count, texts) = show(&mut sheet);
        assert_eq!((count, texts[1].as_str()), (2, &*"y".repeat(3_000)));
        sheet.word("z");
        assert_eq!(show(&mut sheet).0, 1, "the first message stays as it is");
    }
}
