//! The skill against a real server in the proxy's place.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use safeclaw_skill::testing::{Answer, Asked, Proxy, Trial, check_examples};
use serde_json::{Value, json};

use super::{MAX_BYTES, MAX_CHARS, Params, run};

const MANIFEST: &str = "../../router/skills/web_fetch/skill.toml";

fn proxy(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Proxy {
    Proxy::answering(script).unwrap()
}

fn fetch(proxy: &Proxy, url: &str) -> Result<Value, String> {
    let trial = Trial::of(MANIFEST).unwrap().proxy(proxy);
    trial.run(run, json!({"url": url})).map_err(|error| error.to_string())
}

fn fetch_answer(answer: Answer) -> Result<Value, String> {
    fetch(&proxy(move |_| answer.clone()), "https://example.com/")
}

fn typed(content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    Answer::new(200).header("content-type", content_type).body(body)
}

fn gzipped(body: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(body).unwrap();
    packed.finish().unwrap()
}

#[test]
fn the_manifests_examples_fit() {
    check_examples::<Params>(MANIFEST).unwrap();
}

#[test]
fn a_pages_title_and_readable_text_are_found() {
    let paragraph =
        "The wall judges each request, runs the skill in a sandbox, and always answers. ";
    let html = format!(
        "<html><head><title>The wall &amp; the mind</title><style>p {{ color: red }}</style></head><body>\
         <nav><a href='/'>Home</a> <a href='/shop'>Shop</a></nav>\
         <article><h1>The wall</h1><p>{p}</p><p>{p}<a href='more'>Read more</a></p></article>\
         <script>track()</script><footer>Imprint</footer></body></html>",
        p = paragraph.repeat(8)
    );
    let page = fetch_answer(typed("text/html; charset=utf-8", html)).unwrap();
    assert_eq!(page["title"], "The wall & the mind");
    assert_eq!((&page["url"], &page["status"]), (&json!("https://example.com/"), &json!(200)));
    assert_eq!(page["truncated"], false);
    let content = page["content"].as_str().unwrap();
    assert!(content.contains(paragraph.trim()), "{content}");
    let more = json!([{"text": "Read more", "url": "https://example.com/more"}]);
    assert_eq!(page["links"], more);
    for noise in ["Home", "Shop", "track", "color", "Imprint"] {
        assert!(!content.contains(noise), "{noise}: {content}");
    }
}

#[test]
fn a_page_without_an_article_gives_its_whole_text() {
    let html = "<title>Hi</title><body><p>One line.</p><ul><li>a<li>b</ul>";
    let page = fetch_answer(typed("text/html", html)).unwrap();
    assert_eq!(page["title"], "Hi");
    let lines: Vec<&str> = page["content"].as_str().unwrap().split_whitespace().collect();
    assert_eq!(lines, ["One", "line.", "a", "b"]);
}

#[test]
fn other_text_is_taken_as_it_stands() {
    for (content_type, body) in [
        ("text/plain", "<b>not a tag</b>"),
        ("application/json", "{\"a\": 1}"),
        ("application/rss+xml", "<rss><item/></rss>"),
    ] {
        assert_eq!(fetch_answer(typed(content_type, body)).unwrap()["content"], body);
    }
    let unsaid = fetch_answer(Answer::new(200).body("<p>Hi &amp; bye")).unwrap();
    assert_eq!(unsaid["content"], "Hi & bye");
}

#[test]
fn what_is_no_text_is_refused() {
    for (answer, words) in [
        (typed("image/png", "x"), "\"image/png\""),
        (typed("application/octet-stream", "x"), "\"application/octet-stream\""),
        (typed("text/html", "<p>\0\x01\x02"), "NUL characters"),
        (typed("text/html", "x").header("content-encoding", "br"), "\"br\""),
    ] {
        let error = fetch_answer(answer).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn the_charset_is_followed() {
    let page = fetch_answer(typed("text/plain; charset=iso-8859-1", &b"Gr\xfc\xdfe"[..])).unwrap();
    assert_eq!(page["content"], "Grüße");
    let page = fetch_answer(typed("text/html", &b"<meta charset=shift_jis><p>\x93\xfa\x96{"[..]));
    assert_eq!(page.unwrap()["content"], "日本");
}

#[test]
fn a_compressed_page_is_unpacked_and_a_bomb_is_cut() {
    let answer = typed("text/plain", gzipped(b"Hello")).header("content-encoding", "gzip");
    assert_eq!(fetch_answer(answer).unwrap()["content"], "Hello");
    let bomb = gzipped(&vec![b'x'; 100 * MAX_BYTES]);
    let page = fetch_answer(typed("text/plain", bomb).header("content-encoding", "gzip")).unwrap();
    assert_eq!(page["content"].as_str().unwrap().len(), MAX_CHARS);
    assert_eq!(page["truncated"], true);
}

#[test]
fn a_long_page_is_cut_between_characters() {
    let page = fetch_answer(typed("text/plain", "ä€".repeat(MAX_CHARS / 2))).unwrap();
    assert_eq!(page["truncated"], false);
    let page = fetch_answer(typed("text/plain", "€".repeat(MAX_BYTES))).unwrap();
    assert_eq!(page["content"], "€".repeat(MAX_CHARS));
    assert_eq!(page["truncated"], true);
}

#[test]
fn redirects_are_followed_through_the_proxy_five_times_at_most() {
    let proxy = proxy(|asked| match asked.target.as_str() {
        "http://example.com/" => Answer::new(301).header("location", "https://example.org/a"),
        "https://example.org/a" => Answer::new(302).header("location", "b?c=d"),
        "https://example.org/b?c=d" => typed("text/plain", "here"),
        _ => Answer::new(307).header("location", "https://loop.example/"),
    });
    let page = fetch(&proxy, "http://example.com").unwrap();
    assert_eq!(
        (&page["url"], &page["content"]),
        (&json!("https://example.org/b?c=d"), &json!("here"))
    );
    assert_eq!(proxy.asked().len(), 3);
    let error = fetch(&proxy, "https://loop.example/").unwrap_err();
    assert_eq!(error, "loop.example redirected more than 5 times");
    assert_eq!(proxy.asked().len(), 3 + 6);
}

#[test]
fn a_redirect_that_the_wall_refuses_is_refused() {
    let proxy = proxy(|asked| match asked.target.as_str() {
        "https://example.com/" => Answer::new(302).header("location", "http://169.254.169.254/"),
        _ => Answer::refused("169.254.169.254 is a private address"),
    });
    let error = fetch(&proxy, "https://example.com/").unwrap_err();
    assert_eq!(error, "169.254.169.254 is a private address");
}

#[test]
fn an_answer_that_is_no_page_is_told_with_its_status() {
    for (answer, words) in [
        (typed("text/html", "<h1>Lost</h1>").status(404), "example.com answered 404: Not Found"),
        (Answer::json(503, json!({"message": "Back soon"})), "example.com answered 503: Back soon"),
        (Answer::failed("example.com cannot be found"), "example.com cannot be found"),
    ] {
        assert_eq!(fetch_answer(answer).unwrap_err(), words);
    }
}

#[test]
fn an_address_may_lack_its_scheme_but_not_have_another() {
    let proxy = proxy(|_| typed("text/plain", "x"));
    assert_eq!(fetch(&proxy, " example.com/a#b ").unwrap()["url"], "https://example.com/a");
    for url in
        ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "", "https://a:b@c/"]
    {
        assert!(fetch(&proxy, url).unwrap_err().contains("cannot be asked"), "{url}");
    }
    assert_eq!(proxy.asked().len(), 1);
}

#[test]
fn a_hostile_page_neither_breaks_the_skill_nor_holds_it_up() {
    for piece in ["<div>", "<b><p>", "<table><td>", "<svg><link>", "<a '"] {
        let answer = typed("text/html", format!("hi{}", piece.repeat(100_000)));
        assert!(fetch_answer(answer).is_ok(), "{piece}");
    }
}

#[test]
fn a_dry_run_shows_the_request() {
    let shown = Trial::of(MANIFEST).unwrap().dry_run().run(run, json!({"url": "example.com"}));
    assert_eq!(shown.unwrap()["would_send"]["url"], "https://example.com");
}
