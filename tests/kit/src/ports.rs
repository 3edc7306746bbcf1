//! Ports for servers that can't choose one themselves.

use std::net::TcpListener;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the ports that systems hand out on their own: nobody's connection and no listener of another test takes one between
/// here and the server's start, or while it restarts.
const PORTS: Range<u16> = 15_000..30_000;

/// A port of 127.0.0.1 that nobody listens on at this moment. Processes that test at the same time begin at different places,
/// so they rarely meet.
#[must_use]
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        let place = std::process::id().wrapping_mul(97).wrapping_add(count);
        let port = PORTS.start + (place % PORTS.len() as u32) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
