//! Games as records of the archive: each segment is a game with the result of the whole game.

use std::fs::File;
use std::io::{self, BufReader};

use super::game::{PlayedGame, Segment};
use super::outcome::Reason;
use crate::records::game::GameResult;
use crate::records::pack::{PackError, PackGame, PackReader, PackReason, PackWriter};
use crate::types::EnteringKingRule;

/// The bytes of a game: its segments one after the other. Nothing marks them as parts of one game.
pub(super) fn bytes(game: &PlayedGame) -> io::Result<Vec<u8>> {
    let mut writer = PackWriter::new(Vec::new());
    for segment in &game.segments {
        writer.write(&PackGame {
            start: segment.start.clone(),
            moves: segment.moves.clone(),
            result: GameResult::of_winner(game.outcome.winner),
            reason: reason(game.outcome.reason, game.rule),
        })?;
    }
    Ok(writer.into_inner())
}

/// Reads the segments of a file in their order.
pub(super) fn read(file: File, mut each: impl FnMut(Segment)) -> Result<(), PackError> {
    for game in PackReader::new(BufReader::new(file)) {
        let PackGame { start, moves, .. } = game?;
        each(Segment { start, moves });
    }
    Ok(())
}

const fn reason(reason: Reason, rule: EnteringKingRule) -> PackReason {
    match reason {
        Reason::Mate | Reason::Adjudication => PackReason::RESIGNATION,
        Reason::Repetition => PackReason::REPETITION,
        Reason::PerpetualCheck => PackReason::PERPETUAL_CHECK,
        Reason::MaxPly => PackReason::MAX_MOVES,
        Reason::Declaration => match rule {
            EnteringKingRule::CsaRule24 | EnteringKingRule::CsaRule24Handicap => {
                PackReason::DECLARATION_24
            }
            EnteringKingRule::TryRule => PackReason::TRY,
            EnteringKingRule::CsaRule27
            | EnteringKingRule::CsaRule27Handicap
            | EnteringKingRule::NoEnteringKing => PackReason::DECLARATION_27,
        },
    }
}

#[cfg(test)]
mod tests;
