//! The page over real connections: who signs in, who is kept out, and what is told to whom.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::sync::Arc;
use std::time::Duration;

use channel::http::Http;
use channel::http::web::{Page, SignIns};
use channel::{Addressed, Incoming, Line, Outgoing, Said};
use conversation::workspace::Workspace;
use mind::links::Links;
use model::{Offline, Switch};
use protocol::{Millis, SessionKey};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use session::OwnersStanding;
use settings::Site;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const TOKEN: &str = "5cd7b3b0a1f24f6ca2a4d7a35cbf4f10";

/// Nothing here takes long; what hangs is an error.
const LONG: Duration = Duration::from_secs(60);

struct House {
    url: String,
    folder: TempDir,
    incoming: mpsc::Receiver<Incoming>,
    outgoing: mpsc::UnboundedSender<Addressed>,
}

impl House {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = listener.local_addr().unwrap();
        let (sender, incoming) = mpsc::channel(8);
        let (outgoing, said) = mpsc::unbounded_channel();
        let workspace = Arc::new(Workspace::open(folder.path()));
        let model = Arc::new(Switch::of(Arc::new(Offline::new("none"))));
        let page = Some(Page::new(&workspace, &model, &OwnersStanding::default()));
        let http = Http {
            listen,
            token: Some(TOKEN.into()),
            sites: Vec::new(),
            bridges: Vec::new(),
            page,
        };
        tokio::spawn(http.serve(listener, Line { incoming: sender, outgoing: said }));
        Self { url: format!("http://{listen}"), folder, incoming, outgoing }
    }

    fn link(&self) -> String {
        let site = Site::try_from(self.url.clone()).unwrap();
        Links::new(&TOKEN.into(), vec![site]).make(Millis::of_this_machine()).remove(0)
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        client.request(method, format!("{}{path}", self.url)).timeout(LONG)
    }

    /// Opens a link as a browser does; gives the cookie with its code.
    async fn opened(&self, link: &str) -> String {
        let path = link.strip_prefix(&self.url).unwrap();
        let opened = self.ask(Method::GET, path).send().await.unwrap();
        assert_eq!(
            (opened.status().as_u16(), &opened.headers()["location"]),
            (303, &"/sign-in".parse().unwrap())
        );
        cookie(&opened)
    }

    async fn pressed(&self, cookie: &str) -> Response {
        let request = self.ask(Method::POST, "/sign-in").header("origin", &self.url);
        request.header("cookie", cookie).send().await.unwrap()
    }

    /// Signs in, and gives the cookie.
    async fn signed_in(&self) -> String {
        let code = self.opened(&self.link()).await;
        let done = self.pressed(&code).await;
        assert_eq!(done.status(), 303);
        cookie(&done)
    }

    fn say(&self, outgoing: Outgoing) {
        self.outgoing.send(Addressed { session: SessionKey::owner(), outgoing }).unwrap();
    }
}

/// The first cookie of an answer, as it is sent back.
fn cookie(answer: &Response) -> String {
    let set = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

/// Reads a stream until `until` has come.
async fn read_until(stream: &mut Response, until: &str) -> String {
    let mut seen = String::new();
    while !seen.contains(until) {
        let next = tokio::time::timeout(LONG, stream.chunk()).await.unwrap().unwrap();
        seen.push_str(&String::from_utf8_lossy(&next.expect("the stream goes on")));
    }
    seen
}

#[tokio::test]
async fn the_page_names_the_command_that_gives_a_link() {
    let house = House::start().await;
    for language in ["en", "de"] {
        let path = format!("/web/strings/{language}.json");
        let words = house.ask(Method::GET, &path).send().await.unwrap().text().await.unwrap();
        assert!(
            words.contains(": safeclaw agent web\"") && !words.contains("{command}"),
            "{words}"
        );
    }
    let refused = house.pressed("").await.text().await.unwrap();
    assert!(refused.contains(": safeclaw agent web</p>"), "{refused}");
}

#[tokio::test]
async fn a_link_signs_in_once_and_only_by_its_button() {
    let house = House::start().await;
    let link = house.link();
    // What looks at links ahead of people opens it, too.
    for _ in 0..3 {
        house.opened(&link).await;
    }
    let code = house.opened(&link).await;
    let done = house.pressed(&code).await;
    assert_eq!((done.status().as_u16(), &done.headers()["location"]), (303, &"/".parse().unwrap()));
    let mine = cookie(&done);
    let page = house.ask(Method::GET, "/v1/page").header("cookie", &mine).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let again = house.pressed(&code).await;
    assert_eq!(again.status(), 403);
    assert!(again.text().await.unwrap().contains("was used already"));
}

#[tokio::test]
async fn after_five_wrong_tries_no_other_is_looked_at_and_a_good_link_signs_in() {
    let house = House::start().await;
    let port = house.url.rsplit(':').next().unwrap().to_owned();
    let wrong = format!("safeclaw-{port}-code=AAAA");
    for _ in 0..5 {
        assert_eq!(house.pressed(&wrong).await.status(), 403);
    }
    assert_eq!(house.pressed(&wrong).await.status(), 429);
    let code = house.opened(&house.link()).await;
    assert_eq!(house.pressed(&code).await.status(), 303);
}

#[tokio::test]
async fn no_other_page_and_no_other_name_uses_a_sign_in() {
    let mut house = House::start().await;
    let mine = house.signed_in().await;
    let (evil, own) = ("http://127.0.0.1:9".to_owned(), house.url.clone());
    let message = |headers: &[(&str, &str)]| {
        let mut request = house.ask(Method::POST, "/v1/messages").header("cookie", &mine);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.json(&json!({"text": "hi", "wait": false}))
    };
    for headers in [
        vec![],
        vec![("origin", &*evil)],
        vec![("origin", "null")],
        vec![("origin", &*own), ("sec-fetch-site", "cross-site")],
        vec![("origin", &*own), ("sec-fetch-site", "same-site")],
        vec![("origin", &*own), ("host", "evil.example")],
        // A name of theirs that their DNS turns into this machine's address.
        vec![("origin", "http://evil.example"), ("host", "evil.example")],
    ] {
        assert_eq!(message(&headers).send().await.unwrap().status(), 403, "{headers:?}");
    }
    let code = house.opened(&house.link()).await;
    for origin in [None, Some(&evil)] {
        let request = house.ask(Method::POST, "/sign-in").header("cookie", &code);
        let request =
            origin.into_iter().fold(request, |request, origin| request.header("origin", origin));
        assert_eq!(request.send().await.unwrap().status(), 403);
    }
    assert_eq!(house.pressed(&code).await.status(), 303, "nothing of it used the link up");
    let sent = message(&[("origin", &*own)]).send().await.unwrap();
    assert_eq!(sent.status(), 202);
    let heard = house.incoming.recv().await.unwrap();
    assert_eq!(heard.said, Said::Message("hi".to_owned()));
    assert!(house.incoming.try_recv().is_err());
}

#[tokio::test]
async fn no_answer_can_be_framed_or_kept_and_no_text_becomes_a_script() {
    let house = House::start().await;
    for path in ["/", "/sign-in", "/web/app.js", "/v1/page", "/nothing"] {
        let answer = house.ask(Method::GET, path).send().await.unwrap();
        let headers = answer.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        for rule in
            ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]
        {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["cache-control"], "no-store");
        assert!(!headers.keys().any(|name| name.as_str().starts_with("access-control")));
    }
    let mine = house.signed_in().await;
    let events = house.ask(Method::GET, "/v1/page/events").header("cookie", &mine);
    let events = events.send().await.unwrap();
    assert_eq!(events.headers()["cache-control"], "no-store");
    assert_eq!(events.headers()["x-accel-buffering"], "no");
    let framed = house.ask(Method::GET, "/").header("sec-fetch-site", "cross-site");
    let framed = framed.header("sec-fetch-mode", "navigate").header("sec-fetch-dest", "iframe");
    assert_eq!(framed.send().await.unwrap().status(), 403);
}

#[tokio::test]
async fn who_is_signed_out_elsewhere_hears_nothing_more() {
    let house = House::start().await;
    let mine = house.signed_in().await;
    let get = |path| house.ask(Method::GET, path).header("cookie", &mine).send();
    let mut events = get("/v1/page/events").await.unwrap();
    read_until(&mut events, "event: now").await;
    let gone = SignIns::in_folder(house.folder.path()).sign_out(|_| true).unwrap();
    assert_eq!(gone.len(), 1);
    assert_eq!(get("/v1/page").await.unwrap().status(), 401);
    let rest = async { while events.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(LONG, rest).await.expect("the stream ends");
}

#[tokio::test]
async fn who_connects_again_hears_what_was_missed_and_nothing_twice() {
    let house = House::start().await;
    let mine = house.signed_in().await;
    let connect = |last: Option<String>| {
        let request = house.ask(Method::GET, "/v1/page/events").header("cookie", &mine);
        last.into_iter().fold(request, |request, id| request.header("last-event-id", id)).send()
    };
    let mut first = connect(None).await.unwrap();
    house.say(Outgoing::Words("one ".to_owned()));
    let seen = read_until(&mut first, "one ").await;
    assert!(seen.contains("\"type\":\"start\""), "{seen}");
    let id = seen.split("id: ").last().unwrap().lines().next().unwrap().to_owned();
    drop(first);
    house.say(Outgoing::Words("two".to_owned()));
    let mut again = connect(Some(id)).await.unwrap();
    let seen = read_until(&mut again, "two").await;
    assert!(!seen.contains("one ") && !seen.contains("\"start\""), "{seen}");
    let mut other_run = connect(Some("00000000-1".to_owned())).await.unwrap();
    let seen = read_until(&mut other_run, "one two").await;
    assert!(seen.contains("\"type\":\"start\""), "{seen}");
}

#[tokio::test]
async fn texts_are_read_as_trees_and_history_begins_where_the_latest_turns_do_not() {
    let house = House::start().await;
    let line = r#"{"at":1,"role":"user","from":"console:owner","text":"earlier"}"#;
    std::fs::write(house.folder.path().join("journal.jsonl"), format!("{line}\n")).unwrap();
    let mine = house.signed_in().await;
    let get = async |path: String| -> Value {
        let request = house.ask(Method::GET, &path).header("cookie", &mine);
        request.send().await.unwrap().json().await.unwrap()
    };
    let mut events =
        house.ask(Method::GET, "/v1/page/events").header("cookie", &mine).send().await.unwrap();
    let seen = read_until(&mut events, "event: now").await;
    let before = line.len() + 1;
    assert!(seen.contains(&format!("\"before\":{before}")), "{seen}");
    let page = get(format!("/v1/history?before={before}")).await;
    assert_eq!(page["events"][0]["text"], "earlier");
    assert_eq!(page["before"], 0);
    let request = house
        .ask(Method::POST, "/v1/markdown")
        .header("cookie", &mine)
        .header("origin", &house.url);
    let read: Value =
        request.json(&json!({"texts": ["<b>"]})).send().await.unwrap().json().await.unwrap();
    assert_eq!(read, json!({"trees": [[{"t": "p", "c": ["<b>"]}]]}));
}

#[tokio::test]
async fn storms_are_the_owners_and_who_is_signed_out_watches_none_any_more() {
    let house = House::start().await;
    let mine = house.signed_in().await;
    let new = |origin: Option<&str>| {
        let request = house.ask(Method::POST, "/v1/storms").header("cookie", &mine);
        let request = origin.into_iter().fold(request, |ask, origin| ask.header("origin", origin));
        request.json(&json!({"name": "weekend", "premise": "Ideas?"})).send()
    };
    for foreign in [None, Some("http://127.0.0.1:9"), Some("null")] {
        assert_eq!(new(foreign).await.unwrap().status(), 403, "{foreign:?}");
    }
    assert_eq!(new(Some(&house.url)).await.unwrap().status(), 201);
    for path in ["/v1/storms", "/v1/storms/weekend", "/v1/storms/weekend/events", "/v1/agents"] {
        assert_eq!(house.ask(Method::GET, path).send().await.unwrap().status(), 401, "{path}");
    }
    let page = house.ask(Method::GET, "/storm/sessions").send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("'none'"));
    let watch = house.ask(Method::GET, "/v1/storms/weekend/events").header("cookie", &mine);
    let mut events = watch.send().await.unwrap();
    read_until(&mut events, "event: state").await;
    SignIns::in_folder(house.folder.path()).sign_out(|_| true).unwrap();
    let rest = async { while events.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(LONG, rest).await.expect("the stream ends");
}
