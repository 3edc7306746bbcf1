//! A person's answer: who may give it, by which way, and what it has to bring.

use protocol::{Code, Command, GrantTerms, Millis, OWNER, Principal, Stopped};
use serde_json::Value;

use super::{Approvals, Parked, State, not_kept};
use crate::policy::{ApprovalTerms, Scope, Via};
use crate::session_key::key_of;
use shared::{self, APPROVALS};

/// What a person says to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The question's id.
    pub(crate) id: String,
    /// Yes or no.
    pub(crate) yes: bool,
    /// Yes, and to everything of the kind, as often and as long as these say.
    pub(crate) always: Option<GrantTerms>,
    /// What was typed with it.
    pub(crate) code: Option<String>,
}

impl Answer {
    /// Reads `{"id": ..., "answer": "yes" | "no" | "always", "code": ..., "times": ..., "minutes": ...}`.
    ///
    /// # Errors
    /// `bad_params`.
    pub(crate) fn read(command: &Command) -> Result<Self, Stopped> {
        let text = |key: &str| command.params.get(key).and_then(Value::as_str);
        let id = text("id").and_then(|id| uuid::Uuid::parse_str(id).ok());
        let no_id = "id: no question has this id; it is the whole id that came with the question";
        let id = id.ok_or_else(|| bad(no_id))?.to_string();
        let (yes, always) = match text("answer") {
            Some("yes") => (true, None),
            Some("always") => (true, Some(terms(command)?)),
            Some("no") => (false, None),
            _ => return Err(bad("answer: it is \"yes\", \"no\" or \"always\"")),
        };
        Ok(Self { id, yes, always, code: text("code").map(str::to_owned) })
    }

    /// Reads the answer that came with a command of an agent, and tells who gives it.
    ///
    /// # Errors
    /// `bad_params`, or `owner` when whoever answers may not.
    pub(crate) fn by_channel(
        command: &Command,
        terms: &ApprovalTerms,
    ) -> Result<(Self, Principal), Stopped> {
        let answer = Self::read(command)?;
        let principal = Self::giver(command, terms, answer.yes)?;
        if answer.always.is_some() && terms.grants == Via::Router {
            let approvals = home::router_command("approvals");
            let why = format!(
                "the policy takes what allows more than one call from the router's own side only: `{approvals}`"
            );
            return Err(Stopped::new(Code::Owner, why));
        }
        Ok((answer, principal))
    }

    /// Who gives an answer with a command of an agent; `allows` says whether it lets anything run.
    ///
    /// # Errors
    /// `owner` when whoever answers may not.
    pub(crate) fn giver(
        command: &Command,
        terms: &ApprovalTerms,
        allows: bool,
    ) -> Result<Principal, Stopped> {
        let owner = |why: &str| Stopped::new(Code::Owner, why);
        let principal = command.envelope.principal.clone();
        let principal = principal.ok_or_else(|| owner("nobody is named who answers"))?;
        if allows && terms.via == Via::Router {
            let approvals = home::router_command("approvals");
            return Err(owner(&format!(
                "the policy takes a yes from the router's own side only: `{approvals}`"
            )));
        }
        if !terms.may_answer(&principal, key_of(command)) {
            return Err(owner(match terms.by {
                Some(_) => "the policy does not let this person answer (approval.by)",
                None => {
                    "only the owner's session answers questions (approval.by in policy.toml names others)"
                }
            }));
        }
        Ok(principal)
    }

    /// What is said, in one word.
    pub(crate) fn word(&self) -> &'static str {
        match (self.yes, self.always) {
            (true, Some(_)) => "always",
            (true, None) => "yes",
            (false, _) => "no",
        }
    }
}

impl Approvals {
    /// Takes an answer, if the question still waits; from `session`, if one is given: the one that asked, or the
    /// owner's, which answers for all. Gives what was answered, and
    /// what is allowed from now on.
    ///
    /// # Errors
    /// `bad_params` when no such question waits or what was typed is not its code, `owner` when another session asked.
    pub(crate) async fn answer(
        &self,
        answer: &Answer,
        by: Principal,
        session: Option<&str>,
        now: Millis,
    ) -> Result<(Parked, Option<Scope>), Stopped> {
        let answered = shared::update(&*self.store, APPROVALS, &answer.id, |there| {
            let checked = check(there.as_ref(), answer, session, now);
            match (there, checked) {
                (Some(parked), Ok(grant)) => {
                    let by = by.clone();
                    let state = if answer.yes { State::Yes { by } } else { State::No { by } };
                    let answered = Parked { state, ..parked };
                    (Some(answered.clone()), Ok((answered, grant)))
                }
                (Some(parked), Err(Unfit::Code)) => {
                    let (parked, stopped) = guessed(parked, &by);
                    (Some(parked), Err(stopped))
                }
                (there, Err(Unfit::Said(stopped))) => (there, Err(stopped)),
                (None, _) => (None, Err(bad(GONE))),
            }
        });
        let answered = answered.await.map_err(|fault| not_kept(&fault))??;
        self.answered.notify_one();
        Ok(answered)
    }
}

impl Approvals {
    /// Goes on if the question of this id waits for the PIN, so that nothing else counts a try.
    ///
    /// # Errors
    /// `bad_params`.
    pub(crate) async fn wants_pin(&self, id: &str, now: Millis) -> Result<(), Stopped> {
        let open = self.open().await.map_err(|fault| not_kept(&fault))?;
        let found = open.into_iter().find(|(other, parked)| other == id && parked.until > now);
        let (_, parked) = found.ok_or_else(|| bad(GONE))?;
        let other =
            "a PIN answers no question but its own: this one wants a yes or no, or its code";
        if parked.pin { Ok(()) } else { Err(bad(other)) }
    }

    /// Lets a question go on that waited for the PIN, which `by` has just entered in `session`, and with it all that this very
    /// chat has to enter it for.
    ///
    /// # Errors
    /// `bad_params` when it waits no more.
    pub(crate) async fn entered_pin(
        &self,
        id: &str,
        by: Principal,
        session: &str,
        now: Millis,
    ) -> Result<Parked, Stopped> {
        let answered = shared::update(&*self.store, APPROVALS, id, |there: Option<Parked>| {
            let waits = |parked: &Parked| {
                parked.pin && parked.state == State::Waiting && parked.until > now
            };
            match there {
                Some(parked) if waits(&parked) => {
                    let answered = Parked { state: State::Yes { by: by.clone() }, ..parked };
                    (Some(answered.clone()), Ok(answered))
                }
                there => (there, Err(bad(GONE))),
            }
        });
        let answered = answered.await.map_err(|fault| not_kept(&fault))??;
        for (id, parked) in self.open().await.map_err(|fault| not_kept(&fault))? {
            let envelope = &parked.command.envelope;
            let is_theirs =
                key_of(&parked.command) == session && envelope.principal.as_ref() == Some(&by);
            if parked.pin && is_theirs && parked.until > now {
                let goes_on = Parked { state: State::Yes { by: by.clone() }, ..parked.clone() };
                let swapped = self.swap(&id, &parked, Some(&goes_on)).await;
                swapped.map_err(|fault| not_kept(&fault))?;
            }
        }
        self.answered.notify_one();
        Ok(answered)
    }
}

/// What is said of a question that is not there, or not any more.
const GONE: &str = "no such question waits any more";

/// How often a wrong code may be given before that counts as a no.
const GUESSES: u32 = 5;

/// Why an answer does not count.
enum Unfit {
    /// What was typed is not the code.
    Code,
    /// Something else.
    Said(Stopped),
}

/// What becomes of a question to which a wrong code was given.
fn guessed(parked: Parked, by: &Principal) -> (Parked, Stopped) {
    let wrong = parked.wrong + 1;
    if wrong < GUESSES {
        let why = bad("code: it is the one that stands in the question; it still waits");
        return (Parked { wrong, ..parked }, why);
    }
    let state = State::No { by: by.clone() };
    (Parked { wrong, state, ..parked }, bad("code: it was wrong too often, which counts as a no"))
}

/// Whether `answer` answers what is `there`, and what it allows beyond it.
fn check(
    there: Option<&Parked>,
    answer: &Answer,
    session: Option<&str>,
    now: Millis,
) -> Result<Option<Scope>, Unfit> {
    let unfit = |why| Unfit::Said(bad(why));
    let parked = there
        .filter(|parked| parked.state == State::Waiting && parked.until > now)
        .ok_or_else(|| unfit(GONE))?;
    let is_theirs = |session: &str| session == OWNER || session == key_of(&parked.command);
    if session.is_some_and(|session| !is_theirs(session)) {
        let why = Stopped::new(Code::Owner, "another session asked this question");
        return Err(Unfit::Said(why));
    }
    if !answer.yes {
        return Ok(None);
    }
    if parked.pin {
        return Err(unfit("this one wants your PIN, typed in the chat; a no counts here as well"));
    }
    let typed = answer.code.as_deref().map(|code| code.trim().to_ascii_uppercase());
    if parked.code.is_some() && typed != parked.code {
        return Err(Unfit::Code);
    }
    match (&parked.grant, answer.always) {
        (_, None) => Ok(None),
        (Some(scope), Some(_)) => Ok(Some(scope.clone())),
        (None, Some(_)) => Err(unfit("answer: this is asked each time; say yes or no")),
    }
}

/// As often and as long as the person says.
fn terms(command: &Command) -> Result<GrantTerms, Stopped> {
    GrantTerms::of(&command.params).map_err(|error| bad(&format!("times, minutes: {error}")))
}

fn bad(why: &str) -> Stopped {
    Stopped::new(Code::BadParams, why)
}
