//! The graph of positions that are in memory.

use super::graph::Graph;
use super::key_table::KeyTable;
use super::link::{self, Linker, Turned};
use super::settings::Rules;
use crate::position::Board;
use crate::types::Move16;

impl Graph {
    /// The graph of positions and their moves with values, in centipawns from the view of the side
    /// to move, both as they stand on the board. Illegal moves are left out.
    pub fn of_positions<'a>(
        positions: impl Iterator<Item = (&'a Board, &'a [(Move16, i16)])> + Clone,
        rules: Rules,
    ) -> Self {
        let keys = positions.clone();
        let keys = keys.map(|(board, _)| link::key(board, rules.separates_colors));
        let table = KeyTable::new(keys.collect());
        let linker = Linker {
            table: &table,
            separates_colors: rules.separates_colors,
        };
        let mut graph = Self::default();
        for (board, moves) in positions {
            let node = Turned::new(board.clone());
            let listed = moves
                .iter()
                .filter_map(|&(mv, value)| Some((node.turn(mv)?, value)));
            linker.add(&node, &listed.collect::<Vec<_>>(), &mut graph);
        }
        graph
    }
}
