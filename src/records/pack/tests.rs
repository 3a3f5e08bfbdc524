//! Games to bytes and back, byte for byte; damaged files.

use super::*;
use crate::records::game::GameResult;
use crate::records::sfen_line::SfenLine;
use crate::types::Color;

fn game(line: &str, result: GameResult) -> PackGame {
    let line: SfenLine = line.parse().expect("the line of a test");
    let scores = (-2..).map(|score| score * 100);
    PackGame {
        start: line.start,
        moves: line.moves.into_iter().zip(scores).collect(),
        result,
        reason: PackReason::RESIGNATION,
    }
}

fn bytes(games: &[PackGame]) -> Vec<u8> {
    let mut writer = PackWriter::new(Vec::new());
    for game in games {
        writer.write(game).expect("a vector takes everything");
    }
    writer.into_inner()
}

fn games() -> [PackGame; 3] {
    let ending = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 30 moves G*5b";
    let handicap = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d";
    [
        game(
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b",
            GameResult::Win(Color::White),
        ),
        game(ending, GameResult::Win(Color::Black)),
        game(handicap, GameResult::Draw),
    ]
}

/// Every game or what is wrong with it.
fn read(bytes: &[u8]) -> Vec<Result<String, String>> {
    let shown = |game: PackGame| {
        let moves = game.moves.iter().map(|(mv, _)| *mv).collect();
        let line = SfenLine {
            start: game.start,
            moves,
        };
        format!("{line} {:?}", game.result)
    };
    let reader = PackReader::new(bytes);
    reader
        .map(|game| game.map(shown).map_err(|error| error.to_string()))
        .collect()
}

#[test]
fn the_bytes_are_those_of_the_format() {
    let game = game("startpos moves 7g7f", GameResult::Win(Color::Black));
    // From 7七 (60) to 7六 (59), -200, black won, resignation.
    let expected = [1, 0x3b, 0x1e, 0x38, 0xff, 0x81, 0, 0];
    assert_eq!(bytes(&[game]), expected);
}

#[test]
fn games_come_back_byte_for_byte() {
    let written = bytes(&games());
    let reader = PackReader::new(&written[..]);
    let read: Vec<PackGame> = reader.map(|game| game.expect("a good game")).collect();
    assert_eq!(bytes(&read), written);
    assert_eq!(read[1].start.game_ply(), 30);
    assert_eq!(read[0].moves[1].1, -100);
    assert_eq!(read[2].result, GameResult::Draw);
}

#[test]
fn a_bad_game_does_not_hide_the_next() {
    let mut written = bytes(&games());
    // The second move of the first game becomes the first one again.
    written.copy_within(1..3, 5);
    let read = read(&written);
    assert_eq!(read.len(), 3);
    assert_eq!(
        read[0],
        Err("game 1, at byte 0: move 2, 7g7f, is illegal in \
            lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
            .to_owned())
    );
    assert!(read[1].is_ok() && read[2].is_ok());
}

#[test]
fn a_cut_file_ends_behind_its_last_whole_game() {
    let whole = bytes(&games()[..2]);
    let all = bytes(&games());
    for length in whole.len() + 1..all.len() {
        let mut reader = PackReader::new(&all[..length]);
        assert_eq!(reader.by_ref().flatten().count(), 2);
        assert_eq!(reader.good_bytes(), whole.len() as u64);
        assert_eq!(
            read(&all[..length]).last(),
            Some(&Err(format!(
                "game 3, at byte {}: the file ends within the game",
                whole.len()
            )))
        );
    }
    assert!(read(&[]).is_empty());
}

#[test]
fn what_is_wrong_is_named() {
    for (bytes, expected) in [
        (&[2][..], "begins with 2, expected 1"),
        (&[1, 0x83, 0x01, 0], "ends in 0x0183, expected 0x0000"),
        (&[1, 0x81, 0x40, 0], "ends in 0x4081, expected 0x0000"),
        (
            &[1, 0x7f, 0x1e, 0, 0, 0, 0, 0],
            "move 1, 0x1e7f, is illegal in",
        ),
    ] {
        let read = read(bytes);
        let message = read[0].as_ref().expect_err("a bad game");
        let begin = format!("game 1, at byte 0: {expected}");
        assert!(message.starts_with(&begin), "{message}");
        assert_eq!(read.len(), 1);
    }
    let mut start = vec![0; 35];
    start.extend([0, 0, 1]);
    let message = read(&start)[0].clone().expect_err("kings together");
    assert_eq!(
        message,
        "game 1, at byte 0: start: both kings on 1a, expected different squares"
    );
    let endless: Vec<u8> = [1]
        .into_iter()
        .chain([0x3b, 0x1e, 0, 0].repeat(70_000))
        .collect();
    let message = read(&endless)[0].clone().expect_err("no end");
    assert_eq!(message, "game 1, at byte 0: no end after 65535 moves");
}
