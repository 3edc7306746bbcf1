//! A person at a terminal: what is typed is taken at any time, also while an answer comes or a skill runs.
//!
//! While nothing is typed, what the agent says goes straight to the screen. The first key opens the line editor, so
//! that what is typed stands there to be seen, and what the agent says then appears above it in whole lines.

mod written;

use std::io;
use std::time::Duration;

use conversation::question::Decision;
use keyboard::{Editor, LineHistory, TypedLine, forget_keys};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::exchange::{Exchange, LAST_WORDS, Taken};
use super::gathered::Gathered;
use super::open_questions::{Meant, OpenQuestions};
use super::unanswered::Unanswered;
use crate::{Outgoing, Said};

/// How long the next question, or the prompt, waits for the result of what was answered, so that it stands under its
/// question.
const RESULT: Duration = Duration::from_secs(3);

/// What opens an editor of the person's own.
const EDIT: &str = "/edit";

/// Talks until the person, or the agent, has ended it.
pub(super) async fn run(editor: Editor, exchange: Exchange) -> io::Result<()> {
    let gathered = Gathered::new(exchange.screen.place());
    Terminal {
        exchange,
        editor,
        gathered,
        said: Unanswered::default(),
        questions: OpenQuestions::default(),
        begun: String::new(),
        is_typing: false,
        is_late: false,
        settling: None,
        interrupted: Interrupted::No,
    }
    .run()
    .await
}

struct Terminal {
    exchange: Exchange,
    editor: Editor,
    /// What is said while a line is typed.
    gathered: Gathered,
    said: Unanswered,
    questions: OpenQuestions,
    /// What was typed before an editor that gave nothing, or before what ran was stopped: it stands in the next line.
    begun: String,
    /// Whether the line editor has the terminal.
    is_typing: bool,
    /// Whether something is still to be printed above the line that is opened at once, before anything else is shown.
    is_late: bool,
    /// Until when the result of an answer is waited for.
    settling: Option<Instant>,
    interrupted: Interrupted,
}

/// What the last Ctrl-C was for.
#[derive(PartialEq, Eq)]
enum Interrupted {
    No,
    /// To stop what runs, which has not ended yet.
    Turn,
    /// Nothing, or it has ended: the next one ends the chat.
    Chat,
}

/// What has happened.
enum Next {
    Typed(TypedLine),
    Outgoing(Option<Outgoing>),
    Interrupt,
    Key,
    Settled,
}

/// Whether the conversation goes on.
enum Flow {
    GoesOn,
    /// The person wants to end it.
    Quit,
    /// The agent has gone.
    Over,
}

impl Terminal {
    async fn run(mut self) -> io::Result<()> {
        self.exchange.dim.known().await;
        // A question of before the restart stands ahead of the first prompt, so that a bare yes answers it.
        while let Ok(said) = self.exchange.line.outgoing.try_recv() {
            self.hear(said.outgoing)?;
        }
        loop {
            if !self.is_typing && self.said.is_empty() && self.settling.is_none() {
                self.next_line()?;
            }
            let flow = match self.next().await {
                Next::Typed(typed) => {
                    self.is_typing = false;
                    self.take(typed).await?
                }
                Next::Outgoing(Some(outgoing)) => self.hear(outgoing)?,
                Next::Outgoing(None) => Flow::Over,
                Next::Interrupt => self.interrupt().await?,
                Next::Key => {
                    self.type_line()?;
                    Flow::GoesOn
                }
                Next::Settled => {
                    self.settling = None;
                    Flow::GoesOn
                }
            };
            match flow {
                Flow::GoesOn => {}
                Flow::Quit => {
                    let late = self.editor.late();
                    self.show_gathered(&late)?;
                    self.stop_what_runs().await?;
                    return self.exchange.leave(LAST_WORDS).await;
                }
                Flow::Over => return Ok(()),
            }
        }
    }

    /// Stops the answer that is given, for whoever leaves waits for no more of it, and hears its end.
    async fn stop_what_runs(&mut self) -> io::Result<()> {
        if self.said.is_empty() || self.exchange.send(Said::Stop).await.is_none() {
            return Ok(());
        }
        let until = Instant::now() + LAST_WORDS;
        while let Ok(Some(said)) = timeout_at(until, self.exchange.line.outgoing.recv()).await {
            let is_end = matches!(said.outgoing, Outgoing::End);
            self.hear(said.outgoing)?;
            if is_end {
                break;
            }
        }
        Ok(())
    }

    async fn next(&mut self) -> Next {
        let until = self.settling.unwrap_or_else(Instant::now);
        tokio::select! {
            typed = self.editor.asked(), if self.is_typing => Next::Typed(typed),
            said = self.exchange.line.outgoing.recv() => Next::Outgoing(said.map(|said| said.outgoing)),
            () = self.exchange.interrupts.next(), if !self.is_typing => Next::Interrupt,
            () = keyboard::pressed(), if !self.is_typing => Next::Key,
            () = sleep_until(until), if self.settling.is_some() => Next::Settled,
        }
    }

    /// Puts the next question that is to be put, and takes a line.
    fn next_line(&mut self) -> io::Result<()> {
        let words = settings::words();
        let mut prompt = words.get("prompt.you").to_owned();
        let mut kept = LineHistory::Yes;
        if let Some((question, at, of)) = self.questions.next(false) {
            self.exchange.screen.put(question, at, of)?;
            // A yes that was typed before the question was there was meant for something else.
            forget_keys();
            prompt = match of {
                1 => words.get("prompt.answer").to_owned(),
                of => words.fill("prompt.answerOf", &[("at", &at), ("of", &of)]),
            };
            kept = LineHistory::No;
        } else if let Some(line) =
            self.exchange.dim.next(self.questions.count(), self.exchange.screen.place())
        {
            self.exchange.screen.line(&line)?;
        }
        if self.questions.wants_pin() {
            (prompt, kept) = (words.get("prompt.pin").to_owned(), LineHistory::Unseen);
        }
        self.open(prompt, kept)
    }

    /// Takes the answer again that an empty line was none of.
    fn answer_line(&mut self) -> io::Result<()> {
        let (prompt, kept) = match self.questions.wants_pin() {
            true => ("prompt.pin", LineHistory::Unseen),
            false => ("prompt.answer", LineHistory::No),
        };
        self.open(settings::words().get(prompt).to_owned(), kept)
    }

    /// Takes a line beside what the agent does.
    fn type_line(&mut self) -> io::Result<()> {
        self.open(settings::words().get("prompt.you").to_owned(), LineHistory::Yes)
    }

    fn open(&mut self, prompt: String, kept: LineHistory) -> io::Result<()> {
        // Whoever types a PIN early, or behind something else, has it in no history.
        let kept = match kept {
            LineHistory::Yes if self.questions.is_pin_near() => LineHistory::No,
            kept => kept,
        };
        // What is late comes before what was gathered behind it.
        if !std::mem::take(&mut self.is_late) {
            self.gathered.words = self.exchange.screen.pause()?;
        }
        self.is_typing = true;
        // It is no answer to a question, and nothing that may be hidden.
        let begun = match kept {
            LineHistory::Yes => std::mem::take(&mut self.begun),
            LineHistory::No | LineHistory::Unseen => String::new(),
        };
        self.editor.ask(prompt, begun, kept);
        Ok(())
    }

    /// Takes what came of a line.
    async fn take(&mut self, typed: TypedLine) -> io::Result<Flow> {
        // Whoever has typed ahead may have typed more already.
        let is_line = matches!(typed, TypedLine::Line(_) | TypedLine::Elsewhere(_));
        let goes_on = !self.said.is_empty() && is_line;
        // Otherwise what is late stands above the next line, whenever that begins.
        self.is_late = goes_on && !self.editor.late().is_empty();
        if !self.is_late {
            self.show_gathered("")?;
        }
        let flow = match typed {
            TypedLine::End => Flow::Quit,
            TypedLine::Unreadable => {
                let told = settings::words().get("say.unreadable");
                self.emit(&Outgoing::Notice(told.to_owned()))?;
                Flow::GoesOn
            }
            TypedLine::Interrupted(draft) => {
                // It was pressed for what runs, and the line is not done yet.
                if !self.said.is_empty() {
                    self.begun = draft;
                }
                self.interrupt().await?
            }
            TypedLine::Elsewhere(begun) => self.write_on(&begun).await?,
            TypedLine::Line(line) => match line.trim().strip_prefix(EDIT) {
                Some("") => self.write_on("").await?,
                _ => {
                    self.interrupted = Interrupted::No;
                    self.take_line(&line).await?
                }
            },
        };
        if matches!(flow, Flow::GoesOn) && !self.is_typing && goes_on {
            self.type_line()?;
        }
        Ok(flow)
    }

    /// Shows what was said while a line was typed and is not shown yet, behind `late`, and goes on with it.
    fn show_gathered(&mut self, late: &str) -> io::Result<()> {
        let (words, begun) = self.gathered.hand_back();
        self.exchange.screen.go_on(words, &format!("{late}{begun}"))
    }

    async fn take_line(&mut self, line: &str) -> io::Result<Flow> {
        if self.questions.hides(line) {
            let told = settings::words().get("say.noPin");
            self.emit(&Outgoing::Notice(told.to_owned()))?;
            return Ok(Flow::GoesOn);
        }
        if line.trim().is_empty() && (self.questions.is_waiting() || !self.said.is_empty()) {
            if self.said.is_empty() {
                self.answer_line()?;
            }
            return Ok(Flow::GoesOn);
        }
        match self.questions.meant(line, |question| self.exchange.has_asked(question)) {
            Meant::Answer(decision) => return self.answer(decision).await,
            Meant::TooEarly => {
                let told = settings::words().get("say.tooEarly");
                self.emit(&Outgoing::Notice(told.to_owned()))?;
                return Ok(Flow::GoesOn);
            }
            Meant::AnyOfSeveral => {
                self.emit(&Outgoing::Notice(self.questions.several("open.which")))?;
                return Ok(Flow::GoesOn);
            }
            Meant::Message => {}
        }
        match self.exchange.begin(line.as_bytes()).await? {
            Taken::Nothing => Ok(Flow::GoesOn),
            Taken::Quit => Ok(Flow::Quit),
            Taken::Over => Ok(Flow::Over),
            Taken::Said(ticket) => {
                self.said.push(ticket);
                Ok(Flow::GoesOn)
            }
        }
    }

    async fn answer(&mut self, decision: Decision) -> io::Result<Flow> {
        self.settling = Some(Instant::now() + RESULT);
        let id = decision.id.clone();
        let sent = self.exchange.send(Said::Answer(decision)).await;
        self.questions.settled(&id);
        Ok(if sent.is_some() { Flow::GoesOn } else { Flow::Over })
    }

    /// A Ctrl-C stops what runs; a second one ends everything.
    async fn interrupt(&mut self) -> io::Result<Flow> {
        match self.interrupted {
            Interrupted::No if !self.said.is_empty() => {
                self.interrupted = Interrupted::Turn;
                let sent = self.exchange.send(Said::Stop).await;
                Ok(if sent.is_some() { Flow::GoesOn } else { Flow::Over })
            }
            Interrupted::No => {
                self.interrupted = Interrupted::Chat;
                self.emit(&Outgoing::Notice(settings::words().get("say.howToEnd").to_owned()))?;
                Ok(Flow::GoesOn)
            }
            Interrupted::Turn | Interrupted::Chat => Ok(Flow::Quit),
        }
    }

    /// Shows what the agent says, and knows by it what has become of what was said here.
    fn hear(&mut self, outgoing: Outgoing) -> io::Result<Flow> {
        let Some(outgoing) = self.said.hear(outgoing) else { return Ok(Flow::GoesOn) };
        match outgoing {
            Outgoing::Question(question) => {
                self.questions.push(question);
                self.exchange.screen.ring()?;
                if self.said.is_empty() {
                    self.put_above()?;
                }
            }
            Outgoing::End => {
                self.emit(&Outgoing::End)?;
                self.end_of_a_turn()?;
            }
            other => {
                if let Outgoing::Settled { id, .. } = &other {
                    self.questions.settled(id);
                }
                let is_result =
                    matches!(other, Outgoing::Action(_) | Outgoing::Text(_) | Outgoing::Notice(_));
                self.emit(&other)?;
                self.settling.take_if(|_| is_result);
            }
        }
        Ok(Flow::GoesOn)
    }

    fn end_of_a_turn(&mut self) -> io::Result<()> {
        if !self.said.end() {
            return Ok(());
        }
        if self.interrupted == Interrupted::Turn && self.said.is_empty() {
            self.interrupted = Interrupted::Chat;
            self.emit(&Outgoing::Notice(settings::words().get("say.howToEnd").to_owned()))?;
        }
        if self.is_typing {
            self.put_above()?;
        }
        if let Some(reminder) = self.questions.reminder(self.is_typing) {
            self.emit(&Outgoing::Notice(reminder))?;
        }
        Ok(())
    }

    /// Puts questions above the line that is being typed: the first of them is the one that a word answers.
    fn put_above(&mut self) -> io::Result<()> {
        if self.is_typing
            && let Some((question, at, of)) = self.questions.next(true)
        {
            let text = question.put(settings::words(), at, of);
            let text = markup::question(self.exchange.screen.place(), &text);
            self.editor.print(format!("{text}\n"));
        }
        Ok(())
    }

    /// Shows it where nothing is in the way.
    fn emit(&mut self, outgoing: &Outgoing) -> io::Result<()> {
        if !self.is_typing {
            return self.exchange.screen.show(outgoing);
        }
        if let Some(lines) = self.gathered.take(outgoing) {
            self.editor.print(lines);
        }
        Ok(())
    }
}
