//! Asking a server, breaking off, and asking again: who is asked, what is kept, and what is not asked twice.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::fs;
use std::path::PathBuf;

use eval::ask::{Server, Wish};
use eval::cards::Homes;
use eval::record::Record;
use eval::run::Run;
use eval::utterance::{Asked, Utterance, all};
use home::Home;
use settings::ProviderName;
use testkit::{OllamaServer, Says, TempHome};

/// A home whose agent asks a server, and where the answers go.
struct Place {
    home: TempHome,
    homes: Homes,
}

impl Place {
    /// One where the agent asks Ollama at this address.
    fn new(host: &str) -> Self {
        let place = Self { home: TempHome::new(), homes: Homes::read().unwrap() };
        place.set(host);
        place
    }

    fn set(&self, host: &str) {
        let config = format!(r#"{{"llm": {{"model": "qwen3:4b", "base_url": "http://{host}"}}}}"#);
        self.home.put("agent/config.json", config);
    }

    fn folder(&self) -> PathBuf {
        self.home.root().join("answers")
    }

    fn file(&self) -> PathBuf {
        self.folder().join("qwen3_4b/json.jsonl")
    }

    async fn server(&self, wish: Wish) -> anyhow::Result<Server> {
        Server::find(&wish, &Home::at(self.home.root()).unwrap(), &self.folder()).await
    }

    /// Asks all of `utterances` whom the agent asks.
    async fn run(&self, utterances: &[Utterance], fresh: bool) -> anyhow::Result<Vec<Record>> {
        let server = self.server(Wish::default()).await.unwrap();
        let run = Run { server: &server, homes: &self.homes, asked: Asked::Json, fresh };
        run.over(utterances, &self.folder()).await
    }
}

/// So many utterances that want no action.
fn some(count: usize) -> Vec<Utterance> {
    let plain =
        all().unwrap().into_iter().filter(|one| one.expect.is_empty() && one.seen.is_empty());
    plain.take(count).collect()
}

fn says(count: usize) -> impl Iterator<Item = Says> {
    (0..count).map(|_| Says::text(r#"{"actions": [], "message": "Süß."}"#))
}

#[tokio::test]
async fn what_broke_off_goes_on_where_it_was() {
    let first = OllamaServer::start(says(2).chain([Says::unknown("qwen3:4b")]));
    let (place, utterances) = (Place::new(&first.host()), some(4));
    let error = place.run(&utterances, false).await.unwrap_err().to_string();
    assert!(error.contains("does not have the model"), "{error}");
    // Within the `ü` of its second line.
    let bytes = fs::read(place.file()).unwrap();
    let half = bytes.iter().rposition(|byte| *byte == 0xc3).unwrap() + 1;
    fs::write(place.file(), &bytes[..half]).unwrap();
    let address = first.stop();
    let second = OllamaServer::start_at(&address, says(4));
    let records = place.run(&utterances, false).await.unwrap();
    assert!(records.iter().all(|record| record.right), "{records:?}");
    assert_eq!((records.len(), second.prompts().len()), (4, 3));
    // Nothing is asked any more, for the line behind the broken one is whole.
    assert_eq!(place.run(&utterances, false).await.unwrap(), records);
    assert_eq!(second.prompts().len(), 3);
}

#[tokio::test]
async fn what_would_be_asked_otherwise_is_asked_again() {
    let server = OllamaServer::start(says(9));
    let (mut place, utterances) = (Place::new(&server.host()), some(2));
    place.run(&utterances, false).await.unwrap();
    assert_eq!(server.prompts().len(), 2);
    // Another prompt.
    place.homes.first_mut().local[0].instruction.push_str(" Be quick.");
    place.run(&utterances, false).await.unwrap();
    assert_eq!(server.prompts().len(), 4);
    // An action with other parameters.
    let card = &mut place.homes.first_mut().local[0];
    let param = card.params.keys().next().unwrap().clone();
    card.params.remove(&param);
    card.examples.clear();
    place.run(&utterances, false).await.unwrap();
    assert_eq!(server.prompts().len(), 6);
    // Another address.
    let other = OllamaServer::start(says(2));
    place.set(&other.host());
    place.run(&utterances, false).await.unwrap();
    assert_eq!((server.prompts().len(), other.prompts().len()), (6, 2));
}

#[tokio::test]
async fn fresh_asks_again_what_is_chosen_and_keeps_the_others() {
    let server = OllamaServer::start(says(9));
    let (place, utterances) = (Place::new(&server.host()), some(3));
    place.run(&utterances, false).await.unwrap();
    place.run(&utterances[..1], true).await.unwrap();
    assert_eq!(server.prompts().len(), 4);
    place.run(&utterances, false).await.unwrap();
    assert_eq!(server.prompts().len(), 4);
    // A line of before digests were kept is no answer to this.
    let text = fs::read_to_string(place.file()).unwrap();
    let first = text.lines().next().unwrap();
    let old = text.replacen(first, &first.replace("\"digest\"", "\"was\""), 1);
    fs::write(place.file(), old).unwrap();
    place.run(&utterances, false).await.unwrap();
    assert_eq!(server.prompts().len(), 5);
}

#[tokio::test]
async fn the_agents_own_model_is_asked_and_a_server_that_is_busy_again() {
    let server = OllamaServer::start([Says::busy(0)].into_iter().chain(says(1)));
    let place = Place::new(&server.host());
    let records = place.run(&some(1), false).await.unwrap();
    assert_eq!((records[0].right, server.prompts().len()), (true, 2));
    let found = place.server(Wish::default()).await.unwrap();
    let url = format!("http://{}", server.host());
    assert_eq!(found.options(), format!(" --provider ollama --url {url} --model qwen3:4b"));
    // Of another address the server names the model, so nobody has to.
    let provider = Some(ProviderName::Ollama);
    let wish = Wish { provider, url: Some(url.clone()), model: None };
    let found = place.server(wish).await.unwrap();
    assert_eq!(
        (found.model(), found.options()),
        ("llama3.1:8B", format!(" --provider ollama --url {url}"))
    );
    place.home.put("agent/config.json", r#"{"llm": {"provider": "offline"}}"#);
    let error = place.server(Wish::default()).await.unwrap_err().to_string();
    assert!(error.contains("no language model is set"), "{error}");
}
