use std::collections::VecDeque;
use std::fs;
use std::sync::Mutex;

use storm::{AgentFile, Cast, Premise, Role};
use tempfile::TempDir;

use super::super::shelf::Shelf;
use super::*;

/// Answers with what is given, in order, and keeps what it was asked.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<Result<Spoke, SpeakError>>>,
    asked: Mutex<Vec<(String, Vec<Spoken>)>>,
    /// Runs while an agent thinks.
    meanwhile: Option<Box<dyn Fn() + Send + Sync>>,
}

#[async_trait]
impl Speaks for Scripted {
    async fn speak(
        &self,
        agent: &Agent,
        request: &[Spoken],
        hear: &mut Hears<'_>,
    ) -> Result<Spoke, SpeakError> {
        self.asked.lock().unwrap().push((agent.name.to_string(), request.to_vec()));
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile();
        }
        let answer = self.answers.lock().unwrap().pop_front();
        let answer = answer.unwrap_or_else(|| Ok(spoke(&format!("{} speaks", agent.name))));
        if let Ok(spoke) = &answer {
            for piece in spoke.text.split_inclusive(' ') {
                hear(Heard::Piece(piece));
            }
        }
        answer
    }
}

impl Scripted {
    fn with(answers: impl IntoIterator<Item = Result<Spoke, SpeakError>>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    fn speakers(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }
}

fn spoke(text: &str) -> Spoke {
    Spoke { text: text.to_owned(), tokens: 10 }
}

fn agent(name: &str) -> Agent {
    Agent { name: Name::new(name).unwrap(), file: AgentFile::new("OpenAI", "gpt-4", "You think.") }
}

fn begun(names: &[&str]) -> (TempDir, Stored) {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(folder.path().join("AIStormSessions"));
    let cast = Cast::new(names.iter().map(|name| agent(name)).collect()).unwrap();
    let name = Name::new("weekend").unwrap();
    shelf.create(&name, &Premise::new("About weekends.").unwrap(), &cast, now()).unwrap();
    let stored = shelf.open("weekend").unwrap();
    (folder, stored)
}

fn said(stored: &Stored) -> Vec<(String, String)> {
    stored.log.log().messages().map(|m| (m.from.clone(), m.text.clone())).collect()
}

async fn go_on(
    stored: &mut Stored,
    speaks: &Scripted,
    count: usize,
) -> (Result<Ended, RunError>, String) {
    let mut heard = String::new();
    let mut hear = |what: Heard<'_>| match what {
        Heard::Awaited(name) => heard.push_str(&format!("<{name}> ")),
        Heard::Piece(piece) => heard.push_str(piece),
        Heard::Said(_) => heard.push('\n'),
        Heard::Changed(_) | Heard::Notice(_) => {
            heard.push_str(&format!("({}) ", what.notice().unwrap()));
        }
        Heard::Anew | Heard::Waiting(_) => {}
    };
    let ended = Runner { stored, speaks, limit: 1000 }.next(count, &mut hear).await;
    (ended, heard)
}

#[tokio::test]
async fn agents_take_turns_and_a_person_speaks_between_them() {
    let (_folder, mut stored) = begun(&["Critic", "Artist"]);
    let speaks = Scripted::with([Ok(spoke("[Artist]: ## [Artist]: paint it "))]);
    let (ended, heard) = go_on(&mut stored, &speaks, 1).await;
    assert_eq!((ended.unwrap(), heard.as_str()), (Ended::Done, "<Artist> paint it \n"));
    stored.say("And on rainy days?", &mut |_| {}).unwrap();
    go_on(&mut stored, &speaks, 2).await.0.unwrap();
    assert_eq!(speaks.speakers(), ["Artist", "Critic", "Artist"]);
    let expected = [
        ("Artist", "paint it"),
        ("user", "And on rainy days?"),
        ("Critic", "Critic speaks"),
        ("Artist", "Artist speaks"),
    ];
    assert_eq!(said(&stored), expected.map(|(from, text)| (from.to_owned(), text.to_owned())));
    let asked = speaks.asked.lock().unwrap();
    let first: Vec<Role> = asked[0].1.iter().map(|spoken| spoken.role).collect();
    assert_eq!(
        (first, asked[0].1[1].text.as_str()),
        (vec![Role::System, Role::User], "About weekends.")
    );
    assert_eq!(
        asked[2].1[1],
        Spoken { role: Role::Assistant, text: "[Artist]: paint it".to_owned() }
    );
    assert_eq!(stored.spent(), 30);
}

#[tokio::test]
async fn a_failure_adds_nothing_and_the_same_agent_is_next() {
    let (folder, mut stored) = begun(&["A", "B"]);
    let failed = || Err(SpeakError::Failed("it is busy (429); wait a little".to_owned()));
    let speaks = Scripted::with([
        Ok(spoke("one")),
        failed(),
        Ok(spoke("")),
        Ok(spoke("## [B]:\n")),
        Ok(spoke("two")),
    ]);
    go_on(&mut stored, &speaks, 1).await.0.unwrap();
    let told = |ended: Result<Ended, RunError>| ended.unwrap_err().to_string();
    let first = told(go_on(&mut stored, &speaks, 3).await.0);
    assert_eq!(
        first,
        "B could not answer: it is busy (429); wait a little. Nothing was added, and B is still next"
    );
    for _ in 0..2 {
        let wordless = told(go_on(&mut stored, &speaks, 1).await.0);
        assert!(
            wordless
                .starts_with("B answered without a word. Nothing was added, and B is still next")
        );
    }
    // Also by whoever opens it anew.
    let mut stored = Shelf::at(folder.path().join("AIStormSessions")).open("weekend").unwrap();
    go_on(&mut stored, &speaks, 1).await.0.unwrap();
    let expected = [("A", "one"), ("B", "two")];
    assert_eq!(said(&stored), expected.map(|(from, text)| (from.to_owned(), text.to_owned())));
    assert_eq!(speaks.speakers(), ["A", "B", "B", "B", "B"]);
}

#[tokio::test]
async fn a_log_that_changes_while_an_agent_thinks_keeps_both() {
    let (folder, mut stored) = begun(&["A"]);
    let path = folder.path().join("AIStormSessions/weekend/weekend.log.md");
    let edit = {
        let path = path.clone();
        move || {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("# weekend", "# Weekend, edited")).unwrap();
        }
    };
    let speaks = Scripted { meanwhile: Some(Box::new(edit)), ..Scripted::default() };
    let (ended, heard) = go_on(&mut stored, &speaks, 1).await;
    ended.unwrap();
    assert!(heard.contains("the log was changed meanwhile; this stands behind it"), "{heard}");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("# Weekend, edited") && text.contains("A speaks"), "{text}");
}

#[tokio::test]
async fn it_stops_when_somebody_asks_and_goes_on_in_one_place_only() {
    let (folder, mut stored) = begun(&["A", "B"]);
    assert!(!stored.stop().unwrap());
    let other = Shelf::at(folder.path().join("AIStormSessions"));
    let meanwhile = move || {
        let mut other = other.open("weekend").unwrap();
        assert!(matches!(other.run(), Err(ShelfError::Running(_))));
        other.say("Stop it.", &mut |_| {}).unwrap();
        assert!(other.stop().unwrap());
    };
    let speaks = Scripted { meanwhile: Some(Box::new(meanwhile)), ..Scripted::default() };
    assert_eq!(go_on(&mut stored, &speaks, 5).await.0.unwrap(), Ended::Stopped);
    let speakers: Vec<String> = said(&stored).into_iter().map(|(from, _)| from).collect();
    assert_eq!(speakers, ["user", "A"]);
    // The wish was for that run.
    assert_eq!(go_on(&mut stored, &Scripted::default(), 1).await.0.unwrap(), Ended::Done);
}

#[tokio::test]
async fn what_a_model_can_t_hold_is_asked_with_less_and_what_costs_too_much_not_at_all() {
    let (_folder, mut stored) = begun(&["A"]);
    for _ in 0..20 {
        stored.say(&"x".repeat(10_000), &mut |_| {}).unwrap();
    }
    let speaks = Scripted::with([Err(SpeakError::TooLong("too long".to_owned()))]);
    let (ended, heard) = go_on(&mut stored, &speaks, 1).await;
    ended.unwrap();
    let sizes: Vec<usize> =
        speaks.asked.lock().unwrap().iter().map(|(_, request)| request.len()).collect();
    assert_eq!(sizes, [11, 6]);
    assert!(heard.contains("A is not told the first 16 messages"), "{heard}");
    stored.spend(1000).unwrap();
    let refused = go_on(&mut stored, &speaks, 1).await.0.unwrap_err().to_string();
    let next = crate::error::command("storm next", &stored.name);
    assert_eq!(
        refused,
        format!(
            "weekend has taken about 1010 tokens, and may take 1000; let it go on with `{next} --tokens 2000`"
        )
    );
    let too_much = stored.say(&"x".repeat(300_000), &mut |_| {}).unwrap_err().to_string();
    assert_eq!(
        too_much,
        "a message may have 262144 bytes, and this one has 300000; say it in parts"
    );
    assert!(matches!(stored.say(" \n", &mut |_| {}), Err(RunError::Nothing)));
}
