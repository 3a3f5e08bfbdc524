//! Finds the positions just outside of a book that good play reaches.
//!
//! From each root the moves of the book are followed, those that lose least first, in the order of
//! what all moves of the line have lost together. A position is passed once, on the line that loses
//! least, so that transpositions count once and repetitions not at all. Both sides lose: a line on
//! which both play their best moves loses nothing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::growing::GrowingBook;
use crate::book::rotated_move;
use crate::makebook::minimax::{Graph, Rules, Solution};
use crate::makebook::think::Task;
use crate::position::{Board, Position};
use crate::records::packed::PackedSfen;
use crate::types::{Color, Move16};

/// How many of the best moves are followed, by ply from the root; the last number goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Widths(Vec<usize>);

/// The text is no list of widths.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is no list of numbers, expected for example 4 or 8,4,2")]
pub struct WidthsError(String);

impl Widths {
    fn at(&self, ply: usize) -> usize {
        let width = self.0.get(ply).or(self.0.last());
        width.copied().unwrap_or(1)
    }
}

impl FromStr for Widths {
    type Err = WidthsError;

    fn from_str(text: &str) -> Result<Self, WidthsError> {
        let error = || WidthsError(text.to_owned());
        let widths = text.split(',').map(|width| width.trim().parse().ok());
        let widths: Vec<usize> = widths.collect::<Option<_>>().ok_or_else(error)?;
        if widths.contains(&0) {
            return Err(error());
        }
        Ok(Self(widths))
    }
}

/// Who will use a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum User {
    /// Black only.
    Black,
    /// White only.
    White,
    /// Both sides.
    Both,
}

impl User {
    const fn colors(self) -> &'static [Color] {
        match self {
            Self::Black => &[Color::Black],
            Self::White => &[Color::White],
            Self::Both => &Color::ALL,
        }
    }
}

/// How far a book is followed and extended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reach {
    /// Who will use the book.
    pub user: User,
    /// Moves of the side that uses the book.
    pub own: Widths,
    /// Moves of its opponent.
    pub other: Widths,
    /// Most centipawns that a followed move of the side that uses the book loses.
    pub own_loss: i32,
    /// The same for its opponent.
    pub other_loss: i32,
    /// Most centipawns that all moves of a line lose together.
    pub line_loss: i32,
    /// Positions that are better or worse than this, in centipawns, are decided: no line goes on.
    pub decided: i32,
    /// Most plies from a root.
    pub plies: usize,
}

/// A position outside of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The position and its ply.
    pub task: Task,
    /// What all moves of the line have lost, in centipawns.
    pub loss: i32,
}

/// The next `count` leaves, those that lose least first; equal ones in an order that depends on the
/// book alone.
pub(super) fn leaves(
    book: &GrowingBook,
    roots: &[Position],
    reach: &Reach,
    count: usize,
) -> Vec<Leaf> {
    let graph = book.graph();
    let solution = Solution::of(&graph, Rules::default());
    let mut found: HashMap<PackedSfen, Leaf> = HashMap::new();
    for &user in reach.user.colors() {
        let mut walk = Walk {
            book,
            graph: &graph,
            solution: &solution,
            reach,
            user,
            queue: BinaryHeap::new(),
            passed: HashSet::new(),
            leaves: Vec::new(),
            wanted: count,
        };
        walk.run(roots);
        for leaf in walk.leaves {
            let known = found.entry(leaf.task.position).or_insert(leaf);
            if leaf.loss < known.loss {
                *known = leaf;
            }
        }
    }
    let mut leaves: Vec<Leaf> = found.into_values().collect();
    leaves.sort_by_key(|leaf| (leaf.loss, leaf.task.ply, leaf.task.position));
    leaves.truncate(count);
    leaves
}

/// A position on the way: what its line has lost, plies from the root, its packed form, which
/// decides between equal ones, and its ply in the game.
type Step = Reverse<(i32, usize, PackedSfen, u32)>;

struct Walk<'a> {
    book: &'a GrowingBook,
    graph: &'a Graph,
    solution: &'a Solution,
    reach: &'a Reach,
    /// The side that uses the book.
    user: Color,
    queue: BinaryHeap<Step>,
    /// Positions that were passed or are leaves.
    passed: HashSet<PackedSfen>,
    leaves: Vec<Leaf>,
    wanted: usize,
}

impl Walk<'_> {
    fn run(&mut self, roots: &[Position]) {
        for root in roots {
            let packed = PackedSfen::of(root);
            self.queue.push(Reverse((0, 0, packed, root.game_ply())));
        }
        while let Some(Reverse((loss, plies, packed, ply))) = self.queue.pop() {
            if self.leaves.len() >= self.wanted {
                return;
            }
            // Whatever is in the queue was packed from a board.
            let Ok(board) = packed.unpack_board() else {
                continue;
            };
            let turned = PackedSfen::of_board(&board.rotated());
            let is_new = self.passed.insert(packed);
            match self.book.find(&board) {
                Some((number, is_turned)) if is_new => {
                    self.follow(&board, number, is_turned, (loss, plies, ply));
                }
                // With the colours swapped it would be the same search.
                None if is_new && !self.passed.contains(&turned) => self.leaves.push(Leaf {
                    task: Task {
                        position: packed,
                        ply,
                    },
                    loss,
                }),
                _ => {}
            }
        }
    }

    /// Puts the positions after the good moves of a position of the book into the queue.
    fn follow(
        &mut self,
        board: &Board,
        number: usize,
        is_turned: bool,
        (loss, plies, ply): (i32, usize, u32),
    ) {
        let Some(best) = self.solution.best(self.graph, number) else {
            return;
        };
        let best = i32::from(best.value);
        if plies >= self.reach.plies || best.abs() > self.reach.decided {
            return;
        }
        let is_own = board.side_to_move() == self.user;
        let (widths, most) = if is_own {
            (&self.reach.own, self.reach.own_loss)
        } else {
            (&self.reach.other, self.reach.other_loss)
        };
        // The node shows its moves from black's view.
        let is_white = self.book.board(number).side_to_move() == Color::White;
        let mut moves = Vec::new();
        self.solution.outcomes(self.graph, number, &mut moves);
        for &(mv, outcome) in moves.iter().take(widths.at(plies)) {
            let worse = best - i32::from(outcome.value);
            let loss = loss.saturating_add(worse);
            if worse > most || loss > self.reach.line_loss {
                break;
            }
            if let Some(after) = after(board, mv, is_white != is_turned) {
                let packed = PackedSfen::of_board(&after);
                if !self.passed.contains(&packed) {
                    self.queue.push(Reverse((loss, plies + 1, packed, ply + 1)));
                }
            }
        }
    }
}

/// The board after a legal move, which is given from the other side's view if `is_rotated`.
fn after(board: &Board, mv: Move16, is_rotated: bool) -> Option<Board> {
    let mv = if is_rotated { rotated_move(mv)? } else { mv };
    let mv = board.to_move(mv)?;
    let mut after = board.clone();
    after.apply(mv);
    Some(after)
}
