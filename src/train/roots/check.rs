//! Plays a few short games from each root, and drops roots from which many games repeat a position,
//! as such games teach nothing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Root;
use crate::eval::Evaluator;
use crate::openings::{Purpose, generator};
use crate::position::Position;
use crate::records::packed::HuffmanCodedPos;
use crate::runs::{
    Execution, FolderError, Interrupted, Job, Numbers, Plan, RunFolder, Shard, Stop, ThreadError,
    Watch, execute,
};
use crate::search::{Generations, Limits, SOLO_STACK_BYTES, Settings, Solo};
use crate::train::gensfen::{Diversions, Effort, choose};
use crate::transposition::TableError;

/// The settings of the check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CheckSettings {
    /// Number of games from each position.
    pub games: u64,
    /// Length of a game in plies.
    pub plies: u32,
    /// Soft node limit of a move, as in [`Effort`].
    pub nodes: u64,
    /// Maximum share of games that may repeat a position, 0 to 1.
    pub rate: f64,
    /// Number of positions at a time, each on one core. Does not change the results.
    #[serde(skip)]
    pub threads: usize,
    /// Seed of the random moves.
    pub seed: u64,
}

/// Number of first moves that are chosen at random among the best, so that the games of a root
/// differ.
const VARIED_PLIES: u32 = 6;

/// How these moves are chosen.
const DIVERSIONS: Diversions = Diversions {
    count: VARIED_PLIES,
    min_ply: 1,
    max_ply: VARIED_PLIES,
    multi_pv: 3,
    multi_pv_diff: 60,
    temperature: 30,
};

/// Why roots cannot be checked.
#[derive(Debug, Error)]
pub enum CheckError {
    /// There is too little memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The results cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The user interrupted the check.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// The result of a root, as an entry of the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckedRoot {
    /// Index of the root.
    pub root: u64,
    /// Whether the root is kept.
    pub is_kept: bool,
}

/// Whether to keep each of the `roots`, independent of the number of threads. `watch` gets the
/// number of checked roots and their total. The `folder`, if there is one, stores each result;
/// `known` are the results that it holds already.
///
/// # Errors
/// There is too little memory, a thread cannot be started, the folder cannot be written, or `watch`
/// requests the end.
pub fn check(
    roots: &[Root],
    settings: &CheckSettings,
    evaluator: &Evaluator,
    folder: Option<RunFolder>,
    known: &[CheckedRoot],
    watch: &Watch<'_>,
) -> Result<Vec<bool>, CheckError> {
    let games = Games {
        roots,
        settings,
        evaluator,
        stop: watch.stop,
    };
    let mut is_kept = vec![true; roots.len()];
    for checked in known {
        if let Some(is_kept) = is_kept.get_mut(checked.root as usize) {
            *is_kept = checked.is_kept;
        }
    }
    let done = known.iter().map(|checked| checked.root);
    let mut schedule = Schedule {
        numbers: Numbers::new(Some(roots.len() as u64), Shard::WHOLE, done),
        is_kept,
        done: known.len() as u64,
        folder,
        watch,
    };
    let execution = Execution {
        threads: settings.threads,
        name: "roots",
        stack_bytes: Some(SOLO_STACK_BYTES),
        stop: watch.stop,
    };
    execute(&games, &mut schedule, &execution)?;
    watch.check_stop()?;
    Ok(schedule.is_kept)
}

/// The roots as a [`Job`].
struct Games<'a> {
    roots: &'a [Root],
    settings: &'a CheckSettings,
    evaluator: &'a Evaluator,
    stop: &'a Stop,
}

impl<'a> Job for Games<'a> {
    type Worker = Player<'a>;
    type Piece = u64;
    type Output = bool;
    type Error = CheckError;

    fn worker(&self) -> Result<Player<'a>, CheckError> {
        Ok(Player::new(self.settings, self.evaluator, self.stop)?)
    }

    fn perform(&self, player: &mut Player<'a>, &index: &u64) -> Result<Option<bool>, CheckError> {
        Ok(player.is_played_on(&self.roots[index as usize]))
    }
}

/// The order of the roots, and their results.
struct Schedule<'a> {
    numbers: Numbers,
    is_kept: Vec<bool>,
    done: u64,
    folder: Option<RunFolder>,
    watch: &'a Watch<'a>,
}

impl Plan<Games<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<u64>, CheckError> {
        Ok(self.numbers.next())
    }

    fn keep(&mut self, root: u64, is_kept: bool) -> Result<(), CheckError> {
        if let Some(folder) = &mut self.folder {
            folder.append(&CheckedRoot { root, is_kept })?;
        }
        self.is_kept[root as usize] = is_kept;
        self.done += 1;
        (self.watch.progress)(self.done, self.is_kept.len() as u64);
        Ok(())
    }
}

struct Player<'a> {
    settings: &'a CheckSettings,
    solo: Solo,
    limits: Arc<Limits>,
    stop: &'a Stop,
}

impl<'a> Player<'a> {
    fn new(
        settings: &'a CheckSettings,
        evaluator: &Evaluator,
        stop: &'a Stop,
    ) -> Result<Self, TableError> {
        let search = Settings {
            hash_mb: 1,
            draw_value: [0; 2],
            evaluator: evaluator.clone(),
            generations: Generations::Strict,
            ..Settings::default()
        };
        let effort = Effort {
            nodes: Some(settings.nodes),
            depth: None,
        };
        Ok(Self {
            settings,
            solo: Solo::new(search)?,
            limits: Arc::new(effort.limits()),
            stop,
        })
    }

    /// Whether few enough games from the root repeat a position; `None` if they were aborted.
    #[expect(clippy::cast_precision_loss, reason = "a few games")]
    fn is_played_on(&mut self, root: &Root) -> Option<bool> {
        let Ok(position) = root.position.unpack(root.ply.into()) else {
            return Some(false);
        };
        let CheckSettings { games, rate, .. } = *self.settings;
        let mut repeated = 0;
        for game in 0..games {
            repeated += u64::from(self.repeats(&position, game)?);
        }
        Some(repeated as f64 <= rate * games as f64)
    }

    /// Whether a position occurs twice in the game; `None` if the game was aborted.
    fn repeats(&mut self, root: &Position, game: u64) -> Option<bool> {
        self.solo.new_game();
        // The random numbers depend on the position only, not on the other roots.
        let code = crc32fast::hash(&HuffmanCodedPos::of(root).to_bytes());
        let seed = self.settings.seed;
        let mut random = generator(Purpose::ROOT, seed, game, code.into());
        let mut position = root.clone();
        let mut keys = vec![position.key()];
        for ply in 0..self.settings.plies {
            if self.stop.is_abort() {
                return None;
            }
            let is_varied = ply < VARIED_PLIES;
            self.solo
                .set_multi_pv(if is_varied { DIVERSIONS.multi_pv } else { 1 });
            let lines = self.solo.search(&position, &self.limits).lines;
            let mv = match &lines[..] {
                [] => return Some(false),
                [best, ..] if !is_varied => best.mv,
                lines => choose(&DIVERSIONS, lines, &mut random),
            };
            position.do_move(mv);
            let key = position.key();
            if keys.contains(&key) {
                return Some(true);
            }
            keys.push(key);
        }
        Some(false)
    }
}
