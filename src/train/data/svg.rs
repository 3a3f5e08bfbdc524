//! The histograms as a picture.

use std::path::Path;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{
    ChartBuilder, Color as _, DrawingBackend, IntoDrawingArea as _, RGBColor, Rectangle,
    SVGBackend, WHITE,
};

use super::histogram::Histogram;

/// Width and height of a chart, in pixels.
const CHART: (u32, u32) = (900, 320);
const BAR: RGBColor = RGBColor(0x3b, 0x6e, 0xa8);
/// Of the labels, in pixels.
const FONT_SIZE: u32 = 16;

/// Draws charts one below the other into an SVG file. Returns what went wrong in words.
pub(super) fn draw(path: &Path, charts: &[(&str, &Histogram)]) -> Result<(), String> {
    let height = CHART.1 * charts.len() as u32;
    let area = SVGBackend::new(path, (CHART.0, height)).into_drawing_area();
    let drawn = area.fill(&WHITE).and_then(|()| {
        let parts = area.split_evenly((charts.len(), 1));
        let mut pairs = parts.iter().zip(charts);
        pairs.try_for_each(|(part, (title, histogram))| chart(part, title, histogram))
    });
    drawn
        .and_then(|()| area.present())
        .map_err(|error| error.to_string())
}

fn chart<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    histogram: &Histogram,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let bars: Vec<(i64, u64)> = histogram.classes().collect();
    let first = bars.first().map_or(0, |(from, _)| *from);
    let end = bars.last().map_or(1, |(from, _)| *from + histogram.width());
    let most = bars
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(0)
        .max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", FONT_SIZE + 4))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(90)
        .build_cartesian_2d(first..end, 0..most)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .label_style(("sans-serif", FONT_SIZE))
        .draw()?;
    let bar = |(from, count): (i64, u64)| {
        Rectangle::new([(from, 0), (from + histogram.width(), count)], BAR.filled())
    };
    chart.draw_series(bars.into_iter().map(bar))?;
    Ok(())
}
