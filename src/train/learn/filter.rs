//! The filter of training positions. A network evaluates quiet positions; tactical ones are left to
//! the search, or replaced by their quiet leaf: the end of the principal variation of a quiescence
//! search.
//!
//! That search evaluates material, so the leaf does not depend on a network. The idea is that of
//! tanuki-'s `shuffle_kifu`: where data are scarce, tactical positions are resolved instead of
//! skipped.

use arrayvec::ArrayVec;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::eval::{Evaluator, ThreadEvaluator};
use crate::movegen::captures;
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Move, MoveList, Value};

/// What is done with positions in which a capture or a promotion was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ValueEnum)]
pub enum Tactical {
    /// Leave them out
    #[default]
    Drop,
    /// Use them like all others
    Keep,
    /// Use the position at the end of the best captures instead
    Leaf,
}

/// Conditions on training positions: options of `raicho learn`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, Args)]
pub struct Filter {
    /// Maximum score of a position, in units in which a pawn is 90.
    #[arg(skip = Self::default().eval_limit)]
    pub eval_limit: u16,

    /// Minimum ply of a position; the start position has ply 1.
    #[arg(skip = Self::default().min_ply)]
    pub min_ply: u32,

    /// Treatment of positions in which a capture or a promotion was played
    #[arg(long, value_enum, default_value_t)]
    pub tactical: Tactical,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            eval_limit: 3000,
            min_ply: 1,
            tactical: Tactical::Drop,
        }
    }
}

/// Why a position is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    Ply,
    Score,
    Check,
    Tactical,
    NoKing,
}

/// Counts of the positions read, by what was done with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Games read, as `gensfen` counts them: consecutive parts of one game count once. Formats of
    /// single positions have none.
    pub games: u64,
    /// The held-out ones of these games.
    pub held_out_games: u64,
    /// Positions with a score that were read.
    pub positions: u64,
    /// The inner nodes of searches among them.
    pub tree_positions: u64,
    /// Positions that are used, for training or held out.
    pub kept: u64,
    /// Skipped positions by reason.
    left_out: [u64; Self::REASONS.len()],
}

impl Counts {
    const REASONS: [(Reason, &'static str); 5] = [
        (Reason::Ply, "before the first ply"),
        (Reason::Score, "score beyond the limit"),
        (Reason::Check, "in check"),
        (Reason::Tactical, "capture or promotion"),
        (Reason::NoKing, "no king"),
    ];

    /// The number of skipped positions for each reason.
    pub fn left_out(&self) -> impl Iterator<Item = (u64, &'static str)> {
        Self::REASONS
            .iter()
            .map(|&(reason, name)| (self.left_out[reason as usize], name))
    }

    pub(super) fn count(&mut self, verdict: Result<(), Reason>) {
        self.positions += 1;
        match verdict {
            Ok(()) => self.kept += 1,
            Err(reason) => self.left_out[reason as usize] += 1,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.held_out_games += other.held_out_games;
        self.positions += other.positions;
        self.tree_positions += other.tree_positions;
        self.kept += other.kept;
        for (sum, count) in self.left_out.iter_mut().zip(other.left_out) {
            *sum += count;
        }
    }
}

impl Filter {
    /// Whether a position is used as it is, or why not. `mv` is the move played in it, `None` for a
    /// declaration; `score` is in units of 1/90 pawn.
    pub(super) fn judge(
        self,
        position: &Position,
        mv: Option<Move>,
        score: i32,
    ) -> Result<(), Reason> {
        if position.game_ply() < self.min_ply {
            return Err(Reason::Ply);
        }
        if score.unsigned_abs() > self.eval_limit.into() {
            return Err(Reason::Score);
        }
        if position.in_check() {
            return Err(Reason::Check);
        }
        let is_tactical = mv.is_some_and(|mv| is_tactical(position, mv));
        if self.tactical != Tactical::Keep && is_tactical {
            return Err(Reason::Tactical);
        }
        Ok(())
    }
}

fn is_tactical(position: &Position, mv: Move) -> bool {
    mv.is_promotion() || position.piece_on(mv.to()).is_some()
}

/// Most captures in a line.
const MAX_PLIES: usize = 16;

/// The captures from a position to its leaf; empty where no capture wins material.
pub(super) type Line = ArrayVec<Move, MAX_PLIES>;

/// The line from `position`, which must not be in check, to its leaf. The position is restored.
pub(super) fn line_to_leaf(position: &mut Position) -> Line {
    let mut search = Search {
        position,
        evaluator: Evaluator::Material.for_thread(),
    };
    let mut line = Line::new();
    search.quiesce(-Value::MAX, Value::MAX, MAX_PLIES, &mut line);
    line
}

struct Search<'a> {
    position: &'a mut Position,
    evaluator: ThreadEvaluator,
}

impl Search<'_> {
    /// Alpha-beta over captures with SEE of at least 0.
    fn quiesce(&mut self, alpha: Value, beta: Value, plies: usize, line: &mut Line) -> Value {
        line.clear();
        let mut best = self.evaluator.evaluate(self.position);
        if best >= beta || plies == 0 || self.position.in_check() {
            return best;
        }
        let mut alpha = alpha.max(best);
        for mv in self.good_captures() {
            self.position.do_move(mv);
            let mut rest = Line::new();
            let value = -self.quiesce(-beta, -alpha, plies - 1, &mut rest);
            self.position.undo_move();
            if value <= best {
                continue;
            }
            best = value;
            if value > alpha {
                alpha = value;
                line.clear();
                line.push(mv);
                line.extend(rest);
            }
            if value >= beta {
                break;
            }
        }
        best
    }

    /// Legal captures with SEE of at least 0, the most valuable victims first.
    fn good_captures(&self) -> MoveList {
        let position = &*self.position;
        let mut moves = MoveList::new();
        captures::<false>(position, &mut moves);
        moves.retain(|mv| position.legal(*mv) && position.see_ge(*mv, 0));
        let gain = |mv: &Move| {
            position
                .piece_on(mv.to())
                .map_or(0, |piece| -piece_value(piece.kind()))
        };
        moves.sort_by_key(gain);
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;

    fn judged(filter: Filter, sfen: &str, mv: &str, score: i32) -> Result<(), Reason> {
        let position: Position = Position::from_sfen(sfen).expect("a good position");
        let moves = legal_moves(&position);
        let mv = moves.iter().find(|found| found.to_string() == mv);
        filter.judge(&position, mv.copied(), score)
    }

    #[test]
    fn quiet_positions_are_kept() {
        let filter = Filter {
            min_ply: 9,
            ..Filter::default()
        };
        let open = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b -";
        let at = |ply: u32| format!("{open} {ply}");
        assert_eq!(judged(filter, &at(20), "2g2f", 55), Ok(()));
        assert_eq!(judged(filter, &at(20), "8h2b", 55), Err(Reason::Tactical));
        assert_eq!(judged(filter, &at(20), "8h2b+", 55), Err(Reason::Tactical));
        assert_eq!(judged(filter, &at(8), "2g2f", 55), Err(Reason::Ply));
        assert_eq!(judged(filter, &at(20), "2g2f", -3001), Err(Reason::Score));
        assert_eq!(judged(filter, &at(20), "2g2f", 3000), Ok(()));
        let check = "4k4/9/9/9/9/9/4r4/9/4K4 b G 30";
        assert_eq!(judged(filter, check, "G*5h", 0), Err(Reason::Check));
        let keep = Filter {
            tactical: Tactical::Keep,
            ..filter
        };
        assert_eq!(judged(keep, &at(20), "8h2b+", 55), Ok(()));
    }

    fn line(sfen: &str) -> Vec<String> {
        let mut position = Position::from_sfen(sfen).expect("a good position");
        let line = line_to_leaf(&mut position);
        assert_eq!(position.to_sfen(), sfen);
        line.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn exchanges_are_played_out() {
        // Nothing to take.
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(line(start), [""; 0]);
        // A rook for nothing.
        assert_eq!(line("4k4/9/9/4r4/9/9/4L4/9/4K4 b - 1"), ["5g5d"]);
        // A guarded pawn is not taken by a rook.
        assert_eq!(line("4k4/4g4/4p4/9/9/9/4R4/9/3K5 b - 1"), [""; 0]);
        // The pawn takes the silver, and is taken.
        let taken = line("4k4/9/4g4/4s4/4P4/9/9/9/4K4 b - 1");
        assert_eq!(taken, ["5e5d", "5c5d"]);
    }
}
