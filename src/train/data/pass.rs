//! One pass over files, for `convert` and `validate`: checks every record and writes the valid ones
//! in another format.

use std::{fmt, path::PathBuf};

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{Output, Sources, Tally};
use crate::records::sample::{Sample, has_entered_king};
use crate::records::teacher::{Chain, Format, Record, Span};
use crate::{runs::Watch, types::Color, util::counted};

/// The counts of a pass.
#[derive(Default, Debug)]
pub struct PassReport {
    /// Counts of the valid and invalid records.
    pub tally: Tally,
    /// Positions with score and result, including those of games.
    pub samples: u64,
    /// Positions of search trees.
    pub tree_positions: u64,
    /// Positions of held-out games.
    pub held_out: u64,
    /// The check of the signs of scores and results.
    pub signs: Signs,
}

/// Where the valid records are written.
#[derive(Clone, Default, Debug)]
pub struct Destination {
    /// The output and its format; `None` to check only.
    pub output: Option<(PathBuf, Format)>,
    /// Another file for some games. Consecutive samples whose moves lead to each other count as a
    /// game, and so do consecutive parts of one.
    pub held_out: Option<HeldOut>,
    /// Whether only positions with a king in its promotion zone are written, as samples.
    pub entered_kings: bool,
}

/// Reads all records, and writes the valid ones if there is an output.
///
/// # Errors
/// A file fails, an output cannot hold a record, the work is stopped, or a record is invalid and
/// such records are not skipped.
pub fn run(sources: &Sources, destination: &Destination, watch: &Watch<'_>) -> Result<PassReport> {
    let mut report = PassReport::default();
    let create = |(path, format): &(PathBuf, Format)| Output::create(path, *format);
    let mut out = destination.output.as_ref().map(create).transpose()?;
    let held_out = destination.held_out.as_ref();
    let mut sampler = held_out.map(HoldoutSampler::new).transpose()?;
    let mut last_file = std::ptr::null();
    let mut left_out = 0;
    report.tally = sources.read(watch, |source, record| {
        if !std::ptr::eq(source, last_file) {
            // A game does not go on in the next file.
            last_file = source;
            out.as_mut().map_or(Ok(()), Output::end_game)?;
        }
        report.tree_positions += u64::from(matches!(record, Record::Tree(_)));
        record.for_each_sample(|sample| {
            report.samples += 1;
            report.signs.add(sample);
        });
        let draws = |sampler: &mut HoldoutSampler| sampler.draws(&record);
        let is_drawn = sampler.as_mut().is_some_and(draws);
        let target = match &mut sampler {
            Some(sampler) if is_drawn => Some(&mut sampler.out),
            _ => out.as_mut(),
        };
        match target {
            Some(out) if !out.format().keeps(&record) => left_out += record.positions(),
            Some(out) if destination.entered_kings => write_entered_kings(&record, out)?,
            Some(out) => out.write(&record)?,
            None => {}
        }
        Ok(())
    })?;
    report.tally.left_out = left_out;
    if let Some(out) = out {
        report.tally.written = out.finish()?;
    }
    if let Some(sampler) = sampler {
        report.held_out = sampler.out.finish()?;
    }
    Ok(report)
}

fn write_entered_kings(record: &Record, out: &mut Output) -> Result<()> {
    if let Record::Tree(node) = record
        && has_entered_king(&node.position)
    {
        return out.write(record);
    }
    let mut result = Ok(());
    record.for_each_sample(|sample| {
        if result.is_ok() && has_entered_king(&sample.position) {
            result = out.write(&Record::from(*sample));
        }
    });
    result
}

/// The report of the command `validate`.
impl fmt::Display for PassReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", counted(self.samples, "scored position"))?;
        if self.tree_positions > 0 {
            let positions = counted(self.tree_positions, "position");
            writeln!(formatter, "{positions} of search trees")?;
        }
        write!(formatter, "{}{}", self.tally, self.signs)
    }
}

/// Games that go into a file of their own, so that nothing is learnt from them.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// The file of the held-out games.
    pub path: PathBuf,
    /// The format of that file.
    pub format: Format,
    /// The share of the games that go there, 0 to 1.
    pub share: f64,
    /// The seed of the choice.
    pub seed: u64,
}

/// Draws for each game whether it is held out.
struct HoldoutSampler {
    out: Output,
    share: f64,
    random: ChaCha8Rng,
    /// Finds the ends of games among samples.
    chain: Chain,
    /// The span of the previous record.
    last: Option<Span>,
    is_drawn: Option<bool>,
}

impl HoldoutSampler {
    fn new(held_out: &HeldOut) -> Result<Self> {
        Ok(Self {
            out: Output::create(&held_out.path, held_out.format)?,
            share: held_out.share.clamp(0.0, 1.0),
            random: ChaCha8Rng::seed_from_u64(held_out.seed),
            chain: Chain::default(),
            last: None,
            is_drawn: None,
        })
    }

    /// Whether a record belongs to a game that is held out. Every record must be asked for in
    /// order.
    fn draws(&mut self, record: &Record) -> bool {
        let span = Span::of(record);
        let follows = |(last, next): (Span, Span)| last.goes_on_with(next);
        let goes_on =
            self.chain.is_continued_by(record) || self.last.zip(span).is_some_and(follows);
        self.last = span;
        if matches!(record, Record::Sample(_) | Record::Sum(_)) {
            self.chain.add(record);
        } else {
            self.chain.finish();
        }
        let share = self.share;
        let drawn = self.is_drawn.filter(|_| goes_on);
        let drawn = drawn.unwrap_or_else(|| self.random.random_bool(share));
        self.is_drawn = Some(drawn);
        drawn
    }
}

// --- Signs of scores and results ---
//
// Checks that scores and results have consistent signs: the side with the higher score should win
// more often.
//
// A wrong sign is the most common fault of teacher data and has no other symptom than a weaker
// network. For each side to move, the winning probability is fitted by
// `1 / (1 + exp(-(a + b·score)))`, where a draw counts as half a win. `b` must be positive;
// `1 / b`, in units in which a pawn is 90, is about the scale for the learner. All sums are whole
// numbers until the fit, so they are exact.

/// Scores are clamped to this size in centipawns, mates too.
const MAX_SCORE: i16 = 2_000;
/// The width of a class of scores, in centipawns.
const CLASS_WIDTH: i16 = 20;
const CLASSES: usize = 2 * (MAX_SCORE / CLASS_WIDTH) as usize + 1;

/// Units of the scale of `learn`, in which a pawn is 90, in a centipawn.
const LEARNER_UNITS: f64 = 0.9;

/// The least number of won and lost positions for a fit.
const MIN_DECIDED: u64 = 100;

/// The most steps of Newton's method.
const ITERATIONS: usize = 50;

/// The positions of one side to move, by classes of scores.
#[derive(Debug)]
struct Side {
    /// For each class: positions, the sum of their scores, and half points (a win is 2, a draw 1).
    classes: Vec<(u64, i64, u64)>,
    decided: u64,
}

/// Counts of scores and results, by the side to move.
#[derive(Debug)]
pub struct Signs([Side; Color::NUM]);

impl Default for Signs {
    fn default() -> Self {
        Self(Color::ALL.map(|_| Side { classes: vec![(0, 0, 0); CLASSES], decided: 0 }))
    }
}

/// A fitted logistic function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slope {
    /// The `a` of the formula.
    pub intercept: f64,
    /// The `b` of the formula, per centipawn.
    pub slope: f64,
}

impl Signs {
    /// Counts a position with its score and result.
    pub fn add(&mut self, sample: &Sample) {
        let side = &mut self.0[sample.side_to_move().index()];
        let score = sample.score.clamp(-MAX_SCORE, MAX_SCORE);
        let result = sample.result.for_side(sample.side_to_move());
        let shifted = score + MAX_SCORE + CLASS_WIDTH / 2;
        let (positions, sum, points) = &mut side.classes[(shifted / CLASS_WIDTH) as usize];
        *positions += 1;
        *sum += i64::from(score);
        *points += (result + 1) as u64;
        side.decided += u64::from(result != 0);
    }

    /// The fit of a side to move; `None` if too few games are decided, or all scores are in one
    /// class.
    pub fn slope(&self, side: Color) -> Option<Slope> {
        let side = &self.0[side.index()];
        let classes: Vec<[f64; 3]> = side.weights().collect();
        (side.decided >= MIN_DECIDED && classes.len() > 1).then(|| fit(&classes))
    }

    /// Whether no fit has a slope of the wrong sign.
    pub fn are_right(&self) -> bool {
        let fits = Color::ALL.map(|side| self.slope(side));
        fits.into_iter().flatten().all(|fit| fit.slope > 0.0)
    }
}

impl Side {
    /// The classes that are not empty: positions, mean score, and mean result from 0 to 1.
    fn weights(&self) -> impl Iterator<Item = [f64; 3]> {
        let classes = self.classes.iter().filter(|(positions, ..)| *positions > 0);
        classes.map(|&(positions, sum, points)| {
            let count = positions as f64;
            [count, sum as f64 / count, points as f64 / (2.0 * count)]
        })
    }
}

/// Fits by Newton's method on the likelihood of the weighted classes. Scores are in pawns, so that
/// both unknowns have the same order of magnitude. A weak prior keeps the slope finite if the
/// scores separate wins from losses perfectly.
fn fit(classes: &[[f64; 3]]) -> Slope {
    /// The precision of the Gaussian prior on both unknowns.
    const PRIOR: f64 = 1e-3;
    let (mut a, mut b) = (0.0_f64, 0.0_f64);
    for _ in 0..ITERATIONS {
        let (mut gradient_a, mut gradient_b) = (-PRIOR * a, -PRIOR * b);
        let (mut aa, mut ab, mut bb) = (PRIOR, 0.0, PRIOR);
        for &[count, mean, points] in classes {
            let score = mean / 100.0;
            let expected = 1.0 / (1.0 + (-(a + b * score)).exp());
            let error = count * (points - expected);
            let weight = count * expected * (1.0 - expected);
            gradient_a += error;
            gradient_b += error * score;
            aa += weight;
            ab += weight * score;
            bb += weight * score * score;
        }
        let determinant = aa * bb - ab * ab;
        if determinant <= f64::MIN_POSITIVE {
            break;
        }
        // Long steps overshoot on the flat parts of the curve.
        let limit = |step: f64| step.clamp(-1.0, 1.0);
        let step_a = limit((bb * gradient_a - ab * gradient_b) / determinant);
        let step_b = limit((aa * gradient_b - ab * gradient_a) / determinant);
        a += step_a;
        b += step_b;
        if step_a.abs().max(step_b.abs()) < 1e-12 {
            break;
        }
    }
    Slope { intercept: a, slope: b / 100.0 }
}

/// A line with the verdict for each side to move.
impl fmt::Display for Signs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, name) in Color::ALL.into_iter().zip(["black", "white"]) {
            write!(formatter, "signs, {name} to move: ")?;
            match self.slope(color) {
                None => writeln!(formatter, "too little decided to tell")?,
                Some(Slope { intercept, slope }) if slope > 0.0 => writeln!(
                    formatter,
                    "right, winning probability 1 / (1 + exp(-({intercept:.2} + score / {:.0}))) \
                    in centipawns, --scale {:.0}",
                    1.0 / slope,
                    LEARNER_UNITS / slope
                )?,
                Some(Slope { slope, .. }) => writeln!(
                    formatter,
                    "WRONG, who has the higher score loses more often (slope {slope:.6})"
                )?,
            }
        }
        Ok(())
    }
}
