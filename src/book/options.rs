//! How a move is chosen from books. Names in brackets are those of the USI options.

use crate::types::Color;

/// The options of the choice; the defaults are those of `YaneuraOu`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one for each check option")]
pub struct BookOptions {
    /// Last ply at which books are used (`BookMoves`).
    pub max_ply: u32,
    /// How often books are left aside, in percent (`BookIgnoreRate`).
    pub ignore_rate: u32,
    /// Most centipawns below the value of the first move (`BookEvalDiff`).
    pub value_difference: i32,
    /// Least value in centipawns by side to move (`BookEvalBlackLimit`, `BookEvalWhiteLimit`).
    pub value_limits: [i32; Color::NUM],
    /// Positions whose first move has a lower depth are not used; 0 for no limit
    /// (`BookDepthLimit`).
    pub depth_limit: i32,
    /// Choose in proportion to the counts (`ConsiderBookMoveCount`).
    pub considers_counts: bool,
    /// Drop moves below a tenth of all counts (`NarrowBook`).
    pub is_narrow: bool,
    /// Find positions at any ply (`IgnoreBookPly`).
    pub ignores_ply: bool,
    /// Also look for the position with the sides exchanged (`FlippedBook`).
    pub finds_flipped: bool,
    /// Search large books where they lie instead of loading them (`BookOnTheFly`).
    pub on_the_fly: bool,
    /// Longest line to show, in plies (`BookPvMoves`).
    pub pv_moves: usize,
    /// Seed of the choice; 0 for another choice each time (`BookSeed`).
    pub seed: u64,
}

impl Default for BookOptions {
    fn default() -> Self {
        Self {
            max_ply: 16,
            ignore_rate: 0,
            value_difference: 30,
            value_limits: [0, -140],
            depth_limit: 16,
            considers_counts: false,
            is_narrow: false,
            ignores_ply: false,
            finds_flipped: true,
            on_the_fly: false,
            pv_moves: 8,
            seed: 0,
        }
    }
}
