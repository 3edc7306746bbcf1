//! Where the words of an answer go while they come.

use std::time::Duration;

use answer::Words;
use conversation::message::Outgoing;
use document::Notice;
use model::{Hearer, Progress};
use protocol::ActionCard;
use session::Outbox;
use tokio::time::Instant;

use super::repeat::Repeat;

/// Shows one answer as it comes.
pub(super) struct Screen<'a> {
    outbox: &'a Outbox,
    /// What the turn has said by now.
    said: &'a mut String,
    /// The words before the first ones, which are shown and not kept.
    prefix: &'a mut Option<String>,
    hearer: &'a Hearer,
    begin: Begin<'a>,
    words: Words<'a>,
    repeat: &'a mut Repeat,
    /// The same before anybody has said anything.
    before: Repeat,
    /// What is waited for.
    what: String,
    /// How much had been said before this answer, in bytes.
    from: usize,
    /// The next piece is set apart from what was said before.
    separate: bool,
    seen: Seen,
    began: Instant,
    /// What people are to hear once the answer stands whole.
    notices: Vec<Notice>,
}

/// What is known of an answer before it begins.
pub(super) struct Begin<'a> {
    /// The actions that it may ask for.
    pub(super) cards: [&'a [ActionCard]; 2],
    /// The model whose answers begin with reasoning that looks like words.
    pub(super) thinks_first: Option<String>,
    /// Nothing in it asks for an action between tags.
    pub(super) is_words_alone: bool,
}

impl<'a> Begin<'a> {
    fn words(&self, by: &str) -> Words<'a> {
        if self.is_words_alone {
            return Words::alone();
        }
        Words::new(self.cards).behind_thought(self.thinks_first.as_deref() == Some(by))
    }
}

/// What was seen of an answer while it came.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Who was asked last.
    by: String,
    /// It began with reasoning that looked like words.
    has_thought: bool,
    /// How long people waited for the first of its text.
    first: Option<Duration>,
}

impl Seen {
    /// How long the first token took, where `said` is what the model knows of it, if anything: nothing of other tries, of a
    /// gloss, and of who was asked before.
    pub(super) fn first_token(&self, said: Option<Duration>) -> Option<Duration> {
        said.and(self.first).or(said)
    }

    /// The model whose answer began with reasoning that looked like words.
    pub(super) fn thinks_first(self) -> Option<String> {
        self.has_thought.then_some(self.by)
    }
}

impl<'a> Screen<'a> {
    /// For one answer, which goes to the outbox and is kept behind what was said before.
    pub(super) fn new(
        (outbox, (said, prefix)): (&'a Outbox, (&'a mut String, &'a mut Option<String>)),
        hearer: &'a Hearer,
        begin: Begin<'a>,
        repeat: &'a mut Repeat,
    ) -> Self {
        // A second try sets itself apart from the first.
        let separate = !said.is_empty() && !repeat.is_second();
        let (from, seen, began) = (said.len(), Seen::default(), Instant::now());
        let (words, before, what) = (begin.words(""), repeat.clone(), String::new());
        Self {
            outbox,
            said,
            prefix,
            hearer,
            begin,
            words,
            repeat,
            before,
            what,
            from,
            separate,
            seen,
            began,
            notices: Vec::new(),
        }
    }

    /// Shows how the model gets on.
    pub(super) fn hear(&mut self, progress: Progress<'_>) {
        if progress.is_words() {
            self.seen.first.get_or_insert_with(|| self.began.elapsed());
        }
        match progress {
            Progress::Asked { by, number } => self.asks(by, number),
            Progress::Piece(piece) => {
                let piece = self.words.push(piece);
                self.show(piece);
            }
            Progress::WordsAlone => self.words = Words::alone(),
            // It would stand in the middle of a line.
            Progress::Notice(notice) if self.seen.first.is_some() => {
                self.notices.push(notice);
            }
            other => self.outbox.say_progress(&self.what, &other),
        }
    }

    /// Somebody is asked. Of what the one before has written, nothing was shown.
    fn asks(&mut self, by: &str, number: usize) {
        self.what = format!("{} is thinking", name_for(self.outbox, by, number));
        self.outbox.say(Outgoing::Working(self.what.clone()));
        self.words = self.begin.words(by);
        *self.repeat = self.before.clone();
        self.seen = Seen { by: by.to_owned(), has_thought: false, first: None };
    }

    /// Shows what was held back, and gives what was seen.
    pub(super) fn finish(mut self) -> Seen {
        let piece = self.words.finish();
        self.show(piece);
        for notice in self.notices {
            self.outbox.say_progress(&self.what, &Progress::Notice(notice));
        }
        self.seen
    }

    fn show(&mut self, piece: String) {
        if self.words.begins_anew() {
            self.begin_anew();
        }
        let piece = self.repeat.new_of(piece);
        if piece.is_empty() {
            return;
        }
        if std::mem::take(&mut self.separate) && !piece.starts_with('\n') {
            self.said.push('\n');
        }
        self.said.push_str(&piece);
        self.hearer.sees();
        if let Some(prefix) = self.prefix.take() {
            self.outbox.say(Outgoing::Words(prefix));
        }
        self.outbox.say(Outgoing::Words(piece));
    }

    /// What was said of this answer was reasoning: it can't be taken back where it was shown, but is no part of what was said.
    fn begin_anew(&mut self) {
        *self.repeat = Repeat::default();
        (self.seen.has_thought, self.separate) = (true, self.from > 0);
        if self.said.len() > self.from {
            self.said.truncate(self.from);
            self.outbox.say(Outgoing::Words("\n\n".to_owned()));
        }
    }
}

/// What the people of `outbox` call the one who is asked for the so-manieth time.
fn name_for(outbox: &Outbox, by: &str, number: usize) -> String {
    // Where it is, is not a guest's business.
    let name = if outbox.is_owners() { by } else { "the model" };
    if number == 1 { name.to_owned() } else { format!("{name} (try {number})") }
}

#[cfg(test)]
mod tests {
    use protocol::SessionKey;

    use super::*;
    use session::Lines;

    #[test]
    fn a_notice_stands_behind_the_answer_and_not_in_its_last_line() {
        let owner = SessionKey::owner();
        let lines = Lines::default();
        let (_, mut heard) = lines.open("console", true, true);
        let (outbox, hearer) = (Outbox::new(owner.clone(), &lines), Hearer::of(&owner));
        let (mut said, mut repeat) = (String::new(), Repeat::default());
        let begin = Begin { cards: [&[], &[]], thinks_first: None, is_words_alone: false };
        let said_so = (&mut said, &mut None);
        let mut screen = Screen::new((&outbox, said_so), &hearer, begin, &mut repeat);
        let early = Notice::new("early".to_owned());
        screen.hear(Progress::Notice(early));
        screen.hear(Progress::Piece("```\nprint(1)\n```"));
        let late = Notice::new("late".to_owned());
        screen.hear(Progress::Notice(late));
        screen.finish();
        let mut told = String::new();
        while let Ok(heard) = heard.try_recv() {
            match heard.outgoing {
                Outgoing::Words(words) => told.push_str(&words),
                Outgoing::Notice(notice) => told.push_str(&format!("[{notice}]")),
                _ => {}
            }
        }
        assert_eq!(told, "[early]```\nprint(1)\n```[late]");
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_token_is_waited_for_from_the_beginning() {
        let owner = SessionKey::new("owner".to_owned()).unwrap();
        let (outbox, hearer) = (Outbox::new(owner.clone(), &Lines::default()), Hearer::of(&owner));
        let (mut said, mut repeat) = (String::new(), Repeat::default());
        let begin = Begin { cards: [&[], &[]], thinks_first: None, is_words_alone: false };
        let said_so = (&mut said, &mut None);
        let mut screen = Screen::new((&outbox, said_so), &hearer, begin, &mut repeat);
        for piece in ["", "Hel", "lo."] {
            tokio::time::advance(Duration::from_secs(3)).await;
            screen.hear(Progress::Piece(piece));
        }
        let seen = screen.finish();
        assert_eq!(seen.first_token(Some(Duration::from_secs(1))), Some(Duration::from_secs(6)));
        assert_eq!(seen.first_token(None), None, "who does not count has no tokens");
        assert_eq!(said, "Hello.");
    }
}
