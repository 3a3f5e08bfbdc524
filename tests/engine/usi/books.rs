//! Opening books in the running engine.

use super::driver::{Driver, must_count};
use crate::folder::Folder;
use crate::runner::Text;
use raicho::position::START_SFEN;

/// Three moves of the start position, and answers to one of them.
const BOOK: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2
3c3d 2g2f -30 20 10
8c8d none -31 20 9
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f none 40 20 30
2g2f 8c8d 35 21 25
7g7e none 50 20 9
5g5f none -20 18 2
";

/// An engine that has loaded a file with this content from a folder, and what it said about that.
fn engine(
    name: &str,
    content: impl AsRef<[u8]>,
    options: &[(&str, &str)],
) -> (Folder, Driver, String) {
    let folder = Folder::new();
    folder.write(name, content);
    let mut driver = Driver::ready();
    driver.set("BookFile", folder.path(name));
    for (name, value) in options {
        driver.set(name, value);
    }
    let said = driver.is_ready().join("\n");
    (folder, driver, said)
}

fn is_from_book(lines: &[String]) -> bool {
    let is_of_book = |line: &String| line.contains(" nodes 0 ") && line.contains(" pv ");
    lines.iter().any(is_of_book)
}

#[test]
fn a_book_move_is_shown_with_its_line_and_the_others() {
    let (_folder, mut driver, said) = engine("shown.db", BOOK, &[("BookEvalDiff", "0")]);
    said.must_have("(.db, 2 positions)");
    let lines = driver.go("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    let [illegal, first, second, third, best] = &lines[..] else {
        panic!("{lines:#?}");
    };
    illegal.must_have("illegal move 7g7e");
    first.must_begin("info depth 20 seldepth 20 multipv 1 score cp 40 nodes 0");
    assert!(first.ends_with(" pv 7g7f 3c3d"), "{first}");
    assert!(second.contains(" multipv 2 score cp 35 ") && second.ends_with(" pv 2g2f"));
    assert!(third.contains(" multipv 3 score cp -20 ") && third.ends_with(" pv 5g5f"));
    assert_eq!(best, "bestmove 7g7f ponder 3c3d");
}

#[test]
fn a_game_without_isready_has_its_book_too() {
    let folder = Folder::new();
    let mut driver = Driver::start();
    driver.set("BookFile", folder.write("unprepared.db", BOOK).display());
    let lines = driver.go("go byoyomi 1000");
    lines[0].must_have("(.db, 2 positions)");
    assert!(is_from_book(&lines), "{lines:?}");
}

#[test]
fn books_are_used_only_where_a_clock_runs() {
    let (_folder, mut driver, _) = engine("clocks.db", BOOK, &[]);
    driver.send("position startpos");
    for (go, is_used) in cases! {
        "go btime 10000 wtime 10000" => true;
        "go byoyomi 500" => true;
        "go btime 1 wtime 1 binc 9 winc 9" => true;
        "go depth 1" => false;
        "go nodes 100" => false;
        "go movetime 10" => false;
        "go byoyomi 100 searchmoves 1g1f" => false;
        "go btime 100 wtime 100 depth 1" => false;
        "go infinite\nstop" => false;
        "go\nstop" => false;
        "setoption name USI_OwnBook value false\ngo byoyomi 10" => false;
    } {
        assert_eq!(is_from_book(&driver.go(go)), is_used, "{go}");
    }
}

#[test]
fn while_pondering_the_answer_waits() {
    let (_folder, mut driver, _) = engine("ponder.db", BOOK, &[]);
    for end in ["ponderhit", "stop"] {
        driver.send("position startpos\ngo ponder btime 10000 wtime 10000");
        let lines = driver.replies("");
        assert!(is_from_book(&lines), "{lines:?}");
        assert!(lines.iter().all(|line| !line.starts_with("bestmove")));
        let best = driver.best(end);
        let expected = ["7g7f ponder 3c3d", "2g2f ponder 8c8d"];
        assert!(expected.contains(&&*best), "{best}");
    }
    driver.go("go ponder btime 10000 wtime 10000\nposition startpos moves 7g7f");
    driver.go("go byoyomi 1000");
}

#[test]
fn a_seed_repeats_the_choice() {
    let answers = |seed: u32| {
        let (_folder, mut driver, _) = engine("seed.db", BOOK, &[("BookSeed", &seed.to_string())]);
        let answer = driver.best("position startpos\ngo byoyomi 1000");
        for _ in 0..2 {
            assert_eq!(driver.best("position startpos\ngo byoyomi 1000"), answer);
        }
        answer
    };
    let all: Vec<_> = (1..=8).map(answers).collect();
    assert!(all.iter().any(|answer| *answer != all[0]), "seeds differ");
    assert_eq!(answers(3), all[2]);
}

#[test]
fn a_broken_or_missing_book_is_named_and_the_game_goes_on() {
    let junk: &[u8] = b"no book at all, whatever its name";
    for (name, content, reason) in cases! {
        "magic.ybb", &b"YANE-BINBOOK-V9\0                "[..] => "magic \"YANE-BINBOOK-V9\"";
        "empty.db", b"" => "the file is empty";
        "junk.bin", junk => "no book format";
        "line.db", b"sfen x\n7g7f\n" => "line 1: 'x' has 1 field";
    } {
        let (_folder, mut driver, said) = engine(name, content, &[]);
        let line = said.lines().find(|line| line.starts_with("info string error: book \""));
        line.expect("an error").must_have(reason);
        assert!(!driver.best("position startpos\ngo byoyomi 10").is_empty());
    }
    let mut driver = Driver::ready();
    driver.set("BookFile", "nowhere.db");
    let text = "info string error: no book \"nowhere.db\" in ";
    must_count(&driver.is_ready(), 1, text);
}

#[test]
fn the_first_book_of_a_list_that_knows_a_position_answers() {
    let folder = Folder::new();
    let first = folder.write("first.db", "#YANEURAOU-DB2016 1.00\n");
    let second = format!("sfen {START_SFEN}\n9g9f none 5 20 1\n");
    let second = folder.write("second.db", second);
    let third = folder.write("third.db", BOOK);
    let list = [first, second, third].map(|path| path.display().to_string());
    let mut driver = Driver::ready();
    driver.set("BookFile", list.join(";"));
    driver.is_ready();
    assert_eq!(driver.best("position startpos\ngo byoyomi 1000"), "9g9f");
    assert!(is_from_book(&driver.go("position startpos moves 7g7f\ngo byoyomi 1000")));
}

/// Black's fourth check in the same position would lose.
#[test]
fn no_book_move_runs_into_a_lost_repetition() {
    let start = "sfen 8k/9/6+R2/9/9/9/9/9/K8 b - 1";
    let book = "sfen 9/8k/9 b\nsfen 8k/9/7+R1/9/9/9/9/9/K8 b - 1\n2c1c none 900 20 1\n";
    let options = [("IgnoreBookPly", "true"), ("BookMoves", "100")];
    let (_folder, mut driver, _) = engine("repetition.db", book, &options);
    let mut moves = "3c1c 1a2a 1c2c 2a1a".to_owned();
    for round in 0..3 {
        let words = format!("position {start} moves {moves}\ngo byoyomi 100");
        let lines = driver.ask(&words, "bestmove");
        assert_eq!(is_from_book(&lines), round < 2, "{moves}: {lines:?}");
        moves += " 2c1c 1a2a 1c2c 2a1a";
    }
}

#[test]
fn the_embedded_book_answers_unless_it_is_switched_off() {
    let mut driver = Driver::start();
    driver.set("USI_Hash", 2);
    must_count(&driver.is_ready(), 1, "info string book \"<embedded>\" (.ybb, ");
    assert!(is_from_book(&driver.go("position startpos\ngo btime 10000 wtime 10000")));
    for (name, value) in [("USI_OwnBook", "false"), ("BookFile", "no_book")] {
        driver.set("USI_OwnBook", "true");
        driver.set("BookFile", "<embedded>");
        driver.set(name, value);
        assert!(!is_from_book(&driver.go("go byoyomi 10")), "{name}");
    }
}
