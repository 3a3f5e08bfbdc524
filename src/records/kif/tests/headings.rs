//! Headings, and what stands before the first move.

use super::super::*;
use super::again;
use crate::{records::game::GameRecord, types::Color};

fn good(text: &str) -> GameRecord {
    read(text).expect("a good record")
}

#[test]
fn every_heading_that_is_read_is_written() {
    let names = "手数|先手段位|Round 1|【備考】|先手チーム|後手レーティング|最高段位（先手）|\
                 記録・読み上げ|(備考)|手番表示|変化手順";
    let names: Vec<&str> = names.split('|').collect();
    let lines = names.iter().map(|name| format!("{name}：1 x\n"));
    let lines = lines.collect::<Vec<_>>().concat();
    let game = good(&format!("{lines}手合割：平手\n   1 ７六歩(77)\n"));
    let found = game.headings.iter().map(|(name, _)| name.as_str());
    let found: Vec<&str> = found.collect();
    assert_eq!(found, names);
    for style in [Style::Kif, Style::Ki2] {
        assert_eq!(again(&game, style).headings, game.headings);
        assert!(losses(&game, style).is_empty());
    }
    // Names that mean something else here.
    let mut game = good("手合割：平手\n");
    for name in "手番 変化 まで *x 手合割 |a a：b ▲ #".split(' ').chain([""]) {
        game.headings = vec![(name.to_owned(), "後手".to_owned())];
        assert!(again(&game, Style::Kif).headings.is_empty(), "{name}");
        assert_eq!(losses(&game, Style::Kif).len(), 1, "{name}");
    }
}

#[test]
fn headings_behind_the_moves_count_where_there_are_none_before() {
    let late = "先手：b\n後手：c\n場所：東京\n場所：東京\n";
    let game = good(&format!("先手：a\n   1 ７六歩(77)\n{late}"));
    assert_eq!(game.players, ["a", "c"]);
    assert_eq!(game.heading("場所"), Some("東京"));
    assert_eq!(game.omissions, ["line 3: another heading 先手"]);
}

#[test]
fn the_side_to_move_needs_no_board() {
    let game = good("手合割：平手\n後手番\n   1 ３四歩(33)\n");
    assert_eq!(game.start.side_to_move(), Color::White);
    assert_eq!(again(&game, Style::Kif).line().to_string(), game.line().to_string());
    let game = good("手合割：二枚落ち\n下手番\n   1 ７六歩(77)\n");
    assert_eq!(game.start.side_to_move(), Color::Black);
    let game = good("手合割：平手\n先手の持駒：歩二\n   1 ７六歩(77)\n");
    assert_eq!(game.omissions, ["pieces in hand, expected a board too"]);
}
