//! A budget: how many replies and tokens a task may take before a person is asked whether it goes on.

use serde::{Deserialize, Serialize};

/// The share at which a person hears how much is used, in percent.
const WARNS: u64 = 80;

/// How much a task may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskBudget {
    /// How many replies.
    pub steps: u64,
    /// How many tokens, read and written.
    pub tokens: u64,
}

impl Default for TaskBudget {
    /// A hundred replies, and as many tokens as they usually read on a model with a window of 16,000.
    fn default() -> Self {
        Self { steps: 100, tokens: 1_000_000 }
    }
}

/// What a task has taken since a person last said that it may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    steps: u64,
    tokens: u64,
    has_warned: bool,
}

impl Spent {
    /// Counts one reply that took so many tokens. What people should hear of it, once.
    pub fn count(&mut self, tokens: u64, budget: TaskBudget) -> Option<String> {
        self.steps += 1;
        self.tokens += tokens;
        let (used, what) = self.most(budget);
        if self.has_warned || !(WARNS..100).contains(&used) {
            return None;
        }
        self.has_warned = true;
        Some(format!("{used} % of the {what} of this task are used"))
    }

    /// Why the task has to wait for a person, if it has to.
    #[must_use]
    pub fn is_up(&self, budget: TaskBudget) -> Option<String> {
        let (used, what) = self.most(budget);
        (used >= 100).then(|| {
            format!(
                "the task has used its {what}, and waits; say \"go on\" for as many again, or what to do instead"
            )
        })
    }

    /// The larger share that is used, in percent, and of what.
    fn most(&self, budget: TaskBudget) -> (u64, String) {
        let share = |used: u64, of: u64| used.saturating_mul(100) / of.max(1);
        let steps = (share(self.steps, budget.steps), format!("{} steps", budget.steps));
        let tokens = (share(self.tokens, budget.tokens), format!("{} tokens", budget.tokens));
        if tokens.0 > steps.0 { tokens } else { steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: TaskBudget = TaskBudget { steps: 10, tokens: 1_000 };

    #[test]
    fn it_warns_once_at_four_fifths_and_waits_at_the_end() {
        let mut spent = Spent::default();
        let heard: Vec<_> = (0..10).map(|_| spent.count(1, BUDGET)).collect();
        assert_eq!(heard.iter().position(Option::is_some), Some(7));
        assert_eq!(heard.iter().flatten().count(), 1);
        assert_eq!(heard[7].as_deref(), Some("80 % of the 10 steps of this task are used"));
        assert!(spent.is_up(BUDGET).unwrap().contains("its 10 steps"));
        assert_eq!(Spent::default().is_up(BUDGET), None);
    }

    #[test]
    fn tokens_count_as_well() {
        let mut spent = Spent::default();
        assert!(spent.count(900, BUDGET).unwrap().contains("1000 tokens"));
        assert_eq!(spent.is_up(BUDGET), None);
        spent.count(100, BUDGET);
        assert!(spent.is_up(BUDGET).unwrap().contains("1000 tokens"));
    }
}
