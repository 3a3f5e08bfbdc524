//! The loss in the course of a run, as a table and as a picture.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::fmt::Write as _;

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

/// What is known at one moment of a run. Losses are means over positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Steps made.
    pub step: u64,
    /// Positions seen, each as often as it was.
    pub visits: u64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// How much results counted in the last step.
    pub result_weight: f64,
    /// The loss of what was learnt since the last point, with the weights of each moment.
    pub training: f64,
    /// The loss of the held-out games, against the target of the end of the run; `None` where nothing is held out.
    pub held_out: Option<f64>,
    /// Likewise, against the scores alone.
    pub held_out_score: Option<f64>,
    /// Likewise, against the results alone.
    pub held_out_result: Option<f64>,
}

/// The points as comma-separated values, with a line of names.
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

/// A loss that is higher by this part than it was is no accident.
const RISE: f64 = 0.01;

/// The point at which the held-out games were predicted best, where the last point is clearly worse: what was learnt after it
/// was the games themselves.
pub fn best_before_rise(points: &[Point]) -> Option<&Point> {
    let last = points.last()?.held_out?;
    let by_loss = |a: &&Point, b: &&Point| {
        let loss = |point: &Point| point.held_out.unwrap_or(f64::INFINITY);
        loss(a).total_cmp(&loss(b))
    };
    let best = points.iter().min_by(by_loss)?;
    (best.held_out? * (1.0 + RISE) < last).then_some(best)
}

const SIZE: (u32, u32) = (800, 480);

/// The points as an SVG picture; `None` where there are fewer than two, or no losses.
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
            let place = (SIZE.0 as i32 - 140, 24 + 20 * number as i32);
            area.draw_text(name, &style, place).ok()?;
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

    #[test]
    fn a_rise_is_told_from_noise() {
        let best = |losses: &[f64]| best_before_rise(&points(losses)).map(|point| point.step);
        assert_eq!(best(&[0.5, 0.04, 0.041, 0.042]), Some(1));
        assert_eq!(best(&[0.5, 0.04, 0.0401]), None);
        assert_eq!(best(&[0.5, 0.04]), None);
        assert_eq!(best(&[]), None);
    }
}
