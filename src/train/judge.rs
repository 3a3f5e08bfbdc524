//! Measures how well an evaluation, computed in integers as in the engine, predicts the scores and
//! results of teacher data.
//!
//! Positions with a king in its promotion zone are also counted apart: networks see few of them in
//! training and evaluate them badly.

use crate::runs::Watch;
use std::fmt;

use super::data::pass::{BadRecords, Tally};
use super::data::{DataError, Sources};
use crate::bitboard::Bitboard;
use crate::eval::{Evaluator, ThreadEvaluator};
use crate::position::{Declaration, Position};
use crate::records::sample::Sample;
use crate::records::score::clamp_centipawns;
use crate::types::value::PAWN_VALUE;
use crate::types::{EnteringKingRule, Value};

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct JudgeSettings {
    /// The scale of the sigmoid `1 / (1 + exp(-value / scale))`; a pawn is 90.
    pub scale: f64,
    /// The weight of the game result in the target, 0 to 1; the rest is the score.
    pub result_weight: f64,
    /// What to do with invalid records.
    pub bad_records: BadRecords,
}

/// Sums over a group of positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Group {
    /// The number of positions.
    pub positions: u64,
    /// The sum of squared differences between predicted winning probability and target.
    pub loss: f64,
    /// The sum of squared differences between predicted winning probability and result.
    pub result_loss: f64,
    /// The sum of predicted winning probabilities of the side to move.
    pub expected: f64,
    /// The half points of the side to move: a win is 2, a draw 1.
    pub half_points: u64,
    /// Positions of won and lost games.
    pub decided: u64,
    /// Positions of decided games in which the evaluation favours the winner.
    pub right: u64,
}

/// The sums of a run, by group.
#[derive(Default)]
pub struct Judgement {
    /// Counts of the valid and invalid records.
    pub tally: Tally,
    /// Positions in check, which are not evaluated.
    pub in_check: u64,
    /// All positions that are not in check.
    pub all: Group,
    /// Positions with the king of the side to move in its promotion zone.
    pub own_king: Group,
    /// Positions with only the opponent's king in its promotion zone.
    pub enemy_king: Group,
    /// Positions in which the side to move can declare a win.
    pub declarable: Group,
}

/// Evaluates all positions with a score and a result.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn run(
    evaluator: &Evaluator,
    sources: &Sources,
    settings: &JudgeSettings,
    watch: &Watch<'_>,
) -> Result<Judgement, DataError> {
    let mut judge = Judge {
        evaluator: evaluator.for_thread(),
        settings,
        position: Position::startpos(),
        found: Judgement::default(),
    };
    let mut tally = Tally::default();
    sources.read(watch, |source, record| {
        if let Some(record) = tally.take_any(source, record, settings.bad_records)? {
            record.for_each_sample(|sample| judge.add(sample));
        }
        Ok(())
    })?;
    judge.found.tally = tally;
    Ok(judge.found)
}

struct Judge<'a> {
    evaluator: ThreadEvaluator,
    settings: &'a JudgeSettings,
    position: Position,
    found: Judgement,
}

impl Judge<'_> {
    fn add(&mut self, sample: &Sample) {
        let Ok(board) = sample.position.unpack_board() else {
            return; // Never: the reader has checked it.
        };
        self.position.set_up(board, u32::from(sample.ply.max(1)));
        if self.position.in_check() {
            self.found.in_check += 1;
            return;
        }
        let us = self.position.side_to_move();
        let value = self.evaluator.evaluate(&self.position);
        let has_entered = |color| {
            let king = self.position.king(color);
            king.is_some_and(|king| Bitboard::promotion_zone(color).contains(king))
        };
        let is_declarable =
            self.position.declaration(EnteringKingRule::default()) == Some(Declaration::Win);
        let (own_king, enemy_king) = (has_entered(us), has_entered(!us));
        let found = &mut self.found;
        for (belongs, group) in [
            (true, &mut found.all),
            (own_king, &mut found.own_king),
            (enemy_king && !own_king, &mut found.enemy_king),
            (is_declarable, &mut found.declarable),
        ] {
            if belongs {
                group.add(value, sample, self.settings);
            }
        }
    }
}

impl Group {
    fn add(&mut self, value: Value, sample: &Sample, settings: &JudgeSettings) {
        let share = |value: f64| 1.0 / (1.0 + (-value / settings.scale).exp());
        let expected = share(value.into());
        let score =
            f64::from(clamp_centipawns(sample.score.into())) * f64::from(PAWN_VALUE) / 100.0;
        let points = sample.result.for_side(sample.side_to_move());
        let result = 0.5 + 0.5 * f64::from(points);
        let target = share(score) + settings.result_weight * (result - share(score));
        self.positions += 1;
        self.loss += (expected - target).powi(2);
        self.result_loss += (expected - result).powi(2);
        self.expected += expected;
        self.half_points += (1 + i64::from(points)) as u64;
        self.decided += u64::from(points != 0);
        self.right += u64::from(value.signum() * i32::from(points) > 0);
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
impl fmt::Display for Judgement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:>12} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "positions", "loss", "results", "expected", "points", "right"
        )?;
        for (group, name) in [
            (&self.all, "all that are not in check"),
            (&self.own_king, "the own king is in the enemy's camp"),
            (&self.enemy_king, "only the enemy's king is in the own camp"),
            (&self.declarable, "the win can be declared"),
        ] {
            let mean = |sum: f64, count: u64| sum / count.max(1) as f64;
            writeln!(
                formatter,
                "{:>12} {:>9.6} {:>9.6} {:>9.4} {:>9.4} {:>9.4}  {name}",
                group.positions,
                mean(group.loss, group.positions),
                mean(group.result_loss, group.positions),
                mean(group.expected, group.positions),
                mean(group.half_points as f64 / 2.0, group.positions),
                mean(group.right as f64, group.decided),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::game::GameResult;
    use crate::records::packed::PackedSfen;
    use crate::types::Color;

    const SETTINGS: JudgeSettings = JudgeSettings {
        scale: 400.0,
        result_weight: 0.5,
        bad_records: BadRecords::Stop,
    };

    #[test]
    fn positions_are_judged_by_kind() {
        let declarable =
            "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1";
        let turned = declarable.replace(" b ", " w ");
        let mut judge = Judge {
            evaluator: Evaluator::Material.for_thread(),
            settings: &SETTINGS,
            position: Position::startpos(),
            found: Judgement::default(),
        };
        for sfen in [
            "4k4/9/9/9/9/9/9/9/4K4 b - 1",
            declarable,
            &turned,
            "4k4/4G4/9/9/9/9/9/9/4K4 w G 1",
        ] {
            let position: Position = Position::from_sfen(sfen).expect("a good position");
            judge.add(&Sample {
                position: PackedSfen::of(&position),
                score: 0,
                mv: None,
                result: GameResult::Win(Color::Black),
                ply: 1,
            });
        }
        let found = &judge.found;
        assert_eq!((found.in_check, found.all.positions), (1, 3));
        // Both kings have entered in the second and third position.
        let counts = [&found.own_king, &found.enemy_king, &found.declarable];
        assert_eq!(counts.map(|group| group.positions), [2, 0, 1]);
        // Material is equal in the first position: the prediction is 0.5, the target 0.75, the
        // result 1.
        let mut group = Group::default();
        let position: Position =
            Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").expect("a good position");
        let sample = Sample {
            position: PackedSfen::of(&position),
            score: 0,
            mv: None,
            result: GameResult::Win(Color::Black),
            ply: 1,
        };
        group.add(0, &sample, &SETTINGS);
        assert!((group.loss - 0.0625).abs() < 1e-12 && (group.result_loss - 0.25).abs() < 1e-12);
        assert_eq!((group.half_points, group.decided, group.right), (2, 1, 0));
        group.add(1, &sample, &SETTINGS);
        assert_eq!(group.right, 1);
        assert!(judge.found.to_string().contains("the win can be declared"));
    }
}
