//! The processes that stay, one for each skill that wants one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::{ActionName, Code, Effect, Stopped};
use tokio::sync::Mutex;

use super::gate::Gate;
use super::{RunError, Warm, outcome};
use crate::catalog::{Catalog, Skill};

/// A skill's process that stays, with the gate that it reaches the network through.
pub(super) struct WarmSkill {
    skill: Arc<Skill>,
    process: Mutex<Warm>,
    _gate: Option<Gate>,
}

impl WarmSkill {
    pub(super) fn new(skill: Arc<Skill>, process: Warm, gate: Option<Gate>) -> Self {
        Self { skill, process: Mutex::new(process), _gate: gate }
    }

    /// Sends one line and waits for its answer, at most `wall`, the wait for earlier calls included.
    pub(super) async fn call(
        &self,
        line: &[u8],
        wall: Duration,
        effect: Effect,
    ) -> Result<Vec<u8>, Stopped> {
        let until = tokio::time::Instant::now() + wall;
        let Ok(mut process) = tokio::time::timeout_at(until, self.process.lock()).await else {
            let why = "earlier calls took all of its time; it was not begun";
            return Err(Stopped::new(Code::Timeout, why));
        };
        let answered = tokio::time::timeout_at(until, process.call(line)).await;
        let late = Err(RunError::TimedOut { after: wall });
        answered.unwrap_or(late).map_err(|error| outcome::stopped(&error, effect))
    }
}

/// The processes by action. Clones share them.
#[derive(Clone, Default)]
pub(super) struct WarmSkills {
    // Held while a process is being prepared, so that two first calls do not make two.
    by_name: Arc<Mutex<HashMap<ActionName, Arc<WarmSkill>>>>,
}

impl WarmSkills {
    /// The process for `skill`, made by `start` if there is none; one of an older version is ended.
    pub(super) async fn of(
        &self,
        skill: &Arc<Skill>,
        start: impl AsyncFnOnce() -> Result<WarmSkill, Stopped>,
    ) -> Result<Arc<WarmSkill>, Stopped> {
        let mut by_name = self.by_name.lock().await;
        if let Some(warm) = by_name.get(skill.name())
            && Arc::ptr_eq(&warm.skill, skill)
        {
            return Ok(Arc::clone(warm));
        }
        let warm = Arc::new(start().await?);
        by_name.insert(skill.name().clone(), Arc::clone(&warm));
        Ok(warm)
    }

    /// Ends each process when its skill is changed, switched off or removed.
    pub(super) async fn end_with(self, mut catalog: Catalog) {
        while catalog.changed().await {
            self.by_name.lock().await.retain(|_, warm| catalog.serves(&warm.skill));
        }
    }
}
