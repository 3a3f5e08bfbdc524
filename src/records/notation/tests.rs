//! The rules of the notation, on drawn positions.

use super::japanese::{self, Written};
use super::{HANDICAPS, Handicap};
use crate::types::{Move, Move16, Square};
use crate::{movegen::legal_moves, position::Position};

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).expect("the position of a test")
}

fn legal(position: &Position, text: &str) -> Move {
    let stored: Move16 = text.parse().expect("a move");
    position.to_move(stored).expect("a move of the position")
}

/// The examples of the Japan Shogi Association, and others of the same kinds. Moves of White are
/// seen from White's side.
type Example = (&'static str, &'static [(&'static str, &'static str)]);

const EXAMPLES: &[Example] = &cases! {
    // Golds that come by different motions.
    "4k4/2G6/G8/9/9/9/9/9/4K4 b - 1" => &[("9c8b", "８二金上"), ("7b8b", "８二金寄")];
    "4k4/9/5G3/4G4/9/9/9/9/4K4 b - 1" =>
        &[("4c5b", "５二金"), ("5d5c", "５三金上"), ("4c5c", "５三金寄")];
    // By sides.
    "4k4/9/9/9/9/9/9/9/G1G1K4 b - 1" => &[("9i8h", "８八金左"), ("7i8h", "８八金右")];
    // Straight ahead.
    "4k4/9/9/9/9/9/9/9/1GG1K4 b - 1" => &[("8i8h", "８八金直"), ("7i8h", "８八金右")];
    "4k4/9/9/9/9/9/9/9/4K1SS1 b - 1" => &[("3i3h", "３八銀直"), ("2i3h", "３八銀右")];
    // Five promoted pawns.
    "4k4/9/9/9/9/9/1+P7/+P8/+P+P+P1K4 b - 1" => &[
        ("9i8h", "８八と左上"), ("8i8h", "８八と直"), ("7i8h", "８八と右"),
        ("9h8h", "８八と寄"), ("8g8h", "８八と引"),
    ];
    // Four silvers.
    "4k4/9/9/9/9/9/1S1S5/9/1SS1K4 b - 1" => &[
        ("8i7h", "７八銀左上"), ("7i7h", "７八銀直"),
        ("8g7h", "７八銀左引"), ("6g7h", "７八銀右"),
    ];
    // Dragons are never straight: they stand to the right or left of each other.
    "+R8/9/9/1+R7/9/9/9/8k/4K4 b - 1" => &[("9a8b", "８二龍引"), ("8d8b", "８二龍上")];
    "4k4/9/9/9/9/9/9/9/+R+R2K4 b - 1" => &[("9i8h", "８八龍左"), ("8i8h", "８八龍右")];
    "4k4/9/9/9/9/9/9/9/4K2+B+B b - 1" => &[("2i1h", "１八馬左"), ("1i1h", "１八馬右")];
    // Drops and refused promotions.
    "4k4/9/9/1r7/9/9/9/1N1N5/4K4 b NG 1" =>
        &[("N*7f", "７六桂打"), ("8h7f", "７六桂左"), ("6h7f", "７六桂右"), ("G*5h", "５八金")];
    "4k4/9/2p6/N1N6/1N7/9/9/9/4K4 b - 1" =>
        &[("8e7c+", "７三桂成"), ("8e7c", "７三桂不成"), ("8e9c+", "９三桂成")];
    // White looks from the other side: its right is the left of the diagram.
    "4k1gg1/9/9/9/9/9/9/9/4K4 w - 1" => &[("3a3b", "３二金直"), ("2a3b", "３二金左")];
    "4k4/9/9/9/9/9/4+n4/9/4K4 w - 1" => &[("5g5h", "５八成桂"), ("5a5b", "５二玉")];
};

#[test]
fn pieces_are_told_apart_by_the_rules() {
    for (sfen, moves) in EXAMPLES {
        let position = position(sfen);
        for (usi, japanese) in *moves {
            let mv = legal(&position, usi);
            let text = japanese::text(&position, mv, None);
            assert_eq!(text, *japanese, "{usi} in {sfen}");
        }
    }
}

#[test]
fn every_legal_move_has_its_own_text_that_is_read_back() {
    let more = [
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "8k/2G1+B1G2/3+R1+R3/2SSSS3/1N1N1N1N1/9/9/4+B4/4K4 b 18P 1",
    ];
    let drawn = EXAMPLES.iter().map(|(sfen, _)| *sfen);
    for sfen in drawn.chain(more) {
        let position = position(sfen);
        for mv in legal_moves(&position) {
            let text = japanese::with_mark(&position, mv, None);
            let (written, rest) = Written::parse(&text, None).expect("a move is read");
            assert_eq!(rest, "", "{text}");
            assert_eq!(written.find(&position), Some(mv), "{text} in {sfen}");
        }
    }
}

#[test]
fn the_motion_may_be_left_out_beside_one_that_has_its_own() {
    // The silver of 5i alone goes up: 上.
    let position = position("4k4/9/9/9/9/9/2S1S4/9/3KS4 b - 1");
    for (text, usi) in [
        ("６八銀右", "5g6h"),
        ("６八銀右引", "5g6h"),
        ("６八銀上", "5i6h"),
        ("６八銀右上", "5i6h"),
        ("６八銀左", "7g6h"),
    ] {
        let written = Written::parse(text, None).map(|(written, _)| written);
        let found = written.and_then(|written| written.find(&position));
        assert_eq!(found, Some(legal(&position, usi)), "{text}");
    }
}

#[test]
fn the_same_square_is_named_once() {
    let position = position("4k4/9/9/4p4/4G4/9/9/9/4K4 b S 1");
    let mv = legal(&position, "5e5d");
    let last = Some(Square::S54);
    assert_eq!(japanese::with_mark(&position, mv, last), "▲同　金");
    for text in ["▲同　金", "同金", "☗同 金", "５四金(55)"] {
        let written = Written::parse(text, last).map(|(written, _)| written);
        let found = written.and_then(|written| written.find(&position));
        assert_eq!(found, Some(mv), "{text}");
    }
    assert_eq!(Written::parse("同金", None), None);
    let line = [legal(&position, "5e5d")];
    assert_eq!(japanese::line(&position, &line), ["▲５四金"]);
}

#[test]
fn an_unclear_move_is_not_guessed() {
    let position = position("4k4/9/9/9/9/9/9/9/1GG1K4 b - 1");
    for text in ["８八金", "８八銀", "８八金打", "１一金"] {
        let written = Written::parse(text, None).map(|(written, _)| written);
        let written = written.expect("the text of a move");
        assert_eq!(written.find(&position), None, "{text}");
    }
    for text in ["", "８", "８八", "８八猫", "八８金", "１十金"] {
        assert_eq!(Written::parse(text, None), None, "{text}");
    }
}

#[test]
fn handicaps_are_known_by_their_names_and_positions() {
    for row in HANDICAPS {
        assert_eq!(Handicap::of_name(row.name), Some(row));
        let start = position(&row.sfen());
        assert_eq!(start.to_sfen(), row.sfen(), "{}", row.name);
        assert_eq!(Handicap::of_position(&start), Some(row));
        assert_eq!(row.jkf.map(Handicap::of_jkf), row.jkf.map(|_| Some(row)));
    }
    for (text, name) in [
        ("9枚落ち", "九枚落ち"),
        ("９枚落ち", "九枚落ち"),
        ("九枚落", "九枚落ち"),
        ("10枚落ち", "十枚落ち"),
        ("飛落ち", "飛車落ち"),
        ("裸玉", "十九枚落ち"),
    ] {
        let found = Handicap::of_name(text).map(|row| row.name);
        assert_eq!(found, Some(name), "{text}");
    }
    assert_eq!(Handicap::of_name("その他"), None);
}

#[test]
fn numbers_are_chinese() {
    let numbers = [1, 2, 9, 10, 11, 18, 20, 21].map(japanese::number);
    let expected = ["一", "二", "九", "十", "十一", "十八", "二十", "二十一"];
    assert_eq!(numbers, expected);
}
