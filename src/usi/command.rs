//! The commands of USI as data: text in, [`Command`] out, and back.
//!
//! Pure text: moves and positions stay strings here, the engine reads them. Nothing panics, whatever the line holds.
//! [`FromStr`] is strict; [`Reading`] is what the session uses: it keeps what can be kept of a command with a fault, so
//! that a `go` with one bad parameter still thinks. Words are separated by any white space, so CR LF needs no care; extra
//! words after a command without parameters are ignored.
//!
//! Reference: the USI page of Shogidokoro, <http://shogidokoro.starfree.jp/usi.html>.

mod go;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;
use std::str::FromStr;

use crate::util::shorten;

pub use go::{GoCommand, MateLimit, Times};
pub use words::CommandError;
pub(crate) use words::parse_integer;
use words::{Unit, Words};

/// One line from the GUI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `usi`: who are you, and which options do you have?
    Usi,
    /// `isready`: load everything and say when it is done.
    IsReady,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// The name, which may be of an option that we do not have.
        name: String,
        /// The value with its inner spaces; `None` for a button.
        value: Option<String>,
    },
    /// `usinewgame`.
    UsiNewGame,
    /// `position …`.
    Position(PositionCommand),
    /// `go …`.
    Go(GoCommand),
    /// `stop`.
    Stop,
    /// `ponderhit`, with the clocks where the GUI began to ponder before it knew them.
    PonderHit(Times),
    /// `gameover win`, `lose` or `draw`; no engine needs to know which.
    GameOver(Option<GameResult>),
    /// `quit`.
    Quit,
    /// `bench [depth D]`: the fixed benchmark.
    Bench {
        /// Another depth than the usual one.
        depth: Option<u32>,
    },
    /// `perft N`: counts leaves.
    Perft(u32),
    /// `d`: draws the board.
    Draw,
    /// `moves`: all legal moves.
    Moves,
    /// `key`: the hash key of the position.
    Key,
    /// `eval`: explains the static evaluation.
    Eval,
    /// `getoption [NAME]`: the value of one option or of all.
    GetOption(Option<String>),
    /// `compiler`: how this executable was built.
    Compiler,
}

/// The arguments of `position`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionCommand {
    /// Where the game starts.
    pub start: Start,
    /// The moves played since, as USI text; a `resign` or `win` at the end, which some GUIs copy, is left out.
    pub moves: Vec<String>,
}

/// The start of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// The usual start position.
    Startpos,
    /// SFEN text, its fields separated by one space.
    Sfen(String),
}

/// How a game ended for us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// We won.
    Win,
    /// We lost.
    Lose,
    /// Nobody won.
    Draw,
}

/// What a line says, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The command, without the parts that are faulty; `None` where nothing is left, and for an empty line.
    pub command: Option<Command>,
    /// The faults in the order of their words; none for an empty line.
    pub faults: Vec<CommandError>,
}

impl Reading {
    /// Reads a line, keeping what makes sense of it.
    pub fn of(line: &str) -> Self {
        let line = line.trim();
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut faults = Vec::new();
        let command = match read(keyword, rest, &mut faults) {
            Ok(command) => command,
            Err(fault) => {
                faults.push(fault);
                None
            }
        };
        Self { command, faults }
    }
}

impl FromStr for Command {
    type Err = CommandError;

    /// Reads a line that must be a whole command without any fault.
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let reading = Reading::of(line);
        match reading.faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => reading.command.ok_or(CommandError::Empty),
        }
    }
}

fn read(
    keyword: &str,
    rest: &str,
    faults: &mut Vec<CommandError>,
) -> Result<Option<Command>, CommandError> {
    let command = match keyword {
        "" => return Ok(None),
        "usi" => Command::Usi,
        "isready" => Command::IsReady,
        "setoption" => read_set_option(rest)?,
        "usinewgame" => Command::UsiNewGame,
        "position" => Command::Position(PositionCommand::read(&mut Words::new("position", rest))?),
        "go" => Command::Go(GoCommand::read(&mut Words::new("go", rest), faults)),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit(Times::read(&mut Words::new("ponderhit", rest), faults)),
        "gameover" => Command::GameOver(read_game_result(rest, faults)),
        "quit" => Command::Quit,
        "bench" => read_bench(&mut Words::new("bench", rest))?,
        "perft" => {
            Command::Perft(Words::new("perft", rest).number(Unit::PerftDepth, |_| false)? as u32)
        }
        "d" => Command::Draw,
        "moves" => Command::Moves,
        "key" => Command::Key,
        "eval" => Command::Eval,
        "getoption" => Command::GetOption(rest.split_whitespace().next().map(str::to_owned)),
        "compiler" => Command::Compiler,
        _ => return Err(CommandError::Unknown(shorten(keyword))),
    };
    Ok(Some(command))
}

/// The name may hold spaces, as those of other engines do; the value is the rest of the line.
fn read_set_option(rest: &str) -> Result<Command, CommandError> {
    const NAME: &str = "the name of an option";
    let mut words = Words::new("setoption", rest);
    match words.next() {
        Some("name") => {}
        Some(word) => return Err(words.unexpected(word, "\"name\"")),
        None => return Err(words.missing("\"name\"")),
    }
    let mut name = Vec::new();
    let mut value = None;
    while let Some(word) = words.next() {
        if word == "value" && !name.is_empty() {
            value = Some(words.remainder().to_owned());
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(words.missing(NAME));
    }
    Ok(Command::SetOption {
        name: name.join(" "),
        value,
    })
}

fn read_game_result(rest: &str, faults: &mut Vec<CommandError>) -> Option<GameResult> {
    let mut words = Words::new("gameover", rest);
    let word = words.next()?;
    let result = GameResult::ALL
        .into_iter()
        .find(|result| result.name() == word);
    if result.is_none() {
        faults.push(words.unexpected(word, "\"win\", \"lose\" or \"draw\""));
    }
    result
}

fn read_bench(words: &mut Words<'_>) -> Result<Command, CommandError> {
    let depth = match words.next() {
        None => None,
        Some("depth") => Some(words.number(Unit::Depth, |_| false)? as u32),
        Some(word) => return Err(words.unexpected(word, "\"depth\" or nothing")),
    };
    Ok(Command::Bench { depth })
}

impl PositionCommand {
    fn read(words: &mut Words<'_>) -> Result<Self, CommandError> {
        const START: &str = "\"startpos\", \"sfen\" or the board of an SFEN";
        let start = match words.peek() {
            Some("startpos") => {
                words.next();
                Start::Startpos
            }
            Some("sfen") => {
                words.next();
                Self::read_sfen(words, "the board of an SFEN")?
            }
            _ => Self::read_sfen(words, START)?,
        };
        match words.next() {
            None | Some("moves") => {}
            Some(word) => return Err(words.unexpected(word, "\"moves\" or nothing")),
        }
        let mut moves: Vec<String> = Vec::new();
        while let Some(word) = words.next() {
            moves.push(word.to_owned());
        }
        moves.pop_if(|last| *last == "resign" || *last == "win");
        Ok(Self { start, moves })
    }

    fn read_sfen(words: &mut Words<'_>, expected: &'static str) -> Result<Start, CommandError> {
        let mut fields = Vec::new();
        while let Some(word) = words.peek().filter(|&word| word != "moves") {
            fields.push(word);
            words.next();
        }
        if fields.is_empty() {
            Err(words.missing(expected))
        } else {
            Ok(Start::Sfen(fields.join(" ")))
        }
    }
}

impl GameResult {
    const ALL: [Self; 3] = [Self::Win, Self::Lose, Self::Draw];

    fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Lose => "lose",
            Self::Draw => "draw",
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usi => f.write_str("usi"),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption {
                name,
                value: Some(value),
            } => write!(f, "setoption name {name} value {value}"),
            Self::UsiNewGame => f.write_str("usinewgame"),
            Self::Position(position) => position.fmt(f),
            Self::Go(go) => go.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit(times) => write!(f, "ponderhit{times}"),
            Self::GameOver(None) => f.write_str("gameover"),
            Self::GameOver(Some(result)) => write!(f, "gameover {}", result.name()),
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
