//! How far the static values of two evaluations are apart, by the number of the move.
//!
//! On games that a network did not learn from, the difference to its teacher says how much of the
//! teacher it has learnt, in a minute instead of a match.

use std::fmt;

use super::data::pass::{BadRecords, Tally};
use super::data::{DataError, Sources};
use crate::eval::{Evaluator, ThreadEvaluator};
use crate::position::Position;
use crate::records::packed::PackedSfen;
use crate::runs::Watch;
use crate::types::Value;

/// Last moves of the groups; one more group has all later moves.
const LAST_PLIES: [u32; 5] = [20, 40, 60, 80, 120];

/// Sums over a group of positions, a pawn being 90.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Group {
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
    pub groups: [Group; LAST_PLIES.len() + 1],
}

/// Compares two evaluations on all positions that are not in check and whose value by the second
/// one has at most the magnitude `limit`, a pawn being 90.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn run(
    [first, second]: [&Evaluator; 2],
    sources: &Sources,
    (limit, bad_records): (Value, BadRecords),
    watch: &Watch<'_>,
) -> Result<Differences, DataError> {
    let mut comparison = Comparison {
        evaluators: [first, second].map(Evaluator::for_thread),
        position: Position::startpos(),
        limit,
        found: Differences::default(),
    };
    let mut tally = Tally::default();
    sources.read(watch, |source, record| {
        if let Some(record) = tally.take_any(source, record, bad_records)? {
            record.for_each_position(|position, ply| comparison.add(position, ply));
        }
        Ok(())
    })?;
    comparison.found.tally = tally;
    Ok(comparison.found)
}

struct Comparison {
    evaluators: [ThreadEvaluator; 2],
    position: Position,
    limit: Value,
    found: Differences,
}

impl Comparison {
    fn add(&mut self, position: PackedSfen, ply: u16) {
        let Ok(board) = position.unpack_board() else {
            return; // Never: the reader has checked it.
        };
        self.position.set_up(board, u32::from(ply.max(1)));
        if self.position.in_check() {
            self.found.left_out += 1;
            return;
        }
        let [first, second] = self
            .evaluators
            .each_mut()
            .map(|evaluator| evaluator.evaluate(&self.position));
        if second.abs() > self.limit {
            self.found.left_out += 1;
            return;
        }
        let ply = self.position.game_ply();
        let group = LAST_PLIES.iter().position(|&last| ply <= last);
        self.found.groups[group.unwrap_or(LAST_PLIES.len())].add(first - second);
    }
}

impl Group {
    fn add(&mut self, difference: Value) {
        let difference = f64::from(difference);
        self.positions += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
impl fmt::Display for Differences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = Group::default();
        for group in &self.groups {
            all.positions += group.positions;
            all.sum += group.sum;
            all.squares += group.squares;
        }
        let later = LAST_PLIES.last().map(|last| format!("after {last}"));
        let names = LAST_PLIES.iter().map(|last| format!("to {last}"));
        let names = names.chain(later).chain(["all".to_owned()]);
        writeln!(
            formatter,
            "{:>9} {:>12} {:>8} {:>8}",
            "moves", "positions", "mean", "RMS"
        )?;
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
    use super::*;
    use crate::eval::nnue::{Model, material_network};
    use std::sync::Arc;

    #[test]
    fn differences_are_grouped_by_the_number_of_the_move() {
        let material = Evaluator::Material;
        let network = Evaluator::Nnue(Arc::new(Model::new(material_network())));
        let mut comparison = Comparison {
            evaluators: [&network, &material].map(Evaluator::for_thread),
            position: Position::startpos(),
            limit: 500,
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
            comparison.add(PackedSfen::of(&position), ply);
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
