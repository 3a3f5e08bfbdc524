//! The socket of a connection. A thread reads it and notes when each line was complete.
//!
//! Lines may come in pieces or several at once, end with LF or CR LF, and hold any byte.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::util::is_command;

/// Longest time to connect to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time to send a line.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes read at once.
const BUFFER_BYTES: usize = 4096;
/// The socket is not read while this many lines wait to be handled: a server that sends faster has
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
        let reader = thread::Builder::new().name("csa-reader".to_owned()).spawn(move || {
            let error = read(input, &waiting, &seen, &on_received).err();
            on_received(Received::Closed(error), Instant::now());
        })?;
        Ok(Self { stream, is_closed, reader: Some(reader) })
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

/// Longest line in bytes; the rest of a longer one is dropped.
const LONGEST_LINE: usize = 8 * 1024;

/// Collects bytes until a line is complete.
#[derive(Default, Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
}

impl LineBuffer {
    /// Takes received bytes and calls `on_line` for each line that they complete. A line has no
    /// line end and no control characters, and at most 8 KB; invalid UTF-8 is replaced.
    pub fn feed(&mut self, received: &[u8], mut on_line: impl FnMut(String)) {
        for &byte in received {
            if byte == b'\n' {
                on_line(text(&self.bytes));
                self.bytes.clear();
            } else if self.bytes.len() < LONGEST_LINE {
                self.bytes.push(byte);
            }
        }
    }

    /// The end of the connection: calls `on_line` for a last line without a line end.
    pub fn finish(self, on_line: impl FnOnce(String)) {
        if !self.bytes.is_empty() {
            on_line(text(&self.bytes));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.retain(|letter| !is_command(letter));
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
        for piece in pieces {
            buffer.feed(piece, |line| lines.push(line));
        }
        lines
    }

    #[test]
    fn pieces_are_joined_and_packets_split() {
        assert_eq!(
            lines(&[b"+77", b"76FU,T1\r", b"\n\n-3334FU\n%TO"]),
            ["+7776FU,T1", "", "-3334FU"]
        );
    }

    #[test]
    fn the_last_line_needs_no_end() {
        let rest = |bytes: &[u8]| {
            let (mut buffer, mut last) = (LineBuffer::default(), None);
            buffer.feed(bytes, |_| {});
            buffer.finish(|line| last = Some(line));
            last
        };
        assert_eq!(rest(b"#TIME_UP\n#LOSE").as_deref(), Some("#LOSE"));
        assert_eq!(rest(b"#LOSE\n"), None);
    }

    #[test]
    fn any_byte_is_taken_and_long_lines_are_cut() {
        assert_eq!(lines(&[b"\x00\x01a\xff\n"]), ["a\u{fffd}"]);
        let long = ["X".repeat(100_000).as_bytes(), b"\n#WIN\n"].concat();
        let lines = lines(&[&long]);
        assert_eq!((lines[0].len(), lines[1].as_str()), (LONGEST_LINE, "#WIN"));
    }
}
