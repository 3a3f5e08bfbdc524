//! Statistics of teacher data: counts, results, scores and plies, as text and as an SVG file.

use std::fmt;

use anyhow::{Context as _, Result};
use plotters::{coord::Shift, style::Color as _};

use super::{Sources, Tally};
use crate::records::sample::{Sample, has_entered_king};
use crate::types::{Bound, Color};
use crate::{records::game::GameResult, records::sample::TreePosition, records::teacher::Record};
use crate::{records::score::is_mate, runs::Watch};

use plotters::prelude::*;

/// The range of the histogram of scores, in centipawns. Larger scores count for its last classes.
const MAX_SCORE: i64 = 3_000;
/// The width of a class of scores, in centipawns.
const SCORE_WIDTH: i64 = 200;
/// The range of the histograms of plies.
const MAX_PLY: i64 = 400;
/// The range of the histogram of depths, in plies.
const MAX_DEPTH: i64 = 40;
/// The width of a class of plies.
const PLY_WIDTH: i64 = 10;

/// The counts of a run.
#[derive(Debug)]
pub struct Stats {
    /// Counts of the valid and invalid records.
    pub tally: Tally,
    /// Games by result: draws, won by black, won by white. All are 0 for formats of positions.
    pub games: [u64; 3],
    /// Positions with score and result, by result in the same order.
    pub samples: [u64; 3],
    /// Positions without score and result.
    pub unscored_positions: u64,
    /// Positions whose side to move is in check.
    pub in_check: u64,
    /// Positions with a king in its promotion zone.
    pub entered_kings: u64,
    /// Positions with a mate score.
    pub mates: u64,
    /// Positions of search trees.
    pub trees: TreeStats,
    /// The sums of the scores that are not mates and of their absolute values, in centipawns.
    score_sums: [i64; 2],
    scores: Histogram,
    plies: Histogram,
    lengths: Histogram,
}

/// The counts of positions of search trees.
#[derive(Debug)]
pub struct TreeStats {
    /// Positions by bound: the value is at most the score, at least the score, exactly the score.
    pub positions: [u64; 3],
    scores: Histogram,
    depths: Histogram,
}

impl TreeStats {
    fn add(&mut self, node: &TreePosition) {
        let kind = match node.bound {
            Bound::Upper => 0,
            Bound::Lower => 1,
            Bound::Exact => 2,
        };
        self.positions[kind] += 1;
        self.scores.add(node.score.into());
        self.depths.add(node.depth.into());
    }
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            tally: Tally::default(),
            games: [0; 3],
            samples: [0; 3],
            unscored_positions: 0,
            in_check: 0,
            entered_kings: 0,
            mates: 0,
            trees: TreeStats {
                positions: [0; 3],
                scores: Histogram::new(-MAX_SCORE, MAX_SCORE, SCORE_WIDTH),
                depths: Histogram::new(0, MAX_DEPTH, 1),
            },
            score_sums: [0; 2],
            scores: Histogram::new(-MAX_SCORE, MAX_SCORE, SCORE_WIDTH),
            plies: Histogram::new(0, MAX_PLY, PLY_WIDTH),
            lengths: Histogram::new(0, MAX_PLY, PLY_WIDTH),
        }
    }
}

/// Counts everything.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn run(sources: &Sources, watch: &Watch<'_>) -> Result<Stats> {
    let mut stats = Stats::default();
    stats.tally = sources.read(watch, |_, record| {
        stats.add(&record);
        Ok(())
    })?;
    Ok(stats)
}

impl Stats {
    fn add(&mut self, record: &Record) {
        match record {
            Record::Game(game) => {
                let game = &game.game;
                self.games[usize::from(game.result.code())] += 1;
                self.lengths.add(game.moves.len() as i64);
            }
            Record::Position(..) => self.unscored_positions += 1,
            Record::Tree(node) => self.trees.add(node),
            Record::Sample(_) | Record::Sum(_) => {}
        }
        record.for_each_sample(|sample| self.add_sample(sample));
    }

    fn add_sample(&mut self, sample: &Sample) {
        self.samples[usize::from(sample.result.code())] += 1;
        self.scores.add(sample.score.into());
        if sample.ply != 0 {
            self.plies.add(sample.ply.into());
        }
        if is_mate(sample.score) {
            self.mates += 1;
        } else {
            self.score_sums[0] += i64::from(sample.score);
            self.score_sums[1] += i64::from(sample.score).abs();
        }
        if let Ok(board) = sample.position.unpack_board() {
            let threats = board.king_threats(board.side_to_move());
            self.in_check += u64::from(threats.checkers.is_any());
        }
        self.entered_kings += u64::from(has_entered_king(&sample.position));
    }

    /// The histograms with their titles.
    const fn charts(&self) -> [(&'static str, &Histogram); 5] {
        [
            ("score of the side to move, centipawns (the ends hold all beyond)", &self.scores),
            ("ply of the position", &self.plies),
            ("plies of the game", &self.lengths),
            ("score of a position of a search tree (the ends hold all beyond)", &self.trees.scores),
            ("depth of a position of a search tree", &self.trees.depths),
        ]
    }

    /// The histograms as the text of an SVG file.
    ///
    /// # Errors
    /// They cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let is_used =
            |(_, histogram): &(&str, &Histogram)| histogram.classes().any(|(_, count)| count > 0);
        let charts: Vec<_> = self.charts().into_iter().filter(is_used).collect();
        draw_svg(&charts).context("the histograms cannot be drawn")
    }
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn write_results(formatter: &mut fmt::Formatter<'_>, name: &str, counts: &[u64; 3]) -> fmt::Result {
    let total = counts.iter().sum();
    write!(formatter, "{total:>14}  {name}")?;
    for (result, text) in [
        (GameResult::Win(Color::Black), "black won"),
        (GameResult::Win(Color::White), "white won"),
        (GameResult::Draw, "drawn"),
    ] {
        let count = counts[usize::from(result.code())];
        write!(formatter, ", {} {text}", share(count, total))?;
    }
    writeln!(formatter)
}

/// The report of the command `stats`.
impl fmt::Display for Stats {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples: u64 = self.samples.iter().sum();
        if self.games.iter().any(|&count| count > 0) {
            write_results(formatter, "games", &self.games)?;
        }
        write_results(formatter, "scored positions", &self.samples)?;
        for (count, name) in [
            (self.in_check, "in check"),
            (self.entered_kings, "with a king in the enemy's camp"),
            (self.mates, "with the score of a mate"),
        ] {
            writeln!(formatter, "{count:>14}  {name}, {}", share(count, samples))?;
        }
        if self.unscored_positions > 0 {
            let count = self.unscored_positions;
            writeln!(formatter, "{count:>14}  without a score")?;
        }
        let trees = self.trees.positions;
        let total: u64 = trees.iter().sum();
        if total > 0 {
            write!(formatter, "{total:>14}  positions of search trees")?;
            let kinds = ["upper bounds", "lower bounds", "exact"];
            for (count, name) in trees.into_iter().zip(kinds) {
                write!(formatter, ", {} {name}", share(count, total))?;
            }
            writeln!(formatter)?;
        }
        writeln!(formatter, "{:>14}  bad records", self.tally.bad())?;
        let counted = samples - self.mates;
        if counted > 0 {
            let [mean, mean_size] = self.score_sums.map(|sum| sum as f64 / counted as f64);
            writeln!(
                formatter,
                "mean score {mean:.1}, mean size of the score {mean_size:.1} centipawns"
            )?;
        }
        for (title, histogram) in self.charts() {
            let lines = histogram.lines();
            if !lines.is_empty() {
                writeln!(formatter, "\n{title}\n{}", lines.join("\n"))?;
            }
        }
        Ok(())
    }
}

/// Counts of numbers by class. Numbers outside the range count for the first or last class.
#[derive(Debug)]
struct Histogram {
    /// The lower end of the first class.
    first: i64,
    /// The width of a class.
    width: i64,
    counts: Vec<u64>,
}

/// The longest bar of the text output, in characters.
const LONGEST_BAR: u64 = 50;

impl Histogram {
    /// Creates classes of `width` from `first` to `end`.
    fn new(first: i64, end: i64, width: i64) -> Self {
        Self { first, width, counts: vec![0; ((end - first) / width).max(1) as usize] }
    }

    fn add(&mut self, number: i64) {
        let class = (number - self.first).div_euclid(self.width);
        let last = self.counts.len() as i64 - 1;
        self.counts[class.clamp(0, last) as usize] += 1;
    }

    /// The lower ends of the classes with their counts.
    fn classes(&self) -> impl Iterator<Item = (i64, u64)> {
        let ends = (self.first..).step_by(self.width as usize);
        ends.zip(self.counts.iter().copied())
    }

    /// A line with a bar for each class, from the first to the last class that is not empty.
    fn lines(&self) -> Vec<String> {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let is_empty = |&(_, count): &(i64, u64)| count == 0;
        let mut classes: Vec<(i64, u64)> = self.classes().skip_while(is_empty).collect();
        while classes.last().is_some_and(is_empty) {
            classes.pop();
        }
        let line = |(from, count): (i64, u64)| {
            let length = (u128::from(count) * u128::from(LONGEST_BAR)).div_ceil(most.into());
            let bar = "#".repeat(length as usize);
            let line = format!("  {from:>6}  {count:>12}  {bar}");
            line.trim_end().to_owned()
        };
        classes.into_iter().map(line).collect()
    }
}

/// Width and height of a chart, in pixels.
const CHART_SIZE: (u32, u32) = (900, 320);
/// The colour of the bars.
const BAR_COLOR: RGBColor = RGBColor(0x3b, 0x6e, 0xa8);
/// The font size of the labels, in pixels.
const FONT_SIZE: u32 = 16;
/// The space around a chart, in pixels.
const MARGIN: u32 = 12;
/// The space on the right, in pixels. The last label of the x axis is centred on its edge, so half
/// of it stands in this margin.
const RIGHT_MARGIN: u32 = 30;

/// Draws charts, one below the other, as the text of an SVG file.
fn draw_svg(charts: &[(&str, &Histogram)]) -> Option<String> {
    let mut text = String::new();
    let size = (CHART_SIZE.0, CHART_SIZE.1 * charts.len() as u32);
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    area.fill(&WHITE).ok()?;
    let parts = area.split_evenly((charts.len(), 1));
    for (part, (title, histogram)) in parts.iter().zip(charts) {
        draw_chart(part, title, histogram)?;
    }
    area.present().ok()?;
    drop((parts, area));
    Some(text)
}

fn draw_chart(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    title: &str,
    histogram: &Histogram,
) -> Option<()> {
    let bars: Vec<(i64, u64)> = histogram.classes().collect();
    let first = bars.first().map_or(0, |(from, _)| *from);
    let end = bars.last().map_or(1, |(from, _)| *from + histogram.width);
    let most = bars.iter().map(|(_, count)| *count).max();
    let most = most.unwrap_or(0).max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", FONT_SIZE + 4))
        .margin(MARGIN)
        .margin_right(RIGHT_MARGIN)
        .x_label_area_size(28)
        .y_label_area_size(90)
        .build_cartesian_2d(first..end, 0..most)
        .ok()?;
    chart.configure_mesh().disable_x_mesh().label_style(("sans-serif", FONT_SIZE)).draw().ok()?;
    let bar = |(from, count): (i64, u64)| {
        let corners = [(from, 0), (from + histogram.width, count)];
        Rectangle::new(corners, BAR_COLOR.filled())
    };
    chart.draw_series(bars.into_iter().map(bar)).ok()?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_take_what_lies_outside() {
        let mut histogram = Histogram::new(-20, 20, 10);
        for number in [-1000, -20, -1, 0, 9, 10, 11, 12, 5000] {
            histogram.add(number);
        }
        let classes: Vec<_> = histogram.classes().collect();
        assert_eq!(classes, [(-20, 2), (-10, 1), (0, 2), (10, 4)]);
        let lines = histogram.lines();
        assert_eq!(lines.len(), 4);
        assert!(lines[3].ends_with(&"#".repeat(50)) && !lines[2].ends_with(&"#".repeat(26)));
    }

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
        let svg = draw_svg(&charts).expect("a string takes everything");
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
            let is_inside = left >= 0.0 && right <= f64::from(CHART_SIZE.0);
            assert!(is_inside, "{label}: {left} to {right}");
            labels.push(label);
        }
        assert!(labels.contains(&"3000") && labels.contains(&"400"), "{labels:?}");
    }
}
