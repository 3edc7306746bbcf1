//! A driver of our own: started at the first look, warm for a while after the last one, with one browser that is open
//! before it is needed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use super::ready::Ready;
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
    /// A browser that nothing was looked at with, or the opening of one.
    spare: Option<AbortOnDropHandle<Result<Ready, LookError>>>,
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

impl Awake {
    /// The browser that is open already, if there is one and it answers. Nobody else gets it.
    pub(super) async fn spare(&self) -> Option<Ready> {
        let spare = self.0.state.lock().unwrap_or_else(PoisonError::into_inner).spare.take();
        let ready = spare?.await.ok()?.ok()?;
        ready.answers().await.then_some(ready)
    }

    /// Begins to open the next one, if none is there.
    pub(super) fn prepare(
        &self,
        opening: impl Future<Output = Result<Ready, LookError>> + Send + 'static,
    ) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.spare.is_none() {
            state.spare = Some(AbortOnDropHandle::new(tokio::spawn(opening)));
        }
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
                let mut state = kept.state.lock().unwrap_or_else(PoisonError::into_inner);
                if state.looks == 0 {
                    drop(state.spare.take());
                    kept.launcher.kill();
                }
            });
            state.ending = Some(ending.abort_handle());
        }
    }
}
