//! Small records, valid and invalid.

mod headings;
mod odd;
mod wild;

use std::time::Duration;

use super::*;
use crate::records::game::{Ending, GameRecord};
use crate::{position::START_SFEN, records::notation::HANDICAPS, types::Color};

const GAME: &str = "# KIF形式棋譜ファイル\n\
    開始日時：2026/11/21 10:00:00\n\
    棋戦：試験\n\
    手合割：平手　　\n\
    先手：一番\n\
    後手：二番\n\
    手数----指手---------消費時間--\n\
       1 ７六歩(77)   ( 0:16/00:00:16)\n\
    *a comment\n\
       2 ３四歩(33)   ( 1:02/00:01:02)+\n\
       3 ２二角成(88) ( 0:00/00:00:16)\n\
       4 同　銀(31)   ( 0:01/00:01:03)\n\
       5 ４五角打     ( 0:01/00:00:17)\n\
       6 投了\n\
    まで5手で先手の勝ち\n\
    \n\
    変化：3手\n\
       3 ２六歩(27)\n";

/// The record after it was written and read.
fn again(game: &GameRecord, style: Style) -> GameRecord {
    read(&write(game, style, "UTF-8")).expect("what was written")
}

#[test]
fn a_game_is_read() {
    let game = read(GAME).expect("a good record");
    let expected = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e";
    assert_eq!(game.line().to_string(), expected);
    assert_eq!(game.players, ["一番", "二番"].map(str::to_owned));
    let expected = ("試験", Some(Color::Black));
    assert_eq!((game.event.as_str(), game.winner()), expected);
    assert_eq!(game.moves[1].time, Some(Duration::from_secs(62)));
    assert_eq!(game.ending, Ending::Resignation);
}

#[test]
fn handicaps_and_drawn_boards_are_read() {
    let start = |text: &str| read(text).map(|game| game.start.to_sfen());
    for row in HANDICAPS {
        let game = read(&format!("手合割：{}\n", row.name)).expect("a handicap");
        assert_eq!(game.start.to_sfen(), row.sfen(), "{}", row.name);
        let mut drawn = format!("手合割：その他\n{}\n", diagram(&game.start).join("\n"));
        assert_eq!(start(&drawn), Ok(row.sfen()));
        // A board goes before an unknown name, and the side to move follows from a known one.
        drawn = drawn.replace("その他", row.name).replace("後手番", "").replace("先手番", "");
        assert_eq!(start(&drawn), Ok(row.sfen()));
    }
    let board = "後手の持駒：飛二　角　銀三　桂四　香四　歩十七　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
        +---------------------------+\n\
        | ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
        | ・ ・ ・ ・ 歩 ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n\
        | ・ ・ ・ ・ 玉 ・v馬 ・ 全|九\n+---------------------------+\n\
        先手の持駒：金四\n先手番\n   1 ５二金打\n   2 詰み\n";
    let game = read(board).expect("a drawn board");
    let expected = "4k4/9/4P4/9/9/9/9/9/4K1+b1+S b 4G2rb3s4n4l17p 1";
    assert_eq!(game.start.to_sfen(), expected);
    assert_eq!(game.ending, Ending::Checkmate);
    assert_eq!(start("手合割：平手\n"), Ok(START_SFEN.to_owned()));
}

#[test]
fn endings_have_a_meaning() {
    for (text, ending) in cases! {
        "   1 中断" => Ending::Interrupted;
        "   1 千日手" => Ending::Repetition;
        "   1 切れ負け ( 0:00/0:00:00)" => Ending::TimeUp;
        "   1 入玉勝ち" => Ending::Declaration;
        "   1 持将棋" => Ending::MaxMoves;
        "   1 不詰" => Ending::NoMate;
        "   1 詰み" => Ending::Checkmate;
        "   1 不戦敗" => Ending::Forfeit { winner: Color::White };
        "   1 不戦勝" => Ending::Forfeit { winner: Color::Black };
        "   1 反則勝ち" => Ending::IllegalAction { loser: Color::White };
        "▲７六歩\nまで1手で先手の勝ち" => Ending::Resignation;
        "▲７六歩\nまで1手で後手の勝ち" => Ending::AdjudicatedWin { winner: Color::White };
        "▲７六歩\nまで1手で時間切れにより先手の勝ち" => Ending::TimeUp;
        "▲７六歩\nまで1手で後手の入玉勝ち" => Ending::Declaration;
        "▲７六歩\nまで1手で千日手" => Ending::Repetition;
        "▲７六歩\nまで1手で持将棋" => Ending::MaxMoves;
        "▲７六歩\nまで1手で中断" => Ending::Interrupted;
        "▲７六歩\nまで、1手で詰み" => Ending::Checkmate;
        "▲７六歩\nまで1手で後手の反則負け" => Ending::IllegalMove { text: String::new() };
        "   1 ７六歩(77)" => Ending::Unfinished;
        "１　７六歩(77)\n２　投了" => Ending::Resignation;
        "   1 ７五歩(77)\n   2 反則勝ち" => Ending::IllegalMove { text: "７五歩(77)".to_owned() };
        "   1 反則負け" => Ending::IllegalMove { text: String::new() };
    } {
        assert_eq!(read(text).map(|game| game.ending), Ok(ending), "{text}");
    }
}

#[test]
fn errors_name_the_line() {
    for (text, expected) in cases! {
        "hello" => "line 1: no game, expected";
        "\n手合割：猫落ち" => "line 2: handicap '猫落ち', expected";
        "手合割：猫落ち\n   1 投了" => "line 2: handicap '猫落ち', expected";
        "\n   1 ７五歩(77)\n" => "line 2: '７五歩(77)', move 1, is illegal in lnsg";
        "   1 ７五歩\n   2 ３四歩(33)\n" => "line 1: '７五歩', move 1, is illegal in lnsg";
        "   1 ７六猫(77)\n" => "line 1: '７六猫(77)', move 1, is neither a move nor an ending";
        "   1 ７六歩(77)\n３四歩(33)\n" =>
            "line 2: '３四歩(33)', move 2, is neither a move nor an ending";
        "   1 同　歩(77)\n" => "line 1: '同　歩(77)', move 1, is neither";
        "| ・x玉|一\n" => "line 1: '| ・x玉|一' in the board, expected nine squares";
        "先手の持駒：歩百\n" => "line 1: '百' in the board, expected pieces in hand";
        "| ・|一\n   1 投了\n" => "line 1: '| ・|一' in the board, expected nine squares";
    } {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

/// A game with everything that KIF can say.
const FULL: &str = "# ---- comment of a program\n\
    開始日時：2026/11/21 10:00:00\n\
    棋戦：試験\n\
    持ち時間：00:10+05\n\
    場所：東京\n\
    備考：値：二つ\n\
    手合割：平手　　\n\
    先手：一番\n\
    後手：二番\n\
    手数----指手---------消費時間--\n\
    *before the first move\n\
    *  second line\n\
    &start\n\
       1 ７六歩(77)   ( 0:16/00:00:16)\n\
    ** 35 -3334FU\n\
    *\n\
    *words: 値＊\n\
    &here\n\
       2 ３四歩(33)   ( 1:02/00:01:02)+\n\
       3 ２二角成(88) ( 0:00/00:00:16)+\n\
       4 同　銀(31)   ( 0:01/00:01:03)\n\
       5 ４五角打     (62:01/01:02:17)\n\
       6 投了         ( 0:03/00:01:06)\n\
    *the end\n\
    まで5手で先手の勝ち\n\
    \n\
    変化：3手\n\
       3 ２六歩(27)   ( 0:00/00:00:16)+\n\
    *another move\n\
       4 ８四歩(83)   ( 0:07/00:01:09)\n\
       5 中断\n\
    \n\
    変化：4手\n\
       4 ４四歩(43)\n\
    \n\
    変化：3手\n\
       3 ６六歩(67)\n\
    \n\
    変化：2手\n\
       2 ８四歩(83)\n";

#[test]
fn nothing_of_a_record_is_lost() {
    let game = read(FULL).expect("a good record");
    assert_eq!(game.comments, ["before the first move", "  second line"]);
    assert_eq!(game.bookmark.as_deref(), Some("start"));
    assert_eq!(game.moves[0].comments, ["* 35 -3334FU", "", "words: 値＊"]);
    assert_eq!(game.moves[0].bookmark.as_deref(), Some("here"));
    assert_eq!(game.closing.comments, ["the end"]);
    assert_eq!(game.closing.time, Some(Duration::from_secs(3)));
    assert_eq!(game.time_limit.as_deref(), Some("00:10+05"));
    assert_eq!(game.heading("備考"), Some("値：二つ"));
    let lines = game.variations.iter().map(|line| {
        let moves = line.moves.iter().map(|played| played.mv.to_string());
        (line.parent, line.after, moves.collect::<Vec<_>>().join(" "))
    });
    let lines: Vec<_> = lines.collect();
    let expected =
        [(None, 2, "2g2f 8c8d"), (Some(0), 3, "4c4d"), (None, 2, "6g6f"), (None, 1, "8c8d")];
    assert_eq!(lines, expected.map(|(parent, after, moves)| (parent, after, moves.to_owned())));
    assert_eq!(game.variations[0].ending, Some(Ending::Interrupted));
    let text = write(&game, Style::Kif, "UTF-8");
    let again = read(&text).expect("what was written");
    assert_eq!(format!("{again:?}"), format!("{game:?}"), "{text}");
    // Rows look as Kifu for Windows draws them.
    let is_row = |line: &&str| line.starts_with("   ") && line.contains('(');
    for row in FULL.lines().filter(is_row) {
        assert!(text.lines().any(|line| line == row), "{row}\n{text}");
    }
    let text = write(&game, Style::Ki2, "UTF-8");
    let mut again = read(&text).expect("what was written");
    let times: Vec<_> = again.moves.iter().map(|played| played.time).collect();
    assert_eq!(times, [None; 5]);
    for (played, old) in again.moves.iter_mut().zip(&game.moves) {
        played.time = old.time;
    }
    assert_eq!(again.line().to_string(), game.line().to_string());
    assert_eq!(again.variations.len(), 4, "{text}");
    assert_eq!(losses(&game, Style::Ki2), ["times"]);
    assert!(losses(&game, Style::Kif).is_empty());
}

#[test]
fn every_ending_comes_back() {
    let winner = Color::White;
    let text = "7g7e".to_owned();
    let reason = "killed by signal 11".to_owned();
    let endings = [
        Ending::Resignation,
        Ending::Declaration,
        Ending::Repetition,
        Ending::PerpetualCheck { loser: winner },
        Ending::PerpetualCheck { loser: !winner },
        Ending::MaxMoves,
        Ending::TimeUp,
        Ending::IllegalMove { text },
        Ending::IllegalDeclaration,
        Ending::Disconnection { reason },
        Ending::AdjudicatedWin { winner },
        Ending::AdjudicatedWin { winner: !winner },
        Ending::AdjudicatedDraw,
        Ending::Interrupted,
        Ending::NoMate,
        Ending::Forfeit { winner },
        Ending::Forfeit { winner: !winner },
        Ending::Checkmate,
        Ending::Unfinished,
    ];
    let game = read(GAME).expect("a good record");
    for ending in endings {
        for moves in [4, 5] {
            let mut game = game.clone();
            game.variations.clear();
            game.moves.truncate(moves);
            game.ending = ending.clone();
            for style in [Style::Kif, Style::Ki2] {
                let text = write(&game, style, "UTF-8");
                let again = read(&text).expect("what was written");
                assert_eq!(again.ending, ending, "{text}");
                assert!(again.closing.comments.is_empty(), "{text}");
            }
        }
    }
}

#[test]
fn a_draw_by_adjudication_is_written_in_japanese_and_read_in_both_languages() {
    let mut game = read(GAME).expect("a good record");
    game.variations.clear();
    game.ending = Ending::AdjudicatedDraw;
    for style in [Style::Kif, Style::Ki2] {
        let text = write(&game, style, "UTF-8");
        assert!(text.contains("\r\n*引き分け（判定）\r\n"), "{text}");
        let english = text.replace("引き分け（判定）", "adjudicated draw");
        let again = read(&english).expect("what version 1.0 wrote");
        assert_eq!(again.ending, Ending::AdjudicatedDraw);
    }
}

#[test]
fn an_illegal_action_of_the_side_that_is_not_to_move_comes_back() {
    let mut game = read(GAME).expect("a good record");
    let loser = !game.side_to_move_at_end();
    game.ending = Ending::IllegalAction { loser };
    for style in [Style::Kif, Style::Ki2] {
        let again = read(&write(&game, style, "UTF-8")).expect("what was written");
        assert_eq!(again.ending, game.ending);
        assert!(again.closing.comments.is_empty());
    }
}

#[test]
fn a_bad_variation_is_left_out_from_its_first_bad_line_on() {
    let text = format!("{GAME}   4 ９九玉(59)\n   5 ７六歩(77)\n\n変化：1手\n   1 ２六歩(27)\n");
    let game = read(&text).expect("a good game");
    assert_eq!(game.variations.len(), 2);
    assert_eq!(game.variations[0].moves.len(), 1);
    let omission = &game.omissions[0];
    let part = "line 19: the rest of a variation: '９九玉(59)', move 4";
    assert!(omission.starts_with(part), "{omission}");
    let game = read(&format!("{GAME}\n変化：9手\n   9 ２六歩(27)\n")).expect("a good game");
    assert_eq!((game.variations.len(), game.omissions.len()), (1, 1));
}

#[test]
fn moves_of_ki2_are_read_in_any_layout() {
    let text = "先手：一番\n▲７六歩△３四歩▲２二角成△同銀\n*word\n☗４五角　☖５二金右\n";
    let game = read(text).expect("a good record");
    let line = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e 6a5b";
    assert_eq!(game.line().to_string(), line);
    assert_eq!(game.moves[3].comments, ["word"]);
    let error = |text: &str| read(text).expect_err(text).to_string();
    let found = error("▲５八金");
    assert!(found.contains("may be "), "{found}");
    let found = error("▲７六歩\n△３四歩 ▲５五飛 △８四歩");
    assert!(found.starts_with("line 2: '▲５五飛', move 3"), "{found}");
}

#[test]
fn digits_have_two_widths() {
    for (text, number) in [
        ("：12手", Some(12)),
        ("１２", Some(12)),
        ("１0", Some(10)),
        ("手", None),
        ("99999999999999999999999", None),
    ] {
        assert_eq!(number_of(text), number, "{text}");
    }
}
