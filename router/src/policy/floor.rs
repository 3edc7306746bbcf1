//! What no file and no grant loosens.

use protocol::{Effect, Taint};

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

    /// In words, why it is asked.
    pub(super) fn reason(self) -> String {
        let what = match (self.way_out, self.effect()) {
            (Some(WayOut::Address), Effect::External) => {
                "it reaches an address that nobody typed here and that no result showed as a link"
            }
            (Some(WayOut::Words), Effect::External) => {
                "it carries words of the model to a host elsewhere"
            }
            (Some(WayOut::Links), Effect::External) => {
                "so many links were followed within the hour that they could spell out what is private"
            }
            (_, Effect::None) => "it has no effect",
            (_, Effect::Local) => "local: it changes something on this machine",
            (_, Effect::External) => "external: it is seen elsewhere",
            (_, Effect::Irreversible) => "irreversible: it can't be taken back",
        };
        let own = if self.is_own { "; you typed it word for word" } else { "" };
        let entered = match (self.taint.untrusted, self.taint.private) {
            _ if self.effect() < Effect::External || self.is_own => "",
            (false, false) => "",
            (true, false) => ", and untrusted text has entered this session",
            (false, true) => ", and private data has entered this session",
            (true, true) => ", and untrusted text and private data have entered this session",
        };
        format!("{what}{own}{entered}")
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
