//! Lets the engine play from each root, a few short games, and drops those from which many games go in a circle: nothing
//! is learnt from them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, scope};

use thiserror::Error;

use super::Root;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::records::packed::HuffmanCodedPos;
use crate::search::{Generations, Limits, SOLO_STACK_BYTES, Settings, Solo};
use crate::train::data::{DataError, Watch};
use crate::train::gensfen::{Diversions, HARD_FACTOR, Purpose, choose, generator};
use crate::transposition::TableError;

/// How roots are played.
#[derive(Clone, Debug)]
pub struct CheckSettings {
    /// Games from each position.
    pub games: u64,
    /// Plies of a game.
    pub plies: u32,
    /// Nodes for a move, as in [`crate::train::gensfen::Effort`].
    pub nodes: u64,
    /// A position is dropped when a larger share of its games repeats a position, 0 to 1.
    pub rate: f64,
    /// Positions at a time; one core each.
    pub threads: usize,
    /// Other games for another number.
    pub seed: u64,
}

/// The games of a root must differ: so many first moves are drawn among the best.
const VARIED_PLIES: u32 = 6;

/// How they are drawn.
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
    /// Memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refuses a thread.
    #[error("no thread {number} can be started: {source}")]
    Thread {
        /// Which one, from 1.
        number: usize,
        /// Why.
        source: std::io::Error,
    },
    /// A bug.
    #[error("a thread panicked; its last words stand above")]
    Panic,
    /// Somebody asked to stop.
    #[error(transparent)]
    Interrupted(DataError),
}

/// Which of `roots` stay; `watch` is told how many of how many are played. The answer does not depend on the threads.
///
/// # Errors
/// Memory or threads are short, or the watch says stop.
pub fn check(
    roots: &[Root],
    settings: &CheckSettings,
    evaluator: &Evaluator,
    watch: &Watch<'_>,
) -> Result<Vec<bool>, CheckError> {
    let mut is_kept = vec![true; roots.len()];
    let desk = Desk {
        roots,
        settings,
        evaluator,
        next: AtomicUsize::new(0),
        stop: watch.stop,
    };
    let (sender, results) = mpsc::channel();
    scope(|scope| {
        let mut threads = Vec::new();
        for number in 1..=settings.threads.max(1) {
            let (desk, sender) = (&desk, sender.clone());
            let builder = Builder::new()
                .name(format!("roots-{number}"))
                .stack_size(SOLO_STACK_BYTES);
            let thread = builder.spawn_scoped(scope, move || desk.work(&sender));
            threads.push(thread.map_err(|source| {
                // The others have nothing left to do.
                desk.next.store(roots.len(), Ordering::Relaxed);
                CheckError::Thread { number, source }
            })?);
        }
        drop(sender);
        for (done, (index, is_good)) in (1..).zip(results) {
            is_kept[index] = is_good;
            (watch.progress)(done, roots.len() as u64);
        }
        for thread in threads {
            thread.join().map_err(|_| CheckError::Panic)??;
        }
        watch.check_stop().map_err(CheckError::Interrupted)
    })?;
    Ok(is_kept)
}

/// What the threads share.
struct Desk<'a> {
    roots: &'a [Root],
    settings: &'a CheckSettings,
    evaluator: &'a Evaluator,
    next: AtomicUsize,
    stop: &'a AtomicBool,
}

impl Desk<'_> {
    /// Plays the roots that are left, one after the other.
    fn work(&self, results: &mpsc::Sender<(usize, bool)>) -> Result<(), CheckError> {
        let mut player = Player::new(self.settings, self.evaluator)?;
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(root) = self.roots.get(index) else {
                return Ok(());
            };
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            // Nobody listens any more only where another thread failed.
            let _ = results.send((index, player.is_played_on(root)));
        }
    }
}

struct Player<'a> {
    settings: &'a CheckSettings,
    solo: Solo,
    limits: Arc<Limits>,
}

impl<'a> Player<'a> {
    fn new(settings: &'a CheckSettings, evaluator: &Evaluator) -> Result<Self, TableError> {
        let search = Settings {
            hash_mb: 1,
            draw_value: [0; 2],
            evaluator: evaluator.clone(),
            generations: Generations::Strict,
            ..Settings::default()
        };
        let limits = Limits {
            soft_nodes: Some(settings.nodes),
            nodes: Some(settings.nodes.saturating_mul(HARD_FACTOR)),
            ..Limits::default()
        };
        Ok(Self {
            settings,
            solo: Solo::new(search)?,
            limits: Arc::new(limits),
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "a few games")]
    fn is_played_on(&mut self, root: &Root) -> bool {
        let Ok(position) = root.position.unpack(root.ply.into()) else {
            return false;
        };
        let CheckSettings { games, rate, .. } = *self.settings;
        let repeats = |game: &u64| self.repeats(&position, *game);
        let repeated = (0..games).filter(repeats).count();
        repeated as f64 <= rate * games as f64
    }

    /// Whether a position comes a second time.
    fn repeats(&mut self, root: &Position, game: u64) -> bool {
        self.solo.new_game();
        // The random numbers follow from the position, so that it is judged alike whatever stands beside it.
        let code = crc32fast::hash(&HuffmanCodedPos::of(root).to_bytes());
        let seed = self.settings.seed;
        let mut random = generator(Purpose::Root, seed, game, code.into());
        let mut position = root.clone();
        let mut keys = vec![position.key()];
        for ply in 0..self.settings.plies {
            let is_varied = ply < VARIED_PLIES;
            self.solo
                .set_multi_pv(if is_varied { DIVERSIONS.multi_pv } else { 1 });
            let lines = self.solo.search(&position, &self.limits).lines;
            let mv = match &lines[..] {
                [] => return false,
                [best, ..] if !is_varied => best.mv,
                lines => choose(&DIVERSIONS, lines, &mut random),
            };
            position.do_move(mv);
            let key = position.key();
            if keys.contains(&key) {
                return true;
            }
            keys.push(key);
        }
        false
    }
}
