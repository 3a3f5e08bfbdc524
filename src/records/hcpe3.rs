//! `.hcpe3`: whole games of dlshogi with the moves that its search considered.
//!
//! Little endian, without a file header. A game begins with 36 bytes: the position as hcp (32), the
//! number of moves (2), the ending (1: bits 0 and 1 the result code, 4 repetition, 8 declaration,
//! 16 maximum length) and the opponent (1). Each move has 6 bytes: the move (2), the score of the
//! side to move in centipawns (2, signed) and the number of candidates (2); then 4 bytes for each
//! candidate: the move and its visits. A move without candidates was played without a search and is
//! not a training sample.

use std::io::{self, Read, Write};

use super::apery_move::{from_apery, to_apery};
use super::game::GameResult;
use super::game_reader::{GameFault, legal_move, read_word};
use super::hcpe::WINNER_BITS;
use super::pack::{PackGame, PackReason};
use super::packed::HuffmanCodedPos;
use crate::position::Position;
use crate::types::{Move, Move16};
use crate::util::read_up_to;

/// Bytes of a game before its moves: start, number of moves, ending and opponent.
const HEADER: usize = 36;

/// The bits of the ending byte for the reason. Those for the winner are [`WINNER_BITS`].
const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const MAX_MOVES: u8 = 16;

/// A game as the format stores it.
#[derive(Clone, Debug)]
pub struct Hcpe3Game {
    /// The position before the first move. The format stores no ply; it is 1.
    pub start: Position,
    /// The moves that were played, each legal in its position.
    pub moves: Vec<Hcpe3Move>,
    /// The ending byte: the result code and the bits of the reason.
    pub ending: u8,
    /// The opponent byte, whose meaning depends on the program that wrote it.
    pub opponent: u8,
}

/// A move and the candidates of its search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hcpe3Move {
    /// The move, legal in its position.
    pub mv: Move,
    /// The score of the side that makes it, in centipawns.
    pub score: i16,
    /// The candidate moves, not checked against the position, and their visits.
    pub candidates: Vec<(Move16, u16)>,
}

impl Hcpe3Move {
    /// Whether the position was searched, so that it is a training sample.
    pub fn is_searched(&self) -> bool {
        !self.candidates.is_empty()
    }
}

impl Hcpe3Game {
    /// Converts a game of the archive. Each move becomes its only candidate.
    pub fn from_pack(game: &PackGame) -> Self {
        let moves = game.moves.iter().map(|&(mv, score)| Hcpe3Move {
            mv,
            score,
            candidates: vec![(mv.to_move16(), 1)],
        });
        let why = match game.reason {
            PackReason::REPETITION => REPETITION,
            PackReason::MAX_MOVES => MAX_MOVES,
            PackReason::DECLARATION_24 | PackReason::DECLARATION_27 | PackReason::TRY => {
                DECLARATION
            }
            _ => 0,
        };
        Self {
            start: game.start.clone(),
            moves: moves.collect(),
            ending: game.result.code() | why,
            opponent: 0,
        }
    }

    /// Converts to a game of the archive, without the candidates.
    pub fn to_pack(&self) -> PackGame {
        let reason = match self.ending {
            ending if ending & REPETITION != 0 => PackReason::REPETITION,
            ending if ending & MAX_MOVES != 0 => PackReason::MAX_MOVES,
            ending if ending & DECLARATION != 0 => PackReason::DECLARATION_27,
            _ => PackReason::RESIGNATION,
        };
        PackGame {
            start: self.start.clone(),
            moves: self
                .moves
                .iter()
                .map(|played| (played.mv, played.score))
                .collect(),
            result: self.result(),
            reason,
        }
    }

    /// The result. An unknown code, which the reader refuses, is a draw.
    pub fn result(&self) -> GameResult {
        GameResult::from_code(self.ending & WINNER_BITS).unwrap_or(GameResult::Draw)
    }

    /// Replaces the scores in the bytes of a game, one for each move.
    pub fn set_scores(bytes: &mut [u8], scores: &[i16]) {
        let mut rest = bytes.get_mut(HEADER..).unwrap_or_default();
        for score in scores {
            // A move, its score, and the number of the candidates that follow.
            let Some(([_, _, first, second, count @ ..], next)) = rest.split_first_chunk_mut::<6>()
            else {
                return;
            };
            [*first, *second] = score.to_le_bytes();
            let candidates = 4 * usize::from(u16::from_le_bytes(*count));
            rest = next.get_mut(candidates..).unwrap_or_default();
        }
    }

    /// Writes the game in a single call of `out`.
    ///
    /// # Errors
    /// `out` fails, or there are more than 65535 moves, or candidates of a move.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let count = |count: usize, what: &str| {
            u16::try_from(count).map_err(|_| {
                let text = format!("{count} {what}, expected at most {}", u16::MAX);
                io::Error::new(io::ErrorKind::InvalidInput, text)
            })
        };
        let mut bytes = HuffmanCodedPos::of(&self.start).to_bytes().to_vec();
        let mut put = |word: u16| bytes.extend_from_slice(&word.to_le_bytes());
        put(count(self.moves.len(), "moves")?);
        put(u16::from_le_bytes([self.ending, self.opponent]));
        for played in &self.moves {
            put(to_apery(played.mv.to_move16()));
            put(played.score as u16);
            put(count(played.candidates.len(), "candidates")?);
            for &(mv, visits) in &played.candidates {
                put(to_apery(mv));
                put(visits);
            }
        }
        out.write_all(&bytes)
    }
}

/// A game whose moves are not checked yet: the header and the moves.
pub struct Frame([u8; HEADER], Vec<StoredMove>);

/// A stored move: Apery's 16 bits, the score, and the candidates with their visits.
type StoredMove = (u16, i16, Vec<(u16, u16)>);

impl Frame {
    /// Reads the fields of the next game; `None` at the end of the input.
    ///
    /// # Errors
    /// The input fails or ends within the game.
    pub(super) fn read(input: &mut impl Read) -> Result<Option<Self>, GameFault> {
        let mut header = [0; HEADER];
        match read_up_to(input, &mut header)? {
            0 => return Ok(None),
            HEADER => {}
            _ => return Err(GameFault::Truncated),
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
        Ok(Some(Self(header, moves)))
    }

    /// Checks the game move by move.
    ///
    /// # Errors
    /// The start position, the result or a move is invalid.
    pub(super) fn decode(self) -> Result<Hcpe3Game, GameFault> {
        let Self(header, stored) = self;
        let [ending, opponent] = [header[34], header[35]];
        if GameResult::from_code(ending & WINNER_BITS).is_none() {
            return Err(GameFault::Ending(ending));
        }
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&header[..32]);
        let start = HuffmanCodedPos::from_bytes(bytes).unpack(1)?;
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(stored.len());
        for (number, (bits, score, candidates)) in (1..).zip(&stored) {
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
}

fn decode_candidates(stored: &[(u16, u16)], of: usize) -> Result<Vec<(Move16, u16)>, GameFault> {
    let decode = |(index, &(found, visits)): (usize, &(u16, u16))| {
        let mv = from_apery(found).ok_or(GameFault::Candidate {
            number: index + 1,
            of,
            found,
        })?;
        Ok((mv, visits))
    };
    stored.iter().enumerate().map(decode).collect()
}

fn words<const N: usize>(input: &mut impl Read) -> Result<[u16; N], GameFault> {
    let mut words = [0; N];
    for word in &mut words {
        *word = read_word(input)?;
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// The next game, or what is wrong with it.
    fn next(bytes: &mut &[u8]) -> Option<Result<Hcpe3Game, String>> {
        let frame = Frame::read(bytes).transpose()?;
        let game = frame.and_then(Frame::decode);
        Some(game.map_err(|fault| fault.to_string()))
    }

    #[test]
    fn games_come_back_byte_for_byte() {
        let written = bytes(&game());
        assert_eq!(written.len(), 36 + 3 * 6 + 3 * 4);
        assert_eq!(written[32..36], [3, 0, 9, 0]);
        let twice = [written.clone(), written.clone()].concat();
        let mut rest = &twice[..];
        for number in 1..=2 {
            let read = next(&mut rest).expect("a game").expect("a good game");
            assert_eq!(bytes(&read), written);
            assert_eq!(rest.len(), (2 - number) * written.len());
            assert_eq!(read.to_pack().reason, PackReason::DECLARATION_27);
            assert_eq!(read.result(), GameResult::Win(Color::Black));
        }
        assert!(next(&mut rest).is_none());
    }

    #[test]
    fn a_bad_game_does_not_hide_the_next() {
        let good = bytes(&game());
        let with = |at: usize, byte: u8| {
            let mut bad = good.clone();
            bad[at] = byte;
            let both = [bad, good.clone()].concat();
            let mut rest = &both[..];
            let first = next(&mut rest).expect("a game").expect_err("a bad game");
            (first, next(&mut rest))
        };
        for (at, byte, expected) in [
            (34, 3, "ending 3, expected 0 (draw)"),
            (1, 0xff, "start: white king on square"),
            (36, 61, "move 1, 7g7h, is illegal in lnsgkgsnl/"),
            (42, 127, "candidate 1 of move 1 is"),
        ] {
            let (found, after) = with(at, byte);
            assert!(found.starts_with(expected), "{found}");
            assert!(after.is_some_and(|game| game.is_ok()));
        }
    }

    #[test]
    fn a_cut_file_is_recognised() {
        let good = bytes(&game());
        for length in 1..good.len() {
            let found = next(&mut &good[..length]).and_then(Result::err);
            assert_eq!(found.as_deref(), Some("the file ends within the game"));
        }
    }
}
