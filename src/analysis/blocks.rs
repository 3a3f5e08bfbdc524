//! The pieces of work: blocks of neighbouring positions of one game.

use std::ops::Range;

use super::settings::Order;

/// Positions in a block: enough that a table that begins empty pays.
pub const BLOCK: usize = 8;

/// The first blocks of a game, which are done last, so that all threads end together. In an opening
/// an empty table matters least.
const FIRST_BLOCKS: [usize; 8] = [1, 1, 1, 1, 2, 2, 4, 4];

/// A block of positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Index of the game.
    pub(super) game: usize,
    /// Indices of the positions in the game; 0 is the start.
    pub(super) positions: Range<usize>,
}

impl Block {
    /// The blocks of games with so many positions each, in the order in which they are done: one
    /// game after the other, its last block first.
    pub(super) fn of_games(positions: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let games = positions.into_iter().enumerate();
        games
            .flat_map(|(game, count)| Self::of_game(game, count).into_iter().rev())
            .collect()
    }

    fn of_game(game: usize, count: usize) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut sizes = FIRST_BLOCKS.into_iter();
        let mut start = 0;
        while start < count {
            let end = count.min(start + sizes.next().unwrap_or(BLOCK));
            blocks.push(Self {
                game,
                positions: start..end,
            });
            start = end;
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
        let counts = [1, 0, 121, 8];
        let blocks = Block::of_games(counts);
        let mut found: Vec<_> = blocks
            .iter()
            .flat_map(|block| {
                block
                    .positions
                    .clone()
                    .map(|position| (block.game, position))
            })
            .collect();
        found.sort_unstable();
        let expected: Vec<_> = counts
            .into_iter()
            .enumerate()
            .flat_map(|(game, count)| (0..count).map(move |position| (game, position)))
            .collect();
        assert_eq!(found, expected);
        assert!(blocks.iter().all(|block| block.positions.len() <= BLOCK));
        assert!(blocks.is_sorted_by_key(|block| block.game));
    }

    #[test]
    fn a_block_is_searched_from_either_end() {
        let block = Block {
            game: 0,
            positions: 3..6,
        };
        assert_eq!(block.order(Order::Forward), [3, 4, 5]);
        assert_eq!(block.order(Order::Backward), [5, 4, 3]);
    }
}
