//! The summary of a match, for people (a table) and for programs (JSON), both made from a
//! [`Tally`].

use std::time::Duration;

use serde::Serialize;

use super::journal::LineFault;
use super::optimism::{FIRST_PLIES, Optimism};
use super::sprt::{Sprt, Verdict};
use super::statistics::Estimate;
use super::tally::{EngineTally, PairingTally, Tally};

#[cfg(test)]
mod tests;
mod text;

pub use text::one_line;
pub(in crate::arena) use text::whole_centipawns;

/// The summary of a match. Times are in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number of games played.
    pub games: u64,
    /// Number of games of this match, or of this shard; `None` without a limit.
    pub games_planned: Option<u64>,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
    /// The engines, in the order of the settings.
    pub engines: Vec<EngineSummary>,
    /// The pairings, in the order in which they play.
    pub pairings: Vec<PairingSummary>,
    /// Results of the black side over all games.
    pub black: BlackSummary,
    /// Number of games by reason of their end.
    pub endings: Vec<Ending>,
    /// Games that were lost by a fault of an engine.
    pub faults: Vec<FaultSummary>,
    /// Time between an answer and the next `go`.
    pub referee: RefereeSummary,
    /// Stalls of the machine; `None` if they were not monitored.
    pub stalls: Option<StallSummary>,
    /// The folder of the records.
    pub folder: String,
}

/// The results and statistics of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineSummary {
    name: String,
    time_control: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Points per game, 0 to 1.
    score: Option<f64>,
    moves: u64,
    mean_time: f64,
    max_time: f64,
    mean_depth: Option<f64>,
    nodes_per_second: Option<f64>,
    losses_by_fault: Vec<Ending>,
    /// Losses on time during a stall of the machine; they are included in `losses`.
    losses_on_time_in_stalls: u64,
    lines_checked: u64,
    illegal_lines: u64,
    illegal_line_details: Vec<LineFault>,
}

/// The results of one pairing, from the view of its first engine.
#[derive(Clone, Debug, Serialize)]
pub struct PairingSummary {
    first: String,
    second: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Number of pairs with 0, ½, 1, 1½, 2 points.
    pentanomial: [u64; 5],
    score: Option<f64>,
    draw_rate: Option<f64>,
    /// `None` without games and where the value is infinite.
    elo: Option<f64>,
    /// Half the width of the 95 % interval.
    elo_error: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    /// Likelihood of superiority.
    los: Option<f64>,
    sprt: Option<SprtSummary>,
    /// Scores of both engines by ply; empty where nobody reported scores.
    optimism: Vec<OptimismSummary>,
    #[serde(skip)]
    estimate: Option<Estimate>,
}

/// How far both engines think that they are ahead, from one ply on, in centipawns.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptimismSummary {
    /// The first ply, counted from the end of the opening; the next entry has the end.
    from_ply: usize,
    /// Number of pairs of neighbouring plies.
    pairs: u64,
    /// Mean score of the first engine, from its own view; `None` without pairs.
    first: Option<f64>,
    /// Mean score of the second engine, from its own view.
    second: Option<f64>,
    /// Their sum.
    sum: Option<f64>,
}

/// The state of the sequential test.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSummary {
    #[serde(flatten)]
    test: Sprt,
    llr: f64,
    lower: f64,
    upper: f64,
    /// `H0`, `H1` or `undecided`.
    verdict: &'static str,
}

/// The results of the black side.
#[derive(Clone, Debug, Serialize)]
pub struct BlackSummary {
    wins: u64,
    draws: u64,
    losses: u64,
    score: Option<f64>,
}

/// Number of games that ended for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    reason: super::referee::Reason,
    games: u64,
}

/// A game that was lost by a fault of an engine.
#[derive(Clone, Debug, Serialize)]
pub struct FaultSummary {
    /// Number of the game, from 0.
    game: u64,
    engine: String,
    reason: super::referee::Reason,
    detail: String,
    during_stall: bool,
    record: String,
    dialogue: Option<String>,
}

/// Time between an answer and the next `go`, in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct RefereeSummary {
    mean_overhead: f64,
    max_overhead: f64,
}

/// Stalls of the machine during the match.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StallSummary {
    /// Number of stalls.
    pub count: u64,
    /// Duration of the longest stall in seconds.
    pub longest: f64,
}

impl Summary {
    /// The summary of a tally; `folder` is shown as the place of the records.
    pub fn of(tally: &Tally, folder: &str) -> Self {
        let settings = tally.settings();
        let ending = |(reason, games): (&super::referee::Reason, &u64)| Ending {
            reason: *reason,
            games: *games,
        };
        let name = |engine: usize| settings.engines[engine].name.clone();
        let engines = tally.engines.iter().enumerate().map(|(index, engine)| {
            let control = settings.engines[index].time_control.to_string();
            EngineSummary::of(engine, name(index), control)
        });
        let pairings = tally.pairings.iter().map(|pairing| {
            let [first, second] = pairing.engines.map(name);
            PairingSummary::of(pairing, first, second, settings.sprt)
        });
        let faults = tally.faults.iter().map(|(game, fault)| FaultSummary {
            game: *game,
            engine: name(fault.engine),
            reason: fault.reason,
            detail: fault.detail.clone(),
            during_stall: fault.in_stall,
            record: fault.record.clone(),
            dialogue: fault.dialogue.clone(),
        });
        Self {
            games: tally.games(),
            games_planned: settings.games_here(),
            is_interrupted: false,
            engines: engines.collect(),
            pairings: pairings.collect(),
            black: BlackSummary {
                wins: tally.black.wins,
                draws: tally.black.draws,
                losses: tally.black.losses,
                score: tally.black.score(),
            },
            endings: tally.reasons.iter().map(ending).collect(),
            faults: faults.collect(),
            referee: RefereeSummary {
                mean_overhead: tally.overhead.mean().as_secs_f64(),
                max_overhead: tally.overhead.longest.as_secs_f64(),
            },
            stalls: None,
            folder: folder.to_owned(),
        }
    }
}

impl EngineSummary {
    fn of(engine: &EngineTally, name: String, time_control: String) -> Self {
        let figures = &engine.figures;
        let faults = engine.faults.iter().map(|(reason, games)| Ending {
            reason: *reason,
            games: *games,
        });
        Self {
            name,
            time_control,
            games: engine.wdl.games(),
            wins: engine.wdl.wins,
            draws: engine.wdl.draws,
            losses: engine.wdl.losses,
            score: engine.wdl.score(),
            moves: figures.moves,
            mean_time: figures.mean_time().as_secs_f64(),
            max_time: figures.longest.as_secs_f64(),
            mean_depth: figures.mean_depth(),
            nodes_per_second: figures.nodes_per_second(),
            losses_by_fault: faults.collect(),
            losses_on_time_in_stalls: engine.lost_in_stalls,
            lines_checked: figures.lines_checked,
            illegal_lines: figures.line_faults,
            illegal_line_details: engine.line_faults.values().cloned().collect(),
        }
    }
}

impl PairingSummary {
    fn of(pairing: &PairingTally, first: String, second: String, sprt: Option<Sprt>) -> Self {
        let estimate = pairing.estimate();
        let finite = |value: f64| value.is_finite().then_some(value);
        let of_estimate = |pick: fn(&Estimate) -> f64| estimate.as_ref().map(pick).and_then(finite);
        Self {
            first,
            second,
            games: pairing.wdl.games(),
            wins: pairing.wdl.wins,
            draws: pairing.wdl.draws,
            losses: pairing.wdl.losses,
            pentanomial: pairing.pairs.0,
            score: pairing.wdl.score(),
            draw_rate: pairing.wdl.draw_rate(),
            elo: of_estimate(|estimate| estimate.elo),
            elo_error: of_estimate(Estimate::error),
            elo_low: of_estimate(|estimate| estimate.low),
            elo_high: of_estimate(|estimate| estimate.high),
            los: of_estimate(|estimate| estimate.los),
            sprt: sprt.map(|test| {
                let (lower, upper) = test.bounds();
                SprtSummary {
                    test,
                    llr: test.llr(&pairing.pairs),
                    lower,
                    upper,
                    verdict: match test.verdict(&pairing.pairs) {
                        Verdict::H0 => "H0",
                        Verdict::H1 => "H1",
                        Verdict::Continue => "undecided",
                    },
                }
            }),
            optimism: OptimismSummary::of(&pairing.optimism),
            estimate,
        }
    }
}

/// The figures of a curve.
impl PairingSummary {
    /// The names of the engines: `first against second`.
    pub(in crate::arena) fn title(&self) -> String {
        format!("{} against {}", self.first, self.second)
    }

    pub(in crate::arena) const fn games(&self) -> u64 {
        self.games
    }

    /// Points per game, 0 to 1; `None` without games.
    pub(in crate::arena) const fn score(&self) -> Option<f64> {
        self.score
    }

    /// The Elo difference; `None` without games and where it is infinite.
    pub(in crate::arena) const fn elo(&self) -> Option<f64> {
        self.elo
    }

    /// Half the width of the 95 % interval.
    pub(in crate::arena) const fn elo_error(&self) -> Option<f64> {
        self.elo_error
    }

    /// The ends of the 95 % interval; `None` where they are infinite.
    pub(in crate::arena) const fn interval(&self) -> [Option<f64>; 2] {
        [self.elo_low, self.elo_high]
    }

    /// The sum of both engines' scores in each bucket of plies, in centipawns.
    pub(in crate::arena) fn optimism(&self) -> impl Iterator<Item = Option<f64>> {
        self.optimism.iter().map(|bucket| bucket.sum)
    }
}

impl OptimismSummary {
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    fn of(optimism: &Optimism) -> Vec<Self> {
        if optimism.is_empty() {
            return Vec::new();
        }
        let buckets = FIRST_PLIES.iter().zip(optimism.0);
        let summary = buckets.map(|(&from_ply, sums)| {
            let mean = |sum: i64| (sums.pairs > 0).then(|| sum as f64 / sums.pairs as f64);
            let [first, second] = sums.scores;
            Self {
                from_ply,
                pairs: sums.pairs,
                first: mean(first),
                second: mean(second),
                sum: mean(first + second),
            }
        });
        summary.collect()
    }
}

impl StallSummary {
    /// The number of stalls and the duration of the longest, from the heartbeat.
    pub fn new((count, longest): (u64, Duration)) -> Self {
        Self {
            count,
            longest: longest.as_secs_f64(),
        }
    }
}
