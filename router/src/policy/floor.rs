//! What no file and no grant loosens.

use protocol::{Effect, Taint};

use crate::config::words;

use super::asked::Asked;
use super::standing::{Standing, WayOut};

/// Why a person has to be asked, whatever the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// It can't be taken back.
    Irreversible,
    /// It is seen elsewhere, untrusted text may have asked for it, and private data may be in it.
    UntrustedAndPrivate,
    /// It is seen elsewhere, and untrusted text may have asked for it.
    Untrusted,
    /// Nobody has judged where it goes, or what it carries there.
    WayOut,
}

/// What a call does to the world in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InSession {
    /// What the skill declares.
    pub(super) declared: Effect,
    /// How it gets out, whatever the skill declares.
    pub(super) way_out: Option<WayOut>,
    /// It stands word for word in what the owner typed for this message.
    is_own: bool,
    taint: Taint,
}

impl InSession {
    pub(super) fn of(asked: &Asked, standing: &Standing) -> Self {
        let taint = standing.taint;
        let words = (taint.private && asked.carries_words()).then_some(WayOut::Words);
        let way_out = standing.way_out.or(words).filter(|_| !asked.dry_run);
        // Only what can be doubted is compared with what was typed.
        let is_own = asked.effect >= Effect::External && asked.is_own();
        Self { declared: asked.effect, way_out, is_own, taint }
    }

    /// What it counts as.
    pub(super) fn effect(self) -> Effect {
        if self.way_out.is_some() { self.declared.max(Effect::External) } else { self.declared }
    }

    /// Why a person has to be asked. What a person has ordered word for word can't have been wished by anybody else.
    pub(super) fn demand(self) -> Option<Demand> {
        match (self.effect(), self.taint) {
            (Effect::Irreversible, _) => Some(Demand::Irreversible),
            (Effect::External, _) if self.is_own && self.way_out.is_none() => None,
            (Effect::External, Taint { untrusted: true, private: true }) => {
                Some(Demand::UntrustedAndPrivate)
            }
            (Effect::External, Taint { untrusted: true, .. }) => Some(Demand::Untrusted),
            _ => self.way_out.map(|_| Demand::WayOut),
        }
    }

    /// Whether the person has to type a code.
    pub(super) fn needs_code(self) -> bool {
        self.demand() == Some(Demand::Irreversible) && !self.is_own
    }

    /// Whether a person's grant can count: what it opens, [`super::Grant::allows`] says.
    pub(super) fn takes_grants(self) -> bool {
        self.effect() != Effect::Irreversible
    }

    /// Why it is asked, in the words of the owner's language.
    pub(super) fn reason(self) -> String {
        let what = match (self.way_out, self.effect()) {
            (Some(WayOut::Address), Effect::External) => "wall.address",
            (Some(WayOut::Words), Effect::External) => "wall.words",
            (Some(WayOut::Links), Effect::External) => "wall.links",
            (_, Effect::None) => "wall.none",
            (_, Effect::Local) => "wall.local",
            (_, Effect::External) => "wall.external",
            (_, Effect::Irreversible) => "wall.irreversible",
        };
        let own = self.is_own.then_some("wall.own");
        let entered = match (self.taint.untrusted, self.taint.private) {
            _ if self.effect() < Effect::External || self.is_own => None,
            (false, false) => None,
            (true, false) => Some("wall.untrusted"),
            (false, true) => Some("wall.private"),
            (true, true) => Some("wall.untrustedAndPrivate"),
        };
        let keys = [Some(what), own, entered].into_iter().flatten();
        keys.map(|key| words().get(key)).collect()
    }
}

impl Demand {
    /// What stands where the rule's name would.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Irreversible => "fixed: irreversible",
            Self::UntrustedAndPrivate => "fixed: external under T and P",
            Self::Untrusted => "fixed: external under T",
            Self::WayOut => "fixed: a way out that nobody judged",
        }
    }
}
