//! `approvals`: the questions that wait, and what people have allowed for a while.

use std::io::IsTerminal;

use clap::{Args, Subcommand};
use home::Home;
use protocol::{GrantTerms, Principal};

use super::ask_line;
use crate::audit::{MYSELF, OwnersLog};
use crate::owner::{self, Asking, OwnerError, StorePlace, deeds, now, places};
use crate::policy::approval::{Answer, short};

/// `approvals` and what stands behind it.
#[derive(Debug, Args)]
pub(in crate::cli) struct Approvals {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the questions that wait. The default.
    List,
    /// Show exactly what would run.
    Show(Named),
    /// Let it run: shows it and asks, or takes what is passed here.
    Approve {
        #[command(flatten)]
        named: Named,
        /// Don't ask. What needs a code needs --code instead.
        #[arg(long)]
        yes: bool,
        /// The code that stands in the question.
        #[arg(long, value_name = "CODE")]
        code: Option<String>,
        /// Allow everything of the kind, where the question offers that: for an hour, or as --times and --for say.
        #[arg(long)]
        always: bool,
        /// With --always: so many times, this one included.
        #[arg(long, value_name = "COUNT", requires = "always")]
        times: Option<u32>,
        /// With --always: so long, such as 30m, 2h or 3d.
        #[arg(long = "for", value_name = "SPAN", requires = "always")]
        span: Option<String>,
    },
    /// Refuse it. The session can't ask for just this again.
    Deny(Named),
    /// List what people have allowed for a while.
    Grants,
    /// Take a grant back.
    Revoke(Named),
}

#[derive(Debug, Args)]
struct Named {
    /// The id, or enough of its beginning.
    id: String,
}

/// Does what the command line asks for.
pub(in crate::cli) async fn run(home: &Home, approvals: Approvals) -> Result<(), OwnerError> {
    let places = places(home)?;
    match approvals.command.unwrap_or(Command::List) {
        Command::List => list(&places).await,
        Command::Show(named) => {
            show(&owner::find(&places, &named.id).await?);
            Ok(())
        }
        Command::Approve { named, yes, code, always, times, span } => {
            let count = times.map(|times| format!("{times}x"));
            let terms = GrantTerms::read(count.iter().chain(&span).map(String::as_str))?;
            let always = always.then_some(terms);
            let found = owner::find(&places, &named.id).await?;
            let Some(code) = agreed(&found, yes, code)? else {
                home::say!("nothing was answered; it still waits");
                return Ok(());
            };
            let answer = Answer { id: found.id.clone(), yes: true, always, code };
            say(&deeds(home), &found, &answer).await
        }
        Command::Deny(named) => {
            let found = owner::find(&places, &named.id).await?;
            let answer = Answer { id: found.id.clone(), yes: false, always: None, code: None };
            say(&deeds(home), &found, &answer).await
        }
        Command::Grants => grants(&places).await,
        Command::Revoke(named) => revoke(&deeds(home), &places, &named.id).await,
    }
}

async fn list(places: &[StorePlace]) -> Result<(), OwnerError> {
    let all = owner::waiting(places).await?;
    if all.is_empty() {
        home::say!("no question waits");
    }
    for Asking { id, parked, .. } in &all {
        let seconds = parked.until.since(now()).as_secs();
        let session = crate::session_key::key_of(&parked.command);
        let (action, rule) = (&parked.command.action, &parked.rule);
        home::say!("{id}  {action}  session {session}  {seconds} s left  ({rule})");
    }
    if !all.is_empty() {
        home::say!(
            "`{0} show ID` shows what would run; `{0} approve ID` and `{0} deny ID` answer",
            home::router_command("approvals")
        );
    }
    Ok(())
}

fn show(Asking { id, parked, .. }: &Asking) {
    home::say!("{}", parked.question);
    if let Some(scope) = &parked.grant {
        home::say!("--always would allow for an hour, or as --times and --for say: {scope}");
    }
    home::say!("id {id}, digest {}", short(&parked.digest));
}

/// The code that goes with a yes; `None` when there is no yes.
fn agreed(
    found: &Asking,
    yes: bool,
    code: Option<String>,
) -> Result<Option<Option<String>>, OwnerError> {
    if code.is_some() || (yes && found.parked.code.is_none()) {
        return Ok(Some(code));
    }
    if !std::io::stdin().is_terminal() {
        let how =
            "pass --yes, or --code with the code of the question, which `approvals show ID` shows";
        return Err(OwnerError::NotAsked(how));
    }
    show(found);
    if found.parked.code.is_some() {
        let typed = ask_line("type the code to allow it, or nothing: ")?;
        return Ok((!typed.is_empty()).then_some(Some(typed)));
    }
    Ok(super::ask_yes("Let it run?")?.then_some(None))
}

/// Gives an answer, and tells what it means.
async fn say(deeds: &OwnersLog, asking: &Asking, answer: &Answer) -> Result<(), OwnerError> {
    let granted = owner::answer(deeds, asking, answer, &Principal::new(MYSELF)?).await?;
    if let Some((grant, terms)) = granted.zip(answer.always) {
        home::say!("allowed {terms}: {} (grant {})", grant.scope, grant.id);
    }
    let told = match answer.yes {
        true => "approved; the router takes it up, now or when it starts next",
        false => "refused",
    };
    home::say!("{told}: {}", asking.id);
    Ok(())
}

async fn grants(places: &[StorePlace]) -> Result<(), OwnerError> {
    let held = owner::held(places).await?;
    if held.is_empty() {
        home::say!("nothing is allowed beyond the policy");
    }
    for (_, grant) in held {
        let minutes = grant.until.since(now()).as_secs().div_ceil(60);
        let (used, by) = (grant.used, &grant.given_by);
        let left = grant.times.map_or_else(String::new, |times| format!(" of {times}"));
        home::say!(
            "{}  {}  {minutes} min left, used {used}{left} times, given by {by}",
            grant.id,
            grant.scope
        );
    }
    Ok(())
}

async fn revoke(deeds: &OwnersLog, places: &[StorePlace], id: &str) -> Result<(), OwnerError> {
    home::say!("taken back: {}", owner::revoke(deeds, places, id).await?.id);
    Ok(())
}
