//! The folder of a run of self-play: settings, games and a journal.
//!
//! | File | Content |
//! |---|---|
//! | `gensfen.json` | the settings; a run can only be resumed with the settings it began with |
//! | `gensfen.jsonl` | the journal: one line of JSON per finished game, with its place |
//! | `NAME-0001.pack` … | the games |
//! | `NAME-0001.tree` … | inner nodes of their searches, if the settings want them |
//!
//! A game is written as soon as it ends, first the game, then its nodes, then its line. On resume
//! anything after the last complete line is cut off, so that a kill loses only the running games.

use std::fs::{self, File};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{cell::Cell, collections::BTreeMap, fmt};

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::GensfenSettings;
use super::game::{PlayedGame, Reason, Segment};
use crate::records::pack::{PackGame, PackReason, PackWriter};
use crate::records::teacher::{Format, Record, TeacherReader};
use crate::runs::{RunFolder, RunKind};
use crate::types::{Color, Key64};
use crate::util::{AtPath, counted};
use crate::{records::game::GameResult, records::sample::TreePosition};

const KIND: RunKind = RunKind {
    noun: "run of gensfen",
    settings: "gensfen.json",
    journal: "gensfen.jsonl",
    format: 1,
};
/// Endings of the names of files.
const GAMES: &str = "pack";
const TREES: &str = "tree";

const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// The most that a run killed in its first game leaves beside an empty journal.
const GAME_BYTES: u64 = 1 << 16;

/// The folder of a run, open for writing.
pub struct Archive {
    folder: RunFolder,
    settings: GensfenSettings,
    games: Series,
    /// The inner nodes of searches, if the settings want them.
    trees: Option<Series>,
    seen: SeenPositions,
    /// Number of games of the journal that are not in the files.
    lost: u64,
}

impl Archive {
    /// Whether the folder holds a run of self-play.
    pub fn exists(folder: &Path) -> bool {
        RunFolder::exists(folder, KIND)
    }

    /// Begins a run in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a run already, or cannot be written.
    pub fn create(path: &Path, settings: &GensfenSettings) -> Result<Self> {
        RunFolder::check_free(path, KIND)?;
        let games = SeriesNames::new(path, settings, GAMES).path(1);
        if games.exists() {
            let (games, settings) = (games.display(), KIND.settings);
            bail!("{games}: there are games already, but no {settings}");
        }
        Self::open(RunFolder::create(path, KIND, settings)?, settings, &[])
    }

    /// Resumes the run in a folder and returns its journal entries. An incomplete game, which a
    /// killed process can leave, is cut off.
    ///
    /// # Errors
    /// The folder holds no run or one with other settings, another process has it open, or a file
    /// is not valid.
    pub fn resume(path: &Path, settings: &GensfenSettings) -> Result<(Self, Vec<Entry>)> {
        let names = |ending| SeriesNames::new(path, settings, ending);
        let (games, trees) = (names(GAMES), names(TREES));
        // After a power cut the journal can have a line whose game never reached the disk.
        let lost = Cell::new(0);
        let is_complete = |entry: &Entry| {
            let has_trees = |entry: TreeEntry| trees.reaches(entry.place);
            let is_complete = games.reaches(entry.place()) && entry.trees.is_none_or(has_trees);
            lost.set(lost.get() + u64::from(!is_complete));
            is_complete
        };
        let (folder, entries) = RunFolder::resume_same(path, KIND, settings, is_complete)?;
        if entries.is_empty() && (games.size(1) > GAME_BYTES || games.path(2).exists()) {
            let journal = path.join(KIND.journal);
            let journal = journal.display();
            bail!("{journal}: has no game, expected those of the files beside it");
        }
        games.check(entries.iter().map(Entry::place))?;
        trees.check(entries.iter().filter_map(|entry| Some(entry.trees?.place)))?;
        let mut archive = Self::open(folder, settings, &entries)?;
        archive.lost = lost.get();
        archive.remember()?;
        Ok((archive, entries))
    }

    fn open(folder: RunFolder, settings: &GensfenSettings, entries: &[Entry]) -> Result<Self> {
        let limit = settings.writing.file_mb * BYTES_PER_MEGABYTE;
        let last = entries.last();
        let place = last.map_or(Place::START, Entry::place);
        let names = |ending| SeriesNames::new(folder.path(), settings, ending);
        let trees = settings.trees.as_ref().map(|_| {
            let place = last.and_then(|last| last.trees);
            let place = place.map_or(Place::START, |trees| trees.place);
            Series::open(names(TREES), limit, place)
        });
        Ok(Self {
            games: Series::open(names(GAMES), limit, place)?,
            trees: trees.transpose()?,
            folder,
            settings: settings.clone(),
            seen: SeenPositions::new(settings.writing.dedup_mb),
            lost: 0,
        })
    }

    /// Number of games of the journal that the last file no longer has when a run is resumed. They
    /// are played again.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Enters the positions of all files, in the order in which they were written.
    fn remember(&mut self) -> Result<()> {
        if self.settings.writing.dedup_mb == 0 {
            return Ok(());
        }
        let names = SeriesNames::new(self.folder.path(), &self.settings, GAMES);
        for number in 1..=self.games.place.file {
            let path = names.path(number);
            let file = File::open(&path).at(&path)?;
            for record in TeacherReader::new(BufReader::new(file), Format::Pack) {
                if let Record::Game(game) = record.at(&path)? {
                    let PackGame { start, moves, .. } = game.game;
                    self.seen.enter(&[Segment { start, moves }]);
                }
            }
        }
        Ok(())
    }

    /// Appends a finished game, without the positions that earlier games had already.
    ///
    /// # Errors
    /// A file cannot be written; both then end with the previous game.
    pub(super) fn append(&mut self, mut game: PlayedGame) -> Result<Entry> {
        let repeated = self.seen.cut(&mut game.segments);
        let written = self.write(&game, repeated);
        match written.and_then(|entry| Ok(self.folder.append(&entry).map(|()| entry)?)) {
            Ok(entry) => {
                self.games.place = entry.place();
                if let (Some(series), Some(trees)) = (&mut self.trees, entry.trees) {
                    series.place = trees.place;
                }
                self.seen.enter(&game.segments);
                Ok(entry)
            }
            Err(error) => {
                // The next game must not continue the fragment of this one.
                let _ = self.games.cut();
                let _ = self.trees.as_mut().map(Series::cut);
                Err(error)
            }
        }
    }

    /// Writes a game, and returns its entry for the journal.
    fn write(&mut self, game: &PlayedGame, repeated: u64) -> Result<Entry> {
        let bytes = pack_bytes(game).at(self.folder.path())?;
        let place = self.games.write(&bytes)?;
        let nodes = game.trees.as_deref().unwrap_or_default();
        let node_bytes: Vec<u8> = nodes.iter().flat_map(TreePosition::to_bytes).collect();
        let trees = match &mut self.trees {
            Some(series) => {
                Some(TreeEntry { positions: nodes.len() as u64, place: series.write(&node_bytes)? })
            }
            None => None,
        };
        Ok(Entry {
            game: game.number,
            file: place.file,
            end: place.end,
            written: game.segments.iter().map(|s| s.moves.len() as u64).sum(),
            plies: game.plies,
            repeated,
            nodes: game.nodes,
            rejected: game.rejected,
            winner: game.outcome.winner,
            reason: game.outcome.reason,
            trees,
        })
    }
}

/// A line of the journal: a finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The number of the game, from 0, over all shards.
    pub game: u64,
    /// The number of the file that holds it, from 1.
    pub file: u32,
    /// The size of that file after the game, in bytes.
    pub end: u64,
    /// Number of positions in the file.
    pub written: u64,
    /// Number of positions searched, written or not.
    pub plies: u64,
    /// Positions left out because another game had them.
    pub repeated: u64,
    /// Nodes of all searches, including those that judged openings.
    pub nodes: u64,
    /// Openings rejected before the game.
    pub rejected: u64,
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// The reason of the result.
    pub reason: Reason,
    /// The inner nodes of its searches, in a run that writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreeEntry>,
}

impl Entry {
    /// The place after the game.
    const fn place(&self) -> Place {
        Place { file: self.file, end: self.end }
    }
}

/// The inner nodes of the searches of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Number of nodes in the file.
    pub positions: u64,
    /// The place after them.
    pub place: Place,
}

/// The sums over the games of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Number of games that were played to their end.
    pub games: u64,
    /// Positions in the files.
    pub written: u64,
    /// Inner nodes of searches in the files.
    pub tree_positions: u64,
    /// Number of positions searched, written or not.
    pub plies: u64,
    /// Positions left out because another game had them.
    pub repeated: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Openings rejected before all games.
    pub rejected: u64,
    /// Games won, by [`Color::index`].
    pub wins: [u64; Color::NUM],
    /// Games by the reason of their result.
    pub reasons: BTreeMap<Reason, u64>,
}

impl Tally {
    /// The tally of these games.
    pub fn of(entries: &[Entry]) -> Self {
        let mut tally = Self::default();
        for entry in entries {
            tally.add(entry);
        }
        tally
    }

    /// Adds a game to all sums.
    pub fn add(&mut self, entry: &Entry) {
        self.games += 1;
        self.written += entry.written;
        self.tree_positions += entry.trees.map_or(0, |trees| trees.positions);
        self.plies += entry.plies;
        self.repeated += entry.repeated;
        self.nodes += entry.nodes;
        self.rejected += entry.rejected;
        if let Some(winner) = entry.winner {
            self.wins[winner.index()] += 1;
        }
        *self.reasons.entry(entry.reason).or_default() += 1;
    }
}

/// In one line: `1234 games, black 48.2 %, white 49.1 %, draws 2.7 %, 97 positions a game`.
impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games.max(1) as f64;
        let percent = |count: u64| count as f64 * 100.0 / games;
        let [black, white] = self.wins;
        let [black, white, draws] = [black, white, self.games - black - white].map(percent);
        let (count, each) = (counted(self.games, "game"), self.written as f64 / games);
        write!(formatter, "{count}, black {black:.1} %, white {white:.1} %, ")?;
        write!(formatter, "draws {draws:.1} %, {each:.0} positions a game")?;
        if self.tree_positions > 0 {
            let each = self.tree_positions as f64 / self.plies.max(1) as f64;
            let positions = counted(self.tree_positions, "position");
            write!(formatter, ", {positions} of search trees, {each:.1} a search")?;
        }
        if self.repeated > 0 {
            let searched = self.plies.max(1) as f64;
            let percent = self.repeated as f64 * 100.0 / searched;
            write!(formatter, ", {percent:.2} % repeated")?;
        }
        Ok(())
    }
}

/// The bytes of a game: its segments one after the other. Nothing marks them as parts of one game.
fn pack_bytes(game: &PlayedGame) -> io::Result<Vec<u8>> {
    let mut writer = PackWriter::new(Vec::new());
    for segment in &game.segments {
        writer.write(&PackGame {
            start: segment.start.clone(),
            moves: segment.moves.clone(),
            result: GameResult::of_winner(game.outcome.winner),
            reason: pack_reason(game.outcome.reason),
        })?;
    }
    Ok(writer.into_inner())
}

const fn pack_reason(reason: Reason) -> PackReason {
    match reason {
        Reason::Mate | Reason::Adjudication => PackReason::RESIGNATION,
        Reason::Repetition => PackReason::REPETITION,
        Reason::PerpetualCheck => PackReason::PERPETUAL_CHECK,
        Reason::MaxPly => PackReason::MAX_MOVES,
        Reason::Declaration => PackReason::DECLARATION_27,
    }
}

/// The place after a piece of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The number of the file, from 1.
    pub file: u32,
    /// The size of that file after the piece, in bytes.
    pub end: u64,
}

impl Place {
    /// The beginning of the first file.
    const START: Self = Self { file: 1, end: 0 };
}

/// The names of a series: `PREFIX-0001.ENDING` …
#[derive(Clone, Debug)]
struct SeriesNames {
    folder: PathBuf,
    prefix: String,
    ending: &'static str,
}

impl SeriesNames {
    fn new(folder: &Path, settings: &GensfenSettings, ending: &'static str) -> Self {
        Self { folder: folder.to_owned(), prefix: settings.writing.name.clone(), ending }
    }

    fn path(&self, file: u32) -> PathBuf {
        let Self { prefix, ending, .. } = self;
        self.folder.join(format!("{prefix}-{file:04}.{ending}"))
    }

    /// The size of a file in bytes; 0 if it does not exist.
    fn size(&self, file: u32) -> u64 {
        fs::metadata(self.path(file)).map_or(0, |file| file.len())
    }

    /// Whether the file of a place reaches to it.
    fn reaches(&self, place: Place) -> bool {
        self.size(place.file) >= place.end
    }

    /// Checks that every file reaches to the last of its places, which are in order.
    fn check(&self, places: impl Iterator<Item = Place>) -> Result<()> {
        let ends: BTreeMap<u32, u64> = places.map(|place| (place.file, place.end)).collect();
        for (file, end) in ends {
            let (path, size) = (self.path(file), self.size(file));
            let path = path.display();
            ensure!(size >= end, "{path}: has {size} bytes, expected {end}");
        }
        Ok(())
    }
}

/// Numbered files that are written one after the other, each up to a size.
#[derive(Debug)]
struct Series {
    names: SeriesNames,
    /// Size in bytes after which another file begins.
    limit: u64,
    place: Place,
    /// The file of `place`.
    file: File,
}

impl Series {
    /// Opens a series after a place; anything after it is cut off.
    fn open(names: SeriesNames, limit: u64, place: Place) -> Result<Self> {
        let path = names.path(place.file);
        let mut series = Self { file: open(&path)?, names, limit, place };
        series.cut().at(&path)?;
        Ok(series)
    }

    /// Cuts off everything after the last piece.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.place.end)?;
        self.file.seek(SeekFrom::Start(self.place.end)).map(drop)
    }

    /// Writes a piece and returns the place after it. It becomes a part of the series when that is
    /// `place`; until then [`Self::cut`] removes it.
    fn write(&mut self, bytes: &[u8]) -> Result<Place> {
        if self.place.end >= self.limit {
            self.next_file()?;
        }
        let path = self.names.path(self.place.file);
        self.file.write_all(bytes).at(&path)?;
        Ok(Place { end: self.place.end + bytes.len() as u64, ..self.place })
    }

    fn next_file(&mut self) -> Result<()> {
        let path = self.names.path(self.place.file);
        self.file.sync_data().at(&path)?;
        self.place = Place { file: self.place.file + 1, end: 0 };
        let path = self.names.path(self.place.file);
        self.file = open(&path)?;
        self.cut().at(&path)
    }
}

fn open(path: &Path) -> Result<File> {
    // Not in append mode, in which a file cannot be shortened on every system.
    let options = File::options().create(true).write(true).truncate(false).open(path);
    options.at(path)
}

/// The positions written so far, so that games do not repeat samples: a table of position keys
/// with a fixed size. A new key replaces the one in its slot, so a
/// repetition can be missed after many positions. A false repetition needs a collision of 64-bit
/// keys.
struct SeenPositions {
    /// 0 for a free slot. An empty table remembers nothing.
    keys: Vec<u64>,
}

impl SeenPositions {
    /// Creates a table of this size in MB; 0 disables it.
    fn new(megabytes: usize) -> Self {
        Self { keys: vec![0; megabytes * BYTES_PER_MEGABYTE as usize / size_of::<u64>()] }
    }

    /// Enters every position of the segments.
    fn enter(&mut self, segments: &[Segment]) {
        if self.keys.is_empty() {
            return;
        }
        for segment in segments {
            for key in keys(segment) {
                let slot = self.slot(key);
                self.keys[slot] = key.low64();
            }
        }
    }

    /// Removes the moves of a game up to the last position that another game had, and returns their
    /// number. Games that share a position mostly share all positions before it.
    fn cut(&self, segments: &mut Vec<Segment>) -> u64 {
        if self.keys.is_empty() {
            return 0;
        }
        let mut last = None;
        for (index, segment) in segments.iter().enumerate() {
            for (ply, key) in keys(segment).enumerate() {
                if self.keys[self.slot(key)] == key.low64() {
                    last = Some((index, ply + 1));
                }
            }
        }
        let Some((index, plies)) = last else {
            return 0;
        };
        let before: usize = segments.drain(..index).map(|s| s.moves.len()).sum();
        let segment = &mut segments[0];
        for (mv, _) in segment.moves.drain(..plies) {
            segment.start.do_move(mv);
        }
        if segment.moves.is_empty() {
            segments.remove(0);
        }
        (before + plies) as u64
    }

    /// The slot of a key, from its upper bits; bit 0 is the side to move.
    fn slot(&self, key: Key64) -> usize {
        ((u128::from(key.low64()) * self.keys.len() as u128) >> u64::BITS) as usize
    }
}

/// The keys of the positions before each move.
fn keys(segment: &Segment) -> impl Iterator<Item = Key64> {
    let mut position = segment.start.clone();
    segment.moves.iter().map(move |&(mv, _)| {
        let key = position.key();
        position.do_move(mv);
        key
    })
}

#[cfg(test)]
pub(super) mod tests;
