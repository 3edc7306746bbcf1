//! The person who answers questions about settings: at a terminal, or as the lines of a pipe.

use std::io::{self, BufRead, IsTerminal, Write};

use super::Asker;

/// The person at the terminal, or the lines of a pipe.
#[derive(Debug)]
pub struct Terminal;

fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Asker for Terminal {
    fn ask(&mut self, question: &str, current: &str, choices: &[String]) -> io::Result<String> {
        if is_there() {
            let choices = choices.to_vec();
            let suggest = move |typed: &str| -> Result<Vec<String>, inquire::CustomUserError> {
                Ok(choices.iter().filter(|choice| choice.contains(typed)).cloned().collect())
            };
            return inquire::Text::new(question)
                .with_default(current)
                .with_autocomplete(suggest)
                .prompt()
                .map_err(io::Error::other);
        }
        for choice in choices {
            println!("  {choice}");
        }
        print!("{question} [{current}]: ");
        io::stdout().flush()?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        println!();
        let answer = line.trim();
        Ok(if answer.is_empty() { current.to_owned() } else { answer.to_owned() })
    }

    fn ask_secret(&mut self, question: &str) -> io::Result<String> {
        if !is_there() {
            return self.ask(question, "", &[]);
        }
        let asked = inquire::Password::new(question).without_confirmation().prompt();
        asked.map(|answer| answer.trim().to_owned()).map_err(io::Error::other)
    }

    fn confirm(&mut self, question: &str) -> io::Result<Option<bool>> {
        if !is_there() {
            return Ok(None);
        }
        let confirm = inquire::Confirm::new(question).with_default(false);
        confirm.prompt().map(Some).map_err(io::Error::other)
    }

    fn tell(&mut self, line: &str) {
        println!("{line}");
    }
}
