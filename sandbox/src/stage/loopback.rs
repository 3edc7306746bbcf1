//! Brings up the loopback interface of a new network namespace, by one netlink message (rtnetlink(7)).

use std::io;
use std::os::fd::AsRawFd;

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

/// Loopback is the first interface of every namespace.
const INTERFACE: i32 = 1;
const HEADER_LEN: usize = 16;

/// Brings it up, which also gives it 127.0.0.1 and ::1.
///
/// # Errors
/// What the kernel answered.
pub(super) fn bring_up() -> io::Result<()> {
    let socket = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    sendto(socket.as_raw_fd(), &request(), &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
    let mut answer = [0; 512];
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    match acknowledged(&answer[..length]) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "no acknowledgement")),
    }
}

/// An RTM_NEWLINK message that sets IFF_UP and asks for an acknowledgement.
fn request() -> Vec<u8> {
    let up = libc::IFF_UP as u32;
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
    [
        &(HEADER_LEN as u32 + 16).to_ne_bytes()[..],
        &libc::RTM_NEWLINK.to_ne_bytes(),
        &flags.to_ne_bytes(),
        &[0; 8], // sequence and sender: one question, one answer
        &[0; 4], // any family, any type
        &INTERFACE.to_ne_bytes(),
        &up.to_ne_bytes(),
        &up.to_ne_bytes(), // the only flag to change
    ]
    .concat()
}

/// The error number of an acknowledgement: 0, or a negative errno.
fn acknowledged(answer: &[u8]) -> Option<i32> {
    let error = answer.get(HEADER_LEN..HEADER_LEN + 4)?;
    Some(i32::from_ne_bytes(error.try_into().ok()?))
}
