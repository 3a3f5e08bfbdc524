//! SFEN: round trips, error texts, and no panic whatever the text.

use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy;
use raicho::position::{Position, START_SFEN, SfenError};

use crate::common::{TWO_KINGS, every_start, playouts, position};
use crate::runner::Text;

#[test]
fn round_trips() {
    let visited = playouts(every_start(), 10, 120, |current, _, _| {
        let text = current.to_sfen();
        let read = position(&text);
        assert!(read.board() == current.board(), "{text}");
        assert_eq!((read.to_sfen(), read.key()), (text, current.key()));
    });
    println!("{visited} positions");
    assert!(visited > 10_000);
}

#[test]
fn canonical_text_stays_as_it_is() {
    for sfen in every_start() {
        assert_eq!(position(sfen).to_sfen(), sfen);
    }
    assert_eq!(Position::startpos().to_sfen(), START_SFEN);
}

/// What GUIs write sloppily, and what it reads as.
#[test]
fn lenient_reading() {
    let board = "4k4/9/9/9/9/9/9/9/4K4";
    for (tail, canonical) in [
        ("b -", "b - 1"),
        ("w - 0", "w - 1"),
        ("b PPP 7", "b 3P 7"),
        ("b p2PR 7", "b R2Pp 7"),
        ("b 2P2P1P", "b 5P 1"),
        ("b 18P", "b 18P 1"),
        ("b gsnlGRBrSb 300", "b RBGSrbgsnl 300"),
        ("  w \t -  12 ", "w - 12"),
        ("b - 4294967295", "b - 4294967295"),
    ] {
        let read = position(&format!("{board} {tail}"));
        assert_eq!(read.to_sfen(), format!("{board} {canonical}"));
    }
}

/// Each message names what is wrong, where it is, and what was expected.
#[rustfmt::skip] // A table.
#[test]
fn errors_name_token_place_and_expectation() {
    let with_board = |board: &str| format!("{board} b - 1");
    let with_tail = |tail: &str| format!("4k4/9/9/9/9/9/9/9/4K4 {tail}");
    let cases: [(String, &[&str]); 33] = cases! {
        String::new() => &["0 fields", "expected 3 or 4"];
        "startpos".to_owned() => &["'startpos'", "1 field", "expected 3 or 4"];
        with_tail("") => &["4k4/", "1 field", "expected 3 or 4"];
        with_tail("b") => &["2 fields", "expected 3 or 4"];
        with_tail("b - 1 moves") => &["5 fields", "expected 3 or 4", "ply"];
        with_board("9/9/9") => &["3 ranks", "expected 9"];
        with_board("9/9/9/9/9/9/9/9/9/9") => &["10 ranks", "expected 9"];
        with_board("4k4/9/9/9/9/9/8/9/4K4") => &["rank 7", "'8'", "8 squares", "expected 9"];
        with_board("4k4/9/9/9/9/9/9/9/4K5") => &["rank 9", "'4K5'", "10 squares", "expected 9"];
        with_board("4k4//9/9/9/9/9/9/4K4") => &["rank 2", "''", "0 squares", "expected 9"];
        with_board("4k4/9/9/99999999999999999999/9/9/9/9/4K4") => &["rank 4", "180 squares"];
        with_board("4k4/9/9/9/4x4/9/9/9/4K4") =>
            &["'x'", "place 2", "rank 5", "expected one of PLNSGBRK"];
        with_board("4k4/9/9/9/4歩4/9/9/9/4K4") => &["'歩'", "place 2", "rank 5", "expected"];
        with_board("4k4/0/9/9/9/9/9/9/4K4") => &["'0'", "place 1", "rank 2", "1 to 9"];
        with_board("4k4/9/4+G4/9/9/9/9/9/4K4") =>
            &["'+'", "place 2", "rank 3", "'G'", "expected a piece that promotes"];
        with_board("4+k4/9/9/9/9/9/9/9/4K4") => &["'+'", "place 2", "rank 1", "'k'", "promotes"];
        with_board("4k4/8+/9/9/9/9/9/9/4K4") => &["'+'", "place 2", "rank 2", "end of rank"];
        with_board("4k4/3++P4/9/9/9/9/9/9/4K4") => &["'+'", "place 2", "rank 2", "promotes"];
        with_tail("x - 1") => &["'x'", "side to move", "expected 'b' or 'w'"];
        with_tail("B - 1") => &["'B'", "expected 'b' or 'w'"];
        with_tail("b K 1") => &["'K'", "place 1", "hands", "expected one of PLNSGBR"];
        with_tail("b 2P+p 1") => &["'+'", "place 3", "'2P+p'", "expected"];
        with_tail("b P- 1") => &["'-'", "place 2", "'P-'", "'-' alone"];
        with_tail("b 2P3 1") => &["'2P3'", "end in a count", "expected a piece"];
        with_tail("b 19P 1") => &["'19P'", "19 pawns", "at most 18"];
        with_tail("b 99999999999999999999P 1") => &["pawns", "at most 18"];
        with_tail("b - one") => &["ply 'one'", "expected a number"];
        with_tail("b - -1") => &["ply '-1'", "expected a number"];
        with_tail("b - 4294967296") => &["ply '4294967296'", "4294967295"];
        with_tail("b 3B 1") => &["3 bishops", "at most 2"];
        with_board("4k4/9/9/9/4P4/9/4P4/9/4K4") => &["two black pawns", "file 5"];
        with_board("4k4/9/9/9/9/9/9/4n4/4K4") => &["white knight", "5h", "never move"];
        with_board("4k4/4P4/9/9/9/9/9/9/4K4") =>
            &["white king", "5a", "in check", "black is to move"];
    };
    for (sfen, expected) in &cases {
        let error = Position::from_sfen(sfen).unwrap_err();
        let message = error.to_string();
        for part in *expected {
            message.must_have(part);
        }
        message.must_lack("\n");
    }
}

#[test]
fn impossible_positions_say_why() {
    let bishops = "3 bishops on board and in hand, expected at most 2";
    let check = "the white king on 5a is in check, but black is to move";
    let black_kings = "2 kings of black, expected at most one";
    let cases = cases! {
        "4k4/9/9/9/2b1b4/9/9/9/4K4", "B" => bishops;
        "4k4/9/9/9/2+b1+b4/9/9/9/4K4", "B" => bishops;
        "4k4/9/9/9/2k1K4/9/9/9/4K4", "-" => black_kings;
        "4k4/9/9/9/2k6/9/9/9/4K4", "-" => "2 kings of white, expected at most one";
        "4k4/9/9/9/9/9/9/9/3pK4", "-" => "the white pawn on 6i can never move";
        "L3k4/9/9/9/9/9/9/9/4K4", "-" => "the black lance on 9a can never move";
        "4k4/9/9/1p7/9/1p7/9/9/4K4", "-" => "two white pawns on file 8";
        "4k4/9/9/9/4L4/9/9/9/4K4", "-" => check;
        "4k4/4K4/9/9/9/9/9/9/9", "-" => check;
        "9/9/9/9/9/9/9/9/9", "rrR" => "3 rooks on board and in hand, expected at most 2";
    };
    for (board, hands, expected) in cases {
        let error = Position::from_sfen(&format!("{board} b {hands} 1")).unwrap_err();
        assert!(matches!(error, SfenError::Impossible(_)), "{error}");
        let found = error.to_string();
        assert_eq!(found, format!("impossible position: {expected}"));
    }
}

/// One or more small changes to a good text: most are wrong in one place.
fn damaged() -> impl Strategy<Value = String> {
    let change = (any::<usize>(), 0..3_u8, "[\\PC]|[1-9/+bw PLNSGBRKplnsgbrk-]");
    (0..TWO_KINGS.len(), proptest::collection::vec(change, 1..4)).prop_map(|(start, changes)| {
        let mut letters: Vec<String> = TWO_KINGS[start].chars().map(String::from).collect();
        for (place, kind, text) in changes {
            let place = place % letters.len();
            match kind {
                0 => letters[place] = text,
                1 => letters.insert(place, text),
                _ => letters[place].clear(),
            }
        }
        letters.concat()
    })
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4_000))]

    /// Whatever the text: no panic, and a position that is accepted can be written, read and played
    /// on.
    #[test]
    fn arbitrary_texts(text in prop_oneof![
        "\\PC{0,80}",
        "[1-9/+PLNSGBRKplnsgbrk]{0,60} [bwx] [0-9PLNSGBRKplnsgbrk-]{0,12} [0-9-]{0,12}",
        "[0-9PLNSGBRplnsgbr-]{0,30}".prop_map(|hands| format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1")),
        damaged(),
    ]) {
        match Position::from_sfen(&text) {
            Err(error) => prop_assert!(!error.to_string().is_empty()),
            Ok(mut current) => {
                let canonical = current.to_sfen();
                let again = Position::from_sfen(&canonical);
                prop_assert_eq!(again.map(|again| again.to_sfen()), Ok(canonical.clone()));
                for &mv in &raicho::movegen::legal_moves(&current) {
                    current.do_move(mv);
                    current.undo_move();
                }
                prop_assert_eq!(current.to_sfen(), canonical);
            }
        }
    }
}
