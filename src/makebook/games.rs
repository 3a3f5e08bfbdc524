//! Makes a book of the moves that were played in games, with exact counts of their results.
//!
//! Positions are counted in memory as far as it goes; what is beyond is sorted in files.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use bytemuck::{Pod, Zeroable};

use super::GAMES_DEPTH;
use super::sorter::{Groups, Sorter, key, pack_position, unpack_position};
use crate::book::{BookEntry, BookFormat, BookMove, BookWriter, Losses};
use crate::records::teacher::{Fault, Format, Record, TeacherError, TeacherReader};
use crate::records::{GameRecord, GameResult, PackGame, PackReason, PackedSfen};
use crate::runs::{OutputFile, Watch};
use crate::{position::Position, records::encoding::Lines, records::text::TextFormat};
use crate::{types::Color, types::Move, types::Move16, util::AtPath};

/// Which games, and which of their moves, a book is made of.
#[derive(Clone, Debug)]
pub struct GamesSettings {
    /// Number of first moves of each game.
    pub plies: usize,
    /// Least rating, which both players must have.
    pub min_rating: Option<f64>,
    /// Least number of games in which a move was played.
    pub min_count: u64,
    /// Whether games that cannot be read are skipped instead of ending the work.
    pub skips_bad: bool,
    /// Memory for positions in bytes.
    pub memory: u64,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct GamesSummary {
    /// Games that were read.
    pub games: u64,
    /// Games left out because a player's rating is unknown or too low.
    pub low_ratings: u64,
    /// Games that cannot be read: where each is, and why; at most 10.
    pub bad: Vec<String>,
    /// Number of games that cannot be read.
    pub bad_count: u64,
    /// Positions of the book that was written.
    pub positions: u64,
    /// What the book could not hold.
    pub losses: Losses,
}

const SHOWN_BAD: usize = 10;

/// Makes a book of games. `results` is a table, with tabs between columns: position, move, games,
/// wins, draws and losses of the side to move, games without a result, win rate.
///
/// # Errors
/// A file cannot be read or written, a game is bad and such are not skipped, or the end is
/// requested. Nothing is left of an incomplete output, nor is a book without positions written.
pub fn from_games(
    files: &[(PathBuf, Format)],
    output: (&Path, BookFormat),
    results: Option<&Path>,
    settings: &GamesSettings,
    watch: &Watch<'_>,
) -> Result<GamesSummary> {
    let mut counter = Counter {
        settings,
        format: output.1,
        nodes: HashMap::new(),
        moves: 0,
        sorter: Sorter::new(output.0, settings.memory / 2),
        summary: GamesSummary::default(),
    };
    let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
    let total = files.iter().map(|(path, _)| size(path)).sum();
    let mut done = 0;
    for (path, format) in files {
        for game in games_of(path, *format).at(path)? {
            match game {
                Ok(game) => counter.take(&game)?,
                Err(error) if settings.skips_bad => counter.skip(path, &error),
                Err(error) => return Err(error).at(path),
            }
        }
        done += size(path);
        watch.advance(done, total)?;
    }
    counter.spill()?;
    let mut summary = counter.summary;
    write(counter.sorter, output, results, settings, &mut summary)?;
    Ok(summary)
}

/// Counts moves in memory as far as it goes.
struct Counter<'a> {
    settings: &'a GamesSettings,
    format: BookFormat,
    nodes: HashMap<PackedSfen, Node>,
    /// Number of moves of all nodes.
    moves: u64,
    sorter: Sorter,
    summary: GamesSummary,
}

impl Counter<'_> {
    fn take(&mut self, game: &Game) -> Result<()> {
        self.summary.games += 1;
        if let Some(least) = self.settings.min_rating {
            let is_high = |rating: &Option<f64>| rating.is_some_and(|rating| rating >= least);
            if !game.ratings.iter().all(is_high) {
                self.summary.low_ratings += 1;
                return Ok(());
            }
        }
        self.count(game);
        let bytes = self.nodes.len() as u64 * POSITION_BYTES + self.moves * MOVE_BYTES;
        if bytes > self.settings.memory / 2 {
            self.spill()?;
        }
        Ok(())
    }

    /// Notes a game that cannot be read.
    fn skip(&mut self, path: &Path, error: &TeacherError) {
        let summary = &mut self.summary;
        summary.bad_count += 1;
        if summary.bad.len() < SHOWN_BAD {
            summary.bad.push(format!("{}: {error}", path.display()));
        }
    }

    /// Counts the first moves of a game. A move that a game plays again where it was played before
    /// counts once.
    fn count(&mut self, game: &Game) {
        let mut position = game.start.clone();
        let mut counted = HashSet::new();
        for (index, &mv) in game.moves.iter().enumerate().take(self.settings.plies) {
            let us = position.side_to_move();
            let packed = PackedSfen::of(&position);
            if counted.insert((packed, mv.to_move16())) {
                let counts = match game.result.map(|result: GameResult| result.for_side(us)) {
                    Some(0) => [0, 1, 0, 0],
                    Some(points) if points > 0 => [1, 0, 0, 0],
                    Some(_) => [0, 0, 1, 0],
                    None => [0, 0, 0, 1],
                };
                let reply = game.moves.get(index + 1);
                let known = MoveCount {
                    mv: mv.to_move16(),
                    ponder: reply.map(|reply| reply.to_move16()),
                    counts,
                };
                let ply = position.game_ply();
                let moves = Vec::new();
                let node = self.nodes.entry(packed).or_insert(Node { ply, moves });
                let before = node.moves.len();
                node.append(Node { ply, moves: vec![known] });
                self.moves += (node.moves.len() - before) as u64;
            }
            position.do_move(mv);
        }
    }

    /// Moves what was counted to the sorter.
    fn spill(&mut self) -> Result<()> {
        self.moves = 0;
        for (position, node) in std::mem::take(&mut self.nodes) {
            self.sorter.push(&key(self.format, position), &node.pack(position))?;
        }
        Ok(())
    }
}

fn write(
    sorter: Sorter,
    (path, format): (&Path, BookFormat),
    results: Option<&Path>,
    settings: &GamesSettings,
    summary: &mut GamesSummary,
) -> Result<()> {
    let mut out = BookWriter::create(path, format).at(path)?;
    let mut results = match results {
        Some(path) => Some((OutputFile::create(path).at(path)?, path)),
        None => None,
    };
    if let Some((file, path)) = &mut results {
        const HEADER: &str = "#position\tmove\tgames\twins\tdraws\tlosses\tunknown\trate";
        writeln!(file, "{HEADER}").at(path)?;
    }
    let least = settings.min_count.max(1);
    let mut groups = Groups::of(sorter)?;
    while let Some(group) = groups.next()? {
        let mut nodes = group.iter().filter_map(|value| Node::unpack(value));
        let Some((position, mut node)) = nodes.next() else {
            continue;
        };
        nodes.for_each(|(_, later)| node.append(later));
        node.moves.retain(|known| known.games() >= least);
        if node.moves.is_empty() {
            continue;
        }
        node.moves.sort_by_key(|known| (u64::MAX - known.games(), known.mv.to_bits()));
        let entry = BookEntry {
            position,
            ply: node.ply,
            moves: node.moves.iter().map(book_move).collect(),
        };
        out.write(&entry).at(path)?;
        summary.positions += 1;
        if let Some((file, path)) = &mut results {
            let sfen = position.unpack_board().map(|board| board.to_sfen());
            let sfen = format!("{} {}", sfen.unwrap_or_default(), node.ply);
            for known in &node.moves {
                writeln!(file, "{sfen}\t{known}").at(path)?;
            }
        }
    }
    if summary.positions == 0 {
        // The unfinished files are removed.
        return Ok(());
    }
    summary.losses = out.finish().at(path)?;
    if let Some((file, path)) = results {
        file.finish().at(path)?;
    }
    Ok(())
}

fn book_move(known: &MoveCount) -> BookMove {
    BookMove {
        mv: known.mv,
        ponder: known.ponder,
        value: 0,
        depth: GAMES_DEPTH,
        count: known.games(),
    }
}

/// About what a position takes in memory, in bytes, without its moves.
const POSITION_BYTES: u64 = 128;
/// About what a move takes.
const MOVE_BYTES: u64 = 48;

/// A [`MoveCount`] in a file.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
struct PackedCount {
    mv: u16,
    ponder: u16,
    counts: [u64; 4],
}

/// A move and the results of the games in which it was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MoveCount {
    mv: Move16,
    /// The answer in the last of these games.
    ponder: Option<Move16>,
    /// Wins, draws and losses of the side to move, and games without a result.
    counts: [u64; 4],
}

impl MoveCount {
    fn games(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Share of the points that the side to move won, 0 to 1; `None` without a result.
    fn rate(&self) -> Option<f64> {
        let [wins, draws, losses, _] = self.counts;
        let games = wins + draws + losses;
        (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64)
    }
}

/// The columns of the table of results, without the position.
impl fmt::Display for MoveCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wins, draws, losses, unknown] = self.counts;
        let (mv, games) = (self.mv, self.games());
        write!(formatter, "{mv}\t{games}\t{wins}\t{draws}\t{losses}\t{unknown}\t")?;
        match self.rate() {
            Some(rate) => write!(formatter, "{rate:.6}"),
            None => formatter.write_str("-"),
        }
    }
}

/// A position of the games, with what was played there.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Node {
    /// The smallest ply at which it was reached.
    ply: u32,
    /// In the order in which they were first seen.
    moves: Vec<MoveCount>,
}

impl Node {
    /// Adds what was counted later.
    fn append(&mut self, later: Self) {
        self.ply = self.ply.min(later.ply);
        for known in later.moves {
            match self.moves.iter_mut().find(|earlier| earlier.mv == known.mv) {
                Some(earlier) => {
                    earlier.ponder = known.ponder.or(earlier.ponder);
                    for (sum, count) in earlier.counts.iter_mut().zip(known.counts) {
                        *sum += count;
                    }
                }
                None => self.moves.push(known),
            }
        }
    }

    /// The node of `position` as bytes.
    fn pack(&self, position: PackedSfen) -> Vec<u8> {
        let moves = self.moves.iter().map(|known| PackedCount {
            mv: known.mv.to_bits(),
            ponder: known.ponder.map_or(0, Move16::to_bits),
            counts: known.counts,
        });
        pack_position(position, self.ply, moves)
    }

    /// The node of bytes that [`Node::pack`] made; `None` for others.
    fn unpack(bytes: &[u8]) -> Option<(PackedSfen, Self)> {
        let read = |packed: PackedCount| {
            Some(MoveCount {
                mv: Move16::from_bits(packed.mv)?,
                ponder: Move16::from_bits(packed.ponder),
                counts: packed.counts,
            })
        };
        let (position, ply, moves) = unpack_position(bytes)?;
        let moves = moves.map(read).collect::<Option<_>>()?;
        Some((position, Self { ply, moves }))
    }
}

/// A game, with what a book needs of it.
struct Game {
    start: Position,
    moves: Vec<Move>,
    /// `None` if unknown.
    result: Option<GameResult>,
    ratings: [Option<f64>; Color::NUM],
}

type Games = Box<dyn Iterator<Item = Result<Game, TeacherError>>>;

/// The games of a file, and what cannot be read as one. Positions without games are skipped.
fn games_of(path: &Path, format: Format) -> std::io::Result<Games> {
    if format == Format::Csa {
        // Only this reader provides ratings.
        let games = TextFormat::Csa.games(Lines::new(File::open(path)?)?);
        return Ok(Box::new(games.enumerate().map(|(index, game)| {
            let game = game.as_ref().map(Game::of_record);
            game.map_err(|error| TeacherError {
                record: index as u64 + 1,
                offset: 0,
                fault: Fault::from(error.clone()),
            })
        })));
    }
    let records = TeacherReader::new(BufReader::new(File::open(path)?), format);
    Ok(Box::new(records.filter_map(|record| match record {
        Ok(Record::Game(game)) => Some(Ok(Game::of_pack(game.game))),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })))
}

impl Game {
    fn of_record(record: &GameRecord) -> Self {
        let winner = record.winner().map(GameResult::Win);
        Self {
            start: record.start.clone(),
            moves: record.moves.iter().map(|played| played.mv).collect(),
            result: winner.or_else(|| record.ending.is_draw().then_some(GameResult::Draw)),
            ratings: record.ratings,
        }
    }

    fn of_pack(game: PackGame) -> Self {
        let is_unknown = game.reason == PackReason::INTERRUPTED;
        Self {
            start: game.start,
            moves: game.moves.into_iter().map(|(mv, _)| mv).collect(),
            result: (!is_unknown).then_some(game.result),
            ratings: [None; Color::NUM],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::book::BookReader;
    use crate::util::TestFolder;

    fn settings() -> GamesSettings {
        GamesSettings {
            plies: 16,
            min_rating: None,
            min_count: 1,
            skips_bad: false,
            memory: 1 << 30,
        }
    }

    /// Makes a book of a text in a folder of its own; returns the book and the table of results.
    fn make(games: &str, settings: &GamesSettings) -> (String, String) {
        let folder = TestFolder::new();
        let files = [(folder.write("games.usi", games), Format::Usi)];
        let [book, results] = ["out.db", "out.tsv"].map(|name| folder.file(name));
        let watch = Watch::of_nobody();
        let output = (&*book, BookFormat::Db);
        from_games(&files, output, Some(&results), settings, &watch).expect("a book");
        let read = |path: &Path| fs::read_to_string(path).expect("an output");
        (read(&book), read(&results))
    }

    const GAMES: &str = "startpos moves 7g7f 3c3d 2g2f resign\n\
        startpos moves 7g7f 8c8d 2g2f win\n\
        startpos moves 2g2f 8c8d 7g7f\n";

    #[test]
    fn moves_are_counted_with_their_results() {
        let (book, results) = make(GAMES, &settings());
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let of_start = book.split("sfen ").find(|node| node.starts_with(start));
        let expected = format!("{start}\n7g7f 8c8d 0 32 2\n2g2f 8c8d 0 32 1\n");
        assert_eq!(of_start.expect("the start"), expected);
        let of_start = results.lines().filter(|line| line.starts_with(start));
        let of_start: Vec<&str> = of_start.collect();
        // White resigned in the first game and won the second.
        let first = format!("{start}\t7g7f\t2\t1\t0\t1\t0\t0.500000");
        let second = format!("{start}\t2g2f\t1\t0\t0\t0\t1\t-");
        assert_eq!(of_start, [first, second]);
    }

    #[test]
    fn a_move_that_a_game_repeats_counts_once() {
        let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(2);
        let game = format!("startpos moves {shuffle}2g2f resign\n");
        let (book, results) = make(&game, &settings());
        assert!(book.contains("2h3h 8b7b 0 32 1\n"), "{book}");
        assert!(results.contains("\t2h3h\t1\t"), "{results}");
        assert_eq!(book.matches(" 0 32 1\n").count(), 5, "{book}");
    }

    #[test]
    fn filters_leave_moves_out() {
        let [mut often, mut short] = [settings(), settings()];
        often.min_count = 2;
        assert_eq!(make(GAMES, &often).0.matches("sfen").count(), 1);
        short.plies = 2;
        let (book, _) = make(GAMES, &short);
        assert!(book.contains(" - 2\n"), "{book}");
        assert!(!book.contains(" - 3\n"), "{book}");
    }

    #[test]
    fn little_memory_gives_the_same_book() {
        let Some(folder) = std::env::var_os("RAICHO_CORPORA") else {
            eprintln!("skipped: RAICHO_CORPORA is not set");
            return;
        };
        let games = fs::read_to_string(Path::new(&folder).join("games_usi.txt")).expect("games");
        let mut small = settings();
        small.memory = 100_000;
        assert_eq!(make(&games, &settings()), make(&games, &small));
    }

    /// The moves of a book by position and move.
    type Moves = BTreeMap<(PackedSfen, u16), (u32, BookMove)>;

    fn moves(path: &Path) -> Moves {
        let entries = BookReader::open(path).expect("a book");
        let entries = entries.map(|entry| entry.expect("an entry"));
        let moves = |entry: BookEntry| {
            let known = entry.moves.into_iter();
            known.map(move |known| ((entry.position, known.mv.to_bits()), (entry.ply, known)))
        };
        entries.flat_map(moves).collect()
    }

    /// The moves of a book that is made of `games`.
    fn made(games: &str, settings: &GamesSettings) -> Moves {
        let (book, _) = make(games, settings);
        let folder = TestFolder::new();
        moves(&folder.write("made.db", book))
    }

    /// All moves of `expected` are found; only the last moves of games are missing there.
    fn assert_found(found: &Moves, expected: &Moves) {
        assert!(!expected.is_empty());
        for (place, known) in expected {
            assert_eq!(found.get(place), Some(known));
        }
        for (place, (_, known)) in found {
            assert!(expected.contains_key(place) || known.ponder.is_none());
        }
    }

    #[test]
    fn the_book_of_the_corpora_has_the_moves_and_counts_that_yaneuraou_finds() {
        let Some(folder) = std::env::var_os("RAICHO_CORPORA") else {
            eprintln!("skipped: RAICHO_CORPORA is not set");
            return;
        };
        let books: PathBuf = Path::new(&folder).join("books");
        let games = fs::read_to_string(books.join("games60.sfen")).expect("games");
        let found = made(&games, &settings());
        assert_found(&found, &moves(&books.join("from_sfen.db")));
    }
}
