//! Exactly one `bestmove` for every `go`, at the right time, whatever is sent in between.

use super::driver::{Driver, must_count, nodes_of};
use super::oracle;
use crate::runner::Text;

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
        oracle::check_search(&oracle::position(position), &driver.go(go));
    }
    assert_eq!(driver.replies("stop\nstop"), [""; 0]);
}

/// One node completes no iteration, but people see what the move was chosen by.
#[test]
fn a_search_of_one_node_prints_one_info() {
    let mut driver = Driver::ready();
    let lines = driver.go("position startpos\ngo nodes 1");
    must_count(&lines, 1, "info depth ");
    assert_eq!(lines.len(), 2, "{lines:#?}");
    let best = lines[1].split(' ').nth(1).expect("a move");
    lines[0].must_have(" score cp ");
    lines[0].must_have(format!(" pv {best}"));
}

/// The game goes on, so the limit is not in force any more.
#[test]
fn beyond_the_limit_of_moves_positions_are_searched() {
    let mut driver = Driver::ready();
    driver.set("MaxMovesToDraw", 10);
    driver.set("MultiPV", 2);
    let position = "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 11";
    let nodes = nodes_of(&mut driver, &format!("{position}\ngo depth 6"));
    assert!(nodes.parse().is_ok_and(|nodes: u64| nodes > 300), "{nodes}");
}

/// What a weaker level chooses may be worse than the position.
#[test]
fn weak_levels_do_not_resign_good_positions() {
    let mut driver = Driver::ready();
    driver.set("SkillLevel", 0);
    driver.set("ResignValue", 200);
    for _ in 0..100 {
        assert_ne!(driver.best("position startpos\ngo depth 1"), "resign");
    }
}

#[test]
fn a_go_with_errors_searches_with_the_rest() {
    let mut driver = Driver::ready();
    let lines = driver.go("go depth 1 btime abc");
    let error = "info string error: \"abc\", word 5 of \"go\", expected a number of \
                 milliseconds, the search goes on without it";
    must_count(&lines, 1, error);
    for go in ["go depth", "go nodes many", "go movetime -", "go frobnicate 3"] {
        must_count(&driver.go(go), 1, "info string error: ");
    }
    let lines = driver.go("go searchmoves 7g7f 7g7e nonsense depth 1");
    must_count(&lines, 1, "info string error: illegal move 7g7e, ");
    must_count(&lines, 1, "info string error: \"nonsense\" is not a move");
    must_count(&lines, 1, "bestmove 7g7f");
}

#[test]
fn infinite_ends_with_stop_only() {
    let mut driver = Driver::ready();
    for go in ["go infinite", "go", "go infinite byoyomi 1"] {
        must_count(&driver.replies(go), 0, "bestmove");
        driver.go("stop");
    }
    driver.go("go infinite depth 1");
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
        for end in
            ["stop", "ponderhit", "ponderhit btime 100 wtime 100 binc 10 winc 10", "gameover lose"]
        {
            assert_eq!(driver.quiet_replies(go), [""; 0], "{go}");
            std::thread::sleep(std::time::Duration::from_millis(30));
            must_count(&driver.quiet_replies("key"), 0, "bestmove");
            driver.go(end);
        }
    }
    assert_eq!(driver.replies("ponderhit\nstop\ngameover win"), [""; 0]);
}

#[test]
fn a_stopped_ponder_search_does_not_resign() {
    let mut driver = Driver::ready();
    let declaration = "position sfen 4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1";
    for (position, expected) in [(MATED, "none"), (declaration, "win")] {
        for end in ["stop", "position startpos", "go ponder\nstop"] {
            let best = driver.best(&format!("{position}\ngo ponder\n{end}"));
            assert_eq!(best, expected, "{end}");
        }
        driver.replies("stop\nisready");
    }
    let best = driver.best(&format!("{MATED}\ngo ponder\nponderhit"));
    assert_eq!(best, "resign");
    let lines = driver.go(&format!("{MATED}\ngo byoyomi 1000"));
    let text = "info depth 0 seldepth 0 multipv 1 score mate -0 ";
    must_count(&lines, 1, text);
    must_count(&lines, 1, "bestmove resign");
    let best = driver.best(&format!("{declaration}\ngo byoyomi 1000"));
    assert_eq!(best, "win");
}

#[test]
fn other_commands_end_the_search_first() {
    let mut driver = Driver::ready();
    for next in
        ["go depth 1", "position startpos", "isready", "usinewgame", "gameover draw", "stop"]
    {
        driver.send("go infinite");
        driver.go(next);
        if next.starts_with("go") {
            driver.until("bestmove ");
        }
        if next == "isready" {
            assert_eq!(driver.until("readyok"), ["readyok"]);
        }
        must_count(&driver.replies("stop"), 0, "bestmove");
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
        must_count(&driver.replies(question), 0, "bestmove");
    }
    driver.go("stop");
}

#[test]
fn mate_searches_are_answered_with_checkmate() {
    let mut driver = Driver::ready();
    driver.set("MateHash", 4);
    driver.replies("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    for go in ["go mate infinite", "go mate 10000", "go mate"] {
        let lines = driver.ask(go, "checkmate ");
        assert_eq!(lines.last().map(String::as_str), Some("checkmate G*5b"));
        let info = lines.iter().find(|line| line.contains(" score mate 1 "));
        let is_mate = info.is_some_and(|info| info.ends_with(" pv G*5b"));
        assert!(is_mate, "{lines:#?}");
    }
    driver.replies("position sfen 4k4/9/9/9/9/9/9/9/4K4 b G 1");
    let lines = driver.ask("go mate infinite", "checkmate ");
    must_count(&lines, 1, "checkmate nomate");
    driver.replies("position nonsense");
    let lines = driver.replies("go mate 1000");
    assert_eq!((lines.len(), lines[1].as_str()), (2, "checkmate timeout"));
    // A limit that cannot be read changes nothing about the kind of the answer.
    driver.replies("position startpos");
    let lines = driver.ask("go mate soon", "checkmate ");
    lines[0].must_begin("info string error: ");
    must_count(&lines, 0, "bestmove ");
}

#[test]
fn threads_share_a_limit_of_nodes() {
    let mut driver = Driver::ready();
    driver.set("Threads", 4);
    driver.is_ready();
    driver.replies("position startpos");
    for limit in [1000, 20_000] {
        let nodes = nodes_of(&mut driver, &format!("go nodes {limit}"));
        // A thread that comes late may search its share all the same.
        let is_kept = nodes.parse().is_ok_and(|nodes: u64| nodes < 2 * limit);
        assert!(is_kept, "{nodes}");
    }
}

/// A problem of 611 plies, the longest for two centuries (図巧 100番, 1755).
const ENDLESS: &str = "position sfen \
    g3p3+r/3lPG3/1s4ppp/1l1B4P/L2b1kPl1/3+p3+R+p/3+p2+s1S/+NP+p1gS3/1g+p2P3 b 4P3n 1";

#[test]
fn mate_searches_end_with_every_command_that_ends_a_search() {
    let mut driver = Driver::ready();
    driver.set("MateHash", 4);
    driver.set("PvInterval", 20);
    for end in ["stop", "gameover lose", "usinewgame", "position startpos"] {
        driver.replies(ENDLESS);
        driver.ask("go mate infinite", "info depth");
        let lines = driver.ask(end, "checkmate ");
        must_count(&lines, 1, "checkmate timeout");
    }
    driver.replies(ENDLESS);
    let found = driver.ask("go mate 50", "checkmate ");
    must_count(&found, 1, "checkmate timeout");
    driver.send("go mate infinite\nquit");
    must_count(&driver.exit(), 1, "checkmate ");
}

#[test]
fn games_follow_each_other() {
    let mut driver = Driver::ready();
    for _ in 0..3 {
        driver.is_ready();
        driver.send("usinewgame\nposition startpos moves 7g7f\ngo btime 100000 wtime 100000");
        let lines = driver.ask("stop\ngameover lose\nisready", "readyok");
        must_count(&lines, 1, "bestmove ");
    }
}

#[test]
fn a_go_needs_no_isready() {
    let mut driver = Driver::start();
    driver.go("go depth 1");
}

#[test]
fn strange_but_sensible_positions_are_searched() {
    let mut driver = Driver::ready();
    for position in [
        "position sfen 4k4/9/4G4/9/9/9/9/9/9 b G 1",
        "position sfen lnsgkgsnl/9/9/9/9/9/9/9/4K4 b - 1",
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 w - 1",
    ] {
        let lines = driver.go(&format!("{position}\ngo depth 3"));
        must_count(&lines, 0, "info string error");
        oracle::check_search(&oracle::position(position), &lines);
    }
}

#[test]
fn a_missing_king_is_reported_once() {
    let mut driver = Driver::ready();
    for times in [1, 0] {
        let lines = driver.go("position sfen 4k4/9/4G4/9/9/9/9/9/9 b G 1\ngo depth 2");
        must_count(&lines, times, "info string the evaluation needs both kings");
    }
}
