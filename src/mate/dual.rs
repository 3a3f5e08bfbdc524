//! Second solutions (余詰): other first moves, at any point of the main line, that mate as well. A composer's problem should
//! have none.

use super::control::Control;
use super::outlook::NO_LIMIT;
use super::search::{AT_ONCE, Search};
use super::table::Table;
use crate::position::Position;
use crate::types::Move;

/// A move besides that of the main line that mates too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecondSolution {
    /// The index in the main line of the move that it replaces.
    pub index: usize,
    /// The move.
    pub mv: Move,
    /// Plies, itself included, in which it is proved to mate at most.
    pub length: usize,
}

/// All second solutions of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SecondSolutions {
    /// Those that were found, in the order of the line.
    pub found: Vec<SecondSolution>,
    /// Whether every other move was proved not to mate.
    pub is_complete: bool,
    /// Moves made.
    pub nodes: u64,
}

/// Looks for other mates at every move of the attacker in `line`. A move after which the same position comes back, to go on
/// with the main line, is none.
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
        // What was proved elsewhere may go through this position, which must not help here.
        table.new_problem();
        let mut search = Search::new(position, attacker, table, control, None);
        line[..index].iter().for_each(|&mv| search.make(mv));
        let first = search.children.len();
        search.expand::<true>(NO_LIMIT);
        let children = search.children.split_off(first);
        for child in children.iter().filter(|child| child.mv != line[index]) {
            // The non-promotion of a piece that could promote is the same solution, unless it alone mates.
            let promotion = (child.after != AT_ONCE).then(|| children[usize::from(child.after)].mv);
            if promotion == Some(line[index]) {
                continue;
            }
            let outlook = search.settle_after::<false>(child.mv, NO_LIMIT);
            if outlook.is_mate() {
                solutions.found.push(SecondSolution {
                    index,
                    mv: child.mv,
                    length: usize::from(outlook.length) + 1,
                });
            }
            solutions.is_complete &= outlook.is_settled();
        }
        solutions.nodes += search.nodes;
        if search.is_stopped() {
            solutions.is_complete = false;
            break;
        }
    }
    solutions
}
