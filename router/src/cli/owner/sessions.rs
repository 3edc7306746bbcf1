//! `sessions`: what the router knows of each conversation, and letting a stopped one go on.

use std::io::IsTerminal;

use clap::{Args, Subcommand};
use home::Home;
use protocol::SessionKey;

use crate::audit::Deed;
use crate::catalog::printable;
use crate::owner::{OwnerError, StorePlace, deeds, now, places};
use crate::session::{self, Record};
use shared::{self, LINKS, SESSIONS};

/// `sessions` and what stands behind it.
#[derive(Debug, Args)]
pub(in crate::cli) struct Sessions {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the sessions of the last day: what has entered them, how much they asked for, which are stopped. The default.
    List,
    /// Let a session go on that was stopped for being told no too often. What has entered it stays in it.
    Resume {
        /// Its key, such as owner.
        session: SessionKey,
    },
    /// Forget everything about a session: what has entered it, what it asked for, what people have refused. Clear the
    /// agent's side as well, or what it still remembers counts as harmless from now on.
    Forget {
        /// Its key.
        session: SessionKey,
        /// Don't ask.
        #[arg(long)]
        yes: bool,
    },
}

/// Does what the command line asks for.
pub(in crate::cli) async fn run(home: &Home, sessions: Sessions) -> Result<(), OwnerError> {
    let places = places(home)?;
    match sessions.command.unwrap_or(Command::List) {
        Command::List => list(&places).await,
        Command::Resume { session } => {
            let deed = Deed::ResumeSession { session: session.as_str() };
            deeds(home).doing(&deed, resume(&places, &session)).await
        }
        Command::Forget { session, yes } => {
            if !yes && !confirmed(&session)? {
                home::say!("nothing was changed");
                return Ok(());
            }
            let deed = Deed::ForgetSession { session: session.as_str() };
            deeds(home).doing(&deed, forget(&places, &session)).await
        }
    }
}

async fn list(places: &[StorePlace]) -> Result<(), OwnerError> {
    for place in places {
        let sessions = shared::list::<Record>(&*place.store, SESSIONS).await?;
        if sessions.is_empty() {
            home::say!("{}: no session has done anything within a day", place.name);
            continue;
        }
        home::say!("{}:", place.name);
        for (key, record) in sessions {
            let entered = match String::from(record.taint).as_str() {
                "T" => "untrusted text has entered",
                "P" => "private data has entered",
                "TP" => "untrusted text and private data have entered",
                _ => "nothing untrusted or private has entered",
            };
            let acts = record.acts_within_an_hour(now());
            home::say!("  {:<24} {entered}; {acts} actions within an hour", printable(&key));
            if let Some(why) = &record.stopped {
                home::say!("  {:<24} stopped: {}", "", printable(why));
            }
        }
    }
    Ok(())
}

async fn resume(places: &[StorePlace], key: &SessionKey) -> Result<(), OwnerError> {
    let mut found = false;
    for place in places {
        found |= session::resume(&*place.store, key.as_str()).await?;
    }
    said(found, key, "goes on")
}

async fn forget(places: &[StorePlace], session: &SessionKey) -> Result<(), OwnerError> {
    let mut found = false;
    for place in places {
        found |= place.store.remove(LINKS, session.as_str()).await?;
        found |= place.store.remove(SESSIONS, session.as_str()).await?;
    }
    said(found, session, "is forgotten")
}

fn said(found: bool, session: &SessionKey, what: &str) -> Result<(), OwnerError> {
    if !found {
        return Err(OwnerError::NoSession(session.to_string()));
    }
    home::say!("{session} {what}");
    Ok(())
}

fn confirmed(session: &SessionKey) -> Result<bool, OwnerError> {
    if !std::io::stdin().is_terminal() {
        return Err(OwnerError::NotAsked("pass --yes to forget the session"));
    }
    super::ask_yes(&format!("Forget everything about the session {session}?"))
}
