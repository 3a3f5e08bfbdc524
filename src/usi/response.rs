//! The replies of the engine as data; [`Display`](fmt::Display) writes the line.
//!
//! Every reply except [`Response::Text`] is exactly one line, whatever text it quotes, and `pv`
//! with its moves is always last.

use std::{fmt, time::Duration};

use crate::search::{CurrentMove, Decision, Info};
use crate::types::{Bound, Move, Score};
use crate::{engine::MateAnswer, mate::Progress, util::abbreviate, util::is_command};

/// A reply to the GUI.
#[derive(Clone, Debug)]
pub enum Response {
    /// `info depth …`: a principal variation.
    Info(Info),
    /// `info currmove …`: the root move that is being searched. It has no `depth`, because
    /// `ShogiHome` shows a line with one as an empty row.
    CurrentMove(CurrentMove),
    /// `info string …`: a message for people.
    Note(String),
    /// `info string error: …`: what is wrong, where, and what is used instead.
    Error(String),
    /// `bestmove …`: the answer to `go`.
    BestMove(Decision),
    /// `info …`: progress of the mate solver.
    MateInfo(Progress, Duration),
    /// `checkmate …`: the answer to `go mate`.
    Checkmate(MateAnswer),
    /// An empty line, which shows a waiting GUI that the engine is alive.
    KeepAlive,
    /// The answer to another command than `go`, such as `usiok`, or the output of a tool; may have
    /// many lines.
    Text(String),
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Info(info) => write_info(f, info),
            Self::CurrentMove(current) => {
                write!(f, "info currmove {} currmovenumber {}", current.mv, current.number)
            }
            Self::Note(text) => write!(f, "info string {}", OneLine(text)),
            Self::Error(text) => {
                let text = abbreviate(text.clone());
                write!(f, "info string error: {}", OneLine(&text))
            }
            Self::BestMove(decision) => write_bestmove(f, decision),
            Self::MateInfo(progress, time) => write_mate_info(f, progress, *time),
            Self::Checkmate(answer) => write_checkmate(f, answer),
            Self::KeepAlive => Ok(()),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The bound follows the score and the moves end the line: clients depend on both.
fn write_info(f: &mut fmt::Formatter<'_>, info: &Info) -> fmt::Result {
    write!(f, "info depth {} seldepth {} multipv {}", info.depth, info.seldepth, info.multi_pv)?;
    match info.score {
        Score::Cp(centipawns) => write!(f, " score cp {centipawns}")?,
        Score::Mate(0) => f.write_str(" score mate -0")?, // GUIs read "0" as a win.
        Score::Mate(plies) => write!(f, " score mate {plies}")?,
    }
    match info.bound {
        Bound::Exact => {}
        Bound::Lower => f.write_str(" lowerbound")?,
        Bound::Upper => f.write_str(" upperbound")?,
    }
    write_effort(f, info.nodes, info.hashfull, info.time)?;
    write_pv(f, &info.pv)
}

/// The depth is the length of the line; only a mate that was found has a score.
fn write_mate_info(f: &mut fmt::Formatter<'_>, info: &Progress, time: Duration) -> fmt::Result {
    let depth = info.mate.unwrap_or(info.line.len()).max(1);
    let seldepth = info.seldepth.max(depth);
    write!(f, "info depth {depth} seldepth {seldepth}")?;
    if let Some(plies) = info.mate {
        write!(f, " score mate {plies}")?;
    }
    write_effort(f, info.nodes, info.hashfull, time)?;
    write_pv(f, &info.line)
}

fn write_checkmate(f: &mut fmt::Formatter<'_>, answer: &MateAnswer) -> fmt::Result {
    f.write_str("checkmate")?;
    match answer {
        MateAnswer::Mate(moves) => moves.iter().try_for_each(|mv| write!(f, " {mv}")),
        MateAnswer::NoMate => f.write_str(" nomate"),
        MateAnswer::Timeout => f.write_str(" timeout"),
    }
}

fn write_effort(
    f: &mut fmt::Formatter<'_>,
    nodes: u64,
    hashfull: u32,
    time: Duration,
) -> fmt::Result {
    let milliseconds = time.as_millis();
    // Times below 1 ms count as 1 ms, against division by zero and absurd speeds.
    let nps = u128::from(nodes) * 1000 / milliseconds.max(1);
    write!(f, " nodes {nodes} nps {nps} hashfull {hashfull} time {milliseconds}")
}

fn write_pv(f: &mut fmt::Formatter<'_>, moves: &[Move]) -> fmt::Result {
    for (index, mv) in moves.iter().enumerate() {
        write!(f, "{}{mv}", if index == 0 { " pv " } else { " " })?;
    }
    Ok(())
}

/// `none` answers a stopped ponder search: bridges to CSA servers ignore it, but forward `resign`
/// and `win` to the server even then.
fn write_bestmove(f: &mut fmt::Formatter<'_>, decision: &Decision) -> fmt::Result {
    match decision {
        Decision::Move { best, ponder: None } => write!(f, "bestmove {best}"),
        Decision::Move { best, ponder: Some(ponder) } => {
            write!(f, "bestmove {best} ponder {ponder}")
        }
        Decision::Resign => f.write_str("bestmove resign"),
        Decision::Win => f.write_str("bestmove win"),
        Decision::Nothing => f.write_str("bestmove none"),
    }
}

/// Text with its control characters replaced by spaces, so that it stays one line.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.split_inclusive(is_command) {
            match part.strip_suffix(is_command) {
                Some(text) => write!(f, "{text} ")?,
                None => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Piece, Square};

    fn info() -> Info {
        let first = Move::normal(Square::S77, Square::S76, Piece::BlackPawn);
        let second = Move::normal(Square::S33, Square::S34, Piece::WhitePawn);
        Info {
            depth: 7,
            seldepth: 9,
            multi_pv: 1,
            score: Score::Cp(-31),
            bound: Bound::Exact,
            nodes: 5000,
            time: Duration::from_millis(20),
            hashfull: 3,
            pv: vec![first, second],
        }
    }

    #[test]
    fn info_keeps_its_order() {
        let expected = "info depth 7 seldepth 9 multipv 1 score cp -31 nodes 5000 nps 250000 \
                        hashfull 3 time 20 pv 7g7f 3c3d";
        assert_eq!(Response::Info(info()).to_string(), expected);
        let mated = Info { score: Score::Mate(-4), bound: Bound::Upper, pv: Vec::new(), ..info() };
        let expected = "info depth 7 seldepth 9 multipv 1 score mate -4 upperbound nodes 5000 \
                        nps 250000 hashfull 3 time 20";
        assert_eq!(Response::Info(mated).to_string(), expected);
    }

    #[test]
    fn the_current_move_has_its_own_line() {
        let current = CurrentMove {
            depth: 21,
            mv: Move::promotion(Square::S88, Square::S22, Piece::BlackHorse),
            number: 3,
        };
        let expected = "info currmove 8h2b+ currmovenumber 3";
        assert_eq!(Response::CurrentMove(current).to_string(), expected);
    }

    #[test]
    fn no_time_is_no_division_by_zero() {
        let early = Info { time: Duration::ZERO, nodes: u64::MAX, ..info() };
        let line = Response::Info(early).to_string();
        assert!(line.contains(" nps 18446744073709551615000 hashfull"));
    }

    #[test]
    fn decisions_have_their_words() {
        let pv = info().pv;
        let cases = cases! {
            Decision::Move { best: pv[0], ponder: None } => "bestmove 7g7f";
            Decision::Move { best: pv[0], ponder: Some(pv[1]) } => "bestmove 7g7f ponder 3c3d";
            Decision::Resign => "bestmove resign";
            Decision::Win => "bestmove win";
            Decision::Nothing => "bestmove none";
        };
        for (decision, text) in cases {
            assert_eq!(Response::BestMove(decision).to_string(), text);
        }
    }

    #[test]
    fn mates_have_their_words() {
        let pv = info().pv;
        let text = |answer| Response::Checkmate(answer).to_string();
        assert_eq!(text(MateAnswer::Mate(pv.clone())), "checkmate 7g7f 3c3d");
        assert_eq!(text(MateAnswer::NoMate), "checkmate nomate");
        assert_eq!(text(MateAnswer::Timeout), "checkmate timeout");
        let found = Progress { seldepth: 5, nodes: 70, hashfull: 1, mate: Some(1), line: pv };
        let line = Response::MateInfo(found, Duration::from_millis(2)).to_string();
        let numbers = "score mate 1 nodes 70 nps 35000 hashfull 1 time 2 pv 7g7f 3c3d";
        assert_eq!(line, format!("info depth 1 seldepth 5 {numbers}"));
    }

    #[test]
    fn text_cannot_end_its_line() {
        let note = Response::Error("one\r\nbestmove resign\u{1b}[2J".to_owned());
        let expected = "info string error: one  bestmove resign [2J";
        assert_eq!(note.to_string(), expected);
        assert_eq!(Response::KeepAlive.to_string(), "");
    }
}
