//! Replays what a real client sent to real engines, and checks the answers in the order of the
//! trace.

use std::fs;

use super::driver::{Driver, must_count};
use super::oracle;
use crate::common::corpora;

/// Clocks run this much faster than in the trace.
const HURRY: u64 = 1000;

const FAST: &str = "setoption name NetworkDelay value 0\nsetoption name NetworkDelay2 value 0\n\
    setoption name MinimumThinkingTime value 1\nsetoption name RoundUpToFullSecond value false";

#[test]
fn traces_of_a_real_client_replay() {
    let Some(folder) = corpora() else {
        return;
    };
    let mut replayed = 0;
    for entry in fs::read_dir(folder.join("usi_traces")).expect("a folder of traces") {
        let path = entry.expect("an entry").path();
        if path.to_string_lossy().ends_with(".usi.log") {
            let text = fs::read_to_string(&path).expect("a trace");
            Replay::new(path.display().to_string()).run(&text);
            replayed += 1;
        }
    }
    assert!(replayed > 0);
    println!("{replayed} traces");
}

struct Replay {
    name: String,
    driver: Driver,
    position: String,
    /// Number of `go` commands without an answer so far.
    owed: usize,
    has_quit: bool,
}

impl Replay {
    fn new(name: String) -> Self {
        Self {
            name,
            driver: Driver::start(),
            position: "position startpos".to_owned(),
            owed: 0,
            has_quit: false,
        }
    }

    fn run(mut self, trace: &str) {
        for line in trace.lines() {
            if let Some(command) = line.strip_prefix("recv:") {
                self.receive(command);
            } else if let Some(answer) = line.strip_prefix("send:bestmove ") {
                self.expect_bestmove(answer);
            }
        }
        if !self.has_quit {
            self.driver.finish();
        }
    }

    fn receive(&mut self, command: &str) {
        match command.split(' ').next().unwrap_or_default() {
            "usi" => {
                self.driver.ask("usi", "usiok");
                self.driver.send(FAST);
            }
            "isready" => drop(self.driver.is_ready()),
            "position" => {
                command.clone_into(&mut self.position);
                self.expect_silence(command);
            }
            "go" => {
                let is_ponder = command.starts_with("go ponder");
                self.driver.send(&hurry(command));
                self.owed += 1;
                if is_ponder {
                    must_count(&self.driver.replies(""), 0, "bestmove");
                }
            }
            "ponderhit" => self.driver.send(&hurry(command)),
            "quit" => {
                self.driver.send("quit");
                must_count(&self.driver.exit(), self.owed, "bestmove");
                self.owed = 0;
                self.has_quit = true;
            }
            _ if self.owed > 0 => self.driver.send(command),
            _ => self.expect_silence(command),
        }
    }

    fn expect_silence(&mut self, command: &str) {
        let lines = self.driver.replies(command);
        assert_eq!(lines, [""; 0], "{}: {command}", self.name);
    }

    fn expect_bestmove(&mut self, recorded: &str) {
        assert!(self.owed > 0, "{}: nobody asked for {recorded}", self.name);
        self.owed -= 1;
        let lines = self.driver.until("bestmove ");
        oracle::check_search(&oracle::position(&self.position), &lines);
        if recorded == "win" {
            must_count(&lines, 1, "bestmove win");
        }
    }
}

/// The same command with all times divided by [`HURRY`].
fn hurry(command: &str) -> String {
    let shorten = |word: &str| match word.parse::<u64>() {
        Ok(time) => (time / HURRY).to_string(),
        Err(_) => word.to_owned(),
    };
    let words: Vec<_> = command.split(' ').map(shorten).collect();
    words.join(" ")
}
