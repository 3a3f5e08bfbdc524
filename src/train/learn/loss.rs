//! The training target, the loss function, the mean losses of held-out positions, and the scale of
//! scores with which the target predicts results best.

use std::{fmt::Write as _, ops::Range};

use serde::{Deserialize, Serialize};

use super::sample::{Label, Sample};
use super::{Settings, tree_weight};
use crate::types::Bound;

use plotters::prelude::*;

/// The logistic function: the winning probability of an output.
pub(super) fn logistic(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// The target of one position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Target {
    /// A winning probability, 0 to 1.
    pub(super) probability: f32,
    /// Which predictions have a loss: all others for an exact target, only smaller ones for a lower
    /// bound, only larger ones for an upper bound.
    pub(super) bound: Bound,
    /// Factor of the loss.
    pub(super) weight: f32,
}

impl Target {
    /// An exact target with full weight.
    pub(super) const fn exact(probability: f32) -> Self {
        Self { probability, bound: Bound::Exact, weight: 1.0 }
    }
}

/// How targets follow from samples.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    /// The score that corresponds to an output of 1, in units of 1/90 pawn.
    pub(super) scale: f32,
    /// Weight of the result of the game, 0 to 1; the rest is the score.
    pub(super) result_weight: f32,
    /// Weight of positions of search trees, which have no result.
    pub(super) tree_weight: f64,
}

impl Targets {
    /// The targets of a run with this weight of the results.
    pub(super) fn new(settings: &Settings, result_weight: f64) -> Self {
        Self {
            scale: f32::from(settings.scale),
            result_weight: result_weight as f32,
            tree_weight: settings.tree_weight,
        }
    }

    pub(super) fn of(&self, sample: &Sample) -> Target {
        let score = logistic(f32::from(sample.score()) / self.scale);
        match sample.label() {
            Label::Game { result } => {
                let result = 0.5 + 0.5 * f32::from(result);
                Target::exact(score + self.result_weight * (result - score))
            }
            Label::Tree { bound, depth } => {
                Target { probability: score, bound, weight: tree_weight(self.tree_weight, depth) }
            }
        }
    }
}

/// The loss of one position, weight · (probability - target)², and its derivative by the output.
/// Both are 0 where the prediction keeps to a bound.
pub(super) fn loss_and_slope(output: f32, target: Target) -> (f32, f32) {
    let probability = logistic(output);
    let difference = probability - target.probability;
    let is_kept = match target.bound {
        Bound::Exact => false,
        Bound::Lower => difference >= 0.0,
        Bound::Upper => difference <= 0.0,
    };
    if is_kept {
        return (0.0, 0.0);
    }
    let by_output = target.weight * probability * (1.0 - probability);
    let loss = target.weight * (difference * difference);
    (loss, 2.0 * difference * by_output)
}

/// Sums of the losses: against the target at the end of the run, against the scores, and against
/// the results of those positions that have one.
pub struct HeldOutLosses {
    targets: [Targets; 3],
    sums: [f64; 3],
    positions: usize,
    results: usize,
}

impl HeldOutLosses {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            targets: [settings.wdl.last, 0.0, 1.0].map(|weight| Targets::new(settings, weight)),
            sums: [0.0; 3],
            positions: 0,
            results: 0,
        }
    }

    /// Adds a position with its output.
    pub(super) fn add(&mut self, sample: &Sample, output: f32) {
        let has_result = sample.result().is_some();
        self.positions += 1;
        self.results += usize::from(has_result);
        let known = 2 + usize::from(has_result);
        for (sum, targets) in self.sums.iter_mut().zip(&self.targets[..known]) {
            let (loss, _) = loss_and_slope(output, targets.of(sample));
            *sum += f64::from(loss);
        }
    }

    pub(super) fn means(&self) -> [f64; 3] {
        let [target, score, result] = self.sums;
        let positions = self.positions.max(1) as f64;
        [target / positions, score / positions, result / self.results.max(1) as f64]
    }
}

/// Most Newton steps; a handful suffice.
const NEWTON_STEPS: usize = 100;

/// Upper bound of the factor, which diverges where results follow from the sign of the score.
const MAX_FACTOR: f64 = 50.0;

/// The scale of the logistic function that maximises the likelihood of the results, in the unit of
/// scores; a draw counts as half a win and half a loss. `None` where scores do not correlate with
/// results.
pub fn fit_scale<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    // Histograms over scores, so that the sums below are short and exact.
    let mut wins = vec![0_u64; 1 << u16::BITS];
    let mut counts = wins.clone();
    for sample in samples {
        let Some(result) = sample.result() else {
            continue;
        };
        let number = (i32::from(sample.score()) - i32::from(i16::MIN)) as usize;
        counts[number] += 2;
        wins[number] += (1 + i64::from(result)) as u64;
    }
    let scores = || {
        let all = counts.iter().zip(&wins).enumerate();
        all.filter(|(_, (count, _))| **count > 0).map(|(number, (&count, &wins))| {
            let score = number as f64 + f64::from(i16::MIN);
            (score, count as f64, wins as f64)
        })
    };
    // Scores in units of 1000, so that the factor is about 1. The log-likelihood is concave, so
    // Newton's method finds its maximum; steps are clamped so that it does not overshoot.
    let mut factor = 0.0_f64;
    for _ in 0..NEWTON_STEPS {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (score, count, wins) in scores() {
            let score = score / 1000.0;
            let share = 1.0 / (1.0 + (-factor * score).exp());
            slope += (wins - count * share) * score;
            curvature += count * share * (1.0 - share) * score * score;
        }
        if curvature <= f64::MIN_POSITIVE {
            return None;
        }
        let step = (slope / curvature).clamp(-1.0, 1.0);
        factor += step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    (factor > 0.0 && factor < MAX_FACTOR).then(|| 1000.0 / factor)
}

// --- The loss curve ---

/// One point of the loss curve. Losses are means over positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Number of steps made.
    pub step: u64,
    /// Number of positions visited, counting repeated visits.
    pub visits: u64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// The weight of results in the target of the last step, 0 to 1.
    pub result_weight: f64,
    /// Training loss since the last point, each batch with the weights before its step.
    pub training: f64,
    /// Loss on held-out positions, against the target at the end of the run; `None` where none are
    /// held out.
    pub held_out: Option<f64>,
    /// Loss on held-out positions, against the scores alone.
    pub held_out_score: Option<f64>,
    /// Loss on held-out positions, against the results alone.
    pub held_out_result: Option<f64>,
}

impl Point {
    /// A point after `steps`, the steps since the last point, with the sum of the losses of their
    /// positions and the means of the held-out ones against target, scores and results.
    pub(super) fn new(
        settings: &Settings,
        steps: Range<u64>,
        loss: f64,
        held_out: Option<[f64; 3]>,
    ) -> Self {
        let visits = (steps.end - steps.start) * settings.batch as u64;
        let last = steps.end - 1;
        Self {
            step: steps.end,
            visits: steps.end * settings.batch as u64,
            rate: settings.rate_at(last),
            result_weight: settings.result_weight_at(last),
            training: loss / visits as f64,
            held_out: held_out.map(|losses| losses[0]),
            held_out_score: held_out.map(|losses| losses[1]),
            held_out_result: held_out.map(|losses| losses[2]),
        }
    }
}

/// The points as comma-separated values, with a header line.
pub(super) fn to_csv(points: &[Point]) -> String {
    let mut text =
        "step,visits,rate,result_weight,training,held_out,held_out_score,held_out_result\n"
            .to_owned();
    for point in points {
        let _ = write!(text, "{},{},{:.3e}", point.step, point.visits, point.rate);
        let _ = write!(text, ",{:.4},{:.6}", point.result_weight, point.training);
        for loss in [point.held_out, point.held_out_score, point.held_out_result] {
            text.push(',');
            if let Some(loss) = loss {
                let _ = write!(text, "{loss:.6}");
            }
        }
        text.push('\n');
    }
    text
}

/// Relative rise of the held-out loss that is taken for overfitting rather than noise.
const RISE: f64 = 0.01;

/// The point with the lowest held-out loss, where the last point is clearly worse (overfitting).
pub fn best_before_rise(points: &[Point]) -> Option<&Point> {
    let last = points.last()?.held_out?;
    let by_loss = |a: &&Point, b: &&Point| {
        let loss = |point: &Point| point.held_out.unwrap_or(f64::INFINITY);
        loss(a).total_cmp(&loss(b))
    };
    let best = points.iter().min_by(by_loss)?;
    (best.held_out? * (1.0 + RISE) < last).then_some(best)
}

/// Width and height of the chart in pixels.
const SIZE: (u32, u32) = (800, 480);

/// Height in pixels of the band above the chart that holds the legend, so that no curve can cross
/// it.
const LEGEND_HEIGHT: u32 = 32;

/// Width in pixels of an entry of the legend.
const LEGEND_ENTRY: i32 = 140;

/// The points as an SVG chart; `None` where there are fewer than two, or no finite losses.
pub(super) fn to_svg(points: &[Point]) -> Option<String> {
    let (first, last) = (points.first()?, points.last()?);
    if first.visits == last.visits {
        return None;
    }
    let training = || points.iter().map(|point| (point.visits, point.training));
    let held_out = || points.iter().filter_map(|point| Some((point.visits, point.held_out?)));
    let losses = || {
        let all = training().chain(held_out()).map(|(_, loss)| loss);
        all.filter(|loss| loss.is_finite())
    };
    let (bottom, top) = (losses().fold(f64::INFINITY, f64::min), losses().fold(0.0, f64::max));
    if !bottom.is_finite() {
        return None;
    }
    let margin = (top - bottom).max(1e-6) * 0.05;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).ok()?;
        let (legend, area) = area.split_vertically(LEGEND_HEIGHT);
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(first.visits..last.visits, bottom - margin..top + margin)
            .ok()?;
        let mut mesh = chart.configure_mesh();
        let mesh = mesh.x_desc("positions visited").y_desc("loss");
        mesh.label_style(("sans-serif", 16)).light_line_style(WHITE);
        mesh.x_labels(6)
            .x_label_formatter(&|visits| format!("{} M", *visits as f64 / 1e6))
            .draw()
            .ok()?;
        let training = LineSeries::new(training(), &BLUE);
        chart.draw_series(training).ok()?;
        let held_out = LineSeries::new(held_out(), &RED);
        chart.draw_series(held_out).ok()?;
        for (number, (name, color)) in
            [("training", BLUE), ("held-out games", RED)].into_iter().enumerate()
        {
            let style = ("sans-serif", 18).into_font().color(&color);
            let place = (SIZE.0 as i32 - LEGEND_ENTRY * (2 - number as i32), 8);
            legend.draw_text(name, &style, place).ok()?;
        }
        area.present().ok()?;
    }
    Some(svg)
}

#[cfg(test)]
mod loss_curve_tests {
    use super::*;

    fn points(losses: &[f64]) -> Vec<Point> {
        let point = |(index, loss): (usize, &f64)| Point {
            step: index as u64,
            visits: index as u64,
            rate: 0.0,
            result_weight: 0.0,
            training: 0.0,
            held_out: Some(*loss),
            held_out_score: None,
            held_out_result: None,
        };
        losses.iter().enumerate().map(point).collect()
    }

    /// The vertical coordinates of the legend, which is text in the colors of the curves, and of
    /// the curves.
    fn legend_and_curves(svg: &str) -> (Vec<f64>, Vec<f64>) {
        let attribute = |element: &str, name: &str| {
            let (_, rest) = element.split_once(&format!(" {name}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let (mut legend, mut curves) = (Vec::new(), Vec::new());
        for element in svg.split('<') {
            let color =
                |name| attribute(element, name).is_some_and(|color| COLORS.contains(&&*color));
            if element.starts_with("text") && color("fill") {
                legend.extend(attribute(element, "y").map(|y| number(&y)));
            }
            if element.starts_with("polyline") && color("stroke") {
                let points = attribute(element, "points").unwrap_or_default();
                let pairs = points.split_whitespace().filter_map(|pair| pair.split_once(','));
                curves.extend(pairs.map(|(_, y)| number(y)));
            }
        }
        (legend, curves)
    }

    const COLORS: [&str; 2] = ["#0000FF", "#FF0000"];

    #[test]
    fn no_curve_crosses_the_legend() {
        // Rising losses reach the upper right corner of the chart.
        let rising: Vec<f64> = (0..20).map(|step| 0.04 + 0.001 * f64::from(step)).collect();
        let svg = to_svg(&points(&rising)).expect("a chart");
        let (legend, curves) = legend_and_curves(&svg);
        assert_eq!((legend.len(), curves.len()), (2, 40), "{svg}");
        let text_height = 18.0;
        let bottom = legend.iter().fold(0.0_f64, |most, y| most.max(y + text_height));
        let top = curves.iter().fold(f64::INFINITY, |least, y| least.min(*y));
        assert!(bottom < top, "legend down to {bottom}, curves up to {top}");
    }

    #[test]
    fn a_rise_is_told_from_noise() {
        let best = |losses: &[f64]| best_before_rise(&points(losses)).map(|point| point.step);
        assert_eq!(best(&[0.5, 0.04, 0.041, 0.042]), Some(1));
        assert_eq!(best(&[0.5, 0.04, 0.0401]), None);
        assert_eq!(best(&[0.5, 0.04]), None);
        assert_eq!(best(&[]), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::train::learn::sample::Label;

    /// The loss by its definition, in 64-bit floats.
    fn expected(output: f64, target: Target) -> f64 {
        let difference = 1.0 / (1.0 + (-output).exp()) - f64::from(target.probability);
        let violation = match target.bound {
            Bound::Exact => difference.abs(),
            Bound::Lower => (-difference).max(0.0),
            Bound::Upper => difference.max(0.0),
        };
        f64::from(target.weight) * violation.powi(2)
    }

    #[test]
    fn the_slope_is_that_of_finite_differences_on_both_sides_of_a_bound() {
        const STEP: f64 = 1e-4;
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for weight in [1.0, 0.375] {
                let target = Target { probability: 0.4, bound, weight };
                for output in [-3.0, -1.0, -0.5, -0.3, 0.0, 2.0] {
                    let (loss, slope) = loss_and_slope(output, target);
                    let at = |by: f64| expected(f64::from(output) + by, target);
                    let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
                    assert!((f64::from(loss) - at(0.0)).abs() < 1e-6);
                    assert!((f64::from(slope) - difference).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn a_kept_bound_has_no_loss() {
        for (bound, kept, broken) in [(Bound::Lower, 1.0, -1.0), (Bound::Upper, -1.0, 1.0)] {
            let target = Target { bound, ..Target::exact(0.5) };
            assert_eq!(loss_and_slope(kept, target), (0.0, 0.0));
            let (loss, slope) = loss_and_slope(broken, target);
            assert!(loss > 0.0 && slope * broken > 0.0);
        }
    }

    fn samples(scale: f64, sign: f64) -> Vec<Sample> {
        let position: Position = Position::startpos();
        let mut samples = Vec::new();
        for score in (-2000..=2000_i16).step_by(50) {
            let share = 1.0 / (1.0 + (-sign * f64::from(score) / scale).exp());
            let wins = (share * 1000.0).round() as usize;
            for number in 0..1000 {
                let result = if number < wins { 1 } else { -1 };
                samples.extend(Sample::new(&position, score, Label::Game { result }));
            }
        }
        samples
    }

    #[test]
    fn the_scale_of_made_up_games_is_found() {
        for scale in [150.0, 361.0, 600.0] {
            let found = fit_scale(samples(scale, 1.0).iter()).expect("a scale");
            assert!((found - scale).abs() < scale * 0.01, "{found}, not {scale}");
        }
    }

    #[test]
    fn scores_of_the_wrong_sign_have_no_scale() {
        assert_eq!(fit_scale(samples(361.0, -1.0).iter()), None);
        assert_eq!(fit_scale([].iter()), None);
    }
}
