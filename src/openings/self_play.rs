//! The openings of self-play: random moves from a start position, rejected if a search finds a side
//! far ahead.
//!
//! Start positions are that of an even game, those of a file, or for some games those around the
//! entry of a king into its promotion zone.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::file::Lines;
use super::random::play_random_moves;
use super::{OpeningError, Plies, Purpose, below, fraction, generator, why_over};
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::records::pack::PackGame;
use crate::records::packed::HuffmanCodedPos;
use crate::records::score;
use crate::records::sfen_line::SfenLine;
use crate::records::teacher::{Format, Record, TeacherReader};
use crate::search::{Limits, Solo};
use crate::types::{Color, EnteringKingRule, Move, PieceType};
use crate::util::Summed;

/// The number of attempts at one opening before the settings are refused as impossible.
const MAX_ATTEMPTS: u64 = 1000;

/// The number of random moves after a start around an entry.
const PLIES_AFTER_ENTRY: Plies = Plies { least: 2, most: 4 };

/// How the games of self-play begin.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlayOpenings {
    /// Name and checksum of the file of start positions; `None` for the standard start position.
    pub roots: Option<String>,
    /// Minimum number of random plies, in which each legal move is equally likely.
    pub least_plies: u32,
    /// Maximum number of random plies.
    pub most_plies: u32,
    /// Maximum advantage of either side after the opening, in centipawns. Other openings are
    /// replaced.
    pub limit: u32,
    /// Nodes of the search that judges an opening; 0 accepts every opening.
    pub nodes: u64,
    /// Games that begin around the entry of a king, if there are any.
    pub entering_kings: Option<EnteringKings>,
}

/// Games that begin shortly before or after a king enters the promotion zone. They are not
/// adjudicated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EnteringKings {
    /// Share of all games, 0 to 1.
    pub share: f64,
    /// Move number after which such a game is a draw.
    pub max_ply: u32,
    /// Names and checksums of the files with games from which the positions are taken.
    pub files: Vec<String>,
}

/// Generates the openings of self-play.
pub(crate) struct Opener<'a> {
    openings: &'a SelfPlayOpenings,
    starts: &'a StartPositions,
    rule: EnteringKingRule,
    seed: u64,
    /// The last ply of a game; openings beyond it are rejected.
    max_ply: u32,
    limits: Arc<Limits>,
}

/// The start of a game.
pub(crate) struct Opening {
    pub(crate) position: Position,
    /// The number of openings rejected before it.
    pub(crate) rejected: u64,
    /// The nodes of the searches that judged it and the rejected ones.
    pub(crate) nodes: u64,
    /// The maximum ply of an entering-king game; `None` for other games.
    pub(crate) max_ply: Option<u32>,
}

impl Opening {
    pub(crate) const fn is_entering_king(&self) -> bool {
        self.max_ply.is_some()
    }
}

impl<'a> Opener<'a> {
    pub(crate) fn new(
        openings: &'a SelfPlayOpenings,
        starts: &'a StartPositions,
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
            starts,
            rule,
            seed,
            max_ply,
            limits: Arc::new(limits),
        }
    }

    /// The opening of the game with this number. It depends on the number and the settings only, if
    /// `solo` was cleared after the last game.
    pub(crate) fn open(&self, game: u64, solo: &mut Solo) -> Result<Opening, OpeningError> {
        if let Some(opening) = self.enter(game) {
            return Ok(opening);
        }
        let plies = Plies {
            least: self.openings.least_plies,
            most: self.openings.most_plies,
        };
        let mut nodes = 0;
        for attempt in 0..MAX_ATTEMPTS {
            let mut random = generator(Purpose::OPENING, self.seed, game, attempt);
            let start = &self.starts.roots;
            if let Some(position) = self.attempt(start, plies, self.max_ply, &mut random)
                && self.is_balanced(&position, solo, &mut nodes)
            {
                return Ok(Opening {
                    position,
                    rejected: attempt,
                    nodes,
                    max_ply: None,
                });
            }
        }
        let limit = self.openings.limit;
        Err(OpeningError(format!(
            "game {game}: {MAX_ATTEMPTS} openings were tried, and none is both unfinished and \
            within {limit} centipawns; expected a higher limit, or fewer random plies"
        )))
    }

    /// The opening of an entering-king game, if the game with this number is drawn to be one. It is
    /// not judged by a search: one side is often far ahead in such positions, and the game is to
    /// show how it wins.
    fn enter(&self, game: u64) -> Option<Opening> {
        let settings = self.openings.entering_kings.as_ref()?;
        let starts = self.starts.entering_kings.as_ref()?;
        let mut random = generator(Purpose::ENTERING_KING, self.seed, game, 0);
        if fraction(&mut random) >= settings.share {
            return None;
        }
        let mut attempt = || self.attempt(starts, PLIES_AFTER_ENTRY, settings.max_ply, &mut random);
        Some(Opening {
            position: (0..MAX_ATTEMPTS).find_map(|_| attempt())?,
            rejected: 0,
            nodes: 0,
            max_ply: Some(settings.max_ply),
        })
    }

    /// Random moves from one of these positions; `None` if the game ends by the rules or the number
    /// of moves.
    fn attempt(
        &self,
        starts: &StartSet,
        plies: Plies,
        max_ply: u32,
        random: &mut ChaCha8Rng,
    ) -> Option<Position> {
        let mut position = starts.choose(random);
        play_random_moves(&mut position, plies, random)?;
        why_over(&position, self.rule, max_ply)
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
        let score = result.lines.first().map(|line| score::of_value(line.value));
        score.is_some_and(|score| u32::from(score.unsigned_abs()) <= self.openings.limit)
    }
}

// --- Start positions ---

/// The start positions of a run, read from the files that the settings name.
#[derive(Clone, Debug)]
pub struct StartPositions {
    /// Start positions of most games.
    pub roots: StartSet,
    /// Start positions of some games, see [`EnteringKings`].
    pub entering_kings: Option<StartSet>,
}

/// Bytes of a position in a file of hcp.
const HCP_BYTES: usize = size_of::<HuffmanCodedPos>();
/// The ply of a position of hcp, which the format does not store.
const HCP_PLY: u32 = 1;

/// A set of start positions. They are kept packed, because a file can have millions.
#[derive(Clone, Debug)]
pub struct StartSet {
    positions: Vec<PackedStart>,
    files: Vec<String>,
}

impl StartSet {
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
    pub fn of_roots(path: &Path) -> Result<Self, OpeningError> {
        let bytes = fs::read(path).map_err(|error| OpeningError::of_file(path, error))?;
        let is_hcp = path.extension().is_some_and(|extension| extension == "hcp");
        let positions = if is_hcp {
            read_hcp(path, &bytes)?
        } else {
            read_lines(path, &bytes)?
        };
        if positions.is_empty() {
            return Err(OpeningError::of_file(
                path,
                "has no positions, expected one at least",
            ));
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
    pub fn of_entering_kings(paths: &[PathBuf]) -> Result<Self, OpeningError> {
        let (mut positions, mut files, mut games) = (Vec::new(), Vec::new(), 0);
        for path in paths {
            let file = File::open(path).map_err(|error| OpeningError::of_file(path, error))?;
            let mut input = Summed::new(file);
            for record in TeacherReader::new(BufReader::new(&mut input), Format::Pack) {
                let record = record.map_err(|error| OpeningError::of_file(path, error))?;
                if let Record::Game(game) = record {
                    positions.extend(starts_around_entry(&game.game));
                    games += 1;
                }
            }
            files.push(identity(path, input.sum.finalize()));
        }
        if positions.is_empty() {
            return Err(OpeningError(format!(
                "no king enters the enemy's camp in any of the {games} games, expected files with \
                such games"
            )));
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
fn read_hcp(path: &Path, bytes: &[u8]) -> Result<Vec<PackedStart>, OpeningError> {
    let (records, rest) = bytes.as_chunks::<HCP_BYTES>();
    if !rest.is_empty() {
        let length = bytes.len();
        let reason =
            format!("has {length} bytes, expected a multiple of {HCP_BYTES} in a file of hcp");
        return Err(OpeningError::of_file(path, reason));
    }
    let start = |(index, &record)| {
        let position = HuffmanCodedPos::from_bytes(record).unpack(HCP_PLY);
        let position = position.map_err(|error| {
            OpeningError::of_file(path, format_args!("record {}: {error}", index + 1))
        })?;
        Ok(PackedStart::of(&position))
    };
    records.iter().enumerate().map(start).collect()
}

/// The positions of a file of SFEN or of moves.
fn read_lines(path: &Path, bytes: &[u8]) -> Result<Vec<PackedStart>, OpeningError> {
    let mut lines = Lines::new(bytes);
    let mut starts = Vec::new();
    while let Some(line) = lines
        .next()
        .map_err(|error| OpeningError::of_file(path, error))?
    {
        let text = line.text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let game: SfenLine = text
            .parse()
            .map_err(|error| OpeningError::in_line(path, line.number, error))?;
        starts.push(PackedStart::of(&game.position()));
    }
    Ok(starts)
}

fn identity(path: &Path, checksum: u32) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}, checksum {checksum:08x}")
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
        StartSet::of_roots(&file.0)
            .expect_err("a bad file")
            .to_string()
    }

    #[test]
    fn roots_come_as_lines_or_packed() {
        let text = "# two\n\nstartpos moves 7g7f 3c3d\nsfen \
        8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124\n";
        let file = Temporary::new("roots.sfen", text.as_bytes());
        let read = StartSet::of_roots(&file.0).expect("good lines");
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
        let packed = StartSet::of_roots(&file.0).expect("good records");
        for (start, position) in packed.positions.iter().zip(&positions) {
            let unpacked = start.position();
            assert_eq!(unpacked.key(), position.key());
            assert_eq!(unpacked.game_ply(), 1);
        }
        let mut random = generator(Purpose::OPENING, 1, 1, 1);
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
            let starts = StartSet::of_roots(&file.0).expect("good lines");
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
            message.contains("bad.sfen, line 2") && message.contains("7g7e"),
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
        assert!(message.contains("record.hcp: record 2"), "{message}");
        assert!(error("empty.hcp", b"").contains("no positions"));
        assert!(error("empty.sfen", b"# nothing\n").contains("no positions"));
    }

    #[test]
    fn without_an_entry_there_is_nothing_to_begin_from() {
        let file = Temporary::new("none.pack", b"");
        let paths = [file.0.clone()];
        let message = StartSet::of_entering_kings(&paths).expect_err("no games");
        assert!(
            message.to_string().contains("any of the 0 games"),
            "{message}"
        );
        let file = Temporary::new("bad.pack", b"\x01\x02");
        let paths = [file.0.clone()];
        let message = StartSet::of_entering_kings(&paths).expect_err("no game");
        assert!(
            message.to_string().contains("bad.pack: record 1"),
            "{message}"
        );
    }
}
