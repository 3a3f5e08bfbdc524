//! The game as a chart: black's win chance after each move, with the bad moves marked.

use std::fmt::Write as _;

use super::review::{Class, Review};

/// Width and height in pixels.
const SIZE: (f64, f64) = (900.0, 260.0);
/// Left, right, top and bottom of the drawing.
const MARGINS: (f64, f64, f64, f64) = (44.0, 14.0, 14.0, 28.0);
/// Plies between two numbers below the chart.
const PLY_STEP: usize = 20;

/// Texts of the chart.
#[derive(Clone, Debug)]
pub struct Words {
    /// Above the chart, such as the players' names.
    pub title: String,
    /// The two sides.
    pub sides: [String; 2],
}

/// The chart as an SVG of its own.
#[expect(clippy::cast_precision_loss, reason = "pixels of a game's plies")]
pub fn svg(review: &Review, words: &Words) -> String {
    let (width, height) = SIZE;
    let (left, right, top, bottom) = MARGINS;
    let last = review.chances.len().saturating_sub(1).max(1);
    let x = |ply: usize| left + (width - left - right) * ply as f64 / last as f64;
    let y = |chance: f64| top + (height - top - bottom) * (1.0 - chance);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        title = escaped(&words.title)
    );
    let mut area = String::new();
    for (ply, &chance) in review.chances.iter().enumerate() {
        let _ = write!(area, "L{:.1} {:.1}", x(ply), y(chance));
    }
    let floor = y(0.0);
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {floor}{area}L{:.1} {floor}Z\" fill=\"#e8e4da\"/>",
        x(last)
    );
    for (chance, text) in [
        (1.0, "100"),
        (0.75, "75"),
        (0.5, "50"),
        (0.25, "25"),
        (0.0, "0"),
    ] {
        let (line, color) = (y(chance), if chance == 0.5 { "#888" } else { "#ddd" });
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {line}H{}\" stroke=\"{color}\"/><text x=\"{}\" y=\"{}\" \
             text-anchor=\"end\" fill=\"#555\">{text}</text>",
            width - right,
            left - 6.0,
            line + 4.0
        );
    }
    for ply in (PLY_STEP..=last).step_by(PLY_STEP) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{ply}</text>",
            x(ply),
            height - 10.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"#3b3a36\" stroke-width=\"1.6\" \
         stroke-linejoin=\"round\"/>",
        area.trim_start_matches('L')
    );
    for (index, judgement) in review.judgements.iter().enumerate() {
        let color = match judgement.class {
            _ if judgement.missed_mate.is_some() => "#8e44ad",
            Class::Blunder => "#d23b32",
            Class::Doubtful => "#e39a1d",
            Class::Best | Class::Good => continue,
        };
        let ply = index + 1;
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{color}\" stroke=\"#fff\">\
             <title>{ply}</title></circle>",
            x(ply),
            y(review.chances[ply])
        );
    }
    let [black, white] = &words.sides;
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{}\" fill=\"#333\">{}</text>\n\
         <text x=\"{x}\" y=\"{}\" fill=\"#333\">{}</text>\n</svg>\n",
        y(0.0) - 6.0,
        escaped(white),
        top + 14.0,
        escaped(black),
        x = left + 6.0,
    );
    svg
}

/// The text with the characters that XML gives a meaning written as entities.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}
