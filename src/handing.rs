//! What the agent and its starter say to each other over a pair of sockets: one byte asks, and an answer is a
//! number, with the two ends of a pipe when a router was started.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use broker::pipe::Ended;
use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// What a starter is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Asked {
    /// A new router.
    Start = b's',
    /// How the last one has ended.
    Ended = b'e',
    /// That the last one ends now; there is no answer.
    Kill = b'k',
}

/// The agent's ends of the pipe to a router.
#[derive(Debug)]
pub(crate) struct Ends {
    /// What the router reads.
    pub(crate) to_router: OwnedFd,
    /// What the router prints.
    pub(crate) from_router: OwnedFd,
}

/// Asks a starter.
pub(crate) fn ask(mut starter: &UnixStream, asked: Asked) -> io::Result<()> {
    starter.write_all(&[asked as u8])
}

/// What is asked next; `None` when nobody asks any more.
pub(crate) fn asked(mut agent: &UnixStream) -> io::Result<Option<Asked>> {
    let mut byte = [0];
    match agent.read(&mut byte)? {
        0 => Ok(None),
        _ => [Asked::Start, Asked::Ended, Asked::Kill]
            .into_iter()
            .find(|asked| *asked as u8 == byte[0])
            .map(Some)
            .ok_or_else(nonsense),
    }
}

/// Hands a router's ends over, or says why there is none.
pub(crate) fn hand(agent: &UnixStream, started: &io::Result<Ends>) -> io::Result<()> {
    let number = match started {
        Ok(_) => 0,
        Err(error) => error.raw_os_error().filter(|number| *number != 0).unwrap_or(EIO),
    };
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(2))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    let ends = started.as_ref().map(|ends| [ends.to_router.as_fd(), ends.from_router.as_fd()]);
    if let Ok(ends) = &ends {
        attached.push(SendAncillaryMessage::ScmRights(ends));
    }
    let number = number.to_le_bytes();
    sendmsg(agent, &[IoSlice::new(&number)], &mut attached, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Takes the ends of a router that was asked for.
pub(crate) fn take(starter: &UnixStream) -> io::Result<Ends> {
    let mut number = [0; 4];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(2))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let parts = &mut [IoSliceMut::new(&mut number)];
    let read = recvmsg(starter, parts, &mut attached, RecvFlags::CMSG_CLOEXEC)?.bytes;
    let rights = attached.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(ends) => Some(ends),
        _ => None,
    });
    let mut ends = rights.flatten();
    match (read, i32::from_le_bytes(number), ends.next(), ends.next()) {
        (4, 0, Some(to_router), Some(from_router)) => Ok(Ends { to_router, from_router }),
        (4, number @ 1.., ..) => Err(io::Error::from_raw_os_error(number)),
        (0, ..) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "what starts routers is gone")),
        _ => Err(nonsense()),
    }
}

/// Says how a router has ended.
pub(crate) fn tell(mut agent: &UnixStream, ended: Ended) -> io::Result<()> {
    agent.write_all(&[u8::from(ended == Ended::ByItself)])
}

/// How a router has ended, as its starter tells.
pub(crate) fn told(mut starter: &UnixStream) -> io::Result<Ended> {
    let mut byte = [0];
    starter.read_exact(&mut byte)?;
    Ok(if byte == [1] { Ended::ByItself } else { Ended::Killed })
}

/// What an error that has no number is told as: input/output error.
const EIO: i32 = rustix::io::Errno::IO.raw_os_error();

fn nonsense() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it makes no sense")
}
