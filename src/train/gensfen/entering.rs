//! Start positions around the entry of a king into its promotion zone.
//!
//! Games with an entering king are rare in self-play, so a network learns little about declarations
//! from them. This module takes positions of such games, some plies before and after the entry, as
//! starts of new games. The rule is that of `nyugyoku_gensfen` of rshogi.

use super::start::Start;
use crate::bitboard::Bitboard;
use crate::records::pack::PackGame;
use crate::types::{Color, Move, PieceType};

/// The starts of new games, in plies from the entry.
const OFFSETS: [isize; 4] = [-40, -20, 0, 20];

/// The least number of random moves after such a start, each drawn uniformly from the legal moves.
pub(super) const MIN_RANDOM_PLIES: u32 = 2;
/// The greatest number of random moves after such a start.
pub(super) const MAX_RANDOM_PLIES: u32 = 4;

/// The positions of a game from which new games start; none if no king enters.
pub(super) fn starts(game: &PackGame) -> Vec<Start> {
    let Some(entry) = entry(game) else {
        return Vec::new();
    };
    let wanted = OFFSETS.map(|offset| entry.checked_add_signed(offset));
    let mut position = game.start.clone();
    let mut starts = Vec::new();
    // The final position is no start: the game was over there.
    for (made, &(mv, _)) in game.moves.iter().enumerate() {
        if wanted.contains(&Some(made)) {
            starts.push(Start::of(&position));
        }
        position.do_move(mv);
    }
    starts
}

/// The number of moves after which a king first stands in its promotion zone.
fn entry(game: &PackGame) -> Option<usize> {
    let is_there = |color| {
        let king = game.start.king(color);
        king.is_some_and(|king| Bitboard::promotion_zone(color).contains(king))
    };
    if Color::ALL.into_iter().any(is_there) {
        return Some(0);
    }
    let enters = |mv: Move| {
        let piece = mv.piece();
        piece.kind() == PieceType::King && Bitboard::promotion_zone(piece.color()).contains(mv.to())
    };
    let before = game.moves.iter().position(|&(mv, _)| enters(mv))?;
    Some(before + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::position::Position;
    use crate::records::game::GameResult;
    use crate::records::pack::PackReason;
    use crate::types::{Rank, Square};

    /// A game of two kings in which black's stays on its first rank for `wait` moves and then
    /// advances.
    fn game(wait: usize, length: usize) -> PackGame {
        let start = Position::from_sfen("8k/9/9/9/9/9/9/9/K8 b - 11").expect("a good position");
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in 0..length {
            let rank = |mv: &Move| mv.to().rank() as i32;
            let legal = legal_moves(&position);
            let candidates = legal.iter().copied();
            let mv = if position.side_to_move() == Color::White {
                candidates.min_by_key(rank)
            } else if ply / 2 < wait {
                candidates.max_by_key(rank)
            } else {
                candidates.min_by_key(rank)
            };
            let mv = mv.expect("a king in the open has moves");
            position.do_move(mv);
            moves.push((mv, 0));
        }
        PackGame {
            start,
            moves,
            result: GameResult::Draw,
            reason: PackReason::MAX_MOVES,
        }
    }

    #[test]
    fn games_begin_around_the_entry() {
        // The king needs six moves from the ninth rank to the third. With a wait of 9 it enters
        // after 2 * 15 - 1 = 29 plies.
        let plies = |wait, length| {
            let starts = starts(&game(wait, length)).into_iter();
            let positions = starts.map(Start::position);
            positions
                .map(|position| (position.game_ply() - 11, position))
                .collect::<Vec<_>>()
        };
        let found = plies(9, 60);
        assert_eq!(
            found.iter().map(|(ply, _)| *ply).collect::<Vec<_>>(),
            [9, 29, 49]
        );
        let (_, entered) = &found[1];
        let rank = entered.king(Color::Black).map(Square::rank);
        assert_eq!(rank, Some(Rank::Rank3));
        let found: Vec<u32> = plies(29, 69).iter().map(|(ply, _)| *ply).collect();
        assert_eq!(
            found,
            [29, 49],
            "-40, -20 and 0 are 29, 49 and the end of the game"
        );
        assert_eq!(plies(9, 28).len(), 0, "no king is there yet");
    }

    #[test]
    fn a_king_that_stood_there_from_the_start_entered_at_once() {
        let mut game = game(0, 30);
        for (mv, _) in game.moves.drain(..20) {
            game.start.do_move(mv);
        }
        let plies: Vec<u32> = starts(&game)
            .into_iter()
            .map(|start| start.position().game_ply())
            .collect();
        assert_eq!(plies, [31]);
    }
}
