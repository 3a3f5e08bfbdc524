//! The main line of a proven mate, read from the table: the attacker mates as fast as is known, the
//! defender holds out as long as possible. The line is replayed on a board before it is reported.
//!
//! Second solutions (余詰) are moves of the attacker besides those of the main line, at any point of
//! it, that mate as well. A sound tsume problem has none.

use std::iter;

use super::proof_numbers::{NO_LIMIT, ProofNumbers};
use super::table::{Entry, Table};
use super::worker::{Child, Control, NOT_DELAYED, Worker};
use super::{Line, is_mating_line, length::Lengths};
use crate::{position::Position, types::Move};

/// Most times that the line is walked to improve the lengths that the defender chooses by.
const MAX_WALKS: usize = 30;

impl Worker<'_> {
    /// [`Self::main_line`], replayed on a board.
    pub(super) fn checked_line(&mut self) -> Option<Vec<Move>> {
        let line = self.main_line()?;
        is_mating_line(&self.position, &line).then_some(line)
    }

    /// A mating line from the current position, with its length.
    pub(super) fn counted(&mut self, moves: Vec<Move>) -> Line {
        let mut length = None;
        for (index, &mv) in moves.iter().enumerate() {
            self.do_move(mv);
            if index % 2 == 0
                && length.is_none()
                && Lengths::new(self).is_within::<false>(0).unwrap_or(false)
            {
                length = Some(index + 1);
            }
        }
        for _ in &moves {
            self.undo_move();
        }
        let length = length.unwrap_or(moves.len());
        Line { moves, length }
    }

    /// Whether the attacker has pieces in hand after an answer and a line that follows.
    pub(super) fn leaves_pieces(&mut self, answer: Move, line: &Line) -> bool {
        let moves = || iter::once(&answer).chain(&line.moves[..line.length]);
        moves().for_each(|&mv| self.do_move(mv));
        let leaves_pieces = !self.position.hand(self.attacker).is_empty();
        moves().for_each(|_| self.undo_move());
        leaves_pieces
    }

    /// The proven length of the current position, whose numbers were `numbers` before
    /// [`Self::main_line`]: walking the line may have improved it.
    pub(super) fn proven_length(&self, numbers: ProofNumbers) -> i16 {
        let improved = self.solved_in_table(NO_LIMIT);
        improved.map_or(numbers.length, |improved| improved.length.min(numbers.length))
    }

    /// A line that mates from the current position, which must be proven. `None` where the search
    /// must stop before parts of the proof that were evicted from a small table are searched again.
    fn main_line(&mut self) -> Option<Vec<Move>> {
        let mut line = None;
        for walk in 0..MAX_WALKS {
            let mut moves = Vec::new();
            let is_mate = self.walk_line(walk > 0, &mut moves).is_some();
            self.walk_back(moves.len());
            if !is_mate {
                break;
            }
            let is_exact = self
                .solved_in_table(NO_LIMIT)
                .is_none_or(|numbers| moves.len() >= numbers.length as usize);
            line = Some(moves);
            if is_exact || self.should_stop() {
                break;
            }
        }
        line
    }

    /// Takes the moves of a line back and improves the length of each node from its children.
    /// Lengths are upper bounds: with better ones another defence may turn out to hold out longer.
    fn walk_back(&mut self, count: usize) {
        for plies in (0..count).rev() {
            self.undo_move();
            if plies % 2 == 0 {
                self.improve_length::<true>();
            } else {
                self.improve_length::<false>();
            }
        }
    }

    /// Stores the current node again where its children prove a shorter mate than the table has.
    fn improve_length<const OR: bool>(&mut self) {
        let first = self.children.len();
        self.expand::<OR>(NO_LIMIT, None);
        let is_solved = self.summarize::<OR>(first).is_none();
        let (numbers, mv) = self.solved_numbers::<OR>(first, NO_LIMIT);
        self.children.truncate(first);
        let hand = self.position.hand(self.attacker);
        let stored = self.table.look_up(self.board_key(), hand, NO_LIMIT);
        if is_solved
            && numbers.is_proven()
            && let Some(stored) = stored.filter(|stored| stored.numbers.length > numbers.length)
        {
            let mv = mv.map(Move::to_move16);
            let entry = Entry { numbers, mv, ..stored };
            self.table.store(self.board_key(), &entry);
        }
    }

    /// Appends the moves of a line to `moves` and makes them. With `looks_ahead` lengths are
    /// compared after improving them by one more ply.
    fn walk_line(&mut self, looks_ahead: bool, moves: &mut Vec<Move>) -> Option<()> {
        loop {
            let attack = self.best_attack()?;
            self.do_move(attack);
            moves.push(attack);
            let Some(defence) = self.best_defence(looks_ahead)? else {
                return Some(());
            };
            self.do_move(defence);
            moves.push(defence);
        }
    }

    /// The move that mates fastest; of equal ones rather a promotion than a non-promotion.
    fn best_attack(&mut self) -> Option<Move> {
        for is_searched in [false, true] {
            if is_searched && !self.solve_position::<true>(NO_LIMIT).is_proven() {
                return None;
            }
            let children = self.children_of_node::<true>(NO_LIMIT);
            let mates = children.iter().filter(|child| child.numbers.is_proven());
            let key = |child: &&Child| (child.numbers.length, child.is_weak_non_promotion());
            if let Some(child) = mates.min_by_key(key) {
                return Some(child.mv);
            }
        }
        None
    }

    /// The move that holds out longest, `Some(None)` where there is no legal answer.
    #[expect(clippy::option_option, reason = "`None` is the stop, as everywhere here")]
    fn best_defence(&mut self, looks_ahead: bool) -> Option<Option<Move>> {
        let mut children = self.children_of_node::<false>(NO_LIMIT);
        for child in &mut children {
            if !child.numbers.is_proven() {
                child.numbers = self.solve_after::<true>(child.mv, NO_LIMIT);
            }
            if !child.numbers.is_proven() {
                return None;
            }
            if looks_ahead {
                self.do_move(child.mv);
                self.improve_length::<true>();
                child.numbers = self.solved_in_table(NO_LIMIT).unwrap_or(child.numbers);
                self.undo_move();
            }
        }
        let others = children.iter().filter(|child| !child.mv.is_drop());
        let length = others.map(Child::length).max().unwrap_or(0);
        let best = children.iter().min_by_key(|child| {
            let plies = std::cmp::Reverse(child.numbers.length);
            let looks_futile = child.mv.is_drop() && self.looks_futile(child.mv, length);
            (looks_futile, plies, child.is_weak_non_promotion())
        });
        Some(best.map(|child| child.mv))
    }

    /// Whether the table knows that the attacker can capture a dropped piece and mate within
    /// `length` plies after that without it: the defender rather does something else.
    fn looks_futile(&mut self, drop: Move, length: i16) -> bool {
        let hand = self.position.hand(self.attacker);
        self.do_move(drop);
        let captures = self.children_of_node::<true>(NO_LIMIT);
        let looks_futile = captures.iter().any(|capture| {
            let known = self.table.look_up(capture.key, hand, NO_LIMIT);
            let known = known.filter(|entry| entry.numbers.is_proven());
            capture.mv.to() == drop.to()
                && known.is_some_and(|entry| {
                    entry.numbers.length <= length || self.all_look_futile(capture.mv, length)
                })
        });
        self.undo_move();
        looks_futile
    }

    /// Whether each answer to a capture is mated in time or looks futile.
    fn all_look_futile(&mut self, capture: Move, length: i16) -> bool {
        self.do_move(capture);
        let answers = self.children_of_node::<false>(NO_LIMIT);
        let all_look_futile = answers.iter().all(|answer| {
            let is_quick = answer.numbers.is_proven() && answer.length() <= length;
            is_quick || answer.mv.is_drop() && self.looks_futile(answer.mv, length)
        });
        self.undo_move();
        all_look_futile
    }

    /// The moves of the current node and what is known about each within `limit`.
    pub(super) fn children_of_node<const OR: bool>(&mut self, limit: i16) -> Vec<Child> {
        let first = self.children.len();
        self.expand::<OR>(limit, None);
        self.children.split_off(first)
    }
}

/// A move that mates in place of the main line's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondSolution {
    /// The index in the main line of the move that it replaces.
    pub index: usize,
    /// The move that mates too.
    pub mv: Move,
    /// Plies to mate, itself included: an upper bound.
    pub length: usize,
}

/// An answer that holds out as long as that of the main line (変化同手数).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EqualDefence {
    /// The index in the main line of the move that it replaces.
    pub index: usize,
    /// The other answer of the defender.
    pub mv: Move,
    /// Whether the attacker has pieces in hand at the mate (駒余り): then it is not the solution.
    pub leaves_pieces: bool,
}

/// All second solutions of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SecondSolutions {
    /// The second solutions found, in the order of the line.
    pub found: Vec<SecondSolution>,
    /// The defences as long as the line's, if its length is proven.
    pub defences: Vec<EqualDefence>,
    /// Whether every other move was either listed or disproven.
    pub is_complete: bool,
    /// Moves made to find them.
    pub nodes: u64,
}

/// Looks for other mates at every move of the attacker in `line`. A move that only returns to a
/// position of the main line is not a second solution. If the line is proven to be the shortest,
/// looks for defences as long as its own, too.
pub(super) fn second_solutions(
    position: &Position,
    line: &[Move],
    is_shortest: bool,
    table: &Table,
    control: Control<'_>,
) -> SecondSolutions {
    let mut solutions = SecondSolutions { is_complete: true, ..SecondSolutions::default() };
    let attacker = position.side_to_move();
    for index in (0..line.len()).step_by(2) {
        // Proofs found at other moves may pass through this position, so they must not count here.
        table.new_problem();
        let mut worker = Worker::new(position, attacker, table, control, None);
        line[..index].iter().for_each(|&mv| worker.do_move(mv));
        let first = worker.children.len();
        worker.expand::<true>(NO_LIMIT, None);
        let children = worker.children.split_off(first);
        for child in children.iter().filter(|child| child.mv != line[index]) {
            // A non-promotion counts as the same solution as the promotion.
            let is_delayed = child.delayed_by != NOT_DELAYED;
            let promotion = is_delayed.then(|| children[usize::from(child.delayed_by)].mv);
            if promotion == Some(line[index]) {
                continue;
            }
            let numbers = worker.solve_after::<false>(child.mv, NO_LIMIT);
            if numbers.is_proven() {
                solutions.found.push(SecondSolution {
                    index,
                    mv: child.mv,
                    length: numbers.length as usize + 1,
                });
            }
            solutions.is_complete &= numbers.is_solved();
        }
        if is_shortest && index > 0 {
            worker.undo_move();
            let plies = (line.len() + 1 - index) as i16;
            match Lengths::new(&mut worker).equal_defences(line[index - 1], plies) {
                Ok(defences) => {
                    let equal =
                        |(mv, leaves_pieces)| EqualDefence { index: index - 1, mv, leaves_pieces };
                    solutions.defences.extend(defences.into_iter().map(equal));
                }
                Err(_) => solutions.is_complete = false,
            }
        }
        solutions.nodes += worker.nodes;
        if worker.should_stop() {
            solutions.is_complete = false;
            break;
        }
    }
    solutions
}
