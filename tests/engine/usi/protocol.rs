//! Handshake, options, and the ends and encodings of the input.

use std::time::{Duration, Instant};

use super::driver::{Driver, count, transcript};

#[test]
fn handshake_names_engine_and_options() {
    let mut driver = Driver::start();
    driver.send("usi");
    let lines = driver.until("usiok");
    assert!(lines[0].starts_with("id name Raicho "), "{lines:#?}");
    assert!(lines[1].starts_with("id author "), "{lines:#?}");
    assert!(
        lines.iter().all(|line| line.is_ascii()),
        "some clients read ASCII only"
    );
    assert_eq!(
        count(&lines, "option name USI_Hash type spin default 256 "),
        1
    );
    assert_eq!(
        count(&lines, "option name USI_Ponder type check default false"),
        1
    );
    assert_eq!(count(&lines, "option ") + 3, lines.len());
    driver.send("isready");
    let lines = driver.until("readyok");
    let note = "info string evaluation <embedded> raicho_";
    let book = "info string book \"<embedded>\" (";
    let counts = (count(&lines, note), count(&lines, book), lines.len());
    assert_eq!(counts, (1, 1, 3), "{lines:#?}");
    driver.send("isready");
    assert_eq!(driver.until("readyok"), ["readyok"]);
    assert_eq!(driver.replies("usinewgame"), [""; 0]);
}

#[test]
fn a_registering_gui_quits_right_after_usiok() {
    let lines = transcript(b"usi\nquit\n");
    assert_eq!(lines.last().map(String::as_str), Some("usiok"));
    let lines = transcript(b"usi\nsetoption name ClearHash\nquit\n");
    assert_eq!(lines.last().map(String::as_str), Some("usiok"));
}

#[test]
fn a_script_that_ends_gets_its_answers() {
    let lines = transcript(
        b"usi\nsetoption name USI_Hash value 1\nisready\nposition startpos\ngo depth 1\nquit\n",
    );
    assert_eq!(
        (
            count(&lines, "usiok"),
            count(&lines, "readyok"),
            count(&lines, "bestmove ")
        ),
        (1, 1, 1)
    );
}

#[test]
fn crlf_byte_order_mark_and_bad_encodings_are_read() {
    let mut bytes = b"\xef\xbb\xbfusi\r\n".to_vec();
    // CP932 and plain rubbish.
    bytes.extend(b"setoption name EvalDir value \x83\x65\x83\x58\x83\x67\r\n");
    bytes.extend(b"\xff\xfe\x00 \xc0\xaf\r\n");
    bytes.extend(b"\r\n\n  \t \n");
    bytes.extend(b"position startpos moves 7g7f\r\nd\r\nisready\r\nusi");
    let lines = transcript(&bytes);
    assert_eq!(
        (count(&lines, "usiok"), count(&lines, "readyok")),
        (2, 1),
        "{lines:#?}"
    );
    assert_eq!(
        count(&lines, "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/"),
        1,
        "{lines:#?}"
    );
    assert_eq!(
        count(&lines, "info string error: unknown command"),
        1,
        "{lines:#?}"
    );
}

#[test]
fn unknown_options_are_silent_and_bad_values_are_not() {
    let mut driver = Driver::start();
    let unknown = "setoption name Hash value 64\nsetoption name Ponder value true\n\
                   setoption name Skill Level value 3\n\
                   setoption name BookFile value standard book.db\nsetoption name Something";
    assert_eq!(driver.replies(unknown), [""; 0]);
    assert_eq!(
        driver.replies("setoption name USI_Hash value 64\nsetoption name USI_Ponder value true"),
        [""; 0]
    );
    assert_eq!(
        driver.replies("setoption name SlowMover value 5000"),
        ["info string error: \"5000\" for option SlowMover, allowed are 1 to 1000, 1000 is used"]
    );
    assert_eq!(
        driver.replies("setoption name SlowMover value fast"),
        [
            "info string error: \"fast\" for option SlowMover, expected a number \
             from 1 to 1000, 1000 is kept"
        ]
    );
    assert_eq!(driver.replies("getoption SlowMover"), ["SlowMover = 1000"]);
    assert_eq!(driver.replies("getoption USI_Hash"), ["USI_Hash = 64"]);
    assert_eq!(
        count(&driver.replies("getoption Nothing"), "info string error: "),
        1
    );
    assert!(driver.replies("getoption").len() > 10);
    let broken = "setoption\nsetoption SlowMover 3\nsetoption name";
    assert_eq!(count(&driver.replies(broken), "info string error: "), 3);
}

#[test]
fn a_broken_eval_file_is_reported_and_the_engine_plays_on() {
    let mut driver = Driver::start();
    driver.send(
        "setoption name USI_Hash value 1\nsetoption name EvalFile value no/such file.bin\nisready",
    );
    let lines = driver.until("readyok");
    assert_eq!(count(&lines, "info string error: "), 1, "{lines:#?}");
    assert!(lines[0].contains("no/such file.bin"), "{lines:#?}");
    driver.send("go depth 2");
    driver.until("bestmove ");
    driver.send("setoption name EvalFile value <material>\nisready");
    let lines = driver.until("readyok");
    assert_eq!(lines, ["info string evaluation <material>", "readyok"]);
}

/// More threads than the machine can bear took minutes to start, and its whole memory.
#[test]
fn too_many_threads_are_refused_and_the_engine_answers_in_time() {
    let mut driver = Driver::start();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    driver.send("setoption name USI_Hash value 16\nsetoption name Threads value 512\nisready");
    let lines = driver.until("readyok");
    let is_limited = cores < 64;
    let error = "info string error: 512 search threads are more than 8 for each of the ";
    let memory = "info string error: no memory for 512 search threads, ";
    let errors = count(&lines, error) + count(&lines, memory);
    assert_eq!(errors, usize::from(is_limited), "{lines:#?}");
    if is_limited {
        let start = Instant::now();
        driver.send("go movetime 300");
        driver.until("bestmove ");
        driver.send("go infinite\nquit");
        driver.exit();
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn commands_of_other_engines_are_answered_with_what_to_use() {
    let mut driver = Driver::start();
    let lines = driver.replies("speedtest\nexport_net a.nnue");
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[0].contains("use \"bench\""), "{lines:#?}");
    assert!(lines[1].contains("nets/raicho.nnue"), "{lines:#?}");
}

#[test]
fn quit_and_end_of_input_end_every_state() {
    let states = [
        "",
        "usi",
        "isready",
        "usi\nisready\nusinewgame\nposition startpos\ngo infinite",
        "go infinite",
        "go ponder btime 1000 wtime 1000",
        "go ponder\nponderhit",
        "go btime 600000 wtime 600000 byoyomi 30000",
        "position nonsense\ngo ponder",
        "go depth 1",
        "go infinite\nstop",
        "go infinite\nisready",
        "perft 2",
        "go mate infinite",
    ];
    for state in states {
        for end in ["", "quit\n", "quit", "quit\r\nusi\r\n"] {
            let lines =
                transcript(format!("setoption name USI_Hash value 1\n{state}\n{end}").as_bytes());
            assert!(count(&lines, "bestmove ") <= 1, "{state}: {lines:#?}");
        }
    }
}

#[test]
fn quit_is_obeyed_while_a_search_runs() {
    let mut driver = Driver::ready();
    driver.send("go infinite");
    driver.until("info depth");
    driver.send("quit");
    driver.exit();
}

#[test]
fn a_broken_pipe_ends_the_engine() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_raicho"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(b"usi\ngo infinite\n")
        .expect("the engine reads");
    // The input stays open: only the output tells the engine that nobody listens.
    let output = child.wait_with_output().expect("a child");
    drop(input);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The number of nodes of a search with a depth, in one thread.
fn nodes_of(driver: &mut Driver, go: &str) -> String {
    driver.send(go);
    let lines = driver.until("bestmove ");
    let info = lines.iter().rfind(|line| line.starts_with("info depth "));
    let words = info.and_then(|line| line.split_once(" nodes "));
    let (_, rest) = words.expect("a line with nodes");
    rest.split(' ').next().unwrap_or_default().to_owned()
}

/// A GUI that presses the button while the engine ponders still waits for the ponder search; the
/// next search is then that of a new engine.
#[test]
fn clearing_the_table_ends_no_search() {
    const SEARCH: &str = "position startpos moves 2g2f\ngo depth 6";
    let fresh = nodes_of(&mut Driver::ready(), SEARCH);
    let mut driver = Driver::ready();
    assert_eq!(nodes_of(&mut driver, SEARCH), fresh);
    assert_ne!(nodes_of(&mut driver, SEARCH), fresh, "the table is used");
    for (go, end) in [("go ponder depth 6", "ponderhit"), ("go infinite", "stop")] {
        driver.replies(&format!("position startpos\n{go}"));
        let lines = driver.replies("setoption name ClearHash");
        assert_eq!(count(&lines, "bestmove"), 0, "{go}: {lines:#?}");
        driver.send(end);
        driver.until("bestmove ");
        assert_eq!(nodes_of(&mut driver, SEARCH), fresh, "{go}");
    }
}
