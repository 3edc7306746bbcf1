//! What lies on the server, and the scripts: each method that is named after one is that script, wholly.

use super::Slip;

/// Which command: [`IDEMPOTENT`] or [`ONCE`].
pub(crate) type Id = usize;

/// The command that may be begun again after a crash.
pub(crate) const IDEMPOTENT: Id = 0;

/// The command that must not be.
pub(crate) const ONCE: Id = 1;

/// One life of a router.
pub(crate) type Name = u8;

/// How often a command may be begun.
const MOST_ATTEMPTS: u8 = 3;

/// One copy of a command, as it waits in a lane or lies in a router's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Waiting {
    pub(crate) id: Id,
    pub(crate) attempts: u8,
    pub(crate) resent: bool,
    /// No router has said that it begins it.
    pub(crate) unbegun: bool,
}

/// One field of a router's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Held {
    pub(crate) router: Name,
    pub(crate) field: u8,
    pub(crate) command: Waiting,
    /// Whether the claim counted as an attempt.
    pub(crate) counted: bool,
}

/// The state of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Standing {
    Unknown,
    Running { router: Name, field: u8, cancelled: bool },
    Again,
    Cancelled,
    Done(Reply),
}

/// What a command was answered. Two runs never say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reply {
    /// Its result, from this attempt.
    Ran(u8),
    TakenBack,
    Stopped,
    Interrupted,
    Poison,
}

/// What a router is to do with a command that it claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mark {
    Run,
    Known(Reply),
    Cancelled,
    Poison,
}

/// What a claim brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Claimed {
    pub(crate) router: Name,
    pub(crate) field: u8,
    pub(crate) id: Id,
    pub(crate) attempt: u8,
    pub(crate) may_have_begun: bool,
    pub(crate) mark: Mark,
}

/// The lanes of the model: one of those that an agent fills, and that of what was handed back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    Queue,
    Again,
}

/// The keys of one installation, and beside them what nobody can read there: what has been seen to happen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    /// The next one to be taken is the last.
    pub(crate) queue: Vec<Waiting>,
    pub(crate) again: Vec<Waiting>,
    /// Which names are in the sorted set of routers.
    pub(crate) routers: Vec<Name>,
    /// All hashes, sorted.
    pub(crate) work: Vec<Held>,
    pub(crate) states: [Standing; 2],
    pub(crate) letters: [u8; 2],
    pub(crate) seen: Seen,
}

/// What has been seen to happen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Seen {
    /// How often [`ONCE`] was begun; twice stands for more.
    pub(crate) begun: u8,
    /// The first reply that was published.
    pub(crate) said: [Option<Reply>; 2],
    /// A later one was another.
    pub(crate) contradicted: bool,
    /// A cancel was heard before the command had ended.
    pub(crate) cancelled: [bool; 2],
    /// A claim gave such a command out to be run.
    pub(crate) run_though_cancelled: bool,
    /// A field was written that lay in a hash, or that its router still remembered.
    pub(crate) field_reused: bool,
}

impl Server {
    /// `sent` waits, the next one to be taken last.
    pub(crate) fn new(routers: Vec<Name>, sent: Vec<Waiting>) -> Self {
        Self {
            queue: sent,
            again: Vec::new(),
            routers,
            work: Vec::new(),
            states: [Standing::Unknown; 2],
            letters: [0; 2],
            seen: Seen::default(),
        }
    }

    pub(crate) fn holds(&self, router: Name, field: u8) -> bool {
        self.work.iter().any(|held| (held.router, held.field) == (router, field))
    }

    /// Whether `beat.lua` says that nobody waits for this one.
    pub(crate) fn is_cancelled(&self, id: Id) -> bool {
        matches!(self.states[id], Standing::Running { cancelled: true, .. })
    }

    pub(crate) fn lane(&mut self, lane: Lane) -> &mut Vec<Waiting> {
        match lane {
            Lane::Queue => &mut self.queue,
            Lane::Again => &mut self.again,
        }
    }

    /// `claim.lua`, from one lane: copies that are dropped, and then at most one that is taken.
    pub(crate) fn claim(
        &mut self,
        router: Name,
        field: u8,
        lane: Lane,
        slip: Slip,
    ) -> Option<Claimed> {
        while let Some(command) = self.lane(lane).last().copied() {
            let claimed = self.take(router, field, (lane, command), slip);
            self.lane(lane).pop();
            if claimed.is_some() {
                return claimed;
            }
        }
        None
    }

    /// Nothing when the command is a copy that is dropped.
    pub(crate) fn take(
        &mut self,
        router: Name,
        field: u8,
        (lane, mut command): (Lane, Waiting),
        slip: Slip,
    ) -> Option<Claimed> {
        let id = command.id;
        let state = self.states[id];
        let mut mark = match state {
            Standing::Done(reply) => Mark::Known(reply),
            Standing::Cancelled => Mark::Cancelled,
            Standing::Again if lane != Lane::Again && !self.again.is_empty() => return None,
            Standing::Running { router, field, .. } if self.holds(router, field) => return None,
            _ => Mark::Run,
        };
        // What was sent twice may have been begun as another copy.
        if command.resent && command.attempts == 0 {
            command.attempts = 1;
            command.unbegun = false;
        }
        let counted = mark == Mark::Run && command.attempts < MOST_ATTEMPTS;
        if counted {
            command.attempts += 1;
        } else if mark == Mark::Run {
            mark = Mark::Poison;
        }
        self.write(Held { router, field, command, counted });
        if !matches!(mark, Mark::Known(_)) {
            let cancelled = mark == Mark::Cancelled && slip != Slip::ClaimForgetsCancel;
            self.states[id] = Standing::Running { router, field, cancelled };
        }
        self.seen.run_though_cancelled |= mark == Mark::Run && self.seen.cancelled[id];
        let (attempt, may_have_begun) = (command.attempts, !command.unbegun);
        Some(Claimed { router, field, id, attempt, may_have_begun, mark })
    }

    fn write(&mut self, held: Held) {
        self.seen.field_reused |= self.holds(held.router, held.field);
        self.work.retain(|old| (old.router, old.field) != (held.router, held.field));
        self.work.push(held);
        self.work.sort_unstable();
    }

    /// `store.lua`: gives the reply that counts, to whoever may publish it.
    pub(crate) fn store(
        &mut self,
        router: Name,
        field: u8,
        (id, reply): (Id, Reply),
        slip: Slip,
    ) -> Option<Reply> {
        let held = self.holds(router, field);
        if slip == Slip::FinishOverwrites {
            self.states[id] = Standing::Done(reply);
            return Some(reply);
        }
        if let Standing::Done(first) = self.states[id] {
            return held.then_some(first);
        }
        if !held && self.states[id] != Standing::Again {
            return None;
        }
        self.states[id] = Standing::Done(reply);
        self.letters[id] += u8::from(reply.is_given_up());
        held.then_some(reply)
    }

    /// `publish.lua`, for replies that are always fetched at once: it is the harder case, because then nothing
    /// lies there that would keep a second one away.
    pub(crate) fn publish(&mut self, id: Id, reply: Reply) {
        let first = *self.seen.said[id].get_or_insert(reply);
        self.seen.contradicted |= first != reply;
    }

    /// `begins.lua`: whether the command is still this router's.
    pub(crate) fn begins(&mut self, router: Name, field: u8, slip: Slip) -> bool {
        let held = |held: &&mut Held| (held.router, held.field) == (router, field);
        let Some(held) = self.work.iter_mut().find(held) else { return false };
        held.command.unbegun &= slip == Slip::BeginsUnsaid;
        true
    }

    /// `let_go.lua`.
    pub(crate) fn let_go(&mut self, router: Name, field: u8) {
        self.work.retain(|held| (held.router, held.field) != (router, field));
    }

    /// `finish.lua`.
    pub(crate) fn finish(&mut self, router: Name, field: u8, (id, reply): (Id, Reply), slip: Slip) {
        if let Some(reply) = self.store(router, field, (id, reply), slip) {
            self.publish(id, reply);
            self.let_go(router, field);
        }
    }

    /// `hand_back.lua`.
    pub(crate) fn hand_back(&mut self, router: Name, field: u8, undo: u8, slip: Slip) {
        let held = |held: &&Held| (held.router, held.field) == (router, field);
        let Some(&Held { mut command, counted, .. }) = self.work.iter().find(held) else {
            return;
        };
        let counted = counted || slip == Slip::UncountedIsUndone;
        command.attempts = command.attempts.saturating_sub(undo * u8::from(counted));
        if slip == Slip::RedeliveryForgetsAttempts {
            (command.attempts, command.unbegun) = (0, true);
        }
        self.again.push(command);
        if let Standing::Running { router: owner, field: held, cancelled } = self.states[command.id]
            && (owner, held) == (router, field)
        {
            self.states[command.id] = if cancelled { Standing::Cancelled } else { Standing::Again };
        }
        self.let_go(router, field);
    }

    /// The part of `beat.lua` that hears what is taken back; any router's beat does.
    pub(crate) fn take_back(&mut self, id: Id) {
        match &mut self.states[id] {
            Standing::Done(_) => return,
            Standing::Running { cancelled, .. } => *cancelled = true,
            state => *state = Standing::Cancelled,
        }
        self.seen.cancelled[id] = true;
    }

    /// `reap.lua`, for one of the dead.
    pub(crate) fn reap(&mut self, router: Name, slip: Slip) {
        let fields: Vec<u8> = self
            .work
            .iter()
            .filter(|held| held.router == router)
            .map(|held| held.field)
            .rev()
            .collect();
        for field in fields {
            let states = self.states;
            self.hand_back(router, field, 0, slip);
            if slip == Slip::ReapLeavesRunning {
                self.states = states;
            }
        }
        self.routers.retain(|name| *name != router);
    }
}

impl Reply {
    /// Whether it goes to the dead letters.
    pub(crate) fn is_given_up(self) -> bool {
        matches!(self, Self::Interrupted | Self::Poison)
    }

    /// Whether it says that the command was stopped before its end.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self, Self::TakenBack | Self::Stopped | Self::Interrupted)
    }
}
