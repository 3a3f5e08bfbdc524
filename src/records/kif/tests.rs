//! Small records, valid and invalid.

use std::time::Duration;

use super::reader::HANDICAPS;
use super::*;
use crate::position::START_SFEN;
use crate::records::game::Ending;
use crate::types::Color;

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

#[test]
fn a_game_is_read() {
    let game = read(GAME).expect("a good record");
    assert_eq!(
        game.line().to_string(),
        "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e"
    );
    assert_eq!(game.players, ["一番", "二番"].map(str::to_owned));
    assert_eq!(
        (game.event.as_str(), game.winner()),
        ("試験", Some(Color::Black))
    );
    assert_eq!(game.moves[1].time, Some(Duration::from_secs(62)));
    assert_eq!(game.ending, Ending::Resignation);
}

#[test]
fn handicaps_and_drawn_boards_are_read() {
    for (name, sfen) in HANDICAPS {
        let game = read(&format!("手合割：{name}\n")).expect("a handicap");
        assert_eq!(game.start.to_sfen(), *sfen, "{name}");
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
    assert_eq!(
        game.start.to_sfen(),
        "4k4/9/4P4/9/9/9/9/9/4K1+b1+S b 4G2rb3s4n4l17p 1"
    );
    assert_eq!(game.ending, Ending::Checkmate);
    assert_eq!(
        read("手合割：平手\n").map(|game| game.start.to_sfen()),
        Ok(START_SFEN.to_owned())
    );
}

#[test]
fn endings_have_a_meaning() {
    for (text, ending) in [
        ("   1 中断", Ending::Interrupted),
        ("   1 千日手", Ending::Repetition),
        ("   1 切れ負け ( 0:00/0:00:00)", Ending::TimeUp),
        ("   1 入玉勝ち", Ending::Declaration),
        ("   1 ７六歩(77)", Ending::Interrupted),
        (
            "   1 ７五歩(77)\n   2 反則勝ち",
            Ending::IllegalMove {
                text: "７五歩(77)".to_owned(),
            },
        ),
        (
            "   1 反則負け",
            Ending::IllegalMove {
                text: String::new(),
            },
        ),
    ] {
        assert_eq!(read(text).map(|game| game.ending), Ok(ending), "{text}");
    }
}

#[test]
fn errors_name_the_line() {
    for (text, expected) in [
        ("hello", "line 1: no game, expected"),
        ("手合割：九枚落ち", "line 1: handicap '九枚落ち', expected"),
        (
            "\n   1 ７五歩(77)\n",
            "line 2: '７五歩(77)' is illegal in lnsg",
        ),
        (
            "   1 ７六歩\n   2 ３四歩(33)\n",
            "line 2: '７六歩' is illegal in lnsg",
        ),
        (
            "   1 ７六猫(77)\n",
            "line 1: '７六猫(77)' is neither a move nor an ending",
        ),
        ("   1 同　歩(77)\n", "line 1: '同　歩(77)' is neither"),
        (
            "| ・x玉|一\n",
            "line 1: ' ・x玉' in the board, expected squares",
        ),
        (
            "先手の持駒：歩百\n",
            "line 1: '歩百' in the board, expected a piece in hand",
        ),
        (
            "| ・|一\n   1 投了\n",
            "line 2: board has 1 ranks, expected 9",
        ),
    ] {
        let error = read(text)
            .err()
            .map_or_else(String::new, |error| error.to_string());
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}
