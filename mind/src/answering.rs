//! People's answers to questions. They wait for no turn: what a person allows or refuses counts at once.

use conversation::message::Outgoing;
use conversation::question::{Choice, Decision, Question};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use protocol::{Code, Pin, SessionKey, Stopped};
use session::{Caller, Outbox, Session};

use crate::Mind;

/// A guest who answers a question hears this.
pub(crate) const GUESTS_ANSWER: &str = "only the owner answers questions, and has been asked";

/// Passes a person's decision in this session on to the router.
pub async fn answer(session: &mut Session, mind: &Mind, given: Decision, outbox: &Outbox) {
    let caller = Caller::of(session);
    Answered::of(mind, caller, given, outbox).await.note(session);
}

/// The same for one that was typed: its id may be the beginning of one, or empty for the only question that is open.
pub(crate) async fn answer_typed(
    session: &mut Session,
    mind: &Mind,
    given: Decision,
    outbox: &Outbox,
) {
    let (caller, known) = (Caller::of(session), session.questions.clone());
    Answered::typed(mind, caller, given, &known, outbox).await.note(session);
}

/// The questions that wait for a person: by the router's word, which also knows those from before a restart, or of an old
/// router those that this session has seen.
///
/// # Errors
/// Why the router did not say.
pub async fn open_questions(session: &Session, mind: &Mind) -> Result<Vec<Question>, Stopped> {
    open(mind, &Caller::of(session), &session.questions).await
}

/// The questions that wait for a person by the router's word; an old router gives none, so that `known` are taken for them.
async fn open(mind: &Mind, caller: &Caller, known: &[Question]) -> Result<Vec<Question>, Stopped> {
    Ok(mind.actions.owner.open(caller).await?.unwrap_or_else(|| known.to_vec()))
}

/// The questions from before that wait for `caller`, as far as the router says.
pub async fn left_open(mind: &Mind, caller: &Caller) -> Vec<Question> {
    open(mind, caller, &[]).await.unwrap_or_default()
}

/// What has become of an answer.
#[derive(Debug)]
pub struct Answered {
    given: Decision,
    /// The session in which the question was asked, as far as the router says.
    ended: Result<Option<SessionKey>, Stopped>,
}

impl Answered {
    /// Passes `given`, which has the whole id of its question, on to the router, and says what has become of it.
    pub async fn of(mind: &Mind, caller: Caller, given: Decision, outbox: &Outbox) -> Self {
        let ended = if caller.session.is_owner() {
            mind.actions.owner.decide(&caller, &given).await
        } else {
            Err(Stopped::new(Code::Owner, GUESTS_ANSWER))
        };
        let open = match &ended {
            // A wrong PIN or code ends nothing: its question is put again.
            Err(stopped) if stopped.code == Code::BadParams => {
                open(mind, &caller, &[]).await.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        match &ended {
            Ok(_) => {
                let (id, how) = (given.id.clone(), given.settled(&caller.principal));
                outbox.say(Outgoing::Settled { id, how });
            }
            Err(stopped) => {
                outbox.say(Outgoing::Notice(match given.choice {
                    Choice::Pin(_) => stopped.message.clone(),
                    _ => format!("the answer did not count: {}", stopped.message),
                }));
                outbox.say(Outgoing::Failed);
            }
        }
        let again = open.into_iter().filter(|question| question.id == given.id);
        again.for_each(|question| outbox.say(Outgoing::Question(question)));
        Self { given, ended }
    }

    /// Passes on what was typed. `known` are the questions that its session has seen.
    pub async fn typed(
        mind: &Mind,
        caller: Caller,
        given: Decision,
        known: &[Question],
        outbox: &Outbox,
    ) -> Self {
        let found = if caller.session.is_owner() {
            open(mind, &caller, known).await.map_err(|stopped| stopped.message)
        } else {
            Err(GUESTS_ANSWER.to_owned())
        };
        match found.and_then(|open| meant(given.clone(), &open)) {
            Ok(given) => Self::of(mind, caller, given, outbox).await,
            Err(why) => {
                outbox.say(Outgoing::Notice(why.clone()));
                outbox.say(Outgoing::Failed);
                Self { given, ended: Err(Stopped::new(Code::BadParams, why)) }
            }
        }
    }

    /// Takes it into the session whose people have given it.
    pub fn note(self, session: &mut Session) {
        if let Ok(asked_in) = self.ended {
            if let Choice::Pin(_) = self.given.choice {
                session.was_asked_for_pin = false;
            }
            session.questions.retain(|question| question.id != self.given.id);
            // What becomes of a guest's question is told to the guest.
            session.awaited += usize::from(asked_in.is_none_or(|key| key == session.key));
        }
    }
}

/// The answers that are on their way while a turn runs.
#[derive(Default)]
pub struct Answering<'a> {
    running: FuturesUnordered<BoxFuture<'a, Answered>>,
    done: Vec<Answered>,
}

impl<'a> Answering<'a> {
    /// Begins to pass an answer on.
    pub fn begin(&mut self, answered: impl Future<Output = Answered> + Send + 'a) {
        self.running.push(Box::pin(answered));
    }

    /// Goes on with them; never ends.
    pub async fn go_on(&mut self) {
        while let Some(answered) = self.running.next().await {
            self.done.push(answered);
        }
        std::future::pending().await
    }

    /// Waits for what is left, and gives all.
    pub async fn finish(mut self) -> Vec<Answered> {
        while let Some(answered) = self.running.next().await {
            self.done.push(answered);
        }
        self.done
    }
}

/// `given` with the whole id of its question, as far as the question takes such an answer.
fn meant(given: Decision, open: &[Question]) -> Result<Decision, String> {
    let (question, code) = pick(&given, open)?;
    let code = given.code.or(code);
    let short = question.short();
    if question.wants_pin && given.choice != Choice::No {
        return match Pin::typed(code.as_deref().unwrap_or_default()) {
            Some(pin) => Ok(question.answered_with(pin)),
            None => Err("this one wants your PIN: type it alone, as a message".to_owned()),
        };
    }
    match given.choice {
        Choice::Always(_) if question.grant.is_none() => {
            Err("always is not offered for this question; answer yes or no".to_owned())
        }
        Choice::Yes | Choice::Always(_) if question.wants_code && code.is_none() => {
            Err(format!("this one wants the code that stands in it: /approve {short} CODE"))
        }
        _ => Ok(Decision { id: question.id.clone(), code, ..given }),
    }
}

/// The question that is meant. Of the only one that is open the id may be left out; its code may then stand alone.
fn pick<'a>(
    given: &Decision,
    open: &'a [Question],
) -> Result<(&'a Question, Option<String>), String> {
    let id = given.id.as_str();
    let begins = |question: &&Question| question.id.starts_with(id);
    match (&open.iter().filter(begins).collect::<Vec<_>>()[..], open) {
        ([question], _) => Ok((question, None)),
        (_, []) => Err("no question is open".to_owned()),
        ([], [only]) if only.wants_code && given.code.is_none() && given.choice != Choice::No => {
            Ok((only, Some(id.to_ascii_uppercase())))
        }
        // What may be a PIN is shown to nobody.
        ([], _) if Pin::typed(id).is_some() => {
            match &open.iter().filter(|it| it.wants_pin).collect::<Vec<_>>()[..] {
                [only] => Ok((only, Some(id.to_owned()))),
                _ => Err(format!("no open question begins with what you typed: {}", ids(open))),
            }
        }
        ([], _) => Err(format!("no open question begins with {id:?}: {}", ids(open))),
        _ if id.is_empty() => Err(format!("say which, with its ID: {}", ids(open))),
        (several, _) => {
            Err(format!("{} open questions begin with {id:?}; say more", several.len()))
        }
    }
}

/// The questions by what people type.
fn ids(open: &[Question]) -> String {
    open.iter().map(Question::short).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(id: &str, choice: Choice, code: Option<&str>) -> Decision {
        Decision { id: id.to_owned(), choice, code: code.map(str::to_owned) }
    }

    #[test]
    fn an_answer_is_meant_for_one_question_and_fits_it() {
        let open: Vec<Question> = [
            json!({"id": "aa11", "question": "A"}),
            json!({"id": "aa22", "question": "B", "code": true}),
            json!({"id": "bb33", "question": "C", "grant": "C to X"}),
        ]
        .iter()
        .filter_map(Question::read)
        .collect();
        let id = |id: &str, choice, code| meant(given(id, choice, code), &open).map(|it| it.id);
        assert_eq!(id("b", Choice::Yes, None), Ok("bb33".to_owned()));
        assert_eq!(id("bb33", Choice::ALWAYS, None), Ok("bb33".to_owned()));
        assert_eq!(id("aa2", Choice::Yes, Some("K7QX")), Ok("aa22".to_owned()));
        assert_eq!(id("aa2", Choice::No, None), Ok("aa22".to_owned()));
        let wrong = [("a", Choice::Yes), ("zz", Choice::Yes), ("", Choice::Yes)];
        for (wrong, choice) in
            wrong.into_iter().chain([("aa1", Choice::ALWAYS), ("aa2", Choice::Yes)])
        {
            assert!(id(wrong, choice, None).is_err(), "{wrong}");
        }
        let pin = json!({"id": "cc44", "question": "D", "pin": true});
        let with_pin: Vec<Question> = open.iter().cloned().chain(Question::read(&pin)).collect();
        let typed = meant(given("493817", Choice::Yes, None), &with_pin).unwrap();
        assert!(typed.id == "cc44" && matches!(typed.choice, Choice::Pin(_)));
        let why = meant(given("493817", Choice::Yes, None), &open).unwrap_err();
        assert!(!why.contains("493817"), "{why}");
        let only = |id, choice| meant(given(id, choice, None), &open[1..2]).map(|it| it.code);
        assert_eq!(only("k7qx", Choice::Yes), Ok(Some("K7QX".to_owned())));
        assert_eq!(only("", Choice::No), Ok(None));
        assert!(only("k7qx", Choice::No).is_err() && only("", Choice::Yes).is_err());
    }
}
