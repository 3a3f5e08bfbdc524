//! Reads games of hcpe3 and checks that every move is legal.

use std::io::{self, Read};

use thiserror::Error;

use super::game::{Hcpe3Game, Hcpe3Move, WINNER_BITS};
use crate::records::apery_move::from_apery;
use crate::records::game::GameResult;
use crate::records::game_reader::{GameError, GameFormat, GameReader, IllegalMove, legal_move};
use crate::records::packed::{HuffmanCodedPos, PackedError};
use crate::types::Move16;
use crate::util::read_up_to;

/// Bytes before the moves of a game.
const HEADER: usize = 36;

/// A game that cannot be read, and its place in the input.
pub type Hcpe3Error = GameError<Hcpe3Fault>;

/// Reads one game after the other. An invalid game is an error, and the next one follows unless the
/// file ends within it.
pub type Hcpe3Reader<R> = GameReader<R, Hcpe3>;

/// What is wrong with a game.
#[derive(Debug, Error)]
pub enum Hcpe3Fault {
    /// The input fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends within the game.
    #[error("the file ends within the game")]
    Truncated,
    /// The ending byte has an unknown result code.
    #[error(
        "ending {found}, expected 0 (draw), 1 (black won) or 2 (white won) in its lowest two bits"
    )]
    Ending {
        /// The byte found.
        found: u8,
    },
    /// The start position is invalid.
    #[error("start: {0}")]
    Start(#[from] PackedError),
    /// A move is illegal.
    #[error(transparent)]
    Move(#[from] IllegalMove),
    /// The bits of a candidate are not a move.
    #[error("candidate {number} of move {of} is {found:#06x}, which is no move")]
    Candidate {
        /// The number of the candidate, from 1.
        number: usize,
        /// The number of the move in the game, from 1.
        of: usize,
        /// The 16 bits found.
        found: u16,
    },
}

impl Hcpe3Fault {
    /// Whether the end of the game is unknown, so that no further game can be read.
    pub const fn is_fatal(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Truncated)
    }
}

/// The format `.hcpe3`.
#[derive(Default)]
pub struct Hcpe3;

/// A game whose moves are not checked yet: the header and the moves.
pub struct Frame([u8; HEADER], Vec<StoredMove>);

/// A stored move: Apery's 16 bits, the score, and the candidates with their visits.
type StoredMove = (u16, i16, Vec<(u16, u16)>);

impl GameFormat for Hcpe3 {
    type Frame = Frame;
    type Game = Hcpe3Game;
    type Fault = Hcpe3Fault;

    fn read_frame(input: &mut impl Read) -> Result<Option<Frame>, Hcpe3Fault> {
        let mut header = [0; HEADER];
        match read_up_to(input, &mut header)? {
            0 => return Ok(None),
            HEADER => {}
            _ => return Err(Hcpe3Fault::Truncated),
        }
        let mut moves = Vec::new();
        for _ in 0..u16::from_le_bytes([header[32], header[33]]) {
            let [mv, score, count] = words::<3>(input)?;
            let mut candidates = Vec::new();
            for _ in 0..count {
                let [mv, visits] = words::<2>(input)?;
                candidates.push((mv, visits));
            }
            moves.push((mv, score as i16, candidates));
        }
        Ok(Some(Frame(header, moves)))
    }

    fn decode(&self, Frame(header, moves): Frame) -> Result<Hcpe3Game, Hcpe3Fault> {
        decode(&header, &moves)
    }

    fn is_fatal(fault: &Hcpe3Fault) -> bool {
        fault.is_fatal()
    }
}

fn decode(header: &[u8; HEADER], stored: &[StoredMove]) -> Result<Hcpe3Game, Hcpe3Fault> {
    let [ending, opponent] = [header[34], header[35]];
    if GameResult::from_code(ending & WINNER_BITS).is_none() {
        return Err(Hcpe3Fault::Ending { found: ending });
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&header[..32]);
    let start = HuffmanCodedPos::from_bytes(bytes).unpack(1)?;
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(stored.len());
    for (number, (bits, score, candidates)) in (1..).zip(stored) {
        let mv = legal_move(&position, *bits, number)?;
        position.do_move(mv);
        moves.push(Hcpe3Move {
            mv,
            score: *score,
            candidates: decode_candidates(candidates, number)?,
        });
    }
    Ok(Hcpe3Game {
        start,
        moves,
        ending,
        opponent,
    })
}

fn decode_candidates(stored: &[(u16, u16)], of: usize) -> Result<Vec<(Move16, u16)>, Hcpe3Fault> {
    let decode = |(index, &(found, visits)): (usize, &(u16, u16))| {
        let mv = from_apery(found).ok_or(Hcpe3Fault::Candidate {
            number: index + 1,
            of,
            found,
        })?;
        Ok((mv, visits))
    };
    stored.iter().enumerate().map(decode).collect()
}

fn words<const N: usize>(input: &mut impl Read) -> Result<[u16; N], Hcpe3Fault> {
    let mut words = [0; N];
    for word in &mut words {
        let mut bytes = [0; 2];
        if read_up_to(input, &mut bytes)? != bytes.len() {
            return Err(Hcpe3Fault::Truncated);
        }
        *word = u16::from_le_bytes(bytes);
    }
    Ok(words)
}
