//! The folder of a match: settings, results and records.
//!
//! | File | Content |
//! |---|---|
//! | `match.json` | the settings; a match can only be resumed with the settings it began with |
//! | `games.jsonl` | one line of JSON per finished game, with everything the summary needs |
//! | `games.sfen` | one line per game: `startpos moves …` |
//! | `csa/` | the records in CSA format, with times and evaluations |
//! | `faults/` | the last lines of the dialogue of games that were lost by a fault |
//!
//! A game is written as soon as it ends, so a kill loses only the running games.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{fs::File, io::Write as _, ops::AddAssign, time::Duration};

use serde::{Deserialize, Serialize};

use super::game::{PlayedGame, SearchInfo};
use super::referee::{EndReason, GameVerdict};
use super::settings::{Fixture, MatchSettings};
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::runs::{self, FolderError, RunFolder, RunKind, io_error};
use crate::types::{Color, Score};
use crate::{records::csa, records::sfen_line::SfenLine, util::file_name_of};

/// The files of a match folder.
pub const KIND: RunKind =
    RunKind { noun: "match", settings: "match.json", journal: "games.jsonl", format: 1 };
const LINES_FILE: &str = "games.sfen";

/// The folder of a match, open for writing.
pub struct MatchFolder {
    folder: RunFolder,
    lines: File,
}

impl MatchFolder {
    /// Begins a match in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a match already, or cannot be written.
    pub fn create(path: &Path, settings: &MatchSettings) -> Result<Self, FolderError> {
        let folder = RunFolder::create(path, KIND, settings)?;
        Self::new(folder, &[])
    }

    /// Resumes the match in a folder, and returns its games. An incomplete last line, which a
    /// killed process can leave, is cut off.
    ///
    /// # Errors
    /// The folder holds no match, another process has it open, or a file is not valid.
    pub fn resume(path: &Path) -> Result<(Self, Vec<GameEntry>), FolderError> {
        let (folder, entries) = RunFolder::resume(path, KIND)?;
        Ok((Self::new(folder, &entries)?, entries))
    }

    /// Replaces the settings, when the match is extended. The games must belong to them.
    ///
    /// # Errors
    /// The settings file cannot be written.
    pub fn write_settings(&self, settings: &MatchSettings) -> Result<(), FolderError> {
        self.folder.write_settings(settings)
    }

    /// Rewrites `games.sfen`, which may lag behind the journal after a kill.
    fn new(folder: RunFolder, entries: &[GameEntry]) -> Result<Self, FolderError> {
        let path = folder.path().join(LINES_FILE);
        let mut lines = File::create(&path).map_err(io_error(&path))?;
        let line = |entry: &GameEntry| entry.line.clone() + "\n";
        let text: String = entries.iter().map(line).collect();
        lines.write_all(text.as_bytes()).map_err(io_error(&path))?;
        Ok(Self { folder, lines })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Appends a finished game to the journal and to `games.sfen`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn append(&mut self, entry: &GameEntry) -> Result<(), FolderError> {
        self.folder.append(entry)?;
        let path = self.path().join(LINES_FILE);
        writeln!(self.lines, "{}", entry.line).map_err(io_error(&path))
    }

    /// Writes a file of the folder, and creates the folders on its path.
    ///
    /// # Errors
    /// The file or a folder cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), FolderError> {
        self.folder.write_file(name, content)
    }
}

/// Reads the settings and games of a folder, without writing there.
///
/// # Errors
/// The folder holds no match, or a file is not valid.
pub fn read(path: &Path) -> Result<(MatchSettings, Vec<GameEntry>), FolderError> {
    Ok((read_settings(path)?, runs::read_entries(path, KIND)?))
}

/// Reads the settings of the match in a folder, without writing there.
///
/// # Errors
/// The folder holds no match, or its settings are not valid.
pub fn read_settings(path: &Path) -> Result<MatchSettings, FolderError> {
    runs::read_settings(path, KIND)
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameEntry {
    /// Number of the game in the whole match, from 0.
    pub game: u64,
    /// Name of the engine that played black.
    pub black: String,
    /// Name of the engine that played white.
    pub white: String,
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub reason: EndReason,
    /// Further details of the reason, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The whole game as the argument of the USI command `position`.
    pub line: String,
    /// Number of moves after the opening.
    pub moves: u32,
    /// Number of moves of the opening.
    pub opening_moves: u32,
    /// Statistics of both players, by [`Color::index`].
    pub figures: [PlayerFigures; 2],
    /// Sums of the scores of black and white over neighbouring plies.
    #[serde(default, skip_serializing_if = "Optimism::is_empty")]
    pub optimism: Optimism,
    /// Time between an answer and the next `go`.
    pub overhead: Overhead,
    /// By how much the clock was overrun, if the game was lost on time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_loss: Option<TimeLoss>,
    /// Path of the dialogue file, relative to the folder; only after a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<PathBuf>,
    /// Path of the record, relative to the folder.
    pub record: PathBuf,
}

/// Statistics of one engine in one or more games.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayerFigures {
    /// Number of moves that it made.
    pub moves: u64,
    /// Total time of these moves.
    pub time: Duration,
    /// Longest time of one move.
    pub longest: Duration,
    /// Total of the reported nodes.
    pub nodes: u64,
    /// Sum of the reported depths.
    pub depth_sum: u64,
    /// Number of moves with a reported depth.
    pub depth_count: u64,
}

/// By how much a clock was overrun.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TimeLoss {
    /// Time beyond the remaining time.
    pub late: Duration,
    /// Longest stall of the machine during that move, `None` if there was none.
    pub stall: Option<Duration>,
}

/// Time between an answer and the next `go`, over one or more games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Overhead {
    /// Sum over all measurements.
    pub sum: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// How many there are; the mean is `sum / count`.
    pub count: u64,
}

impl GameEntry {
    /// The loser, if there is one, the reason and its details.
    pub fn verdict(&self) -> String {
        let loser = match self.winner {
            Some(Color::Black) => format!("{}: ", self.white),
            Some(Color::White) => format!("{}: ", self.black),
            None => String::new(),
        };
        format!("{loser}{}, {}", self.reason, self.detail)
    }

    /// The opening as the argument of the USI command `position`.
    pub fn opening(&self) -> &str {
        let words = |text: &str| text.split(' ').count();
        // The words before the moves are `startpos` or `sfen` with four fields.
        let before = self.line.split(" moves ").next().map_or(0, words);
        let count =
            if self.opening_moves == 0 { before } else { before + 1 + self.opening_moves as usize };
        let end = self.line.match_indices(' ').nth(count.saturating_sub(1));
        end.map_or(&self.line, |(end, _)| &self.line[..end])
    }
}

impl PlayerFigures {
    /// Adds a move that took `used`.
    pub(super) fn add(&mut self, used: Duration, thought: &SearchInfo) {
        self.moves += 1;
        self.time += used;
        self.longest = self.longest.max(used);
        self.nodes = self.nodes.saturating_add(thought.nodes.unwrap_or(0));
        if let Some(depth) = thought.depth {
            self.depth_sum += u64::from(depth);
            self.depth_count += 1;
        }
    }

    /// Mean time per move.
    pub fn mean_time(&self) -> Duration {
        mean(self.time, self.moves)
    }

    /// Mean of the reported depths, `None` if there are none.
    pub fn mean_depth(&self) -> Option<f64> {
        (self.depth_count > 0).then(|| self.depth_sum as f64 / self.depth_count as f64)
    }

    /// Nodes per second, `None` if no nodes were reported.
    pub fn nodes_per_second(&self) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        (self.nodes > 0 && seconds > 0.0).then(|| self.nodes as f64 / seconds)
    }
}

impl Overhead {
    pub(super) fn add(&mut self, time: Duration) {
        self.sum += time;
        self.longest = self.longest.max(time);
        self.count += 1;
    }

    /// Mean time between an answer and the next `go`.
    pub fn mean(&self) -> Duration {
        mean(self.sum, self.count)
    }
}

/// The mean of a number of times; zero without any.
fn mean(sum: Duration, count: u64) -> Duration {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    sum.checked_div(count).unwrap_or_default()
}

/// Number of buckets of plies.
const BUCKETS: usize = 4;

/// The first ply of each bucket; ply 0 is the first move after the opening.
pub(super) const FIRST_PLIES: [usize; BUCKETS] = [0, 15, 30, 60];

/// Scores are limited to this size in centipawns; mates count as much.
const LIMIT: i32 = 3000;

/// Optimism: how far both sides together think that they are ahead, as sums of their scores by ply.
///
/// Two neighbouring plies have a score of each side, from its own view. Their sum is about 0 if the
/// engines agree. If it is large, each engine believes to be winning in the positions that its own
/// search steers to, and one of them is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Optimism(pub [ScoreSums; BUCKETS]);

/// The scores of both sides over pairs of neighbouring plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ScoreSums {
    /// Number of pairs of plies.
    pub pairs: u64,
    /// Sum of the scores of either side, each from its own view, in centipawns: black and white of
    /// a game, the first and the second engine of a pairing.
    pub scores: [i64; 2],
}

impl Optimism {
    /// The sums of a game, black first. A pair of plies belongs to the bucket of its first ply; it
    /// counts if both moves have a score.
    fn of(moves: &[RecordedMove]) -> Self {
        let mut optimism = Self::default();
        for (ply, pair) in moves.windows(2).enumerate() {
            let [Some(first), Some(second)] = [0, 1].map(|index| score(&pair[index])) else {
                continue;
            };
            let bucket = FIRST_PLIES.iter().rposition(|&from| from <= ply);
            let sums = &mut optimism.0[bucket.unwrap_or(0)];
            let is_black = pair[0].mv.piece().color() == Color::Black;
            sums.pairs += 1;
            let [black, white] = if is_black { [first, second] } else { [second, first] };
            sums.scores[0] += black;
            sums.scores[1] += white;
        }
        optimism
    }

    /// Whether there are no pairs of plies.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|sums| sums.pairs == 0)
    }

    /// The same with the sides in the other order.
    #[must_use]
    pub(super) fn swapped(mut self) -> Self {
        for sums in &mut self.0 {
            sums.scores.reverse();
        }
        self
    }
}

impl AddAssign for Optimism {
    fn add_assign(&mut self, other: Self) {
        for (sums, more) in self.0.iter_mut().zip(other.0) {
            sums.pairs += more.pairs;
            for (score, more) in sums.scores.iter_mut().zip(more.scores) {
                *score += more;
            }
        }
    }
}

/// The score of a move, limited.
fn score(played: &RecordedMove) -> Option<i64> {
    let limited = match played.thought.as_ref()?.score? {
        Score::Cp(score) => score.clamp(-LIMIT, LIMIT),
        Score::Mate(plies) if plies > 0 => LIMIT,
        Score::Mate(_) => -LIMIT,
    };
    Some(limited.into())
}

/// Composes the journal entry of a game, and its record in CSA format.
pub(super) fn compose(
    settings: &MatchSettings,
    fixture: Fixture,
    opening: &SfenLine,
    played: &PlayedGame,
    started_at: &jiff::Zoned,
) -> (GameEntry, Vec<u8>) {
    let name = |engine: usize| settings.engines[engine].name.clone();
    let names = fixture.players.map(name);
    let [black, white] = [0, 1].map(|side| file_name_of(&names[side]));
    let stem = format!("{:06}-{black}-{white}", fixture.game);
    let record = record_of(names.clone(), opening, played, started_at);
    let text = csa::write(&record).into_bytes();
    let is_fault = played.verdict.reason.is_fault();
    let [black, white] = names;
    let entry = GameEntry {
        game: fixture.game,
        black,
        white,
        winner: played.verdict.winner,
        reason: played.verdict.reason,
        detail: played.verdict.detail.clone(),
        line: record.line().to_string(),
        moves: played.moves.len() as u32,
        opening_moves: opening.moves.len() as u32,
        figures: played.figures.clone(),
        optimism: Optimism::of(&played.moves),
        overhead: played.overhead,
        time_loss: played.time_loss,
        dialogue: is_fault.then(|| PathBuf::from(format!("faults/{stem}.txt"))),
        record: PathBuf::from(format!("csa/{stem}.csa")),
    };
    (entry, text)
}

fn record_of(
    players: [String; 2],
    opening: &SfenLine,
    played: &PlayedGame,
    started_at: &jiff::Zoned,
) -> GameRecord {
    let opening_moves = opening.moves.iter().copied().map(RecordedMove::from);
    let mut record = GameRecord {
        players,
        started_at: Some(started_at.strftime("%Y/%m/%d %H:%M:%S").to_string()),
        moves: opening_moves.chain(played.moves.iter().cloned()).collect(),
        ..GameRecord::new(opening.start.clone())
    };
    let side = record.side_to_move_at_end();
    let ending = ending_of(&played.verdict, side);
    // The endings of CSA refer to the side to move, but a game can also end by a fault of the other
    // side.
    record.ending = match played.verdict.winner {
        Some(winner) if ending.winner(side) != Some(winner) => Ending::AdjudicatedWin { winner },
        _ => ending,
    };
    record
}

fn ending_of(verdict: &GameVerdict, side: Color) -> Ending {
    let winner = verdict.winner.unwrap_or(side);
    match verdict.reason {
        EndReason::Resignation => Ending::Resignation,
        EndReason::Checkmate => Ending::Checkmate,
        EndReason::Declaration | EndReason::Try => Ending::Declaration,
        EndReason::Repetition => Ending::Repetition,
        EndReason::PerpetualCheck => Ending::PerpetualCheck { loser: !winner },
        EndReason::MaxMoves => Ending::MaxMoves,
        EndReason::AdjudicatedWin => Ending::AdjudicatedWin { winner },
        EndReason::AdjudicatedDraw => Ending::AdjudicatedDraw,
        EndReason::TimeLoss => Ending::TimeUp,
        EndReason::IllegalMove => {
            Ending::IllegalMove { text: illegal_answer(&verdict.detail).to_owned() }
        }
        EndReason::FalseDeclaration => Ending::IllegalDeclaration,
        EndReason::Hang | EndReason::Crash | EndReason::NotReady => {
            Ending::Disconnection { reason: verdict.detail.clone() }
        }
    }
}

/// The answer in the detail of a verdict on an illegal move.
fn illegal_answer(detail: &str) -> &str {
    detail.strip_prefix("illegal move ").unwrap_or(detail)
}

/// The text of the dialogue file: the last lines sent to and received from each engine, by
/// [`Color::index`]; `None` for an engine that did not run.
pub(super) fn dialogue_text(entry: &GameEntry, dialogues: [Option<Vec<String>>; 2]) -> String {
    let mut text = format!(
        "game {}, {} (black) against {} (white): {}\nposition {}\n",
        entry.game,
        entry.black,
        entry.white,
        entry.verdict(),
        entry.line
    );
    for (dialogue, name) in dialogues.into_iter().zip([&entry.black, &entry.white]) {
        text.push('\n');
        text.push_str(name);
        text.push_str(": > to the engine, < from it, ! its error output\n");
        for line in dialogue.unwrap_or_default() {
            text += &line;
            text.push('\n');
        }
    }
    text
}
