//! The summary of a match as text.

use std::fmt;

use super::super::journal::LineFault;
use super::super::statistics::Estimate;
use super::super::tally::Tally;
use super::{BlackSummary, EngineSummary, FaultSummary, PairingSummary, SprtSummary, Summary};

/// The state of a match in one line, for the progress bar.
pub fn one_line(tally: &Tally) -> String {
    let [pairing] = &tally.pairings[..] else {
        let faults = tally.faults.len();
        return format!("{}, {faults} lost by faults", games(tally.games()));
    };
    let wdl = pairing.wdl;
    let mut parts = vec![format!("+{} ={} -{}", wdl.wins, wdl.draws, wdl.losses)];
    parts.extend(pairing.estimate().as_ref().map(elo_text));
    parts.extend(tally.settings().sprt.map(|sprt| {
        let (lower, upper) = sprt.bounds();
        let llr = sprt.llr(&pairing.pairs);
        format!("LLR {llr:.2} ({lower:.2}, {upper:.2})")
    }));
    if !tally.faults.is_empty() {
        parts.push(format!("{} lost by faults", tally.faults.len()));
    }
    parts.join("  ")
}

fn elo_text(estimate: &Estimate) -> String {
    let los = 100.0 * estimate.los;
    if estimate.elo.is_finite() {
        return format!(
            "Elo {:+.1} ± {:.1} (95 %: {:+.1} to {:+.1}), LOS {los:.1} %",
            estimate.elo,
            estimate.error(),
            estimate.low,
            estimate.high,
        );
    }
    let bound = if estimate.elo > 0.0 {
        format!("above {:+.1}", estimate.low)
    } else {
        format!("below {:+.1}", estimate.high)
    };
    format!("Elo {bound} (95 %), LOS {los:.1} %")
}

/// A mean score; `-` if there is none.
pub(in crate::arena) fn whole_centipawns(score: Option<f64>) -> String {
    // Adding 0 turns a rounded -0 into 0.
    score.map_or_else(
        || "-".to_owned(),
        |score| format!("{:+.0}", score.round() + 0.0),
    )
}

fn games(count: u64) -> String {
    let word = if count == 1 { "game" } else { "games" };
    format!("{count} {word}")
}

fn milliseconds(seconds: f64) -> String {
    let digits = if seconds < 0.01 { 3 } else { 1 };
    format!("{:.digits$} ms", seconds * 1000.0)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let played = match self.games_planned {
            Some(planned) => format!("{} of {}", self.games, games(planned)),
            None => games(self.games),
        };
        let interrupted = if self.is_interrupted {
            ", interrupted"
        } else {
            ""
        };
        writeln!(f, "{played}{interrupted}\n")?;
        for pairing in &self.pairings {
            write!(f, "{pairing}")?;
        }
        write_engines(f, &self.engines)?;
        if let Some(score) = self.black.score {
            let BlackSummary {
                wins,
                draws,
                losses,
                ..
            } = self.black;
            writeln!(
                f,
                "black          {:.1} %  +{wins} ={draws} -{losses}",
                100.0 * score
            )?;
        }
        if self.games > 0 {
            let endings = self.endings.iter();
            let endings: Vec<String> = endings
                .map(|e| format!("{} {}", e.games, e.reason))
                .collect();
            writeln!(f, "endings        {}", endings.join(", "))?;
            writeln!(
                f,
                "referee        {} mean, {} at most between an answer and the next question",
                milliseconds(self.referee.mean_overhead),
                milliseconds(self.referee.max_overhead)
            )?;
        }
        if let Some(stalls) = self.stalls {
            let longest = milliseconds(stalls.longest);
            match stalls.count {
                0 => writeln!(f, "machine        no stall")?,
                1 => writeln!(f, "machine        1 stall of {longest}")?,
                count => writeln!(f, "machine        {count} stalls, the longest {longest}")?,
            }
        }
        self.write_faults(f)?;
        write!(f, "records        {}", self.folder)
    }
}

impl Summary {
    fn write_faults(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (in_stalls, faults): (Vec<_>, Vec<_>) =
            self.faults.iter().partition(|fault| fault.during_stall);
        for (title, faults) in [
            ("lost by a fault", faults),
            ("lost on time while the machine stalled", in_stalls),
        ] {
            if !faults.is_empty() {
                writeln!(f, "\n{} {title}:", games(faults.len() as u64))?;
            }
            for fault in faults {
                let FaultSummary {
                    game,
                    engine,
                    reason,
                    detail,
                    ..
                } = fault;
                writeln!(f, "  game {game}, {engine}: {reason}, {detail}")?;
                let dialogue = fault.dialogue.as_deref().unwrap_or("none");
                writeln!(f, "    record {}, dialogue {dialogue}", fault.record)?;
            }
        }
        for engine in &self.engines {
            if engine.illegal_lines > 0 {
                let EngineSummary {
                    name,
                    illegal_lines,
                    lines_checked,
                    ..
                } = engine;
                writeln!(
                    f,
                    "\n{name}, illegal lines: {illegal_lines} of {lines_checked}"
                )?;
            }
            for LineFault { fault, line, sfen } in &engine.illegal_line_details {
                writeln!(f, "  {fault}\n    pv {line}\n    in {sfen}")?;
            }
        }
        let is_any = |engine: &EngineSummary| engine.illegal_lines > 0;
        if !self.faults.is_empty() || self.engines.iter().any(is_any) {
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for PairingSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            first,
            second,
            wins,
            draws,
            losses,
            pentanomial,
            ..
        } = self;
        writeln!(f, "{first} against {second}")?;
        let (Some(score), Some(draw_rate)) = (self.score, self.draw_rate) else {
            return writeln!(f, "  no games\n");
        };
        writeln!(
            f,
            "  +{wins} ={draws} -{losses}, score {:.1} %, draws {:.1} %",
            100.0 * score,
            100.0 * draw_rate
        )?;
        if let Some(estimate) = &self.estimate {
            writeln!(f, "  {}", elo_text(estimate))?;
        }
        let pairs: Vec<String> = pentanomial.iter().map(ToString::to_string).collect();
        writeln!(
            f,
            "  pairs with 0, ½, 1, 1½, 2 points: {}",
            pairs.join(", ")
        )?;
        self.write_optimism(f)?;
        if let Some(SprtSummary {
            test,
            llr,
            lower,
            upper,
            verdict,
        }) = &self.sprt
        {
            let words = match *verdict {
                "H0" => format!("H0 accepted: the gain is not {} Elo", test.elo1),
                "H1" => format!("H1 accepted: the gain is more than {} Elo", test.elo0),
                _ => "undecided".to_owned(),
            };
            writeln!(
                f,
                "  SPRT {test}: LLR {llr:.2} ({lower:.2}, {upper:.2}), {words}"
            )?;
        }
        writeln!(f)
    }
}

impl PairingSummary {
    /// A table of the mean scores by ply, if there are scores.
    fn write_optimism(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.optimism.is_empty() {
            return Ok(());
        }
        let title = "scores of neighbouring plies";
        let width = [title, &self.first, &self.second].map(|name| name.chars().count());
        let width = width.into_iter().max().unwrap_or(0);
        write!(f, "  {title:width$}")?;
        for (index, bucket) in self.optimism.iter().enumerate() {
            let from = bucket.from_ply;
            let plies = match self.optimism.get(index + 1) {
                Some(next) => format!("{from}-{}", next.from_ply - 1),
                None => format!("{from}+"),
            };
            write!(f, "  {plies:>7}")?;
        }
        writeln!(f)?;
        let buckets = &self.optimism;
        let rows: [(&str, Vec<Option<f64>>); 3] = [
            (
                "sum (optimism)",
                buckets.iter().map(|bucket| bucket.sum).collect(),
            ),
            (
                &*self.first,
                buckets.iter().map(|bucket| bucket.first).collect(),
            ),
            (
                &*self.second,
                buckets.iter().map(|bucket| bucket.second).collect(),
            ),
        ];
        for (name, scores) in rows {
            write!(f, "  {name:width$}")?;
            for score in scores {
                write!(f, "  {:>7}", whole_centipawns(score))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn write_engines(f: &mut fmt::Formatter<'_>, engines: &[EngineSummary]) -> fmt::Result {
    let width = engines.iter().map(|e| e.name.chars().count()).max();
    let width = width.unwrap_or(0).max("engine".len());
    writeln!(
        f,
        "{:width$}  games    score   mean time    max time   depth      nodes/s  limits",
        "engine"
    )?;
    for engine in engines {
        let depth = engine
            .mean_depth
            .map_or("-".to_owned(), |depth| format!("{depth:.1}"));
        let score = engine
            .score
            .map_or("-".to_owned(), |score| format!("{:.1} %", 100.0 * score));
        let speed = engine.nodes_per_second;
        let speed = speed.map_or("-".to_owned(), |speed| format!("{speed:.0}"));
        writeln!(
            f,
            "{:width$}  {:5}  {score:>7}  {:>10}  {:>10}  {depth:>6}  {speed:>11}  {}",
            engine.name,
            engine.games,
            milliseconds(engine.mean_time),
            milliseconds(engine.max_time),
            engine.time_control
        )?;
    }
    writeln!(f)
}
