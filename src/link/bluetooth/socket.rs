//! A socket that BlueZ has handed over.

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io;
use std::os::fd::OwnedFd;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A socket: of packets for a characteristic, of bytes for a serial port.
#[derive(Debug)]
pub(super) struct Socket(AsyncFd<OwnedFd>);

impl Socket {
    /// Takes a socket over. Must be called inside a tokio runtime with I/O.
    pub(super) fn new(socket: OwnedFd) -> io::Result<Socket> {
        fcntl_setfl(&socket, fcntl_getfl(&socket)? | OFlags::NONBLOCK)?;
        // The replacement is `unsafe`: its caller must know that the descriptor stays the same, as it does here.
        #[allow(deprecated)]
        Ok(Socket(AsyncFd::with_interest(socket, Interest::READABLE | Interest::WRITABLE)?))
    }

    /// Reads a packet, or bytes, into `buf` and returns the length; 0: the other end is closed. Cancel safe.
    pub(super) async fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.async_io(Interest::READABLE, |socket| Ok(rustix::io::read(socket, &mut *buf)?)).await
    }

    /// Writes a packet, or some of the bytes, and returns the length. Cancel safe.
    pub(super) async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.async_io(Interest::WRITABLE, |socket| Ok(rustix::io::write(socket, bytes)?)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn packets_and_the_end() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let (ours, theirs) = (Socket::new(ours.into()).unwrap(), Socket::new(theirs.into()).unwrap());
        assert_eq!(ours.write(b"e2e4").await.unwrap(), 4);
        let mut buf = [0; 8];
        assert_eq!(theirs.read(&mut buf).await.unwrap(), 4);
        assert_eq!(&buf[..4], b"e2e4");
        drop(ours);
        assert_eq!(theirs.read(&mut buf).await.unwrap(), 0);
    }
}
