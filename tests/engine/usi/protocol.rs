//! Handshake, options, and the ends and encodings of the input.

use std::time::{Duration, Instant};

use super::driver::{Driver, count, must_count, nodes_of, transcript};
use crate::runner::{Text, raicho};

#[test]
fn handshake_names_engine_and_options() {
    let mut driver = Driver::start();
    let lines = driver.ask("usi", "usiok");
    lines[0].must_begin("id name Raicho ");
    lines[1].must_begin("id author ");
    let is_ascii = lines.iter().all(|line| line.is_ascii());
    assert!(is_ascii, "some clients read ASCII only");
    must_count(&lines, 1, "option name USI_Hash type spin default 256 ");
    must_count(&lines, 1, "option name USI_Ponder type check default false");
    must_count(&lines, lines.len() - 3, "option ");
    let lines = driver.is_ready();
    must_count(&lines, 1, "info string evaluation <embedded> raicho");
    must_count(&lines, 1, "info string book \"<embedded>\" (");
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert_eq!(driver.is_ready(), ["readyok"]);
    assert_eq!(driver.replies("usinewgame"), [""; 0]);
}

#[test]
fn a_registering_gui_quits_right_after_usiok() {
    for script in ["usi\nquit\n", "usi\nsetoption name ClearHash\nquit\n"] {
        let lines = transcript(script.as_bytes());
        assert_eq!(lines.last().map(String::as_str), Some("usiok"));
    }
}

#[test]
fn a_script_that_ends_gets_its_answers() {
    let settings = "usi\nsetoption name USI_Hash value 1\nisready";
    let lines = transcript(format!("{settings}\nposition startpos\ngo depth 1\nquit\n").as_bytes());
    for answer in ["usiok", "readyok", "bestmove "] {
        must_count(&lines, 1, answer);
    }
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
    must_count(&lines, 2, "usiok");
    must_count(&lines, 1, "readyok");
    must_count(&lines, 1, "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/");
    must_count(&lines, 1, "info string error: unknown command");
}

#[test]
fn unknown_options_are_silent_and_bad_values_are_not() {
    let mut driver = Driver::start();
    let unknown = "setoption name Hash value 64\nsetoption name Ponder value true\n\
                   setoption name Skill Level value 3\n\
                   setoption name BookFile value standard book.db\nsetoption name Something";
    assert_eq!(driver.replies(unknown), [""; 0]);
    let known = "setoption name USI_Hash value 64\nsetoption name USI_Ponder value true";
    assert_eq!(driver.replies(known), [""; 0]);
    for (command, answer) in cases! {
        "setoption name SlowMover value 5000" =>
            "info string error: \"5000\" for option SlowMover, allowed are 1 to 1000, 1000 is used";
        "setoption name SlowMover value fast" =>
            "info string error: \"fast\" for option SlowMover, expected a number \
             from 1 to 1000, 1000 is kept";
        "getoption SlowMover" => "SlowMover = 1000";
        "getoption USI_Hash" => "USI_Hash = 64";
    } {
        assert_eq!(driver.replies(command), [answer]);
    }
    let found = driver.replies("getoption Nothing");
    must_count(&found, 1, "info string error: ");
    assert!(driver.replies("getoption").len() > 10);
    let broken = "setoption\nsetoption SlowMover 3\nsetoption name";
    must_count(&driver.replies(broken), 3, "info string error: ");
}

/// More threads than the machine can bear took minutes to start, and its whole memory.
#[test]
fn too_many_threads_are_not_used_and_the_engine_answers_in_time() {
    let mut driver = Driver::start();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    driver.set("USI_Hash", 16);
    driver.set("Threads", 512);
    let lines = driver.is_ready();
    let is_limited = cores < 256;
    let error = "info string warning: 512 threads on ";
    let memory = "info string error: no memory for 512 search threads, ";
    let errors = count(&lines, error) + count(&lines, memory);
    assert_eq!(errors, usize::from(is_limited), "{lines:#?}");
    if is_limited {
        let start = Instant::now();
        driver.go("go movetime 300");
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
    lines[0].must_have("use \"bench\"");
    lines[1].must_have("nets/raicho.nnue");
}

#[test]
fn quit_and_end_of_input_end_every_state() {
    for state in [
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
    ] {
        for end in ["", "quit\n", "quit", "quit\r\nusi\r\n"] {
            let script = format!("setoption name USI_Hash value 1\n{state}\n{end}");
            let lines = transcript(script.as_bytes());
            assert!(count(&lines, "bestmove ") <= 1, "{state}: {lines:#?}");
        }
    }
}

#[test]
fn quit_is_obeyed_while_a_search_runs() {
    let mut driver = Driver::ready();
    driver.ask("go infinite", "info depth");
    driver.send("quit");
    driver.exit();
}

#[test]
fn a_broken_pipe_ends_the_engine() {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = raicho!("").command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the engine starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"usi\ngo infinite\n").expect("the engine reads");
    // The input stays open: only the output tells the engine that nobody listens.
    let output = child.wait_with_output().expect("a child");
    drop(input);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
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
        must_count(&lines, 0, "bestmove");
        driver.go(end);
        assert_eq!(nodes_of(&mut driver, SEARCH), fresh, "{go}");
    }
}
