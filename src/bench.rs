//! The benchmark: fixed positions searched to a fixed depth. With one thread the node count depends
//! only on the program, so it is the signature of a version; nodes per second measure machine and
//! build.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use thiserror::Error;

use crate::position::{Position, SfenError};
use crate::search::{Decision, Event, Limits, PrepareError, Searcher, Settings, Statistics};
use crate::util::system::{Instant, recv_timeout};
use crate::{eval::Evaluator, types::Depth, util::read_utf8};

/// The positions to search, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BenchOptions {
    /// Depth of each search in plies.
    pub depth: Depth,
    /// Search threads; the node count is reproducible with one.
    pub threads: usize,
    /// Size of the transposition table in MB.
    pub hash_mb: usize,
    /// The evaluation to search with.
    pub evaluator: Evaluator,
    /// A file with an SFEN per line; `None` for the fixed positions.
    pub sfen_file: Option<PathBuf>,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self {
            depth: DEFAULT_DEPTH,
            threads: 1,
            hash_mb: 64,
            evaluator: Evaluator::default(),
            sfen_file: None,
        }
    }
}

/// The result of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchResult {
    /// Sums over all positions.
    pub statistics: Statistics,
    /// Total time of the searches.
    pub time: Duration,
}

impl BenchResult {
    /// Nodes per second of wall time, over all positions.
    pub fn nodes_per_second(&self) -> u64 {
        let nanoseconds = self.time.as_nanos().max(1);
        (u128::from(self.statistics.nodes) * NANOSECONDS_PER_SECOND / nanoseconds) as u64
    }
}

/// Why the benchmark was not completed.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The file of positions cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line of the file is not a position.
    #[error("line {line} of {}: {source}", path.display())]
    Sfen {
        /// The path of the file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why the SFEN is refused.
        source: SfenError,
    },
    /// The file has no positions.
    #[error("{} has no positions", .0.display())]
    Empty(PathBuf),
    /// There is not enough memory, or there are not enough threads.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The caller's stop flag was raised.
    #[error("stopped before all positions were searched")]
    Stopped,
    /// The result cannot be written.
    #[error("{0}")]
    Output(#[from] io::Error),
}

const DEFAULT_DEPTH: Depth = 11;
const NANOSECONDS_PER_SECOND: u128 = 1_000_000_000;
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Openings, middle games, attacks with many pieces in hand, checks, and endgames with entered
/// kings. The first four are the bench positions of `YaneuraOu`, for comparison.
const POSITIONS: [&str; 12] = [
    "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    // Drops everywhere.
    "ln1g1g1nl/1ks4r1/1pppp1ppp/p4p3/9/P1P1P1P2/1P1P1P2P/1BK1GS1R1/LNSG3NL w Bp 30",
    "1r7/lpk4pg/4p1s1+P/2pp4l/1P1N2p2/3PK1n1p/+p3PR2L/L2GGp3/2S2S3 w BGS2N2Pb3p 122",
    // In check.
    "lnsgk1snl/6g2/p2ppp2p/2p3B2/9/1rP6/P2PPPP1P/2G1K4/LNS2GSNL b BR2P2p 25",
    "ln5p1/r1g4b1/psgpp1sk1/2p1spP1l/Pp4p2/2PGP2P1/1P1P2n1N/RB6L/LN1S1K3 b 3Pg 107",
    // Mating attack.
    "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42",
    // Entered king.
    "1+N2+P2+L1/G1+P+B1+R+P2/1+L1+P5/K8/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b G2L7Pb4p 1",
    "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
];

/// Runs the benchmark and writes a line per position, the totals, and last `<nodes> nodes <nps>
/// nps`.
///
/// # Errors
/// Bad positions, too little memory or too few threads, or an output that cannot be written.
pub fn run(options: &BenchOptions, output: &mut dyn Write) -> Result<BenchResult, BenchError> {
    run_stoppable(options, output, &AtomicBool::new(false))
}

/// Like [`run`], until `stop` is raised.
///
/// # Errors
/// As [`run`], and when it was stopped.
pub fn run_stoppable(
    options: &BenchOptions,
    output: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<BenchResult, BenchError> {
    let positions = match &options.sfen_file {
        None => fixed_positions(),
        Some(path) => read_positions(path)?,
    };
    let settings = Settings {
        threads: options.threads,
        hash_mb: options.hash_mb,
        evaluator: options.evaluator.clone(),
        ..Settings::default()
    };
    let mut searcher = Searcher::new();
    let mut result = BenchResult { statistics: Statistics::default(), time: Duration::ZERO };
    let count = positions.len();
    for (index, position) in positions.into_iter().enumerate() {
        // Clears the table, so that the order of the positions does not matter.
        searcher.prepare(&settings)?;
        let sfen = position.to_sfen();
        let (statistics, time, decision) =
            search(&mut searcher, position, options.depth, &settings, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(BenchError::Stopped);
        }
        result.statistics.add(statistics);
        result.time += time;
        writeln!(
            output,
            "position {}/{count}: {:>10} nodes {:>6} ms {decision:<6} {sfen}",
            index + 1,
            statistics.nodes,
            time.as_millis(),
        )?;
    }
    let Statistics { nodes, probes, hits, rejected } = result.statistics;
    writeln!(output, "evaluation {}", options.evaluator)?;
    writeln!(output, "time {} ms", result.time.as_millis())?;
    writeln!(output, "table {probes} probes {hits} hits {rejected} rejected moves")?;
    writeln!(output, "{nodes} nodes {} nps", result.nodes_per_second())?;
    Ok(result)
}

fn search(
    searcher: &mut Searcher,
    position: Position,
    depth: Depth,
    settings: &Settings,
    stop: &AtomicBool,
) -> (Statistics, Duration, String) {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let (sender, decisions) = channel();
    let start = Instant::now();
    let on_event = move |event| {
        if let Event::Done(decision) = event {
            // The receiver lives until the search has ended.
            let _ = sender.send(decision);
        }
    };
    searcher.go(position, limits, settings, Box::new(on_event));
    let decision = loop {
        match recv_timeout(&decisions, STOP_CHECK_INTERVAL) {
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => searcher.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            decision => break decision,
        }
    };
    searcher.wait();
    let time = start.elapsed();
    let decision = match decision {
        Ok(Decision::Move { best, .. }) => best.to_string(),
        Ok(Decision::Win) => "win".to_owned(),
        Ok(Decision::Resign | Decision::Nothing) | Err(_) => "none".to_owned(),
    };
    (searcher.statistics(), time, decision)
}

fn fixed_positions() -> Vec<Position> {
    POSITIONS
        .iter()
        .map(|sfen| Position::from_sfen(sfen).expect("the fixed positions are valid"))
        .collect()
}

fn read_positions(path: &Path) -> Result<Vec<Position>, BenchError> {
    let failed = |source| BenchError::File { path: path.to_owned(), source };
    let mut positions = Vec::new();
    let text = read_utf8(path).map_err(failed)?;
    for (index, line) in text.lines().enumerate() {
        let sfen = line.trim();
        let sfen = sfen.strip_prefix("sfen ").unwrap_or(sfen);
        if sfen.is_empty() || sfen.starts_with('#') {
            continue;
        }
        let position = match sfen {
            "startpos" => Ok(Position::startpos()),
            _ => Position::from_sfen(sfen),
        };
        positions.push(position.map_err(|source| BenchError::Sfen {
            path: path.to_owned(),
            line: index + 1,
            source,
        })?);
    }
    if positions.is_empty() {
        return Err(BenchError::Empty(path.to_owned()));
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_positions_are_valid_and_differ() {
        let mut sfens: Vec<String> = fixed_positions().iter().map(Position::to_sfen).collect();
        sfens.sort();
        sfens.dedup();
        assert_eq!(sfens.len(), POSITIONS.len());
    }

    #[test]
    fn node_counts_are_reproducible() {
        let options = BenchOptions { depth: 4, hash_mb: 1, ..BenchOptions::default() };
        let mut text = Vec::new();
        let first = run(&options, &mut text).expect("the bench runs");
        let second = run(&options, &mut io::sink()).expect("the bench runs");
        assert_eq!(first.statistics, second.statistics);
        let text = String::from_utf8(text).expect("the bench writes text");
        let last = text.lines().last().expect("there are lines");
        let nodes = first.statistics.nodes;
        assert!(last.starts_with(&format!("{nodes} nodes ")) && last.ends_with(" nps"));
    }
}
