//! Reads games of the archive and checks that every move is legal.

use std::io::Read;

use super::fault::PackFault;
use super::frame::{self, Frame};
use super::game::PackGame;
use crate::position::Position;
use crate::records::game_reader::{GameFormat, GameReader, legal_move};

/// Reads one game after the other. A game with an illegal start or move is an error, and the next
/// one follows; after any other error the iterator ends.
pub type PackReader<R> = GameReader<R, Pack>;

/// The format `.pack`.
pub struct Pack {
    even_start: Position,
}

impl Default for Pack {
    fn default() -> Self {
        Self {
            even_start: Position::startpos(),
        }
    }
}

impl GameFormat for Pack {
    type Frame = Frame;
    type Game = PackGame;
    type Fault = PackFault;

    fn read_frame(input: &mut impl Read) -> Result<Option<Frame>, PackFault> {
        frame::read(input)
    }

    fn decode(&self, frame: Frame) -> Result<PackGame, PackFault> {
        let start = match frame.start {
            None => self.even_start.clone(),
            Some((position, ply)) => position.unpack(u32::from(ply).max(1))?,
        };
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(frame.moves.len());
        for (number, &(bits, score)) in (1..).zip(&frame.moves) {
            let mv = legal_move(&position, bits, number)?;
            position.do_move(mv);
            moves.push((mv, score));
        }
        Ok(PackGame {
            start,
            moves,
            result: frame.result,
            reason: frame.reason,
        })
    }

    fn is_fatal(fault: &PackFault) -> bool {
        fault.is_fatal()
    }
}
