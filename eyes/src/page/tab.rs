//! The window that is looked with, and the isolated world from which its page is asked.

use std::time::Duration;

use fantoccini::Client;
use fantoccini::error::CmdError;
use fantoccini::wd::{TimeoutConfiguration, WindowHandle};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::cdp::Cdp;
use super::clock::Clock;
use super::trouble;
use crate::look::LookError;

/// How often a command is tried again because the page had a dialog open, or went elsewhere meanwhile.
const TRIES: usize = 12;
/// The name of the world. The browser gives the same world for the same name while the document stays.
const WORLD: &str = "eyes";
/// How long a script in a foreign frame may take, which runs in that frame's own world.
const FRAME_SCRIPT: Duration = Duration::from_secs(2);

/// The one window of a look.
#[derive(Debug)]
pub(super) struct Tab<'a> {
    pub(super) client: &'a Client,
    pub(super) clock: Clock,
    pub(super) window: WindowHandle,
}

/// The document that stands in the window.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    /// The frame that it stands in.
    pub(super) id: String,
    /// Another one with each navigation.
    pub(super) loader_id: String,
    /// Where a page could not be had, and the browser shows its own instead.
    pub(super) unreachable_url: Option<String>,
}

impl<'a> Tab<'a> {
    /// Takes the client's window: its dialogs are answered at once, and nothing is saved from it.
    ///
    /// # Errors
    /// [`LookError::Browser`] and [`LookError::Slow`].
    pub(super) async fn take(client: &'a Client, clock: Clock) -> Result<Self, LookError> {
        let window =
            clock.within(client.window()).await?.map_err(|error| trouble::failed(&error))?;
        let tab = Self { client, clock, window };
        let deny = json!({ "behavior": "deny" });
        tab.command("Browser.setDownloadBehavior", deny).await?;
        let source = json!({ "source": include_str!("scripts/mute.js") });
        tab.command("Page.addScriptToEvaluateOnNewDocument", source).await?;
        Ok(tab)
    }

    /// Sets how long the driver itself waits for a page to load.
    ///
    /// # Errors
    /// [`LookError::Browser`] and [`LookError::Slow`].
    pub(super) async fn wait_for_loads(&self, limit: Duration) -> Result<(), LookError> {
        let limits = TimeoutConfiguration::new(Some(FRAME_SCRIPT), Some(limit), None);
        let set = self.clock.within(self.client.update_timeouts(limits)).await?;
        set.map_err(|error| trouble::failed(&error))
    }

    /// The document that stands in the window now.
    ///
    /// # Errors
    /// [`LookError::Browser`] and [`LookError::Slow`].
    pub(super) async fn document(&self) -> Result<Document, LookError> {
        let mut tree = self.command("Page.getFrameTree", json!({})).await?;
        serde_json::from_value(tree["frameTree"]["frame"].take()).map_err(trouble::unexpected)
    }

    /// Gives a command of the DevTools protocol.
    ///
    /// # Errors
    /// [`LookError::Browser`] and [`LookError::Slow`].
    pub(super) async fn command(
        &self,
        name: &'static str,
        params: Value,
    ) -> Result<Value, LookError> {
        self.try_command(name, params).await?.map_err(|error| self.failure(&error))
    }

    /// Runs one of our scripts in the isolated world and gives what it returned. If the page goes elsewhere
    /// meanwhile, it is run again on the page that is there then.
    ///
    /// # Errors
    /// [`LookError::Page`] for a page that never stops going elsewhere, [`LookError::Browser`] and
    /// [`LookError::Slow`].
    pub(super) async fn run<T: DeserializeOwned>(
        &self,
        script: &str,
        args: &Value,
    ) -> Result<T, LookError> {
        for _ in 0..TRIES {
            if let Some(value) = self.try_run(script, args).await? {
                return serde_json::from_value(value).map_err(trouble::unexpected);
            }
        }
        Err(self.clock.no_page("it sends the browser from page to page without an end"))
    }

    /// `None` when the document was gone before the script was through.
    async fn try_run(&self, script: &str, args: &Value) -> Result<Option<Value>, LookError> {
        let frame = self.document().await?.id;
        let place = json!({ "frameId": frame, "worldName": WORLD });
        let Ok(world) = self.try_command("Page.createIsolatedWorld", place).await? else {
            return Ok(None);
        };
        let asked = json!({
            "expression": format!("({script})({args})"),
            "contextId": world["executionContextId"],
            "awaitPromise": true,
            "returnByValue": true,
            "timeout": self.clock.left().as_millis() as u64,
        });
        let mut answer = match self.try_command("Runtime.evaluate", asked).await? {
            Ok(answer) => answer,
            Err(error) if trouble::is_gone(&error) => return Ok(None),
            Err(error) => return Err(self.failure(&error)),
        };
        if let Some(wrong) = answer.get("exceptionDetails") {
            let what = &wrong["exception"]["description"];
            return Err(LookError::Browser(format!("a script of our own failed: {what}")));
        }
        Ok(Some(answer["result"]["value"].take()))
    }

    /// A dialog that is open is dismissed by the driver when the next command comes, which fails by it.
    async fn try_command(
        &self,
        name: &'static str,
        params: Value,
    ) -> Result<Result<Value, CmdError>, LookError> {
        let mut tried = 0;
        loop {
            let cdp = Cdp { name, params: params.clone() };
            let answer = self.clock.within(self.client.issue_cmd(cdp)).await?;
            tried += 1;
            match answer {
                Err(CmdError::Standard(error)) if trouble::is_dialog(&error) && tried < TRIES => {}
                answer => return Ok(answer),
            }
        }
    }

    fn failure(&self, error: &CmdError) -> LookError {
        match error {
            CmdError::Standard(said) if trouble::is_timeout(said) => {
                self.clock.no_page("its scripts keep the browser busy, so it can't be read")
            }
            error => trouble::failed(error),
        }
    }
}
