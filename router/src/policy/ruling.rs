//! From a call and its session to what is decided: the file's rule, then what no file loosens, then grants.

use governance::Governance;
use protocol::Effect;

use super::asked::Asked;
use super::floor::InSession;
use super::governed;
use super::rules::Rules;
use super::standing::Standing;
use super::then::{Place, Then};

/// What is decided about a call, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// What is decided.
    pub then: Then,
    /// What decided it, for the audit log: `effects.external`, `rule 2 (line 17)`, `grant <id>`, `fixed: irreversible`.
    pub rule: String,
    /// Where the file says what it says of this call; `None` where it says nothing.
    pub place: Option<Place>,
    /// Why it is asked, in words for people.
    pub reason: String,
    /// What it counts as in this session.
    pub effect: Effect,
    /// A person's yes needs the code that stands in the question.
    pub needs_code: bool,
    /// A person may allow it for a while.
    pub grantable: bool,
    /// What is used up by it.
    pub spends: Option<Spend>,
}

/// A permission that is counted: whoever runs the call has to count it first, in one step with a look at what is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spend {
    /// A rule with `times`.
    Rule {
        /// Its id, the key in [`Standing::used`].
        id: String,
        /// How often it may allow.
        times: u32,
    },
    /// A person's grant.
    Grant {
        /// Its id.
        id: String,
        /// How often it may allow; `None` for as often as is asked.
        times: Option<u32>,
    },
}

/// What the file says of a call.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) then: Then,
    pub(super) rule: String,
    pub(super) place: Option<Place>,
    pub(super) spends: Option<Spend>,
}

/// Why somebody else than the owner may not read this, whatever `said` says: what is private is the owner's, unless a rule says
/// otherwise and the router tells the skill whose it is to be.
fn guests_secret(asked: &Asked, said: &Ruling) -> Option<&'static str> {
    if !asked.reads.private || !asked.is_guests() || said.then == Then::Refuse {
        return None;
    }
    let is_bound = asked.skill.is_some_and(|skill| skill.marks.principal.is_some());
    match said.rule.starts_with("rule ") {
        false => Some("fixed: what is private is the owner's until a rule says otherwise"),
        true if !is_bound => Some("fixed: no parameter with principal = true says whose it is"),
        true => None,
    }
}

/// Decides about `asked`.
pub(super) fn rule_on(
    (rules, governance): (&Rules, &Governance),
    asked: &Asked,
    standing: &Standing,
) -> Ruling {
    let session = InSession::of(asked, standing);
    let demand = session.demand();
    let said = governed::narrow(rules.say(asked, session, standing), governance, asked);
    let ruling = Ruling {
        then: said.then,
        rule: said.rule,
        place: said.place,
        reason: session.reason(),
        effect: session.effect(),
        needs_code: false,
        grantable: false,
        spends: None,
    };
    if let Some(why) = guests_secret(asked, &ruling) {
        return Ruling { then: Then::Refuse, rule: why.to_owned(), ..ruling };
    }
    match said.then {
        Then::Refuse => return ruling,
        Then::Allow if demand.is_none() => return Ruling { spends: said.spends, ..ruling },
        Then::Allow | Then::Ask => {}
    }
    let grant = standing.grants.iter().find(|grant| grant.allows(asked, standing));
    match grant.filter(|_| session.takes_grants()) {
        Some(grant) => Ruling {
            then: Then::Allow,
            rule: format!("grant {}", grant.id),
            spends: Some(Spend::Grant { id: grant.id.clone(), times: grant.times }),
            ..ruling
        },
        None => Ruling {
            then: Then::Ask,
            rule: demand.map_or(ruling.rule, |demand| demand.rule().to_owned()),
            needs_code: session.needs_code(),
            grantable: session.takes_grants(),
            ..ruling
        },
    }
}
