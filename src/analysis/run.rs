//! The positions of many games as a run: blocks, a journal, several threads.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::blocks::Block;
use super::position::PositionAnalysis;
use super::search::Analyzer;
use super::settings::Settings;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::records::sfen_line::SfenLine;
use crate::runs::{Execution, FolderError, Job, Plan, RunFolder, Stop, ThreadError, execute};
use crate::search::PrepareError;

/// Why games cannot be analysed.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is too little memory.
    #[error(transparent)]
    Search(#[from] PrepareError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The results cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// What is done with a finished game failed.
    #[error("{0}")]
    Output(String),
}

/// A finished block, as an entry of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockEntry {
    /// Index of the game.
    pub game: usize,
    /// Index of the first position.
    pub first: usize,
    /// The analyses of the positions, in order of the game.
    pub positions: Vec<PositionAnalysis>,
}

/// The analysis of a game: one for the start and one after each move.
pub type Analyzed = Vec<PositionAnalysis>;

/// Receives the analysis of each game, in the order of the games, and the number of positions done.
pub trait Watch: Send {
    /// So many positions are done.
    fn advance(&mut self, positions: usize);
    /// A game is done. All games before it were done before.
    ///
    /// # Errors
    /// Ends the run.
    fn game(&mut self, index: usize, analysis: Analyzed) -> Result<(), String>;
}

/// Analyses games until all are done or `execution.stop` is requested. `folder` keeps the blocks,
/// `known` are those that it holds already.
///
/// # Errors
/// Memory, a thread or the folder fails, or `watch` does.
pub fn analyze(
    games: &[SfenLine],
    settings: &Settings,
    evaluator: &Evaluator,
    (folder, known): (Option<RunFolder>, Vec<BlockEntry>),
    watch: &mut dyn Watch,
    execution: &Execution<'_>,
) -> Result<(), RunError> {
    let job = Positions {
        games,
        settings,
        evaluator,
        stop: execution.stop,
    };
    let blocks = Block::of_games(games.iter().map(|game| game.moves.len() + 1));
    let mut schedule = Schedule {
        done: vec![Vec::new(); games.len()],
        lengths: games.iter().map(|game| game.moves.len() + 1).collect(),
        blocks: Vec::new().into_iter(),
        next_game: 0,
        positions: 0,
        folder,
        watch,
    };
    let places: HashSet<_> = known
        .iter()
        .map(|entry| (entry.game, entry.first))
        .collect();
    let is_known = |block: &Block| places.contains(&(block.game, block.positions.start));
    let missing: Vec<Block> = blocks
        .into_iter()
        .filter(|block| !is_known(block))
        .collect();
    schedule.blocks = missing.into_iter();
    for entry in known {
        schedule.take(entry)?;
    }
    execute(&job, &mut schedule, execution)
}

struct Positions<'a> {
    games: &'a [SfenLine],
    settings: &'a Settings,
    evaluator: &'a Evaluator,
    stop: &'a Stop,
}

impl Job for Positions<'_> {
    type Worker = Analyzer;
    type Piece = Block;
    type Output = BlockEntry;
    type Error = RunError;

    fn worker(&self) -> Result<Analyzer, RunError> {
        Ok(Analyzer::new(self.settings, self.evaluator)?)
    }

    fn perform(
        &self,
        analyzer: &mut Analyzer,
        block: &Block,
    ) -> Result<Option<BlockEntry>, RunError> {
        let game = &self.games[block.game];
        analyzer.clear()?;
        let mut found = vec![PositionAnalysis::default(); block.positions.len()];
        for index in block.order(self.settings.order) {
            let position = position_at(game, index);
            let Some(analysis) = analyzer.analyze(&position, self.stop) else {
                return Ok(None);
            };
            found[index - block.positions.start] = analysis;
        }
        Ok(Some(BlockEntry {
            game: block.game,
            first: block.positions.start,
            positions: found,
        }))
    }
}

/// The position before the move with this index; its history counts for repetitions.
fn position_at(game: &SfenLine, index: usize) -> Position {
    let mut position = game.start.clone();
    for &mv in &game.moves[..index] {
        position.do_move(mv);
    }
    position
}

struct Schedule<'a> {
    blocks: std::vec::IntoIter<Block>,
    /// The finished blocks of each game.
    done: Vec<Vec<BlockEntry>>,
    /// Positions of each game.
    lengths: Vec<usize>,
    /// The first game that was not handed to the watch.
    next_game: usize,
    positions: usize,
    folder: Option<RunFolder>,
    watch: &'a mut dyn Watch,
}

impl Schedule<'_> {
    fn take(&mut self, entry: BlockEntry) -> Result<(), RunError> {
        self.positions += entry.positions.len();
        self.watch.advance(self.positions);
        if let Some(blocks) = self.done.get_mut(entry.game) {
            blocks.push(entry);
        }
        while let Some(blocks) = self.done.get_mut(self.next_game) {
            let count: usize = blocks.iter().map(|block| block.positions.len()).sum();
            if count < self.lengths[self.next_game] {
                break;
            }
            blocks.sort_by_key(|block| block.first);
            let positions = std::mem::take(blocks)
                .into_iter()
                .flat_map(|block| block.positions);
            let game = self.next_game;
            self.watch
                .game(game, positions.collect())
                .map_err(RunError::Output)?;
            self.next_game += 1;
        }
        Ok(())
    }
}

impl Plan<Positions<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<Block>, RunError> {
        Ok(self.blocks.next())
    }

    fn keep(&mut self, _: Block, entry: BlockEntry) -> Result<(), RunError> {
        if let Some(folder) = &mut self.folder {
            folder.append(&entry)?;
        }
        self.take(entry)
    }
}
