//! `.hcpe3`: whole games of dlshogi with the moves that its search considered.
//!
//! Little endian, without a file header. A game begins with 36 bytes: the position as hcp (32), the
//! number of moves (2), the ending (1: bits 0 and 1 the result code, 4 repetition, 8 declaration,
//! 16 maximum length) and the opponent (1). Each move has 6 bytes: the move (2), the score of the
//! side to move in centipawns (2, signed) and the number of candidates (2); then 4 bytes for each
//! candidate: the move and its visits. A move without candidates was played without a search and is
//! not a training sample.

use std::io::{self, Read};
use std::iter;

use super::pack::{legal_move, read_bytes};
use super::packed::{from_apery, to_apery};
use super::{
    GameResult, HuffmanCodedPos, PackGame, PackReason, sample::WINNER_BITS, teacher::Fault,
};
use crate::util::read_up_to;

/// Bytes of a game before its moves: start, number of moves, ending and opponent.
const HEADER: usize = 36;

/// The bits of the ending byte for the reason. Those for the winner are [`WINNER_BITS`].
const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const MAX_MOVES: u8 = 16;

/// Reads the bytes of the next game; `None` at the end of the input.
///
/// # Errors
/// The input fails, or ends within the game.
pub(super) fn read_game(input: &mut impl Read) -> Result<Option<Vec<u8>>, Fault> {
    let mut bytes = vec![0; HEADER];
    match read_up_to(input, &mut bytes)? {
        0 => return Ok(None),
        HEADER => {}
        _ => return Err(Fault::CutGame),
    }
    for _ in 0..word(&bytes, 32) {
        let stored: [u8; 6] = read_bytes(input)?;
        bytes.extend(stored);
        for _ in 0..word(&stored, 4) {
            bytes.extend(read_bytes::<4>(input)?);
        }
    }
    Ok(Some(bytes))
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// A move in Apery's 16 bits, its score, and the candidates with their visits.
type StoredMove<'a> = (u16, i16, &'a [[u8; 4]]);

fn stored_moves(bytes: &[u8]) -> impl Iterator<Item = StoredMove<'_>> {
    let mut rest = &bytes[HEADER..];
    iter::from_fn(move || {
        let (stored, next) = rest.split_first_chunk::<6>()?;
        let (candidates, next) = next.split_at(4 * usize::from(word(stored, 4)));
        rest = next;
        let score = word(stored, 2) as i16;
        Some((word(stored, 0), score, candidates.as_chunks().0))
    })
}

/// Checks the bytes of a game move by move. Returns it without the candidates, and the indices of
/// the moves that were played without a search. The format stores no ply; that of the start is 1.
///
/// # Errors
/// The start position, the result, a move or a candidate is invalid.
pub(super) fn decode(bytes: &[u8]) -> Result<(PackGame, Vec<usize>), Fault> {
    let ending = bytes[34];
    let result = GameResult::from_code(ending & WINNER_BITS).ok_or(Fault::Ending(ending))?;
    let mut start = [0; 32];
    start.copy_from_slice(&bytes[..32]);
    let start = HuffmanCodedPos::from_bytes(start).unpack(1);
    let start = start.map_err(Fault::Start)?;
    let mut position = start.clone();
    let (mut moves, mut unsearched) = (Vec::new(), Vec::new());
    for (index, (bits, score, candidates)) in stored_moves(bytes).enumerate() {
        let mv = legal_move(&position, bits, index + 1)?;
        position.do_move(mv);
        moves.push((mv, score));
        check_candidates(candidates, index + 1)?;
        if candidates.is_empty() {
            unsearched.push(index);
        }
    }
    let reason = match ending {
        ending if ending & REPETITION != 0 => PackReason::REPETITION,
        ending if ending & MAX_MOVES != 0 => PackReason::MAX_MOVES,
        ending if ending & DECLARATION != 0 => PackReason::DECLARATION_27,
        _ => PackReason::RESIGNATION,
    };
    let game = PackGame { start, moves, result, reason };
    Ok((game, unsearched))
}

/// Checks that candidates of a move are moves; they need not be legal.
fn check_candidates(candidates: &[[u8; 4]], of: usize) -> Result<(), Fault> {
    for (candidate, number) in candidates.iter().zip(1..) {
        let found = word(candidate, 0);
        from_apery(found).ok_or(Fault::Candidate { number, of, found })?;
    }
    Ok(())
}

/// The bytes of a game, in which each move is its only candidate.
///
/// # Errors
/// There are more than 65535 moves.
pub(super) fn encode(game: &PackGame) -> io::Result<Vec<u8>> {
    let count = u16::try_from(game.moves.len()).map_err(|_| {
        let text = format!("{} moves, expected at most {}", game.moves.len(), u16::MAX);
        io::Error::new(io::ErrorKind::InvalidInput, text)
    })?;
    let reason = match game.reason {
        PackReason::REPETITION => REPETITION,
        PackReason::MAX_MOVES => MAX_MOVES,
        PackReason::DECLARATION_24 | PackReason::DECLARATION_27 | PackReason::TRY => DECLARATION,
        _ => 0,
    };
    let mut bytes = HuffmanCodedPos::of(&game.start).to_bytes().to_vec();
    bytes.extend(count.to_le_bytes());
    bytes.extend([game.result.code() | reason, 0]);
    for &(mv, score) in &game.moves {
        let mv = to_apery(mv.to_move16());
        let words = [mv, score as u16, 1, mv, 1];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    Ok(bytes)
}

/// Replaces the scores in the bytes of a game, one for each move.
pub(super) fn set_scores(bytes: &mut [u8], scores: &[i16]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::sfen_line::SfenLine;
    use crate::records::teacher::{Format, TeacherReader};
    use crate::types::Color;

    /// A game of three moves, of which the first has a second candidate and the second none.
    fn game() -> Vec<u8> {
        let line: SfenLine = "startpos moves 7g7f 3c3d 8h2b+".parse().expect("a line");
        let moves = line.moves.iter().map(|&mv| (mv, 55));
        let game = PackGame {
            start: line.start.clone(),
            moves: moves.collect(),
            result: GameResult::Win(Color::Black),
            reason: PackReason::DECLARATION_27,
        };
        let mut bytes = encode(&game).expect("three moves");
        let other = to_apery("2g2f".parse().expect("a move"));
        let [low, high] = other.to_le_bytes();
        bytes.splice(46..46, [low, high, 99, 0]);
        bytes[40] = 2;
        bytes.drain(56..60);
        bytes[54] = 0;
        bytes
    }

    fn messages(bytes: &[u8]) -> Vec<String> {
        TeacherReader::new(bytes, Format::Hcpe3)
            .map(|game| game.map_or_else(|error| error.to_string(), |_| "good".to_owned()))
            .collect()
    }

    #[test]
    fn games_come_back_byte_for_byte() {
        let written = game();
        assert_eq!(written.len(), 36 + 3 * 6 + 3 * 4);
        assert_eq!(written[32..36], [3, 0, 9, 0]);
        let twice = [written.clone(), written.clone()].concat();
        let mut rest = &twice[..];
        for number in (0..2).rev() {
            let read = read_game(&mut rest).expect("good bytes").expect("a game");
            assert_eq!(read, written);
            assert_eq!(rest.len(), number * written.len());
            let (game, unsearched) = decode(&read).expect("a good game");
            assert_eq!(unsearched, [1]);
            assert_eq!(game.reason, PackReason::DECLARATION_27);
            assert_eq!(game.result, GameResult::Win(Color::Black));
        }
        assert!(read_game(&mut rest).is_ok_and(|game| game.is_none()));
    }

    #[test]
    fn a_bad_game_does_not_hide_the_next() {
        let good = game();
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
            let begin = format!("record 1, at byte 0: {expected}");
            assert!(found[0].starts_with(&begin), "{}", found[0]);
            assert_eq!(found[1..], ["good"]);
        }
    }

    #[test]
    fn a_cut_file_is_recognised() {
        let good = game();
        for length in 1..good.len() {
            let expected = ["record 1, at byte 0: the file ends within the game"];
            assert_eq!(messages(&good[..length]), expected);
        }
    }
}
