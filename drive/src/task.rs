//! A task: what is to be done, what replies have brought, and the messages that a model is shown of it.
//!
//! A request is the guide, the task, the latest exchanges and, at the very end, the screen. What came before is never
//! changed, only cut at its front, and then by a good piece at once: a server that keeps the beginning of a prompt has to read
//! little anew in each step.

use document::Json;
use serde::{Deserialize, Serialize};

/// How much stays when the exchanges are cut, in percent of the room.
const STAYS: usize = 60;

/// Who has written a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The person, or what commands have brought.
    User,
    /// The model.
    Assistant,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLine {
    /// Who has written it.
    pub role: Side,
    /// What stands in it.
    pub text: String,
}

/// What is being done at a workbench, and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    /// Whether messages are for the workbench.
    pub is_open: bool,
    /// What the model is told of the folder.
    project: String,
    /// What was said and done, oldest first.
    events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    /// A person says what is to be done.
    Said(String),
    /// The model replies.
    Replied(String),
    /// What commands have brought.
    Brought(String),
    /// The oldest stood here.
    LeftOut,
}

impl Event {
    fn text(&self) -> &str {
        match self {
            Self::Said(text) | Self::Replied(text) | Self::Brought(text) => text,
            Self::LeftOut => "[earlier steps are left out here]",
        }
    }

    fn role(&self) -> Side {
        match self {
            Self::Replied(_) => Side::Assistant,
            Self::Said(_) | Self::Brought(_) | Self::LeftOut => Side::User,
        }
    }
}

impl Task {
    /// A workbench at which nothing was said yet.
    #[must_use]
    pub fn opened() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    /// Whether nobody has looked what lies in the folder.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.project.is_empty()
    }

    /// Takes in what lies in the folder.
    pub fn begin(&mut self, project: &str) {
        project.clone_into(&mut self.project);
    }

    /// A person says what is to be done.
    pub fn says(&mut self, what: &str) {
        self.events.push(Event::Said(what.to_owned()));
    }

    /// The model has replied.
    pub fn replied(&mut self, reply: &str) {
        self.events.push(Event::Replied(reply.to_owned()));
    }

    /// Commands have brought something.
    pub fn brought(&mut self, result: &str) {
        self.events.push(Event::Brought(result.to_owned()));
    }

    /// The texts that others may have written: what lies in the folder, and what commands have brought.
    pub fn was_shown(&self) -> impl Iterator<Item = &str> {
        let brought = self.events.iter().filter(|event| matches!(event, Event::Brought(_)));
        std::iter::once(self.project.as_str()).chain(brought.map(Event::text))
    }

    /// Leaves the oldest out when more than `room` bytes would be shown. What a person has said stays, and "go on" takes none of
    /// it away; only what has no room even so goes, the oldest first, and never what was said last.
    pub fn fit(&mut self, room: usize) {
        let is_said = |event: &Event| matches!(event, Event::Said(_));
        let mut size = self.events.iter().map(|event| event.text().len()).sum::<usize>();
        if size <= room {
            return;
        }
        let (mut at, last) = (0, self.events.len().saturating_sub(1));
        while at < last && size > room / 100 * STAYS {
            if !is_said(&self.events[at]) {
                size -= self.events[at].text().len();
            }
            at += 1;
        }
        let rest = self.events.split_off(at);
        let said: Vec<Event> = self.events.drain(..).filter(is_said).collect();
        let may_go = said.len().saturating_sub(usize::from(!rest.iter().any(is_said)));
        let mut gone = 0;
        while gone < may_go && size > room {
            size -= said[gone].text().len();
            gone += 1;
        }
        self.events = said.into_iter().skip(gone).chain([Event::LeftOut]).chain(rest).collect();
    }

    /// The messages behind the guide, oldest first. The last one is the user's, and ends with the screen.
    #[must_use]
    pub fn messages(&self, screen: &str) -> Vec<TaskLine> {
        let mut lines: Vec<TaskLine> = Vec::new();
        let mut add = |role, text: &str| match lines.last_mut().filter(|last| last.role == role) {
            Some(last) => {
                last.text.push_str("\n\n");
                last.text.push_str(text);
            }
            None => lines.push(TaskLine { role, text: text.to_owned() }),
        };
        if !self.project.is_empty() {
            add(Side::User, &self.project);
        }
        for event in &self.events {
            add(event.role(), event.text());
        }
        if !screen.is_empty() {
            add(Side::User, screen);
        }
        lines
    }
}

impl Json for Task {
    const LIMIT: u64 = 64 * 1024 * 1024;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worked(steps: usize) -> Task {
        let mut task = Task::opened();
        task.begin("The folder holds:\na.txt");
        task.says("make it work");
        for n in 0..steps {
            task.replied(&format!("step {n}\n```bash\nls\n```"));
            task.brought(&format!("[bash] exit code 0\na.txt {n}"));
        }
        task
    }

    fn shown(lines: &[TaskLine]) -> String {
        lines.iter().map(|line| format!("{:?}: {}\n", line.role, line.text)).collect()
    }

    #[test]
    fn the_screen_stands_behind_everything_that_stays() {
        insta::assert_snapshot!(shown(&worked(1).messages("=== Current Screen State ===")), @r"
        User: The folder holds:
        a.txt

        make it work
        Assistant: step 0
        ```bash
        ls
        ```
        User: [bash] exit code 0
        a.txt 0

        === Current Screen State ===
        ");
    }

    #[test]
    fn a_step_changes_nothing_of_what_was_shown_before_it() {
        let text = |steps| shown(&worked(steps).messages(""));
        for steps in 1..6 {
            assert!(text(steps + 1).starts_with(text(steps).trim_end()), "{steps}");
        }
    }

    #[test]
    fn the_oldest_goes_first_and_what_a_person_said_stays() {
        let mut task = worked(50);
        task.fit(600);
        let lines = task.messages("the screen");
        let text = shown(&lines);
        assert!(text.len() < 800, "{}", text.len());
        assert!(text.contains("make it work") && text.contains("left out"), "{text}");
        assert!(text.contains("step 49") && !text.contains("step 9\n"), "{text}");
        assert!(lines.windows(2).all(|pair| pair[0].role != pair[1].role), "{text}");
        let before = task.clone();
        task.fit(600);
        assert_eq!(task, before, "what fits stays as it is");
    }

    #[test]
    fn what_is_to_be_done_stays_when_a_person_has_it_go_on() {
        let mut task = worked(50);
        for _ in 0..3 {
            task.says("go on");
            for n in 0..50 {
                task.replied(&format!("```bash\nmake {n}\n```"));
                task.brought("[bash] exit code 0");
                task.fit(600);
            }
        }
        let text = shown(&task.messages(""));
        assert!(text.contains("make it work\n\ngo on\n\ngo on\n\ngo on\n\n[earlier"), "{text}");
        assert!(text.contains("make 49") && text.len() < 800, "{text}");
    }

    #[test]
    fn of_words_that_have_no_room_the_latest_stay() {
        let mut task = Task::opened();
        for word in ["first", "second", "third"] {
            task.says(&word.repeat(50));
            task.replied("I see.");
        }
        task.fit(600);
        let text = shown(&task.messages(""));
        assert!(text.contains("second") && text.contains("third"), "{text}");
        assert!(!text.contains("first") && text.contains("left out"), "{text}");
        task.says(&"fourth".repeat(200));
        task.fit(600);
        assert!(shown(&task.messages("")).contains("fourth"));
    }
}
