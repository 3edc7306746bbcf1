//! `agent web`: a link to the page, and who is signed in there.

use std::time::Duration;

use channel::http::web::{SignIns, SignedIn};
use clap::Subcommand;
use home::Home;
use mind::links::Links;
use protocol::Millis;
use secrecy::ExposeSecret;
use settings::Settings;
use when::ago;

use crate::error::StartError;

/// What is wanted of the page.
#[derive(Debug, Subcommand)]
pub(super) enum Web {
    /// List the browsers that are signed in, or sign some out.
    Sessions {
        #[command(subcommand)]
        wish: Option<Wish>,
    },
    /// Print the token of a bridge that `config http.bridges` names: it speaks for its own people alone.
    Bridge {
        /// Its name.
        name: String,
    },
}

/// What is wanted of who is signed in.
#[derive(Debug, Subcommand)]
pub(super) enum Wish {
    /// Sign a browser out, at once; `all` signs out all of them.
    Revoke {
        /// Its id in the list, or `all`.
        id: String,
    },
}

/// Does it.
pub(super) fn web(home: &Home, wish: Option<Web>) -> Result<(), StartError> {
    match wish {
        None => link(home),
        Some(Web::Sessions { wish: None }) => {
            let all = SignIns::in_folder(&home.workspace()).all();
            if all.is_empty() {
                home::say!("nobody is signed in");
            }
            all.iter()
                .for_each(|session| home::say!("{}", line(session, Millis::of_this_machine())));
            Ok(())
        }
        Some(Web::Sessions { wish: Some(Wish::Revoke { id }) }) => revoke(home, &id),
        Some(Web::Bridge { name }) => bridge(home, &name),
    }
}

fn link(home: &Home) -> Result<(), StartError> {
    let settings = Settings::read(home)?;
    let links = Links::of(&settings).ok_or(StartError::NoPage)?;
    home::say!("Open this within ten minutes, while the agent runs; it works once:");
    links.make(Millis::of_this_machine()).iter().for_each(|link| home::say!("{link}"));
    Ok(())
}

fn bridge(home: &Home, name: &str) -> Result<(), StartError> {
    let settings = Settings::read(home)?;
    let token = settings.http_token.as_ref().ok_or(StartError::NoPage)?;
    let mut all = settings.config.http.bridges.iter();
    let bridge = all.find(|bridge| bridge.as_str() == name);
    let bridge = bridge.ok_or_else(|| StartError::NoBridge { name: name.to_owned() })?;
    home::say!("{}", bridge.token(token).expose_secret());
    Ok(())
}

fn revoke(home: &Home, id: &str) -> Result<(), StartError> {
    let gone = SignIns::in_folder(&home.workspace())
        .sign_out(|session| id == "all" || session.id == id)
        .map_err(StartError::SignOut)?;
    if gone.is_empty() && id != "all" {
        return Err(StartError::NotSignedIn(id.to_owned()));
    }
    home::say!("{} signed out", gone.len());
    Ok(())
}

/// `0123abcd  used 3 hours ago, since 2 days ago  Firefox on Linux`
fn line(session: &SignedIn, now: Millis) -> String {
    let span = |then: Millis| -> Duration { now.since(then) };
    let (used, since) = (ago(span(session.used)), ago(span(session.since)));
    format!("{}  used {used}, signed in {since}  {}", session.id, session.browser)
}
