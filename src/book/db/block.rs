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
    /// Line of each position, from 1.
    pub(super) node_lines: Vec<u64>,
    /// The moves of all positions, one after another.
    pub(super) moves: Vec<BookMove>,
    /// Line of each move, from 1; empty unless the block is read strictly.
    pub(super) move_lines: Vec<u64>,
    /// What was skipped.
    pub(super) faults: Vec<BookFault>,
    /// Number of lines.
    pub(super) lines: u64,
}

/// How positions may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Any,
    /// As `YaneuraOu` writes them.
    Canonical,
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
    pub(super) fn read(text: &[u8], first_line: u64) -> Self {
        Self::read_with(text, first_line, Spelling::Any)
    }

    /// The same with the lines of the moves, and a fault for each position that other programs
    /// would not find.
    pub(super) fn read_strictly(text: &[u8], first_line: u64) -> Self {
        Self::read_with(text, first_line, Spelling::Canonical)
    }

    fn read_with(mut text: &[u8], first_line: u64, spelling: Spelling) -> Self {
        let mut block = Self::default();
        let mut owner = Owner::Nobody;
        while !text.is_empty() {
            let (line, rest) = split_line(text);
            text = rest;
            block.lines += 1;
            let number = first_line + block.lines;
            let line = Line::of(line);
            let read = match (line, owner) {
                (Line::Nothing, _) | (Line::Move(_), Owner::Skipped) => Ok(owner),
                (Line::Position(text), _) => {
                    if spelling == Spelling::Canonical {
                        block.check_spelling(text, number);
                    }
                    block.add_position(text, number)
                }
                (Line::Move(line), Owner::LastNode) => block.add_move(line).map(|()| {
                    if spelling == Spelling::Canonical {
                        block.move_lines.push(number);
                    }
                    owner
                }),
                (Line::Move(line), Owner::Nobody) => {
                    Err(parse_move(line).err().unwrap_or(Problem::MoveOutside))
                }
            };
            owner = read.unwrap_or_else(|problem| {
                let fault = BookFault::new(Place::Line(number), problem);
                block.faults.push(fault);
                match line {
                    Line::Position(_) => Owner::Skipped,
                    Line::Nothing | Line::Move(_) => owner,
                }
            });
        }
        block
    }

    /// Compares a good position with its canonical SFEN.
    fn check_spelling(&mut self, text: &[u8], line: u64) {
        if let Ok((position, ply)) = parse_position(text)
            && let Ok(board) = position.unpack_board()
        {
            let sfen = format!("{} {ply}", board.to_sfen());
            if text != sfen.as_bytes() {
                let place = Place::Line(line);
                self.faults
                    .push(BookFault::new(place, Problem::Spelling(sfen)));
            }
        }
    }

    fn add_position(&mut self, text: &[u8], line: u64) -> Result<Owner, Problem> {
        let (position, ply) = parse_position(text)?;
        self.node_lines.push(line);
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
