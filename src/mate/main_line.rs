//! The main line of a proven mate, read from the table: the attacker mates as fast as is known, the
//! defender holds out as long as possible. The line is replayed on a board before it is reported.
//!
//! Second solutions (余詰) are moves of the attacker besides those of the main line, at any point of
//! it, that mate as well. A sound tsume problem has none.

use super::proof_numbers::{NO_LIMIT, ProofNumbers, limit_after_move};
use super::table::{Entry, Table};
use super::worker::{Child, Control, NOT_DELAYED, Worker};
use super::{Line, is_mating_line, proof_hands};
use crate::position::Position;
use crate::types::{Move, Square};

/// Most times that the line is walked to improve the lengths that the defender chooses by.
const MAX_WALKS: usize = 30;

/// The defender's choice at a node of the line.
enum Defence {
    /// There is no legal answer.
    Mated,
    /// The move that holds out longest.
    Move(Move),
    /// Only futile interpositions are left; this is one.
    Futile(Move),
}

/// How the defender chooses.
#[derive(Clone, Copy)]
struct DefenceOptions {
    /// No mate in two plies less exists, so that some defence refutes that.
    is_shortest: bool,
    /// Compare lengths after improving them by one more ply.
    looks_ahead: bool,
}

impl Worker<'_> {
    /// [`Self::main_line`], replayed on a board.
    pub(super) fn checked_line(&mut self, limit: u16, is_shortest: bool) -> Option<Line> {
        let line = self.main_line(limit, is_shortest)?;
        is_mating_line(&self.position, &line.moves).then_some(line)
    }

    /// The proven length of the current position, whose numbers were `numbers` before
    /// [`Self::main_line`]: walking the line may have improved it.
    pub(super) fn proven_length(&self, numbers: ProofNumbers) -> u16 {
        let improved = self.solved_in_table(NO_LIMIT);
        improved.map_or(numbers.length, |improved| {
            improved.length.min(numbers.length)
        })
    }

    /// A line of at most `limit` plies that mates from the current position, which must be proven.
    /// With `is_shortest` no mate in two plies less may exist, and the defender's moves show it.
    /// `None` where the search must stop before parts of the proof that were evicted from a small
    /// table are searched again.
    pub(super) fn main_line(&mut self, limit: u16, is_shortest: bool) -> Option<Line> {
        let mut line = None;
        for walk in 0..MAX_WALKS {
            let mut moves = Vec::new();
            let options = DefenceOptions {
                is_shortest,
                looks_ahead: walk > 0,
            };
            let length = self.walk_line(limit, options, &mut moves);
            self.walk_back(moves.len(), limit);
            let Some(length) = length else { break };
            let is_exact = self
                .solved_in_table(limit)
                .is_none_or(|numbers| moves.len() >= numbers.length.into());
            line = Some(Line { moves, length });
            if is_exact || self.should_stop() {
                break;
            }
        }
        line
    }

    /// Takes the moves of a line back and improves the length of each node from its children.
    /// Lengths are upper bounds: with better ones another defence may turn out to hold out longer.
    fn walk_back(&mut self, count: usize, limit: u16) {
        for plies in (0..count).rev() {
            self.undo_move();
            let limit = (0..plies).fold(limit, |left, _| limit_after_move(left));
            if plies % 2 == 0 {
                self.improve_length::<true>(limit);
            } else {
                self.improve_length::<false>(limit);
            }
        }
    }

    /// Stores the current node again where its children prove a shorter mate than the table has.
    fn improve_length<const OR: bool>(&mut self, limit: u16) {
        let first = self.children.len();
        self.expand::<OR>(limit);
        let is_solved = self.summarize::<OR>(first).is_none();
        let (numbers, mv) = self.solved_numbers::<OR>(first);
        self.children.truncate(first);
        let hand = self.position.hand(self.attacker);
        let stored = self.table.look_up(self.board_key(), hand, limit);
        if is_solved
            && numbers.is_proven()
            && let Some(stored) = stored.filter(|stored| stored.numbers.length > numbers.length)
        {
            let mv = mv.map(Move::to_move16);
            let entry = Entry {
                numbers,
                mv,
                ..stored
            };
            self.table.store(self.board_key(), &entry);
        }
    }

    /// Appends the moves of a line to `moves` and makes them. Returns the length as tsume counts
    /// it.
    fn walk_line(
        &mut self,
        mut limit: u16,
        options: DefenceOptions,
        moves: &mut Vec<Move>,
    ) -> Option<usize> {
        let mut length = None;
        loop {
            let attack = self.best_attack(limit)?;
            self.do_move(attack);
            moves.push(attack);
            limit = limit_after_move(limit);
            let defence = match self.best_defence(limit, options)? {
                Defence::Mated => return Some(length.unwrap_or(moves.len())),
                Defence::Move(mv) => mv,
                Defence::Futile(mv) => {
                    length.get_or_insert(moves.len());
                    mv
                }
            };
            self.do_move(defence);
            moves.push(defence);
            limit = limit_after_move(limit);
        }
    }

    /// The move that mates fastest; of equal ones rather a promotion than a non-promotion.
    fn best_attack(&mut self, limit: u16) -> Option<Move> {
        for is_searched in [false, true] {
            if is_searched && !self.solve_position::<true>(limit).is_proven() {
                return None;
            }
            let children = self.children_of_node::<true>(limit);
            let mates = children.iter().filter(|child| child.numbers.is_proven());
            let key = |child: &&Child| (child.numbers.length, child.is_weak_non_promotion());
            if let Some(child) = mates.min_by_key(key) {
                return Some(child.mv);
            }
        }
        None
    }

    /// The move that holds out longest.
    fn best_defence(&mut self, limit: u16, options: DefenceOptions) -> Option<Defence> {
        let mut children = self.children_of_node::<false>(limit);
        let limit = limit_after_move(limit);
        for child in &mut children {
            if !child.numbers.is_proven() {
                child.numbers = self.solve_after::<true>(child.mv, limit);
            }
            if !child.numbers.is_proven() {
                return None;
            }
            if options.looks_ahead {
                self.do_move(child.mv);
                self.improve_length::<true>(limit);
                child.numbers = self.solved_in_table(limit).unwrap_or(child.numbers);
                self.undo_move();
            }
        }
        children.sort_by_key(|child| {
            let length = std::cmp::Reverse(child.numbers.length);
            (length, child.is_weak_non_promotion())
        });
        let futile = self.futile_interpositions(&children);
        let counts = |child: &&Child| !futile.contains(&child.mv);
        let Some(mut best) = children.iter().find(counts).map(|child| child.mv) else {
            let first = children.first();
            return Some(first.map_or(Defence::Mated, |child| Defence::Futile(child.mv)));
        };
        if options.is_shortest && limit > 2 {
            // Lengths are upper bounds: only the disproof of a shorter mate shows which defence
            // really holds out longest.
            for child in children.iter().filter(counts) {
                if self.solve_after::<true>(child.mv, limit - 2).is_disproven() {
                    best = child.mv;
                    break;
                }
            }
        }
        Some(Defence::Move(best))
    }

    fn children_of_node<const OR: bool>(&mut self, limit: u16) -> Vec<Child> {
        let first = self.children.len();
        self.expand::<OR>(limit);
        self.children.split_off(first)
    }

    /// Those of the answers to a check that tsume does not count.
    fn futile_interpositions(&mut self, children: &[Child]) -> Vec<Move> {
        let others = children.iter().filter(|child| !child.mv.is_drop());
        // Plies to mate without interpositions.
        let length = others.map(|child| child.numbers.length + 1).max();
        let drops = children.iter().filter(|child| child.mv.is_drop());
        let drops: Vec<Move> = drops.map(|child| child.mv).collect();
        drops
            .into_iter()
            .filter(|&mv| self.is_futile(mv, length.unwrap_or(0)))
            .collect()
    }

    /// Whether the attacker can capture the dropped piece with check, and mate within `length`
    /// plies after that without using the captured piece, further futile interpositions not
    /// counted.
    fn is_futile(&mut self, drop: Move, length: u16) -> bool {
        let hand = self.position.hand(self.attacker);
        self.do_move(drop);
        let children = self.children_of_node::<true>(NO_LIMIT);
        let captures = children.iter().filter(|child| child.mv.to() == drop.to());
        let captures: Vec<Child> = captures.copied().collect();
        let is_futile = captures.iter().any(|capture| {
            let stored = self.table.look_up(capture.key, hand, NO_LIMIT);
            let Some(entry) = stored.filter(|entry| entry.numbers.is_proven()) else {
                return false;
            };
            entry.numbers.length <= length
                || self.has_only_futile_answers(capture, drop.to(), length)
        });
        self.undo_move();
        is_futile
    }

    fn has_only_futile_answers(&mut self, capture: &Child, square: Square, length: u16) -> bool {
        self.do_move(capture.mv);
        debug_assert_eq!(capture.mv.to(), square);
        let answers = self.children_of_node::<false>(NO_LIMIT);
        let is_futile = proof_hands::can_interpose(&self.position)
            && answers.iter().all(|answer| {
                let numbers = &answer.numbers;
                let is_quick = numbers.is_proven() && numbers.length < length;
                is_quick || answer.mv.is_drop() && self.is_futile(answer.mv, length)
            });
        self.undo_move();
        is_futile
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

/// All second solutions of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SecondSolutions {
    /// The second solutions found, in the order of the line.
    pub found: Vec<SecondSolution>,
    /// Whether every other move was either listed or disproven.
    pub is_complete: bool,
    /// Moves made to find them.
    pub nodes: u64,
}

/// Looks for other mates at every move of the attacker in `line`. A move that only returns to a
/// position of the main line is not a second solution.
pub(super) fn second_solutions(
    position: &Position,
    line: &[Move],
    table: &Table,
    control: Control<'_>,
) -> SecondSolutions {
    let mut solutions = SecondSolutions {
        is_complete: true,
        ..SecondSolutions::default()
    };
    let attacker = position.side_to_move();
    for index in (0..line.len()).step_by(2) {
        // Proofs found at other moves may pass through this position, so they must not count here.
        table.new_problem();
        let mut worker = Worker::new(position, attacker, table, control, None);
        line[..index].iter().for_each(|&mv| worker.do_move(mv));
        let first = worker.children.len();
        worker.expand::<true>(NO_LIMIT);
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
                    length: usize::from(numbers.length) + 1,
                });
            }
            solutions.is_complete &= numbers.is_solved();
        }
        solutions.nodes += worker.nodes;
        if worker.should_stop() {
            solutions.is_complete = false;
            break;
        }
    }
    solutions
}
