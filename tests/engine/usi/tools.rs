//! The commands for people: tools are finished before a `quit`, and `stop` ends them.

use std::process::Command;

use super::driver::{Driver, count, transcript};

#[test]
fn perft_counts_and_ends_with_its_sum() {
    let mut driver = Driver::start();
    for command in ["perft 3", "go perft 3"] {
        let lines = driver.replies(command);
        assert_eq!(lines.len(), 31);
        assert!(
            lines.iter().any(|line| line == "7g7f: 867") || lines[0].contains(": "),
            "{lines:#?}"
        );
        assert!(
            lines[30].starts_with("25470 leaves ") && lines[30].ends_with(" lps"),
            "{lines:#?}"
        );
    }
    assert!(driver.replies("perft 0")[0].starts_with("1 leaves "));
    assert_eq!(
        count(
            &driver.replies("perft"),
            "info string error: nothing, word 2 of \"perft\""
        ),
        1
    );
    assert_eq!(
        count(&driver.replies("go perft x\nstop"), "info string error: "),
        1
    );
}

#[test]
fn tools_are_finished_before_the_end() {
    for end in ["", "quit\n"] {
        let lines = transcript(format!("perft 3\ngo perft 2\n{end}").as_bytes());
        assert_eq!(
            (count(&lines, "25470 leaves "), count(&lines, "900 leaves ")),
            (1, 1),
            "{lines:#?}"
        );
    }
}

#[test]
fn stop_ends_a_tool_that_came_before_it() {
    // The `stop` may be read before the tool has begun, or long after.
    let mut driver = Driver::start();
    driver.send("perft 60\nstop");
    driver.until("info string error: stopped before all leaves were counted");
    driver.send("perft 60");
    driver.send("compiler");
    std::thread::sleep(std::time::Duration::from_millis(50));
    driver.send("stop");
    driver.until("info string error: stopped before all leaves were counted");
    assert_eq!(driver.until("Raicho ").len(), 1);
    assert_eq!(driver.replies("stop"), [""; 0]);
    let lines = driver.replies("stop\nperft 2");
    assert_eq!(
        count(&lines, "900 leaves "),
        1,
        "an earlier stop does no harm: {lines:#?}"
    );
}

#[test]
fn questions_are_answered() {
    let mut driver = Driver::start();
    driver.send("position startpos moves 7g7f");
    assert!(driver.replies("d").contains(
        &"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2".to_owned()
    ));
    let moves = driver.replies("moves");
    assert_eq!((moves.len(), moves[0].split(' ').count()), (1, 30));
    assert_eq!(driver.replies("key").len(), 1);
    assert!(
        driver
            .replies("eval")
            .last()
            .is_some_and(|line| line.starts_with("static eval "))
    );
    assert_eq!(count(&driver.replies("compiler"), "Raicho "), 1);
}

#[test]
fn bench_searches_and_obeys_stop() {
    let mut driver = Driver::start();
    let lines = driver.replies("bench depth 2");
    assert!(
        lines
            .last()
            .is_some_and(|line| line.contains(" nodes ") && line.ends_with(" nps"))
    );
    driver.send("bench depth 200\nstop");
    driver.until("info string error: stopped before all positions were searched");
    let lines = transcript(b"bench depth 1\n");
    assert!(
        lines.last().is_some_and(|line| line.ends_with(" nps")),
        "{lines:#?}"
    );
}

#[test]
fn bench_counts_the_same_nodes_as_on_the_command_line() {
    let nodes = |line: Option<&str>| {
        let (nodes, _) = line?.split_once(" nodes ")?;
        nodes.parse::<u64>().ok()
    };
    let output = Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(["bench", "--depth", "4"])
        .output()
        .expect("bench runs");
    let expected = nodes(String::from_utf8_lossy(&output.stdout).lines().last());
    let lines = Driver::start().replies("bench depth 4");
    assert!(expected.is_some());
    assert_eq!(
        nodes(lines.last().map(String::as_str)),
        expected,
        "{lines:#?}"
    );
}
