//! A position that goes from one line of a record to another.

use crate::position::Position;
use crate::types::Move;

/// A position with the moves that led to it. The moves that two lines share are not made again, so
/// that a record costs no more than its moves, however its variations are nested.
pub(in crate::records) struct Walk {
    position: Position,
    path: Vec<Move>,
}

impl Walk {
    pub(in crate::records) fn new(start: Position) -> Self {
        Self {
            position: start,
            path: Vec::new(),
        }
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
