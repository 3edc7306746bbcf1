//! A person at a terminal: line editing, history, and Ctrl-C that stops a turn first.

use std::io;

use super::editor::{Asked, Editor, Kept};
use super::exchange::{Exchange, Heard, LAST_WORDS};
use super::gathered::Gathered;
use super::restore::forget_keys;
use crate::channel::{Outgoing, Said};
use crate::question::Question;

/// Talks until the person, or the agent, has ended it.
pub(super) async fn run(editor: Editor, exchange: Exchange) -> io::Result<()> {
    let (gathered, settled) = (Gathered::default(), Vec::new());
    Terminal { editor, exchange, gathered, settled }.run().await
}

struct Terminal {
    exchange: Exchange,
    editor: Editor,
    /// What is said while a line is typed.
    gathered: Gathered,
    /// The questions that were answered elsewhere while a line was typed.
    settled: Vec<String>,
}

/// What is said next.
enum Next {
    /// This line.
    Line(String),
    /// Nothing yet: ask for a line.
    Nothing,
    /// Nothing any more, or a first Ctrl-C.
    End(Asked),
}

impl Terminal {
    async fn run(mut self) -> io::Result<()> {
        let mut interrupted = false;
        let mut next = Next::Nothing;
        loop {
            let asked = match next {
                Next::Line(line) => Asked::Line(line),
                Next::Nothing => self.ask("you> ", Kept::Yes).await,
                Next::End(asked) => asked,
            };
            next = Next::Nothing;
            let stopped = match asked {
                Asked::End => return self.exchange.leave(LAST_WORDS).await,
                Asked::Interrupted if interrupted => return self.exchange.leave(LAST_WORDS).await,
                Asked::Interrupted => true,
                Asked::Line(line) => match self.say(&line).await? {
                    Heard::Over => return Ok(()),
                    Heard::Quit => return self.exchange.leave(LAST_WORDS).await,
                    Heard::Stopped(questions) => {
                        next = self.put(questions).await?;
                        true
                    }
                    Heard::Answer(questions) => {
                        next = self.put(questions).await?;
                        false
                    }
                },
            };
            interrupted = stopped;
            if stopped {
                let how = "Ctrl-C once more, or quit, ends it";
                self.exchange.screen.show(&Outgoing::Notice(how.to_owned()))?;
            }
        }
    }

    /// Says a line, below what was being said elsewhere.
    async fn say(&mut self, line: &str) -> io::Result<Heard> {
        if let Some(begun) = self.gathered.take(&Outgoing::End) {
            self.exchange.screen.line(begun.trim_end())?;
        }
        self.exchange.say(line.as_bytes()).await
    }

    /// Asks for a line; what the agent says meanwhile appears above it.
    async fn ask(&mut self, prompt: &'static str, kept: Kept) -> Asked {
        self.editor.ask(prompt, kept);
        loop {
            tokio::select! {
                asked = self.editor.asked() => return asked,
                outgoing = self.exchange.hear() => {
                    let Some(outgoing) = outgoing else { return Asked::End };
                    if let Outgoing::Settled { id, .. } = &outgoing {
                        self.settled.push(id.clone());
                    }
                    if let Some(lines) = self.gathered.take(&outgoing) {
                        self.editor.print(lines);
                    }
                }
            }
        }
    }

    /// Puts each question. What is no answer to it is said next, and it and those behind it stay open.
    async fn put(&mut self, questions: Vec<Question>) -> io::Result<Next> {
        let mut open = questions.into_iter();
        while let Some(question) = open.next() {
            self.exchange.screen.put(&question)?;
            // A yes that was typed before the question was there was meant for something else.
            forget_keys();
            let said = self.answer(&question).await?;
            if !matches!(said, Next::Nothing) {
                self.stay_open(std::iter::once(question).chain(open))?;
                return Ok(said);
            }
        }
        Ok(Next::Nothing)
    }

    /// Asks until something is typed; `Nothing` when that was the answer.
    async fn answer(&mut self, question: &Question) -> io::Result<Next> {
        self.settled.clear();
        loop {
            let line = match self.ask("answer> ", Kept::No).await {
                Asked::Line(line) if line.trim().is_empty() => {
                    if self.settled.contains(&question.id) {
                        return Ok(Next::Nothing);
                    }
                    continue;
                }
                Asked::Line(line) => line,
                other => return Ok(Next::End(other)),
            };
            let Some(decision) = question.answered_by(&line) else { return Ok(Next::Line(line)) };
            // Somebody was faster elsewhere, which stands above the line.
            if self.settled.contains(&question.id) {
                return Ok(Next::Nothing);
            }
            return Ok(match self.exchange.send(Said::Answer(decision)).await {
                Some(_) => Next::Nothing,
                None => Next::End(Asked::End),
            });
        }
    }

    fn stay_open(&mut self, questions: impl Iterator<Item = Question>) -> io::Result<()> {
        let ids: Vec<String> = questions.map(|question| question.short().to_owned()).collect();
        let notice = format!("still open: {}; /approvals shows it again", ids.join(", "));
        self.exchange.screen.show(&Outgoing::Notice(notice))
    }
}
