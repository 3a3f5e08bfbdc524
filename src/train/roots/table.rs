//! Statistics of roots, by which users choose thresholds.

use std::fmt;

use super::root::Root;

/// The distribution of the positions of a collection.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Number of positions.
    pub positions: u64,
    /// Number of games per position; `None` without positions.
    pub counts: Option<Column>,
    /// Lowest move number per position; `None` without positions.
    pub plies: Option<Column>,
}

/// Statistics of a list of numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (divided by one less than the count).
    pub deviation: f64,
    /// Minimum, lower quartile, median, upper quartile, maximum.
    pub quartiles: [f64; 5],
}

impl Table {
    /// The statistics of these positions.
    pub fn of(roots: &[Root]) -> Self {
        Self {
            positions: roots.len() as u64,
            counts: Column::of(counts(roots)),
            plies: Column::of(roots.iter().map(|root| root.ply.into()).collect()),
        }
    }
}

/// The quantile `share` (0 to 1) of the number of games per position.
pub(super) fn quantile_of_counts(roots: &[Root], share: f64) -> f64 {
    let mut numbers = counts(roots);
    numbers.sort_unstable();
    quantile(&numbers, share)
}

fn counts(roots: &[Root]) -> Vec<u64> {
    roots.iter().map(|root| root.count).collect()
}

impl Column {
    /// The statistics of these numbers; `None` without numbers.
    fn of(mut numbers: Vec<u64>) -> Option<Self> {
        numbers.sort_unstable();
        if numbers.is_empty() {
            return None;
        }
        // Sums are exact: with millions of games floats would lose their low digits.
        let count = numbers.len() as u128;
        let sum: u128 = numbers.iter().map(|&number| u128::from(number)).sum();
        let squares: u128 = numbers
            .iter()
            .map(|&number| u128::from(number).pow(2))
            .sum();
        let numerator = count * squares - sum * sum;
        let denominator = count * (count - 1).max(1);
        #[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
        let [mean, variance] = [(sum, count), (numerator, denominator)]
            .map(|(top, bottom)| top as f64 / bottom as f64);
        Some(Self {
            mean,
            deviation: variance.sqrt(),
            quartiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&numbers, share)),
        })
    }
}

/// The quantile `share` of sorted numbers, with linear interpolation between neighbours.
#[expect(clippy::cast_precision_loss, reason = "a threshold of few digits")]
fn quantile(sorted: &[u64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let [low, high] = [below, (below + 1).min(last)].map(|index| sorted[index] as f64);
    low + (high - low) * (place - below as f64)
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{:>12}  positions", self.positions)?;
        let (Some(counts), Some(plies)) = (&self.counts, &self.plies) else {
            return Ok(());
        };
        writeln!(formatter, "{:>12} {:>12} {:>12}", "", "games", "ply")?;
        let of_both = |figure: fn(&Column) -> f64| [figure(counts), figure(plies)];
        for (name, [count, ply]) in [
            ("mean", of_both(|column| column.mean)),
            ("std", of_both(|column| column.deviation)),
            ("min", of_both(|column| column.quartiles[0])),
            ("25 %", of_both(|column| column.quartiles[1])),
            ("50 %", of_both(|column| column.quartiles[2])),
            ("75 %", of_both(|column| column.quartiles[3])),
            ("max", of_both(|column| column.quartiles[4])),
        ] {
            writeln!(formatter, "{name:>12} {count:>12.2} {ply:>12.2}")?;
        }
        Ok(())
    }
}
