//! Second solutions (余詰): moves of the attacker besides those of the main line, at any point of it,
//! that mate as well. A sound tsume problem has none.

use super::proof_numbers::NO_LIMIT;
use super::table::Table;
use super::worker::{Control, NOT_DELAYED, Worker};
use crate::position::Position;
use crate::types::Move;

/// A move that mates in place of the main line's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondSolution {
    /// The index in the main line of the move that it replaces.
    pub index: usize,
    /// The move.
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
    /// Moves made.
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
