//! The curve as a table for each pairing.

use std::fmt;

use super::points::Curve;
use crate::arena::summary::{PairingSummary, whole_centipawns};

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairings = self
            .points
            .first()
            .map_or(0, |point| point.summary.pairings.len());
        let tables: Vec<String> = (0..pairings).map(|pairing| self.table(pairing)).collect();
        f.write_str(&tables.join("\n\n"))
    }
}

impl Curve {
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
            title = pairing.title();
            rows.push(row(nodes, pairing));
        }
        format!("{title}\n{}", rows.join("\n"))
    }
}

fn row(nodes: u64, pairing: &PairingSummary) -> String {
    let elo = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:+.1}"));
    let score = pairing.score();
    let [low, high] = pairing.interval().map(elo);
    let optimism = pairing.optimism().map(whole_centipawns);
    line([
        &nodes.to_string(),
        &pairing.games().to_string(),
        &score.map_or_else(none, |score| format!("{:.1} %", 100.0 * score)),
        &elo(pairing.elo()),
        &pairing
            .elo_error()
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
