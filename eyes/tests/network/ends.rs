//! Every look ends, and leaves nothing behind.

use std::time::Duration;

use eyes::LookError;
use rustix::process::{Pid, Signal, kill_process};
use testkit::eventually;

use crate::rig::{Rig, living, look, runs};
use crate::site::{Page, Site};

/// Waits until none of the processes is there any more.
async fn gone(pids: &[u32]) {
    eventually("their browsers are closed", async || !pids.iter().any(|pid| runs(*pid))).await;
}

#[tokio::test]
async fn three_pages_are_looked_at_side_by_side_and_a_fourth_waits() {
    let site = Site::start(|_| Page::html("hi")).await;
    let rig = Rig::new(&[&site.address]);
    let urls: Vec<_> =
        ["/1/slow", "/2/slow", "/3/slow", "/4/slow"].map(|path| site.url(path)).into();
    let looks = urls.into_iter().map(|url| rig.look(url));
    let opened = async {
        let arrived = || {
            ["/1/slow", "/2/slow", "/3/slow", "/4/slow"]
                .map(|path| site.asked(path))
                .iter()
                .sum::<usize>()
        };
        eventually("three pages are asked for", async || arrived() == 3).await;
        assert_eq!(arrived(), 3);
        let used: Vec<u32> = rig.browsers().into_iter().collect();
        assert_eq!(used.len(), 3);
        site.open();
        used
    };
    let all = async {
        let mut looks: Vec<_> = looks.map(Box::pin).collect();
        let mut ended = Vec::new();
        let (a, b) = looks.split_at_mut(2);
        let ([a, b], [c, d]) = (a, b) else { unreachable!() };
        let (a, b, c, d) = tokio::join!(a, b, c, d);
        ended.extend([a, b, c, d]);
        ended
    };
    let (ended, used) = tokio::join!(all, opened);
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    gone(&used).await;
}

#[tokio::test]
async fn a_look_that_is_given_up_closes_its_browser() {
    let site = Site::start(|_| Page::html("hi")).await;
    let rig = Rig::new(&[&site.address]);
    let used = tokio::select! {
        seen = rig.look(site.url("/slow")) => panic!("{seen:?}"),
        used = async {
            eventually("the page is asked for", async || site.asked("/slow") > 0).await;
            rig.a_browser().await
        } => used,
    };
    site.open();
    gone(&used).await;
    rig.look(site.url("/")).await.unwrap();
}

#[tokio::test]
async fn a_page_that_takes_too_long_is_told_and_its_browser_closed() {
    let site = Site::start(|_| Page::html("hi")).await;
    let rig = Rig::new(&[&site.address]);
    let limit = Duration::from_millis(1);
    let (error, used) = rig.look_with(eyes::Look { limit, ..look(site.url("/slow")) }).await;
    let error = error.unwrap_err();
    assert!(matches!(error, LookError::Slow(..)), "{error}");
    site.open();
    gone(&used).await;
}

#[tokio::test]
async fn a_driver_that_is_killed_in_the_middle_is_told_and_started_anew() {
    let site = Site::start(|_| Page::html("hi")).await;
    let rig = Rig::new(&[&site.address]);
    let killed = async {
        eventually("the page is asked for", async || site.asked("/slow") > 0).await;
        let driver = Pid::from_raw(rig.driver().cast_signed()).unwrap();
        let used = rig.a_browser().await;
        kill_process(driver, Signal::KILL).unwrap();
        used
    };
    let (seen, used) = tokio::join!(rig.look(site.url("/slow")), killed);
    assert_eq!(
        seen.unwrap_err().to_string(),
        "the browser failed: the browser at this machine has ended in the middle; the next look starts one anew"
    );
    rig.look(site.url("/")).await.unwrap();
    gone(&used).await;
}

#[tokio::test]
async fn nothing_is_left_when_nobody_asks_any_more() {
    let site = Site::start(|_| Page::html("hi")).await;
    let rig = Rig::new(&[&site.address]);
    let outside = rig.outside();
    let looking = tokio::select! {
        seen = rig.look(site.url("/slow")) => panic!("{seen:?}"),
        () = eventually("the page is asked for", async || site.asked("/slow") > 0) => living(outside),
    };
    assert!(looking.len() > 3, "{looking:?}");
    drop(rig);
    eventually("all of them have ended", async || {
        looking.iter().chain([&outside]).all(|pid| !runs(*pid))
    })
    .await;
}
