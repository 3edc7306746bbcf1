//! The owner's conversations on the page, and the link that opens it.

use std::io::{Read, Write};
use std::net::TcpStream;

use fantoccini::Client;
use testkit::page::{click, find, see, text};
use testkit::{Says, TempHome, with_browser};

use crate::house::{House, TOKEN};

async fn talk(client: &Client, words: &str) {
    find(client, "#text").await.send_keys(words).await.unwrap();
    click(client, "#send").await;
}

#[tokio::test]
async fn another_conversation_shows_all_of_its_own_and_nothing_of_the_one_before() {
    let mut house =
        House::start(["Rome is old.", "Oslo is cold.", "So is Bergen."].map(Says::text));
    let shows = async |client: &Client, is: &[&str], is_not: &str| {
        for words in is {
            see(client, "#scroller", words).await;
        }
        let shown = text(client, "#scroller").await;
        assert!(!shown.contains(is_not), "{shown}");
    };
    with_browser(async |client| {
        house.sign_in(client).await;
        talk(client, "tell me of Rome").await;
        see(client, "#log", "Rome is old.").await;
        click(client, "#show-chats").await;
        click(client, "#new-chat").await;
        shows(client, &["This is a new one."], "Rome").await;
        talk(client, "tell me of Oslo").await;
        see(client, "#log", "Oslo is cold.").await;
        client.refresh().await.unwrap();
        shows(client, &["tell me of Oslo", "Oslo is cold."], "Rome is").await;
        // Said elsewhere, such as at the console.
        house.chat.say("/open 1");
        shows(client, &["tell me of Rome", "Rome is old.", "Here goes on"], "Oslo").await;
        see(client, "#scroller .agent .who", "llama3.1:8B").await;
        talk(client, "and Bergen?").await;
        shows(client, &["Rome is old.", "and Bergen?", "So is Bergen."], "Oslo").await;
        client.refresh().await.unwrap();
        shows(client, &["tell me of Rome", "and Bergen?", "So is Bergen."], "Oslo").await;
    })
    .await;
}

#[tokio::test]
async fn a_long_conversation_that_is_opened_again_is_shown_whole() {
    // More than the agent reads as Markdown at once.
    let count = 210;
    let mut house = House::start((0..count).map(|n| Says::text(&format!("Answer {n} stands."))));
    for n in 0..count {
        house.chat.ask(&format!("question {n}"), &format!("Answer {n} stands."));
    }
    house.chat.say("/new");
    house.chat.ask("/open 1", "Here goes on");
    with_browser(async |client| {
        house.sign_in(client).await;
        see(client, "#scroller", "Answer 0 stands.").await;
        see(client, "#scroller", &format!("Answer {} stands.", count - 1)).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_due_stands_on_the_page_too() {
    let house = House::start([]);
    with_browser(async |client| {
        house.sign_in(client).await;
        talk(client, "/remind 1s tea").await;
        see(client, "#log", "Reminder: tea").await;
        client.refresh().await.unwrap();
        see(client, "#log", "Reminder: tea").await;
    })
    .await;
}

/// All that the files of a home hold.
fn kept(home: &TempHome) -> String {
    let mut folders = vec![home.root().to_owned()];
    let mut all = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => {
                    all +=
                        &String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap_or_default());
                }
                _ => {}
            }
        }
    }
    all
}

/// What a program that has the owner's token is answered.
fn program(house: &House, words: &str) -> String {
    let body = serde_json::json!({"text": words}).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    let port = house.port;
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test]
async fn a_link_is_given_at_the_console_alone_and_kept_nowhere() {
    let mut house = House::start([Says::text("Hello.")]);
    house.chat.ask("/web", "it works once:");
    house.chat.expect("?code=");
    let secret = house.chat.expect("\n").trim().to_owned();
    let shown = house.chat.stdout();
    let link = shown.lines().find(|line| line.ends_with(&secret)).unwrap().trim().to_owned();
    assert!(secret.len() > 20, "{link}");
    house.chat.ask("hi", "Hello.");
    assert!(!kept(&house.home).contains(&secret), "a file of the home holds it");
    // A program that has the owner's token is no place where the owner is alone.
    let asked = program(&house, "/web");
    assert!(asked.contains("a link is given at the console"), "{asked}");
    assert!(!asked.contains("http://127.0.0.1"), "{asked}");
    with_browser(async |client| {
        client.goto(&link).await.unwrap();
        click(client, "form button").await;
        see(client, "#standing", "Model: ").await;
        talk(client, "/web").await;
        see(client, "#log", "a link is given at the console").await;
        // It works once.
        client.delete_all_cookies().await.unwrap();
        client.goto(&link).await.unwrap();
        click(client, "form button").await;
        see(client, "body", "used").await;
    })
    .await;
}
