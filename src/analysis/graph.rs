//! The game as a chart: black's win chance after each move, with the bad moves marked.

use std::fmt::Write as _;

use super::{Class, Review};

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

/// The horizontal place of each ply, and the vertical place of each chance.
struct Scale {
    last: usize,
}

impl Scale {
    #[expect(clippy::cast_precision_loss, reason = "pixels of a game's plies")]
    fn x(&self, ply: usize) -> f64 {
        let (left, right, ..) = MARGINS;
        left + (SIZE.0 - left - right) * ply as f64 / self.last as f64
    }

    fn y(chance: f64) -> f64 {
        let (_, _, top, bottom) = MARGINS;
        top + (SIZE.1 - top - bottom) * (1.0 - chance)
    }
}

/// The chart as an SVG of its own.
pub fn svg(review: &Review, words: &Words) -> String {
    let (width, height) = SIZE;
    let scale = Scale {
        last: review.chances.len().saturating_sub(1).max(1),
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        title = escaped(&words.title)
    );
    let mut curve = String::new();
    for (ply, &chance) in review.chances.iter().enumerate() {
        let _ = write!(curve, "L{:.1} {:.1}", scale.x(ply), Scale::y(chance));
    }
    let (left, floor) = (MARGINS.0, Scale::y(0.0));
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {floor}{curve}L{:.1} {floor}Z\" fill=\"#e8e4da\"/>",
        scale.x(scale.last)
    );
    axes(&scale, &mut svg);
    let _ = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"#3b3a36\" stroke-width=\"1.6\" \
         stroke-linejoin=\"round\"/>",
        curve.trim_start_matches('L')
    );
    marks(review, &scale, &mut svg);
    let [black, white] = &words.sides;
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{}\" fill=\"#333\">{}</text>\n\
         <text x=\"{x}\" y=\"{}\" fill=\"#333\">{}</text>\n</svg>\n",
        floor - 6.0,
        escaped(white),
        Scale::y(1.0) + 14.0,
        escaped(black),
        x = left + 6.0,
    );
    svg
}

/// Lines and numbers of the chances, numbers of the plies.
fn axes(scale: &Scale, svg: &mut String) {
    let (left, right, ..) = MARGINS;
    for percent in [100, 75, 50, 25, 0] {
        let line = Scale::y(f64::from(percent) / 100.0);
        let color = if percent == 50 { "#888" } else { "#ddd" };
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {line}H{}\" stroke=\"{color}\"/><text x=\"{}\" y=\"{}\" \
             text-anchor=\"end\" fill=\"#555\">{percent}</text>",
            SIZE.0 - right,
            left - 6.0,
            line + 4.0
        );
    }
    for ply in (PLY_STEP..=scale.last).step_by(PLY_STEP) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{ply}</text>",
            scale.x(ply),
            SIZE.1 - 10.0
        );
    }
}

/// A dot for each bad move.
fn marks(review: &Review, scale: &Scale, svg: &mut String) {
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
            scale.x(ply),
            Scale::y(review.chances[ply])
        );
    }
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
            // XML has no such characters.
            '\u{fffe}' | '\u{ffff}' => safe.push(' '),
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}
