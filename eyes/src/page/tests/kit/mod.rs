//! What the tests of pages stand on: a site of their own, and a browser.

mod site;

use std::time::Duration;

pub(super) use site::{Answer, Site};
pub(super) use testkit::with_browser;

use crate::look::{Look, LookError, Seen};
use crate::page::cdp::Cdp;

/// Far more than a page of a test takes, so that a slow machine fails no test.
pub(super) const AMPLE: Duration = Duration::from_secs(60);

/// Looks at a page of the site with all the time in the world.
pub(super) async fn look(site: &Site, path: &str) -> Result<Seen, LookError> {
    look_for(&site.url(path), AMPLE).await
}

/// Looks at an address, within a limit.
pub(super) async fn look_for(url: &str, limit: Duration) -> Result<Seen, LookError> {
    let look = Look { url: url.parse().unwrap(), limit };
    with_browser(async |client| crate::page::look(client, &look).await).await
}

/// What is seen of a page with this body.
pub(super) async fn see(body: &str) -> Seen {
    let site = Site::serve([("/", Answer::page(body))]).await;
    look(&site, "/").await.unwrap()
}

/// What is seen of one page after the other, in one session.
pub(super) async fn see_each(bodies: &[String]) -> Vec<Seen> {
    let sites = bodies.iter().map(|body| Site::serve([("/", Answer::page(body))]));
    let sites = futures::future::join_all(sites).await;
    with_browser(async |client| {
        let mut all = Vec::new();
        for site in &sites {
            let look = Look { url: site.url("/").parse().unwrap(), limit: AMPLE };
            all.push(crate::page::look(client, &look).await.unwrap());
        }
        all
    })
    .await
}

/// The same as [`look`], and how much of something the browser did for it, by its own count (`Performance.getMetrics`).
pub(super) async fn look_and_count(site: &Site, what: &str) -> (Seen, f64) {
    let look = Look { url: site.url("/").parse().unwrap(), limit: AMPLE };
    with_browser(async |client| {
        let command = |name| Cdp { name, params: serde_json::json!({}) };
        client.issue_cmd(command("Performance.enable")).await.unwrap();
        let seen = crate::page::look(client, &look).await.unwrap();
        let counts = client.issue_cmd(command("Performance.getMetrics")).await.unwrap();
        let counts = counts["metrics"].as_array().unwrap();
        let count = counts.iter().find(|count| count["name"] == what).unwrap();
        (seen, count["value"].as_f64().unwrap())
    })
    .await
}
