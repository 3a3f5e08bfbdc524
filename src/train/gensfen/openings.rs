//! Openings: random moves from a start position, rejected if a search finds a side far ahead.
//!
//! Start positions are that of an even game, those of a file, or for some games those around the
//! entry of a king into its promotion zone.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use super::game::centipawns;
use super::outcome::end_by_rules;
use super::settings::Openings;
use super::{GensfenError, Purpose, below, fraction, generator};
use crate::bitboard::Bitboard;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::RecordError;
use crate::records::game_reader::GameError;
use crate::records::pack::{PackGame, PackReader};
use crate::records::packed::{HuffmanCodedPos, PackedError};
use crate::records::sfen_line::SfenLine;
use crate::search::{Limits, Solo};
use crate::types::{Color, EnteringKingRule, Move, PieceType};

/// The number of attempts at one opening before the settings are refused as impossible.
const MAX_ATTEMPTS: u64 = 1000;

/// The least number of random moves after a start around an entry, each drawn uniformly from the
/// legal moves.
const MIN_PLIES_AFTER_ENTRY: u32 = 2;
/// The greatest number of random moves after a start around an entry.
const MAX_PLIES_AFTER_ENTRY: u32 = 4;

/// Generates the openings of games.
pub(super) struct Opener<'a> {
    openings: &'a Openings,
    beginnings: &'a Beginnings,
    rule: EnteringKingRule,
    seed: u64,
    /// The last ply of a game; openings beyond it are rejected.
    max_ply: u32,
    limits: Arc<Limits>,
}

/// The start of a game.
pub(super) struct Opening {
    pub(super) position: Position,
    /// The number of openings rejected before it.
    pub(super) rejected: u64,
    /// The nodes of the searches that judged it and the rejected ones.
    pub(super) nodes: u64,
    /// The maximum ply of an entering-king game; `None` for other games.
    pub(super) max_ply: Option<u32>,
}

impl Opening {
    pub(super) const fn is_entering_king(&self) -> bool {
        self.max_ply.is_some()
    }
}

impl<'a> Opener<'a> {
    pub(super) fn new(
        openings: &'a Openings,
        beginnings: &'a Beginnings,
        rule: EnteringKingRule,
        seed: u64,
        max_ply: u32,
    ) -> Self {
        let limits = Limits {
            nodes: Some(openings.nodes),
            ..Limits::default()
        };
        Self {
            openings,
            beginnings,
            rule,
            seed,
            max_ply,
            limits: Arc::new(limits),
        }
    }

    /// The opening of the game with this number. It depends on the number and the settings only, if
    /// `solo` was cleared after the last game.
    pub(super) fn open(&self, game: u64, solo: &mut Solo) -> Result<Opening, GensfenError> {
        if let Some(opening) = self.enter(game) {
            return Ok(opening);
        }
        let mut nodes = 0;
        for attempt in 0..MAX_ATTEMPTS {
            let mut random = generator(Purpose::Opening, self.seed, game, attempt);
            let Some(position) = self.attempt(&mut random) else {
                continue;
            };
            if self.is_balanced(&position, solo, &mut nodes) {
                return Ok(Opening {
                    position,
                    rejected: attempt,
                    nodes,
                    max_ply: None,
                });
            }
        }
        Err(GensfenError::NoOpening {
            game,
            attempts: MAX_ATTEMPTS,
            limit: self.openings.limit,
        })
    }

    /// `None` if the game ends by the rules or the number of moves.
    fn attempt(&self, random: &mut ChaCha8Rng) -> Option<Position> {
        let position = self.beginnings.roots.choose(random);
        let Openings {
            least_plies,
            most_plies,
            ..
        } = *self.openings;
        self.play_at_random(position, least_plies, most_plies, random)
            .filter(|position| position.game_ply() <= self.max_ply)
    }

    /// The opening of an entering-king game, if the game with this number is drawn to be one. It is
    /// not judged by a search: one side is often far ahead in such positions, and the game is to
    /// show how it wins.
    fn enter(&self, game: u64) -> Option<Opening> {
        let settings = self.openings.entering_kings.as_ref()?;
        let starts = self.beginnings.entering_kings.as_ref()?;
        let mut random = generator(Purpose::EnteringKing, self.seed, game, 0);
        if fraction(&mut random) >= settings.share {
            return None;
        }
        let mut attempt = || {
            let position = starts.choose(&mut random);
            self.play_at_random(
                position,
                MIN_PLIES_AFTER_ENTRY,
                MAX_PLIES_AFTER_ENTRY,
                &mut random,
            )
            .filter(|position| position.game_ply() <= settings.max_ply)
        };
        let position = (0..MAX_ATTEMPTS).find_map(|_| attempt())?;
        Some(Opening {
            position,
            rejected: 0,
            nodes: 0,
            max_ply: Some(settings.max_ply),
        })
    }

    /// Plays random moves; `None` if the game ends by the rules.
    fn play_at_random(
        &self,
        mut position: Position,
        least: u32,
        most: u32,
        random: &mut ChaCha8Rng,
    ) -> Option<Position> {
        let choices = most.saturating_sub(least) as usize + 1;
        let plies = least + below(random, choices) as u32;
        for _ in 0..plies {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                return None;
            }
            position.do_move(moves[below(random, moves.len())]);
        }
        end_by_rules(&position, self.rule)
            .is_none()
            .then_some(position)
    }

    /// Whether a search finds neither side far ahead. Its hash entries stay for the game; clearing
    /// them would take as long as several moves, and the game still depends on its number and the
    /// settings only.
    fn is_balanced(&self, position: &Position, solo: &mut Solo, nodes: &mut u64) -> bool {
        if self.openings.nodes == 0 {
            return true;
        }
        solo.set_multi_pv(1);
        let result = solo.search(position, &self.limits);
        *nodes += result.statistics.nodes;
        let score = result.lines.first().map(|line| centipawns(line.value));
        score.is_some_and(|score| u32::from(score.unsigned_abs()) <= self.openings.limit)
    }
}

// --- Start positions ---

/// The start positions of a run, read from the files that the settings name.
#[derive(Clone, Debug)]
pub struct Beginnings {
    /// Start positions of most games.
    pub roots: Starts,
    /// Start positions of some games, see [`EnteringKings`](super::EnteringKings).
    pub entering_kings: Option<Starts>,
}

/// Bytes of a position in a file of hcp.
const HCP_BYTES: usize = size_of::<HuffmanCodedPos>();
/// The ply of a position of hcp, which the format does not store.
const HCP_PLY: u32 = 1;

/// A set of start positions. They are kept packed, because a file can have millions.
#[derive(Clone, Debug)]
pub struct Starts {
    positions: Vec<PackedStart>,
    files: Vec<String>,
}

impl Starts {
    /// Only the start position of an even game.
    pub fn startpos() -> Self {
        Self {
            positions: vec![PackedStart::of(&Position::startpos())],
            files: Vec::new(),
        }
    }

    /// Reads the positions of a file. A file `.hcp` has 32 bytes for each, as Apery and dlshogi
    /// store roots; any other file has one a line, an SFEN or `startpos moves …`, and empty lines
    /// and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// The file cannot be read, has no positions, or a line or record is invalid.
    pub fn of_roots(path: &Path) -> Result<Self, StartsError> {
        let bytes = fs::read(path).map_err(io_error(path))?;
        let is_hcp = path.extension().is_some_and(|extension| extension == "hcp");
        let positions = if is_hcp {
            read_hcp(path, &bytes)?
        } else {
            read_lines(path, &bytes)?
        };
        if positions.is_empty() {
            return Err(StartsError::Empty(path.to_owned()));
        }
        Ok(Self {
            positions,
            files: vec![identity(path, crc32fast::hash(&bytes))],
        })
    }

    /// Takes the positions around the first entry of a king into its promotion zone from games of
    /// `.pack` files.
    ///
    /// # Errors
    /// A file cannot be read, or no king enters.
    pub fn of_entering_kings(paths: &[PathBuf]) -> Result<Self, StartsError> {
        let (mut positions, mut files, mut games) = (Vec::new(), Vec::new(), 0);
        for path in paths {
            let mut input = Summed {
                input: File::open(path).map_err(io_error(path))?,
                sum: crc32fast::Hasher::new(),
            };
            for game in PackReader::new(BufReader::new(&mut input)) {
                let game = game.map_err(|source| StartsError::Game {
                    path: path.clone(),
                    source: Box::new(source),
                })?;
                positions.extend(starts_around_entry(&game));
                games += 1;
            }
            files.push(identity(path, input.sum.finalize()));
        }
        if positions.is_empty() {
            return Err(StartsError::NoEntry { games });
        }
        Ok(Self { positions, files })
    }

    /// The number of positions, at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// The names of the files with their checksums, by which a resumed run recognises them in any
    /// folder.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Draws a position uniformly.
    fn choose(&self, random: &mut ChaCha8Rng) -> Position {
        self.positions[below(random, self.positions.len())].position()
    }
}

/// The positions of a file of hcp.
fn read_hcp(path: &Path, bytes: &[u8]) -> Result<Vec<PackedStart>, StartsError> {
    let (records, rest) = bytes.as_chunks::<HCP_BYTES>();
    if !rest.is_empty() {
        return Err(StartsError::Length {
            path: path.to_owned(),
            length: bytes.len(),
        });
    }
    let start = |(index, &record)| {
        let position = HuffmanCodedPos::from_bytes(record).unpack(HCP_PLY);
        position
            .map(|position| PackedStart::of(&position))
            .map_err(|source| StartsError::Record {
                path: path.to_owned(),
                record: index + 1,
                source,
            })
    };
    records.iter().enumerate().map(start).collect()
}

/// The positions of a file of SFEN or of moves.
fn read_lines(path: &Path, bytes: &[u8]) -> Result<Vec<PackedStart>, StartsError> {
    // Bytes that are not UTF-8 cannot be a move; the error then names their line.
    let text = String::from_utf8_lossy(bytes);
    let mut starts = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let game: SfenLine = line.parse().map_err(|error| StartsError::Line {
            path: path.to_owned(),
            line: index + 1,
            source: Box::new(error),
        })?;
        starts.push(PackedStart::of(&game.position()));
    }
    Ok(starts)
}

fn identity(path: &Path, checksum: u32) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}, checksum {checksum:08x}")
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> StartsError {
    move |source| StartsError::Io {
        path: path.to_owned(),
        source,
    }
}

/// A reader that computes the checksum of its bytes.
struct Summed<R> {
    input: R,
    sum: crc32fast::Hasher,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.sum.update(&buffer[..count]);
        Ok(count)
    }
}

/// A start position, without the moves that led to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PackedStart {
    position: HuffmanCodedPos,
    ply: u16,
}

impl PackedStart {
    fn of(position: &Position) -> Self {
        Self {
            position: HuffmanCodedPos::of(position),
            ply: u16::try_from(position.game_ply()).unwrap_or(u16::MAX),
        }
    }

    fn position(self) -> Position {
        let position = self.position.unpack(self.ply.into());
        position.expect("only what is a position becomes a start")
    }
}

/// Why start positions cannot be read.
#[derive(Debug, Error)]
pub enum StartsError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file that cannot be opened or read.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line is not a position.
    #[error("{} line {line}: {source}", path.display())]
    Line {
        /// The file of start positions.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: Box<RecordError>,
    },
    /// The size of a file of packed positions is not a multiple of 32 bytes.
    #[error("{} has {length} bytes, expected a multiple of {HCP_BYTES} in a file of \
        hcp", path.display())]
    Length {
        /// The file of packed positions.
        path: PathBuf,
        /// Its size in bytes.
        length: usize,
    },
    /// A packed position is invalid.
    #[error("{} record {record}: {source}", path.display())]
    Record {
        /// The file of packed positions.
        path: PathBuf,
        /// The number of the record, from 1.
        record: usize,
        /// What is wrong with it.
        source: PackedError,
    },
    /// A game cannot be read.
    #[error("{}: {source}", path.display())]
    Game {
        /// The file of games.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<GameError>,
    },
    /// The file has no positions.
    #[error("{} has no positions, expected one at least", .0.display())]
    Empty(PathBuf),
    /// No king enters its promotion zone in any of the games.
    #[error(
        "no king enters the enemy's camp in any of the {games} games, expected files with such \
         games"
    )]
    NoEntry {
        /// The number of games in all files.
        games: u64,
    },
}

/// The starts of new games around the entry of a king, in plies from it. Games with an entering
/// king are rare in self-play, so a network learns little about declarations from them. The rule is
/// that of `nyugyoku_gensfen` of rshogi.
const ENTRY_OFFSETS: [isize; 4] = [-40, -20, 0, 20];

/// The positions of a game from which new games start; none if no king enters.
fn starts_around_entry(game: &PackGame) -> Vec<PackedStart> {
    let Some(entry) = entry(game) else {
        return Vec::new();
    };
    let wanted = ENTRY_OFFSETS.map(|offset| entry.checked_add_signed(offset));
    let mut position = game.start.clone();
    let mut starts = Vec::new();
    // The final position is not a start: the game was over there.
    for (made, &(mv, _)) in game.moves.iter().enumerate() {
        if wanted.contains(&Some(made)) {
            starts.push(PackedStart::of(&position));
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
    use std::fs;

    use super::*;
    use crate::movegen::legal_moves;
    use crate::position::Position;
    use crate::records::game::GameResult;
    use crate::records::pack::PackReason;
    use crate::train::gensfen::{Purpose, generator};
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
            let starts = starts_around_entry(&game(wait, length)).into_iter();
            let positions = starts.map(PackedStart::position);
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
        let plies: Vec<u32> = starts_around_entry(&game)
            .into_iter()
            .map(|start| start.position().game_ply())
            .collect();
        assert_eq!(plies, [31]);
    }

    /// A file that goes with its test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str, content: &[u8]) -> Self {
            let name = format!("raicho-starts-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::write(&path, content).expect("the folder for such files can be written");
            Self(path)
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn error(name: &str, content: &[u8]) -> String {
        let file = Temporary::new(name, content);
        Starts::of_roots(&file.0)
            .expect_err("a bad file")
            .to_string()
    }

    #[test]
    fn roots_come_as_lines_or_packed() {
        let text = "# two\n\nstartpos moves 7g7f 3c3d\nsfen \
        8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124\n";
        let file = Temporary::new("roots.sfen", text.as_bytes());
        let read = Starts::of_roots(&file.0).expect("good lines");
        assert_eq!(read.len(), 2);
        let positions: Vec<Position> = read
            .positions
            .iter()
            .map(|start| start.position())
            .collect();
        assert_eq!(positions[0].game_ply(), 3);
        assert!(positions[1].to_sfen().ends_with("w Sbgn3p 124"));
        let records: Vec<u8> = positions
            .iter()
            .flat_map(|position| HuffmanCodedPos::of(position).to_bytes())
            .collect();
        let file = Temporary::new("roots.hcp", &records);
        let packed = Starts::of_roots(&file.0).expect("good records");
        for (start, position) in packed.positions.iter().zip(&positions) {
            let unpacked = start.position();
            assert_eq!(unpacked.key(), position.key());
            assert_eq!(unpacked.game_ply(), 1);
        }
        let mut random = generator(Purpose::Opening, 1, 1, 1);
        let chosen: Vec<_> = (0..20).map(|_| packed.choose(&mut random).key()).collect();
        assert!(
            positions
                .iter()
                .all(|position| chosen.contains(&position.key()))
        );
    }

    #[test]
    fn files_are_known_by_their_content() {
        let identity = |content: &str| {
            let file = Temporary::new("same.sfen", content.as_bytes());
            let starts = Starts::of_roots(&file.0).expect("good lines");
            starts.files().to_vec()
        };
        let one = identity("startpos\n");
        assert_eq!(one, identity("startpos\n"));
        assert_ne!(one, identity("startpos moves 7g7f\n"));
        assert!(one[0].contains("same.sfen, checksum "), "{one:?}");
    }

    #[test]
    fn bad_files_are_named_with_the_place() {
        let message = error("bad.sfen", b"startpos\nstartpos moves 7g7e\n");
        assert!(
            message.contains("bad.sfen line 2") && message.contains("7g7e"),
            "{message}"
        );
        let message = error("bad-text.sfen", b"startpos\n\xff\xfe\n");
        assert!(message.contains("line 2"), "{message}");
        let message = error("short.hcp", &[0; 33]);
        assert!(
            message.contains("33 bytes, expected a multiple of 32"),
            "{message}"
        );
        let mut records = HuffmanCodedPos::of(&Position::startpos())
            .to_bytes()
            .to_vec();
        records.extend([0xff; 32]);
        let message = error("record.hcp", &records);
        assert!(message.contains("record.hcp record 2"), "{message}");
        assert!(error("empty.hcp", b"").contains("no positions"));
        assert!(error("empty.sfen", b"# nothing\n").contains("no positions"));
    }

    #[test]
    fn without_an_entry_there_is_nothing_to_begin_from() {
        let file = Temporary::new("none.pack", b"");
        let paths = [file.0.clone()];
        let message = Starts::of_entering_kings(&paths).expect_err("no games");
        assert!(
            message.to_string().contains("any of the 0 games"),
            "{message}"
        );
        let file = Temporary::new("bad.pack", b"\x01\x02");
        let paths = [file.0.clone()];
        let message = Starts::of_entering_kings(&paths).expect_err("no game");
        assert!(
            message.to_string().contains("bad.pack: game 1"),
            "{message}"
        );
    }
}
