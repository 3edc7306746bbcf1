//! Attacks over the network and over sockets of every kind. Whatever is reached says the target's word.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::time::Duration;

use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

use super::attack::Answer;
use super::target::Target;
use crate::sandbox::PORT;

/// How long a server on the same machine is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn tcp(target: &Target) -> Answer {
    match &target.machine {
        Ok(address) => connect(*address, &target.word).into(),
        Err(why) => Answer::Moot(why.clone()),
    }
}

pub(super) fn loopback(target: &Target) -> Answer {
    connect(target.tcp, &target.word).into()
}

fn connect(address: SocketAddr, word: &str) -> io::Result<String> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    heard(stream, word)
}

/// Reads what the other end says first.
fn heard(mut stream: impl Read, word: &str) -> io::Result<String> {
    let mut said = vec![0; word.len()];
    stream.read_exact(&mut said)?;
    if said == word.as_bytes() {
        return Ok("it answered".to_owned());
    }
    Err(io::Error::other(format!("something else answered: {}", String::from_utf8_lossy(&said))))
}

pub(super) fn udp(target: &Target) -> Answer {
    let exchanged = || {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send_to(b"x", target.udp)?;
        let mut said = vec![0; target.word.len()];
        let (length, _) = socket.recv_from(&mut said)?;
        heard(&said[..length], &target.word)
    };
    exchanged().into()
}

pub(super) fn unix(target: &Target) -> Answer {
    UnixStream::connect(&target.unix).and_then(|stream| heard(stream, &target.word)).into()
}

pub(super) fn abstract_unix(target: &Target) -> Answer {
    let address = UnixAddr::from_abstract_name(&target.word);
    let stream = address.and_then(|address| UnixStream::connect_addr(&address));
    stream.and_then(|stream| heard(stream, &target.word)).into()
}

pub(super) fn raw(_: &Target) -> Answer {
    let flags = SockFlag::SOCK_CLOEXEC;
    let icmp = || socket(AddressFamily::Inet, SockType::Raw, flags, SockProtocol::Icmp);
    let packet = || socket(AddressFamily::Packet, SockType::Raw, flags, None);
    let opened = icmp().or_else(|_| packet()).map(|_| "opened one".to_owned());
    opened.map_err(io::Error::from).into()
}

pub(super) fn netlink(_: &Target) -> Answer {
    let flags = SockFlag::SOCK_CLOEXEC;
    let opened = socket(AddressFamily::Netlink, SockType::Raw, flags, SockProtocol::NetlinkRoute);
    opened.map(|_| "opened one".to_owned()).map_err(io::Error::from).into()
}

/// Without the sandbox the server answers directly; in it the only way is the proxy.
pub(super) fn proxy(target: &Target) -> Answer {
    if target.outside {
        return loopback(target);
    }
    let proxy = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
    let mut stream = match TcpStream::connect_timeout(&proxy, PATIENCE) {
        Ok(stream) => stream,
        Err(error) => return Answer::Moot(format!("the proxy can't be reached: {error}")),
    };
    match ask(&mut stream, &target.tcp) {
        Ok(said) if said.contains(&target.word) => Answer::Got("the server answered".to_owned()),
        Ok(said) if said.starts_with("HTTP/1.1 4") => {
            Answer::Refused(format!("the proxy said {}", said.lines().next().unwrap_or_default()))
        }
        Ok(said) => Answer::Moot(format!("the proxy's answer was {said:?}")),
        Err(error) => Answer::Moot(format!("the proxy gave no answer: {error}")),
    }
}

fn ask(stream: &mut TcpStream, server: &SocketAddr) -> io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "CONNECT {server} HTTP/1.1\r\nHost: {server}\r\n\r\n")?;
    let mut said = Vec::new();
    // An open tunnel ends by the patience alone.
    let ended = stream.take(4096).read_to_end(&mut said);
    if said.is_empty() {
        ended?;
    }
    Ok(String::from_utf8_lossy(&said).into_owned())
}
