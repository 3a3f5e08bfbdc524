//! Checks answers against the legal moves of a position.

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::types::Move16;

use crate::common::{self, legal_move};

/// The position of a valid `position` command.
pub(crate) fn position(command: &str) -> Position {
    let command = command.strip_prefix("position ").expect("a position");
    let (start, moves) = command.split_once(" moves").unwrap_or((command, ""));
    let mut position: Position = match start.strip_prefix("sfen ").unwrap_or(start) {
        "startpos" => Position::startpos(),
        sfen => common::position(sfen),
    };
    for text in moves.split_whitespace() {
        position.do_move(legal_move(&position, text));
    }
    position
}

/// Checks all lines of a search in `position`; the last line is the answer.
pub(crate) fn check_search(position: &Position, lines: &[String]) {
    for line in lines {
        check_pv(position, line);
    }
    check_bestmove(position, lines.last().expect("an answer"));
}

/// Panics unless `line` is a whole `bestmove` that may be played in `position`, and its ponder move
/// after it.
pub(crate) fn check_bestmove(position: &Position, line: &str) {
    let mut position = position.clone();
    let words: Vec<_> = line.split(' ').collect();
    let moves = match words[..] {
        ["bestmove", "resign" | "win" | "none"] => return,
        ["bestmove", best] => vec![best],
        ["bestmove", best, "ponder", ponder] => vec![best, ponder],
        _ => panic!("not a bestmove: {line}"),
    };
    play(&mut position, &moves, line);
}

/// Panics unless every move of the principal variation in `line`, if there is one, is legal where
/// it stands.
pub(crate) fn check_pv(position: &Position, line: &str) {
    if let Some((_, pv)) = line.split_once(" pv ") {
        let moves: Vec<_> = pv.split(' ').collect();
        play(&mut position.clone(), &moves, line);
    }
}

fn play(position: &mut Position, moves: &[&str], line: &str) {
    for text in moves {
        let move16: Move16 = text.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        let legal = legal_moves(position);
        let mv = position.to_move(move16).filter(|mv| legal.contains(mv));
        position.do_move(mv.unwrap_or_else(|| panic!("{line}: {text} is illegal in {position:?}")));
    }
}
