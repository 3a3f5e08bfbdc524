//! Tests of the openings: reproducible, balanced, without duplicates, and errors that name the
//! line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::*;
use crate::position::{Position, START_SFEN};
use crate::{records::sfen_line::SfenLine, types::EnteringKingRule, util::TestFolder};

const RULE: EnteringKingRule = EnteringKingRule::CsaRule27;

fn random(plies: &str, max_imbalance: Option<u32>, seed: u64) -> OpeningSettings {
    OpeningSettings {
        source: Source::Random { plies: plies.parse().expect("a range") },
        order: Order::Sequential,
        max_imbalance,
        seed,
    }
}

fn from_file(path: &Path, order: Order, max_imbalance: Option<u32>) -> OpeningSettings {
    OpeningSettings { source: Source::File(path.to_owned()), order, max_imbalance, seed: 1 }
}

/// A file that is removed at the end of the test.
struct TestFile {
    path: PathBuf,
    _folder: TestFolder,
}

impl TestFile {
    fn new(contents: impl AsRef<[u8]>) -> Self {
        let folder = TestFolder::new();
        Self { path: folder.write("openings", contents), _folder: folder }
    }
}

/// The first openings, at most `count`.
fn texts(settings: &OpeningSettings, count: usize) -> Vec<String> {
    let mut openings = Openings::new(settings, RULE, 0).expect("openings");
    (0..count).map_while(|index| openings.get(index).ok().map(ToString::to_string)).collect()
}

fn error(contents: impl AsRef<[u8]>) -> String {
    let file = TestFile::new(contents);
    let openings = Openings::new(&from_file(&file.path, Order::Sequential, None), RULE, 0);
    openings.map_or_else(|error| error.to_string(), |_| "no error".to_owned())
}

#[test]
fn random_openings_follow_from_the_seed_and_the_number() {
    let settings = random("4..8", None, 7);
    let first = texts(&settings, 50);
    assert_eq!(first.len(), 50);
    assert_eq!(texts(&settings, 50), first);
    let mut openings = Openings::new(&settings, RULE, 0).expect("openings");
    for index in [49, 3, 17, 3] {
        let opening = openings.get(index).map(ToString::to_string);
        assert_eq!(opening.ok().as_ref(), Some(&first[index]));
    }
    assert_ne!(texts(&random("4..8", None, 8), 50), first);
    assert_eq!(openings.known(), None);
}

#[test]
fn long_random_openings_do_not_wait_for_earlier_ones() {
    // To judge all earlier ones would take hours.
    let settings = random("8..12", Some(200), 7);
    let one = |index: usize| {
        let mut openings = Openings::new(&settings, RULE, 0).expect("openings");
        let mut opening = || openings.get(index).expect("an opening").to_string();
        let first = opening();
        assert_eq!(opening(), first);
        first
    };
    let far = one(1_000_000);
    assert_eq!(one(1_000_000), far);
    assert_ne!(one(1_000_001), far);
    let first = texts(&settings, 3);
    assert_eq!(first, [one(0), one(1), one(2)]);
}

#[test]
fn random_openings_never_change() {
    // Recorded values: every version, machine and library must make the same openings.
    let expected =
        ["startpos moves 2h3h 8b5b 7i6h 3a4b 1i1h", "startpos moves 2g2f 4c4d 2h6h 4a3b"];
    assert_eq!(texts(&random("4..8", None, 7), 2), expected);
}

#[test]
fn random_openings_keep_to_the_range_and_differ() {
    let mut keys = HashSet::new();
    let mut lengths = HashSet::new();
    for text in texts(&random("2..4", None, 1), 300) {
        let opening: SfenLine = text.parse().expect("an opening");
        let position = opening.position();
        let is_playable = why_over(&position, RULE, 0).is_none() && !position.in_check();
        assert!(is_playable, "{text}");
        assert!(keys.insert(position.key()), "{text} twice");
        lengths.insert(opening.moves.len());
    }
    assert_eq!((keys.len(), lengths), (300, HashSet::from([2, 3, 4])));
}

#[test]
fn balanced_openings_are_balanced_in_another_search() {
    let limit = 60;
    let mut judge = Judge::new(limit);
    for text in texts(&random("8", Some(limit), 3), 4) {
        let opening: SfenLine = text.parse().expect("an opening");
        assert!(judge.is_balanced(&opening.position()), "{text}");
    }
    // One side is a rook ahead.
    let up = Position::from_sfen("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    assert!(!judge.is_balanced(&up.expect("a position")));
}

#[test]
fn a_range_that_is_used_up_says_so() {
    let mut openings = Openings::new(&random("1", None, 1), RULE, 0).expect("openings");
    // There are thirty first moves, and all of them are balanced.
    assert!(openings.get(29).is_ok());
    let error = openings.get(30).expect_err("thirty").to_string();
    assert!(error.starts_with("no opening 31 in 2000 attempts"), "{error}");
    assert!(openings.get(0).is_ok());
}

#[test]
fn lines_of_a_file_in_every_notation() {
    let file = TestFile::new(format!(
        "\u{feff}# a comment\r\nstartpos moves 7g7f 3c3d\r\n\n\
         position startpos moves 2g2f\n{START_SFEN}\nsfen {START_SFEN} moves 3g3f\n\
         startpos moves 7g7f 8c8d 2g2f\nstartpos moves 2g2f 8c8d 7g7f\n\
         4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"
    ));
    let settings = from_file(&file.path, Order::Sequential, None);
    // The last two are a duplicate of the line before and a mate.
    let expected = [
        "startpos moves 7g7f 3c3d",
        "startpos moves 2g2f",
        "startpos",
        "startpos moves 3g3f",
        "startpos moves 7g7f 8c8d 2g2f",
    ];
    assert_eq!(texts(&settings, 10), expected);
    let mut openings = Openings::new(&settings, RULE, 0).expect("openings");
    assert_eq!(openings.known(), Some(5));
    let error = openings.get(5).expect_err("five").to_string();
    let part = "opening 6 was asked for, but ";
    assert!(error.starts_with(part), "{error}");
    assert!(error.contains("has only 5: play fewer games"), "{error}");
}

#[test]
fn openings_that_are_over_under_the_rule_of_the_games_are_named() {
    let declared = "sfen 4K4/+P+P+P+P+P4/4+P+P+P+P+P/9/9/9/9/9/4k4 b 2R2B4G4S 1";
    let mate = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    let file = TestFile::new(format!("# set\nstartpos\n{declared}\n{mate}\n"));
    let read =
        |rule: EnteringKingRule| sources::read(&file.path, None, (rule, 0)).expect("openings");
    let contents = read(RULE);
    assert_eq!(contents.texts.len(), 1);
    let warning = "2 openings left out: line 3 (a win can be declared), line 4 (no legal move)";
    assert_eq!(contents.left_out.warning().as_deref(), Some(warning));
    let contents = read(EnteringKingRule::NoEnteringKing);
    assert_eq!(contents.texts.len(), 2);
    let warning = "1 opening left out: line 4 (no legal move)";
    assert_eq!(contents.left_out.warning().as_deref(), Some(warning));

    let many = TestFile::new(format!("startpos\n{}", format!("{mate}\n").repeat(5)));
    let contents = sources::read(&many.path, None, (RULE, 0)).expect("openings");
    let warning = contents.left_out.warning().expect("five are over");
    assert!(warning.starts_with("5 openings left out: line 2 (no legal move), line 3"));
    assert!(warning.ends_with(", 2 more"), "{warning}");

    // Nothing but such positions: the error says why.
    let none = TestFile::new(mate);
    let error = Openings::new(&from_file(&none.path, Order::Sequential, None), RULE, 0);
    let error = error.err().expect("no openings").to_string();
    let warning = "; 1 opening left out: line 1 (no legal move)";
    assert!(error.ends_with(warning), "{error}");
}

#[test]
fn openings_beyond_the_last_move_are_left_out() {
    let late = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 401";
    let file = TestFile::new(format!("startpos\n{late}\n"));
    let read = |most| sources::read(&file.path, None, (RULE, most)).expect("openings");
    // The same position twice is one opening.
    assert_eq!(read(401).left_out.warning(), None);
    let warning = "1 opening left out: line 2 (beyond --max-moves)";
    assert_eq!(read(400).left_out.warning().as_deref(), Some(warning));
    let mut openings = Openings::new(&random("8", None, 1), RULE, 5).expect("openings");
    let error = openings.check_length(5).map_err(|error| error.to_string());
    assert!(error.is_err_and(|error| error.contains("expected --max-moves above 5")));
}

#[test]
fn a_shuffled_file_keeps_its_openings() {
    let lines = texts(&random("3", None, 5), 100);
    let file = TestFile::new(lines.join("\n"));
    let sequential = from_file(&file.path, Order::Sequential, None);
    assert_eq!(texts(&sequential, 200), lines);
    let shuffled = from_file(&file.path, Order::Random, None);
    let order = texts(&shuffled, 200);
    assert_eq!(texts(&shuffled, 200), order);
    assert_ne!(order, lines);
    let set = |texts: &[String]| texts.iter().cloned().collect::<HashSet<_>>();
    assert_eq!(set(&order), set(&lines));
    let other = OpeningSettings { seed: 2, ..shuffled };
    assert_ne!(texts(&other, 200), order);
}

#[test]
fn lines_of_a_file_are_judged_where_a_limit_is_set() {
    let rook_down = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1";
    let file = TestFile::new(format!("{rook_down}\nstartpos\n{rook_down} moves 7g7f\n"));
    let settings = from_file(&file.path, Order::Sequential, Some(200));
    let mut openings = Openings::new(&settings, RULE, 0).expect("openings");
    assert_eq!(openings.known(), None);
    assert_eq!(openings.get(0).expect("one").to_string(), "startpos");
    let error = openings.get(1).map(ToString::to_string);
    assert!(error.is_err_and(|error| error.0.contains("has only 1: play fewer games")));
    assert_eq!(openings.known(), Some(1));
}

#[test]
fn a_book_of_yaneuraou_is_judged_by_its_values() {
    let after = |moves: &str| {
        let line: SfenLine = moves.parse().expect("a line");
        line.position().to_sfen()
    };
    let (first, second) = (after("startpos moves 7g7f"), after("startpos moves 2g2f"));
    let third = after("startpos moves 3g3f");
    let file = TestFile::new(format!(
        "#YANEURAOU-DB2016 1.00\n# NOE:4\n// more\nsfen {START_SFEN}\n2g2f none -500 32 4\n\
         7g7f 3c3d 20 32 1\nsfen {first}\n3c3d none -300 1 1\nsfen {second}\n8c8d\n\
         sfen {third}\nnone none 0 0 1\n"
    ));
    let settings = |limit| from_file(&file.path, Order::Sequential, limit);
    let start = "startpos".to_owned();
    let [first, second, third] = [first, second, third].map(|sfen| format!("sfen {sfen}"));
    assert_eq!(texts(&settings(None), 9), [start.clone(), first.clone(), second.clone(), third]);
    assert_eq!(texts(&settings(Some(300)), 9), [start.clone(), first, second.clone()]);
    assert_eq!(texts(&settings(Some(20)), 9), [start, second.clone()]);
    assert_eq!(texts(&settings(Some(19)), 9), [second]);
    let known = Openings::new(&settings(Some(19)), RULE, 0).map(|openings| openings.known());
    assert_eq!(known.ok(), Some(Some(1)));
}

#[test]
fn a_bad_line_is_named() {
    for (contents, expected) in cases! {
        "startpos\n# comment\nstartpos moves 7g7e\n" =>
            ", line 3: '7g7e', word 3 (move 1), is illegal";
        "hello\n" => ", line 1: the position from word 1 on";
        "#YANEURAOU-DB2016 1.00\n7g7f none 0 0 1\n" =>
            ", line 2: '7g7f none 0 0 1', expected 'sfen'";
        "#YANEURAOU-DB2016 1.00\nsfen 9/9 b - 1\n" => ", line 2: board has 2 ranks";
        &format!("#YANEURAOU-DB2016 1.00\nsfen {START_SFEN}\n7g7f none x\n") =>
            ", line 3: 'x', word 3, expected the value";
        &format!("#YANEURAOU-DB2016 1.00\nsfen {START_SFEN}\nmove\n") =>
            ", line 3: 'move' is not a move";
        "# nothing\n" => " has no position to play from";
        "" => " has no position to play from";
    } {
        let error = error(contents);
        assert!(error.contains(expected), "{error}");
    }
    assert!(error(b"startpos\n\xff\xfe").contains("line 2 is not UTF-8"));
    assert!(error("a".repeat(100_000)).contains("line 1 is too long"));
    let missing = from_file(Path::new("no-such-file.sfen"), Order::Random, None);
    let error = Openings::new(&missing, RULE, 0).err().expect("no file");
    assert!(error.to_string().starts_with("openings no-such-file.sfen: "));
}

#[test]
fn the_start_position_is_one_opening() {
    let settings = OpeningSettings {
        source: Source::Startpos,
        order: Order::Random,
        max_imbalance: None,
        seed: 0,
    };
    assert_eq!(texts(&settings, 3), ["startpos"]);
}

#[test]
fn a_written_set_reads_back() {
    let settings = random("6..9", None, 11);
    let mut bytes = Vec::new();
    let mut progress = Vec::new();
    let on_progress = |done| progress.push(done);
    write_set(&settings, 5, "raicho --example", &mut bytes, on_progress).expect("a vector");
    assert_eq!(progress, [1, 2, 3, 4, 5]);
    let text = String::from_utf8_lossy(&bytes);
    let comments: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(comments.last(), Some(&"# raicho --example"));
    let file = TestFile::new(&bytes);
    let written = from_file(&file.path, Order::Sequential, None);
    assert_eq!(texts(&written, 9), texts(&settings, 5));
}

#[test]
fn our_own_sets_have_what_their_names_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/openings");
    for (name, count) in
        [("balanced-500.sfen", 500), ("even-500.sfen", 500), ("games-166.sfen", 166)]
    {
        let settings = from_file(&folder.join(name), Order::Sequential, None);
        let openings = Openings::new(&settings, RULE, 0).expect("our set");
        assert_eq!(openings.known(), Some(count), "{name}");
    }
}

#[test]
fn openings_may_go_to_another_thread() {
    const fn is_send<T: Send>() {}
    const { is_send::<Openings>() };
}

#[test]
fn ranges_of_plies_have_both_ends() {
    for (text, least, most) in [
        ("8..12", 8, 12),
        ("8..=12", 8, 12),
        ("10", 10, 10),
        (" 1 .. 100 ", 1, 100),
        ("0..4", 0, 4),
    ] {
        assert_eq!(text.parse().ok(), Plies::new(least, most), "{text}");
    }
    for text in "|..|8..|..12|12..8|8-12|1..201|8..12..16|-1".split('|') {
        assert!(text.parse::<Plies>().is_err(), "{text}");
    }
    let error = "12..8".parse::<Plies>();
    assert!(error.is_err_and(|text| text.contains("'12..8'") && text.contains("8..12")));
}

#[test]
fn settings_survive_json() {
    for source in [
        Source::Startpos,
        Source::File(PathBuf::from("a/b.sfen")),
        Source::Random { plies: Plies { least: 8, most: 12 } },
    ] {
        let settings = OpeningSettings {
            source,
            order: Order::Random,
            max_imbalance: Some(100),
            seed: u64::MAX,
        };
        let text = serde_json::to_string(&settings).expect("settings are JSON");
        let read: OpeningSettings = serde_json::from_str(&text).expect("what was written");
        assert_eq!(read, settings, "{text}");
    }
    assert!("12..8".parse::<Plies>().is_err());
}
