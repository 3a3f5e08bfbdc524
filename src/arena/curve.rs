//! A curve over node limits: the same match several times, each with another number of nodes a
//! move. It shows what a change of engine or network is worth when searches get deeper.
//!
//! | In the folder | Content |
//! |---|---|
//! | `curve.json` | the node limits |
//! | `nodes-2000/` … | the match of each limit, a folder like any other match |
//! | `curve.txt`, `curve.svg` | the results |

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{
    ChartBuilder, Circle, Color as _, DrawingBackend, IntoDrawingArea as _, IntoFont as _,
    IntoLogRange as _, LineSeries, PathElement, RGBColor, SVGBackend, WHITE,
};
use serde::{Deserialize, Serialize};

use super::journal::{self, MatchFolder};
use super::settings::MatchSettings;
use super::summary::{PairingSummary, Summary, whole_centipawns};
use crate::runs::{FolderError, RunFolder, RunKind, read_settings};

/// The files of the folder of a curve.
pub const KIND: RunKind = RunKind {
    noun: "curve over nodes",
    settings: "curve.json",
    journal: "curve.jsonl",
    format: 1,
};

/// What a curve consists of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CurveSettings {
    /// The node limits, in the order in which the matches are played; each once.
    pub nodes: Vec<u64>,
}

impl CurveSettings {
    /// Begins a curve in a folder: all matches exist from then on, without games. `settings` are
    /// those of each match, in the order of the node limits.
    ///
    /// # Errors
    /// The folder holds a curve or a match already, or cannot be written.
    pub fn create(&self, path: &Path, settings: &[MatchSettings]) -> Result<(), FolderError> {
        RunFolder::check_free(path, journal::KIND)?;
        RunFolder::check_free(path, KIND)?;
        for (&nodes, settings) in self.nodes.iter().zip(settings) {
            MatchFolder::create(&match_folder(path, nodes), settings)?;
        }
        // Last, so that what a kill leaves before it is not a curve.
        RunFolder::create(path, KIND, self)?;
        Ok(())
    }

    /// The curve of a folder.
    ///
    /// # Errors
    /// [`FolderError::Missing`] if there is none, or the file is not valid.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        read_settings(path, KIND)
    }
}

/// The folder of the match with this node limit.
pub fn match_folder(curve: &Path, nodes: u64) -> PathBuf {
    curve.join(format!("nodes-{nodes}"))
}

/// The results, in the order of the matches.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// The matches that were played, wholly or in part.
    pub points: Vec<CurvePoint>,
}

/// The match with one node limit.
#[derive(Clone, Debug, Serialize)]
pub struct CurvePoint {
    /// Node limit of each move.
    pub nodes: u64,
    /// The result of the match.
    pub summary: Summary,
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables: Vec<String> = (0..self.pairings()).map(|n| self.table(n)).collect();
        f.write_str(&tables.join("\n\n"))
    }
}

impl Curve {
    fn pairings(&self) -> usize {
        self.points
            .first()
            .map_or(0, |point| point.summary.pairings.len())
    }

    /// The table of one pairing: its engines, the names of the columns, a row for each node limit.
    fn table(&self, pairing: usize) -> String {
        let points = self.points.iter();
        let pairings = points.filter_map(|point| {
            let pairing = point.summary.pairings.get(pairing)?;
            Some((point.nodes, pairing))
        });
        let mut title = String::new();
        let mut rows = vec![line([
            "nodes",
            "games",
            "score",
            "Elo",
            "error",
            "95 %",
            "optimism by ply",
        ])];
        for (nodes, pairing) in pairings {
            title = title_of(pairing);
            rows.push(row(nodes, pairing));
        }
        format!("{title}\n{}", rows.join("\n"))
    }
}

fn title_of(pairing: &PairingSummary) -> String {
    format!("{} against {}", pairing.first, pairing.second)
}

fn row(nodes: u64, pairing: &PairingSummary) -> String {
    let elo = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:+.1}"));
    let [low, high] = [pairing.elo_low, pairing.elo_high].map(elo);
    let sums = pairing.optimism.iter().map(|bucket| bucket.sum);
    let optimism = sums.map(whole_centipawns);
    line([
        &nodes.to_string(),
        &pairing.games.to_string(),
        &pairing
            .score
            .map_or_else(none, |score| format!("{:.1} %", 100.0 * score)),
        &elo(pairing.elo),
        &pairing
            .elo_error
            .map_or_else(none, |error| format!("± {error:.1}")),
        &format!("{low} to {high}"),
        &optimism.collect::<Vec<_>>().join(" "),
    ])
}

/// What stands for an unknown or infinite value.
fn none() -> String {
    "-".to_owned()
}

fn line([nodes, games, score, elo, error, interval, optimism]: [&str; 7]) -> String {
    format!(
        "{nodes:>10}  {games:>6}  {score:>7}  {elo:>7} {error:>7}  {interval:>18}  {optimism:>22}"
    )
}

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
    /// The curve as an SVG chart: Elo over nodes, with error bars, a colour for each pairing.
    /// `None` without a finite Elo difference.
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

#[expect(clippy::cast_precision_loss, reason = "node limits below 2^52")]
fn series(curve: &Curve) -> Vec<Series> {
    let of_pairing = |index: usize| {
        let mut series = Series {
            title: String::new(),
            points: Vec::new(),
        };
        for point in &curve.points {
            let Some(pairing) = point.summary.pairings.get(index) else {
                continue;
            };
            series.title = title_of(pairing);
            // An infinite difference has no place on the axis, nor has an infinite end of a bar.
            if let Some(elo) = pairing.elo {
                let [low, high] = [pairing.elo_low, pairing.elo_high].map(|end| end.unwrap_or(elo));
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
    (0..curve.pairings()).map(of_pairing).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::referee::Reason;
    use crate::arena::summary::Summary;
    use crate::arena::tally::Tally;
    use crate::arena::tests::{entry, settings};

    /// A match of four games of which the first engine wins this many.
    fn point(nodes: u64, wins: u64) -> CurvePoint {
        let settings = settings(&["new", "old"], Some(4));
        let mut tally = Tally::new(&settings);
        for game in 0..4 {
            let winner = if game < wins { "new" } else { "old" };
            let entry = entry(&settings, game, Some(winner), Reason::Resignation);
            assert_eq!(tally.add(&entry), Ok(()));
        }
        CurvePoint {
            nodes,
            summary: Summary::of(&tally, ""),
        }
    }

    #[test]
    fn each_node_limit_has_a_row_and_a_point() {
        let curve = Curve {
            points: vec![point(2000, 3), point(50_000, 1), point(10_000, 4)],
        };
        let text = curve.to_string();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(rows.len(), 5, "{text}");
        assert_eq!(rows[0], ["new", "against", "old"]);
        assert_eq!(rows[2][..5], ["2000", "4", "75.0", "%", "+190.8"]);
        assert_eq!(rows[3][..5], ["50000", "4", "25.0", "%", "-190.8"]);
        // All points won: no finite difference.
        assert_eq!(rows[4][..5], ["10000", "4", "100.0", "%", "-"]);
        let svg = curve.to_svg().expect("two points");
        assert!(svg.starts_with("<svg") && svg.contains("new against old"));
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        let json = serde_json::to_value(&curve).expect("numbers and texts");
        assert_eq!(json["points"][1]["nodes"], 50_000);
        assert_eq!(json["points"][1]["summary"]["pairings"][0]["wins"], 1);
    }

    #[test]
    fn nothing_is_drawn_without_a_finite_difference() {
        let points = vec![point(1000, 4)];
        assert_eq!(Curve { points }.to_svg(), None);
        assert_eq!(Curve { points: Vec::new() }.to_string(), "");
    }

    #[test]
    fn a_curve_begins_with_all_its_matches() {
        let name = format!("raicho-curve-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        let curve = CurveSettings {
            nodes: vec![100, 2000],
        };
        let settings_of = |nodes| {
            let mut settings = settings(&["new", "old"], Some(4));
            for engine in &mut settings.engines {
                engine.time_control.nodes = Some(nodes);
            }
            settings
        };
        assert!(matches!(
            CurveSettings::read(&path),
            Err(FolderError::Missing { .. })
        ));
        let matches = curve.nodes.iter().copied().map(settings_of);
        let matches: Vec<MatchSettings> = matches.collect();
        curve.create(&path, &matches).expect("a new folder");
        assert_eq!(CurveSettings::read(&path).expect("just written"), curve);
        for nodes in [100, 2000] {
            let (found, games) = journal::read(&match_folder(&path, nodes)).expect("one");
            assert_eq!((found, games.len()), (settings_of(nodes), 0));
        }
        let again = curve.create(&path, &matches);
        assert!(matches!(again, Err(FolderError::Occupied { .. })));
        std::fs::remove_dir_all(path).expect("our own folder");
    }
}
