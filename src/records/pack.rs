//! `.pack`: whole games, about 4 bytes a ply. The archive of teacher data.
//!
//! The format of the generator in `YaneuraOu-ScriptCollection` (`GenSfen/readme.md`), little
//! endian, without a file header:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | 1 for the start position of an even game, 0 for another |
//! | 32 + 2 | only for another: the position as hcp, and its ply |
//! | 2 + 2 | each move: Apery's 16 bits, and the score of the side to move in centipawns |
//! | 2 | the end: the result code in both square fields of a move, which no move has |
//! | 1 | the reason, see [`PackReason`] |
//!
//! Files are read with [`TeacherReader`](super::teacher::TeacherReader).

use std::io::{self, BufRead, Read, Write};
use std::sync::LazyLock;

use super::packed::{FIELD_MASK, FROM_SHIFT, from_apery, to_apery};
use super::{GameResult, HuffmanCodedPos, teacher::Fault};
use crate::position::{Position, START_SFEN};
use crate::{types::Move, util::read_up_to};

/// The most plies of a game that is read or written. A longer one can only be a damaged file.
pub const MAX_PLIES: usize = 65_535;

/// A game with its scores and its result.
#[derive(Clone, Debug)]
pub struct PackGame {
    /// The position before the first move.
    pub start: Position,
    /// The moves, each legal in its position, with the score of the side that makes it in
    /// centipawns (a pawn is 100).
    pub moves: Vec<(Move, i16)>,
    /// The winner, or a draw.
    pub result: GameResult,
    /// Why the game ended so.
    pub reason: PackReason,
}

/// Why a game ended, in the codes of the format. Codes of other programs are kept as they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackReason(pub u8);

impl PackReason {
    /// The loser resigned, was mated, or was adjudicated to have lost.
    pub const RESIGNATION: Self = Self(0);
    /// 千日手: a draw by repetition.
    pub const REPETITION: Self = Self(1);
    /// The game reached the maximum number of plies, a draw.
    pub const MAX_MOVES: Self = Self(2);
    /// The game was interrupted for reasons outside it and counts as a draw.
    pub const INTERRUPTED: Self = Self(3);
    /// The side to move overstepped its time.
    pub const TIME_UP: Self = Self(4);
    /// The side to move made an illegal move.
    pub const ILLEGAL_MOVE: Self = Self(5);
    /// 連続王手の千日手: the side that gave the checks lost.
    pub const PERPETUAL_CHECK: Self = Self(6);
    /// 入玉宣言勝ち by the 24-point rule.
    pub const DECLARATION_24: Self = Self(10);
    /// 入玉宣言勝ち by the 27-point rule.
    pub const DECLARATION_27: Self = Self(12);
    /// トライ: the winner's king reached the start square of the other king.
    pub const TRY: Self = Self(13);
}

/// The first byte of a game from the start position of an even game.
const EVEN_START: u8 = 1;
/// The first byte of a game from another position.
const OTHER_START: u8 = 0;

/// A game whose moves are not checked yet.
pub(super) struct Frame {
    /// The start position and its ply; `None` for that of an even game.
    start: Option<(HuffmanCodedPos, u16)>,
    /// The moves in Apery's 16 bits, and their scores.
    moves: Vec<(u16, i16)>,
    result: GameResult,
    reason: PackReason,
}

/// The start position of most games.
static EVEN: LazyLock<Position> = LazyLock::new(Position::startpos);

impl Frame {
    /// Reads the fields of the next game; `None` at the end of the input.
    ///
    /// # Errors
    /// The input fails, or its bytes do not follow the format.
    pub(super) fn read(input: &mut impl Read) -> Result<Option<Self>, Fault> {
        let mut flag = [0];
        if read_up_to(input, &mut flag)? == 0 {
            return Ok(None);
        }
        let [flag] = flag;
        let start = match flag {
            EVEN_START => None,
            OTHER_START => {
                let position = HuffmanCodedPos::from_bytes(read_bytes(input)?);
                Some((position, read_word(input)?))
            }
            found => return Err(Fault::Flag(found)),
        };
        let mut moves = Vec::new();
        loop {
            let mv = read_word(input)?;
            if mv & FIELD_MASK != mv >> FROM_SHIFT & FIELD_MASK {
                if moves.len() == MAX_PLIES {
                    return Err(Fault::Endless);
                }
                moves.push((mv, read_word(input)? as i16));
                continue;
            }
            let result = (mv >> (2 * FROM_SHIFT) == 0)
                .then(|| GameResult::from_code((mv & FIELD_MASK) as u8))
                .flatten()
                .ok_or(Fault::End(mv))?;
            let [reason] = read_bytes(input)?;
            return Ok(Some(Self { start, moves, result, reason: PackReason(reason) }));
        }
    }

    /// Checks the game move by move.
    ///
    /// # Errors
    /// The start position or a move is invalid.
    pub(super) fn decode(self) -> Result<PackGame, Fault> {
        let start = match self.start {
            None => EVEN.clone(),
            Some((position, ply)) => {
                position.unpack(u32::from(ply).max(1)).map_err(Fault::Start)?
            }
        };
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(self.moves.len());
        for (number, &(bits, score)) in (1..).zip(&self.moves) {
            let mv = legal_move(&position, bits, number)?;
            position.do_move(mv);
            moves.push((mv, score));
        }
        Ok(PackGame { start, moves, result: self.result, reason: self.reason })
    }

    /// The ply of the first move, the number of moves and the result.
    pub(super) fn extent(&self) -> (u32, usize, GameResult) {
        let first = self.start.map_or(1, |(_, ply)| u32::from(ply).max(1));
        (first, self.moves.len(), self.result)
    }
}

/// The 16 bits that end a game: the code of the result in both square fields.
fn end_marker(result: GameResult) -> u16 {
    let code = u16::from(result.code());
    code | code << FROM_SHIFT
}

/// Writes games one after the other.
pub struct PackWriter<W: Write> {
    out: W,
    bytes: Vec<u8>,
}

impl<W: Write> PackWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub const fn new(out: W) -> Self {
        Self { out, bytes: Vec::new() }
    }

    /// Writes a game in a single call of `out` and returns its size in bytes. A start ply above
    /// 65535 is stored as 65535.
    ///
    /// # Errors
    /// `out` fails, or the game is longer than [`MAX_PLIES`].
    pub fn write(&mut self, game: &PackGame) -> io::Result<usize> {
        if game.moves.len() > MAX_PLIES {
            let text = format!("{} plies, expected at most {MAX_PLIES}", game.moves.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        self.bytes.clear();
        if game.start.to_sfen() == START_SFEN {
            self.bytes.push(EVEN_START);
        } else {
            self.bytes.push(OTHER_START);
            let hcp = HuffmanCodedPos::of(&game.start);
            self.bytes.extend_from_slice(&hcp.to_bytes());
            self.put(u16::try_from(game.start.game_ply()).unwrap_or(u16::MAX));
        }
        for &(mv, score) in &game.moves {
            self.put(to_apery(mv.to_move16()));
            self.put(score as u16);
        }
        self.put(end_marker(game.result));
        self.bytes.push(game.reason.0);
        self.out.write_all(&self.bytes)?;
        Ok(self.bytes.len())
    }

    /// Ends the writing and returns `out`, not flushed.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn put(&mut self, word: u16) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }
}

// --- What `.pack` and `.hcpe3` have in common: games, each checked move by move ---

/// The legal move of Apery's 16 bits. `number` is that of the move in its game, from 1.
///
/// # Errors
/// The bits are not a move, or the move is illegal in the position.
pub(super) fn legal_move(position: &Position, bits: u16, number: usize) -> Result<Move, Fault> {
    let stored = from_apery(bits);
    stored
        .and_then(|mv| position.to_move(mv))
        .filter(|&mv| position.pseudo_legal(mv) && position.legal(mv))
        .ok_or_else(|| Fault::GameMove {
            number,
            text: stored.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
            sfen: position.to_sfen(),
        })
}

/// Reads `N` bytes of a game.
pub(super) fn read_bytes<const N: usize>(input: &mut impl Read) -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Fault::CutGame),
        Err(error) => Err(error.into()),
    }
}

/// Reads 16 bits of a game.
pub(super) fn read_word(input: &mut impl Read) -> Result<u16, Fault> {
    Ok(u16::from_le_bytes(read_bytes(input)?))
}

/// A reader and the number of bytes that were taken from it.
pub(super) struct Counted<R> {
    input: R,
    count: u64,
}

impl<R> Counted<R> {
    /// Counts from `count` on, which is the offset that `input` stands at.
    pub(super) const fn new(input: R, count: u64) -> Self {
        Self { input, count }
    }

    /// Bytes taken so far, which is the offset of the next byte.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(bytes)?;
        self.count += length as u64;
        Ok(length)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)?;
        self.count += bytes.len() as u64;
        Ok(())
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.input.consume(length);
        self.count += length as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::sfen_line::SfenLine;
    use crate::records::teacher::{Format, Record, TeacherError, TeacherReader};
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
        let handicap =
            "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d";
        let [black, white] = Color::ALL.map(GameResult::Win);
        [
            game("startpos moves 7g7f 3c3d 8h2b+ 3a2b", white),
            game(ending, black),
            game(handicap, GameResult::Draw),
        ]
    }

    fn read_games(bytes: &[u8]) -> impl Iterator<Item = Result<PackGame, TeacherError>> {
        TeacherReader::new(bytes, Format::Pack).map(|record| match record? {
            Record::Game(game) => Ok(game.game),
            other => panic!("{other:?}"),
        })
    }

    /// Every game or what is wrong with it.
    fn read(bytes: &[u8]) -> Vec<Result<String, String>> {
        let shown = |game: PackGame| {
            let moves = game.moves.iter().map(|(mv, _)| *mv).collect();
            let line = SfenLine { start: game.start, moves };
            format!("{line} {:?}", game.result)
        };
        read_games(bytes).map(|game| game.map(shown).map_err(|error| error.to_string())).collect()
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
        let read: Vec<PackGame> =
            read_games(&written).map(|game| game.expect("a good game")).collect();
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
            Err("record 1, at byte 0: move 2, 7g7f, is illegal in \
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
            assert_eq!(read_games(&all[..length]).flatten().count(), 2);
            let end = whole.len();
            let expected = format!("record 3, at byte {end}: the file ends within the game");
            assert_eq!(read(&all[..length]).last(), Some(&Err(expected)));
        }
        assert!(read(&[]).is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (bytes, expected) in cases! {
            &[2][..] => "begins with 2, expected 1";
            &[1, 0x83, 0x01, 0] => "ends in 0x0183, expected 0x0000";
            &[1, 0x81, 0x40, 0] => "ends in 0x4081, expected 0x0000";
            &[1, 0x7f, 0x1e, 0, 0, 0, 0, 0] => "move 1, 0x1e7f, is illegal in";
        } {
            let read = read(bytes);
            let message = read[0].as_ref().expect_err("a bad game");
            let begin = format!("record 1, at byte 0: {expected}");
            assert!(message.starts_with(&begin), "{message}");
            assert_eq!(read.len(), 1);
        }
        let mut start = vec![0; 35];
        start.extend([0, 0, 1]);
        let message = read(&start)[0].clone().expect_err("kings together");
        let expected = "start: both kings on 1a, expected different squares";
        assert_eq!(message, format!("record 1, at byte 0: {expected}"));
        let endless = [1].into_iter().chain([0x3b, 0x1e, 0, 0].repeat(70_000));
        let endless: Vec<u8> = endless.collect();
        let message = read(&endless)[0].clone().expect_err("no end");
        assert_eq!(message, "record 1, at byte 0: no end after 65535 moves");
    }
}
