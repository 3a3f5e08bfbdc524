//! The curve as a chart: Elo over nodes, with error bars; a colour for each pairing.

#![expect(
    clippy::cast_precision_loss,
    reason = "pixels, and node limits below 2^52"
)]

use std::ops::Range;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{
    ChartBuilder, Circle, Color as _, DrawingBackend, IntoDrawingArea as _, IntoFont as _,
    IntoLogRange as _, LineSeries, PathElement, RGBColor, SVGBackend, WHITE,
};

use super::points::Curve;

/// Width and height of the chart in pixels.
const SIZE: (u32, u32) = (800, 480);
/// Height of a line of the legend above the chart, in pixels.
const LEGEND_LINE: u32 = 22;
/// The font size of the labels, in pixels.
const FONT_SIZE: u32 = 16;
/// The colours of the pairings, which repeat.
const COLORS: [RGBColor; 4] = [
    RGBColor(0x3b, 0x6e, 0xa8),
    RGBColor(0xb8, 0x4a, 0x3a),
    RGBColor(0x3f, 0x8f, 0x5b),
    RGBColor(0x80, 0x5a, 0x9e),
];
/// The axes reach this factor beyond the first and the last node limit.
const NODE_MARGIN: f64 = 1.3;
/// The part of its height by which the Elo axis reaches beyond the error bars.
const ELO_MARGIN: f64 = 0.08;

/// One point of a pairing with its error bar, in Elo.
struct Point {
    nodes: f64,
    elo: f64,
    low: f64,
    high: f64,
}

/// The points of a pairing, in ascending order of nodes.
struct Series {
    title: String,
    points: Vec<Point>,
}

impl Curve {
    /// The curve as an SVG chart; `None` without a finite Elo difference.
    pub fn to_svg(&self) -> Option<String> {
        let series = series(self);
        let [nodes, elo] = ranges(&series)?;
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        chart(&area, &series, nodes, elo).ok()?;
        area.present().ok()?;
        drop(area);
        Some(svg)
    }
}

fn series(curve: &Curve) -> Vec<Series> {
    let count = curve
        .points
        .first()
        .map_or(0, |point| point.summary.pairings.len());
    let of_pairing = |index: usize| {
        let mut series = Series {
            title: String::new(),
            points: Vec::new(),
        };
        for point in &curve.points {
            let Some(pairing) = point.summary.pairings.get(index) else {
                continue;
            };
            series.title = pairing.title();
            // An infinite difference has no place on the axis, nor has an infinite end of a bar.
            if let Some(elo) = pairing.elo() {
                let [low, high] = pairing.interval().map(|end| end.unwrap_or(elo));
                series.points.push(Point {
                    nodes: point.nodes as f64,
                    elo,
                    low,
                    high,
                });
            }
        }
        series.points.sort_by(|a, b| a.nodes.total_cmp(&b.nodes));
        series
    };
    (0..count).map(of_pairing).collect()
}

/// The ranges of nodes and Elo; 0 Elo is always in sight.
fn ranges(series: &[Series]) -> Option<[Range<f64>; 2]> {
    let points = || series.iter().flat_map(|series| &series.points);
    let first = points().map(|point| point.nodes).reduce(f64::min)?;
    let last = points().map(|point| point.nodes).reduce(f64::max)?;
    let low = points().map(|point| point.low).fold(0.0, f64::min);
    let high = points().map(|point| point.high).fold(0.0, f64::max);
    let margin = ELO_MARGIN * (high - low).max(1.0);
    Some([
        first / NODE_MARGIN..last * NODE_MARGIN,
        low - margin..high + margin,
    ])
}

/// The label of a line of the node axis: 1, 2 and 5 of each decade, as there is no room for more.
fn label(nodes: f64) -> String {
    let text = format!("{nodes:.0}");
    if text.starts_with(['1', '2', '5']) {
        text
    } else {
        String::new()
    }
}

fn chart<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    series: &[Series],
    nodes: Range<f64>,
    elo: Range<f64>,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    let (legend, area) = area.split_vertically(LEGEND_LINE * series.len() as u32 + LEGEND_LINE / 2);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_right(30)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(nodes.clone().log_scale(), elo)?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("nodes a move").y_desc("Elo, 95 %");
    mesh.label_style(("sans-serif", FONT_SIZE));
    mesh.light_line_style(WHITE);
    mesh.x_label_formatter(&|nodes| label(*nodes));
    mesh.y_label_formatter(&|elo| format!("{elo:+.0}"));
    mesh.draw()?;
    let even = [(nodes.start, 0.0), (nodes.end, 0.0)];
    chart.draw_series(LineSeries::new(even, RGBColor(0x80, 0x80, 0x80)))?;
    for (number, Series { title, points }) in series.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let line = points.iter().map(|point| (point.nodes, point.elo));
        chart.draw_series(LineSeries::new(line.clone(), color.stroke_width(2)))?;
        chart.draw_series(line.map(|place| Circle::new(place, 4, color.filled())))?;
        let bar = |point: &Point| {
            let ends = vec![(point.nodes, point.low), (point.nodes, point.high)];
            PathElement::new(ends, color.stroke_width(1))
        };
        chart.draw_series(points.iter().map(bar))?;
        let style = ("sans-serif", FONT_SIZE + 2).into_font().color(&color);
        let place = (80, (LEGEND_LINE as usize * number) as i32 + 8);
        legend.draw_text(title, &style, place)?;
    }
    Ok(())
}
