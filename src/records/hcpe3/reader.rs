//! Reads games and proves that they are games: every move is legal where it is made.

use std::io::{self, Read};

use thiserror::Error;

use super::{Hcpe3Game, Hcpe3Move, WINNER_BITS};
use crate::position::Position;
use crate::records::apery_move::from_apery;
use crate::records::game::GameResult;
use crate::records::packed::{HuffmanCodedPos, PackedError};
use crate::types::{Move, Move16};
use crate::util::read_up_to;

const HEADER: usize = 36;
const MOVE: usize = 6;
const CANDIDATE: usize = 4;

/// A game that cannot be read, and where it stands.
#[derive(Debug, Error)]
#[error("game {game}, at byte {offset}: {fault}")]
pub struct Hcpe3Error {
    /// The number of the game, from 1.
    pub game: u64,
    /// Where the game begins, in bytes from the beginning of the input.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: Hcpe3Fault,
}

/// What is wrong with a game.
#[derive(Debug, Error)]
pub enum Hcpe3Fault {
    /// The input fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends within the game.
    #[error("the file ends within the game")]
    Truncated,
    /// The byte of the ending names no winner.
    #[error(
        "ending {found}, expected 0 (draw), 1 (black won) or 2 (white won) in its lowest two bits"
    )]
    Ending {
        /// The byte.
        found: u8,
    },
    /// The start is no position.
    #[error("start: {0}")]
    Start(#[from] PackedError),
    /// A move that cannot be made.
    #[error("move {number}, {text}, is illegal in {sfen}")]
    Move {
        /// The number of the move in the game, from 1.
        number: usize,
        /// The move, or its bits where they are none.
        text: String,
        /// The position in which it should be made.
        sfen: String,
    },
    /// A candidate that is no move.
    #[error("candidate {number} of move {of} is {found:#06x}, which is no move")]
    Candidate {
        /// The number of the candidate, from 1.
        number: usize,
        /// The number of the move in the game, from 1.
        of: usize,
        /// The 16 bits.
        found: u16,
    },
}

impl Hcpe3Fault {
    /// Whether nothing can be read behind this game.
    pub const fn is_fatal(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Truncated)
    }
}

/// Reads one game after the other. A bad game is an error, and the next one follows, unless the file ended.
pub struct Hcpe3Reader<R: Read> {
    input: R,
    games: u64,
    offset: u64,
    is_over: bool,
}

/// A move before it is understood: move, score, candidates.
type StoredMove = (u16, i16, Vec<(u16, u16)>);

impl<R: Read> Hcpe3Reader<R> {
    /// Reads from `input`, which should be buffered.
    pub const fn new(input: R) -> Self {
        Self {
            input,
            games: 0,
            offset: 0,
            is_over: false,
        }
    }

    /// Where the next game begins.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn read(&mut self) -> Result<Option<Hcpe3Game>, Hcpe3Fault> {
        let mut header = [0; HEADER];
        match read_up_to(&mut self.input, &mut header)? {
            0 => return Ok(None),
            HEADER => {}
            _ => return Err(Hcpe3Fault::Truncated),
        }
        let mut length = HEADER;
        let mut moves = Vec::new();
        for _ in 0..u16::from_le_bytes([header[32], header[33]]) {
            let [mv, score, count] = words::<3>(&mut self.input)?;
            let mut candidates = Vec::new();
            for _ in 0..count {
                let [mv, visits] = words::<2>(&mut self.input)?;
                candidates.push((mv, visits));
            }
            length += MOVE + CANDIDATE * candidates.len();
            moves.push((mv, score as i16, candidates));
        }
        self.offset += length as u64;
        understand(&header, &moves).map(Some)
    }
}

fn understand(header: &[u8; HEADER], stored: &[StoredMove]) -> Result<Hcpe3Game, Hcpe3Fault> {
    let [ending, opponent] = [header[34], header[35]];
    if GameResult::from_code(ending & WINNER_BITS).is_none() {
        return Err(Hcpe3Fault::Ending { found: ending });
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&header[..32]);
    let start = HuffmanCodedPos::from_bytes(bytes).unpack(1)?;
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(stored.len());
    for (index, (bits, score, candidates)) in stored.iter().enumerate() {
        let Some(mv) = legal_move(&position, *bits) else {
            let text =
                from_apery(*bits).map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string());
            return Err(Hcpe3Fault::Move {
                number: index + 1,
                text,
                sfen: position.to_sfen(),
            });
        };
        position.do_move(mv);
        moves.push(Hcpe3Move {
            mv,
            score: *score,
            candidates: understand_candidates(candidates, index + 1)?,
        });
    }
    Ok(Hcpe3Game {
        start,
        moves,
        ending,
        opponent,
    })
}

fn understand_candidates(
    stored: &[(u16, u16)],
    of: usize,
) -> Result<Vec<(Move16, u16)>, Hcpe3Fault> {
    let understand = |(index, &(found, visits)): (usize, &(u16, u16))| {
        let mv = from_apery(found).ok_or(Hcpe3Fault::Candidate {
            number: index + 1,
            of,
            found,
        })?;
        Ok((mv, visits))
    };
    stored.iter().enumerate().map(understand).collect()
}

/// The move that Apery stores so, if it is legal here.
fn legal_move(position: &Position, bits: u16) -> Option<Move> {
    let mv = position.to_move(from_apery(bits)?)?;
    (position.pseudo_legal(mv) && position.legal(mv)).then_some(mv)
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

impl<R: Read> Iterator for Hcpe3Reader<R> {
    type Item = Result<Hcpe3Game, Hcpe3Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let offset = self.offset;
        self.games += 1;
        let game = self.read().map_err(|fault| Hcpe3Error {
            game: self.games,
            offset,
            fault,
        });
        self.is_over = match &game {
            Ok(game) => game.is_none(),
            Err(error) => error.fault.is_fatal(),
        };
        game.transpose()
    }
}
