//! The channel for programs, over real connections; the agent's end of its line is held here.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod kept_out;

use std::collections::BTreeSet;
use std::time::Duration;

use channel::http::Http;
use channel::{ActionLine, Addressed, ChannelError, Incoming, Line, MAX_MESSAGE, Outgoing, Said};
use conversation::question::{Choice, Decision, Question};
use protocol::{ActionName, SessionKey, Status};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use settings::Bridge;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const TOKEN: &str = "5cd7b3b0a1f24f6ca2a4d7a35cbf4f10";

/// Nothing here takes long; what hangs is an error.
const LONG: Duration = Duration::from_secs(60);

struct Agent {
    url: String,
    incoming: mpsc::Receiver<Incoming>,
    outgoing: Option<mpsc::UnboundedSender<Addressed>>,
    channel: JoinHandle<Result<(), ChannelError>>,
}

impl Agent {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = listener.local_addr().unwrap();
        let (sender, incoming) = mpsc::channel(8);
        let (said, outgoing) = mpsc::unbounded_channel();
        let line = Line { incoming: sender, outgoing };
        let bridges = ["matrix", "irc"].map(|name| Bridge::try_from(name.to_owned()).unwrap());
        let (sites, bridges) = (Vec::new(), bridges.into());
        let http = Http { listen, token: Some(TOKEN.into()), sites, bridges, page: None };
        let channel = tokio::spawn(http.serve(listener, line));
        Self { url: format!("http://{listen}"), incoming, outgoing: Some(said), channel }
    }

    fn post(&self, path: &str, body: &Value) -> JoinHandle<Response> {
        sent(self.request(path).json(body))
    }

    fn request(&self, path: &str) -> RequestBuilder {
        Client::new().post(format!("{}{path}", self.url)).bearer_auth(TOKEN)
    }

    async fn get(&self, path: &str) -> Response {
        let request = Client::new().get(format!("{}{path}", self.url)).bearer_auth(TOKEN);
        request.send().await.unwrap()
    }

    async fn heard(&mut self) -> Incoming {
        tokio::time::timeout(LONG, self.incoming.recv()).await.unwrap().unwrap()
    }

    fn say(&self, session: &str, outgoing: Outgoing) {
        let session = SessionKey::new(session).unwrap();
        self.outgoing.as_ref().unwrap().send(Addressed { session, outgoing }).unwrap();
    }

    fn begin(&self, incoming: &Incoming) {
        let Incoming { ticket, session, from, said, .. } = incoming.clone();
        let Said::Message(text) = said else { panic!("{said:?}") };
        self.say(session.as_str(), Outgoing::Begin { ticket, from, text });
    }
}

fn sent(request: RequestBuilder) -> JoinHandle<Response> {
    tokio::spawn(async move { request.timeout(LONG).send().await.unwrap() })
}

async fn refused(request: RequestBuilder) -> (u16, String) {
    let response = request.timeout(LONG).send().await.unwrap();
    let status = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    assert!(!body["error"]["message"].as_str().unwrap().is_empty());
    (status, body["error"]["code"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_message_is_answered_whole_without_what_belongs_to_others() {
    let mut agent = Agent::start().await;
    let answer = agent.post("/v1/messages", &json!({"text": "hi"}));
    let incoming = agent.heard().await;
    assert_eq!(incoming.session.as_str(), "owner");
    assert_eq!(incoming.from.as_str(), "http:owner");
    assert_eq!(incoming.said, Said::Message("hi".to_owned()));
    agent.say("owner", Outgoing::Words("of an earlier turn".to_owned()));
    agent.say("owner", Outgoing::Queued { ticket: incoming.ticket, ahead: 1 });
    agent.say("owner", Outgoing::End);
    agent.begin(&incoming);
    agent.say("http-other", Outgoing::Words("of another session".to_owned()));
    agent.say("owner", Outgoing::Words("Hel".to_owned()));
    agent.say("owner", Outgoing::Words("lo.".to_owned()));
    agent.say(
        "owner",
        Outgoing::Action(ActionLine {
            action: ActionName::new("WEATHER").unwrap(),
            status: Status::Ok,
            line: "WEATHER: ok".to_owned(),
            told: "WEATHER: ok".to_owned(),
        }),
    );
    agent.say("owner", Outgoing::Notice("the disk is full".to_owned()));
    let question = json!({"id": "q1", "question": "POST {}", "code": true});
    agent.say("owner", Outgoing::Question(Question::read(&question).unwrap()));
    agent.say("owner", Outgoing::Picture("/w/output/a.png".into()));
    agent.say("owner", Outgoing::End);
    let body: Value = answer.await.unwrap().json().await.unwrap();
    assert_eq!(
        body,
        json!({
            "session": "owner", "text": "Hello.", "actions": ["WEATHER: ok"],
            "notices": ["the disk is full"], "pictures": ["/w/output/a.png"],
            "questions": [{
                "id": "q1", "question": "POST {}", "digest": null, "seconds": null, "wants_code": true, "wants_pin": false, "grant": null,
                "beside": null, "brief": null,
            }],
        })
    );
}

/// Says an answer of so many pieces to each of `asked` at once, piece by piece in turn, and gives what it was.
fn answer_all(agent: &Agent, asked: &[Incoming], pieces: usize) -> String {
    asked.iter().for_each(|incoming| agent.begin(incoming));
    let piece = |number: usize| format!("{number} ");
    for number in 0..pieces {
        for incoming in asked {
            agent.say(incoming.session.as_str(), Outgoing::Words(piece(number)));
        }
    }
    asked.iter().for_each(|incoming| agent.say(incoming.session.as_str(), Outgoing::End));
    (0..pieces).map(piece).collect()
}

#[tokio::test]
async fn many_sessions_at_once_have_whole_answers() {
    let mut agent = Agent::start().await;
    let ask = |number: usize| json!({"text": "hi", "session": format!("s{number}")});
    let answers: Vec<_> = (0..300).map(|number| agent.post("/v1/messages", &ask(number))).collect();
    let mut asked = Vec::new();
    while asked.len() < answers.len() {
        asked.push(agent.heard().await);
    }
    let said = answer_all(&agent, &asked, 30);
    for answer in answers {
        let body: Value = answer.await.unwrap().json().await.unwrap();
        assert_eq!(body["text"], said, "{body}");
    }
}

#[tokio::test]
async fn an_answer_of_many_pieces_is_whole() {
    let mut agent = Agent::start().await;
    for stream in [false, true] {
        let answer = agent.post("/v1/messages", &json!({"text": "hi", "stream": stream}));
        let asked = agent.heard().await;
        let said = answer_all(&agent, &[asked], 20_000);
        let text = answer.await.unwrap().text().await.unwrap();
        let words = |event: &str| -> Option<String> {
            let told: Value = serde_json::from_str(event.split_once("data: ")?.1).ok()?;
            Some(told["text"].as_str()?.to_owned()).filter(|_| told["type"] == "words")
        };
        let heard = match serde_json::from_str::<Value>(&text) {
            Ok(body) => body["text"].as_str().unwrap().to_owned(),
            Err(_) => text.split("\n\n").filter_map(words).collect(),
        };
        assert_eq!(heard.len(), said.len());
        assert_eq!(heard, said);
    }
}

#[tokio::test]
async fn an_answer_comes_as_it_is_said() {
    let mut agent = Agent::start().await;
    let answer =
        agent.post("/v1/messages", &json!({"text": "hi", "stream": true, "session": "ci"}));
    let incoming = agent.heard().await;
    assert_eq!(incoming.session.as_str(), "http-ci");
    let mut response = answer.await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    agent.begin(&incoming);
    agent.say("http-ci", Outgoing::Words("one\ntwo".to_owned()));
    let mut seen = String::new();
    // The first piece is there before the rest is said.
    while !seen.contains("two") {
        seen.push_str(&String::from_utf8_lossy(&response.chunk().await.unwrap().unwrap()));
    }
    agent.say("http-ci", Outgoing::End);
    while let Some(chunk) = response.chunk().await.unwrap() {
        seen.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert_eq!(
        seen,
        "event: begin\ndata: {\"type\":\"begin\",\"from\":\"http:ci\",\"text\":\"hi\"}\n\n\
         event: words\ndata: {\"type\":\"words\",\"text\":\"one\\ntwo\"}\n\n\
         event: end\ndata: {\"type\":\"end\"}\n\n"
    );
}

#[tokio::test]
async fn a_page_hears_all_of_its_session_and_answers_questions() {
    let mut agent = Agent::start().await;
    let mut events = agent.get("/v1/events").await;
    agent.say("http-ci", Outgoing::Words("not here".to_owned()));
    agent
        .say("owner", Outgoing::Settled { id: "q1".to_owned(), how: "yes, by console".to_owned() });
    let chunk = events.chunk().await.unwrap().unwrap();
    assert_eq!(
        chunk,
        "event: settled\ndata: {\"type\":\"settled\",\"id\":\"q1\",\"text\":\"yes, by console\"}\n\n"
    );
    let given = json!({"id": "q2", "answer": "always", "code": "kqxz"});
    assert_eq!(agent.post("/v1/answers", &given).await.unwrap().status(), StatusCode::ACCEPTED);
    let decision = Decision { id: "q2".into(), choice: Choice::ALWAYS, code: Some("KQXZ".into()) };
    assert_eq!(agent.heard().await.said, Said::Answer(decision));
    let cancelled = sent(agent.request("/v1/cancel")).await.unwrap();
    assert_eq!(cancelled.status(), StatusCode::ACCEPTED);
    assert_eq!(agent.heard().await.said, Said::Stop);
}

#[tokio::test]
async fn what_is_being_answered_is_told() {
    let mut agent = Agent::start().await;
    let answer = agent.post("/v1/messages", &json!({"text": "hi", "session": "a"}));
    let incoming = agent.heard().await;
    agent.begin(&incoming);
    let busy = async |agent: &Agent| -> Value {
        let body: Value = agent.get("/v1/status").await.json().await.unwrap();
        body["busy"].clone()
    };
    while busy(&agent).await != json!(["http-a"]) {}
    agent.say("http-a", Outgoing::End);
    answer.await.unwrap();
    assert_eq!(busy(&agent).await, json!([]));
}

fn shown(bridge: &str) -> String {
    let bridge = Bridge::try_from(bridge.to_owned()).unwrap();
    bridge.token(&TOKEN.into()).expose_secret().to_owned()
}

#[tokio::test]
async fn a_bridge_speaks_for_its_own_people_and_for_nobody_else() {
    let mut agent = Agent::start().await;
    let (url, mine) = (agent.url.clone(), shown("matrix"));
    let post = |path: &str, body: Value| {
        Client::new().post(format!("{url}{path}")).bearer_auth(&mine).json(&body)
    };
    let body = json!({"text": "hi", "session": "owner", "from": "owner"});
    let answer = sent(post("/v1/messages", body));
    let incoming = agent.heard().await;
    assert_eq!(incoming.session.as_str(), "http-matrix-owner");
    assert_eq!(incoming.from.as_str(), "http:matrix-owner");
    agent.begin(&incoming);
    // What the owner and other bridges are told is not for it.
    agent.say("owner", Outgoing::Words("for the owner".to_owned()));
    agent.say("http-irc-room", Outgoing::Words("for irc".to_owned()));
    agent.say("http-matrix-owner", Outgoing::Words("for matrix".to_owned()));
    agent.say("http-matrix-owner", Outgoing::End);
    let answer: Value = answer.await.unwrap().json().await.unwrap();
    assert_eq!(answer["text"], "for matrix");

    // It answers no question, sees no number, and is nowhere else.
    let yes = json!({"id": "1", "answer": "yes"});
    assert_eq!(refused(post("/v1/answers", yes)).await, (403, "foreign".to_owned()));
    assert_eq!(refused(post("/v1/messages", json!({"text": "x"}))).await.0, 400);
    assert_eq!(refused(post("/v1/cancel", json!({}))).await.0, 400);
    for path in ["/v1/status", "/metrics", "/v1/page", "/v1/history?before=1"] {
        let request = Client::new().get(format!("{url}{path}")).bearer_auth(&mine);
        assert_eq!(refused(request).await.0, 403, "{path}");
    }
    for session in ["", "?session=../owner"] {
        let request = Client::new().get(format!("{url}/v1/events{session}")).bearer_auth(&mine);
        assert_eq!(refused(request).await.0, 400, "{session}");
    }
    // The name of another bridge before a signature that is not its own, and a bridge that was not named.
    let ending = mine.split_once('.').unwrap().1;
    for token in [format!("irc.{ending}"), ending.to_owned(), shown("other")] {
        let request = Client::new().get(format!("{url}/v1/events?session=x")).bearer_auth(token);
        assert_eq!(refused(request).await.0, 401);
    }
    assert!(agent.incoming.try_recv().is_err(), "nothing else has come in");
}

#[tokio::test]
async fn the_document_for_programs_holds_just_the_paths_that_there_are() {
    let agent = Agent::start().await;
    let document: Value = agent.get("/v1/openapi.json").await.json().await.unwrap();
    let source = include_str!("../../../channel/src/http/routes.rs");
    let routes = source.split(".route(\"").skip(1).map(|rest| {
        let (path, rest) = rest.split_once("\", ").unwrap();
        format!("{} {path}", rest.split('(').next().unwrap())
    });
    let routes: BTreeSet<String> = routes.collect();
    let mut documented = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            documented.insert(format!("{method} {path}"));
            let name = method.to_ascii_uppercase().parse().unwrap();
            let request = Client::new().request(name, format!("{}{path}", agent.url));
            let status = request.bearer_auth(TOKEN).send().await.unwrap().status();
            assert!(![404, 405, 401].contains(&status.as_u16()), "{method} {path}: {status}");
        }
    }
    assert_eq!(documented, routes);
    // What a message may hold is what is read, and nothing besides.
    let message = &document["components"]["schemas"]["Message"]["properties"];
    for key in message.as_object().unwrap().keys() {
        let body = json!({"text": "x", key: {}});
        let (status, _) = refused(agent.request("/v1/messages").json(&body)).await;
        assert_eq!(status, 400, "{key}");
        let told = agent.request("/v1/messages").json(&body).send().await.unwrap();
        assert!(!told.text().await.unwrap().contains("unknown field"), "{key}");
    }
}

#[tokio::test]
async fn prometheus_reads_numbers_and_nothing_that_was_said() {
    let mut agent = Agent::start().await;
    let answer = agent.post("/v1/messages", &json!({"text": "a secret word", "session": "ci"}));
    let incoming = agent.heard().await;
    agent.begin(&incoming);
    agent.say("http-ci", Outgoing::Words("another secret".to_owned()));
    let busy = agent.get("/metrics").await.text().await.unwrap();
    assert!(busy.contains("safeclaw_agent_busy 1\n"), "{busy}");
    agent.say("http-ci", Outgoing::End);
    answer.await.unwrap();
    let numbers = agent.get("/metrics").await.text().await.unwrap();
    assert!(
        numbers
            .contains("# TYPE safeclaw_agent_turns_total counter\nsafeclaw_agent_turns_total 1\n")
    );
    assert!(numbers.contains("safeclaw_agent_busy 0\n"), "{numbers}");
    assert!(!numbers.contains("secret") && !numbers.contains("ci\""), "{numbers}");
    let without = Client::new().get(format!("{}/metrics", agent.url)).send().await.unwrap();
    assert_eq!(without.status(), 401);
}

#[tokio::test]
async fn a_session_that_is_full_says_so() {
    let mut agent = Agent::start().await;
    let answer = agent.post("/v1/messages", &json!({"text": "hi"}));
    let ticket = agent.heard().await.ticket;
    agent.say("owner", Outgoing::Refused { ticket, why: "too many wait".to_owned() });
    let response = answer.await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn when_the_agent_ends_so_do_its_answers() {
    let mut agent = Agent::start().await;
    let mut events = agent.get("/v1/events").await;
    let answer = agent.post("/v1/messages", &json!({"text": "hi"}));
    agent.heard().await;
    agent.outgoing = None;
    assert_eq!(answer.await.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(events.chunk().await.unwrap().is_none());
    assert!(agent.channel.await.unwrap().is_ok());
}
