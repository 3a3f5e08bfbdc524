//! What the static values of an evaluation, computed in integers as in the engine, are worth on
//! teacher data: how well they predict scores and results, and how far they are from those of
//! another evaluation.
//!
//! Positions with a king in its promotion zone are also counted apart: networks see few of them in
//! training and evaluate them badly. The differences are counted by the number of the move: on
//! games that a network did not learn from, those to its teacher say how much of the teacher it has
//! learnt, in a minute instead of a match.

use std::fmt;

use anyhow::Result;
use clap::Args;

use super::data::{Sources, Tally};
use super::learn::DEFAULT_SCALE;
use crate::eval::{Evaluator, ThreadEvaluator};
use crate::position::{Declaration, Position};
use crate::types::{EnteringKingRule, Value};
use crate::{bitboard::Bitboard, records::packed::PackedSfen, records::sample::Sample};
use crate::{records::score::clamp_centipawns, records::teacher::Record, runs::Watch};
use crate::{types::value::PAWN_VALUE, util::parse_share};

/// Reads the valid records. Games are not counted apart from positions.
fn read(sources: &Sources, watch: &Watch<'_>, mut visit: impl FnMut(&Record)) -> Result<Tally> {
    let tally = sources.read(watch, |_, record| {
        visit(&record);
        Ok(())
    })?;
    Ok(Tally { games: 0, ..tally })
}

/// Sets up a packed position; `false` if it is in check, so that it is not evaluated.
fn set_up_quiet(position: &mut Position, packed: &PackedSfen, ply: u16) -> bool {
    // Never an error: the reader has checked it.
    packed.unpack_board().is_ok_and(|board| {
        position.set_up(board, u32::from(ply.max(1)));
        !position.in_check()
    })
}

// --- Predictions ---

/// What a prediction is compared with: options of `raicho net loss`.
#[derive(Clone, Debug, Args)]
pub struct JudgeSettings {
    /// Value of an output of 1, where a pawn is 90: the scale used in training
    #[arg(long, default_value_t = DEFAULT_SCALE,
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub scale: u16,

    /// Weight of the game result in the target, 0 to 1; the rest is the score
    #[arg(long, value_name = "SHARE", default_value_t = 0.4, value_parser = parse_share)]
    pub result_weight: f64,
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
pub fn loss(
    evaluator: &Evaluator,
    sources: &Sources,
    settings: &JudgeSettings,
    watch: &Watch<'_>,
) -> Result<Judgement> {
    let mut judge = Judge {
        evaluator: evaluator.for_thread(),
        settings,
        position: Position::startpos(),
        found: Judgement::default(),
    };
    let tally = read(sources, watch, |record| {
        record.for_each_sample(|sample| judge.add(sample));
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
        if !set_up_quiet(&mut self.position, &sample.position, sample.ply) {
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
        let share = |value: f64| 1.0 / (1.0 + (-value / f64::from(settings.scale)).exp());
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

// --- Differences ---

/// Last moves of the groups; one more group has all later moves.
const LAST_PLIES: [u32; 5] = [20, 40, 60, 80, 120];

/// Sums over a group of positions, a pawn being 90.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DifferenceGroup {
    /// The number of positions.
    pub positions: u64,
    /// The sum of the differences, first minus second, for the side to move.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

/// The sums of the differences, by group.
#[derive(Default)]
pub struct Differences {
    /// Counts of the valid and invalid records.
    pub tally: Tally,
    /// Positions in check or beyond the limit, which are not compared.
    pub left_out: u64,
    /// By the number of the move.
    pub groups: [DifferenceGroup; LAST_PLIES.len() + 1],
}

/// Largest value by the second evaluation of a position that is compared, a pawn being 90.
const LIMIT: Value = 500;

/// Compares two evaluations on all positions that are not in check and whose value by the second
/// one has at most the magnitude 500, a pawn being 90.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn difference(
    [first, second]: [&Evaluator; 2],
    sources: &Sources,
    watch: &Watch<'_>,
) -> Result<Differences> {
    let mut comparison = Comparison {
        evaluators: [first, second].map(Evaluator::for_thread),
        position: Position::startpos(),
        found: Differences::default(),
    };
    let tally = read(sources, watch, |record| {
        record.for_each_position(|position, ply| comparison.add(&position, ply));
    })?;
    comparison.found.tally = tally;
    Ok(comparison.found)
}

struct Comparison {
    evaluators: [ThreadEvaluator; 2],
    position: Position,
    found: Differences,
}

impl Comparison {
    fn add(&mut self, position: &PackedSfen, ply: u16) {
        if !set_up_quiet(&mut self.position, position, ply) {
            self.found.left_out += 1;
            return;
        }
        let evaluators = self.evaluators.each_mut();
        let [first, second] = evaluators.map(|each| each.evaluate(&self.position));
        if second.abs() > LIMIT {
            self.found.left_out += 1;
            return;
        }
        let ply = self.position.game_ply();
        let group = LAST_PLIES.iter().position(|&last| ply <= last);
        self.found.groups[group.unwrap_or(LAST_PLIES.len())].add(first - second);
    }
}

impl DifferenceGroup {
    fn add(&mut self, difference: Value) {
        let difference = f64::from(difference);
        self.positions += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = DifferenceGroup::default();
        for group in &self.groups {
            all.positions += group.positions;
            all.sum += group.sum;
            all.squares += group.squares;
        }
        let later = LAST_PLIES.last().map(|last| format!("after {last}"));
        let names = LAST_PLIES.iter().map(|last| format!("to {last}"));
        let names = names.chain(later).chain(["all".to_owned()]);
        writeln!(formatter, "{:>9} {:>12} {:>8} {:>8}", "moves", "positions", "mean", "RMS")?;
        for (group, name) in self.groups.iter().chain([&all]).zip(names) {
            let count = group.positions.max(1) as f64;
            writeln!(
                formatter,
                "{name:>9} {:>12} {:>8.1} {:>8.1}",
                group.positions,
                group.sum / count,
                (group.squares / count).sqrt()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval::nnue::{Model, material_network};
    use crate::records::game::GameResult;
    use crate::types::Color;

    const SETTINGS: JudgeSettings = JudgeSettings { scale: 400, result_weight: 0.5 };

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
        for sfen in
            ["4k4/9/9/9/9/9/9/9/4K4 b - 1", declarable, &turned, "4k4/4G4/9/9/9/9/9/9/4K4 w G 1"]
        {
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

    #[test]
    fn differences_are_grouped_by_the_number_of_the_move() {
        let material = Evaluator::Material;
        let network = Evaluator::Nnue(Arc::new(Model::new(material_network())));
        let mut comparison = Comparison {
            evaluators: [&network, &material].map(Evaluator::for_thread),
            position: Position::startpos(),
            found: Differences::default(),
        };
        for (sfen, ply) in [
            ("4k4/9/9/9/9/9/9/9/4K4 b P 1", 20),
            ("4k4/9/9/9/9/9/9/9/4K4 w 2P 1", 21),
            ("4k4/9/9/9/9/9/9/9/4K4 b L 1", 500),
            // A rook is beyond the limit, and nothing is compared in check.
            ("4k4/9/9/9/9/9/9/9/4K4 b R 1", 1),
            ("4k4/4R4/9/9/9/9/9/9/4K4 w - 1", 1),
        ] {
            let position: Position = Position::from_sfen(sfen).expect("a good position");
            let value = |evaluator: &Evaluator| evaluator.for_thread().evaluate(&position);
            let expected = f64::from(value(&network) - value(&material));
            comparison.add(&PackedSfen::of(&position), ply);
            let groups = &comparison.found.groups;
            match ply {
                20 => assert_eq!((groups[0].positions, groups[0].sum), (1, expected)),
                21 => assert_eq!((groups[1].positions, groups[1].sum), (1, expected)),
                500 => assert_eq!((groups[5].positions, groups[5].sum), (1, expected)),
                _ => {}
            }
        }
        assert_eq!(comparison.found.left_out, 2);
        let counts = comparison.found.groups.map(|group| group.positions);
        assert_eq!(counts, [1, 1, 0, 0, 0, 1]);
        let text = comparison.found.to_string();
        assert_eq!(text.lines().count(), 8, "{text}");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.trim_start().starts_with("all            3"), "{text}");
    }
}
