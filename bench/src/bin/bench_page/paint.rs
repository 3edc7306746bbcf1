//! When a page is painted first.

use std::io::Write;
use std::net::TcpListener;

use anyhow::{Context, Result};
use fantoccini::Client;
use loopback::guarded_headers;
use testkit::{Arrived, forget_files};

/// The first paint since the page was asked for, in milliseconds, as the browser itself tells it:
/// `first-contentful-paint` of the Paint Timing specification.
const FIRST_PAINT: &str = "const done = arguments[0]; \
     new PerformanceObserver((list) => { \
       const paint = list.getEntriesByName('first-contentful-paint')[0]; if (paint) done(paint.startTime); \
     }).observe({type: 'paint', buffered: true});";

/// What has been measured of one page, in milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Paints(Vec<f64>);

impl Paints {
    /// Opens the page at `url` in a browser that has none of its files, and keeps when it was painted first.
    pub(crate) async fn add(&mut self, client: &Client, url: &str) -> Result<()> {
        client.goto("about:blank").await?;
        forget_files(client).await;
        client.goto(url).await?;
        let painted = client.execute_async(FIRST_PAINT, Vec::new()).await?;
        self.0.push(painted.as_f64().with_context(|| format!("{url} was never painted"))?);
        Ok(())
    }

    /// The one in the middle.
    pub(crate) fn median(&self) -> f64 {
        let mut all = self.0.clone();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Serves a page of one word with the headers of the program's own pages, and gives its address. Without them the browser would
/// show it in the process that is there already, while each page of the program gets a new one.
pub(crate) fn bare() -> Result<String> {
    const PAGE: &str = "<!doctype html><title>A word</title><p>Word";
    let guarded: String = guarded_headers()
        .map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap_or_default()))
        .collect();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let guarded = guarded.clone();
            // A browser also opens connections ahead, and asks nothing.
            std::thread::spawn(move || {
                let _ = Arrived::read(&stream);
                let length = PAGE.len();
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
                let _ = write!(stream, "{head}\r\n{guarded}content-length: {length}\r\n\r\n{PAGE}");
            });
        }
    });
    Ok(format!("http://{address}/"))
}
