//! The thinking in a turn: prompt, model, answer, and one chance to mend an answer that can't be read.

use protocol::Taint;

use super::Turn;
use crate::action::Observation;
use crate::answer::{Answer, Words};
use crate::channel::Outgoing;
use crate::mind::Mind;
use crate::model::{Ask, Completion, Fit, Model, Progress, TurnParts};
use crate::prompt::Parts;
use crate::session::Outlet;
use crate::workspace::Artifact;

impl Turn<'_> {
    /// The model's answer to the turn as it stands.
    ///
    /// # Errors
    /// Words for the user: no model could answer, or the answer can't be read, twice.
    pub(super) async fn think(
        &mut self,
        message: &str,
        artifact: &Artifact,
        so_far: &[Observation],
    ) -> Result<Answer, String> {
        let mut repair: Option<String> = None;
        loop {
            let text = self.complete(message, artifact, so_far, repair.as_deref()).await?;
            match Answer::parse(&text) {
                Ok(answer) => return Ok(answer),
                Err(error) if repair.is_none() => {
                    tracing::info!(%error, "the model is shown what is wrong with its answer");
                    repair = Some(error.to_string());
                    // What was said so far stands on the screen; the next try begins a line of its own.
                    self.outlet.say(Outgoing::Words("\n".to_owned()));
                }
                Err(error) => {
                    return Err(format!(
                        "the model's answer can't be read, and nothing of it was run: {error}"
                    ));
                }
            }
        }
    }

    /// One completion; its words go to the user as they come.
    async fn complete(
        &mut self,
        message: &str,
        artifact: &Artifact,
        so_far: &[Observation],
        repair: Option<&str>,
    ) -> Result<String, String> {
        let workspace = &self.mind.workspace;
        let [agent_actions, router_actions] = self.mind.cards();
        let memory = workspace.memory.read();
        if memory.holds_private() {
            let private = Taint { untrusted: false, private: true };
            self.session.entered.raise(private, "memory.json");
        }
        for notice in self.session.prompt.check(workspace.prompt.read().as_str()) {
            self.outlet.say(Outgoing::Notice(notice.to_string()));
        }
        let (soul, history) = (workspace.soul.read(), workspace.history.read());
        let parts = Parts {
            soul: soul.as_str(),
            agent_actions: &agent_actions,
            router_actions: &router_actions,
            memory: &memory,
            artifact,
            history: &history,
            message,
            so_far,
            repair,
        };
        let prompt = &self.session.prompt;
        let write = |fit: Fit| {
            let rendered = prompt.render(&parts, fit);
            workspace.write_prompt_cache(&rendered.text);
            rendered
        };
        let cards = [agent_actions.as_slice(), router_actions.as_slice()];
        let turn = TurnParts { message, cards, so_far, memory: &memory };
        let ask_turn = Ask::turn(&write, turn);
        let completion = ask(self.mind, self.outlet, &mut self.session.said, &ask_turn).await?;
        self.session.usage = Some(completion.usage);
        Ok(completion.text)
    }
}

/// Asks, and shows the words as they come.
async fn ask(
    mind: &Mind,
    outlet: &Outlet,
    said: &mut String,
    ask: &Ask<'_>,
) -> Result<Completion, String> {
    let name = mind.model.name();
    outlet.say(Outgoing::Working(format!("{name} is thinking")));
    let mut words = Words::default();
    let mut separate = !said.is_empty();
    let mut show = |piece: String| {
        if piece.is_empty() {
            return;
        }
        if std::mem::take(&mut separate) {
            said.push('\n');
        }
        said.push_str(&piece);
        outlet.say(Outgoing::Words(piece));
    };
    let mut hear = |progress: Progress<'_>| match progress {
        Progress::Piece(piece) => show(words.push(piece)),
        Progress::Waiting { waited, limit } => outlet.say(Outgoing::Waiting(format!(
            "{name} is thinking, {} s of at most {} s",
            waited.as_secs(),
            limit.as_secs()
        ))),
        Progress::Notice(notice) => outlet.say(Outgoing::Notice(notice.to_string())),
    };
    let completed = mind.model.complete(ask, &mut hear).await;
    show(words.finish());
    completed.map_err(|error| error.to_string())
}
