//! The socket of a connection. A thread reads it and notes when each line was complete.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::lines::LineBuffer;

/// Longest time to connect to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time to send a line.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes read at once.
const BUFFER_BYTES: usize = 4096;
/// The socket is not read while so many lines wait to be handled: the server that sends faster has
/// to wait, and no memory fills.
const MOST_WAITING: usize = 10_000;
/// How often the thread looks whether it may read on.
const WAIT_INTERVAL: Duration = Duration::from_millis(2);

/// What came through the socket.
#[derive(Debug)]
pub(super) enum Received {
    /// A line, without its line end.
    Line(String),
    /// The connection is closed, by an error or by the server.
    Closed(Option<io::Error>),
}

/// An open connection. Dropping it closes the socket and ends the thread.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    is_closed: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Connection {
    /// Connects to the first address of the host that answers. `on_received` is called from the
    /// reading thread; the last call is [`Received::Closed`]. `waiting` is raised before each call
    /// for a line, and to be lowered when it was handled.
    ///
    /// # Errors
    /// The host is unknown, or no address answers.
    pub(super) fn open(
        host: &str,
        port: u16,
        waiting: Arc<AtomicUsize>,
        on_received: impl Fn(Received, Instant) + Send + 'static,
    ) -> io::Result<Self> {
        let stream = connect(host, port)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(SEND_TIMEOUT))?;
        let input = stream.try_clone()?;
        let is_closed = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_closed);
        let reader = thread::Builder::new()
            .name("csa-reader".to_owned())
            .spawn(move || {
                let error = read(input, &waiting, &seen, &on_received).err();
                on_received(Received::Closed(error), Instant::now());
            })?;
        Ok(Self {
            stream,
            is_closed,
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
        self.is_closed.store(true, Ordering::Relaxed);
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

fn read(
    mut input: TcpStream,
    waiting: &AtomicUsize,
    is_closed: &AtomicBool,
    on_received: &impl Fn(Received, Instant),
) -> io::Result<()> {
    let (mut lines, mut bytes) = (LineBuffer::default(), [0; BUFFER_BYTES]);
    while !is_closed.load(Ordering::Relaxed) {
        if waiting.load(Ordering::Relaxed) >= MOST_WAITING {
            thread::sleep(WAIT_INTERVAL);
            continue;
        }
        match input.read(&mut bytes) {
            Ok(count) => {
                let now = Instant::now();
                let on_line = |line| {
                    waiting.fetch_add(1, Ordering::Relaxed);
                    on_received(Received::Line(line), now);
                };
                if count == 0 {
                    lines.finish(on_line);
                    return Ok(());
                }
                lines.feed(&bytes[..count], on_line);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
