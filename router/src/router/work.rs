//! A person opens a folder for the workbench of a conversation, closes it, or has it put back.

use protocol::{Code, Command, Object, Stopped};
use serde_json::{Value, json};

use super::{Router, Serving};
use crate::audit::Deed;
use crate::catalog::Place;
use crate::policy::Via;
use crate::policy::approval::Answer;
use crate::session_key::{is_guests, key_of};
use crate::workbench::Lasts;

impl Serving {
    /// Opens the folder that `{"folder": PATH}` names, and with `"once": true` for as long as this router lives; closes what is
    /// open with `{"close": true}`; puts it back as it was before the latest task with `{"undo": true}`; and tells what is open.
    pub(super) async fn work(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, workbench, .. } = &self.parts;
        let policy = judge.policy.current();
        let key = key_of(command);
        Answer::giver(command, policy.approval(), false)?;
        if is_guests(key) {
            return Err(Stopped::new(
                Code::Owner,
                "only the owner's own conversation has a folder",
            ));
        }
        let named = command.params.get("folder").and_then(Value::as_str);
        if let Some(named) = named {
            if policy.approval().via == Via::Router {
                let why = "the policy takes a yes from the router's own side only: name the folder in router/config.json \
                    (skills.WORKBENCH.folders.workspace)";
                return Err(Stopped::new(Code::Owner, why));
            }
            self.open(command, named).await?;
        } else if command.params.contains_key("close") {
            self.close(command).await?;
        } else if command.params.contains_key("undo") {
            return self.undo(command).await;
        }
        let folder = workbench.opened(key).await?;
        let named = self.named_folder();
        let any = named.is_some() || workbench.has_any().await?;
        let text = match (&folder, &named) {
            (Some(folder), _) => format!(
                "Open: {}. The agent may read and change all that is in it; /undo takes its latest task back, /work off closes it.",
                folder.display()
            ),
            (None, Some(named)) => format!("Open by router/config.json: {}.", named.display()),
            (None, None) => "No folder is open; /work DIR opens one.".to_owned(),
        };
        let folder = folder.map_or(Value::Null, |folder| json!(folder.to_string_lossy()));
        Ok(Object::from_iter([
            ("told".to_owned(), json!(text)),
            ("folder".to_owned(), folder),
            ("any".to_owned(), json!(any)),
        ]))
    }

    async fn open(&self, command: &Command, named: &str) -> Result<(), Stopped> {
        let Router { catalog, audit, sandbox, publisher, workbench, .. } = &self.parts;
        // A person has typed this very folder; a job of the clock has been typed by nobody.
        let said = command.envelope.said.as_deref().unwrap_or_default().trim_start();
        let is_typed = said.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("/work"));
        if !is_typed || !said.contains(named) {
            let why = "only a person opens a folder, by typing /work and its path; type a long task as a message of its own";
            return Err(Stopped::new(Code::Owner, why));
        }
        let name = protocol::ActionName::new("WORKBENCH");
        let skill = catalog
            .find(&name.map_err(|error| Stopped::new(Code::Internal, error.to_string()))?)?;
        if !skill.is_workbench() {
            let why = "WORKBENCH is not the skill that came with SafeClaw: put its folder in router/skills back as it was";
            return Err(Stopped::new(Code::Disabled, why));
        }
        let (folder, key) = (workbench.find(named).await?, key_of(command));
        let by = command.envelope.principal.as_ref();
        let deed = Deed::OpenFolder { folder: &folder, session: key };
        audit.deed(&deed, by, publisher.now()).await?;
        let lasts = match command.params.get("once") {
            Some(Value::Bool(true)) => Lasts::WithRouter,
            _ => Lasts::UntilClosed,
        };
        workbench.open(key, &folder, lasts).await?;
        sandbox.end_session(key).await;
        Ok(())
    }

    async fn close(&self, command: &Command) -> Result<(), Stopped> {
        let Router { audit, sandbox, publisher, workbench, .. } = &self.parts;
        let key = key_of(command);
        if let Some(folder) = workbench.opened(key).await? {
            let deed = Deed::CloseFolder { folder: &folder, session: key };
            audit.deed(&deed, command.envelope.principal.as_ref(), publisher.now()).await?;
            workbench.close(key).await?;
            sandbox.end_session(key).await;
        }
        Ok(())
    }

    /// The folder that router/config.json names.
    fn named_folder(&self) -> Option<std::path::PathBuf> {
        let name = protocol::ActionName::new("WORKBENCH").ok()?;
        let skill = self.parts.catalog.find(&name).ok()?;
        skill.folders.iter().find_map(|folder| match &folder.place {
            Place::Owners(path) => Some(path.clone()),
            _ => None,
        })
    }

    /// Puts the folder of this session's latest task back.
    async fn undo(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, audit, sandbox, publisher, workbench, .. } = &self.parts;
        let by = Answer::giver(command, judge.policy.current().approval(), false)?;
        let key = key_of(command);
        if is_guests(key) || command.envelope.said.is_none() {
            return Err(Stopped::new(Code::Owner, "only the owner undoes a task, by typing /undo"));
        }
        let folder = workbench.undoable(key).await?;
        let deed = Deed::Undo { folder: &folder, session: key };
        audit.deed(&deed, Some(&by), publisher.now()).await?;
        // What still runs there would write on.
        sandbox.end_session(key).await;
        let text = workbench.undo(key).await?;
        Ok(Object::from_iter([("told".to_owned(), json!(text))]))
    }
}
