//! Reads the positions and moves of a block of text.

use super::line::{Line, parse_move, parse_position, split_line};
use crate::book::entry::BookMove;
use crate::book::fault::{BookFault, Place, Problem};
use crate::book::memory::Node;

/// The content of a block.
#[derive(Default, Debug)]
pub(super) struct Block {
    /// The positions in order; their moves are parts of `moves`.
    pub(super) nodes: Vec<Node>,
    /// The moves of all positions, one after another.
    pub(super) moves: Vec<BookMove>,
    /// What was skipped.
    pub(super) faults: Vec<BookFault>,
    /// Number of lines.
    pub(super) lines: u64,
}

/// To which position a move belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    LastNode,
    /// A position that is skipped.
    Skipped,
}

impl Block {
    /// Reads a block whose first line has the number `first_line` + 1.
    pub(super) fn read(mut text: &[u8], first_line: u64) -> Self {
        let mut block = Self::default();
        let mut owner = Owner::Nobody;
        while !text.is_empty() {
            let (line, rest) = split_line(text);
            text = rest;
            block.lines += 1;
            let read = match (Line::of(line), owner) {
                (Line::Nothing, _) | (Line::Move(_), Owner::Skipped) => Ok(owner),
                (Line::Position(text), _) => block.add_position(text),
                (Line::Move(line), Owner::LastNode) => block.add_move(line).map(|()| owner),
                (Line::Move(line), Owner::Nobody) => {
                    Err(parse_move(line).err().unwrap_or(Problem::MoveOutside))
                }
            };
            match (read, Line::of(line)) {
                (Ok(next), _) => owner = next,
                (Err(problem), line) => {
                    if matches!(line, Line::Position(_)) {
                        owner = Owner::Skipped;
                    }
                    let place = Place::Line(first_line + block.lines);
                    block.faults.push(BookFault::new(place, problem));
                }
            }
        }
        block
    }

    fn add_position(&mut self, text: &[u8]) -> Result<Owner, Problem> {
        let (position, ply) = parse_position(text)?;
        self.nodes.push(Node {
            position,
            ply,
            first_move: self.moves.len(),
            move_count: 0,
        });
        Ok(Owner::LastNode)
    }

    fn add_move(&mut self, line: &[u8]) -> Result<(), Problem> {
        self.moves.push(parse_move(line)?);
        if let Some(node) = self.nodes.last_mut() {
            node.move_count += 1;
        }
        Ok(())
    }
}
