//! The lines of a record that branch off: building them while a record is read, and walking along
//! them while it is written.

use std::{collections::BTreeMap, time::Duration};

use super::{Closing, Ending, GameRecord, RecordedMove, Variation, remarks::UnreadTimes};
use crate::types::{Color, Move, Square};
use crate::{position::Position, records::RecordError};

/// Most variations of a record. More come from no program.
const MOST_VARIATIONS: usize = 20_000;

/// How a format says how a game ended.
#[derive(Clone, Copy)]
pub(in crate::records) struct EndingWords {
    /// The word for an ending, with this side to move.
    pub(in crate::records) word: fn(&Ending, Color) -> Option<&'static str>,
    /// Whether the word alone is read back as the ending.
    pub(in crate::records) is_exact: fn(&Ending) -> bool,
}

/// A record that grows at the end of one of its lines.
pub(in crate::records) struct Builder {
    record: GameRecord,
    words: EndingWords,
    /// The word for the ending if it was just read, so that a comment may tell the exact one.
    last_word: Option<String>,
    /// An illegal move and what is wrong with it, which only an ending that says so may follow.
    illegal: Option<(String, RecordError)>,
    unread_times: UnreadTimes,
    /// The line that grows: an index of the variations, `None` for the game.
    line: Option<usize>,
    /// Whether the line that grows has ended.
    has_ended: bool,
    walk: Walk,
    /// The target square of the move before the start position.
    first_target: Option<Square>,
    /// Comments before the first move of a variation.
    early_comments: Vec<String>,
}

impl Builder {
    /// Goes on with what stands before the first move.
    pub(in crate::records) fn new(record: GameRecord, words: EndingWords) -> Self {
        Self {
            walk: Walk::new(record.start.clone()),
            record,
            words,
            last_word: None,
            illegal: None,
            unread_times: UnreadTimes::default(),
            line: None,
            has_ended: false,
            first_target: None,
            early_comments: Vec::new(),
        }
    }

    /// Sets the target square of the move before the start position.
    pub(in crate::records) fn set_first_target(&mut self, target: Option<Square>) {
        self.first_target = target;
    }

    pub(in crate::records) fn position(&self) -> &Position {
        self.walk.position()
    }

    /// Moves from the start to the end of the line that grows.
    pub(in crate::records) fn ply(&self) -> usize {
        self.walk.ply()
    }

    /// Whether the line that grows is the game itself.
    pub(in crate::records) fn is_in_game(&self) -> bool {
        self.line.is_none()
    }

    /// The variation that grows.
    pub(in crate::records) fn line(&self) -> Option<usize> {
        self.line
    }

    pub(in crate::records) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// How the line ended; `None` while it grows.
    pub(in crate::records) fn ending(&self) -> Option<&Ending> {
        match self.line {
            _ if !self.has_ended => None,
            Some(line) => self.record.variations[line].ending.as_ref(),
            None => Some(&self.record.ending),
        }
    }

    /// The target square of the last move.
    pub(in crate::records) fn last_target(&self) -> Option<Square> {
        match self.ply() {
            0 => self.first_target,
            _ => self.position().last_move().map(Move::to),
        }
    }

    /// The position after as many moves of the line that grows, the target square of the move
    /// before it, and the move that was made there.
    pub(in crate::records) fn at(&self, moves: usize) -> (Position, Option<Square>, Move) {
        let Walk { position, path } = &self.walk;
        let mut position = position.clone();
        for _ in moves..path.len() {
            position.undo_move();
        }
        let last = path[..moves].last().map(|mv| mv.to());
        (position, last.or(self.first_target), path[moves])
    }

    pub(in crate::records) fn record_mut(&mut self) -> &mut GameRecord {
        &mut self.record
    }

    pub(in crate::records) fn into_record(mut self) -> GameRecord {
        self.place_early_comments();
        self.drop_empty_line();
        self.record.omissions.extend(self.unread_times.omission());
        self.record
    }

    /// Says that something is left out of the record.
    pub(in crate::records) fn omit(&mut self, omission: impl Into<String>) {
        self.record.omissions.push(omission.into());
    }

    /// Says that something is a guess.
    pub(in crate::records) fn read_as(&mut self, reading: impl Into<String>) {
        self.record.readings.push(reading.into());
    }

    /// Ends the line with the illegal move that waits, if one does: it was the last one.
    ///
    /// # Errors
    /// It was the first move too, so that rather the start or the record is wrong.
    pub(in crate::records) fn end_with_illegal(&mut self) -> Result<(), RecordError> {
        let is_first = self.ply() == 0;
        if let Some((_, fault)) = self.illegal.as_ref().filter(|_| is_first) {
            return Err(fault.clone());
        }
        let Some((text, fault)) = self.illegal.take() else {
            return Ok(());
        };
        self.read_as(format!("{fault}, read as the end of the game"));
        self.end(Ending::IllegalMove { text });
        Ok(())
    }

    /// Counts a time that cannot be read. `place` is as in `line 12`.
    pub(in crate::records) fn omit_time(&mut self, place: &str, found: &str) {
        self.unread_times.add(place, found);
    }

    /// The illegal move that waits for an ending which explains it.
    pub(in crate::records) fn illegal(&self) -> Option<&str> {
        self.illegal.as_ref().map(|(text, _)| text.as_str())
    }

    /// Keeps an illegal move, which belongs to the ending, as does its time.
    pub(in crate::records) fn set_illegal(
        &mut self,
        text: &str,
        fault: RecordError,
        time: Option<Duration>,
    ) {
        self.closing_mut().add_time(time);
        self.illegal = Some((text.trim().to_owned(), fault));
    }

    /// What is wrong with the illegal move, which no longer waits.
    pub(in crate::records) fn take_illegal(&mut self) -> Option<RecordError> {
        self.illegal.take().map(|(_, fault)| fault)
    }

    /// Adds a legal move.
    pub(in crate::records) fn push(&mut self, mut recorded: RecordedMove) {
        for comment in std::mem::take(&mut self.early_comments) {
            recorded.add_comment(&comment);
        }
        self.walk.push(recorded.mv);
        self.moves_mut().push(recorded);
    }

    /// Takes a comment: the exact ending right after its word, as writers put it there, or else one
    /// that belongs to the ending, to the last move, or to the start. A comment that only looks
    /// like an ending stays a comment. A variation has no place for comments before its first
    /// move, which gets them.
    pub(in crate::records) fn add_comment(&mut self, line: &str) {
        if let Some(exact) = self.exact_ending(line) {
            self.end(exact);
        } else if self.has_ended || self.illegal.is_some() {
            self.closing_mut().add_comment(line);
        } else if let Some(last) = self.last_mut() {
            last.add_comment(line);
        } else if self.is_in_game() {
            self.record.comments.push(line.to_owned());
        } else {
            self.early_comments.push(line.to_owned());
        }
    }

    fn exact_ending(&mut self, line: &str) -> Option<Ending> {
        let last = self.last_word.take()?;
        let side = self.position().side_to_move();
        let EndingWords { word, is_exact } = self.words;
        Ending::from_text(line)
            .filter(|exact| !is_exact(exact) && word(exact, side) == Some(last.as_str()))
    }

    /// Gives the comments before the first move of a variation without moves to its ending.
    fn place_early_comments(&mut self) {
        let mut comments = std::mem::take(&mut self.early_comments);
        self.closing_mut().comments.append(&mut comments);
    }

    /// Ends the line that grows.
    pub(in crate::records) fn end(&mut self, ending: Ending) {
        self.place_early_comments();
        self.has_ended = true;
        match self.variation_mut() {
            Some(variation) => variation.ending = Some(ending),
            None => self.record.ending = ending,
        }
    }

    /// Ends the line that grows with a word, after which a comment may tell the exact ending.
    pub(in crate::records) fn end_with(&mut self, ending: Ending, word: Option<&str>) {
        self.end(ending);
        self.last_word = word.map(str::to_owned);
    }

    /// The last move of the line; `None` at its beginning.
    pub(in crate::records) fn last_mut(&mut self) -> Option<&mut RecordedMove> {
        self.moves_mut().last_mut()
    }

    pub(in crate::records) fn closing_mut(&mut self) -> &mut Closing {
        match self.line {
            Some(line) => &mut self.record.variations[line].closing,
            None => &mut self.record.closing,
        }
    }

    /// Goes back along the line that grows, and begins another after as many moves from the start.
    /// `false` if there are fewer, or too many variations.
    pub(in crate::records) fn branch(&mut self, after: usize) -> bool {
        let mut parent = self.line;
        while let Some(line) = parent
            && after <= self.record.variations[line].after
        {
            parent = self.record.variations[line].parent;
        }
        self.branch_from(parent, after)
    }

    /// Removes the variation that grows if nothing is in it.
    fn drop_empty_line(&mut self) {
        let Some(line) = self.line else { return };
        let variation = &self.record.variations[line];
        let is_last = line + 1 == self.record.variations.len();
        let is_empty = variation.moves.is_empty()
            && variation.ending.is_none()
            && variation.closing == Closing::default();
        if is_last && is_empty {
            self.line = variation.parent;
            self.record.variations.pop();
        }
    }

    /// Begins another line after as many moves from the start, off the line `parent`. What follows
    /// the last move of a game that has not ended continues it.
    pub(in crate::records) fn branch_from(&mut self, parent: Option<usize>, after: usize) -> bool {
        if parent.is_none() && self.ends_open(after) {
            self.continue_game();
            return true;
        }
        let variation = Variation {
            parent,
            after,
            moves: Vec::new(),
            ending: None,
            closing: Closing::default(),
        };
        let before = self.record.moves_before(&variation);
        if before.len() < after || self.record.variations.len() >= MOST_VARIATIONS {
            return false;
        }
        self.place_early_comments();
        self.last_word = None;
        if parent != self.line {
            self.drop_empty_line();
        }
        self.walk.go_to(&before);
        self.has_ended = false;
        self.line = Some(self.record.variations.len());
        self.record.variations.push(variation);
        true
    }

    /// Whether the game has as many moves and no ending. What stands behind them as a variation
    /// is read as the rest of the game in every format, since none has a word for no ending.
    fn ends_open(&self, moves: usize) -> bool {
        self.record.moves.len() == moves && self.record.ending == Ending::Unfinished
    }

    /// Goes to the end of the game, which grows from here on.
    fn continue_game(&mut self) {
        self.place_early_comments();
        self.last_word = None;
        self.drop_empty_line();
        self.line = None;
        self.has_ended = false;
        let moves: Vec<Move> = self.record.line().moves;
        self.walk.go_to(&moves);
        self.read_as(format!("a variation after move {}, read as what follows it", moves.len()));
    }

    fn variation_mut(&mut self) -> Option<&mut Variation> {
        self.line.map(|line| &mut self.record.variations[line])
    }

    fn moves_mut(&mut self) -> &mut Vec<RecordedMove> {
        match self.line {
            Some(line) => &mut self.record.variations[line].moves,
            None => &mut self.record.moves,
        }
    }
}

/// The game or a variation, as a writer goes through it.
pub(in crate::records) struct Line<'a> {
    /// Its index among the variations, `None` for the game.
    pub(in crate::records) index: Option<usize>,
    /// The moves from the start of the game to its first one.
    pub(in crate::records) before: Vec<Move>,
    /// The times that the players have used before it, by [`Color::index`].
    pub(in crate::records) totals: [Duration; Color::NUM],
    pub(in crate::records) moves: &'a [RecordedMove],
    pub(in crate::records) ending: Option<&'a Ending>,
    pub(in crate::records) closing: &'a Closing,
}

impl<'a> Line<'a> {
    /// The game without its variations.
    pub(in crate::records) fn of_game(record: &'a GameRecord) -> Self {
        Self {
            index: None,
            before: Vec::new(),
            totals: Default::default(),
            moves: &record.moves,
            ending: Some(&record.ending),
            closing: &record.closing,
        }
    }

    /// The variation with this index.
    pub(in crate::records) fn of_variation(record: &'a GameRecord, index: usize) -> Self {
        let variation = &record.variations[index];
        Self {
            index: Some(index),
            before: record.moves_before(variation),
            totals: record.totals_before(variation),
            moves: &variation.moves,
            ending: variation.ending.as_ref(),
            closing: &variation.closing,
        }
    }
}

/// The variations by the line that they branch off from, and after how many moves.
pub(in crate::records) struct Forks(BTreeMap<(Option<usize>, usize), Vec<usize>>);

impl Forks {
    pub(in crate::records) fn of(record: &GameRecord) -> Self {
        let mut forks: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, variation) in record.variations.iter().enumerate() {
            let place = (variation.parent, variation.after);
            forks.entry(place).or_default().push(index);
        }
        Self(forks)
    }

    /// The variations off the line `parent` after as many moves, in the order of the record.
    pub(in crate::records) fn at(&self, parent: Option<usize>, after: usize) -> &[usize] {
        self.0.get(&(parent, after)).map_or(&[], Vec::as_slice)
    }

    /// The variations off a line, those off its end first.
    pub(in crate::records) fn of_line(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let own = self.0.range((parent, 0)..=(parent, usize::MAX)).rev();
        own.flat_map(|(_, forks)| forks.iter().copied())
    }
}

/// A position with the moves that led to it. The moves that two lines share are not made again, so
/// that a record costs no more than its moves, however its variations are nested.
pub(in crate::records) struct Walk {
    position: Position,
    path: Vec<Move>,
}

impl Walk {
    pub(in crate::records) fn new(start: Position) -> Self {
        Self { position: start, path: Vec::new() }
    }

    pub(in crate::records) fn position(&self) -> &Position {
        &self.position
    }

    /// Moves from the start.
    pub(in crate::records) fn ply(&self) -> usize {
        self.path.len()
    }

    /// Makes a legal move.
    pub(in crate::records) fn push(&mut self, mv: Move) {
        self.position.do_move(mv);
        self.path.push(mv);
    }

    /// Goes to the end of a line of legal moves from the start.
    pub(in crate::records) fn go_to(&mut self, line: &[Move]) {
        let pairs = self.path.iter().zip(line);
        let common = pairs.take_while(|(old, new)| old == new).count();
        while self.path.len() > common {
            self.position.undo_move();
            self.path.pop();
        }
        for &mv in &line[common..] {
            self.push(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::sfen_line::SfenLine;

    #[test]
    fn every_line_is_reached() {
        let line = |text: &str| -> SfenLine { text.parse().expect("the line of a test") };
        let mut walk = Walk::new(Position::startpos());
        for text in [
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
            "startpos moves 7g7f 3c3d 2g2f",
            "startpos moves 2g2f",
            "startpos",
            "startpos moves 7g7f 8c8d",
        ] {
            let line = line(text);
            walk.go_to(&line.moves);
            assert_eq!(walk.position().to_sfen(), line.position().to_sfen());
            assert_eq!(walk.ply(), line.moves.len());
        }
    }
}
