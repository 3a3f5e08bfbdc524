//! Bad positions and commands: an error line, the last valid position stays, and no move is
//! invented.

use super::driver::{Driver, must_count};
use crate::runner::Text;

const HANDICAP: &str = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

fn drawn_sfen(driver: &mut Driver) -> String {
    let lines = driver.replies("d");
    let sfen = lines.iter().find_map(|line| line.strip_prefix("sfen "));
    sfen.expect("a board").to_owned()
}

/// Sends a bad `position`, and checks the error, the kept position, and the answers to `go`.
fn check_refusal(bad: &str, reason: &str) {
    let mut driver = Driver::ready();
    driver.send(&format!("position sfen {HANDICAP}"));
    let error = driver.replies(bad);
    assert_eq!(error.len(), 1, "{bad}: {error:#?}");
    error[0].must_begin("info string error: ").must_have(reason);
    let part = ", the last good position is kept";
    assert!(error[0].ends_with(part), "{error:#?}");
    assert_eq!(drawn_sfen(&mut driver), HANDICAP, "{bad}");
    for go in ["go byoyomi 1000", "go infinite", "go"] {
        let answer = driver.replies(go);
        assert_eq!(answer.len(), 2, "{bad}: {answer:#?}");
        answer[0].must_begin("info string error: ").must_have(reason);
        assert_eq!(answer[1], "bestmove resign");
    }
    let answer = driver.go(&format!("position sfen {HANDICAP}\ngo depth 1"));
    must_count(&answer, 0, "info string error");
    must_count(&answer, 0, "bestmove resign");
}

#[test]
fn malformed_positions_keep_the_last_good_one() {
    let cases = cases! {
        "position" => "word 2 of \"position\"";
        "position sfen" => "word 3 of \"position\"";
        "position startpos 7g7f" => "\"7g7f\", word 3 of \"position\", expected \"moves\"";
        "position hello" => "";
        "position sfen lnsgkgsnl/9/9/9/9/9/9/9/LNSGKGSNL" => "";
        "position sfen lnsgkgsnl/9/9/9/9/9/9/9/LNSGKGSN b - 1" => "rank 9";
        "position sfen lnsgkgsnl/9/9/9/9/9/9/9/LNSGKGSNL x - 1" => "x";
        "position sfen PPPPPPPPP/9/4k4/9/9/9/9/9/4K4 b - 1" => "";
    };
    for (position, reason) in cases {
        check_refusal(position, reason);
    }
}

#[test]
fn illegal_moves_are_named_with_their_place() {
    for (moves, reason) in cases! {
        "7g7f 3c3d 8h2c+ 2b2c" => "8h2c+, no piece of the side to move can make it, move 3 of 4";
        "7g7f resign 3c3d" =>
            "\"resign\" is not a move, expected for example 7g7f, 8h2b+ or P*5e, move 2 of 3";
        "7g7f 7g7f" => "illegal move 7g7f";
        "P*5e" => "illegal move P*5e";
    } {
        check_refusal(&format!("position startpos moves {moves}"), reason);
    }
}

#[test]
fn sloppy_positions_are_accepted() {
    let mut driver = Driver::ready();
    let board = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    for position in [
        format!("position sfen {board} w -"),
        format!("position sfen {board} w - 0"),
        format!("position {board} w - 1"),
        format!("position   sfen  {board}   w -  1  moves"),
    ] {
        assert_eq!(driver.replies(&position), [""; 0], "{position}");
        assert_eq!(drawn_sfen(&mut driver), HANDICAP);
    }
    for end in ["win", "resign"] {
        let position = format!("position startpos moves 7g7f {end}");
        assert_eq!(driver.replies(&position), [""; 0]);
        assert!(drawn_sfen(&mut driver).ends_with(" w - 2"));
    }
}

#[test]
fn a_refused_ponder_waits_for_its_answer() {
    let mut driver = Driver::ready();
    driver.replies("position nonsense");
    let found = driver.replies("go ponder btime 1000 wtime 1000");
    must_count(&found, 0, "bestmove");
    assert_eq!(driver.replies("stop"), ["bestmove none"]);
    must_count(&driver.replies("go ponder"), 0, "bestmove");
    assert_eq!(driver.replies("ponderhit"), ["bestmove resign"]);
    must_count(&driver.replies("go ponder"), 0, "bestmove");
    assert_eq!(driver.replies("position startpos"), ["bestmove none"]);
    assert_eq!(driver.replies("stop\nponderhit\ngameover win"), [""; 0]);
}

#[test]
fn unknown_commands_get_one_line_each() {
    let mut driver = Driver::start();
    let lines = driver.replies("hello\nUSI\nregister later\ngo-on\n\u{3042}\u{3044}");
    assert_eq!(lines.len(), 5, "{lines:#?}");
    must_count(&lines, 5, "info string error: unknown command \"");
    assert!(lines[0].ends_with(", the line is ignored"), "{lines:#?}");
}

#[test]
fn errors_stay_readable_lines_whatever_they_quote() {
    let mut driver = Driver::start();
    let long = "9".repeat(100_000);
    for line in [
        long.clone(),
        format!("position {long}"),
        format!("position sfen {long} b - 1"),
        format!("position sfen 9/9/9/9/9/9/9/9/{long} b - 1"),
        format!("position sfen 9/9/9/9/9/9/9/9/9 {long} - 1"),
        format!("position sfen 9/9/9/9/9/9/9/9/9 b {long} 1"),
        format!("position sfen 9/9/9/9/9/9/9/9/9 b - {long}"),
        format!("position startpos moves {long}"),
        format!("setoption name MultiPV value x{long}"),
        format!("perft x{long}"),
    ] {
        let answer = driver.replies(&line);
        must_count(&answer, 1, "info string error: ");
        assert!(answer[0].len() < 400, "{}", answer[0].len());
    }
}
