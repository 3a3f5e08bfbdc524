//! Lines of engines as they are, lines of our own, and lines that are none.

use proptest::prelude::*;

use super::*;
use crate::search::{Decision, Info};
use crate::types::{Move, Piece, Square};
use crate::{usi::options, usi::response::Response};

fn info(line: &str) -> InfoLine<'_> {
    match Reply::of(line) {
        Reply::Info(info) => info,
        other => panic!("{other:?}"),
    }
}

fn option(line: &str) -> DeclaredOption {
    match Reply::of(line) {
        Reply::Option(option) => option,
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_words() {
    for (line, reply) in cases! {
        "usiok" => Reply::UsiOk;
        " readyok " => Reply::ReadyOk;
        "id name  My Engine 1.0 " => Reply::IdName("My Engine 1.0");
        "id author 山田" => Reply::Other;
        "checkmate notimplemented" => Reply::Checkmate("notimplemented");
        "checkmate G*5b 5a4a" => Reply::Checkmate("G*5b 5a4a");
        "" => Reply::Other;
        "id" => Reply::Other;
        "option" => Reply::Other;
        "option name type check" => Reply::Other;
        "running 1 test" => Reply::Other;
        "usiok2" => Reply::Other;
    } {
        assert_eq!(Reply::of(line), reply, "{line}");
    }
}

#[test]
fn best_moves() {
    let plays = |best, ponder| BestMove::Move { best, ponder };
    for (line, best_move) in [
        ("bestmove 7g7f", plays("7g7f", None)),
        ("bestmove P*5e ponder 3c3d", plays("P*5e", Some("3c3d"))),
        ("bestmove 7g7f ponder", plays("7g7f", None)),
        ("bestmove 7g7f ponder (none)", plays("7g7f", None)),
        ("bestmove 7g7f 3c3d", plays("7g7f", None)),
        ("bestmove xyz", plays("xyz", None)),
        ("bestmove resign", BestMove::Resign),
        ("bestmove win", BestMove::Win),
        ("bestmove none", BestMove::Missing),
        ("bestmove (none)", BestMove::Missing),
        ("bestmove", BestMove::Missing),
    ] {
        assert_eq!(Reply::of(line), Reply::BestMove(best_move), "{line}");
    }
}

#[test]
fn scores_and_bounds() {
    for (line, score, bound) in cases! {
        "score cp -31", Some(Score::Cp(-31)) => None;
        "score cp +31 lowerbound", Some(Score::Cp(31)) => Some(Bound::Lower);
        "score upperbound cp 5", Some(Score::Cp(5)) => Some(Bound::Upper);
        "upperbound score mate -4", Some(Score::Mate(-4)) => Some(Bound::Upper);
        "score mate +", Some(Score::Mate(1)) => None;
        "score mate -", Some(Score::Mate(-1)) => None;
        "score mate +0", Some(Score::Mate(1)) => None;
        "score mate -0", Some(Score::Mate(0)) => None;
        "score mate 0", Some(Score::Mate(0)) => None;
        "score mate 13 nodes 5", Some(Score::Mate(13)) => None;
        "score cp 99999999999999999999", Some(Score::Cp(i32::MAX)) => None;
        "score cp", None => None;
        "score cp pv 7g7f", None => None;
        "score", None => None;
    } {
        let line = format!("info depth 3 {line}");
        let found = info(&line);
        assert_eq!((found.score, found.bound), (score, bound), "{line}");
        assert_eq!(found.depth, Some(3), "{line}");
    }
}

#[test]
fn info_is_read_word_by_word() {
    let line = "info time 1203 nodes 9000000000 hashfull 104 cpuload 999 nps 7481296 depth 20 \
        seldepth 31 multipv 2 wdl 1 2 3 currmove 2g2f score cp 52 pv 7g7f 3c3d  2g2f ";
    assert_eq!(
        info(line),
        InfoLine {
            depth: Some(20),
            seldepth: Some(31),
            multipv: Some(2),
            time: Some(Duration::from_millis(1203)),
            nodes: Some(9_000_000_000),
            nps: Some(7_481_296),
            hashfull: Some(104),
            score: Some(Score::Cp(52)),
            bound: None,
            pv: Some("7g7f 3c3d  2g2f"),
            string: None,
        }
    );
    let note = InfoLine { string: Some("score cp 5 pv 7g7f"), ..InfoLine::default() };
    assert_eq!(info("info string score cp 5 pv 7g7f"), note);
    assert_eq!(info("info"), InfoLine::default());
    assert_eq!(info("info pv"), InfoLine::default());
    // A number that is missing does not swallow the next word.
    assert_eq!(info("info depth score cp 5").score, Some(Score::Cp(5)));
    assert_eq!(info("info time -1 depth 2").depth, Some(2));
    assert_eq!(info("info nps 18446744073709551615000").nps, Some(u64::MAX));
}

#[test]
fn options_of_all_kinds() {
    let text = str::to_owned;
    for (line, name, kind) in cases! {
        "option name USI_Ponder type check default true", "USI_Ponder" =>
            OptionKind::Check { default: true };
        "option name Book Moves type spin default 16 min -1 max 10000", "Book Moves" =>
            OptionKind::Spin { default: 16, min: -1, max: 10_000 };
        "option name X type spin min 5", "X" =>
            OptionKind::Spin { default: 5, min: 5, max: i64::MAX };
        "option name X type spin default 0.5 min 0 max 1", "X" => OptionKind::Unknown;
        "option name X type spin default 1 min 3 max 2", "X" => OptionKind::Unknown;
        "option name Style type combo default Very Solid var Very Solid var Normal", "Style" =>
            OptionKind::Combo {
                default: text("Very Solid"),
                values: vec![text("Very Solid"), text("Normal")],
            };
        "option name Clear Hash type button", "Clear Hash" => OptionKind::Button;
        "option name EvalDir type string default <empty>", "EvalDir" =>
            OptionKind::String { default: text("<empty>") };
        "option name Book type filename default my book.db", "Book" =>
            OptionKind::Filename { default: text("my book.db") };
        "option name X type slider", "X" => OptionKind::Unknown;
        "option name X", "X" => OptionKind::Unknown;
    } {
        let found = option(line);
        assert_eq!((found.name.as_str(), &found.kind), (name, &kind), "{line}");
    }
}

#[test]
fn our_own_options_are_understood() {
    for line in options::option_lines() {
        let option = option(&line);
        assert_ne!(option.kind, OptionKind::Unknown, "{line}");
        assert!(line.starts_with(&format!("option name {} type ", option.name)));
    }
}

fn our_info() -> impl Strategy<Value = Info> {
    let score = prop_oneof![
        (-30_000..30_000_i32).prop_map(Score::Cp),
        (-246..=246_i32).prop_map(Score::Mate)
    ];
    let bound = prop::sample::select(vec![Bound::Exact, Bound::Lower, Bound::Upper]);
    let moves = [
        Move::normal(Square::S77, Square::S76, Piece::BlackPawn),
        Move::normal(Square::S33, Square::S34, Piece::WhitePawn),
        Move::drop(Piece::BlackPawn, Square::S55),
    ];
    let pv = prop::collection::vec(prop::sample::select(moves.to_vec()), 0..6);
    let counts = (any::<u64>(), 0..=1_000_000_000_u64, 0..=1000_u32);
    (1..=246_i32, 1..=600_usize, score, bound, counts, pv).prop_map(
        |(depth, multi_pv, score, bound, (nodes, milliseconds, hashfull), pv)| Info {
            depth,
            seldepth: depth + 1,
            multi_pv,
            score,
            bound,
            nodes,
            time: Duration::from_millis(milliseconds),
            hashfull,
            pv,
        },
    )
}

proptest! {
    #[test]
    fn what_we_write_is_read_back(info in our_info()) {
        let line = Response::Info(info.clone()).to_string();
        let Reply::Info(found) = Reply::of(&line) else {
            return Err(TestCaseError::fail(line));
        };
        let bound = (info.bound != Bound::Exact).then_some(info.bound);
        let moves: Vec<String> = info.pv.iter().map(ToString::to_string).collect();
        prop_assert_eq!(found.depth, Some(info.depth as u32));
        prop_assert_eq!(found.seldepth, Some(info.seldepth as u32));
        prop_assert_eq!(found.multipv, Some(info.multi_pv as u32));
        prop_assert_eq!((found.score, found.bound), (Some(info.score), bound));
        prop_assert_eq!((found.nodes, found.time), (Some(info.nodes), Some(info.time)));
        prop_assert_eq!(found.hashfull, Some(info.hashfull));
        prop_assert!(found.nps.is_some());
        prop_assert_eq!(found.pv.unwrap_or_default(), moves.join(" "));

        let ponder = info.pv.get(1).copied();
        let best = info.pv.first().map(|&best| Decision::Move { best, ponder });
        let line = Response::BestMove(best.unwrap_or(Decision::Nothing)).to_string();
        let expected = match moves.first() {
            Some(best) => BestMove::Move { best, ponder: moves.get(1).map(String::as_str) },
            None => BestMove::Missing,
        };
        prop_assert_eq!(Reply::of(&line), Reply::BestMove(expected));
    }

    #[test]
    fn our_notes_are_read_back(text in "[!-~]{1,9}( [!-~]{1,9}){0,5}") {
        let line = Response::Note(text.clone()).to_string();
        let expected = InfoLine { string: Some(&text), ..InfoLine::default() };
        prop_assert_eq!(Reply::of(&line), Reply::Info(expected));
    }

    #[test]
    fn any_text_is_read_without_panic(line in ".*") {
        let _ = Reply::of(&line);
    }

    #[test]
    fn any_words_are_read_without_panic(
        keyword in prop::sample::select(vec!["info", "bestmove", "option", "option name", "id",
        "checkmate"]),
        words in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "depth", "score", "cp", "mate", "+", "-", "--5", "pv", "string", "time", "nodes",
                "lowerbound", "name",
                "type", "spin", "combo", "check", "default", "min", "max", "var", "ponder",
                "resign", "\u{3000}",
            ]).prop_map(str::to_owned),
            "\\PC{0,8}",
            any::<i128>().prop_map(|number| number.to_string()),
        ], 0..10),
    ) {
        let line = format!("{keyword} {}", words.join(" "));
        let _ = Reply::of(&line);
    }
}
