//! Nothing that a page does reaches the inside of the house.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use egress::{Limits, Resolve, Trust, Upstream};
use eyes::{LookError, Network};

use crate::rig::Rig;
use crate::site::{Page, Sink, Site};

/// Where clouds keep credentials.
const CLOUD: &str = "169.254.169.254";

/// A page that tries every way to `@SINK@`, and says so when all of them have ended.
const HOSTILE: &str = r#"<!doctype html><title>Hostile</title>
<link rel="preconnect" href="http://@SINK@/"><link rel="stylesheet" href="http://@SINK@/style">
<img src="http://@SINK@/picture"><iframe src="http://@SINK@/frame"></iframe>
<script src="http://@SINK@/script"></script>
<img src="/slow">
<p id="p">waiting</p>
<script>
const socket = new Promise(end => {
    try { const s = new WebSocket("ws://@SINK@/socket"); s.onopen = s.onerror = s.onclose = end; } catch { end(); }
});
const spelled = "http://@SINK@/x".replace("127.0.0.1", "2130706433");
Promise.allSettled([
    socket,
    fetch("http://@SINK@/fetch", { mode: "no-cors" }),
    fetch("http://@SINK@/post", { method: "POST", body: "x", mode: "no-cors" }),
    fetch(spelled, { mode: "no-cors" }),
    fetch("/to-sink", { mode: "no-cors" }),
]).then(ends => {
    navigator.sendBeacon("http://@SINK@/beacon", "x");
    document.getElementById("p").textContent = "tried " + ends.length;
    fetch("/done");
});
</script>"#;

async fn hostile(victim: String) -> Site {
    let page = HOSTILE.replace("@SINK@", &victim);
    Site::start(move |path| match path {
        "/" => Page::html(&page),
        "/to-sink" => Page::to(&format!("http://{victim}/redirected")),
        _ => Page::html(""),
    })
    .await
}

#[tokio::test]
async fn whatever_a_page_wants_of_this_machine_it_does_not_get() {
    let sink = Sink::start().await;
    let site = hostile(sink.address.to_string()).await;
    let rig = Rig::new(&[&site.address]);
    let seen = rig.look(site.url("/")).await.unwrap();
    assert!(seen.text.contains("tried 5"), "{seen:?}");
    assert_eq!(sink.arrived(), 0);
    let wanted = format!("the page wanted {}, which is refused", sink.address);
    assert!(seen.remarks.contains(&wanted), "{:?}", seen.remarks);
}

#[tokio::test]
async fn the_address_where_clouds_keep_credentials_is_not_reached() {
    let site = hostile(CLOUD.to_owned()).await;
    let rig = Rig::new(&[&site.address]);
    let seen = rig.look(site.url("/")).await.unwrap();
    assert!(seen.text.contains("tried 5"), "{seen:?}");
    let wanted = format!("the page wanted {CLOUD}:80, which is refused");
    assert!(seen.remarks.contains(&wanted), "{:?}", seen.remarks);
}

#[tokio::test]
async fn a_redirect_into_the_house_is_no_page() {
    let sink = Sink::start().await;
    let inside = format!("http://{}/", sink.address);
    let site = Site::start(move |_| Page::to(&inside)).await;
    let error = Rig::new(&[&site.address]).look(site.url("/")).await.unwrap_err();
    assert!(matches!(error, LookError::Refused(..)), "{error}");
    let told = format!("it leads to http://{}/: it is not public (loopback)", sink.address);
    assert!(error.to_string().contains(&told), "{error}");
    assert_eq!(sink.arrived(), 0);
}

#[tokio::test]
async fn what_the_proxy_says_of_a_dead_server_is_no_page() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = Rig::new(&[&gone]).look(format!("http://{gone}/").parse().unwrap()).await;
    let error = error.unwrap_err();
    assert!(matches!(error, LookError::Unreached(..)), "{error}");
    assert!(error.to_string().contains("connect"), "{error}");
}

#[tokio::test]
async fn a_page_whose_picture_does_not_come_is_seen_all_the_same() {
    let site = Site::start(|path| match path {
        "/" => Page::html("<p>The words of the page.</p><img src=\"/cut\">"),
        _ => Page::cut(),
    })
    .await;
    let seen = Rig::new(&[&site.address]).look(site.url("/")).await.unwrap();
    assert!(seen.text.contains("The words of the page."), "{seen:?}");
    assert!(seen.remarks.iter().any(|remark| remark.contains("did not come")), "{seen:?}");
}

#[tokio::test]
async fn an_address_inside_the_house_opens_no_browser() {
    let sink = Sink::start().await;
    let rig = Rig::new(&[]);
    let error = rig.look(format!("http://{}/", sink.address).parse().unwrap()).await.unwrap_err();
    assert!(error.to_string().contains("browser.allow_private"), "{error}");
    for url in ["file:///etc/passwd", "data:text/html,hi", "chrome://version"] {
        let error = rig.look(url.parse().unwrap()).await.unwrap_err();
        assert!(matches!(error, LookError::Refused(..)), "{error}");
    }
    assert_eq!(sink.arrived(), 0);
    assert!(crate::rig::living(rig.outside()).is_empty(), "a driver was started");
}

/// Leads outside once, and into the house from then on.
struct Turncoat(AtomicUsize);

#[async_trait]
impl Resolve for Turncoat {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "site.test" {
            return Ok(vec![Ipv4Addr::LOCALHOST.into()]);
        }
        if name != "turncoat.test" {
            return Err(io::ErrorKind::NotFound.into());
        }
        let before = self.0.fetch_add(1, Ordering::SeqCst);
        // Nobody is there, and nobody answers: TEST-NET would be refused as such.
        let outside = Ipv4Addr::new(93, 184, 216, 34);
        Ok(vec![if before == 0 { outside } else { Ipv4Addr::LOCALHOST }.into()])
    }
}

#[tokio::test]
async fn a_name_that_changes_its_address_leads_nowhere() {
    let sink = Sink::start().await;
    let port = sink.address.port();
    let page = format!(
        r#"<img src="/slow"><p id="p"></p><script>(async () => {{
            for (let i = 0; i < 4; i++) {{
                try {{ await fetch("http://turncoat.test:{port}/" + i, {{ mode: "no-cors" }}); }} catch {{}}
            }}
            document.getElementById("p").textContent = "tried";
            fetch("/done");
        }})();</script>"#
    );
    let site = Site::start(move |_| Page::html(&page)).await;
    let resolver = Arc::new(Turncoat(AtomicUsize::new(0)));
    let limits = Limits { connect: std::time::Duration::from_millis(500), ..Limits::default() };
    let upstream = Upstream::new(resolver.clone(), Trust::default(), limits).unwrap();
    let url = format!("http://site.test:{}/", site.address.port());
    let allowed = [url.trim_start_matches("http://").trim_end_matches('/').to_owned()];
    let rig = Rig::with(Network::new(&allowed).unwrap().over(upstream));
    let seen = rig.look(url.parse().unwrap()).await.unwrap();
    assert!(seen.text.contains("tried"), "{seen:?}");
    assert!(resolver.0.load(Ordering::SeqCst) >= 2, "it was asked for again");
    assert_eq!(sink.arrived(), 0);
    let wanted = format!("the page wanted turncoat.test:{port}, which is refused");
    assert!(seen.remarks.contains(&wanted), "{:?}", seen.remarks);
}

/// Keeps the names that it is asked for. One of them leads somewhere.
#[derive(Default)]
struct Asked(Mutex<Vec<String>>);

#[async_trait]
impl Resolve for Asked {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.0.lock().unwrap().push(name.to_owned());
        let is_site = name == "site.test";
        is_site.then(|| vec![Ipv4Addr::LOCALHOST.into()]).ok_or(io::ErrorKind::NotFound.into())
    }
}

#[tokio::test]
async fn a_browser_asks_for_nothing_of_its_own() {
    let site = Site::start(|_| Page::html(r#"<img src="/slow">the page"#)).await;
    let asked = Arc::new(Asked::default());
    let upstream = Upstream::new(asked.clone(), Trust::default(), Limits::default()).unwrap();
    let at = format!("site.test:{}", site.address.port());
    let rig = Rig::with(Network::new(std::slice::from_ref(&at)).unwrap().over(upstream));
    // Its picture never comes, so it is looked at for as long as a page may load.
    let seen = rig.look(format!("http://{at}/").parse().unwrap()).await.unwrap();
    assert_eq!(seen.text, "the page");
    let asked = asked.0.lock().unwrap();
    assert!(asked.iter().all(|name| name == "site.test"), "{asked:?}");
}

#[tokio::test]
async fn no_cookie_outlives_a_look() {
    let site = Site::start(|_| Page::with("Set-Cookie: a=1; Max-Age=1000\r\n", "hi")).await;
    let rig = Rig::new(&[&site.address]);
    for _ in 0..3 {
        rig.look(site.url("/")).await.unwrap();
        assert_eq!(site.cookies("/"), "");
    }
}
