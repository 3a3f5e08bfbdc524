//! The socket of a connection. A thread reads it and notes when each line was complete.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::lines::LineBuffer;

/// Longest time to connect to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time to send a line.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes read at once.
const BUFFER_BYTES: usize = 4096;

/// What came through the socket.
#[derive(Debug)]
pub(super) enum Received {
    /// A line, without its line end.
    Line(String),
    /// The connection is closed.
    Closed,
}

/// An open connection. Dropping it closes the socket and ends the thread.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    reader: Option<JoinHandle<()>>,
}

impl Connection {
    /// Connects to the first address of the host that answers. `on_received` is called from the
    /// reading thread; the last call is [`Received::Closed`].
    ///
    /// # Errors
    /// The host is unknown, or no address answers.
    pub(super) fn open(
        host: &str,
        port: u16,
        on_received: impl Fn(Received, Instant) + Send + 'static,
    ) -> io::Result<Self> {
        let stream = connect(host, port)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(SEND_TIMEOUT))?;
        let input = stream.try_clone()?;
        let reader = thread::Builder::new()
            .name("csa-reader".to_owned())
            .spawn(move || read(input, on_received))?;
        Ok(Self {
            stream,
            reader: Some(reader),
        })
    }

    /// Sends a line with one write.
    ///
    /// # Errors
    /// The connection is closed, or the server does not read.
    pub(super) fn send(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(format!("{line}\n").as_bytes())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Fails if the server has closed it.
        let _ = self.stream.shutdown(Shutdown::Both);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn read(mut input: TcpStream, on_received: impl Fn(Received, Instant)) {
    let (mut lines, mut bytes) = (LineBuffer::default(), [0; BUFFER_BYTES]);
    loop {
        match input.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => {
                let now = Instant::now();
                lines.feed(&bytes[..count], |line| {
                    on_received(Received::Line(line), now);
                });
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    on_received(Received::Closed, Instant::now());
}
