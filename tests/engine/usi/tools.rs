//! The commands for people: tools are finished before a `quit`, and `stop` ends them.

use super::driver::{Driver, must_count, transcript};
use crate::runner::{Text, raicho};

#[test]
fn perft_counts_and_ends_with_its_sum() {
    let mut driver = Driver::start();
    for command in ["perft 3", "go perft 3"] {
        let lines = driver.replies(command);
        assert_eq!(lines.len(), 31);
        assert!(lines.iter().any(|line| line == "7g7f: 867") || lines[0].contains(": "));
        lines[30].must_begin("25470 leaves ");
        assert!(lines[30].ends_with(" lps"), "{lines:#?}");
    }
    driver.replies("perft 0")[0].must_begin("1 leaves ");
    let error = "info string error: nothing, word 2 of \"perft\"";
    must_count(&driver.replies("perft"), 1, error);
    let found = driver.replies("go perft x\nstop");
    must_count(&found, 1, "info string error: ");
}

#[test]
fn tools_are_finished_before_the_end() {
    for end in ["", "quit\n"] {
        let lines = transcript(format!("perft 3\ngo perft 2\n{end}").as_bytes());
        must_count(&lines, 1, "25470 leaves ");
        must_count(&lines, 1, "900 leaves ");
    }
}

#[test]
fn stop_ends_a_tool_that_came_before_it() {
    // The `stop` may be read before the tool has begun, or long after.
    let mut driver = Driver::start();
    let stopped = "info string error: stopped before all leaves were counted";
    driver.ask("perft 60\nstop", stopped);
    driver.send("perft 60\ncompiler");
    std::thread::sleep(std::time::Duration::from_millis(50));
    driver.ask("stop", stopped);
    assert_eq!(driver.until("Raicho ").len(), 1);
    assert_eq!(driver.replies("stop"), [""; 0]);
    // An earlier stop does no harm.
    must_count(&driver.replies("stop\nperft 2"), 1, "900 leaves ");
}

#[test]
fn questions_are_answered() {
    let mut driver = Driver::start();
    driver.send("position startpos moves 7g7f");
    let sfen = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    assert!(driver.replies("d").contains(&sfen.to_owned()));
    let moves = driver.replies("moves");
    assert_eq!((moves.len(), moves[0].split(' ').count()), (1, 30));
    assert_eq!(driver.replies("key").len(), 1);
    let lines = driver.replies("eval");
    lines.last().expect("a value").must_begin("static eval ");
    must_count(&driver.replies("compiler"), 1, "Raicho ");
}

#[test]
fn bench_searches_and_obeys_stop() {
    let mut driver = Driver::start();
    let check = |lines: &[String]| {
        let last = lines.last().expect("a sum");
        assert!(last.contains(" nodes ") && last.ends_with(" nps"), "{last}");
    };
    check(&driver.replies("bench depth 2"));
    let text = "info string error: stopped before all positions were searched";
    driver.ask("bench depth 200\nstop", text);
    check(&transcript(b"bench depth 1\n"));
}

#[test]
fn bench_counts_the_same_nodes_as_on_the_command_line() {
    let nodes = |line: Option<&str>| {
        let (nodes, _) = line?.split_once(" nodes ")?;
        nodes.parse::<u64>().ok()
    };
    let expected = nodes(raicho!("bench --depth 4").stdout().lines().last());
    let lines = Driver::start().replies("bench depth 4");
    assert!(expected.is_some());
    assert_eq!(nodes(lines.last().map(String::as_str)), expected, "{lines:#?}");
}
