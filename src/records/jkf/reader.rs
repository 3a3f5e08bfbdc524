//! Reads JKF. Every move is checked, and an error names its entry.

use std::{fmt::Display, time::Duration};

use serde_json::{Value, value::RawValue};

use super::{Clock, Entry, Initial, MOST_NESTED, Piece, Place, Played, RELATIVE, Record, is_exact};
use super::{Data, word};
use crate::records::csa::{ending_of_word, is_renamed, kind};
use crate::records::quoted;
use crate::records::setup::{Setup, impossible};
use crate::records::{
    Builder, Ending, EndingWords, GameRecord, RecordError, RecordedMove, possible,
};
use crate::types::{Color, File, Move, PieceType, Rank, Square};
use crate::{
    position::Position, records::notation::Handicap, records::notation::japanese::Written,
};

/// Reads the game of a text.
///
/// A variation (fork) that cannot be read is left out from its first bad entry on, and so are moves
/// after the end of the game, which [`GameRecord::omissions`] says.
///
/// # Errors
/// The text is not JSON, or the position or a move is wrong.
pub fn read(text: &str) -> Result<GameRecord, RecordError> {
    let text = text.trim_start_matches('\u{feff}');
    let record: Record<&RawValue> = serde_json::from_str(text).map_err(RecordError::new)?;
    let start = start_of(record.initial.as_ref()).map_err(|error| error.at("'initial'"))?;
    let mut reader = Reader {
        game: Builder::new(GameRecord::new(start), EndingWords { word, is_exact }),
        waiting: Vec::new(),
        has_too_deep: false,
    };
    reader.line(&record.moves, 0)?;
    while let Some(fork) = reader.waiting.pop() {
        reader.fork(&fork)?;
    }
    let mut game = reader.game.into_record();
    for (name, value) in record.header.0 {
        let is_single = ["先手", "下手", "後手", "上手", "棋戦", "開始日時"].contains(&&*name);
        if name == "手合割" {
            continue;
        }
        if is_single {
            game.set_heading(&name, value);
            continue;
        }
        // The writer makes lines of headings of one name.
        for value in value.split('\n') {
            if name == "持ち時間" && game.time_limit.is_some() {
                game.headings.push((name.clone(), value.to_owned()));
            } else {
                game.set_heading(&name, value.to_owned());
            }
        }
    }
    Ok(game)
}

struct Reader<'text> {
    game: Builder,
    /// Variations that are read later, the next one last.
    waiting: Vec<Fork<'text>>,
    /// Whether variations that are nested too deep were left out.
    has_too_deep: bool,
}

/// A variation that is not read yet.
struct Fork<'text> {
    parent: Option<usize>,
    /// Moves from the start of the game to its first one.
    after: usize,
    /// How many variations it is nested in, itself included.
    depth: usize,
    entries: &'text RawValue,
}

impl<'text> Reader<'text> {
    fn fork(&mut self, fork: &Fork<'text>) -> Result<(), RecordError> {
        let entries: Vec<Entry<&'text RawValue>> = match serde_json::from_str(fork.entries.get()) {
            Ok(entries) => entries,
            Err(error) => {
                self.game.omit(format!("a variation: {error}"));
                return Ok(());
            }
        };
        if !self.game.branch_from(fork.parent, fork.after) {
            self.game.omit("a variation that begins behind its line");
            return Ok(());
        }
        self.line(&entries, fork.depth)
    }

    /// Reads the entries of a line. The lines that branch off from it wait.
    fn line(
        &mut self,
        entries: &[Entry<&'text RawValue>],
        depth: usize,
    ) -> Result<(), RecordError> {
        let parent = self.game.line();
        let mut forks = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let after = self.game.ply();
            forks.extend(entry.forks.iter().map(|entries| Fork {
                parent,
                after,
                depth: depth + 1,
                entries,
            }));
            if let Err(fault) = self.entry(entry, index) {
                let is_behind = fault.is_after_the_end();
                let error = fault.at(place_of(index, after + 1));
                let error = self.game.take_illegal().unwrap_or(error);
                if !self.game.is_in_game() {
                    self.game.omit(format!("the rest of a variation: {error}"));
                } else if is_behind {
                    self.game.omit(error.to_string());
                } else {
                    return Err(error);
                }
                break;
            }
        }
        if self.game.is_in_game() {
            self.game.end_with_illegal()?;
        } else if let Some(error) = self.game.take_illegal() {
            self.game.omit(format!("the rest of a variation: {error}"));
        }
        if depth < MOST_NESTED {
            self.waiting.extend(forks.into_iter().rev());
        } else if !forks.is_empty() && !self.has_too_deep {
            self.has_too_deep = true;
            self.game.omit(format!("variations nested deeper than {MOST_NESTED}"));
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<&RawValue>, index: usize) -> Result<(), RecordError> {
        let time = entry.time.as_ref().and_then(|time| {
            let read = duration(&time.now);
            if read.is_none() {
                let found = serde_json::to_string(&time.now).unwrap_or_default();
                let place = format!("'moves', entry {index}");
                self.game.omit_time(&place, &found);
            }
            read
        });
        if let Some(played) = &entry.played {
            self.play(played, time, index)?;
        }
        if let Some(word) = &entry.special {
            self.end(word, time);
        }
        let lines = entry.comment.iter().chain(&entry.comments);
        for line in lines.flat_map(|text| text.lines().chain(text.is_empty().then_some(""))) {
            self.game.add_comment(line);
        }
        Ok(())
    }

    /// Ends the line with a word. A word that is unknown becomes a comment.
    fn end(&mut self, special: &str, time: Option<Duration>) {
        let word = format!("%{special}");
        let known = ending_of_word(&word, self.game.position(), self.game.illegal());
        let is_kept = known.is_some() && !is_renamed(&word);
        let ending = known.unwrap_or(Ending::Unfinished);
        if self.game.illegal().is_some() && !ending.explains_an_illegal_move() {
            return;
        }
        self.game.take_illegal();
        self.game.end_with(ending, is_kept.then_some(special));
        self.game.closing_mut().add_time(time);
        if !is_kept {
            self.game.add_comment(special);
        }
    }

    /// Makes a move, or keeps one that is illegal, which the next entry must explain.
    fn play(
        &mut self,
        played: &Played,
        time: Option<Duration>,
        index: usize,
    ) -> Result<(), RecordError> {
        if self.game.has_ended() {
            return Err(RecordError::after_the_end(describe(played)));
        }
        let found = self.find(played).filter(|_| self.game.illegal().is_none());
        if let Some(mv) = found {
            self.game.push(RecordedMove { time, ..RecordedMove::from(mv) });
            return Ok(());
        }
        let fault = RecordError::illegal(describe(played), self.game.position());
        if self.game.illegal().is_some() {
            return Err(fault);
        }
        let fault = fault.at(place_of(index, self.game.ply() + 1));
        self.game.set_illegal(&describe(played), fault, time);
        Ok(())
    }

    /// The legal move of an entry.
    fn find(&self, played: &Played) -> Option<Move> {
        let position = self.game.position();
        let to = match played.to {
            Some(place) => square(place)?,
            None if played.same == Some(true) => self.game.last_target()?,
            None => return None,
        };
        let from = match played.from {
            Some(place) => Some(square(place)?),
            None => None,
        };
        let kind = match (&played.piece, from) {
            (Some(name), _) => kind(name)?,
            (None, from) => position.piece_on(from?)?.kind(),
        };
        let letters = played.relative.as_deref().unwrap_or_default();
        let word = |letter: char| RELATIVE.iter().find(|(known, _)| *known == letter);
        let words: String = letters.chars().filter_map(word).map(|row| row.1).collect();
        let promotes = played.promote == Some(true);
        Written::from_parts(to, kind, from, promotes, &words).find(position)
    }
}

/// The place of an entry in the list of moves, and the number of its move in the game.
fn place_of(entry: usize, number: usize) -> String {
    format!("'moves', entry {entry} (move {number})")
}

fn square(place: Place) -> Option<Square> {
    let file = File::from_index(usize::from(place.x).checked_sub(1)?)?;
    let rank = Rank::from_index(usize::from(place.y).checked_sub(1)?)?;
    Some(Square::new(file, rank))
}

/// A move in the notation of CSA, as far as it is known.
fn describe(played: &Played) -> String {
    let place = |place: Option<Place>| {
        place.map_or_else(|| "00".to_owned(), |Place { x, y }| format!("{x}{y}"))
    };
    let piece = played.piece.as_deref().unwrap_or_default();
    let promotes = played.promote == Some(true);
    let promotion = if promotes { "+" } else { "" };
    let [from, to] = [played.from, played.to].map(place);
    quoted(&format!("{from}{to}{piece}{promotion}"))
}

fn duration(clock: &Clock) -> Option<Duration> {
    let [hours, minutes, seconds] = [&clock.h, &clock.m, &clock.s].map(number);
    let seconds = 3600.0 * hours? + 60.0 * minutes? + seconds?;
    Duration::try_from_secs_f64(seconds).ok().and_then(possible)
}

/// A number of a clock, 0 without one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

// --- The start position ---

/// The position of a preset, or the one that is drawn.
fn start_of(initial: Option<&Initial>) -> Result<Position, RecordError> {
    let Some(initial) = initial else {
        return Ok(Position::startpos());
    };
    let handicap = Handicap::of_jkf(&initial.preset);
    if let Some(data) = &initial.data
        && (initial.preset == "OTHER" || handicap.is_none())
    {
        return drawn(data);
    }
    let start = handicap.and_then(|handicap| Position::from_sfen(&handicap.sfen()).ok());
    start.ok_or_else(|| {
        RecordError::new(format_args!(
            "the preset {} is unknown, expected HIRATE, KY, …, 10, or OTHER with data",
            quoted(&initial.preset)
        ))
    })
}

fn drawn(data: &Data) -> Result<Position, RecordError> {
    let side = color_of(data.color)?;
    let mut setup = Setup::default();
    for (file, column) in data.board.iter().enumerate() {
        for (rank, piece) in column.iter().enumerate() {
            let Some(found) = piece_of(piece)? else {
                continue;
            };
            let place = File::from_index(file).zip(Rank::from_index(rank));
            let (file, rank) = place.ok_or_else(|| {
                fault(
                    format_args!("a piece on {}, {}", file + 1, rank + 1),
                    "nine files of nine squares",
                )
            })?;
            setup.squares[Square::new(file, rank).index()] = Some(found);
        }
    }
    for (color, hand) in Color::ALL.into_iter().zip(&data.hands) {
        for (name, &count) in hand {
            if count == 0 {
                continue;
            }
            let kind = kind(name).filter(|kind| PieceType::HAND.contains(kind));
            let kind = kind.filter(|kind| count <= kind.count_in_set());
            let kind = kind.ok_or_else(|| {
                fault(
                    format_args!("{count} of {} in hand", quoted(name)),
                    "pieces that can be in hand, no more than there are",
                )
            })?;
            setup.hands[color.index()][kind.index()] = count;
        }
    }
    Position::from_board(setup.board(side)?, 1).map_err(impossible)
}

fn fault(found: impl Display, expected: &str) -> RecordError {
    RecordError::new(format_args!("{found}, expected {expected}"))
}

fn color_of(code: u8) -> Result<Color, RecordError> {
    match code {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => Err(fault(format_args!("the colour {code}"), "0 or 1")),
    }
}

fn piece_of(piece: &Piece) -> Result<Option<crate::types::Piece>, RecordError> {
    let Some(name) = &piece.kind else {
        return Ok(None);
    };
    let kind = kind(name)
        .ok_or_else(|| fault(format_args!("the piece {}", quoted(name)), "a piece such as FU"))?;
    let color = color_of(piece.color.unwrap_or_default())?;
    Ok(Some(crate::types::Piece::new(color, kind)))
}
