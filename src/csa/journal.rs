//! The folder of a client: a journal with one line of JSON a game, and the record of each game; the
//! results in a journal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::game::{FinishedGame, PlayedMove};
use super::{lines::Password, lines::ServerVerdict};
use crate::records::{Ending, GameRecord, RecordedMove, black_score, csa};
use crate::runs::{FolderError, RunFolder, RunKind, read_entries};
use crate::types::Color;
use crate::util::{file_name_of, free_name};

/// The folders of this tool.
const KIND: RunKind = RunKind {
    noun: "journal of games on a server",
    settings: "csa.json",
    journal: "games.jsonl",
    format: 1,
};

/// What a folder is for: games of one account on one server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JournalOwner {
    /// Name of the server.
    pub host: String,
    /// Name of the account.
    pub account: String,
}

/// A game of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The id of the game on the server.
    pub game: String,
    /// When it started, in local time: `2026-11-25T07:30:00`.
    pub started: String,
    /// The name of the opponent.
    pub opponent: String,
    /// The colour that we played.
    pub side: Color,
    /// The result from our view.
    pub result: GameResult,
    /// How it ended, such as `resignation`.
    pub ending: String,
    /// The notices of the server, such as `#RESIGN #WIN`.
    pub notices: String,
    /// Whether the server ended the game. Otherwise the connection was lost.
    pub is_complete: bool,
    /// The start and all moves as one line of USI.
    pub line: String,
    /// Time used by both sides by the server's count, in seconds, black first.
    pub seconds: [f64; Color::NUM],
    /// Our scores from black's point of view, in centipawns, one for each own move; `None` where
    /// the engine gave none.
    pub scores: Vec<Option<i32>>,
    /// The record, relative to the folder.
    pub record: PathBuf,
}

/// The result of a game for us.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// We won.
    Win,
    /// We lost.
    Loss,
    /// Nobody won.
    Draw,
    /// There is no result, such as at the move limit or after a lost connection.
    None,
}

impl GameResult {
    /// `won`, `lost`, `drawn` or `no result`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win => "won",
            Self::Loss => "lost",
            Self::Draw => "drawn",
            Self::None => "no result",
        }
    }
}

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    folder: RunFolder,
}

impl Journal {
    /// Opens the folder, or creates it. A folder without games is anybody's: it may be that of a
    /// visit to a host by a wrong name.
    ///
    /// # Errors
    /// The folder has games of another account or server, is in use, or cannot be written.
    pub fn open(path: &Path, place: &JournalOwner) -> Result<(Self, Vec<Entry>), FolderError> {
        if RunFolder::exists(path, KIND) {
            let (folder, entries) = RunFolder::resume::<Entry>(path, KIND)?;
            if entries.is_empty() {
                folder.write_settings(place)?;
                return Ok((Self { folder }, entries));
            }
            // Its lock ends here.
            drop(folder);
            let (folder, entries) = RunFolder::resume_same(path, KIND, place, |_: &Entry| true)?;
            return Ok((Self { folder }, entries));
        }
        let folder = RunFolder::create(path, KIND, place)?;
        Ok((Self { folder }, Vec::new()))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the record of a game, then its line; both without the password.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(
        &mut self,
        finished: &FinishedGame,
        started: &jiff::Zoned,
        password: &Password,
    ) -> Result<Entry, FolderError> {
        let record = record_of(finished, started, password);
        let mut entry = entry_of(finished, &record, started);
        let text = csa::write(&record);
        entry.record = self.free_name(&entry.record);
        let written = self
            .folder
            .write_file(&entry.record, text.as_bytes())
            .or_else(|error| {
                // Some file systems do not take all letters or lengths of a name.
                entry.record = self.free_name(Path::new(&format!("csa/{}", stamp(started))));
                let written = self.folder.write_file(&entry.record, text.as_bytes());
                written.map_err(|_| error)
            })
            .and_then(|()| self.folder.append(&entry));
        if let Err(error) = written {
            // A part of the record, or a record that the journal does not know.
            let _ = fs::remove_file(self.path().join(&entry.record));
            return Err(error);
        }
        Ok(entry)
    }

    /// The name, or one with a number where it is taken: clocks are set back, for example at the
    /// end of summer time.
    fn free_name(&self, name: &Path) -> PathBuf {
        let stem = name.with_extension("");
        let is_taken = |stem: &str| self.path().join(format!("{stem}.csa")).exists();
        PathBuf::from(free_name(&stem.to_string_lossy(), is_taken) + ".csa")
    }
}

/// Reads the journal in a folder.
///
/// # Errors
/// It cannot be read, or a line is not valid.
pub fn read(path: &Path) -> Result<Vec<Entry>, FolderError> {
    read_entries(path, KIND)
}

/// The record of a game, without the password.
pub(super) fn record_of(
    finished: &FinishedGame,
    started: &jiff::Zoned,
    password: &Password,
) -> GameRecord {
    let summary = finished.game.summary();
    let recorded = |played: &PlayedMove| RecordedMove {
        time: played.time,
        thought: played.thought.clone(),
        ..RecordedMove::from(played.mv)
    };
    GameRecord {
        event: password.blanked(&summary.id).into_owned(),
        players: summary.players.clone(),
        started_at: Some(started.strftime("%Y/%m/%d %H:%M:%S").to_string()),
        moves: finished.game.moves().iter().map(recorded).collect(),
        ending: finished.ending.clone(),
        ..GameRecord::new(summary.start.clone())
    }
}

fn entry_of(finished: &FinishedGame, record: &GameRecord, started: &jiff::Zoned) -> Entry {
    let game = &finished.game;
    let first = record.start.side_to_move();
    let sides = [first, !first].into_iter().cycle();
    let moves: Vec<(Color, &PlayedMove)> = sides.zip(game.moves()).collect();
    let seconds = Color::ALL.map(|color| {
        let own = moves.iter().filter(|(mover, _)| *mover == color);
        let times = own.filter_map(|(_, played)| played.measured.and(played.time));
        let sum = times.fold(Duration::ZERO, Duration::saturating_add);
        sum.as_secs_f64()
    });
    let own_moves = || {
        let own = moves.iter().filter(|(mover, _)| *mover == game.side());
        own.filter(|(_, played)| played.measured.is_some())
    };
    let score = |(mover, played): &(Color, &PlayedMove)| {
        let score = played.thought.as_ref()?.score?;
        Some(black_score(score, *mover))
    };
    let names = record.players.clone().map(|name| file_name_of(&name));
    let stem = format!("{}-{}-{}", stamp(started), names[0], names[1]);
    Entry {
        game: record.event.clone(),
        started: started.strftime("%Y-%m-%dT%H:%M:%S").to_string(),
        opponent: game.opponent().to_owned(),
        side: game.side(),
        result: match finished.verdict {
            Some(ServerVerdict::Win) => GameResult::Win,
            Some(ServerVerdict::Lose) => GameResult::Loss,
            Some(ServerVerdict::Draw) => GameResult::Draw,
            Some(ServerVerdict::Censored) | None => GameResult::None,
        },
        ending: finished.ending.name().to_owned(),
        notices: finished.notices.clone(),
        is_complete: finished.is_complete,
        line: record.line().to_string(),
        seconds,
        scores: own_moves().map(score).collect(),
        record: PathBuf::from(format!("csa/{stem}.csa")),
    }
}

/// A time as a part of a file name.
fn stamp(time: &jiff::Zoned) -> String {
    time.strftime("%Y%m%d-%H%M%S").to_string()
}

/// Results against somebody, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games that we won.
    pub wins: u32,
    /// Games that we lost.
    pub losses: u32,
    /// Games without a winner.
    pub draws: u32,
    /// Games that were broken off.
    pub broken: u32,
}

impl Tally {
    /// The results of these games.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut tally = Self::default();
        entries.into_iter().for_each(|entry| tally.add(entry));
        tally
    }

    /// Counts the result of a game.
    pub fn add(&mut self, entry: &Entry) {
        match entry.result {
            GameResult::Win => self.wins += 1,
            GameResult::Loss => self.losses += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::None if entry.is_complete && is_drawn(entry) => self.draws += 1,
            GameResult::None => self.broken += 1,
        }
    }

    /// Number of games with a result.
    pub const fn games(&self) -> u32 {
        self.wins + self.losses + self.draws
    }

    /// Wins, and draws as halves.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }
}

/// Whether the ending alone says that nobody won. Other endings without a result were broken off.
fn is_drawn(entry: &Entry) -> bool {
    let drawn = [Ending::Repetition, Ending::MaxMoves, Ending::AdjudicatedDraw];
    drawn.iter().any(|ending| entry.ending == ending.name())
}

/// The results against each opponent, by name, in alphabetical order.
pub fn by_opponent(entries: &[Entry]) -> BTreeMap<String, Tally> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for entry in entries {
        let tally = tallies.entry(entry.opponent.clone()).or_default();
        tally.add(entry);
    }
    tallies
}

// --- The log of the dialogue ---

/// Size in bytes at which the file of a day ends; a day of games on floodgate takes a few MB.
const MOST_BYTES: u64 = 32 << 20;
/// Files that are kept when a new day begins; older ones are removed.
const MOST_FILES: usize = 60;

/// The log files in a folder.
#[derive(Debug)]
pub(super) struct DialogueLog {
    folder: PathBuf,
    password: Password,
    day: String,
    /// The file of the day, and its length in bytes.
    file: Option<(File, u64)>,
}

impl DialogueLog {
    pub(super) fn new(folder: &Path, password: Password) -> Self {
        Self { folder: folder.to_owned(), password, day: String::new(), file: None }
    }

    /// A text without the password.
    pub(super) fn blanked(&self, text: &str) -> String {
        self.password.blanked(text).into_owned()
    }

    /// Writes a line: `>` to the server, `<` from it, `-` for what happened. A log that cannot be
    /// written never stops a game.
    pub(super) fn note(&mut self, direction: char, line: &str) {
        let now = jiff::Zoned::now();
        let day = now.strftime("%Y-%m-%d").to_string();
        if day != self.day || self.file.is_none() {
            self.file = open(&self.folder, &day);
            self.day = day;
        }
        let Some((file, length)) = &mut self.file else {
            return;
        };
        if *length >= MOST_BYTES {
            return;
        }
        let line = self.password.blanked(line);
        let mut line = format!("{} {direction} {line}\n", now.strftime("%H:%M:%S%.3f"));
        *length += line.len() as u64;
        if *length >= MOST_BYTES {
            line.push_str("the file is full; nothing more of this day is written\n");
        }
        if let Err(error) = file.write_all(line.as_bytes()) {
            log::warn!("the dialogue log: {error}");
        }
    }
}

fn open(folder: &Path, day: &str) -> Option<(File, u64)> {
    let path = folder.join(format!("{day}.log"));
    let file = fs::create_dir_all(folder).and_then(|()| {
        if !path.exists() {
            make_room(folder)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    });
    file.inspect_err(|error| log::warn!("{}: {error}", path.display())).ok()
}

/// Removes the oldest files, so that there is room for another one.
fn make_room(folder: &Path) -> io::Result<()> {
    let mut days = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let is_log = path.extension().is_some_and(|extension| extension == "log");
        if is_log && stem.is_some_and(is_day) {
            days.push(path);
        }
    }
    // Their names sort as the days do.
    days.sort();
    let spare = days.len().saturating_sub(MOST_FILES - 1);
    days[..spare].iter().try_for_each(fs::remove_file)
}

/// Whether a text is a day such as 2026-01-31.
fn is_day(text: &str) -> bool {
    let is_right = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::TestFolder;

    #[test]
    fn the_log_stays_within_its_limits() {
        let folder = TestFolder::new();
        for number in 0..MOST_FILES + 5 {
            folder.write(&format!("20{number:02}-01-31.log"), "old");
        }
        folder.write("notes.log", "of the user");
        let mut log = DialogueLog::new(&folder.0, Password::new("secret"));
        log.note('<', "LOGIN:x OK");
        assert_eq!(folder.count(), MOST_FILES + 1, "with the file of the user");
        assert!(!folder.file("2005-01-31.log").exists());
        assert!(folder.file("2006-01-31.log").exists());

        let line = "x".repeat(1 << 20);
        for _ in 0..40 {
            log.note('<', &line);
        }
        let path = folder.file(&format!("{}.log", log.day));
        let length = path.metadata().expect("it was written").len();
        assert!((MOST_BYTES..MOST_BYTES + (2 << 20)).contains(&length));
        let text = fs::read_to_string(&path).expect("it is text");
        assert!(text.ends_with("nothing more of this day is written\n"));
    }
}
