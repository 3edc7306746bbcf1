//! A site of two pages: a small one with a script, and one of 5 MB.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};
use url::Url;

/// How large the large page is, in bytes.
const LARGE: usize = 5_000_000;

const SMALL: &str = "<!doctype html><html lang=en><title>Cat food</title><h1>Cat food</h1>\
    <p>It costs 12 euros, and a cat that has once had it wants no other for the rest of its nine lives.</p>";

/// A site that is served for as long as this program runs.
pub(crate) struct Site {
    address: String,
}

impl Site {
    pub(crate) fn serve() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let large = Arc::new(large()?);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let large = Arc::clone(&large);
                // A browser that has enough hangs up.
                thread::spawn(move || drop(answer(stream, &large)));
            }
        });
        Ok(Self { address })
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// A page's address: `small` or `large`.
    pub(crate) fn url(&self, page: &str) -> Result<Url> {
        format!("http://{}/{page}", self.address).parse().context("an address")
    }
}

fn large() -> Result<String> {
    let mut page = SMALL.to_owned();
    let mut number = 0;
    while page.len() < LARGE {
        number += 1;
        writeln!(page, "<p>Cat {number} has had it, too, and says nothing but good of it.</p>")?;
    }
    Ok(page)
}

fn answer(mut stream: TcpStream, large: &str) -> Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().context("no request")??;
    while !lines.next().context("no end of the head")??.is_empty() {}
    let page = if first.contains("/large") { large } else { SMALL };
    let size = page.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n"
    )?;
    Ok(stream.write_all(page.as_bytes())?)
}
