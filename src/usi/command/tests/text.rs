//! Commands as text and back, for round trips.

use std::{fmt, str::FromStr};

use super::super::*;

impl FromStr for Command {
    type Err = String;

    /// Parses a line that must be a command without any error.
    fn from_str(line: &str) -> Result<Self, String> {
        let parsed = ParsedLine::parse(line);
        match parsed.errors.first() {
            Some(error) => Err(error.to_string()),
            None => parsed.command.ok_or_else(|| "an empty line".to_owned()),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usi => f.write_str("usi"),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Self::UsiNewGame => f.write_str("usinewgame"),
            Self::Position(position) => position.fmt(f),
            Self::Go(go) => go.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit(times) => write!(f, "ponderhit{times}"),
            Self::GameOver => f.write_str("gameover"),
            Self::Quit => f.write_str("quit"),
            Self::Bench { depth: None } => f.write_str("bench"),
            Self::Bench { depth: Some(depth) } => write!(f, "bench depth {depth}"),
            Self::Perft(depth) => write!(f, "perft {depth}"),
            Self::Draw => f.write_str("d"),
            Self::Moves => f.write_str("moves"),
            Self::Key => f.write_str("key"),
            Self::Eval => f.write_str("eval"),
            Self::GetOption(None) => f.write_str("getoption"),
            Self::GetOption(Some(name)) => write!(f, "getoption {name}"),
            Self::Compiler => f.write_str("compiler"),
            Self::Help => f.write_str("help"),
        }
    }
}

impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Startpos => f.write_str("position startpos")?,
            Start::Sfen(sfen) => write!(f, "position sfen {sfen}")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for GoCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        self.times.fmt(f)?;
        let numbers = [
            ("movetime", self.movetime),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("perft", self.perft.map(u64::from)),
        ];
        write_numbers(f, &numbers)?;
        if self.infinite {
            f.write_str(" infinite")?;
        }
        match self.mate {
            Some(MateLimit::Infinite) => f.write_str(" mate infinite")?,
            Some(MateLimit::Milliseconds(limit)) => write!(f, " mate {limit}")?,
            None => {}
        }
        if !self.search_moves.is_empty() {
            write!(f, " searchmoves {}", self.search_moves.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = [self.btime, self.wtime, self.binc, self.winc, self.byoyomi];
        for (name, value) in ["btime", "wtime", "binc", "winc", "byoyomi"].into_iter().zip(values) {
            write_numbers(f, &[(name, value)])?;
        }
        Ok(())
    }
}

fn write_numbers(f: &mut fmt::Formatter<'_>, numbers: &[(&str, Option<u64>)]) -> fmt::Result {
    for (name, number) in numbers {
        if let Some(number) = number {
            write!(f, " {name} {number}")?;
        }
    }
    Ok(())
}
