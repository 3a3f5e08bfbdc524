//! How well an evaluation predicts what teacher data say, as the engine computes it: whole numbers and all.
//!
//! Beside all positions those are counted apart in which a king has entered the enemy's camp, because networks see few of
//! them and judge them badly.

use std::fmt;

use super::data::pass::{BadRecords, Tally};
use super::data::{DataError, Sources, Watch};
use crate::bitboard::Bitboard;
use crate::eval::{Accumulator, Evaluator};
use crate::position::{Declaration, Position};
use crate::records::sample::Sample;
use crate::records::score::clamp_centipawns;
use crate::types::value::PAWN_VALUE;
use crate::types::{EnteringKingRule, Value};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct JudgeSettings {
    /// What is worth an output of 1 of the logistic function; a pawn is 90.
    pub scale: f64,
    /// How much of the target is the result of the game, 0 to 1; the rest is the score.
    pub result_weight: f64,
    /// When a side may declare its win.
    pub rule: EnteringKingRule,
    /// What to do with bad records.
    pub bad_records: BadRecords,
}

/// Sums over positions of one kind.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Group {
    /// How many.
    pub positions: u64,
    /// Of squared distances between the expected share of the points and the target.
    pub loss: f64,
    /// The same for the results alone.
    pub result_loss: f64,
    /// Of expected shares of the points of the side to move.
    pub expected: f64,
    /// Half points that it got.
    pub half_points: u64,
    /// Positions of won and lost games.
    pub decided: u64,
    /// Those among them whose winner is seen ahead.
    pub right: u64,
}

/// What was found.
#[derive(Default)]
pub struct Judgement {
    /// What was read.
    pub tally: Tally,
    /// Positions in check, which are not judged.
    pub in_check: u64,
    /// All others.
    pub all: Group,
    /// The king of the side to move is in the enemy's camp.
    pub own_king: Group,
    /// The enemy's king is in the own camp, and the own king is not in the enemy's.
    pub enemy_king: Group,
    /// The side to move can declare.
    pub declarable: Group,
}

/// Evaluates all positions with a score and a result.
///
/// # Errors
/// Where a file fails, the watch says stop, or a record is bad and bad ones are not skipped.
pub fn run(
    evaluator: &Evaluator,
    sources: &Sources,
    settings: &JudgeSettings,
    watch: &Watch<'_>,
) -> Result<Judgement, DataError> {
    let mut judge = Judge {
        evaluator,
        settings,
        memory: evaluator.accumulator(),
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
    evaluator: &'a Evaluator,
    settings: &'a JudgeSettings,
    memory: Accumulator,
    position: Position,
    found: Judgement,
}

impl Judge<'_> {
    fn add(&mut self, sample: &Sample) {
        let Ok(board) = sample.position.unpack_board() else {
            return; // Never: the reader has looked at it.
        };
        self.position.set_up(board, u32::from(sample.ply.max(1)));
        if self.position.in_check() {
            self.found.in_check += 1;
            return;
        }
        let us = self.position.side_to_move();
        let value = self.evaluator.evaluate(&self.position, &mut self.memory);
        let has_entered = |color| {
            let king = self.position.king(color);
            king.is_some_and(|king| Bitboard::promotion_zone(color).contains(king))
        };
        let is_declarable = self.position.declaration(self.settings.rule) == Some(Declaration::Win);
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
        rule: EnteringKingRule::CsaRule27,
        bad_records: BadRecords::Stop,
    };

    #[test]
    fn positions_are_judged_by_kind() {
        let declarable =
            "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1";
        let turned = declarable.replace(" b ", " w ");
        let evaluator = Evaluator::Material;
        let mut judge = Judge {
            evaluator: &evaluator,
            settings: &SETTINGS,
            memory: evaluator.accumulator(),
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
        // Material is equal in the first position: half a point is expected, three quarters are the target, one came.
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
