//! Spellings of records in the wild, by kind.

use super::super::*;
use super::again;
use crate::records::game::{Ending, GameRecord};
use crate::{position::START_SFEN, records::notation::japanese::RANKS};

fn good(text: &str) -> GameRecord {
    read(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn fault(text: &str) -> String {
    match read(text) {
        Ok(game) => panic!("read as {}: {text}", game.line()),
        Err(error) => error.to_string(),
    }
}

/// Files 1 to 9 of an even game, as programs draw it.
const EVEN: [&str; 9] = [
    "|v香v桂v銀v金v玉v金v銀v桂v香|一",
    "| ・v飛 ・ ・ ・ ・ ・v角 ・|二",
    "|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三",
    "| ・ ・ ・ ・ ・ ・ ・ ・ ・|四",
    "| ・ ・ ・ ・ ・ ・ ・ ・ ・|五",
    "| ・ ・ ・ ・ ・ ・ ・ ・ ・|六",
    "| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七",
    "| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八",
    "| 香 桂 銀 金 玉 金 銀 桂 香|九",
];

fn drawn(change: impl Fn(&str) -> String) -> String {
    let rows: Vec<String> = EVEN.iter().map(|row| change(row)).collect();
    format!("手合割：その他\n{}\n", rows.join("\n"))
}

#[test]
fn an_illegal_last_move_ends_the_game() {
    let moves = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n";
    for (row, ending) in [
        ("   4 ５四歩打   (0:7/0:0:12)\n*反則手にて終局\n", ""),
        ("   4 ５四歩打\n   5 反則負け\n", ""),
        ("   4 ５四歩打\nまで4手で二歩により先手の勝ち\n", ""),
        ("   4 ５四歩打\nまで4手で先手の勝ち\n", ""),
        ("   4 ５四歩打\n   5 中断  ( 0:01/0:00:04)\n", ""),
        ("   4 ５四歩打\n   5 投了\n", ""),
        ("   4 ７七角(88)\n", "moves the piece of the other side"),
        ("   4 ２二銀(31)\n   5 ７七角(88)\n", "moves twice"),
    ] {
        let game = good(&format!("{moves}{row}"));
        let is_move = |line: &&str| line.contains(['打', '角']);
        let text = row.lines().rfind(is_move).expect("a move");
        let text = text.trim_start().split_once(' ').expect("a number").1;
        let text = text.split([' ', '　']).next().unwrap_or_default().to_owned();
        let expected = Ending::IllegalMove { text };
        assert_eq!(game.ending, expected, "{row} {ending}");
        assert_eq!(again(&game, Style::Kif).ending, game.ending, "{row}");
        assert_eq!(game.winner(), Some(!game.side_to_move_at_end()), "{row}");
    }
    let game = good(&format!("{moves}   4 ５四歩打   (0:7/0:0:12)\n*反則手にて終局"));
    assert_eq!(game.closing.time, Some(Duration::from_secs(7)));
    assert_eq!(game.closing.comments, ["反則手にて終局"]);
    assert_eq!(game.readings.len(), 1, "{:?}", game.readings);
    let game = good("▲７六歩 △３四歩 ▲２二角成 △５四歩打\tまで4手で二歩により先手の勝ち\n");
    let text = "△５四歩打".to_owned();
    let expected = (3, Ending::IllegalMove { text });
    assert_eq!((game.moves.len(), game.ending), expected);
    // A move that is not the last, or the first, is a fault.
    assert!(fault("   1 ７六歩(77)\n   2 ５四歩打\n   3 ２六歩(27)\n").contains("is illegal"));
    assert!(fault("   1 ７五歩(77)\n").contains("is illegal"));
}

#[test]
fn origins_have_blanks_and_wide_digits() {
    let expected = "startpos moves 7g7f 3c3d 8h2b+ 3a2b";
    for (third, fourth) in [
        ("２二角成　(88)", "同銀　(31)"),
        ("２二角成 （８８）", "同　銀（３１）"),
        ("２二角成( 88 )", "同 銀\t(３一)"),
        ("２二角成", "同　銀"),
        ("22角成(88)   ( 0:01/00:00:01)", "同銀   ( 0:01/00:00:01)"),
    ] {
        let game =
            good(&format!("   1 ７六歩(77)\n   2 ３四歩(33)\n   3 {third}\n   4 {fourth}\n"));
        assert_eq!(game.line().to_string(), expected, "{third} {fourth}");
    }
    let error = fault("   1 ５八金\n");
    let part = "may be ５八金(49) or ５八金(69) in";
    assert!(error.contains(part), "{error}");
    assert!(fault("   1 ７六歩(xy)\n").contains("is neither a move"));
}

#[test]
fn hands_have_many_spellings() {
    let rows = "  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n\
        | ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n"
        .to_owned()
        + &"| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(7)
        + "| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n+---------------------------+\n";
    for (before, after) in [
        ("後手の持駒：なし", "先手の持駒：飛二　角　歩十二"),
        ("後手の持ち駒：無し", "先手の持ち駒：飛2 角1 歩12"),
        ("後手持駒:", "先手持駒: 飛２、角、歩１２"),
        ("上手の持駒：なし　", "下手の持駒：歩１２飛２角"),
        ("先手の持駒：飛 飛 角 歩 十二", "後手の持駒：なし"),
        ("先手番", "先手の持駒：角　飛二　歩一二"),
    ] {
        let text = format!("手合割：その他\n{before}\n{rows}{after}\n");
        if after.contains("一二") {
            assert!(fault(&text).contains("expected pieces in hand"), "{text}");
            continue;
        }
        let game = good(&text);
        let expected = "4k4/9/9/9/9/9/9/9/4K4 b 2RB12P 1";
        assert_eq!(game.start.to_sfen(), expected, "{before} {after}");
    }
    for wrong in [
        "先手の持駒：歩19",
        "先手の持駒：歩 歩4294967295",
        "先手の持駒：歩x",
        "持駒：歩",
        "両者の持駒：歩",
        "先手の持駒：玉",
    ] {
        let error = fault(&format!("手合割：その他\n{rows}{wrong}\n"));
        assert!(error.contains("in the board, expected"), "{error}");
    }
}

#[test]
fn boards_have_many_frames() {
    let indented = |row: &str| format!("    {row}");
    let thin = |row: &str| row.replace('|', "│");
    let cells = |row: &str| {
        let (squares, label) = row[1..].split_once('|').expect("a row");
        let signs: Vec<char> = squares.chars().collect();
        let squares: Vec<String> = signs.chunks(2).map(|sign| sign.iter().collect()).collect();
        format!("┃{}┃{label}", squares.join("┃")).replace('・', " ")
    };
    // Without labels, an empty rank has bars only.
    let unlabelled = |row: &str| cells(row).trim_end_matches(RANKS).to_owned();
    let bare = |row: &str| row[1..].replace('|', " ");
    let marked = |row: &str| row.replace('v', "△").replace(" 香", "▲香").replace(" 桂", "▲桂");
    let changes: [&dyn Fn(&str) -> String; 6] =
        [&indented, &thin, &cells, &unlabelled, &bare, &marked];
    for change in changes {
        let text = drawn(change);
        assert_eq!(good(&text).start.to_sfen(), START_SFEN, "{text}");
        let game = good(&format!("{text}先手番\n   1 ７六歩(77)\n"));
        assert_eq!(game.line().to_string(), "startpos moves 7g7f");
    }
    for wrong in [
        drawn(|row| row.replacen('桂', "？", 1)),
        drawn(|row| row.replacen(" ・", "", 1)),
        drawn(|row| format!("    {}", row.replacen('銀', "x", 1))),
        "手合割：その他\n先手の持駒：歩\n   1 ７六歩(77)\n".to_owned(),
        "先手の持駒：歩\n   1 ７六歩(77)\n".to_owned(),
    ] {
        let error = fault(&wrong);
        assert!(error.contains("expected"), "{error}");
    }
}

#[test]
fn endings_have_many_words() {
    let loser = || Ending::Disconnection { reason: "接続切れ".to_owned() };
    for (row, ending) in cases! {
        "Time-up   ( 0:0/)" => Ending::TimeUp;
        "タイムアップ" => Ending::TimeUp;
        "時間切れ" => Ending::TimeUp;
        "切れ負け" => Ending::TimeUp;
        "resigns" => Ending::Resignation;
        "Resign (0:01/)" => Ending::Resignation;
        "投了   ( 0:01/00:00:02)\n*ありがとうございました" => Ending::Resignation;
        "接続切れ" => loser();
        "二歩" => Ending::IllegalMove { text: String::new() };
        "反則手" => Ending::IllegalMove { text: String::new() };
        "引分" => Ending::AdjudicatedDraw;
    } {
        let game = good(&format!("   1 ７六歩(77)\n   2 ３四歩(33)\n   3 {row}\n"));
        assert_eq!(game.ending, ending, "{row}");
        assert_eq!(again(&game, Style::Kif).ending, ending, "{row}");
        assert_eq!(again(&game, Style::Ki2).ending, ending, "{row}");
    }
    for (sentence, ending) in [
        ("まで2手で時間切れにより後手の勝ち", Ending::TimeUp),
        ("まで2手でタイムアップにより後手の勝ち", Ending::TimeUp),
        ("まで2手で接続切れにより後手の勝ち", loser()),
        ("まで2手で後手の勝ち", Ending::Resignation),
    ] {
        let game = good(&format!("▲７六歩 △３四歩\n{sentence}\n"));
        assert_eq!(game.ending, ending, "{sentence}");
    }
}

#[test]
fn the_first_mark_of_ki2_tells_the_turn() {
    let board = drawn(str::to_owned);
    for (marks, expected, first) in [("△▽☖", "w", "８四歩"), ("▲☗▼", "b", "２六歩")]
    {
        let start = START_SFEN.replace(" b ", &format!(" {expected} "));
        for mark in marks.chars() {
            let text = format!("{board}上手の持駒：なし\n\n{mark}{first}\n");
            assert_eq!(good(&text).start.to_sfen(), start, "{mark}");
        }
    }
    // The line of the board goes first.
    let text = format!("{board}後手番\n\n▲８四歩\n");
    assert_eq!(good(&text).moves.len(), 1);
}

#[test]
fn the_defender_of_a_problem_holds_the_rest() {
    for rest in ["残り全部", "残り", "その他全部", "残り駒"] {
        let text = format!(
            "手合割：詰将棋\n後手の持駒：{rest}\n| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n\
             | ・ ・ ・ ・ ・ ・ ・ 歩 ・|二\n| ・ ・ ・ ・ ・ ・ ・ 金 ・|三\n{}先手の持駒：桂\n先手番\n\
             手数----指手---------消費時間--\n   1 １三桂打\n",
            "| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n".repeat(6)
        );
        let game = good(&text);
        let expected = "8k/7P1/7G1/9/9/9/9/9/9 b N2r2b3g4s3n4l17p 1";
        assert_eq!(game.start.to_sfen(), expected, "{rest}");
        assert_eq!(game.moves.len(), 1);
    }
}

#[test]
fn two_players_stand_in_a_line() {
    for heading in ["先手: a / 後手: b", "先手：a　後手：b", "下手：a／上手：b", "後手：b, 先手：a"]
    {
        let game = good(&format!("{heading}\n手合割：平手\n\n▲７六歩\n"));
        assert_eq!(game.players, ["a", "b"].map(str::to_owned), "{heading}");
    }
    let game = good("先手：後手: いまいち\n後手：先手必勝\n▲７六歩\n");
    let expected = ["後手: いまいち", "先手必勝"].map(str::to_owned);
    assert_eq!(game.players, expected);
}

#[test]
fn what_follows_the_last_move_is_no_variation() {
    let expected = "startpos moves 7g7f 3a4b 7i6h 3c3d";
    let moves = "   1 ７六歩(77)\n   2 ４二銀(31)\n";
    let rest = "変化：3手\n   3 ６八銀(79)\n   4 ３四歩(33)\n";
    let others = "変化：3手\n   3 ２六歩(27)\n変化：1手\n   1 ５六歩(57)\n";
    for (before, after, variations) in [("#--separator--\n", "", 0), ("", others, 2)] {
        let game = good(&format!("{moves}{before}{rest}{after}"));
        assert_eq!(game.line().to_string(), expected);
        assert_eq!(game.variations.len(), variations);
    }
    // A game that has ended does not go on.
    let game = good(&format!("{moves}   3 投了\n変化：3手\n   3 ６八銀(79)\n"));
    assert_eq!((game.moves.len(), game.variations.len()), (2, 1));
}

#[test]
fn promotions_are_named_by_the_promoted_piece() {
    let before = "   1 ７六歩(77)\n   2 ３四歩(33)\n";
    for (third, written) in [("２二馬(88)", "２二角成(88)"), ("２二馬成(88)", "２二角成(88)")]
    {
        let game = good(&format!("{before}   3 {third}\n   4 同　銀(31)\n   5 投了"));
        let expected = "startpos moves 7g7f 3c3d 8h2b+ 3a2b";
        assert_eq!(game.line().to_string(), expected, "{third}");
        let reading = format!("line 3: '{third}', read as {written}");
        assert_eq!(game.readings, [reading]);
    }
    let promoted = |piece: &str, sfen: &str| {
        let start = Position::from_sfen(sfen).expect("a good position");
        let text = format!("{}\n   1 ５三{piece}(54)\n", diagram(&start).join("\n"));
        good(&text).moves[0].mv.to_string()
    };
    for (letter, pieces) in [("P", "と"), ("S", "成銀 全"), ("R", "竜 龍")] {
        for (sign, expected) in [("", "5d5c+"), ("+", "5d5c")] {
            let sfen = format!("8k/9/9/4{sign}{letter}4/9/9/9/9/K8 b - 1");
            for piece in pieces.split(' ') {
                assert_eq!(promoted(piece, &sfen), expected, "{piece}");
            }
        }
    }
    let game = good("▲７六歩 △３四歩 ▲２二馬 △同銀\n");
    assert_eq!(game.moves.len(), 4);
}

#[test]
fn an_ending_may_have_a_mark_in_ki2() {
    for (text, ending) in cases! {
        "▲７六歩 △３四歩 ▲投了\nまで2手で後手の勝ち" => Ending::Resignation;
        "▲７六歩 △３四歩 △千日手" => Ending::Repetition;
        "▲７六歩\n△３四歩\n▲ 中断" => Ending::Interrupted;
        "☗７六歩　☖３四歩　☗切れ負け" => Ending::TimeUp;
    } {
        let game = good(text);
        let expected = "startpos moves 7g7f 3c3d";
        assert_eq!(game.line().to_string(), expected, "{text}");
        assert_eq!(game.ending, ending, "{text}");
        assert!(game.omissions.is_empty(), "{text}: {:?}", game.omissions);
    }
    let game = good("▲７六歩 △投了 ▲２六歩");
    let expected = ["line 1: '▲２六歩' after the end of the game"];
    assert_eq!(game.omissions, expected);
}

#[test]
fn a_number_that_goes_back_begins_a_variation() {
    let lines = |text: &str| {
        let game = good(text);
        let line = |index| {
            let line = &game.variations[index];
            let before = game.moves_before(line).into_iter();
            let moves = before.chain(line.moves.iter().map(|played| played.mv));
            moves.map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
        };
        let mut lines = vec![game.line().to_string()];
        lines.extend((0..game.variations.len()).map(line));
        lines.push(game.notes().collect::<Vec<_>>().join("; "));
        lines
    };
    let rows = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２六歩(27)\n   4 ８四歩(83)\n";
    let line = "startpos moves 7g7f 3c3d 2g2f 8c8d";
    let others = "   4 ４四歩(43)\n   5 ２五歩(26)\n   3 ６六歩(67)\n   2 ８四歩(83)\n";
    let text = format!("{rows}{others}");
    assert_eq!(
        lines(&text),
        [
            line,
            "7g7f 3c3d 2g2f 4c4d 2f2e",
            "7g7f 3c3d 6g6f",
            "7g7f 8c8d",
            "line 5: the number 4, read as a variation; \
             line 7: the number 3, read as a variation; \
             line 8: the number 2, read as a variation",
        ]
    );
    // A number that stays is a mistake where the move follows.
    let text = format!("{rows}   4 ２五歩(26)\n   5 ３二金(41)\n");
    let expected = format!("{line} 2f2e 4a3b");
    let note = "line 5: the number 4, expected 5";
    assert_eq!(lines(&text), [&*expected, note]);
    assert!(fault(&format!("{rows}   3 ５五角(22)\n   4 ２五歩(26)\n")).contains("is illegal"));
}
