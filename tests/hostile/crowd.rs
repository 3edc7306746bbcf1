//! A crowd at the agent's channel for programs: connections that say half a head, and no more.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;

use crate::house::until;

/// What programs have to show, in the home of a case with a crowd.
const TOKEN: &str = "token-of-programs-0123456789abcdef";

/// Has `count` connections stand around in the agent of `home`, and then a program with the token ask. Gives its answer.
///
/// # Panics
/// When the agent keeps as many files open as there were connections.
pub(crate) fn stand_around(count: usize, home: &Path, agent: u32) -> String {
    let port = port(home);
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let half = |_| {
        let mut stream = connect();
        stream.write_all(b"POST /v1/messages HTTP/1.1\r\nhost: ").unwrap();
        stream
    };
    let _crowd: Vec<TcpStream> = (0..count).map(half).collect();
    let mut program = connect();
    let body = r#"{"text": "Hello."}"#;
    write!(
        program,
        "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    program.read_to_string(&mut answer).unwrap();
    let open = fs::read_dir(format!("/proc/{agent}/fd")).unwrap().count();
    assert!(open < count, "LEAK of files: the agent has {open} open, for {count} who said nothing");
    answer
}

/// Where the agent serves programs, by its log.
fn port(home: &Path) -> u16 {
    let mut port = None;
    until("programs are served", || {
        let log = fs::read_to_string(home.join("workspace/agent.log")).unwrap_or_default();
        let behind = log.split("served at http://127.0.0.1:").nth(1).unwrap_or_default();
        port =
            behind.split(|c: char| !c.is_ascii_digit()).next().and_then(|port| port.parse().ok());
        port.is_some()
    });
    port.unwrap()
}
