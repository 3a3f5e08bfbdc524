//! Histograms as an SVG file.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{
    ChartBuilder, Color as _, DrawingBackend, IntoDrawingArea as _, RGBColor, Rectangle,
    SVGBackend, WHITE,
};

use super::histogram::Histogram;

/// Width and height of a chart, in pixels.
const CHART: (u32, u32) = (900, 320);
/// The colour of the bars.
const BAR: RGBColor = RGBColor(0x3b, 0x6e, 0xa8);
/// The font size of the labels, in pixels.
const FONT_SIZE: u32 = 16;
/// The space around a chart, in pixels.
const MARGIN: u32 = 12;
/// The space on the right, in pixels. The last label of the x axis is centred on its edge, so half
/// of it stands in this margin.
const RIGHT_MARGIN: u32 = 30;

/// Draws charts, one below the other, as the text of an SVG file. The error is a message.
pub(super) fn draw(charts: &[(&str, &Histogram)]) -> Result<String, String> {
    let mut text = String::new();
    draw_charts(SVGBackend::with_string(&mut text, size(charts)), charts)?;
    Ok(text)
}

const fn size(charts: &[(&str, &Histogram)]) -> (u32, u32) {
    (CHART.0, CHART.1 * charts.len() as u32)
}

fn draw_charts<B: DrawingBackend>(backend: B, charts: &[(&str, &Histogram)]) -> Result<(), String> {
    let area = backend.into_drawing_area();
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
        .margin(MARGIN)
        .margin_right(RIGHT_MARGIN)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The widest digit of common fonts, in parts of the font size.
    const DIGIT_WIDTH: f64 = 0.65;

    /// The value of an attribute of a tag.
    fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
        let (_, rest) = tag.split_once(&format!(" {name}=\"")).expect(name);
        rest.split_once('"').expect("a closing quote").0
    }

    #[test]
    fn no_label_is_clipped() {
        let mut scores = Histogram::new(-3000, 3000, 200);
        let mut plies = Histogram::new(0, 400, 10);
        for number in -15..=15 {
            scores.add(number * 200);
            plies.add(number.abs() * 25);
        }
        let charts = [("scores", &scores), ("plies", &plies)];
        let svg = draw(&charts).expect("a string takes everything");
        let mut labels = Vec::new();
        for text in svg.split("<text").skip(1) {
            let (tag, rest) = text.split_once('>').expect("the end of the tag");
            let label = rest.split_once('<').expect("a closing tag").0.trim();
            let number = |name| attribute(tag, name).parse::<f64>().expect("a number");
            let width = f64::from(label.len() as u32) * DIGIT_WIDTH * number("font-size");
            let x = number("x");
            let (left, right) = match attribute(tag, "text-anchor") {
                "start" => (x, x + width),
                "middle" => (x - width / 2.0, x + width / 2.0),
                _ => (x - width, x),
            };
            let is_inside = left >= 0.0 && right <= f64::from(CHART.0);
            assert!(is_inside, "{label}: {left} to {right}");
            labels.push(label);
        }
        assert!(
            labels.contains(&"3000") && labels.contains(&"400"),
            "{labels:?}"
        );
    }
}
