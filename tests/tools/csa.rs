//! `raicho csa` over a socket, against a server that misbehaves on purpose in 34 ways.
//!
//! The server is `fake_csa_server.py` in the folder `tools` beside the corpora; without it or
//! without Python the tests say that they are skipped.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::arena::Folder;

/// Scenarios at a time. They mostly wait.
const AT_A_TIME: usize = 6;
/// Scenarios of the short test: each kind of end, and what a client gets wrong most easily.
const SHORT: [&str; 8] = [
    "normal",
    "white-fischer",
    "disconnect-own-turn",
    "rejected",
    "login-incorrect",
    "chudan",
    "handicap",
    "client-declares",
];
/// Seconds of silence of the server in two scenarios; more than between two signs of life.
const SILENCE: &str = "45";

/// The script of the server, `None` (and a word about it) where it or Python is missing.
fn server() -> Option<PathBuf> {
    let corpora = std::env::var_os("RAICHO_CORPORA").map(PathBuf::from);
    let script = corpora.map(|folder| folder.join("../tools/fake_csa_server.py"));
    let Some(script) = script.filter(|script| script.exists()) else {
        println!("skipped: no fake_csa_server.py beside the folder of RAICHO_CORPORA");
        return None;
    };
    let python = Command::new("python3").arg("--version").output();
    if python.is_err() {
        println!("skipped: no python3");
        return None;
    }
    Some(script)
}

/// Plays one scenario; returns what the server prints, and whether it is content.
fn play(server: &Path, scenario: &str, folder: &Folder, more: &str) -> (bool, String) {
    let out = folder.join(&format!("{scenario}{}", more.trim_start().replace(' ', "")));
    let raicho = env!("CARGO_BIN_EXE_raicho");
    let client = format!(
        "{raicho} csa --host {{host}} --port {{port}} --id {{name}} --games {{games}} \
        --password-variable FAKE_PASSWORD --out {} --option Threads=1 --option USI_Hash=16 \
        --option EvalFile=<material> --option SlowMover=10{more}",
        out.display()
    );
    let output: Output = Command::new("python3")
        .arg(server)
        .args(["--strict", "--silence", SILENCE, "--scenario", scenario])
        .args(["--client", &client])
        .env("FAKE_PASSWORD", "fake-60-1,trip")
        .stdin(Stdio::null())
        .output()
        .expect("Python runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text)
}

/// Plays scenarios with some more arguments of the client, and panics with those that failed.
fn play_all(scenarios: &[&str], more: &str) {
    let Some(server) = server() else {
        return;
    };
    let folder = Folder::new();
    let mut failures = Vec::new();
    for scenarios in scenarios.chunks(AT_A_TIME) {
        let results: Vec<(bool, String)> = thread::scope(|scope| {
            let start = |scenario: &&str| {
                let (server, folder, scenario) = (&server, &folder, (*scenario).to_owned());
                scope.spawn(move || play(server, &scenario, folder, more))
            };
            let threads: Vec<_> = scenarios.iter().map(start).collect();
            let results = threads.into_iter().map(thread::ScopedJoinHandle::join);
            results.map(|result| result.expect("no panic")).collect()
        });
        for (is_good, text) in results {
            println!("{}", text.trim_end());
            if !is_good {
                failures.push(text);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn all_scenarios() -> Vec<String> {
    let Some(server) = server() else {
        return Vec::new();
    };
    let output = Command::new("python3").arg(server).arg("--list").output();
    let text = output.expect("Python runs").stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn a_misbehaving_server_is_survived() {
    play_all(&SHORT, " --ponder");
}

#[test]
#[ignore = "takes minutes: the server is silent for most of the time"]
fn all_scenarios_are_survived() {
    let scenarios = all_scenarios();
    let scenarios: Vec<&str> = scenarios.iter().map(String::as_str).collect();
    play_all(&scenarios, "");
    play_all(&scenarios, " --ponder");
}

// --- A server that resumes games ---

const SUMMARY: &str = "BEGIN Game_Summary\nFormat:Shogi 1.0\nGame_ID:game\nName+:tester\n\
    Name-:rival\nYour_Turn:+\nReconnect_Token:token\nBEGIN Time\nTotal_Time:60\nByoyomi:1\n\
    END Time\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary\n";

/// The server's end of a connection.
struct Guest {
    input: BufReader<TcpStream>,
    output: TcpStream,
}

impl Guest {
    fn accept(listener: &TcpListener) -> Self {
        let (output, _) = listener.accept().expect("the client comes");
        let patience = Some(Duration::from_mins(1));
        output.set_read_timeout(patience).expect("a time limit");
        let input = BufReader::new(output.try_clone().expect("a second handle"));
        Self { input, output }
    }

    fn say(&mut self, text: &str) {
        let sent = self.output.write_all(text.as_bytes());
        sent.expect("the client is there");
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).expect("the client speaks");
        line.trim_end().to_owned()
    }

    /// The move that the client sends, without its comment.
    fn hear_move(&mut self) -> String {
        let line = self.hear();
        line.split(',').next().unwrap_or_default().to_owned()
    }
}

#[test]
fn an_interrupted_game_is_resumed() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its number").port();
    let folder = Folder::new();
    let out = folder.join("games");
    let mut client = Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args([
            "csa",
            "--host",
            &format!("127.0.0.1:{port}"),
            "--id",
            "tester",
            "--games",
            "1",
        ])
        .args([
            "--option",
            "Threads=1",
            "--option",
            "USI_Hash=16",
            "--option",
            "NodesLimit=500",
        ])
        .args(["--password-variable", "FAKE_PASSWORD", "--out"])
        .arg(&out)
        .env("FAKE_PASSWORD", "x-60-1,trip")
        .stderr(Stdio::null())
        .spawn()
        .expect("the client starts");
    let mut guest = Guest::accept(&listener);
    assert_eq!(guest.hear(), "LOGIN tester x-60-1,trip");
    guest.say(&format!("LOGIN:tester OK\n{SUMMARY}"));
    assert_eq!(guest.hear(), "AGREE game");
    guest.say("START:game\n");
    let first = guest.hear_move();
    drop(guest);
    let mut guest = Guest::accept(&listener);
    assert_eq!(
        guest.hear(),
        "LOGIN tester x-60-1,trip reconnect:game+token"
    );
    guest.say(&format!(
        "LOGIN:tester OK\n{SUMMARY}BEGIN Reconnect_State\nCurrent_Turn:-\nLast_Move:{first}\n\
         END Reconnect_State\n-3334FU,T1\n"
    ));
    let third = guest.hear_move();
    guest.say(&format!("{third},T1\n%TORYO\n#RESIGN\n#WIN\n"));
    assert_eq!(guest.hear(), "LOGOUT");
    guest.say("LOGOUT:completed\n");
    assert!(client.wait().expect("it ends").success());
    let journal = std::fs::read_to_string(out.join("games.jsonl")).expect("a journal");
    assert_eq!(journal.lines().count(), 1);
    assert!(journal.contains("\"result\":\"win\""), "{journal}");
    let log = std::fs::read_dir(out.join("log")).expect("a log").flatten();
    for file in log {
        let text = std::fs::read_to_string(file.path()).expect("text");
        assert!(
            text.contains("LOGIN tester ****") && !text.contains("trip"),
            "{text}"
        );
    }
}
