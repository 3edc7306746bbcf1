//! `approvals`: the questions that wait, and what people have allowed for a while.

use std::io::{IsTerminal, Write};

use clap::{Args, Subcommand};
use home::Home;
use protocol::Principal;

use super::places::{Place, deeds, now, places};
use super::{OwnerError, ask_line};
use crate::audit::{Deed, MYSELF, OwnersLog};
use crate::grants::{Grants, for_an_hour};
use crate::policy::Scope;
use crate::policy::approval::{Answer, Approvals as Questions, Parked, short};
use crate::session::Sessions as Known;

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
        /// Allow everything of the kind for an hour, where the question offers that.
        #[arg(long)]
        always: bool,
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

/// One question with its place.
struct Found {
    place: Place,
    id: String,
    parked: Parked,
}

/// Does what the command line asks for.
pub(in crate::cli) async fn run(home: &Home, approvals: Approvals) -> Result<(), OwnerError> {
    let places = places(home)?;
    match approvals.command.unwrap_or(Command::List) {
        Command::List => list(&places).await,
        Command::Show(named) => show(&find(&places, &named.id).await?),
        Command::Approve { named, yes, code, always } => {
            let found = find(&places, &named.id).await?;
            let Some(code) = agreed(&found, yes, code)? else {
                println!("nothing was answered; it still waits");
                return Ok(());
            };
            let answer = Answer { id: found.id.clone(), yes: true, always, code };
            say(&deeds(home), &found, &answer).await
        }
        Command::Deny(named) => {
            let found = find(&places, &named.id).await?;
            let answer = Answer { id: found.id.clone(), yes: false, always: false, code: None };
            say(&deeds(home), &found, &answer).await
        }
        Command::Grants => grants(&places).await,
        Command::Revoke(named) => revoke(&deeds(home), &places, &named.id).await,
    }
}

async fn open(places: &[Place]) -> Result<Vec<Found>, OwnerError> {
    let mut all = Vec::new();
    for place in places {
        let open = Questions::new(place.store.clone()).open().await?.into_iter();
        all.extend(open.map(|(id, parked)| Found { place: place.clone(), id, parked }));
    }
    Ok(all)
}

async fn list(places: &[Place]) -> Result<(), OwnerError> {
    let all = open(places).await?;
    let mut out = std::io::stdout().lock();
    if all.is_empty() {
        writeln!(out, "no question waits")?;
    }
    for Found { id, parked, .. } in &all {
        let seconds = parked.until.since(now()).as_secs();
        let session = crate::session_key::key_of(&parked.command);
        let (action, rule) = (&parked.command.action, &parked.rule);
        writeln!(out, "{id}  {action}  session {session}  {seconds} s left  ({rule})")?;
    }
    if !all.is_empty() {
        writeln!(
            out,
            "`{0} show ID` shows what would run; `{0} approve ID` and `{0} deny ID` answer",
            home::router_command("approvals")
        )?;
    }
    Ok(())
}

async fn find(places: &[Place], id: &str) -> Result<Found, OwnerError> {
    let mut found = open(places).await?.into_iter().filter(|found| found.id.starts_with(id));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(OwnerError::Ambiguous(id.to_owned())),
        (None, _) => Err(OwnerError::NoSuch { kind: "question", id: id.to_owned() }),
    }
}

fn show(Found { id, parked, .. }: &Found) -> Result<(), OwnerError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", parked.question)?;
    if let Some(scope) = &parked.grant {
        writeln!(out, "--always would allow for an hour: {scope}")?;
    }
    Ok(writeln!(out, "id {id}, digest {}", short(&parked.digest))?)
}

/// The code that goes with a yes; `None` when there is no yes.
fn agreed(
    found: &Found,
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
    show(found)?;
    if found.parked.code.is_some() {
        let typed = ask_line("type the code to allow it, or nothing: ")?;
        return Ok((!typed.is_empty()).then_some(Some(typed)));
    }
    Ok(super::ask_yes("Let it run?")?.then_some(None))
}

/// Gives an answer, and what it allows from now on.
async fn say(deeds: &OwnersLog, found: &Found, answer: &Answer) -> Result<(), OwnerError> {
    let Found { place, id, parked } = found;
    let me = Principal::new(MYSELF)?;
    let scope = deeds.doing(&Deed::answer_to(parked, answer), take(place, answer, &me)).await?;
    if let Some(scope) = scope {
        let grant = for_an_hour(scope, &me, now());
        let grants = Grants::new(place.store.clone());
        let given = async { Ok::<_, OwnerError>(grants.give(&grant).await?) };
        deeds.doing(&Deed::Grant((&grant).into()), given).await?;
        println!("allowed for an hour: {} (grant {})", grant.scope, grant.id);
    }
    println!(
        "{}: {id}",
        if answer.yes {
            "approved; the router takes it up, now or when it starts next"
        } else {
            "refused"
        }
    );
    Ok(())
}

async fn take(place: &Place, answer: &Answer, me: &Principal) -> Result<Option<Scope>, OwnerError> {
    let questions = Questions::new(place.store.clone());
    let answered = questions.answer(answer, me.clone(), None, now()).await;
    let (parked, scope) = answered.map_err(OwnerError::Refused)?;
    if !answer.yes {
        Known::new(place.store.clone()).refuse(&parked.command, parked.digest).await?;
    }
    Ok(scope)
}

async fn grants(places: &[Place]) -> Result<(), OwnerError> {
    let mut out = std::io::stdout().lock();
    let mut any = false;
    for place in places {
        for grant in Grants::new(place.store.clone()).held(now()).await? {
            any = true;
            let minutes = grant.until.since(now()).as_secs().div_ceil(60);
            let (used, by) = (grant.used, &grant.given_by);
            let left = grant.times.map_or_else(String::new, |times| format!(" of {times}"));
            writeln!(
                out,
                "{}  {}  {minutes} min left, used {used}{left} times, given by {by}",
                grant.id, grant.scope
            )?;
        }
    }
    if !any {
        writeln!(out, "nothing is allowed beyond the policy")?;
    }
    Ok(())
}

async fn revoke(deeds: &OwnersLog, places: &[Place], id: &str) -> Result<(), OwnerError> {
    let mut found = Vec::new();
    for place in places {
        let held = Grants::new(place.store.clone()).held(now()).await?;
        let named = held.into_iter().filter(|grant| grant.id.starts_with(id));
        found.extend(named.map(|grant| (place.clone(), grant)));
    }
    match found.as_slice() {
        [(place, grant)] => {
            let grants = Grants::new(place.store.clone());
            let taken = async { Ok::<_, OwnerError>(grants.take_back(&grant.id).await?) };
            deeds.doing(&Deed::Revoke(grant.into()), taken).await?;
            println!("taken back: {}", grant.id);
            Ok(())
        }
        [] => Err(OwnerError::NoSuch { kind: "grant", id: id.to_owned() }),
        _ => Err(OwnerError::Ambiguous(id.to_owned())),
    }
}
