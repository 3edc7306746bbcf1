//! Where a page is to be: what the questions about the two pages have in common.

use std::io;
use std::net::TcpListener;

use super::{InitError, Person};

/// What turns a page off, as people write it.
pub(super) const OFF: &str = "off";

/// Asks where a page is to be, until `set` takes the answer: nowhere, where it is `now` or else `usually` is, or elsewhere.
pub(super) fn ask(
    question: &str,
    (now, usually): (Option<&str>, &str),
    person: &mut Person,
    mut set: impl FnMut(&str, &mut Person) -> Result<(), InitError>,
) -> Result<(), InitError> {
    let at = now.unwrap_or(usually);
    let choices = ["no".to_owned(), format!("yes, at {at}"), "yes, elsewhere".to_owned()];
    loop {
        let wanted = match person.choose(question, &choices, usize::from(now.is_some()))? {
            0 => OFF.to_owned(),
            1 => at.to_owned(),
            _ => person.ask("Where", at, &[])?,
        };
        if now.unwrap_or(OFF) == wanted {
            return Ok(());
        }
        match set(&wanted, person) {
            Err(error) if error.is_of_the_answer() => {
                person.tell(&format!("{:#}", anyhow::Error::new(error)));
            }
            done => return done,
        }
    }
}

/// Sees that nobody has the port of `address`, which the command line sets with `option`.
pub(super) fn is_free(address: &str, option: &'static str) -> Result<(), InitError> {
    let address = address.to_owned();
    match TcpListener::bind(&address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            Err(InitError::NoAddress { address })
        }
        Err(error) => Err(InitError::Taken { address, error, option }),
    }
}
