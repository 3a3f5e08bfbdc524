//! A counting filter over the boards of a game, which rules out a repetition with one load.

/// Upper bounds on the number of occurrences of each board, indexed by the low bits of its key. A
/// count that reaches 255 stays there, so that it remains an upper bound. 4 KB, to stay in the
/// first-level cache.
#[derive(Clone)]
pub(super) struct BoardFilter(Box<[u8; Self::SLOTS]>);

impl BoardFilter {
    const SLOTS: usize = 4096;

    pub(super) fn new() -> Self {
        Self(Box::new([0; Self::SLOTS]))
    }

    /// Removes every board.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline(always)]
    pub(super) fn add(&mut self, board_key: u64) {
        let count = &mut self.0[Self::slot(board_key)];
        *count = count.saturating_add(1);
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, board_key: u64) {
        let count = &mut self.0[Self::slot(board_key)];
        *count -= u8::from(*count != u8::MAX);
    }

    /// At least the number of times that the board was added, up to 255.
    #[inline(always)]
    pub(super) fn count(&self, board_key: u64) -> usize {
        self.0[Self::slot(board_key)].into()
    }

    #[inline(always)]
    const fn slot(board_key: u64) -> usize {
        board_key as usize % Self::SLOTS
    }
}
