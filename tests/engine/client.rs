//! The client with our own engine, and with one that breaks the protocol in every way.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::misbehaving;
use crate::runner::{RAICHO, Text};
use raicho::usi::client::reply::{BestMove, OptionKind, Reply};
use raicho::usi::client::{Client, ClientError, Program, Received};

/// Time limit for an answer, long enough for a loaded machine: the tests check behaviour, not
/// speed.
const PATIENCE: Duration = Duration::from_mins(1);

fn raicho() -> Program {
    Program::new(RAICHO)
}

/// A client after its handshake.
fn introduced(program: &Program) -> Client {
    let mut client = Client::start(program).expect("the engine starts");
    client.handshake(PATIENCE, &|| false).expect("the engine speaks USI");
    client
}

/// Our engine with an argument of the command line.
fn raicho_with(argument: &str) -> Program {
    Program { arguments: vec![argument.to_owned()], ..raicho() }
}

/// A client of an engine with this behaviour, after its first `go`.
fn asked(behaviour: &str) -> Client {
    let mut client = introduced(&misbehaving::program(behaviour));
    client.ready(PATIENCE, &|| false).expect("the engine is ready");
    for line in ["usinewgame", "position startpos", "go btime 0 wtime 0 byoyomi 100"] {
        client.send(line).expect("the engine lives");
    }
    client
}

fn until_best_move(client: &mut Client) -> Result<Received, ClientError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let received = client.receive(Some(deadline))?;
        if matches!(Reply::of(&received.line), Reply::BestMove(_)) {
            return Ok(received);
        }
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(100)
}

#[test]
fn our_engine_plays() {
    let mut client = introduced(&raicho());
    client.name().must_begin("Raicho ");
    let mut options = client.options().iter();
    let threads = options.find(|option| option.name == "Threads");
    let OptionKind::Spin { default, min, .. } = threads.expect("it has threads").kind else {
        panic!("a number");
    };
    assert!((1..=16).contains(&default) && min == 1);
    client.set_option("usi_hash", Some("2")).expect("in range");
    client.set_option("ClearHash", None).expect("a button");
    let error = client.set_option("Threads", Some("0"));
    let error = error.expect_err("no thread").to_string();
    error.must_have("from 1 to 512");
    client.ready(PATIENCE, &|| false).expect("it is ready");
    client.send("position startpos moves 7g7f").expect("it lives");
    let sent = client.send("go nodes 1000").expect("it lives");
    let received = until_best_move(&mut client).expect("it answers");
    assert!(received.at > sent);
    let dialogue = client.dialogue();
    let mut lines = dialogue.iter();
    assert!(lines.any(|line| line.ends_with(" > go nodes 1000")));
    let last = dialogue.last().expect("a dialogue");
    assert!(last.ends_with(&format!(" < {}", received.line)), "{last}");
    let start = Instant::now();
    client.quit(PATIENCE);
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn programs_that_cannot_start_are_named() {
    let no_folder = Program { directory: Some(PathBuf::from("no-such-place")), ..raicho() };
    let no_program = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (program, parts) in cases! {
        Program::new("./no/such/engine") => &["cannot start ./no/such/engine: "][..];
        Program::new(no_program) => &["Cargo.toml"];
        no_folder => &["raicho", "directory no-such-place"];
    } {
        let error = Client::start(&program).expect_err("no such program").to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn the_error_output_of_an_engine_that_ended_is_named() {
    let mut client = Client::start(&raicho_with("no-such-subcommand")).expect("it starts");
    let error = client.handshake(PATIENCE, &|| false);
    let error = error.expect_err("no engine").to_string();
    error.must_begin("the engine ended: exit code 2, last error output: ");
}

#[test]
fn a_program_that_is_no_engine_has_ended() {
    let mut client = Client::start(&raicho_with("--version")).expect("it starts");
    let error = client.handshake(PATIENCE, &|| false).expect_err("no engine");
    assert_eq!(error.to_string(), "the engine ended: exit code 0");
    let error = client.ready(PATIENCE, &|| false).expect_err("no engine");
    assert_eq!(error.to_string(), "the engine ended: exit code 0");
}

#[test]
fn the_plain_engine_plays_a_game_against_itself() {
    let mut client = introduced(&misbehaving::program(""));
    assert_eq!(client.name(), "Misbehaving (plain)");
    client.set_option("Seed", Some("7")).expect("in range");
    client.ready(PATIENCE, &|| false).expect("it is ready");
    let mut moves = String::new();
    for _ in 0..60 {
        let position = format!("position startpos moves{moves}");
        client.send(&position).expect("it lives");
        client.send("go btime 1000 wtime 1000").expect("it lives");
        let received = until_best_move(&mut client).expect("it answers");
        let Reply::BestMove(BestMove::Move { best, ponder: None }) = Reply::of(&received.line)
        else {
            panic!("{}", received.line);
        };
        moves = format!("{moves} {best}");
    }
    client.send("go infinite").expect("it lives");
    assert!(client.receive(Some(soon())).is_err());
    client.send("stop").expect("it lives");
    until_best_move(&mut client).expect("it answers");
    client.quit(PATIENCE);
}

#[test]
fn no_usiok_and_no_readyok_end_in_time() {
    let mut client = Client::start(&misbehaving::program("mute")).expect("it starts");
    let short = Duration::from_millis(300);
    let error = client.handshake(short, &|| false).expect_err("it is mute");
    assert_eq!(error.to_string(), "no usiok within 0.300 s");
    let mut client = introduced(&misbehaving::program("deaf:2"));
    client.ready(PATIENCE, &|| false).expect("it is ready once");
    let error = client.ready(short, &|| false).expect_err("it is deaf");
    assert_eq!(error.to_string(), "no readyok within 0.300 s");
}

#[test]
fn deaths_say_how() {
    for (behaviour, statuses) in [
        ("die:1", &["exit code 3"][..]),
        // The second status is that of Windows.
        ("abort:1", &["killed by signal 6", "exit code 0xc0000409"]),
    ] {
        let mut client = asked(behaviour);
        let error = until_best_move(&mut client).expect_err("it dies");
        let ClientError::Ended { status } = &error else {
            panic!("{error}");
        };
        assert!(statuses.contains(&status.as_str()), "{status}");
        let error = client.send("usinewgame").expect_err("it is dead");
        assert!(matches!(error, ClientError::Ended { .. }), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn a_closed_output_is_an_end() {
    let mut client = asked("closes-stdout:1");
    let error = until_best_move(&mut client).expect_err("it is silent");
    let closed = "the engine ended: it has closed its output, but runs on";
    assert_eq!(error.to_string(), closed);
}

#[test]
fn engines_that_hang_are_killed() {
    for behaviour in ["hang:1", "stays"] {
        let mut client = asked(behaviour);
        if behaviour == "stays" {
            until_best_move(&mut client).expect("it answers");
        } else {
            let error = client.receive(Some(soon())).expect_err("it is silent");
            assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
        }
        let start = Instant::now();
        client.quit(Duration::from_millis(300));
        let elapsed = start.elapsed();
        assert!(elapsed >= Duration::from_millis(300) && elapsed < PATIENCE);
    }
}

#[test]
fn a_late_answer_carries_its_time() {
    let mut client = asked("late:50:1");
    // Well after the answer, which takes 150 ms.
    std::thread::sleep(Duration::from_secs(1));
    let now = Instant::now();
    let received = until_best_move(&mut client).expect("it answers late");
    assert!(received.at < now);
}

#[test]
fn floods_leave_the_commands_in_the_dialogue() {
    let mut client = asked("flood:1,chatty");
    until_best_move(&mut client).expect("it answers");
    let dialogue = client.dialogue();
    for end in ["> usi", "< usiok", "> go btime 0 wtime 0 byoyomi 100"] {
        assert!(dialogue.iter().any(|line| line.ends_with(end)), "{end}");
    }
    assert!(dialogue.iter().any(|line| line.contains(" ! noise")));
    assert!(dialogue.len() < 200);
}

#[test]
fn floods_before_the_first_game_are_refused() {
    let mut client = Client::start(&misbehaving::program("boasts")).expect("it starts");
    let error = client.handshake(PATIENCE, &|| false).expect_err("a flood");
    assert!(matches!(error, ClientError::Flood(_)), "{error}");
    error.to_string().must_have("at most 2000 options");

    let mut client = introduced(&misbehaving::program("babbles"));
    let error = client.ready(Duration::from_millis(300), &|| false);
    let error = error.expect_err("it is never ready");
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
    let error = client.ready(PATIENCE, &|| true).expect_err("given up");
    assert!(matches!(error, ClientError::GivenUp(_)), "{error}");
}

#[test]
fn endless_lines_are_cut() {
    let mut client = asked("no-newline:1");
    let deadline = Some(Instant::now() + PATIENCE);
    let longest = loop {
        let received = client.receive(deadline).expect("it goes on");
        if received.line.starts_with('x') {
            break received.line;
        }
    };
    assert_eq!(longest.len(), 64 * 1024);
    client.ready(PATIENCE, &|| false).expect("it lives");
}

#[test]
fn lines_that_nobody_asked_for_can_be_discarded() {
    let mut client = asked("two-bestmoves:1");
    until_best_move(&mut client).expect("it answers");
    client.send("isready").expect("it lives");
    let is_ready = |client: &Client| {
        let dialogue = client.dialogue();
        dialogue.iter().any(|line| line.ends_with("< readyok"))
    };
    while !is_ready(&client) {
        std::thread::sleep(Duration::from_millis(10));
    }
    // The dialogue records a line just before it can be received.
    std::thread::sleep(Duration::from_millis(100));
    client.discard_pending();
    let error = client.receive(Some(soon())).expect_err("all was discarded");
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
}

#[test]
fn bad_answers_are_passed_on() {
    for (behaviour, answer) in [
        ("garbage:1", "bestmove xyz"),
        ("illegal:1", "bestmove G*1a"),
        ("win:1", "bestmove win"),
        ("resign:1", "bestmove resign"),
        ("illegal", "bestmove 1g1f"),
    ] {
        let mut client = asked(behaviour);
        let received = until_best_move(&mut client).expect("it answers");
        assert_eq!(received.line, answer);
    }
}

#[test]
fn an_engine_that_reads_nothing_does_not_block_us() {
    let mut client = introduced(&misbehaving::program("unread"));
    let line = format!("position startpos moves{}", " 7g7f".repeat(10_000));
    let error = (0..10).find_map(|_| client.send(&line).err());
    let error = error.expect("no pipe is so large").to_string();
    error.must_have("stopped reading");
}

#[test]
fn only_whole_lines_are_sent() {
    let mut client = introduced(&misbehaving::program(""));
    let error = client.send("isready\nquit").expect_err("two lines");
    assert!(matches!(error, ClientError::Write { .. }), "{error}");
    client.ready(PATIENCE, &|| false).expect("nothing was sent");
}
