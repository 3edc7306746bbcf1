//! How large the sections may be, and what goes first when a prompt has to fit a small window.

/// The largest size of each section, in bytes, before its fence. Ordinarily they fit the window of a small model
/// together; with the first-party skills an ordinary chat stays below 8 kB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) soul: usize,
    pub(super) agent_actions: usize,
    pub(super) router_actions: usize,
    pub(super) memory: usize,
    pub(super) artifact: usize,
    pub(super) history: usize,
    pub(super) so_far: usize,
}

impl Limits {
    /// What holds when there is room for everything.
    pub(super) const ORDINARY: Self = Self {
        soul: 4_000,
        agent_actions: 4_000,
        router_actions: 14_000,
        memory: 3_000,
        artifact: 3_000,
        history: 5_400,
        so_far: 8_000,
    };

    /// Makes the first section smaller that can still give something, by at most `excess` bytes, and says what that leaves
    /// out: the oldest history, then earlier results, then the oldest memory, then descriptions of actions, then this
    /// turn's results. The rules and the message stay whole. `sizes` are what they have now. `None` when nothing is left to
    /// give.
    pub(super) fn give(&mut self, sizes: &Self, excess: usize) -> Option<&'static str> {
        let steps = [
            (&mut self.history, sizes.history, 0, "older history"),
            (&mut self.artifact, sizes.artifact, 0, "a part of earlier results"),
            (&mut self.memory, sizes.memory, 0, "older memory"),
            (&mut self.router_actions, sizes.router_actions, 400, "descriptions of actions"),
            (&mut self.so_far, sizes.so_far, 400, "a part of the results"),
        ];
        for (limit, size, least, what) in steps {
            let size = size.min(*limit);
            if size > least {
                *limit = size.saturating_sub(excess).max(least);
                return Some(what);
            }
        }
        None
    }
}
