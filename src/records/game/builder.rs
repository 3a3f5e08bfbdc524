//! Builds a record move by move, with the lines that branch off.

use super::{Closing, Ending, GameRecord, RecordedMove, Variation, Walk};
use crate::position::Position;
use crate::types::{Move, Square};

/// Most variations of a record. More come from no program.
const MOST_VARIATIONS: usize = 20_000;

/// A record that grows at the end of one of its lines.
pub(in crate::records) struct Builder {
    record: GameRecord,
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
    pub(in crate::records) fn new(start: Position) -> Self {
        Self {
            walk: Walk::new(start.clone()),
            record: GameRecord::new(start),
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

    pub(in crate::records) fn record_mut(&mut self) -> &mut GameRecord {
        &mut self.record
    }

    pub(in crate::records) fn into_record(mut self) -> GameRecord {
        self.place_early_comments();
        self.drop_empty_line();
        self.record
    }

    /// Adds a legal move.
    pub(in crate::records) fn push(&mut self, mut recorded: RecordedMove) {
        for comment in std::mem::take(&mut self.early_comments) {
            recorded.add_comment(&comment);
        }
        self.walk.push(recorded.mv);
        self.moves_mut().push(recorded);
    }

    /// Adds a comment where it belongs: to the ending, to the last move, or to the start. A
    /// variation has no place for comments before its first move, which gets them.
    pub(in crate::records) fn add_comment(&mut self, line: &str) {
        if self.has_ended {
            self.closing_mut().add_comment(line);
        } else if let Some(last) = self.last_mut() {
            last.add_comment(line);
        } else if self.is_in_game() {
            self.record.comments.push(line.to_owned());
        } else {
            self.early_comments.push(line.to_owned());
        }
    }

    /// Gives the comments before the first move of a variation without moves to its ending.
    fn place_early_comments(&mut self) {
        let mut comments = std::mem::take(&mut self.early_comments);
        self.closing_mut().comments.append(&mut comments);
    }

    /// Ends the line.
    pub(in crate::records) fn end(&mut self, ending: Ending) {
        self.place_early_comments();
        self.has_ended = true;
        match self.variation_mut() {
            Some(variation) => variation.ending = Some(ending),
            None => self.record.ending = ending,
        }
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

    /// Begins another line after as many moves from the start, off the line `parent`.
    pub(in crate::records) fn branch_from(&mut self, parent: Option<usize>, after: usize) -> bool {
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
        if parent != self.line {
            self.drop_empty_line();
        }
        self.walk.go_to(&before);
        self.has_ended = false;
        self.line = Some(self.record.variations.len());
        self.record.variations.push(variation);
        true
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
