//! An HTTP server of this machine: it hands over each request as it arrived, and answers what the test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// The largest body that is read, in bytes.
const MOST: usize = 1024 * 1024;

/// One request as it arrived.
#[derive(Debug, Clone, Default)]
pub struct Arrived {
    /// The request line and the headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Arrived {
    /// Reads a request. Of a client that goes in the midst it is what came.
    #[must_use]
    pub fn read(stream: &TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while reader.read_line(&mut head).is_ok_and(|size| size > 2) {}
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
        });
        let mut body = vec![0; length.unwrap_or(0).min(MOST)];
        let _ = reader.read_exact(&mut body);
        Self { head, body }
    }

    /// The path that is asked for, with its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// A server at a port of this machine's loopback that answers each request with the JSON of `answer`; the port, and what has
/// arrived and been answered.
///
/// # Panics
/// When no port can be had.
pub fn json_server(
    answer: impl Fn(&Arrived) -> String + Send + 'static,
) -> (u16, Receiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, arrived) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let request = Arrived::read(&stream);
            let answer = answer(&request);
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                answer.len()
            );
            // Not every test looks at what arrives.
            let _ = sender.send(request);
        }
    });
    (port, arrived)
}
