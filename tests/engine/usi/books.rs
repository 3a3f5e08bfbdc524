//! Opening books in the running engine.

use std::fs;
use std::path::PathBuf;

use super::driver::Driver;

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

/// A file of a test, removed when it is dropped.
struct BookFile(PathBuf);

impl BookFile {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let name = format!("raicho-book-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, content).expect("a file can be written");
        Self(path)
    }

    /// An engine that has loaded it, and what it said about that.
    fn engine(&self, options: &[(&str, &str)]) -> (Driver, Vec<String>) {
        let mut driver = Driver::ready();
        driver.send(&format!(
            "setoption name BookFile value {}",
            self.0.display()
        ));
        for (name, value) in options {
            driver.send(&format!("setoption name {name} value {value}"));
        }
        driver.send("isready");
        let said = driver.until("readyok");
        (driver, said)
    }
}

impl Drop for BookFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn is_from_book(lines: &[String]) -> bool {
    lines
        .iter()
        .any(|line| line.contains(" nodes 0 ") && line.contains(" pv "))
}

#[test]
fn a_book_move_is_shown_with_its_line_and_the_others() {
    let file = BookFile::new("shown.db", BOOK);
    let (mut driver, said) = file.engine(&[("BookEvalDiff", "0")]);
    assert!(
        said.iter().any(|line| line.contains("(.db, 2 positions)")),
        "{said:?}"
    );
    driver.send("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    let lines = driver.until("bestmove");
    assert!(lines[0].contains("illegal move 7g7e"), "{lines:?}");
    assert!(lines[1].starts_with("info depth 20 seldepth 20 multipv 1 score cp 40 nodes 0"));
    assert!(lines[1].ends_with(" pv 7g7f 3c3d"), "{lines:?}");
    assert!(lines[2].contains(" multipv 2 score cp 35 ") && lines[2].ends_with(" pv 2g2f"));
    assert!(lines[3].contains(" multipv 3 score cp -20 ") && lines[3].ends_with(" pv 5g5f"));
    assert_eq!(lines[4], "bestmove 7g7f ponder 3c3d");
    assert_eq!(lines.len(), 5);
}

#[test]
fn a_game_without_isready_has_its_book_too() {
    let file = BookFile::new("unprepared.db", BOOK);
    let mut driver = Driver::start();
    let name = file.0.display();
    driver.send(&format!(
        "setoption name BookFile value {name}\ngo byoyomi 1000"
    ));
    let lines = driver.until("bestmove");
    assert!(lines[0].contains("(.db, 2 positions)"), "{lines:?}");
    assert!(is_from_book(&lines), "{lines:?}");
}

#[test]
fn books_are_used_only_where_a_clock_runs() {
    let file = BookFile::new("clocks.db", BOOK);
    let (mut driver, _) = file.engine(&[]);
    driver.send("position startpos");
    for go in [
        "go btime 10000 wtime 10000",
        "go byoyomi 500",
        "go btime 1 wtime 1 binc 9 winc 9",
    ] {
        driver.send(go);
        assert!(is_from_book(&driver.until("bestmove")), "{go}");
    }
    for go in [
        "go depth 1",
        "go nodes 100",
        "go movetime 10",
        "go byoyomi 100 searchmoves 1g1f",
        "go btime 100 wtime 100 depth 1",
        "go infinite\nstop",
        "go\nstop",
    ] {
        driver.send(go);
        assert!(!is_from_book(&driver.until("bestmove")), "{go}");
    }
    driver.send("setoption name USI_OwnBook value false\ngo byoyomi 10");
    assert!(!is_from_book(&driver.until("bestmove")));
}

#[test]
fn while_pondering_the_answer_waits() {
    let file = BookFile::new("ponder.db", BOOK);
    let (mut driver, _) = file.engine(&[]);
    for end in ["ponderhit", "stop"] {
        driver.send("position startpos\ngo ponder btime 10000 wtime 10000");
        let lines = driver.replies("");
        assert!(is_from_book(&lines), "{lines:?}");
        assert!(lines.iter().all(|line| !line.starts_with("bestmove")));
        driver.send(end);
        let answer = driver.answer("bestmove");
        assert!(["bestmove 7g7f ponder 3c3d", "bestmove 2g2f ponder 8c8d"].contains(&&*answer));
    }
    driver.send("go ponder btime 10000 wtime 10000\nposition startpos moves 7g7f");
    driver.until("bestmove");
    driver.send("go byoyomi 1000");
    assert!(driver.answer("bestmove").starts_with("bestmove "));
}

#[test]
fn a_seed_repeats_the_choice() {
    let file = BookFile::new("seed.db", BOOK);
    let answers = |seed: &str| {
        let (mut driver, _) = file.engine(&[("BookSeed", seed)]);
        let mut ask = || {
            driver.send("position startpos\ngo byoyomi 1000");
            driver.answer("bestmove")
        };
        [ask(), ask(), ask()]
    };
    let all: Vec<_> = (1..=8)
        .map(|seed: u32| answers(&seed.to_string()))
        .collect();
    assert!(
        all.iter()
            .all(|[one, two, three]| one == two && two == three)
    );
    assert!(all.iter().any(|answer| *answer != all[0]), "seeds differ");
    assert_eq!(answers("3"), all[2]);
}

#[test]
fn a_broken_or_missing_book_is_named_and_the_game_goes_on() {
    let cases = [
        (
            "magic.ybb",
            &b"YANE-BINBOOK-V9\0                "[..],
            "magic \"YANE-BINBOOK-V9\"",
        ),
        ("empty.db", b"", "the file is empty"),
        (
            "junk.bin",
            b"no book at all, whatever its name",
            "no book format",
        ),
        ("line.db", b"sfen x\n7g7f\n", "line 1: 'x' has 1 field"),
    ];
    for (name, content, reason) in cases {
        let file = BookFile::new(name, content);
        let (mut driver, said) = file.engine(&[]);
        let is_named =
            |line: &String| line.starts_with("info string error: book \"") && line.contains(reason);
        assert!(said.iter().any(is_named), "{name}: {said:?}");
        driver.send("position startpos\ngo byoyomi 10");
        assert!(driver.answer("bestmove").len() > "bestmove ".len());
    }
    let mut driver = Driver::ready();
    driver.send("setoption name BookFile value nowhere.db\nisready");
    let said = driver.until("readyok");
    let text = "info string error: no book \"nowhere.db\" in ";
    assert!(said.iter().any(|line| line.starts_with(text)), "{said:?}");
}

#[test]
fn the_first_book_of_a_list_that_knows_a_position_answers() {
    let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    let first = BookFile::new("first.db", "#YANEURAOU-DB2016 1.00\n");
    let second = BookFile::new("second.db", format!("{start}9g9f none 5 20 1\n"));
    let third = BookFile::new("third.db", BOOK);
    let list = [&first, &second, &third].map(|file| file.0.display().to_string());
    let mut driver = Driver::ready();
    driver.send(&format!(
        "setoption name BookFile value {}\nisready",
        list.join(";")
    ));
    driver.until("readyok");
    driver.send("position startpos\ngo byoyomi 1000");
    assert_eq!(driver.answer("bestmove"), "bestmove 9g9f");
    driver.send("position startpos moves 7g7f\ngo byoyomi 1000");
    assert!(is_from_book(&driver.until("bestmove")));
}

/// Black's fourth check in the same position would lose.
#[test]
fn no_book_move_runs_into_a_lost_repetition() {
    let start = "sfen 8k/9/6+R2/9/9/9/9/9/K8 b - 1";
    let book = "sfen 9/8k/9 b\nsfen 8k/9/7+R1/9/9/9/9/9/K8 b - 1\n2c1c none 900 20 1\n";
    let file = BookFile::new("repetition.db", book);
    let (mut driver, _) = file.engine(&[("IgnoreBookPly", "true"), ("BookMoves", "100")]);
    let mut moves = "3c1c 1a2a 1c2c 2a1a".to_owned();
    for round in 0..3 {
        driver.send(&format!("position {start} moves {moves}\ngo byoyomi 100"));
        let lines = driver.until("bestmove");
        assert_eq!(is_from_book(&lines), round < 2, "{moves}: {lines:?}");
        moves += " 2c1c 1a2a 1c2c 2a1a";
    }
}

#[test]
fn the_embedded_book_answers_unless_it_is_switched_off() {
    let mut driver = Driver::start();
    driver.send("setoption name USI_Hash value 2\nisready");
    let said = driver.until("readyok");
    let is_loaded = |line: &String| line.starts_with("info string book \"<embedded>\" (.ybb, ");
    assert!(said.iter().any(is_loaded), "{said:?}");
    driver.send("position startpos\ngo btime 10000 wtime 10000");
    assert!(is_from_book(&driver.until("bestmove")));
    for off in ["USI_OwnBook value false", "BookFile value no_book"] {
        driver.send(&format!(
            "setoption name USI_OwnBook value true\nsetoption name BookFile value <embedded>\n\
             setoption name {off}\ngo byoyomi 10"
        ));
        assert!(!is_from_book(&driver.until("bestmove")), "{off}");
    }
}
