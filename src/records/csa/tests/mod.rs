//! Compares whole texts. The parsers of `cshogi`, the crate `csa` and `tsshogi` (`ShogiHome`) read
//! every one of these lines.

mod reader;

use std::time::Duration;

use super::*;
use crate::position::START_SFEN;
use crate::records::game::{Ending, GameRecord, RecordedMove, Thought};
use crate::records::sfen_line::SfenLine;
use crate::types::{Color, Move, Piece, Score, Square};

fn record(line: &str, ending: Ending) -> GameRecord {
    let line: SfenLine = line.parse().expect("the line of a test");
    GameRecord {
        moves: line.moves.into_iter().map(RecordedMove::from).collect(),
        ending,
        ..GameRecord::new(line.start)
    }
}

fn text(record: &GameRecord) -> String {
    let mut bytes = Vec::new();
    write(record, &mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("the record is UTF-8")
}

/// A game with two moves of the opening, a promotion, and scores of both kinds and both sides.
fn full_record() -> GameRecord {
    let mut record = record(
        "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
        Ending::Resignation,
    );
    record.event = "raicho-test".to_owned();
    record.players = ["Raicho\n0.1".to_owned(), "雷鳥".to_owned()];
    record.started_at = Some("2026/11/21 06:34:00".to_owned());
    record.time_limit = Some("00:10+05".to_owned());
    let continuation: Vec<Move> = record.moves[2..5]
        .iter()
        .map(|recorded| recorded.mv)
        .collect();
    let thoughts = [
        (Score::Cp(35), continuation.clone()),
        (Score::Cp(20), continuation[1..].to_vec()),
        (Score::Mate(-4), continuation),
    ];
    for (recorded, (score, pv)) in record.moves[2..].iter_mut().zip(thoughts) {
        recorded.time = Some(Duration::from_millis(1987));
        recorded.thought = Some(Thought {
            score: Some(score),
            depth: Some(12),
            nodes: Some(34_567),
            pv,
        });
    }
    record
}

#[test]
fn a_full_game() {
    let expected = "\
'CSA encoding=UTF-8
V2.2
N+Raicho 0.1
N-雷鳥
$EVENT:raicho-test
$START_TIME:2026/11/21 06:34:00
$TIME_LIMIT:00:10+05
PI
+
+7776FU
-3334FU
+8822UM
T1
'** 35 -3122GI +0045KA
'*depth 12 nodes 34567 time 1.987s
-3122GI
T1
'** -20 +0045KA
'*depth 12 nodes 34567 time 1.987s
+0045KA
T1
'** -31996
'*depth 12 nodes 34567 time 1.987s
%TORYO
";
    assert_eq!(text(&full_record()), expected);
}

#[test]
fn another_start_is_drawn_with_its_hands() {
    let start = "sfen ln+Bgk1snl/1r7/p1pppp1pp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w Gb2p 1";
    let expected = "\
'CSA encoding=UTF-8
V2.2
P1-KY-KE+UM-KI-OU * -GI-KE-KY
P2 * -HI *  *  *  *  *  *  * \nP3-FU * -FU-FU-FU-FU * -FU-FU
P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 *  *  *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+00KI
P-00KA00FU00FU
-
-0045KA
%SENNICHITE
";
    let line = format!("{start} moves B*4e");
    assert_eq!(text(&record(&line, Ending::Repetition)), expected);
    let white_first = START_SFEN.replace(" b ", " w ");
    let white_first = text(&record(&white_first, Ending::Interrupted));
    assert!(white_first.contains("PI\n-\n%CHUDAN"), "{white_first}");
}

/// The words of an ending as a comment of one line keeps them.
fn one_line(ending: &Ending) -> String {
    ending.to_string().replace('\n', " ")
}

#[test]
fn every_ending_has_its_word() {
    let winner = Color::White;
    let reason = "killed by\nsignal 11".to_owned();
    for (ending, expected) in [
        (Ending::Resignation, "%TORYO\n"),
        (Ending::Checkmate, "%TORYO\n'*checkmate\n"),
        (
            Ending::IllegalAction {
                loser: Color::White,
            },
            "%-ILLEGAL_ACTION\n",
        ),
        (Ending::Declaration, "%KACHI\n"),
        (Ending::Repetition, "%SENNICHITE\n"),
        (
            Ending::PerpetualCheck {
                loser: Color::White,
            },
            "%-ILLEGAL_ACTION\n'*perpetual check by white\n",
        ),
        (
            Ending::PerpetualCheck {
                loser: Color::Black,
            },
            "%ILLEGAL_MOVE\n'*perpetual check by black\n",
        ),
        (Ending::MaxMoves, "%JISHOGI\n"),
        (Ending::TimeUp, "%TIME_UP\n"),
        (
            Ending::IllegalMove {
                text: "7g7e".to_owned(),
            },
            "%ILLEGAL_MOVE\n'*illegal move 7g7e\n",
        ),
        (
            Ending::IllegalDeclaration,
            "%ILLEGAL_MOVE\n'*illegal declaration\n",
        ),
        (
            Ending::Disconnection { reason },
            "%ILLEGAL_MOVE\n'*disconnection: killed by signal 11\n",
        ),
        (
            Ending::AdjudicatedWin { winner },
            "%TORYO\n'*adjudicated win of white\n",
        ),
        (
            Ending::AdjudicatedWin {
                winner: Color::Black,
            },
            "%CHUDAN\n'*adjudicated win of black\n",
        ),
        (Ending::AdjudicatedDraw, "%HIKIWAKE\n"),
        (Ending::Interrupted, "%CHUDAN\n"),
        (Ending::NoMate, "%FUZUMI\n"),
        (
            Ending::Forfeit { winner },
            "%TORYO\n'*forfeit won by white\n",
        ),
    ] {
        let text = text(&record("startpos moves 7g7f 3c3d", ending.clone()));
        assert!(text.ends_with(&format!("\n{expected}")), "{text}");
        let again = read(&text).expect("what was written");
        assert_eq!(again[0].ending.to_string(), one_line(&ending));
    }
}

#[test]
fn scores_are_blacks_and_fit_in_16_bits() {
    let mut record = full_record();
    let mut comment = |score: Score, pv: Vec<Move>| {
        let thought = Thought {
            score: Some(score),
            depth: None,
            nodes: None,
            pv,
        };
        record.moves[1].thought = Some(thought);
        let text = text(&record);
        let line = text.lines().nth(11).unwrap_or_default();
        line.to_owned()
    };
    assert_eq!(comment(Score::Cp(12), Vec::new()), "'** -12");
    assert_eq!(comment(Score::Cp(i32::MIN), Vec::new()), "'** 30000");
    assert_eq!(comment(Score::Mate(3), Vec::new()), "'** -31997");
    assert_eq!(comment(Score::Mate(0), Vec::new()), "'** -32000");
    assert_eq!(comment(Score::Mate(i32::MIN), Vec::new()), "'** 30001");
    // A line about another move says nothing about this one.
    let other = Move::drop(Piece::WhitePawn, Square::S55);
    assert_eq!(comment(Score::Cp(12), vec![other]), "'** -12");
}
