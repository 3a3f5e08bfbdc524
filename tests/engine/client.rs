//! The client with our own engine, and with one that breaks the protocol in every way.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::misbehaving;
use raicho::usi::client::reply::{BestMove, OptionKind, Reply};
use raicho::usi::client::{Client, ClientError, Program, Received};

/// Time limit for an answer, long enough for a loaded machine: the tests check behaviour, not
/// speed.
const PATIENCE: Duration = Duration::from_mins(1);

fn raicho() -> Program {
    Program::new(env!("CARGO_BIN_EXE_raicho"))
}

/// A client after its handshake.
fn introduced(program: &Program) -> Client {
    let mut client = Client::start(program).expect("the engine starts");
    client
        .handshake(PATIENCE, &|| false)
        .expect("the engine speaks USI");
    client
}

/// A client of an engine with this behaviour, after its first `go`.
fn asked(behaviour: &str) -> Client {
    let mut client = introduced(&misbehaving::program(behaviour));
    client
        .ready(PATIENCE, &|| false)
        .expect("the engine is ready");
    client.send("usinewgame").expect("the engine lives");
    client.send("position startpos").expect("the engine lives");
    client
        .send("go btime 0 wtime 0 byoyomi 100")
        .expect("the engine lives");
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
    assert!(client.name().starts_with("Raicho "), "{}", client.name());
    let threads = client
        .options()
        .iter()
        .find(|option| option.name == "Threads")
        .expect("it has threads");
    assert!(matches!(
        threads.kind,
        OptionKind::Spin {
            default: 1..=16,
            min: 1,
            ..
        }
    ));
    client.set_option("usi_hash", Some("2")).expect("in range");
    client.set_option("ClearHash", None).expect("a button");
    let error = client
        .set_option("Threads", Some("0"))
        .expect_err("no thread");
    assert!(error.to_string().contains("from 1 to 512"), "{error}");
    client.ready(PATIENCE, &|| false).expect("it is ready");
    client
        .send("position startpos moves 7g7f")
        .expect("it lives");
    let sent = client.send("go nodes 1000").expect("it lives");
    let received = until_best_move(&mut client).expect("it answers");
    assert!(received.at > sent);
    let dialogue = client.dialogue();
    assert!(
        dialogue
            .iter()
            .any(|line| line.ends_with(" > go nodes 1000"))
    );
    assert!(
        dialogue
            .last()
            .is_some_and(|line| line.ends_with(&format!(" < {}", received.line))),
        "{dialogue:#?}"
    );
    let start = Instant::now();
    client.quit(PATIENCE);
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn programs_that_cannot_start_are_named() {
    for (program, parts) in [
        (
            Program::new("./no/such/engine"),
            &["cannot start ./no/such/engine: "][..],
        ),
        (
            Program::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")),
            &["Cargo.toml"],
        ),
        (
            Program {
                directory: Some(PathBuf::from("no-such-place")),
                ..raicho()
            },
            &["raicho", "directory no-such-place"],
        ),
    ] {
        let error = Client::start(&program).expect_err("no such program");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn the_error_output_of_an_engine_that_ended_is_named() {
    let program = Program {
        arguments: vec!["no-such-subcommand".to_owned()],
        ..raicho()
    };
    let mut client = Client::start(&program).expect("it starts");
    let error = client
        .handshake(PATIENCE, &|| false)
        .expect_err("no engine");
    let error = error.to_string();
    assert!(
        error.starts_with("the engine ended: exit code 2, last error output: "),
        "{error}"
    );
}

#[test]
fn a_program_that_is_no_engine_has_ended() {
    let program = Program {
        arguments: vec!["--version".to_owned()],
        ..raicho()
    };
    let mut client = Client::start(&program).expect("it starts");
    let error = client
        .handshake(PATIENCE, &|| false)
        .expect_err("no engine");
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
        client
            .send(&format!("position startpos moves{moves}"))
            .expect("it lives");
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
    let error = client
        .handshake(Duration::from_millis(300), &|| false)
        .expect_err("it is mute");
    assert_eq!(error.to_string(), "no usiok within 0.300 s");
    let mut client = introduced(&misbehaving::program("deaf:2"));
    client.ready(PATIENCE, &|| false).expect("it is ready once");
    let error = client
        .ready(Duration::from_millis(300), &|| false)
        .expect_err("it is deaf");
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
    assert_eq!(
        error.to_string(),
        "the engine ended: it has closed its output, but runs on"
    );
}

#[test]
fn engines_that_hang_are_killed() {
    for behaviour in ["hang:1", "stays"] {
        let mut client = asked(behaviour);
        if behaviour == "stays" {
            until_best_move(&mut client).expect("it answers");
        } else {
            let error = client
                .receive(Some(soon()))
                .expect_err("it says nothing any more");
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
    while !client
        .dialogue()
        .iter()
        .any(|line| line.ends_with("< readyok"))
    {
        std::thread::sleep(Duration::from_millis(100));
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
    let error = (0..10)
        .find_map(|_| client.send(&line).err())
        .expect("no pipe is so large");
    assert!(error.to_string().contains("stopped reading"), "{error}");
}

#[test]
fn only_whole_lines_are_sent() {
    let mut client = introduced(&misbehaving::program(""));
    let error = client.send("isready\nquit").expect_err("two lines");
    assert!(matches!(error, ClientError::Write { .. }), "{error}");
    client.ready(PATIENCE, &|| false).expect("nothing was sent");
}

/// Prints the mean time from a question to its answer. Run it by
/// `cargo test --release --test integration -- engine::client::round_trip --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn round_trip() {
    const TIMES: u32 = 20_000;
    let mut client = introduced(&misbehaving::program(""));
    let start = Instant::now();
    for _ in 0..TIMES {
        client.ready(PATIENCE, &|| false).expect("it is ready");
    }
    println!("{:?} each", start.elapsed() / TIMES);
}
