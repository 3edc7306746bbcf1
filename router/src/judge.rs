//! From a call to the right to run it: is everything stopped? is it one too many? what does the policy say? is a person to be
//! asked?

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use protocol::{Code, Command, Millis, Stopped};

use crate::call::Call;
use crate::digest::Digest;
use crate::grants::Grants;
use crate::pin::{PinLock, guards};
use crate::policy::approval::{Approvals, Subject, Yes, binding};
use crate::policy::{Approved, Asked, Policy, PolicyFile, Scope, Standing, Then, Verdict};
use crate::session::{Known, Seen, Sessions, Terms};
use crate::session_key::{account_of, is_guests, key_of};
use shared::Switch;
use shared::{LINKS, SESSIONS, Store, StoreFault};

/// The actions that take a paper of the folder that is open into the library.
const TAKE_IN: [&str; 2] = ["INDEX_DOC", "PUBLISH_DOC"];

/// Everything that decides about calls.
#[derive(Debug)]
pub struct Judge {
    pub(crate) policy: PolicyFile,
    store: Arc<dyn Store>,
    pub(crate) switch: Switch,
    pub(crate) sessions: Sessions,
    pub(crate) grants: Grants,
    pub(crate) approvals: Approvals,
    pub(crate) pin: PinLock,
}

impl Judge {
    /// Decides by `policy` and what is kept in `store`.
    #[must_use]
    pub fn new(policy: PolicyFile, store: &Arc<dyn Store>) -> Self {
        let pin = PinLock::new(policy.folder(), Arc::clone(store));
        Self {
            policy,
            pin,
            store: Arc::clone(store),
            switch: Switch::new(Arc::clone(store)),
            sessions: Sessions::new(Arc::clone(store)),
            grants: Grants::new(Arc::clone(store)),
            approvals: Approvals::new(Arc::clone(store)),
        }
    }

    /// Reads in one go what every decision about `command` needs, if the switch is not thrown. `reaches_anything` says
    /// whether it may go to any address.
    ///
    /// # Errors
    /// `stopped`.
    pub(crate) async fn look(
        &self,
        command: &Command,
        reaches_anything: bool,
    ) -> Result<Seen, Stopped> {
        let key = account_of(command);
        let places = [Switch::PLACE, (SESSIONS, key.as_str()), (LINKS, key.as_str())];
        let places = if reaches_anything { &places[..] } else { &places[..2] };
        let mut seen = self.store.read_each(places).await.into_iter();
        let unread = || Err(StoreFault("the store has said nothing".to_owned()));
        Switch::says(seen.next().unwrap_or_else(unread))?;
        Ok(Seen { record: seen.next().unwrap_or_else(unread), links: seen.next() })
    }

    /// The right to run `call`, or why not; a question is parked, and `pending` says so.
    ///
    /// # Errors
    /// What to answer instead.
    pub(crate) async fn judge(
        &self,
        call: Call,
        seen: Seen,
        now: Millis,
    ) -> Result<Approved, Stopped> {
        let policy = self.policy.current();
        let digest = binding(&call.command, Some(&call), policy.version());
        let waiting = (&call.command, Some(call.skill.digest), &Asked::from(&call));
        self.ask_for_pin(waiting, &seen, (&policy, digest), now).await?;
        self.judge_behind_pin(call, seen, now).await
    }

    /// The same for a call for which the PIN was just entered.
    ///
    /// # Errors
    /// The same.
    pub(crate) async fn judge_behind_pin(
        &self,
        call: Call,
        seen: Seen,
        now: Millis,
    ) -> Result<Approved, Stopped> {
        let policy = self.policy.current();
        let digest = binding(&call.command, Some(&call), policy.version());
        let known = self.sessions.admit(&call, seen, &digest, Terms::of(&policy, now)).await?;
        self.decide(call, (policy, digest, known), now).await
    }

    /// Has a person asked for the PIN, if what is `asked` has to wait for it; what is refused needs none. Nothing is counted:
    /// that is done once it goes on.
    ///
    /// # Errors
    /// `pending` with the question, or what to answer instead.
    pub(crate) async fn ask_for_pin(
        &self,
        (command, skill, asked): (&Command, Option<Digest>, &Asked<'_>),
        seen: &Seen,
        (policy, digest): (&Policy, Digest),
        now: Millis,
    ) -> Result<(), Stopped> {
        if !guards(&command.action, policy.behind_pin()) {
            return Ok(());
        }
        let wanted = self.pin.is_wanted(command, now).await;
        if let Ok(false) = wanted {
            return Ok(());
        }
        let known = seen.known(command, &digest)?;
        let standing = self.standing(policy, asked, known, now).await.map_err(undecided)?;
        if policy.rule_on(asked, &standing).then == Then::Refuse {
            return Ok(());
        }
        wanted?;
        let subject = Subject::behind_pin(command.clone(), skill);
        Err(self.approvals.park(subject, digest, policy, now).await?)
    }

    async fn decide(
        &self,
        mut call: Call,
        (policy, digest, known): (Policy, Digest, Known),
        now: Millis,
    ) -> Result<Approved, Stopped> {
        let no_paper = no_paper(&call);
        loop {
            let asked = Asked::from(&call);
            let standing = self.standing(&policy, &asked, known, now).await.map_err(undecided)?;
            let approved = match policy.judge(call, &standing) {
                Verdict::Allow(approved) => approved,
                Verdict::Ask(_) if let Some(stopped) = no_paper => return Err(stopped),
                Verdict::Ask(question) => {
                    let subject = Subject::of(&question);
                    let parked = self.approvals.park(subject, digest, &policy, now).await;
                    return Err(parked.unwrap_or_else(|stopped| stopped));
                }
                Verdict::Refuse(stopped) => return Err(stopped),
            };
            let Some(spend) = approved.spends() else { return Ok(approved) };
            if self.grants.spend(spend).await.map_err(undecided)? {
                return Ok(approved);
            }
            // Somebody else has just used it up.
            call = approved.into_call();
        }
    }

    /// Lets the agent do once what it has asked about, which a person has agreed to.
    ///
    /// # Errors
    /// `internal` when it can't be kept.
    pub(crate) async fn permit_once(
        &self,
        command: &Command,
        yes: &Yes,
        now: Millis,
    ) -> Result<(), Stopped> {
        self.sessions.agreed(command).await.map_err(undecided)?;
        let scope = Scope::exactly(command);
        self.grants.allow_once(scope, yes.principal(), now).await.map_err(undecided)?;
        Ok(())
    }

    /// How a session stands that asks for this.
    pub(crate) async fn standing(
        &self,
        policy: &Policy,
        asked: &Asked<'_>,
        Known { taint, way_out }: Known,
        now: Millis,
    ) -> Result<Standing, StoreFault> {
        let used = if policy.counts_uses() { self.grants.used().await? } else { BTreeMap::new() };
        let standing = Standing { taint, way_out, used, now, ..Standing::default() };
        // Grants turn a question into a yes and nothing else, so most calls need no look at them.
        if policy.rule_on(asked, &standing).then != Then::Ask {
            return Ok(standing);
        }
        Ok(Standing { grants: self.grants.held(now).await?, ..standing })
    }
}

/// Why nobody is asked about a paper that is not there, where the owner has typed its name. Of what lies behind a link or
/// outside of the open folder nothing is said here: the skill does so, once it runs.
fn no_paper(call: &Call) -> Option<Stopped> {
    let Call { command, skill, .. } = call;
    let takes_in = skill.first_party && TAKE_IN.contains(&command.action.as_str());
    let papers = skill.settings.get("papers").filter(|_| takes_in)?;
    let asked = command.params.get("path")?.as_str()?.trim();
    let allow = home::router_command("library allow DIR");
    let why = match papers.is_empty() {
        _ if is_guests(key_of(command)) || !command.is_typed() => return None,
        true => format!("no folder is open yet: `{allow}` opens one"),
        false if is_missing(papers, asked) => format!("{asked}: there is no such file in {papers}"),
        false => return None,
    };
    Some(Stopped::new(Code::BadParams, why))
}

/// Whether `asked` leads to nothing within `papers`.
fn is_missing(papers: &str, asked: &str) -> bool {
    let inner = Path::new(asked).strip_prefix(papers).unwrap_or(Path::new(asked));
    let whole = Path::new(papers).join(inner);
    let is_plain = inner.components().all(|part| matches!(part, Component::Normal(_)));
    let mut ways = whole.ancestors().take_while(|way| way.starts_with(papers));
    is_plain && !ways.any(Path::is_symlink) && whole.try_exists().is_ok_and(|there| !there)
}

/// What decides can't be read or written.
pub(crate) fn undecided(fault: StoreFault) -> Stopped {
    Stopped::new(Code::Internal, format!("it can't be decided ({fault}), so nothing was run"))
}
