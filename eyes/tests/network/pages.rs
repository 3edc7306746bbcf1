//! Pages are looked at through everything that stands between an agent and a browser.

use std::collections::HashSet;
use std::time::Duration;

use eyes::LookError;
use testkit::eventually;

use crate::rig::{Rig, living, look, runs};
use crate::site::{Page, Site};

const BANNER: &str = "<h1>The page itself</h1><div style='position:fixed;bottom:0;left:0;right:0;height:200px' id=b>\
    <p>We use cookies to improve your experience.</p><button onclick='b.remove()'>Reject all</button>\
    <button onclick='b.remove()'>Accept all</button></div>";

const ASKS: &str = "<p id=o><script>alert(1); o.textContent = 'said ' + confirm('sure?');\
    for (let i = 0; i < 3; i++) window.open('/other')</script>";

#[tokio::test]
async fn pages_are_seen_through_all_that_stands_before_the_browser() {
    let site = Site::start(|path| match path {
        "/banner" => Page::html(BANNER),
        "/asks" => Page::html(ASKS),
        "/tall" => {
            Page::html("<title>Tall</title><p style='height:3000px;margin:0'>up here<p>down there")
        }
        "/missing" => Page::missing("nothing is here"),
        _ => Page::html("<p>other"),
    })
    .await;
    let rig = Rig::new(&[&site.address]);
    let banner = rig.look(site.url("/banner")).await.unwrap();
    assert_eq!(banner.text, "The page itself");
    assert_eq!(banner.remarks, ["a cookie banner was dismissed (everything was rejected)"]);
    let missing = rig.look(site.url("/missing")).await.unwrap();
    assert_eq!((missing.status, missing.text.as_str()), (Some(404), "nothing is here"));
    let asks = rig.look(site.url("/asks")).await.unwrap();
    assert_eq!(asks.text, "said false");
    assert_eq!(site.asked("/other"), 0, "a page opens no window");
    let tall = rig.look(site.url("/tall")).await.unwrap();
    assert_eq!((tall.title.as_str(), tall.text.as_str()), ("Tall", "up here\n\ndown there"));
    let height = u32::from_be_bytes(tall.picture.unwrap()[20..24].try_into().unwrap());
    assert!(height > 3_000, "{height}");
}

#[tokio::test]
async fn a_page_that_holds_up_its_browser_is_given_up_and_the_browser_killed() {
    let site = Site::start(|path| match path {
        "/dead" => Page::html(
            "<p>x<script>addEventListener('load', () => setTimeout(() => { while (true); }, 120))</script>",
        ),
        _ => Page::html("<p>fine"),
    })
    .await;
    let rig = Rig::new(&[&site.address]);
    let limit = Duration::from_secs(5);
    let (error, used) = rig.look_with(eyes::Look { limit, ..look(site.url("/dead")) }).await;
    let error = error.unwrap_err();
    assert!(matches!(error, LookError::Slow(..) | LookError::Page(..)), "{error}");
    assert_eq!(rig.look(site.url("/")).await.unwrap().text, "fine");
    eventually("nothing of its browser is left", async || !used.iter().any(|pid| runs(*pid))).await;
}

#[tokio::test]
async fn the_next_browser_is_open_before_it_is_needed_and_used_once() {
    let site = Site::start(|_| Page::html("hi")).await;
    let rig = Rig::new(&[&site.address]);
    let (seen, first) = rig.look_with(look(site.url("/"))).await;
    seen.unwrap();
    eventually("only the next one is open", async || {
        !first.iter().any(|pid| runs(*pid)) && rig.browsers().len() == 1
    })
    .await;
    let spare = rig.browsers();
    let during = async {
        eventually("the page is asked for", async || site.asked("/slow") > 0).await;
        let during = rig.browsers();
        site.open();
        during
    };
    let (seen, during) = tokio::join!(rig.look(site.url("/slow")), during);
    seen.unwrap();
    assert_eq!(during, spare, "it was looked with the one that was open");
    eventually("it is thrown away and the next one open", async || {
        let now = rig.browsers();
        now.len() == 1 && now.is_disjoint(&spare)
    })
    .await;
    let all: HashSet<u32> = living(rig.outside()).into_iter().collect();
    assert!(all.is_disjoint(&first.into_iter().collect()));
}
