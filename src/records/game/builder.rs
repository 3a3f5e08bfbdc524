//! Builds a record move by move, with the lines that branch off.

use super::{Closing, Ending, GameRecord, RecordedMove, Variation};
use crate::position::Position;
use crate::types::{Move, Square};

/// Most variations of a record. More come from no program, and each costs a walk from the start.
const MOST_VARIATIONS: usize = 20_000;

/// A record that grows at the end of one of its lines.
pub(in crate::records) struct Builder {
    record: GameRecord,
    /// The line that grows: an index of the variations, `None` for the game.
    line: Option<usize>,
    /// Whether the line that grows has ended.
    has_ended: bool,
    position: Position,
    /// Moves from the start to `position`.
    ply: usize,
}

impl Builder {
    pub(in crate::records) fn new(start: Position) -> Self {
        Self {
            position: start.clone(),
            record: GameRecord::new(start),
            line: None,
            has_ended: false,
            ply: 0,
        }
    }

    pub(in crate::records) fn position(&self) -> &Position {
        &self.position
    }

    /// Moves from the start to the end of the line that grows.
    pub(in crate::records) fn ply(&self) -> usize {
        self.ply
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

    /// The target square of the last move.
    pub(in crate::records) fn last_target(&self) -> Option<Square> {
        self.position.last_move().map(Move::to)
    }

    pub(in crate::records) fn record_mut(&mut self) -> &mut GameRecord {
        &mut self.record
    }

    pub(in crate::records) fn into_record(self) -> GameRecord {
        self.record
    }

    /// Adds a legal move.
    pub(in crate::records) fn push(&mut self, recorded: RecordedMove) {
        self.position.do_move(recorded.mv);
        self.ply += 1;
        self.moves_mut().push(recorded);
    }

    /// Ends the line.
    pub(in crate::records) fn end(&mut self, ending: Ending) {
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
        self.position = self.record.start.clone();
        for &mv in &before {
            self.position.do_move(mv);
        }
        self.ply = after;
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
