//! A person at a terminal: line editing, history, and Ctrl-C that stops a turn first.

use std::io;
use std::path::PathBuf;
use std::sync::PoisonError;

use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, ExternalPrinter};
use tokio::sync::mpsc;

use super::Console;
use super::input::{self, Typed};
use super::plain::harmless;
use super::screen::Screen;
use crate::channel::{Incoming, Line, Outgoing, Said};

const PROMPT: &str = "you> ";

/// What came of asking for a line.
enum Asked {
    Line(String),
    Interrupted,
    End,
}

/// Prints above the line that is being typed. The mutex is there because the editor's printer can't be
/// shared; it is only ever locked for one line.
type Printer = std::sync::Mutex<Box<dyn ExternalPrinter + Send>>;

struct Terminal {
    console: Console,
    line: Line,
    screen: Screen,
    ask: std::sync::mpsc::Sender<String>,
    asked: mpsc::Receiver<Asked>,
    printer: Printer,
    interrupts: mpsc::Receiver<()>,
}

pub(super) async fn run(console: Console, line: Line) -> io::Result<()> {
    let (ask, questions) = std::sync::mpsc::channel();
    let (answers, asked) = mpsc::channel(1);
    let mut editor = DefaultEditor::new().map_err(io::Error::other)?;
    // The first start has no history yet.
    let _ = editor.load_history(&console.typed);
    let printer = editor.create_external_printer().map_err(io::Error::other)?;
    let printer: Printer = std::sync::Mutex::new(Box::new(printer));
    let typed = console.typed.clone();
    std::thread::spawn(move || edit(editor, &typed, &questions, &answers));
    let interrupts = interrupts()?;
    let screen = Screen::new();
    Terminal { console, line, screen, ask, asked, printer, interrupts }.run().await
}

/// The thread of the line editor: it waits for keys as long as it takes.
fn edit(
    mut editor: DefaultEditor,
    typed: &PathBuf,
    questions: &std::sync::mpsc::Receiver<String>,
    answers: &mpsc::Sender<Asked>,
) {
    while let Ok(prompt) = questions.recv() {
        let asked = match editor.readline(&prompt) {
            Ok(line) => {
                if prompt == PROMPT && !line.trim().is_empty() {
                    // Losing the history of keys is not worth a word.
                    let _ = editor.add_history_entry(&line);
                    let _ = editor.save_history(typed);
                }
                Asked::Line(line)
            }
            Err(ReadlineError::Interrupted) => Asked::Interrupted,
            Err(_) => Asked::End,
        };
        if answers.blocking_send(asked).is_err() {
            return;
        }
    }
}

/// Ctrl-C outside the line editor, which takes it as a key of its own.
fn interrupts() -> io::Result<mpsc::Receiver<()>> {
    let mut signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    let (sender, receiver) = mpsc::channel(4);
    tokio::spawn(
        async move { while signal.recv().await.is_some() && sender.send(()).await.is_ok() {} },
    );
    Ok(receiver)
}

impl Terminal {
    async fn run(mut self) -> io::Result<()> {
        let mut interrupted = false;
        loop {
            match self.ask(PROMPT).await {
                None | Some(Asked::End) => return Ok(()),
                Some(Asked::Interrupted) if interrupted => return Ok(()),
                Some(Asked::Interrupted) => {
                    interrupted = true;
                    eprintln!("[Ctrl-C once more, or quit, ends it]");
                }
                Some(Asked::Line(text)) => {
                    interrupted = false;
                    if !self.converse(&text).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Asks for a line; what the agent says meanwhile appears above it.
    async fn ask(&mut self, prompt: &str) -> Option<Asked> {
        self.ask.send(prompt.to_owned()).ok()?;
        loop {
            tokio::select! {
                asked = self.asked.recv() => return asked,
                outgoing = self.line.outgoing.recv() => {
                    let text = match outgoing? {
                        Outgoing::Words(text) | Outgoing::Action(text) | Outgoing::Text(text) => text,
                        Outgoing::Notice(text) => format!("[{text}]"),
                        Outgoing::Question { text, .. } => format!("May this run?\n{text}"),
                        Outgoing::Working(_) | Outgoing::End => continue,
                    };
                    // Without the editor's help the words would land in the middle of what is typed.
                    let printer = self.printer.get_mut().unwrap_or_else(PoisonError::into_inner);
                    let _ = printer.print(format!("{}\n", harmless(&text)));
                }
            }
        }
    }

    /// One message and its answer; `false` when it is over.
    async fn converse(&mut self, text: &str) -> io::Result<bool> {
        match input::read(text.as_bytes()) {
            Typed::Quit => Ok(false),
            Typed::Nothing(why) => {
                self.screen.show(&Outgoing::Notice(why))?;
                Ok(true)
            }
            Typed::Message(text, remark) => {
                if let Some(remark) = remark {
                    self.screen.show(&Outgoing::Notice(remark.to_owned()))?;
                }
                if !self.send(Said::Message(text)).await {
                    return Ok(false);
                }
                self.listen().await
            }
        }
    }

    /// Shows the answer to its end. Ctrl-C stops the turn, a second one everything.
    async fn listen(&mut self) -> io::Result<bool> {
        let mut stopping = false;
        let mut questions = Vec::new();
        loop {
            tokio::select! {
                outgoing = self.line.outgoing.recv() => match outgoing {
                    None => return Ok(false),
                    Some(Outgoing::Question { id, text }) => questions.push((id, text)),
                    Some(Outgoing::End) => {
                        self.screen.show(&Outgoing::End)?;
                        break;
                    }
                    Some(other) => self.screen.show(&other)?,
                },
                Some(()) = self.interrupts.recv() => {
                    if stopping {
                        self.screen.still();
                        return Ok(false);
                    }
                    stopping = true;
                    if !self.send(Said::Stop).await {
                        return Ok(false);
                    }
                }
            }
        }
        for (id, text) in questions {
            self.screen.show(&Outgoing::Question { id: id.clone(), text })?;
            let yes = match self.ask("yes or no? [no] ").await {
                Some(Asked::Line(answer)) => matches!(answer.trim(), "y" | "yes"),
                _ => false,
            };
            if !self.send(Said::Answer { id, yes }).await {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn send(&self, said: Said) -> bool {
        let incoming = Incoming { from: self.console.principal.clone(), said };
        self.line.incoming.send(incoming).await.is_ok()
    }
}
