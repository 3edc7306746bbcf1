//! What no file and no grant loosens.

use protocol::{Effect, Taint};

use super::asked::Asked;
use super::standing::Standing;

/// Why a person has to be asked, whatever the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// It can't be taken back.
    Irreversible,
    /// It is seen elsewhere, untrusted text may have asked for it, and private data may be in it.
    UntrustedAndPrivate,
    /// It is seen elsewhere, and untrusted text may have asked for it.
    Untrusted,
}

/// What a call does to the world in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InSession {
    /// What the skill declares.
    pub(super) declared: Effect,
    /// It reaches an unknown address although something has entered the session that could be carried there: a way
    /// out, whatever the skill declares.
    pub(super) way_out: bool,
    taint: Taint,
}

impl InSession {
    pub(super) fn of(asked: &Asked, standing: &Standing) -> Self {
        let taint = standing.taint;
        let way_out = standing.foreign_url && !taint.is_clean() && !asked.dry_run;
        Self { declared: asked.effect, way_out, taint }
    }

    /// What it counts as.
    pub(super) fn effect(self) -> Effect {
        if self.way_out { self.declared.max(Effect::External) } else { self.declared }
    }

    /// Why a person has to be asked.
    pub(super) fn demand(self) -> Option<Demand> {
        match (self.effect(), self.taint) {
            (Effect::Irreversible, _) => Some(Demand::Irreversible),
            (Effect::External, Taint { untrusted: true, private: true }) => {
                Some(Demand::UntrustedAndPrivate)
            }
            (Effect::External, Taint { untrusted: true, .. }) => Some(Demand::Untrusted),
            _ => None,
        }
    }

    /// Whether a person's grant counts. An address is free text, so one for a way out would be one for all of them.
    pub(super) fn takes_grants(self) -> bool {
        !self.way_out && self.demand().is_none_or(|demand| demand == Demand::Untrusted)
    }

    /// In words, why it is asked.
    pub(super) fn reason(self) -> String {
        let what = match (self.way_out, self.effect()) {
            (true, Effect::External) => {
                "it reaches an address that nobody typed here and that stood in no result"
            }
            (_, Effect::None) => "it has no effect",
            (_, Effect::Local) => "local: it changes something on this machine",
            (_, Effect::External) => "external: it is seen elsewhere",
            (_, Effect::Irreversible) => "irreversible: it can't be taken back",
        };
        let entered = match (self.taint.untrusted, self.taint.private) {
            _ if self.effect() < Effect::External => "",
            (false, false) => "",
            (true, false) => ", and untrusted text has entered this session",
            (false, true) => ", and private data has entered this session",
            (true, true) => ", and untrusted text and private data have entered this session",
        };
        format!("{what}{entered}")
    }
}

impl Demand {
    /// Whether the person has to type a code.
    pub(super) fn needs_code(self) -> bool {
        self == Self::Irreversible
    }

    /// What stands where the rule's name would.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Irreversible => "fixed: irreversible",
            Self::UntrustedAndPrivate => "fixed: external under T and P",
            Self::Untrusted => "fixed: external under T",
        }
    }
}
