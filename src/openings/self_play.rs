//! The openings of self-play: random moves from a start position, rejected if a search finds a side
//! far ahead.
//!
//! Start positions are that of an even game or those of a file.

use std::{path::Path, sync::Arc};

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::sources::{Lines, play_random_moves};
use super::{OpeningError, Plies, Purpose, below, generator, why_over};
use crate::search::{Limits, Solo};
use crate::{position::Position, records::packed::HuffmanCodedPos, records::sfen_line::SfenLine};
use crate::{records::score, types::EnteringKingRule, util::read_file};

/// The number of attempts at one opening before the settings are refused as impossible.
const MAX_ATTEMPTS: u64 = 1000;

/// How the games of self-play begin.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
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
    /// Games around the entry of a king in runs of version 1, which are not resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entering_kings: Option<serde_json::Value>,
}

/// Generates the openings of self-play.
pub(crate) struct Opener<'a> {
    openings: &'a SelfPlayOpenings,
    starts: &'a StartSet,
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
}

impl<'a> Opener<'a> {
    pub(crate) fn new(
        openings: &'a SelfPlayOpenings,
        starts: &'a StartSet,
        rule: EnteringKingRule,
        seed: u64,
        max_ply: u32,
    ) -> Self {
        let limits = Limits { nodes: Some(openings.nodes), ..Limits::default() };
        Self { openings, starts, rule, seed, max_ply, limits: Arc::new(limits) }
    }

    /// The opening of the game with this number. It depends on the number and the settings only, if
    /// `solo` was cleared after the last game.
    pub(crate) fn open(&self, game: u64, solo: &mut Solo) -> Result<Opening, OpeningError> {
        let plies = Plies { least: self.openings.least_plies, most: self.openings.most_plies };
        let mut nodes = 0;
        for attempt in 0..MAX_ATTEMPTS {
            let mut random = generator(Purpose::OPENING, self.seed, game, attempt);
            if let Some(position) = self.attempt(plies, &mut random)
                && self.is_balanced(&position, solo, &mut nodes)
            {
                return Ok(Opening { position, rejected: attempt, nodes });
            }
        }
        let limit = self.openings.limit;
        Err(OpeningError(format!(
            "game {game}: {MAX_ATTEMPTS} openings were tried, and none is both unfinished and \
            within {limit} centipawns; expected a higher limit, or fewer random plies"
        )))
    }

    /// Random moves from a start position; `None` if the game ends by the rules or the number of
    /// moves.
    fn attempt(&self, plies: Plies, random: &mut ChaCha8Rng) -> Option<Position> {
        let mut position = self.starts.choose(random);
        play_random_moves(&mut position, plies, random)?;
        why_over(&position, self.rule, self.max_ply).is_none().then_some(position)
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

/// Bytes of a position in a file of hcp.
const HCP_BYTES: usize = size_of::<HuffmanCodedPos>();
/// The ply of a position of hcp, which the format does not store.
const HCP_PLY: u32 = 1;

/// A set of start positions. They are kept packed, because a file can have millions.
#[derive(Clone, Debug)]
pub struct StartSet {
    positions: Vec<PackedStart>,
    /// Name and checksum of the file that they come from, by which a resumed run recognises it in
    /// any folder.
    file: Option<String>,
}

impl StartSet {
    /// Only the start position of an even game.
    pub fn startpos() -> Self {
        Self { positions: vec![PackedStart::of(&Position::startpos())], file: None }
    }

    /// Reads the positions of a file. A file `.hcp` has 32 bytes for each, as Apery and dlshogi
    /// store roots; any other file has one a line, an SFEN or `startpos moves …`, and empty lines
    /// and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// The file cannot be read, has no positions, or a line or record is invalid.
    pub fn of_roots(path: &Path) -> Result<Self, OpeningError> {
        let bytes = read_file(path).map_err(|error| OpeningError::of_file(path, error))?;
        let is_hcp = path.extension().is_some_and(|extension| extension == "hcp");
        let positions = if is_hcp { read_hcp(path, &bytes)? } else { read_lines(path, &bytes)? };
        if positions.is_empty() {
            return Err(OpeningError::of_file(path, "has no positions, expected one at least"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            positions,
            file: Some(format!("{name}, checksum {:08x}", crc32fast::hash(&bytes))),
        })
    }

    /// Name and checksum of the file; `None` for the standard start position.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
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
    while let Some(line) = lines.next().map_err(|error| OpeningError::of_file(path, error))? {
        let text = line.text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let game: SfenLine =
            text.parse().map_err(|error| OpeningError::in_line(path, line.number, error))?;
        starts.push(PackedStart::of(&game.position()));
    }
    Ok(starts)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::TestFolder;

    fn error(name: &str, content: &[u8]) -> String {
        let folder = TestFolder::new();
        let read = StartSet::of_roots(&folder.write(name, content));
        read.expect_err("a bad file").to_string()
    }

    #[test]
    fn roots_come_as_lines_or_packed() {
        let text = "# two\n\nstartpos moves 7g7f 3c3d\nsfen \
        8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124\n";
        let folder = TestFolder::new();
        let read = StartSet::of_roots(&folder.write("roots.sfen", text)).expect("good lines");
        assert_eq!(read.positions.len(), 2);
        let positions = read.positions.iter().map(|start| start.position());
        let positions: Vec<Position> = positions.collect();
        assert_eq!(positions[0].game_ply(), 3);
        assert!(positions[1].to_sfen().ends_with("w Sbgn3p 124"));
        let record = |position: &Position| HuffmanCodedPos::of(position).to_bytes();
        let records: Vec<u8> = positions.iter().flat_map(record).collect();
        let packed = StartSet::of_roots(&folder.write("roots.hcp", records));
        let packed = packed.expect("good records");
        for (start, position) in packed.positions.iter().zip(&positions) {
            let unpacked = start.position();
            assert_eq!(unpacked.key(), position.key());
            assert_eq!(unpacked.game_ply(), 1);
        }
        let mut random = generator(Purpose::OPENING, 1, 1, 1);
        let chosen: Vec<_> = (0..20).map(|_| packed.choose(&mut random).key()).collect();
        let is_chosen = |position: &Position| chosen.contains(&position.key());
        assert!(positions.iter().all(is_chosen));
    }

    #[test]
    fn files_are_known_by_their_content() {
        let folder = TestFolder::new();
        let identity = |content: &str| {
            let path = folder.write("same.sfen", content);
            let starts = StartSet::of_roots(&path).expect("good lines");
            starts.file().map(str::to_owned)
        };
        let one = identity("startpos\n");
        assert_eq!(one, identity("startpos\n"));
        assert_ne!(one, identity("startpos moves 7g7f\n"));
        let one = one.expect("it has a name");
        assert!(one.contains("same.sfen, checksum "), "{one}");
    }

    #[test]
    fn bad_files_are_named_with_the_place() {
        let message = error("bad.sfen", b"startpos\nstartpos moves 7g7e\n");
        assert!(message.contains("bad.sfen, line 2"), "{message}");
        assert!(message.contains("7g7e"), "{message}");
        let message = error("bad-text.sfen", b"startpos\n\xff\xfe\n");
        assert!(message.contains("line 2"), "{message}");
        let message = error("short.hcp", &[0; 33]);
        let part = "33 bytes, expected a multiple of 32";
        assert!(message.contains(part), "{message}");
        let mut records = HuffmanCodedPos::of(&Position::startpos()).to_bytes().to_vec();
        records.extend([0xff; 32]);
        let message = error("record.hcp", &records);
        assert!(message.contains("record.hcp: record 2"), "{message}");
        assert!(error("empty.hcp", b"").contains("no positions"));
        assert!(error("empty.sfen", b"# nothing\n").contains("no positions"));
    }
}
