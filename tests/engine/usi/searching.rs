//! Exactly one `bestmove` for every `go`, at the right time, whatever is sent in between.

use super::driver::{Driver, count};
use super::oracle;

const MATED: &str = "position sfen 4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1";
const SHORT_TIMES: &str = "setoption name NetworkDelay value 0\n\
    setoption name NetworkDelay2 value 0\n\
    setoption name MinimumThinkingTime value 1\nsetoption name RoundUpToFullSecond value false";

#[test]
fn every_kind_of_limit_ends_by_itself() {
    let mut driver = Driver::ready();
    driver.send(SHORT_TIMES);
    let position = "position startpos moves 7g7f 3c3d";
    driver.send(position);
    for go in [
        "go depth 2",
        "go nodes 500",
        "go movetime 10",
        "go movetime 0",
        "go btime 0 wtime 0 byoyomi 0",
        "go btime 100 wtime 100 byoyomi 0",
        "go btime 100 wtime 100 binc 10 winc 10",
        "go btime -50 wtime -50 byoyomi -1",
        "go byoyomi 20",
        "go btime 99999999999999999999 wtime 99999999999999999999 movetime 5",
        "go searchmoves 2g2f 6i7h depth 2",
        "go infinite depth 1 movetime oops\nstop",
    ] {
        driver.send(go);
        let lines = driver.until("bestmove ");
        let position = oracle::position(position);
        oracle::check_search(&position, &lines);
    }
    assert_eq!(driver.replies("stop\nstop"), [""; 0]);
}

/// One node completes no iteration, but people see what the move was chosen by.
#[test]
fn a_search_of_one_node_prints_one_info() {
    let mut driver = Driver::ready();
    driver.send("position startpos\ngo nodes 1");
    let lines = driver.until("bestmove ");
    assert_eq!(
        (count(&lines, "info depth "), lines.len()),
        (1, 2),
        "{lines:#?}"
    );
    let best = lines[1].split(' ').nth(1).expect("a move");
    assert!(lines[0].contains(" score cp "), "{lines:#?}");
    assert!(lines[0].contains(&format!(" pv {best}")), "{lines:#?}");
}

/// `lowerbound` and `upperbound` come only after 3 s, but for the last line, whose move may have no
/// exact value when the time is over.
/// The game goes on, so the limit is not in force any more.
#[test]
fn beyond_the_limit_of_moves_positions_are_searched() {
    let mut driver = Driver::ready();
    driver.send(
        "setoption name MaxMovesToDraw value 10\nsetoption name MultiPV value 2\n\
         position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 11\n\
         go depth 6",
    );
    let info = driver.answer("info depth 6 ");
    let nodes = info.split_once(" nodes ").map_or("", |(_, rest)| rest);
    let nodes = nodes.split(' ').next().and_then(|word| word.parse().ok());
    assert!(nodes.is_some_and(|nodes: u64| nodes > 300), "{info}");
    driver.answer("bestmove ");
}

/// What a weaker level chooses may be worse than the position.
#[test]
fn weak_levels_do_not_resign_good_positions() {
    let mut driver = Driver::ready();
    driver.send("setoption name SkillLevel value 0\nsetoption name ResignValue value 200");
    for _ in 0..100 {
        driver.send("position startpos\ngo depth 1");
        assert_ne!(driver.answer("bestmove "), "bestmove resign");
    }
}

#[test]
fn short_searches_print_bounds_in_the_last_line_only() {
    let mut driver = Driver::ready();
    driver.send("setoption name PvInterval value 0");
    for sfen in [
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    ] {
        driver.send(&format!("position sfen {sfen}\ngo movetime 1200"));
        let mut lines = driver.until("bestmove ");
        lines.retain(|line| line.starts_with("info depth "));
        lines.pop();
        let bounds = lines.iter().filter(|line| line.contains("bound "));
        assert_eq!(bounds.count(), 0, "{lines:#?}");
    }
}

#[test]
fn a_go_with_errors_searches_with_the_rest() {
    let mut driver = Driver::ready();
    driver.send("go depth 1 btime abc");
    let lines = driver.until("bestmove ");
    let error = "info string error: \"abc\", word 5 of \"go\", expected a number of \
                 milliseconds, the search goes on without it";
    assert_eq!(count(&lines, error), 1, "{lines:#?}");
    for go in [
        "go depth",
        "go nodes many",
        "go movetime -",
        "go frobnicate 3",
    ] {
        driver.send(go);
        let lines = driver.until("bestmove ");
        assert_eq!(count(&lines, "info string error: "), 1, "{lines:#?}");
    }
    driver.send("go searchmoves 7g7f 7g7e nonsense depth 1");
    let lines = driver.until("bestmove ");
    assert_eq!(
        count(&lines, "info string error: illegal move 7g7e, "),
        1,
        "{lines:#?}"
    );
    assert_eq!(
        count(&lines, "info string error: \"nonsense\" is not a move"),
        1,
        "{lines:#?}"
    );
    assert!(
        lines
            .last()
            .is_some_and(|line| line.starts_with("bestmove 7g7f")),
        "{lines:#?}"
    );
}

#[test]
fn infinite_ends_with_stop_only() {
    let mut driver = Driver::ready();
    for go in ["go infinite", "go", "go infinite byoyomi 1"] {
        let lines = driver.replies(go);
        assert_eq!(count(&lines, "bestmove"), 0, "{go}");
        driver.send("stop");
        driver.until("bestmove ");
    }
    driver.send("go infinite depth 1");
    driver.until("bestmove ");
    assert_eq!(driver.replies("stop"), [""; 0]);
}

#[test]
fn pondering_answers_after_stop_or_ponderhit_only() {
    let mut driver = Driver::ready();
    driver.send(SHORT_TIMES);
    for go in [
        "go ponder btime 100 wtime 100 byoyomi 10",
        "go ponder depth 1",
        "go ponder nodes 1",
        "go ponder",
    ] {
        for end in [
            "stop",
            "ponderhit",
            "ponderhit btime 100 wtime 100 binc 10 winc 10",
            "gameover lose",
        ] {
            assert_eq!(driver.quiet_replies(go), [""; 0], "{go}");
            std::thread::sleep(std::time::Duration::from_millis(30));
            assert_eq!(count(&driver.quiet_replies("key"), "bestmove"), 0, "{go}");
            driver.send(end);
            driver.until("bestmove ");
        }
    }
    assert_eq!(driver.replies("ponderhit\nstop\ngameover win"), [""; 0]);
}

#[test]
fn a_stopped_ponder_search_neither_resigns_nor_wins() {
    let mut driver = Driver::ready();
    let declaration = "position sfen 4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1";
    for position in [MATED, declaration] {
        for end in ["stop", "position startpos", "go ponder\nstop"] {
            driver.send(&format!("{position}\ngo ponder"));
            driver.send(end);
            let answer = driver.answer("bestmove ");
            assert!(
                !answer.contains("resign") && !answer.contains("win"),
                "{answer}"
            );
        }
        driver.replies("stop\nisready");
    }
    driver.send(&format!("{MATED}\ngo ponder\nponderhit"));
    assert_eq!(driver.answer("bestmove "), "bestmove resign");
    driver.send(&format!("{MATED}\ngo byoyomi 1000"));
    let lines = driver.until("bestmove ");
    assert_eq!(
        count(&lines, "info depth 0 seldepth 0 multipv 1 score mate -0 "),
        1,
        "{lines:#?}"
    );
    assert_eq!(lines.last().map(String::as_str), Some("bestmove resign"));
    driver.send(&format!("{declaration}\ngo byoyomi 1000"));
    assert_eq!(driver.answer("bestmove "), "bestmove win");
}

#[test]
fn other_commands_end_the_search_first() {
    let mut driver = Driver::ready();
    for next in [
        "go depth 1",
        "position startpos",
        "isready",
        "usinewgame",
        "gameover draw",
        "stop",
    ] {
        driver.send("go infinite");
        driver.send(next);
        driver.until("bestmove ");
        if next.starts_with("go") {
            driver.until("bestmove ");
        }
        if next == "isready" {
            assert_eq!(driver.until("readyok"), ["readyok"]);
        }
        assert_eq!(count(&driver.replies("stop"), "bestmove"), 0, "{next}");
    }
}

#[test]
fn options_and_questions_do_not_end_the_search() {
    let mut driver = Driver::ready();
    driver.send("go infinite");
    for question in [
        "d",
        "moves",
        "key",
        "eval",
        "getoption",
        "usi",
        "setoption name MultiPV value 3",
        "compiler",
    ] {
        assert_eq!(
            count(&driver.replies(question), "bestmove"),
            0,
            "{question}"
        );
    }
    driver.send("stop");
    driver.until("bestmove ");
}

#[test]
fn mate_searches_are_answered_with_checkmate() {
    let mut driver = Driver::ready();
    driver.send("setoption name MateHash value 4");
    driver.replies("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    for go in ["go mate infinite", "go mate 10000", "go mate"] {
        driver.send(go);
        let lines = driver.until("checkmate ");
        assert_eq!(lines.last().map(String::as_str), Some("checkmate G*5b"));
        let info = lines.iter().find(|line| line.contains(" score mate 1 "));
        assert!(
            info.is_some_and(|info| info.ends_with(" pv G*5b")),
            "{lines:#?}"
        );
    }
    driver.replies("position sfen 4k4/9/9/9/9/9/9/9/4K4 b G 1");
    driver.send("go mate infinite");
    assert_eq!(driver.answer("checkmate "), "checkmate nomate");
    driver.replies("position nonsense");
    let lines = driver.replies("go mate 1000");
    assert_eq!((lines.len(), lines[1].as_str()), (2, "checkmate timeout"));
    // A limit that cannot be read changes nothing about the kind of the answer.
    driver.replies("position startpos");
    driver.send("go mate soon");
    let lines = driver.until("checkmate ");
    assert!(lines[0].starts_with("info string error: "), "{lines:?}");
    assert_eq!(count(&lines, "bestmove "), 0, "{lines:?}");
}

#[test]
fn threads_share_a_limit_of_nodes() {
    let mut driver = Driver::ready();
    driver.send("setoption name Threads value 4\nisready");
    driver.until("readyok");
    driver.replies("position startpos");
    for limit in [1000_u64, 20_000] {
        driver.send(&format!("go nodes {limit}"));
        let lines = driver.until("bestmove ");
        let words = lines
            .iter()
            .rev()
            .find_map(|line| line.split_once(" nodes "));
        let (_, rest) = words.expect("a line with nodes");
        let nodes = rest
            .split(' ')
            .next()
            .and_then(|word| word.parse::<u64>().ok());
        // A thread that comes late may search its share all the same.
        assert!(nodes.is_some_and(|nodes| nodes < 2 * limit), "{nodes:?}");
    }
}

/// A problem of 611 plies, the longest for two centuries (図巧 100番, 1755).
const ENDLESS: &str = "position sfen \
    g3p3+r/3lPG3/1s4ppp/1l1B4P/L2b1kPl1/3+p3+R+p/3+p2+s1S/+NP+p1gS3/1g+p2P3 b 4P3n 1";

#[test]
fn mate_searches_end_with_every_command_that_ends_a_search() {
    let mut driver = Driver::ready();
    driver.send("setoption name MateHash value 4\nsetoption name PvInterval value 20");
    for end in ["stop", "gameover lose", "usinewgame", "position startpos"] {
        driver.replies(ENDLESS);
        driver.send("go mate infinite");
        driver.until("info depth");
        driver.send(end);
        let answer = driver.answer("checkmate ");
        assert_eq!(answer, "checkmate timeout", "{end}");
    }
    driver.replies(ENDLESS);
    driver.send("go mate 50");
    assert_eq!(driver.answer("checkmate "), "checkmate timeout");
    driver.send("go mate infinite\nquit");
    let lines = driver.exit();
    assert_eq!(count(&lines, "checkmate "), 1);
}

#[test]
fn games_follow_each_other() {
    let mut driver = Driver::ready();
    for _ in 0..3 {
        driver.send("isready");
        driver.until("readyok");
        driver.send("usinewgame\nposition startpos moves 7g7f\ngo btime 100000 wtime 100000");
        driver.send("stop\ngameover lose\nisready");
        let lines = driver.until("readyok");
        assert_eq!(count(&lines, "bestmove "), 1, "{lines:#?}");
    }
}

#[test]
fn a_go_needs_no_isready() {
    let mut driver = Driver::start();
    driver.send("go depth 1");
    driver.until("bestmove ");
}

#[test]
fn strange_but_sensible_positions_are_searched() {
    let mut driver = Driver::ready();
    for position in [
        "position sfen 4k4/9/4G4/9/9/9/9/9/9 b G 1",
        "position sfen lnsgkgsnl/9/9/9/9/9/9/9/4K4 b - 1",
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 w - 1",
    ] {
        driver.send(&format!("{position}\ngo depth 3"));
        let lines = driver.until("bestmove ");
        assert_eq!(count(&lines, "info string error"), 0, "{lines:#?}");
        let position = oracle::position(position);
        oracle::check_search(&position, &lines);
    }
}

#[test]
fn a_missing_king_is_reported_once() {
    let mut driver = Driver::ready();
    let mut notes = 0;
    for _ in 0..2 {
        driver.send("position sfen 4k4/9/4G4/9/9/9/9/9/9 b G 1\ngo depth 2");
        notes += count(
            &driver.until("bestmove "),
            "info string the evaluation needs both kings",
        );
    }
    assert_eq!(notes, 1);
}
