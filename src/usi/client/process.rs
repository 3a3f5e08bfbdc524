//! The process of an engine, with a thread for each of its pipes.
//!
//! The program is not trusted: it may flood its output, stop reading, close one end of a pipe, or
//! leave child processes that keep the pipes open. The threads are therefore never joined; they end
//! with their pipes.
//!
//! Nothing that it starts outlives us, but what leaves its process group on purpose (`setsid`). On
//! Unix the group is that of a guard, a process of our own executable that waits for the end of a
//! pipe, however we end, and then ends its group. On Windows it is a job object.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::VecDeque, thread};

use super::{ClientError, PASSWORD_VARIABLE, Program};
use crate::util::{decode_line, is_command, shorten};

/// Longest line in bytes; the rest is dropped.
const LONGEST_LINE: usize = 64 * 1024;
/// Lines in the queue; an engine that writes more blocks.
const MOST_WAITING: usize = 1024;
/// Bytes that a pipe takes, at the least, before its other end is read.
const PIPE_ROOM: usize = 8 * 1024;
/// Time for an engine to read what does not fit into the pipe.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// Time for a process to end after its output has.
const END_PATIENCE: Duration = Duration::from_millis(500);
/// Time between two checks whether a process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// How long the last error output of a process that has ended is waited for.
const LAG: Duration = Duration::from_millis(100);

/// A line from the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    /// The time at which it was complete.
    pub at: Instant,
    /// Without its line end and control characters; invalid UTF-8 is replaced, and at most 64 KB
    /// are kept.
    pub line: String,
}

/// A running process. Dropping it kills it with all that it started, and waits until it has ended.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Group,
    /// `None` once closed.
    input: Option<ChildStdin>,
    lines: Receiver<Received>,
    dialogue: Arc<Mutex<Dialogue>>,
    /// Bytes sent since the last line was received, which the engine may not have read yet.
    unread: usize,
}

impl Process {
    pub(super) fn start(program: &Program) -> io::Result<Self> {
        let mut group = Group::new()?;
        let mut child = group.spawn(command(program)?)?;
        let dialogue = Arc::new(Mutex::new(Dialogue::new()));
        let (sender, lines) = mpsc::sync_channel(MOST_WAITING);
        let (output, diagnostics) = (child.stdout.take(), child.stderr.take());
        // From here on, dropping `process` kills the child if anything fails.
        let process = Self {
            input: child.stdin.take(),
            child,
            group,
            lines,
            dialogue: Arc::clone(&dialogue),
            unread: 0,
        };
        if let Some(output) = output {
            let dialogue = Arc::clone(&dialogue);
            spawn("usi-output", move || {
                forward_lines(output, &dialogue, &sender);
            })?;
        }
        if let Some(diagnostics) = diagnostics {
            spawn("usi-diagnostics", move || {
                note_lines(diagnostics, &dialogue);
            })?;
        }
        Ok(process)
    }

    pub(super) fn dialogue(&self) -> Vec<String> {
        lock(&self.dialogue).lines()
    }

    fn exit_status(&mut self) -> Option<String> {
        match self.child.try_wait() {
            Ok(status) => status.map(describe),
            Err(error) => Some(format!("lost: {error}")),
        }
    }

    pub(super) fn send(&mut self, line: &str) -> Result<Instant, ClientError> {
        if line.contains(['\n', '\r']) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "expected one line");
            return Err(write_error(line, error));
        }
        let bytes = format!("{line}\n").into_bytes();
        self.unread += bytes.len();
        let at = Instant::now();
        lock(&self.dialogue).note('>', at, line);
        self.write(bytes).map_err(|error| self.failure(line, error))?;
        Ok(at)
    }

    /// A write that could block is done by a thread that can be abandoned.
    fn write(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        let Some(mut input) = self.input.take() else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if self.unread <= PIPE_ROOM {
            let result = input.write_all(&bytes);
            self.input = Some(input);
            return result;
        }
        let (sender, outcome) = mpsc::sync_channel(1);
        spawn("usi-input", move || {
            let result = input.write_all(&bytes);
            // Fails if the wait has timed out.
            let _ = sender.send((input, result));
        })?;
        let Ok((input, result)) = outcome.recv_timeout(WRITE_PATIENCE) else {
            // This also ends the thread, because the pipe breaks.
            self.kill();
            let reason = "it stopped reading, and was killed";
            return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
        };
        self.input = Some(input);
        result
    }

    /// If the process has ended, its status explains a failed write better than the error of the
    /// pipe.
    fn failure(&mut self, line: &str, error: io::Error) -> ClientError {
        if error.kind() != io::ErrorKind::TimedOut && self.wait_for_end(END_PATIENCE) {
            return self.ended();
        }
        write_error(line, error)
    }

    pub(super) fn receive(
        &mut self,
        deadline: Option<Instant>,
        waiting_for: &'static str,
        duration: Duration,
    ) -> Result<Received, ClientError> {
        let received = match deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                self.lines.recv_timeout(left)
            }
            None => self.lines.recv().map_err(RecvTimeoutError::from),
        };
        match received {
            Ok(received) => {
                self.unread = 0;
                Ok(received)
            }
            Err(RecvTimeoutError::Timeout) => Err(ClientError::TimedOut { waiting_for, duration }),
            Err(RecvTimeoutError::Disconnected) => {
                self.wait_for_end(END_PATIENCE);
                Err(self.ended())
            }
        }
    }

    /// Stops at the first line that came after the call, so that a flood of lines cannot keep it
    /// busy.
    pub(super) fn discard_pending(&mut self) {
        let now = Instant::now();
        while let Ok(received) = self.lines.try_recv() {
            if received.at > now {
                return;
            }
        }
    }

    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end, but no longer than `grace`; what is left then is killed.
    pub(super) fn wait(mut self, grace: Duration) {
        self.wait_for_end(grace);
    }

    /// Waits for the end and says whether it came within `patience`. Lines are dropped meanwhile,
    /// so that the process does not block on its output.
    fn wait_for_end(&mut self, patience: Duration) -> bool {
        let start = Instant::now();
        loop {
            if self.exit_status().is_some() {
                return true;
            }
            if start.elapsed() >= patience {
                return false;
            }
            if self.lines.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Disconnected) {
                thread::sleep(POLL_INTERVAL);
            }
        }
    }

    fn ended(&mut self) -> ClientError {
        let mut status = self
            .exit_status()
            .unwrap_or_else(|| "it has closed its output, but runs on".to_owned());
        // Its error output is read by another thread, which may be a moment behind.
        let start = Instant::now();
        while !lock(&self.dialogue).is_diagnostics_ended && start.elapsed() < LAG {
            thread::sleep(POLL_INTERVAL);
        }
        if let Some(said) = lock(&self.dialogue).last_diagnostic() {
            status = format!("{status}, last error output: {said}");
        }
        ClientError::Ended { status }
    }

    fn kill(&mut self) {
        // All fail only for a process that has ended.
        self.group.kill();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(program: &Program) -> io::Result<Command> {
    let mut command = Command::new(executable(program)?);
    command.env_remove(PASSWORD_VARIABLE);
    for name in &program.withheld {
        command.env_remove(name);
    }
    command
        .args(&program.arguments)
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = &program.directory {
        if !directory.is_dir() {
            let reason = format!("its working directory {} does not exist", directory.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, reason));
        }
        command.current_dir(directory);
    }
    Ok(command)
}

/// The path of the executable, absolute: systems differ in which working directory a relative path
/// refers to.
fn executable(program: &Program) -> io::Result<PathBuf> {
    let mut components = program.path.components();
    let is_bare =
        matches!((components.next(), components.next()), (Some(Component::Normal(_)), None));
    if is_bare { Ok(program.path.clone()) } else { std::path::absolute(&program.path) }
}

// --- What an engine starts itself ---

/// How our executable is started as a guard, `None` where we are a library in another program: then
/// the group of an engine ends with its [`Process`], but not if we are killed.
static GUARD: OnceLock<(PathBuf, &'static str)> = OnceLock::new();

/// Makes each engine have a guard: this program, with this argument, is to call [`guard`].
pub(crate) fn guard_engines(program: PathBuf, argument: &'static str) {
    // The first one stays.
    let _ = GUARD.set((program, argument));
}

/// The work of a guard: waits for the end of standard input and ends its process group, itself
/// included.
pub(crate) fn guard() -> io::Result<()> {
    io::copy(&mut io::stdin(), &mut io::sink())?;
    #[cfg(unix)]
    rustix::process::kill_current_process_group(rustix::process::Signal::KILL)?;
    Ok(())
}

/// The process group of an engine, apart from ours, so that Ctrl-C in a terminal reaches only us.
#[cfg(unix)]
#[derive(Debug)]
struct Group {
    /// Its leader, which ends the group when its standard input ends.
    guard: Option<Child>,
    /// The number of the group, which is that of its leader; `None` before its first process.
    id: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn new() -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        let Some((program, argument)) = GUARD.get() else {
            let (guard, id) = (None, None);
            return Ok(Self { guard, id });
        };
        let mut command = Command::new(program);
        command
            .arg(argument)
            .env_remove(PASSWORD_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let guard = command.spawn()?;
        let id = Some(rustix::process::Pid::from_child(&guard));
        let guard = Some(guard);
        Ok(Self { guard, id })
    }

    /// Starts a process in this group.
    fn spawn(&mut self, mut command: Command) -> io::Result<Child> {
        use std::os::unix::process::CommandExt as _;
        let leader = self.id.map_or(0, |id| id.as_raw_nonzero().get());
        let child = command.process_group(leader).spawn()?;
        self.id = self.id.or(Some(rustix::process::Pid::from_child(&child)));
        Ok(child)
    }

    /// Ends all processes of the group. While it has a guard, which is waited for here, no other
    /// group can get its id.
    fn kill(&mut self) {
        if let Some(id) = self.id.take() {
            // Fails if all have ended.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
        if let Some(mut guard) = self.guard.take() {
            let _ = guard.wait();
        }
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The job object of an engine. Windows ends its processes when its handle is closed, however we
/// end.
#[cfg(windows)]
#[derive(Debug)]
struct Group(win32job::Job);

#[cfg(windows)]
impl Group {
    fn new() -> io::Result<Self> {
        let mut limits = win32job::ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = win32job::Job::create_with_limit_info(&limits);
        job.map(Self).map_err(io::Error::other)
    }

    /// Starts a process in this job, in a process group apart from ours: Ctrl-C reaches only us.
    fn spawn(&mut self, mut command: Command) -> io::Result<Child> {
        use std::os::windows::io::AsRawHandle as _;
        use std::os::windows::process::CommandExt as _;
        /// `CREATE_NEW_PROCESS_GROUP` of the Windows API.
        const NEW_PROCESS_GROUP: u32 = 0x200;
        let child = command.creation_flags(NEW_PROCESS_GROUP).spawn()?;
        let handle = child.as_raw_handle() as isize;
        self.0.assign_process(handle).map_err(io::Error::other)?;
        Ok(child)
    }

    /// The processes end when the handle is closed.
    fn kill(&mut self) {}
}

/// Here no process is started.
#[cfg(not(any(unix, windows)))]
#[derive(Debug)]
struct Group;

#[cfg(not(any(unix, windows)))]
impl Group {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    fn spawn(&mut self, mut command: Command) -> io::Result<Child> {
        command.spawn()
    }

    fn kill(&mut self) {}
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn forward_lines(output: impl Read, dialogue: &Mutex<Dialogue>, lines: &SyncSender<Received>) {
    let mut reader = LineReader::new(output);
    while let Some(line) = reader.next_line() {
        let at = Instant::now();
        lock(dialogue).note('<', at, &line);
        if lines.send(Received { at, line }).is_err() {
            return;
        }
    }
}

fn note_lines(diagnostics: impl Read, dialogue: &Mutex<Dialogue>) {
    let mut reader = LineReader::new(diagnostics);
    while let Some(line) = reader.next_line() {
        lock(dialogue).note('!', Instant::now(), &line);
    }
    lock(dialogue).is_diagnostics_ended = true;
}

/// Reads lines of any bytes in bounded memory.
struct LineReader<R> {
    input: BufReader<R>,
    bytes: Vec<u8>,
}

impl<R: Read> LineReader<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::with_capacity(LONGEST_LINE, input), bytes: Vec::new() }
    }

    /// `None` at the end. A last line without a line end counts.
    fn next_line(&mut self) -> Option<String> {
        self.bytes.clear();
        let mut is_any = false;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // A read error is treated as the end of the output.
                Err(_) => &[],
            };
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(available.len());
            let kept = taken.min(LONGEST_LINE - self.bytes.len());
            self.bytes.extend_from_slice(&available[..kept]);
            let is_last = available.is_empty();
            is_any |= !is_last;
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_some() || is_last {
                return is_any.then(|| self.text());
            }
        }
    }

    fn text(&self) -> String {
        let text = decode_line(&self.bytes);
        let text = text.trim_start_matches('\u{feff}').trim_end_matches('\r');
        // The text may reach a terminal, which must not obey it.
        let is_obeyed = |letter: char| letter != '\t' && is_command(letter);
        if text.contains(is_obeyed) { text.replace(is_obeyed, "") } else { text.to_owned() }
    }
}

fn lock(dialogue: &Mutex<Dialogue>) -> MutexGuard<'_, Dialogue> {
    dialogue.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_error(line: &str, source: io::Error) -> ClientError {
    ClientError::Write { line: shorten(line), source }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        // The codes of crashed processes on Windows are documented in hexadecimal.
        Some(code) if code < 0 => format!("exit code {code:#x}"),
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}

/// Characters kept of a line; `position` with the longest games fits.
const MAX_CHARACTERS: usize = 8192;

/// The latest lines of the dialogue, for reports of failures. Each kind of line has its own buffer,
/// so that a flood of `info` does not displace the command that it answers, nor the output on
/// standard error the moves.
#[derive(Debug)]
struct Dialogue {
    start: Instant,
    count: u64,
    infos: LastLines<40>,
    diagnostics: LastLines<40>,
    others: LastLines<60>,
    /// Whether standard error has been read to its end.
    is_diagnostics_ended: bool,
}

#[derive(Debug)]
struct Line {
    /// Its number, which orders lines of the same time.
    number: u64,
    at: Instant,
    sign: char,
    text: String,
}

/// The last `LINES` lines of a kind.
#[derive(Debug, Default)]
struct LastLines<const LINES: usize>(VecDeque<Line>);

impl<const LINES: usize> LastLines<LINES> {
    fn push(&mut self, line: Line) {
        if self.0.len() == LINES {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }
}

impl Dialogue {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            count: 0,
            infos: LastLines::default(),
            diagnostics: LastLines::default(),
            others: LastLines::default(),
            is_diagnostics_ended: false,
        }
    }

    /// Adds a line: `>` to the engine, `<` of its output, `!` of its standard error.
    fn note(&mut self, sign: char, at: Instant, text: &str) {
        let end = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(end, _)| end);
        let line = Line { number: self.count, at, sign, text: text[..end].to_owned() };
        self.count += 1;
        match sign {
            '!' => self.diagnostics.push(line),
            '<' if text.trim_start().starts_with("info") => self.infos.push(line),
            _ => self.others.push(line),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<&Line> =
            (self.infos.0.iter()).chain(&self.diagnostics.0).chain(&self.others.0).collect();
        lines.sort_by_key(|line| line.number);
        lines.into_iter().map(|line| self.show(line)).collect()
    }

    /// The last line on standard error that says something; Rust ends a panic with a note.
    fn last_diagnostic(&self) -> Option<String> {
        let mut lines = self.diagnostics.0.iter().rev();
        let says = |line: &&Line| {
            let text = line.text.trim();
            !text.is_empty() && !text.starts_with("note: ")
        };
        lines.find(says).map(|line| shorten(line.text.trim()))
    }

    fn show(&self, line: &Line) -> String {
        let seconds = line.at.saturating_duration_since(self.start).as_secs_f64();
        // No control sequences for the terminal on which the report is shown.
        let text = line.text.replace(char::is_control, " ");
        format!("{seconds:.3} {} {text}", line.sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut reader = LineReader::new(bytes);
        std::iter::from_fn(|| reader.next_line()).collect()
    }

    #[test]
    fn lines_are_split_as_any_system_writes_them() {
        let expected = ["id name A", "", "", "usiok"];
        assert_eq!(lines(b"\xef\xbb\xbfid name A\r\n\r\n\nusiok"), expected);
        assert_eq!(lines(b"caf\xe9\n"), ["caf\u{fffd}"]);
        assert_eq!(lines(b""), Vec::<String>::new());
        let colours = b"id name \x1b[31mRed\x07\xc2\x9b2J\tname\r\n";
        assert_eq!(lines(colours), ["id name [31mRed2J\tname"]);
    }

    #[test]
    fn long_lines_are_cut() {
        let mut bytes = vec![b'x'; 3 * LONGEST_LINE + 5];
        bytes.extend_from_slice(b"\nnext\n");
        let lines = lines(&bytes);
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].len(), lines[1].as_str()), (LONGEST_LINE, "next"));
    }

    #[test]
    fn floods_displace_only_their_own_kind() {
        let mut dialogue = Dialogue::new();
        let at = dialogue.start;
        dialogue.note('>', at, "go infinite");
        for number in 0..1000 {
            dialogue.note('<', at, &format!("info depth {number}"));
            dialogue.note('!', at, "noise\u{1b}[2J");
        }
        dialogue.note('<', at, "bestmove resign");
        let lines = dialogue.lines();
        assert_eq!(lines.len(), 82);
        assert_eq!(lines[0], "0.000 > go infinite");
        assert_eq!(lines[1], "0.000 < info depth 960");
        assert_eq!(lines[2], "0.000 ! noise [2J");
        assert_eq!(lines[81], "0.000 < bestmove resign");
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        let mut dialogue = Dialogue::new();
        dialogue.note('<', dialogue.start, &"雷".repeat(10_000));
        assert_eq!(dialogue.lines()[0].chars().count(), 8192 + 8);
    }
}
