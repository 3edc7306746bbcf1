//! The kill switch: while it is thrown, nothing begins, and what runs is stopped.
//!
//! It is one entry of the store, so that it holds for all routers of a queue, and a person with `redis-cli` can throw
//! it, too: whatever stands there stops. A switch that can't be read counts as thrown.

use std::sync::Arc;
use std::time::Duration;

use protocol::{Code, Stopped};

use crate::{SWITCH, Store, StoreFault, Table};

/// Its key in the table.
const KEY: &str = "stop";

/// How often it is read while something runs.
const LOOK: Duration = Duration::from_millis(250);

/// The kill switch.
#[derive(Debug, Clone)]
pub struct Switch {
    store: Arc<dyn Store>,
}

impl Switch {
    /// Where it stands in the store.
    pub const PLACE: (Table, &'static str) = (SWITCH, KEY);

    /// The switch in `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Goes on while the switch is not thrown.
    ///
    /// # Errors
    /// `stopped`.
    pub async fn check(&self) -> Result<(), Stopped> {
        Self::says(self.store.read(SWITCH, KEY).await)
    }

    /// The same by what was seen under [`Switch::PLACE`].
    ///
    /// # Errors
    /// `stopped`.
    pub fn says(seen: Result<Option<Vec<u8>>, StoreFault>) -> Result<(), Stopped> {
        let why = match seen {
            Ok(None) => return Ok(()),
            Ok(Some(_)) => {
                let resume = home::resume_command();
                format!("everything is stopped; its owner can let it go on with `{resume}`")
            }
            Err(fault) => format!(
                "whether everything is stopped can't be read ({fault}), which counts as stopped"
            ),
        };
        Err(Stopped::new(Code::Stopped, why))
    }

    /// Waits until the switch is thrown.
    pub async fn thrown(&self) -> Stopped {
        loop {
            if let Err(stopped) = self.check().await {
                return stopped;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Throws it. `by` is for people who look.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub async fn throw(&self, by: &str) -> Result<(), StoreFault> {
        loop {
            let there = self.store.read(SWITCH, KEY).await?;
            if there.is_some() || self.store.swap(SWITCH, KEY, None, Some(by.as_bytes())).await? {
                return Ok(());
            }
        }
    }

    /// Puts it back; `false` when it was not thrown.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub async fn put_back(&self) -> Result<bool, StoreFault> {
        self.store.remove(SWITCH, KEY).await
    }
}
