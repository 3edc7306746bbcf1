//! A message that is written in an editor of the person's own. What is saved there is said as if it had been typed.

use std::io;

use super::super::own_editor::NotWritten;
use super::{Flow, Interrupted, Terminal};
use crate::Outgoing;

impl Terminal {
    /// Has the rest of a message written, which stands behind what was `begun`. What the agent says meanwhile waits: the editor
    /// has the screen.
    pub(super) async fn write_on(&mut self, begun: &str) -> io::Result<Flow> {
        self.interrupted = Interrupted::No;
        let Some(editor) = self.exchange.editor.clone() else {
            return self.not_written(begun, settings::words().get("edit.none").to_owned());
        };
        self.exchange.screen.still();
        let mut held = Vec::new();
        let written = {
            let _lent = self.editor.lend();
            let mut writing = editor.write();
            loop {
                tokio::select! {
                    written = &mut writing => break written,
                    said = self.exchange.line.outgoing.recv() => match said {
                        Some(said) => held.push(said.outgoing),
                        None => return Ok(Flow::Over),
                    },
                }
            }
        };
        // What was pressed there was meant for the editor.
        self.exchange.interrupts.forget();
        let flow = match written {
            Ok(text) => self.say_written(begun, &text).await?,
            Err(NotWritten::NoEditor) => {
                self.not_written(begun, settings::words().get("edit.unset").to_owned())?
            }
            Err(NotWritten::Failed(why)) => {
                let why = settings::words().fill("edit.failed", &[("why", &why)]);
                self.not_written(begun, why)?
            }
        };
        for outgoing in held {
            self.hear(outgoing)?;
        }
        Ok(flow)
    }

    async fn say_written(&mut self, begun: &str, text: &str) -> io::Result<Flow> {
        let parts = [begun.trim(), text.trim()].map(str::to_owned);
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if text.trim().is_empty() {
            return self.not_written(begun, settings::words().get("edit.empty").to_owned());
        }
        let message = parts.join("\n");
        self.exchange.screen.line(&markup::harmless(&message))?;
        self.take_line(&message).await
    }

    /// Says why nothing was written. What was begun stands in the next line: nobody has to type it again.
    fn not_written(&mut self, begun: &str, why: String) -> io::Result<Flow> {
        begun.clone_into(&mut self.begun);
        self.emit(&Outgoing::Notice(why))?;
        Ok(Flow::GoesOn)
    }
}
