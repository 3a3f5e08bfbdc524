//! The server's end of a connection, spoken by the test, and the client at the other end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::runner::{Raicho, text};

/// A secret that must show up nowhere.
pub(super) const SECRET: &str = "sesame5678";

/// Longest time for anything to happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client that is killed if the test fails.
pub(super) struct Client(pub(super) Child);

impl Client {
    /// Starts `raicho csa` in a folder with these words, in which `{port}` stands for the port.
    pub(super) fn start(listener: &TcpListener, folder: &Folder, words: &str) -> Self {
        let port = listener.local_addr().expect("the port").port().to_string();
        let words = format!("csa {}", words.replace("{port}", &port));
        let mut command = Raicho::new(&words).within(folder).command();
        // That of the command line, and that which configurations of tests name.
        for variable in ["RAICHO_CSA_PASSWORD", "FAKE_PASSWORD"] {
            command.env(variable, format!("x-60-1,{SECRET}"));
        }
        command.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().expect("the client starts"))
    }

    /// Starts a client for one game whose results go to `games`, with more words.
    pub(super) fn for_one_game(listener: &TcpListener, folder: &Folder, more: &str) -> Self {
        let words = "--host 127.0.0.1:{port} --id tester --games 1 --out games";
        let words = format!("{words} {more}");
        Self::start(listener, folder, &words)
    }

    /// The same with Raicho as the engine, which moves at once.
    pub(super) fn quick(listener: &TcpListener, folder: &Folder) -> Self {
        let options = "--engine option.Threads=1,option.USI_Hash=16,option.NodesLimit=500";
        Self::for_one_game(listener, folder, options)
    }

    /// Waits for the end; returns the status and all that was printed.
    pub(super) fn end(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + PATIENCE;
        while self.0.try_wait().expect("a process").is_none() {
            assert!(Instant::now() < deadline, "the client does not end");
            thread::sleep(Duration::from_millis(20));
        }
        let (stdout, stderr) = (self.0.stdout.take(), self.0.stderr.take());
        let mut printed = Vec::new();
        let mut pipes = stdout.expect("a pipe").chain(stderr.expect("a pipe"));
        pipes.read_to_end(&mut printed).expect("its output");
        (self.0.wait().expect("it has ended"), text(&printed))
    }

    /// Sends a signal, such as `INT`.
    #[cfg(unix)]
    pub(super) fn signal(&self, name: &str) {
        crate::signal::send(&self.0, name);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Fails where it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The server's end of a connection.
pub(super) struct Guest {
    input: BufReader<TcpStream>,
    output: TcpStream,
}

impl Guest {
    pub(super) fn accept(listener: &TcpListener) -> Self {
        let (output, _) = listener.accept().expect("the client comes");
        output.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let input = BufReader::new(output.try_clone().expect("a second handle"));
        Self { input, output }
    }

    /// Takes the login and lets the client in.
    pub(super) fn welcome(listener: &TcpListener) -> Self {
        let mut guest = Self::accept(listener);
        assert_eq!(guest.hear(), format!("LOGIN tester x-60-1,{SECRET}"));
        guest.say("LOGIN:tester OK\n");
        guest
    }

    pub(super) fn say(&mut self, text: &str) {
        let sent = self.output.write_all(text.as_bytes());
        sent.expect("the client is there");
    }

    pub(super) fn hear(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).expect("the client speaks");
        line.trim_end().to_owned()
    }

    /// The move that the client sends, without its comment.
    pub(super) fn hear_move(&mut self) -> String {
        let line = self.hear();
        line.split(',').next().unwrap_or_default().to_owned()
    }

    /// A game as black in which the opponent resigns after the first move.
    pub(super) fn play(&mut self, summary: &str) {
        self.say(summary);
        assert_eq!(self.hear(), "AGREE game");
        self.say("START:game\n");
        let first = self.hear_move();
        self.say(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN\n"));
        assert_eq!(self.hear(), "LOGOUT");
        self.say("LOGOUT:completed\n");
    }
}
