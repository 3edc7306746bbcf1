//! Who is not let in, and who comes too often.

use super::*;

/// The end of what comes over a connection: `true` when it was closed.
async fn is_closed(mut stream: TcpStream) -> bool {
    let closed = async move {
        let mut bytes = [0; 256];
        while !matches!(stream.read(&mut bytes).await, Ok(0) | Err(_)) {}
    };
    tokio::time::timeout(LONG, closed).await.is_ok()
}

impl Agent {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.url.strip_prefix("http://").unwrap()).await.unwrap()
    }
}

#[tokio::test]
async fn silent_connections_keep_nobody_out_and_do_not_pile_up() {
    const SILENT: usize = 150;
    let mut agent = Agent::start().await;
    let mut events = agent.get("/v1/events").await;
    let mut silent = Vec::new();
    for _ in 0..SILENT {
        let mut stream = agent.connect().await;
        stream.write_all(b"GET /v1/events HTTP/1.1\r\n").await.unwrap();
        silent.push(stream);
    }
    let answer = agent.post("/v1/messages", &json!({"text": "hi"}));
    let incoming = agent.heard().await;
    agent.begin(&incoming);
    agent.say("owner", Outgoing::End);
    assert_eq!(answer.await.unwrap().status(), StatusCode::OK);
    // Whoever has shown the token is still here; of the others the first ones have made room.
    assert!(events.chunk().await.unwrap().is_some());
    for early in silent.drain(..SILENT - 64) {
        assert!(is_closed(early).await);
    }
}

/// Asks for something without a token; `true` when there is an answer.
async fn is_answered(stream: &mut TcpStream) -> bool {
    const ASKED: &[u8] = b"GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let answered = async {
        let mut bytes = [0; 4096];
        stream.write_all(ASKED).await.is_ok() && matches!(stream.read(&mut bytes).await, Ok(1..))
    };
    tokio::time::timeout(LONG, answered).await.unwrap()
}

/// Each question begins the time for the next head anew, so only those who came later can end this connection.
#[tokio::test]
async fn a_stranger_who_asks_again_and_again_makes_room_for_those_who_come_later() {
    const OTHERS: usize = 64;
    let agent = Agent::start().await;
    let mut first = agent.connect().await;
    assert!(is_answered(&mut first).await, "it is there before the others");
    let mut others = Vec::new();
    for _ in 0..OTHERS {
        others.push(agent.connect().await);
    }
    let goes_away = async { while is_answered(&mut first).await {} };
    assert!(tokio::time::timeout(LONG, goes_away).await.is_ok(), "it has made room");
}

/// The clock goes to the next timer as soon as nothing else can be done.
#[tokio::test(start_paused = true)]
async fn a_head_that_never_ends_is_not_waited_for() {
    let agent = Agent::start().await;
    let mut half = agent.connect().await;
    half.write_all(b"GET /v1/status HTTP/1.1\r\nhost: ").await.unwrap();
    assert!(is_closed(half).await);
    assert!(is_closed(agent.connect().await).await, "a connection that says nothing");
    let mut again = agent.connect().await;
    again.write_all(b"GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    assert!(is_closed(again).await, "one that has said all it had to say");
}

#[tokio::test]
async fn who_is_not_let_in_reaches_nothing() {
    let mut agent = Agent::start().await;
    let body = json!({"text": "hi"});
    let url = format!("{}/v1/messages", agent.url);
    let plain = || Client::new().post(&url).json(&body);
    for (request, expected) in [
        (plain(), (401, "no_token")),
        (plain().bearer_auth("wrong"), (401, "no_token")),
        (
            agent.request("/v1/messages").json(&body).header("Host", "evil.example"),
            (403, "foreign"),
        ),
        (
            agent.request("/v1/messages").json(&body).header("Origin", "https://evil.example"),
            (403, "foreign"),
        ),
        (agent.request("/v1/messages").body(body.to_string()), (400, "bad_request")),
        (agent.request("/v1/messages").json(&json!({"txt": "hi"})), (400, "bad_request")),
        (agent.request("/v1/messages").json(&json!({"text": ""})), (400, "bad_request")),
        (
            agent.request("/v1/messages").json(&json!({"text": "hi", "session": "../x"})),
            (400, "bad_request"),
        ),
        (
            agent.request("/v1/messages").json(&json!({"text": "x".repeat(MAX_MESSAGE + 1)})),
            (413, "too_large"),
        ),
        (
            agent.request("/v1/messages").json(&json!({"text": "x".repeat(9 * MAX_MESSAGE)})),
            (413, "too_large"),
        ),
        (
            agent.request("/v1/answers").json(&json!({"id": "q", "answer": "maybe"})),
            (400, "bad_request"),
        ),
        (agent.request("/v2"), (404, "unknown")),
    ] {
        let shown = format!("{request:?}");
        let (status, code) = refused(request).await;
        assert_eq!((status, code.as_str()), expected, "{shown}");
    }
    assert!(agent.incoming.try_recv().is_err(), "nothing of it was said to the agent");
    // A preflight of another site's page gets no word that would let the page go on.
    let asked = Client::new().request(reqwest::Method::OPTIONS, &url).send().await.unwrap();
    assert!(asked.headers().keys().all(|name| !name.as_str().starts_with("access-control")));
}

#[tokio::test]
async fn it_is_on_this_machine_alone() {
    use channel::Channel;
    let (incoming, _heard) = mpsc::channel(1);
    let (_said, outgoing) = mpsc::unbounded_channel();
    let http = Http {
        listen: "0.0.0.0:0".parse().unwrap(),
        token: Some(TOKEN.into()),
        sites: Vec::new(),
        bridges: Vec::new(),
        page: None,
    };
    let error = Box::new(http).run(Line { incoming, outgoing }).await.unwrap_err();
    assert!(error.to_string().contains("is not on this machine alone"), "{error}");
}

#[tokio::test]
async fn without_a_token_that_is_long_enough_nobody_is_served() {
    use channel::Channel;
    for token in [None, Some("short".into())] {
        let (incoming, _heard) = mpsc::channel(1);
        let (_said, outgoing) = mpsc::unbounded_channel();
        let http = Http {
            listen: "127.0.0.1:0".parse().unwrap(),
            token,
            sites: Vec::new(),
            bridges: Vec::new(),
            page: None,
        };
        let error = Box::new(http).run(Line { incoming, outgoing }).await.unwrap_err();
        assert!(error.to_string().contains("SAFECLAW_HTTP_TOKEN"), "{error}");
    }
}
