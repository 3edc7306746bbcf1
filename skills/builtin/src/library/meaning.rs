//! Search by meaning: whoever asks is answered at once, and the passages are turned into vectors beside that.
//!
//! This is a process of its own. What parses the owner's files has no network, and what has a network, here, parses no file:
//! it sees the library's own folder and the one server that the owner has named and tried. So no text of the library passes
//! the mind, the queue or the audit log on its way to a vector, and a model cannot choose where it goes. A mind that made the
//! vectors would need every passage sent to it and back, in a conversation that they would taint.
//!
//! The vectors are a cache like the index: a model that was changed, an index that was built again and a process that was
//! killed all come to passages without a vector, and those are what is worked on, in the background, while there are any.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use library::vectors::Vector;
use library::{Library, Unembedded};
use safeclaw_skill::http::Client;
use safeclaw_skill::{Call, SkillError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::embedder::{Embedder, Side, tried};
use super::now;

/// How many passages are sent at a time.
const BATCH: usize = 16;

/// How long the server has for them: a model that is not loaded yet takes its time.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long the server has for a question; then it is words alone.
const QUESTION: Duration = Duration::from_secs(4);

/// How long it is left alone after it has failed.
const REST: Duration = Duration::from_secs(30);

/// How much of a passage is sent when the whole is too much for the model, in characters.
const SHORT: usize = 600;

/// What is known of the work in the background.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    worker: Option<JoinHandle<()>>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Why the server did not answer last, and when.
    fault: Option<(String, Instant)>,
    /// How far the work came that was done to its end.
    done: Place,
}

impl Meaning {
    /// What `text` means to the embedder, if there is one, it answers, and the library's vectors are its own.
    pub(super) fn of_question(
        &mut self,
        library: &Library,
        text: &str,
        call: &Call,
    ) -> Result<Option<Vector>, SkillError> {
        let Some(embedder) = Embedder::of(call)? else { return Ok(None) };
        self.go_on(library, &embedder, call)?;
        let own = library.embedder()?.is_some_and(|(model, _)| model == embedder.model());
        if !own || self.is_resting() {
            return Ok(None);
        }
        match embedder.embed(&call.http(), &[text], Side::Question, QUESTION) {
            Ok(mut vectors) => {
                self.state().fault = None;
                Ok(vectors.pop())
            }
            Err(error) => {
                self.failed(&error);
                Ok(None)
            }
        }
    }

    /// How far it is, for people; and it goes on, if there is anything left.
    pub(super) fn told(&mut self, library: &Library, call: &Call) -> Result<Value, SkillError> {
        let (vectors, passages) = library.embedded()?;
        let mut told = json!({"passages": passages, "_brings": "none"});
        let Some(embedder) = Embedder::of(call)? else { return Ok(told) };
        let own = library.embedder()?.is_some_and(|(model, _)| model == embedder.model());
        told["model"] = json!(embedder.model());
        told["embedded"] = json!(if own { vectors } else { 0 });
        self.go_on(library, &embedder, call)?;
        let state = self.state();
        told["refused"] = json!(state.done.refused);
        if let Some((why, _)) = &state.fault {
            told["fault"] = json!(why);
        }
        Ok(told)
    }

    /// Begins to work on what has no vector, unless somebody does or the server is left alone.
    fn go_on(
        &mut self,
        library: &Library,
        embedder: &Embedder,
        call: &Call,
    ) -> Result<(), SkillError> {
        let (vectors, passages) = library.embedded()?;
        let Place { row, refused } = self.state().done;
        let own = library.embedder()?.is_some_and(|(model, _)| model == embedder.model());
        let is_done = own
            && vectors + refused >= passages
            && (refused == 0 || library.without_vector(row, 1)?.is_empty());
        let is_working = self.worker.as_ref().is_some_and(|worker| !worker.is_finished());
        if is_done || passages == 0 || is_working || self.is_resting() {
            return Ok(());
        }
        let work = Work {
            folder: call.folder("library")?.to_owned(),
            embedder: embedder.clone(),
            http: call.http(),
        };
        let state = Arc::clone(&self.state);
        let worker = thread::Builder::new().name("meaning".to_owned()).spawn(move || {
            let ended = work.all();
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            match ended {
                Ok(done) => *state = State { fault: None, done },
                Err(error) => state.fault = Some((error.to_string(), Instant::now())),
            }
        });
        self.worker = Some(worker?);
        Ok(())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: &SkillError) {
        self.state().fault = Some((error.to_string(), Instant::now()));
    }

    fn is_resting(&self) -> bool {
        self.state().fault.as_ref().is_some_and(|(_, at)| at.elapsed() < REST)
    }
}

/// Turns what has no vector into vectors, behind the place `from`, and says how far it is; for a command line, which waits for it,
/// and hands that place to the next call. Unless there is no `patience` at all, at least some passages are sent, so that the calls
/// come to an end.
pub(super) fn work_for(
    library: &mut Library,
    (patience, from): (Duration, Place),
    call: &Call,
) -> Result<Value, SkillError> {
    let Some(embedder) = Embedder::of(call)? else {
        return Err(SkillError::new(
            "no embedder is set: the router's command `library embed` sets one",
        ));
    };
    let work = Work { folder: PathBuf::new(), embedder, http: call.http() };
    let first = work.embedder.embed(
        &work.http,
        &["How long is the warranty?"],
        Side::Question,
        PATIENCE,
    )?;
    let mut told = first.first().map_or_else(|| json!({}), |vector| tried(&work.embedder, vector));
    let (until, mut at) = (Instant::now() + patience, from);
    if !patience.is_zero() {
        while work.batch(library, &mut at)? && Instant::now() < until {}
    }
    let (vectors, passages) = library.embedded()?;
    told["embedded"] = json!(vectors);
    told["passages"] = json!(passages);
    told["refused"] = json!(at.refused);
    told["left"] = json!(library.without_vector(at.row, 1)?.len());
    told["at"] = json!(at);
    told["_brings"] = json!("none");
    Ok(told)
}

/// What is to be done.
struct Work {
    folder: PathBuf,
    embedder: Embedder,
    http: Client,
}

/// How far it is.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Place {
    /// The last passage that was sent.
    row: i64,
    /// How many passages the server did not take.
    refused: usize,
}

impl Work {
    /// Works until every passage has a vector or was refused.
    fn all(&self) -> Result<Place, SkillError> {
        let mut library = Library::open(&self.folder, now())?;
        let mut at = Place::default();
        while self.batch(&mut library, &mut at)? {
            if library.is_replaced() {
                library = Library::open(&self.folder, now())?;
                at = Place::default();
            }
        }
        Ok(at)
    }

    /// The next passages; whether there were any.
    fn batch(&self, library: &mut Library, at: &mut Place) -> Result<bool, SkillError> {
        self.renew(library, *at)?;
        let passages = library.without_vector(at.row, BATCH)?;
        let Some(last) = passages.last() else { return Ok(false) };
        let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
        let vectors = match self.embedder.embed(&self.http, &texts, Side::Passage, PATIENCE) {
            Ok(vectors) => vectors.into_iter().map(Some).collect(),
            // One may be too much for the model, and the others need not suffer.
            Err(_) => self.one_by_one(&passages)?,
        };
        let sent = Place { row: last.row, ..*at };
        self.renew(library, sent)?;
        at.refused += vectors.iter().filter(|vector| vector.is_none()).count();
        let named = passages.iter().zip(vectors);
        let named: Vec<(String, Vector)> =
            named.filter_map(|(passage, vector)| Some((passage.id.clone(), vector?))).collect();
        if let Some((_, vector)) = named.first() {
            library.set_embedder(self.embedder.model(), vector.numbers.len())?;
        }
        library.put_vectors(&named)?;
        at.row = sent.row;
        Ok(true)
    }

    /// The vectors of another model go before the first passage is sent. Behind it, another one was set meanwhile, and its vectors
    /// stay.
    fn renew(&self, library: &mut Library, at: Place) -> Result<(), SkillError> {
        let own = self.embedder.model();
        match library.embedder()? {
            Some((model, _)) if model == own => Ok(()),
            Some((model, _)) if at.row > 0 => {
                Err(SkillError::new(format!("{model} was set while {own} read the passages")))
            }
            _ => Ok(library.set_embedder(own, 0)?),
        }
    }

    /// Each passage alone, and its beginning where the whole is refused; none where that is refused, too.
    fn one_by_one(&self, passages: &[Unembedded]) -> Result<Vec<Option<Vector>>, SkillError> {
        // A server that takes nothing at all refuses no passage: it is down.
        self.alone("text")?;
        let vectors = passages.iter().map(|passage| {
            let whole = passage.text.as_str();
            let end = whole.char_indices().nth(SHORT).map_or(whole.len(), |(end, _)| end);
            self.alone(whole).or_else(|_| self.alone(&whole[..end])).ok()
        });
        Ok(vectors.collect())
    }

    fn alone(&self, text: &str) -> Result<Vector, SkillError> {
        let vectors = self.embedder.embed(&self.http, &[text], Side::Passage, PATIENCE)?;
        vectors.into_iter().next().ok_or_else(|| SkillError::new("the embedder gave no vector"))
    }
}

#[cfg(test)]
mod tests {
    use library::{Document, Element, Item, Role, Section};
    use safeclaw_skill::testing::{Answer, Asked, Proxy, Trial};

    use super::*;

    /// A library with so many papers that the server refuses, and three behind them.
    fn library(folder: &std::path::Path, sour: usize) -> Library {
        let mut library = Library::open(folder, 0).unwrap();
        let texts = (0..sour).map(|at| format!("sour {at}"));
        for text in texts.chain(["a".to_owned(), "b".to_owned(), "longer".to_owned()]) {
            let sections = vec![Section::new(Vec::new(), text.as_str())];
            let item = Item {
                element: Element::Txt,
                role: Role::Admin,
                place: text.clone(),
                name: "x.txt".to_owned(),
                own: false,
                changed_at: 0,
                bytes: 0,
                document: Document { sections, notes: Vec::new() },
            };
            library.put(&item, 0).unwrap();
        }
        library
    }

    fn proxy(answer: fn(&str) -> Vec<f32>) -> Proxy {
        let vectors = move |asked: &Asked| {
            let asked = asked.json();
            let texts = asked["input"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let vectors: Vec<Vec<f32>> = texts.map(answer).collect();
            Answer::json(200, json!({"embeddings": vectors}))
        };
        Proxy::answering(vectors).unwrap()
    }

    fn trial(model: &str, proxy: &Proxy) -> Trial {
        let settings =
            [("embed_url", "http://e.example"), ("embed_model", model), ("embed_api", "")];
        settings
            .into_iter()
            .fold(Trial::default(), |trial, (name, value)| trial.setting(name, value))
            .proxy(proxy)
    }

    /// What the calls of a command line say in the end, each of which has time for some passages alone.
    fn worked(library: &mut Library, answer: fn(&str) -> Vec<f32>) -> Result<Value, SkillError> {
        let proxy = proxy(answer);
        let trial = trial("m", &proxy);
        let mut from = Place::default();
        for _ in 0..10 {
            let told = work_for(library, (Duration::from_nanos(1), from), trial.call())?;
            if told["left"] == 0 {
                return Ok(told);
            }
            from = serde_json::from_value(told["at"].clone()).unwrap();
        }
        panic!("it does not end: {from:?}");
    }

    #[test]
    fn the_work_ends_where_a_model_refuses_more_passages_than_a_call_has_time_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut library = library(folder.path(), 2 * BATCH + 1);
        let answer = |text: &str| if text.contains("sour") { vec![] } else { vec![1.0, 0.5] };
        let told = worked(&mut library, answer).unwrap();
        assert_eq!((&told["refused"], &told["embedded"]), (&json!(2 * BATCH + 1), &json!(3)));
    }

    #[test]
    fn of_two_models_at_once_the_one_that_began_last_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut library = library(folder.path(), 2 * BATCH);
        let proxy = proxy(|_| vec![1.0, 0.5]);
        let mut work = |model: &str, from: &Value| {
            let from = serde_json::from_value(from.clone()).unwrap();
            let patience = (Duration::from_nanos(1), from);
            work_for(&mut library, patience, trial(model, &proxy).call())
        };
        let begin = json!(Place::default());
        let first = work("first", &begin).unwrap();
        let last = work("last", &begin).unwrap();
        let error = work("first", &first["at"]).unwrap_err().to_string();
        assert_eq!(error, "last was set while first read the passages");
        let told = work("last", &last["at"]).unwrap();
        assert_eq!(told["embedded"], json!(2 * BATCH));
    }

    #[test]
    fn vectors_that_do_not_fit_each_other_end_the_work_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let mut library = library(folder.path(), 0);
        let answer = |text: &str| vec![1.0; if text.contains("longer") { 3 } else { 2 }];
        let error = worked(&mut library, answer).unwrap_err().to_string();
        assert_eq!(error, "a vector has 3 numbers, 2 were expected");
    }
}
