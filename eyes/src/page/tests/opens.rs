//! What is a page, what is none, and how each of them ends.

use std::time::Duration;

use tokio::net::TcpListener;

use super::kit::{AMPLE, Answer, Site, look, look_for};
use crate::look::LookError;

/// The reason why there is no page, with the address checked.
fn no_page<T: std::fmt::Debug>(seen: Result<T, LookError>) -> String {
    match seen {
        Err(LookError::Page(_, why)) => why,
        other => panic!("not a page that can't be had: {other:?}"),
    }
}

#[tokio::test]
async fn a_page_is_seen() {
    let html = "<html lang=de><title> Ein\n Titel </title><p>Guten Tag";
    let site = Site::serve([("/", Answer::page(html))]).await;
    let seen = look(&site, "/").await.unwrap();
    assert_eq!(seen.url, site.url("/"));
    assert_eq!(seen.status, Some(200));
    assert_eq!(seen.title, "Ein Titel");
    assert_eq!(seen.language.as_deref(), Some("de"));
    assert_eq!(seen.text, "Guten Tag");
    assert!(seen.html.contains("<p>Guten Tag"), "{}", seen.html);
    assert_eq!(seen.remarks, Vec::<String>::new());
}

#[tokio::test]
async fn a_redirect_is_followed_and_the_last_address_is_said() {
    let away = Answer::of(302, "text/html", "").with("Location", "/there#part");
    let site = Site::serve([("/", away), ("/there", Answer::page("<p>there"))]).await;
    let seen = look(&site, "/").await.unwrap();
    assert_eq!((seen.url, seen.text), (site.url("/there#part"), "there".to_owned()));
}

#[tokio::test]
async fn an_error_of_the_server_is_said_with_its_page() {
    let site = Site::serve([("/500", Answer::of(500, "text/html", "<p>oops"))]).await;
    let missing = look(&site, "/404").await.unwrap();
    assert_eq!((missing.status, missing.text.as_str()), (Some(404), "nothing is here"));
    assert_eq!(missing.remarks, ["the server answered with an error: 404, there is no such page"]);
    let broken = look(&site, "/500").await.unwrap();
    assert_eq!((broken.status, broken.text.as_str()), (Some(500), "oops"));
    assert_eq!(broken.remarks.len(), 1);
}

#[tokio::test]
async fn the_browsers_own_page_is_never_the_pages() {
    let empty = Answer::of(404, "text/html", "");
    let secret = Answer::of(401, "text/html", "<p>x").with("WWW-Authenticate", "Basic realm=x");
    let turning = Answer::of(302, "text/html", "").with("Location", "/turning");
    let site = Site::serve([("/empty", empty), ("/secret", secret), ("/turning", turning)]).await;
    let why = no_page(look(&site, "/empty").await);
    assert_eq!(why, "the server answered 404 and no page: there is no such page");
    let why = no_page(look(&site, "/secret").await);
    assert!(why.starts_with("it asks for a name and a password"), "{why}");
    let why = no_page(look(&site, "/turning").await);
    assert!(why.starts_with("it redirects without an end"), "{why}");
}

#[tokio::test]
async fn an_address_without_a_server_says_what_is_wrong() {
    // A port that is bound and then let go: nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let why = no_page(look_for(&format!("http://{free}/"), AMPLE).await);
    assert!(why.starts_with("nobody listens there"), "{why}");
    let why = no_page(look_for("http://no-such-host.invalid/", AMPLE).await);
    assert!(why.starts_with("there is no host of that name"), "{why}");
}

#[tokio::test]
async fn a_file_is_no_page() {
    let archive = Answer::of(200, "application/octet-stream", "abc");
    let attached = Answer::page("<p>x").with("Content-Disposition", "attachment; filename=x.html");
    let nothing = Answer::of(204, "text/html", "");
    let pdf = Answer::of(200, "application/pdf", "%PDF-1.4\n");
    let site = Site::serve([("/a", archive), ("/b", attached), ("/c", nothing), ("/d", pdf)]).await;
    for path in ["/a", "/b", "/d"] {
        let why = no_page(look(&site, path).await);
        assert!(why.starts_with("this is a file to download, not a page"), "{path}: {why}");
    }
    assert_eq!(no_page(look(&site, "/c").await), "the server answered without a page");
}

#[tokio::test]
async fn a_page_that_never_ends_is_seen_as_far_as_it_came() {
    let half = Answer::page("<p>the first half").then_silence();
    let site = Site::serve([("/", half)]).await;
    let seen = look_for(&site.url("/"), Duration::from_secs(12)).await.unwrap();
    assert_eq!(seen.text, "the first half");
    assert_eq!(seen.remarks[0], "the page never finished loading; this is what was there");
}

#[tokio::test]
async fn a_server_that_says_nothing_ends_within_the_limit() {
    let site = Site::serve([("/", Answer::none())]).await;
    let why = no_page(look_for(&site.url("/"), Duration::from_secs(6)).await);
    assert_eq!(why, "the server does not answer; try again later");
}
