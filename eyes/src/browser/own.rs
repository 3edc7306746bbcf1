//! A driver of our own: started at the first look, warm for a while after the last one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use url::Url;

use crate::launch::Launcher;
use crate::look::LookError;

/// How long it stays warm.
const WARM: Duration = Duration::from_secs(5 * 60);

/// The driver beside this agent.
#[derive(Debug)]
pub(super) struct Own(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    launcher: Launcher,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many looks need it now.
    looks: usize,
    /// What ends it when nobody has looked for a while.
    ending: Option<AbortHandle>,
}

/// A look that needs the driver.
#[derive(Debug)]
pub(super) struct Awake(Arc<Kept>);

impl Own {
    pub(super) fn new(launcher: Launcher) -> Self {
        Self(Arc::new(Kept { launcher, state: Mutex::default() }))
    }

    /// Where the driver is spoken to. It is there for as long as what comes with it.
    pub(super) async fn wake(&self) -> Result<(Url, Awake), LookError> {
        {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.looks += 1;
            if let Some(ending) = state.ending.take() {
                ending.abort();
            }
        }
        let awake = Awake(Arc::clone(&self.0));
        let url = self.0.launcher.start().await.map_err(LookError::Browser)?;
        Ok((url, awake))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.looks = state.looks.saturating_sub(1);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if state.looks == 0 {
            // Weak, for nothing is kept warm for nobody.
            let kept = Arc::downgrade(&self.0);
            let ending = runtime.spawn(async move {
                tokio::time::sleep(WARM).await;
                let Some(kept) = kept.upgrade() else { return };
                let state = kept.state.lock().unwrap_or_else(PoisonError::into_inner);
                if state.looks == 0 {
                    kept.launcher.kill();
                }
            });
            state.ending = Some(ending.abort_handle());
        }
    }
}
