//! The loss curve of a run, as CSV and as an SVG chart.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::fmt::Write as _;
use std::ops::Range;

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use super::settings::Settings;

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
        let Point {
            step,
            visits,
            rate,
            result_weight,
            training,
            ..
        } = point;
        let _ = write!(
            text,
            "{step},{visits},{rate:.3e},{result_weight:.4},{training:.6}"
        );
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
    let held_out = || {
        points
            .iter()
            .filter_map(|point| Some((point.visits, point.held_out?)))
    };
    let losses = || {
        let all = training().chain(held_out()).map(|(_, loss)| loss);
        all.filter(|loss| loss.is_finite())
    };
    let (bottom, top) = (
        losses().fold(f64::INFINITY, f64::min),
        losses().fold(0.0, f64::max),
    );
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
        for (number, (name, color)) in [("training", BLUE), ("held-out games", RED)]
            .into_iter()
            .enumerate()
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
mod tests {
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
                let pairs = points
                    .split_whitespace()
                    .filter_map(|pair| pair.split_once(','));
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
        let bottom = legend
            .iter()
            .fold(0.0_f64, |most, y| most.max(y + text_height));
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
