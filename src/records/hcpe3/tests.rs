//! Games to bytes and back, byte for byte; damaged files.

use super::*;
use crate::records::game::GameResult;
use crate::records::pack::{PackGame, PackReason};
use crate::records::sfen_line::SfenLine;
use crate::types::Color;

fn game() -> Hcpe3Game {
    let line: SfenLine = "startpos moves 7g7f 3c3d 8h2b+".parse().expect("a line");
    let moves = line.moves.iter().map(|&mv| (mv, 55));
    let mut game = Hcpe3Game::from_pack(&PackGame {
        start: line.start.clone(),
        moves: moves.collect(),
        result: GameResult::Win(Color::Black),
        reason: PackReason::DECLARATION_27,
    });
    let other = "2g2f".parse().expect("a move");
    game.moves[0].candidates.push((other, 99));
    game.moves[1].candidates.clear();
    game
}

fn bytes(game: &Hcpe3Game) -> Vec<u8> {
    let mut bytes = Vec::new();
    game.write(&mut bytes).expect("a vector takes everything");
    bytes
}

fn messages(bytes: &[u8]) -> Vec<String> {
    let message = |game: Result<Hcpe3Game, Hcpe3Error>| match game {
        Ok(_) => "good".to_owned(),
        Err(error) => error.to_string(),
    };
    Hcpe3Reader::new(bytes).map(message).collect()
}

#[test]
fn games_come_back_byte_for_byte() {
    let written = bytes(&game());
    assert_eq!(written.len(), 36 + 3 * 6 + 3 * 4);
    assert_eq!(written[32..36], [3, 0, 9, 0]);
    let twice = [written.clone(), written.clone()].concat();
    let mut reader = Hcpe3Reader::new(&twice[..]);
    for number in 1..=2 {
        let read = reader.next().expect("a game").expect("a good game");
        assert_eq!(bytes(&read), written);
        assert_eq!(reader.offset(), number * written.len() as u64);
        assert_eq!(read.to_pack().reason, PackReason::DECLARATION_27);
        assert_eq!(read.result(), GameResult::Win(Color::Black));
    }
    assert!(reader.next().is_none());
}

#[test]
fn a_bad_game_does_not_hide_the_next() {
    let good = bytes(&game());
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        messages(&[bad, good.clone()].concat())
    };
    for (at, byte, expected) in [
        (34, 3, "ending 3, expected 0 (draw)"),
        (1, 0xff, "start: white king on square"),
        (36, 61, "move 1, 7g7h, is illegal in lnsgkgsnl/"),
        (42, 127, "candidate 1 of move 1 is"),
    ] {
        let found = with(at, byte);
        let begin = format!("game 1, at byte 0: {expected}");
        assert!(found[0].starts_with(&begin), "{}", found[0]);
        assert_eq!(found[1..], ["good"]);
    }
}

#[test]
fn a_cut_file_is_recognised() {
    let good = bytes(&game());
    for length in 1..good.len() {
        assert_eq!(
            messages(&good[..length]),
            ["game 1, at byte 0: the file ends within the game"]
        );
    }
}
