//! What the page must not become: a place where somebody else's text is a script, or somebody else's page is the owner.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::json;
use testkit::page::{click, find, see, text};
use testkit::{Says, with_browser};

use crate::house::{House, call};

/// A page elsewhere, and everything that browsers ask of it.
fn elsewhere(page: &'static str) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(Mutex::new(String::new()));
    let keeping = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut bytes = vec![0; 65_536];
            let size = stream.read(&mut bytes).unwrap_or_default();
            keeping.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..size]));
            let length = page.len();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {length}\r\n\r\n{page}");
        }
    });
    (address, asked)
}

#[tokio::test]
async fn what_a_model_and_a_skill_write_is_text_and_asks_nothing_of_the_network() {
    let (sink, asked) = elsewhere("x");
    let evil = format!(
        "<img src=http://{sink}/a onerror=alert(1)> ![x](http://{sink}/b) <svg onload=alert(1)> \
         <script>alert(1)</script> [run](javascript:alert(1)) <http://{sink}/c>"
    );
    let house = House::start([
        Says::text(&evil),
        call("EVIL", &json!({})),
        Says::text("end of it"),
        call("RING", &json!({"who": evil})),
    ]);
    with_browser(async |client| {
        house.sign_in(client).await;
        for words in ["one", "two"] {
            find(client, "#text").await.send_keys(words).await.unwrap();
            click(client, "#send").await;
            see(client, "#log", if words == "one" { "onerror" } else { "end of it" }).await;
        }
        find(client, "#text").await.send_keys("three").await.unwrap();
        click(client, "#send").await;
        see(client, ".card pre", "onerror").await;
        assert!(client.get_alert_text().await.is_err());
        let made = "return [...document.querySelectorAll('main img, main script, main iframe, main svg, main a[href^=javascript]')].length";
        assert_eq!(client.execute(made, Vec::new()).await.unwrap(), 0, "{}", text(client, "#log").await);
    })
    .await;
    assert_eq!(*asked.lock().unwrap(), "", "the page has asked the network for something");
}

#[tokio::test]
async fn letters_that_join_are_shown_as_they_were_written_and_what_hides_is_not() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f} \u{915}\u{94d}\u{200d}\u{937} \u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}";
    let house = House::start([Says::text("Seen."), call("RING", &json!({"who": family}))]);
    with_browser(async |client| {
        house.sign_in(client).await;
        let type_in = "const at = document.getElementById('text'); at.value = arguments[0]; at.dispatchEvent(new Event('input'));";
        let hides = "pay\u{200b}\u{202e}lap a\u{200d} \u{fe0f}";
        client.execute(type_in, vec![json!(format!("{family} {hides}"))]).await.unwrap();
        click(client, "#send").await;
        see(client, "#log .agent", "Seen.").await;
        let shown = text(client, "#log .person .body").await;
        assert!(shown.starts_with(family), "{shown:?}");
        assert!(shown.contains("payU+200BU+202Elap aU+200D U+FE0F"), "{shown:?}");
        // What a person says yes to is shown to the last character.
        find(client, "#text").await.send_keys("ring").await.unwrap();
        click(client, "#send").await;
        see(client, ".card pre", "\\u{200d}").await;
        see(client, ".card pre", "U+FE0F").await;
    })
    .await;
}

#[tokio::test]
async fn another_page_neither_frames_it_nor_speaks_as_its_owner() {
    let house = House::start([Says::text("hello")]);
    let page = format!("http://127.0.0.1:{}", house.port);
    let (other, _) = elsewhere(
        "<iframe id=f></iframe><form method=post enctype='text/plain'><input name='{\"text\":\"evil order\",\"x\":\"' value='\"}'></form>",
    );
    with_browser(async |client| {
        house.sign_in(client).await;
        client.goto(&format!("http://{other}/")).await.unwrap();
        let framed = "const [url, done] = arguments; const f = document.getElementById('f');
            f.onload = () => { let seen; try { seen = f.contentDocument ? f.contentDocument.body.innerText : null; } catch { seen = null; } done(seen); }; f.src = url;";
        let seen = client.execute_async(framed, vec![json!(page)]).await.unwrap();
        assert!(seen.is_null() || seen == "", "{seen}");
        let fetched = "const [url, done] = arguments;
            fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'}, body: '{\"text\":\"evil order\"}'})
            .then(() => done('sent'), () => done('not sent'));";
        let url = json!(format!("{page}/v1/messages"));
        client.execute_async(fetched, vec![url.clone()]).await.unwrap();
        client.execute("document.forms[0].action = arguments[0]; document.forms[0].submit();", vec![url]).await.unwrap();
        see(client, "body", "error").await;
        client.goto(&page).await.unwrap();
        see(client, "#standing", "Model: ").await;
        find(client, "#text").await.send_keys("hi").await.unwrap();
        click(client, "#send").await;
        see(client, "#log .agent", "hello").await;
        assert!(!text(client, "#scroller").await.contains("evil order"));
    })
    .await;
    assert!(!house.home.text("workspace/journal.jsonl").contains("evil order"));
}

#[tokio::test]
async fn a_link_that_was_looked_at_ahead_still_works_and_a_stolen_one_does_not() {
    let house = House::start([]);
    let link = house.link();
    let path = link.split_once(&house.port.to_string()).unwrap().1.to_owned();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
        let host = format!("127.0.0.1:{}", house.port);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    }
    with_browser(async |client| {
        client.goto(&link).await.unwrap();
        click(client, "form button").await;
        see(client, "#standing", "Model: ").await;
        // The code stands in no address that the browser remembers.
        let there = "return performance.getEntriesByType('navigation').map((entry) => entry.name).join() + location.href";
        let there = client.execute(there, Vec::new()).await.unwrap();
        assert!(!there.as_str().unwrap().contains("code="), "{there}");
    })
    .await;
    with_browser(async |client| {
        client.goto(&link).await.unwrap();
        click(client, "form button").await;
        see(client, "[role=alert]", "used already").await;
    })
    .await;
}
