//! A person at a terminal: line editing, history, and Ctrl-C that stops a turn first.

use std::io;

use super::editor::{Asked, Editor, Kept};
use super::exchange::{Exchange, Heard, Question};
use super::plain::harmless;
use super::restore::forget_keys;
use crate::channel::{Outgoing, Said};

/// Talks until the person, or the agent, has ended it.
pub(super) async fn run(editor: Editor, exchange: Exchange) -> io::Result<()> {
    Terminal { editor, exchange }.run().await
}

struct Terminal {
    exchange: Exchange,
    editor: Editor,
}

impl Terminal {
    async fn run(mut self) -> io::Result<()> {
        let mut interrupted = false;
        loop {
            let stopped = match self.ask("you> ", Kept::Yes).await {
                Asked::End => return self.exchange.leave().await,
                Asked::Interrupted if interrupted => return self.exchange.leave().await,
                Asked::Interrupted => true,
                Asked::Line(line) => match self.exchange.say(line.as_bytes()).await? {
                    Heard::Over => return Ok(()),
                    Heard::Quit => return self.exchange.leave().await,
                    Heard::Stopped(questions) => {
                        self.put(questions).await?;
                        true
                    }
                    Heard::Answer(questions) => {
                        self.put(questions).await?;
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

    /// Asks for a line; what the agent says meanwhile appears above it.
    async fn ask(&mut self, prompt: &'static str, kept: Kept) -> Asked {
        self.editor.ask(prompt, kept);
        loop {
            tokio::select! {
                asked = self.editor.asked() => return asked,
                outgoing = self.exchange.line.outgoing.recv() => {
                    let lines = match outgoing {
                        None => return Asked::End,
                        Some(Outgoing::Words(text) | Outgoing::Action(text) | Outgoing::Text(text)) => text,
                        Some(Outgoing::Notice(text)) => format!("[{text}]"),
                        Some(Outgoing::Question { text, .. }) => format!("May this run?\n{text}"),
                        Some(Outgoing::Working(_) | Outgoing::End) => continue,
                    };
                    self.editor.print(format!("{}\n", harmless(&lines)));
                }
            }
        }
    }

    /// Puts each question. Whatever is not a yes is a no.
    async fn put(&mut self, questions: Vec<Question>) -> io::Result<()> {
        for Question { id, text } in questions {
            self.exchange.screen.show(&Outgoing::Question { id: id.clone(), text })?;
            // A yes that was typed before the question was there was meant for something else.
            forget_keys();
            let yes = match self.ask("yes or no? [no] ", Kept::No).await {
                Asked::Line(answer) => {
                    let answer = answer.trim();
                    answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes")
                }
                Asked::Interrupted | Asked::End => false,
            };
            if !self.exchange.send(Said::Answer { id, yes }).await {
                return Ok(());
            }
        }
        Ok(())
    }
}
