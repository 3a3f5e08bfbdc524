//! The pieces of work: blocks of neighbouring positions of one game.

use std::ops::Range;

use super::settings::Order;

/// Positions in a block. Few enough that two threads end a game together, enough that a table that
/// begins empty pays.
pub const BLOCK: usize = 8;

/// A block of positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Index of the game.
    pub(super) game: usize,
    /// Indices of the positions in the game; 0 is the start.
    pub(super) positions: Range<usize>,
}

impl Block {
    /// The blocks of games with so many positions each, in order.
    pub(super) fn of_games(positions: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let mut blocks = Vec::new();
        for (game, count) in positions.into_iter().enumerate() {
            let starts = (0..count).step_by(BLOCK);
            blocks.extend(starts.map(|start| Self {
                game,
                positions: start..count.min(start + BLOCK),
            }));
        }
        blocks
    }

    /// The positions in the order in which they are searched.
    pub(super) fn order(&self, order: Order) -> Vec<usize> {
        let positions = self.positions.clone();
        match order {
            Order::Forward => positions.collect(),
            Order::Backward => positions.rev().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_in_one_block() {
        let blocks = Block::of_games([1, 0, 17, 8]);
        let found: Vec<_> = blocks
            .iter()
            .flat_map(|block| {
                block
                    .positions
                    .clone()
                    .map(|position| (block.game, position))
            })
            .collect();
        let expected: Vec<_> = [(0, 1), (2, 17), (3, 8)]
            .into_iter()
            .flat_map(|(game, count)| (0..count).map(move |position| (game, position)))
            .collect();
        assert_eq!(found, expected);
        assert!(blocks.iter().all(|block| block.positions.len() <= BLOCK));
        assert_eq!(blocks[1].order(Order::Backward), [7, 6, 5, 4, 3, 2, 1, 0]);
    }
}
