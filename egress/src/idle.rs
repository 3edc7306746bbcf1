//! A stream that ends when nothing has passed through it for a while.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::carried::Carried;

/// A stream whose reads and writes fail with [`io::ErrorKind::TimedOut`] once it has been waited for
/// `limit` without a byte in either direction. It guards heads, bodies and tunnels alike.
#[derive(Debug)]
pub(crate) struct Idle<S> {
    stream: S,
    limit: Duration,
    last_moved: Instant,
    alarm: Pin<Box<Sleep>>,
    carried: Carried,
}

impl<S> Idle<S> {
    /// Guards `stream`, and adds what passes through it to `carried`.
    pub(crate) fn new(stream: S, limit: Duration, carried: Carried) -> Self {
        Self { stream, limit, last_moved: Instant::now(), alarm: Box::pin(sleep(limit)), carried }
    }

    /// Passes on what the stream did, or the alarm when it did nothing for too long.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if moved.is_ready() {
            self.last_moved = Instant::now();
            return moved;
        }
        loop {
            ready!(self.alarm.as_mut().poll(cx));
            let due = self.last_moved + self.limit;
            if due <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.alarm.as_mut().reset(due);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Idle<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.carried.received(buffer.filled().len() - before);
        self.watch(cx, read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Idle<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(count)) = &written {
            self.carried.sent(*count);
        }
        self.watch(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
