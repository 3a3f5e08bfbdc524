//! What a search thread is given, and what it hands back.

use std::sync::Arc;

use crate::position::Position;
use crate::transposition::TranspositionTable;
use crate::types::Depth;

use super::limits::Limits;
use super::root_move::RootMove;
use super::settings::Settings;
use super::signals::{Signals, Statistics};
#[cfg(test)]
use super::tests::collisions::Collisions;

/// One search, as one thread sees it.
#[derive(Clone)]
pub(super) struct Task {
    /// Index of the thread; 0 is the main thread.
    pub(super) thread: usize,
    /// The root position.
    pub(super) position: Position,
    pub(super) limits: Arc<Limits>,
    pub(super) settings: Arc<Settings>,
    pub(super) table: Arc<TranspositionTable>,
    pub(super) signals: Arc<Signals>,
    #[cfg(test)]
    pub(super) collisions: Option<Arc<Collisions>>,
}

impl Task {
    /// The task of a thread that has not searched yet; it is never searched.
    pub(super) fn idle(table: Arc<TranspositionTable>) -> Self {
        Self {
            thread: 0,
            position: Position::startpos(),
            limits: Arc::default(),
            settings: Arc::default(),
            table,
            signals: Arc::new(Signals::idle()),
            #[cfg(test)]
            collisions: None,
        }
    }
}

/// The best root move of one thread, with which it votes.
#[derive(Clone, Debug)]
pub(super) struct ThreadResult {
    pub(super) best: RootMove,
    /// The deepest iteration that was completed, in plies.
    pub(super) completed_depth: Depth,
}

/// What a helper thread hands back at the end of a search.
pub(super) struct Outcome {
    /// `None` where there is no legal move, or where the thread had a fault.
    pub(super) result: Option<ThreadResult>,
    pub(super) statistics: Statistics,
    /// The message of a panic, or that there is no memory for the thread.
    pub(super) fault: Option<String>,
}
