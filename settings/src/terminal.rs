//! The person who answers questions about settings: at a terminal, or as the lines of a pipe.

use std::io::{self, BufRead, IsTerminal, Write};

use markup::Surface;

use super::Asker;

/// What an answer is called that is none of the choices.
const OTHER: &str = "another one, which I type";

/// The person at the terminal, or the lines of a pipe.
#[derive(Debug)]
pub struct Terminal;

impl Terminal {
    /// Whether a person is at it.
    #[must_use]
    pub fn is_there() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }
}

impl Asker for Terminal {
    fn ask(&mut self, question: &str, current: &str, choices: &[String]) -> io::Result<String> {
        if Self::is_there() {
            if !choices.is_empty()
                && let Some(chosen) = selected(question, current, choices, Some(OTHER))?
            {
                return Ok(chosen);
            }
            return inquire::Text::new(&wrapped(question))
                .with_default(current)
                .prompt()
                .map_err(ended);
        }
        for choice in choices {
            home::say!("  {choice}");
        }
        put(&format!("{question} [{current}]: ")).map_err(unseen)?;
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        home::say!();
        // Who says nothing more has not pressed Enter either.
        if read == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the input has ended"));
        }
        let answer = line.trim();
        Ok(if answer.is_empty() { current.to_owned() } else { answer.to_owned() })
    }

    fn ask_one_of(
        &mut self,
        question: &str,
        current: &str,
        choices: &[String],
    ) -> io::Result<String> {
        match Self::is_there() {
            true => Ok(selected(question, current, choices, None)?.unwrap_or_default()),
            false => self.ask(question, current, choices),
        }
    }

    fn choose(&mut self, question: &str, choices: &[String], current: usize) -> io::Result<usize> {
        if Self::is_there() {
            let all: Vec<&str> = choices.iter().map(String::as_str).collect();
            let score = |typed: &str, choice: &&str, _: &str, at: usize| {
                fits(typed, choice, &all).then_some(place(at))
            };
            let question = wrapped(question);
            let select = inquire::Select::new(&question, all.clone());
            let chosen = select.with_starting_cursor(current).with_scorer(&score).raw_prompt();
            return chosen.map(|chosen| chosen.index).map_err(ended);
        }
        for (place, choice) in (1..).zip(choices) {
            home::say!("  {place}  {choice}");
        }
        let answer = self.ask(question, &(current + 1).to_string(), &[])?;
        let place =
            answer.parse::<usize>().ok().filter(|place| (1..=choices.len()).contains(place));
        let why = || format!("{answer:?} is none of the numbers from 1 to {}", choices.len());
        place
            .map(|place| place - 1)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, why()))
    }

    fn ask_secret(&mut self, question: &str) -> io::Result<String> {
        if !Self::is_there() {
            return self.ask(question, "", &[]);
        }
        // A blank at its end may belong to it.
        inquire::Password::new(&wrapped(question)).without_confirmation().prompt().map_err(ended)
    }

    fn confirm(&mut self, question: &str) -> io::Result<Option<bool>> {
        if !Self::is_there() {
            return Ok(None);
        }
        let question = wrapped(question);
        let confirm = inquire::Confirm::new(&question).with_default(false);
        confirm.prompt().map(Some).map_err(ended)
    }

    fn tell(&mut self, line: &str) {
        home::say!("{line}");
    }
}

/// `question` with line ends between its words where it is wider than the terminal: the mark before it takes room as well.
fn wrapped(question: &str) -> String {
    const MARK: &str = "? ";
    let told = markup::told(Surface::of_stderr(), &format!("{MARK}{question}"));
    told.strip_prefix(MARK).unwrap_or(question).to_owned()
}

/// Has one of `choices` chosen, from the one that is set on; nothing when it is `other` than these.
fn selected(
    question: &str,
    current: &str,
    choices: &[String],
    other: Option<&str>,
) -> io::Result<Option<String>> {
    // Behind a blank stands what a choice is.
    let is_set = |choice: &String| choice.split(' ').next() == Some(current);
    let set = choices.iter().position(is_set);
    let missing = Some(current).filter(|current| set.is_none() && !current.is_empty());
    let listed = missing.into_iter().chain(choices.iter().map(String::as_str)).chain(other);
    let all: Vec<&str> = listed.collect();
    // The last one stays there, whatever is typed in order to find one.
    let score = |typed: &str, choice: &&str, _: &str, at: usize| {
        let is_shown = match other {
            Some(other) => *choice == other || choice.contains(typed),
            None => fits(typed, choice, &all),
        };
        is_shown.then_some(place(at))
    };
    let question = wrapped(question);
    let select = inquire::Select::new(&question, all.clone());
    let chosen = select.with_starting_cursor(set.unwrap_or(0)).with_scorer(&score).prompt();
    let chosen = chosen.map_err(ended)?;
    Ok((Some(chosen) != other).then(|| chosen.to_owned()))
}

/// Whether `choice` stays in the list while `typed` stands there: what holds it, and all where nothing does, so that a list is
/// never empty.
fn fits(typed: &str, choice: &str, all: &[&str]) -> bool {
    let typed = typed.to_lowercase();
    let holds = |choice: &str| choice.to_lowercase().contains(&typed);
    holds(choice) || !all.iter().any(|other| holds(other))
}

/// The score that leaves the choice at `at` in its place.
fn place(at: usize) -> i64 {
    i64::try_from(at).map_or(i64::MIN, |at| -at)
}

/// Puts a question, which is answered only where somebody can read it.
fn put(question: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(question.as_bytes())?;
    out.flush()
}

/// Whoever has closed the pipe has ended it as well: nobody can read what would be asked.
fn unseen(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::Interrupted, error),
        _ => error,
    }
}

/// An end by Ctrl-C or Esc is [`io::ErrorKind::Interrupted`].
fn ended(error: inquire::InquireError) -> io::Error {
    use inquire::InquireError::{OperationCanceled, OperationInterrupted};
    match error {
        OperationCanceled | OperationInterrupted => {
            io::Error::new(io::ErrorKind::Interrupted, "it was ended by a key")
        }
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_narrows_a_list_and_empties_none() {
        let all = ["yes", "no"];
        let left = |typed: &str| all.map(|choice| fits(typed, choice, &all));
        assert_eq!(left(""), [true, true]);
        assert_eq!(left("N"), [false, true]);
        assert_eq!(left("maybe"), [true, true]);
    }
}
