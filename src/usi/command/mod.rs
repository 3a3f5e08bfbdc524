//! The commands of USI as data: text to [`Command`].
//!
//! Pure text: moves and positions stay strings, which the engine parses. No line makes the parser
//! panic. A [`ParsedLine`] keeps the valid parts of a command, so that a `go` with one bad
//! parameter still searches. Any white space separates words, also CR; extra words after a command
//! without parameters are ignored.
//!
//! Reference: the USI page of Shogidokoro, <http://shogidokoro.starfree.jp/usi.html>.

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::util::shorten;

/// A command from the GUI, or from a person at a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `usi`: asks for name, author and options.
    Usi,
    /// `isready`: loads the evaluation and allocates memory; answered with `readyok`.
    IsReady,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// The name, with single spaces between its words; maybe an option of other engines.
        name: String,
        /// The value with its inner spaces; `None` for a button.
        value: Option<String>,
    },
    /// `usinewgame`: clears table and histories.
    UsiNewGame,
    /// `position …`: sets up a position.
    Position(PositionCommand),
    /// `go …`: starts a search.
    Go(GoCommand),
    /// `stop`: ends the search, or the tool that was called before it.
    Stop,
    /// `ponderhit`, with the clocks if the GUI did not know them at `go ponder`.
    PonderHit(Times),
    /// `gameover win`, `lose` or `draw`; ends a search like `stop`.
    GameOver,
    /// `quit`: ends the program.
    Quit,
    /// `bench [depth D]`: searches fixed positions and prints nodes per second.
    Bench {
        /// Depth in plies; `None` for the default.
        depth: Option<u32>,
    },
    /// `perft N`: counts the leaves of the tree of legal moves, N plies deep.
    Perft(u32),
    /// `d`: draws the board.
    Draw,
    /// `moves`: prints all legal moves.
    Moves,
    /// `key`: prints the hash key of the position.
    Key,
    /// `eval`: explains the static evaluation.
    Eval,
    /// `getoption [NAME]`: prints the value of one option or of all.
    GetOption(Option<String>),
    /// `compiler`: prints version, build and instruction set.
    Compiler,
    /// `help`: lists the commands, for people.
    Help,
}

/// The arguments of `position`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionCommand {
    /// The start position of the game.
    pub start: Start,
    /// The moves of the game as USI text, without a `resign` or `win` at the end, which some GUIs
    /// send.
    pub moves: Vec<String>,
}

/// The start position of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// The start position of an even game (平手).
    Startpos,
    /// SFEN text, its fields separated by one space.
    Sfen(String),
}

/// The command of a line, and its errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsedLine {
    /// The command without its invalid parts; `None` if nothing is left, and for an empty line.
    pub command: Option<Command>,
    /// The errors in the order of their words; none for an empty line.
    pub errors: Vec<CommandError>,
}

impl ParsedLine {
    /// A line of more than `most` bytes, of which only the beginning is looked at: a position that
    /// cannot be read is refused.
    pub fn too_long(beginning: &str, most: usize) -> Self {
        let word = beginning.split_whitespace().next();
        let error = CommandError {
            command: (word == Some("position")).then_some("position"),
            text: format!("a line of more than {most} bytes, expected a command"),
        };
        Self { command: None, errors: vec![error] }
    }

    /// Parses a line and keeps what is valid.
    pub fn parse(line: &str) -> Self {
        let line = line.trim();
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut errors = Vec::new();
        let command = match parse(keyword, rest, &mut errors) {
            Ok(command) => command,
            Err(error) => {
                errors.push(error);
                None
            }
        };
        Self { command, errors }
    }
}

fn parse(
    keyword: &str,
    rest: &str,
    errors: &mut Vec<CommandError>,
) -> Result<Option<Command>, CommandError> {
    let command = match keyword {
        "" => return Ok(None),
        "usi" => Command::Usi,
        "isready" => Command::IsReady,
        "setoption" => parse_set_option(rest)?,
        "usinewgame" => Command::UsiNewGame,
        "position" => Command::Position(PositionCommand::parse(&mut Words::new("position", rest))?),
        "go" => {
            let go = GoCommand::parse(&mut Words::new("go", rest), errors);
            return Ok(go.map(Command::Go));
        }
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit(Times::parse(&mut Words::new("ponderhit", rest), errors)),
        "gameover" => {
            let mut words = Words::new("gameover", rest);
            let is_result = |word: &&str| ["win", "lose", "draw"].contains(word);
            if let Some(word) = words.next().filter(|word| !is_result(word)) {
                errors.push(words.unexpected(word, "\"win\", \"lose\" or \"draw\""));
            }
            Command::GameOver
        }
        "quit" => Command::Quit,
        "bench" => parse_bench(&mut Words::new("bench", rest))?,
        "perft" => {
            Command::Perft(Words::new("perft", rest).number(Unit::PerftDepth, |_| false)? as u32)
        }
        "d" => Command::Draw,
        "moves" => Command::Moves,
        "key" => Command::Key,
        "eval" => Command::Eval,
        "getoption" => Command::GetOption(rest.split_whitespace().next().map(str::to_owned)),
        "compiler" => Command::Compiler,
        "help" => Command::Help,
        _ => return Err(no_command(keyword)),
    };
    Ok(Some(command))
}

/// The error of a first word that is not a command of this engine.
fn no_command(word: &str) -> CommandError {
    let instead = match word {
        "speedtest" => Some("use \"bench\""),
        "export_net" => {
            Some("the embedded network is the file nets/raicho.nnue of the source code")
        }
        _ => None,
    };
    let text = match instead {
        Some(instead) => format!("\"{word}\", word 1, is a command of other engines: {instead}"),
        None => format!(
            "unknown command \"{}\", word 1, expected a USI command such as \"usi\" or \"go\" \
             (\"help\" lists them)",
            shorten(word)
        ),
    };
    CommandError { command: None, text }
}

/// The name may contain spaces, as in other engines; the value is the rest of the line.
fn parse_set_option(rest: &str) -> Result<Command, CommandError> {
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
    Ok(Command::SetOption { name: name.join(" "), value })
}

fn parse_bench(words: &mut Words<'_>) -> Result<Command, CommandError> {
    let depth = match words.next() {
        None => None,
        Some("depth") => Some(words.number(Unit::Depth, |_| false)? as u32),
        Some(word) => return Err(words.unexpected(word, "\"depth\" or nothing")),
    };
    Ok(Command::Bench { depth })
}

impl PositionCommand {
    fn parse(words: &mut Words<'_>) -> Result<Self, CommandError> {
        const START: &str = "\"startpos\", \"sfen\" or the board of an SFEN";
        let start = match words.peek() {
            Some("startpos") => {
                words.next();
                Start::Startpos
            }
            Some("sfen") => {
                words.next();
                Self::parse_sfen(words, "the board of an SFEN")?
            }
            _ => Self::parse_sfen(words, START)?,
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

    fn parse_sfen(words: &mut Words<'_>, expected: &'static str) -> Result<Start, CommandError> {
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

/// Longest time in ms, about 30 years. Sums and squares of this fit in 64 bits.
pub(crate) const LONGEST_MILLISECONDS: u64 = 1_000_000_000_000;

/// Why a line, or a part of it, is not a valid command.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{text}")]
pub struct CommandError {
    /// The command that contains the error; `None` if the line has no command of this engine.
    pub command: Option<&'static str>,
    text: String,
}

/// Largest depth in plies; no search reaches it, and every integer type holds it.
const MAX_DEPTH: u64 = 1000;

/// The unit of a number in a command, with its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    /// Milliseconds. Negative numbers count as 0: servers may subtract a delay from the time left.
    Milliseconds,
    /// Plies to search, at least one.
    Depth,
    /// Nodes to search, at least one.
    Nodes,
    /// Plies of a perft, 0 to 100: the recursion needs stack, and no larger count would ever end.
    PerftDepth,
}

impl Unit {
    fn expected(self) -> &'static str {
        match self {
            Self::Milliseconds => "a number of milliseconds",
            Self::Depth => "a number of plies from 1",
            Self::Nodes => "a number of nodes from 1",
            Self::PerftDepth => "a number of plies from 0 to 100",
        }
    }

    fn accept(self, number: i64) -> Option<u64> {
        match self {
            Self::Milliseconds => Some((number.max(0) as u64).min(LONGEST_MILLISECONDS)),
            Self::Nodes => positive(number),
            Self::Depth => positive(number).map(|plies| plies.min(MAX_DEPTH)),
            Self::PerftDepth => u64::try_from(number).ok().filter(|&number| number <= 100),
        }
    }
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number > 0)
}

/// The words that follow a command.
struct Words<'a> {
    command: &'static str,
    rest: &'a str,
    place: usize,
}

impl<'a> Words<'a> {
    /// The words of `text`, which follows `command`.
    fn new(command: &'static str, text: &'a str) -> Self {
        Self { command, rest: text.trim(), place: 1 }
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.rest = self.rest[word.len()..].trim_start();
        self.place += 1;
        Some(word)
    }

    fn peek(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    /// The rest of the line, with its inner spaces.
    fn remainder(&self) -> &'a str {
        self.rest
    }

    /// The error for the word that [`Self::next`] has just returned.
    fn unexpected(&self, found: &str, expected: &'static str) -> CommandError {
        self.error(&format!("\"{}\"", shorten(found)), self.place, expected)
    }

    /// The error for a word that is missing next.
    fn missing(&self, expected: &'static str) -> CommandError {
        self.error("nothing", self.place + 1, expected)
    }

    fn error(&self, found: &str, place: usize, expected: &str) -> CommandError {
        let command = self.command;
        CommandError {
            command: Some(command),
            text: format!("{found}, word {place} of \"{command}\", expected {expected}"),
        }
    }

    /// Takes the next word as a number, unless `is_parameter` holds for it.
    fn number(&mut self, unit: Unit, is_parameter: fn(&str) -> bool) -> Result<u64, CommandError> {
        if self.peek().is_none_or(is_parameter) {
            return Err(self.missing(unit.expected()));
        }
        let word = self.next().unwrap_or_default();
        parse_integer(word)
            .and_then(|number| unit.accept(number))
            .ok_or_else(|| self.unexpected(word, unit.expected()))
    }
}

/// Parses a decimal number with an optional sign. Numbers beyond 64 bits become the nearest one.
pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let bound = if is_negative { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(bound))
}

// --- The parameters of `go` and of `ponderhit` ---

const EXPECTED: &str = "a parameter of go such as \"btime\" or \"infinite\"";
const EXPECTED_TIMES: &str = "\"btime\", \"wtime\", \"binc\", \"winc\" or \"byoyomi\"";

/// The parameters of `go`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GoCommand {
    /// Ponder: answer only after `stop` or `ponderhit`.
    pub ponder: bool,
    /// The clocks of both sides.
    pub times: Times,
    /// Fixed time for the move in ms.
    pub movetime: Option<u64>,
    /// Depth limit in plies, 1 to 1000.
    pub depth: Option<u32>,
    /// Node limit, from 1.
    pub nodes: Option<u64>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search for a mate, and answer with `checkmate`.
    pub mate: Option<MateLimit>,
    /// Depth of a perft in plies, 0 to 100; answered without `bestmove`.
    pub perft: Option<u32>,
    /// The root moves to search as USI text; empty for all.
    pub search_moves: Vec<String>,
}

/// The time limit of `go mate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateLimit {
    /// None: until a mate is found or disproved, or `stop`.
    Infinite,
    /// Time in milliseconds after which the answer is `timeout`.
    Milliseconds(u64),
}

/// The clocks in ms; `None` for those that were not sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Times {
    /// Time left for Black.
    pub btime: Option<u64>,
    /// Time left for White.
    pub wtime: Option<u64>,
    /// Increment of Black for each move.
    pub binc: Option<u64>,
    /// Increment of White for each move.
    pub winc: Option<u64>,
    /// Time for each move after the main time is used up (秒読み).
    pub byoyomi: Option<u64>,
}

impl GoCommand {
    /// Whether there is any limit, or `infinite` says that there is none.
    pub fn has_limit(&self) -> bool {
        self.infinite
            || self.movetime.or(self.nodes).is_some()
            || self.depth.is_some()
            || !self.times.is_empty()
    }

    /// `None` for a perft without a depth that can be read: a search would be answered with
    /// `bestmove`.
    fn parse(words: &mut Words<'_>, errors: &mut Vec<CommandError>) -> Option<Self> {
        let mut go = Self::default();
        let mut asks_perft = false;
        while let Some(word) = words.next() {
            asks_perft |= word == "perft";
            if let Err(error) = go.parse_parameter(word, words) {
                errors.push(error);
            }
        }
        (go.perft.is_some() || !asks_perft).then_some(go)
    }

    fn parse_parameter(&mut self, word: &str, words: &mut Words<'_>) -> Result<(), CommandError> {
        match word {
            "ponder" => self.ponder = true,
            "infinite" => self.infinite = true,
            "movetime" => self.movetime = Some(words.number(Unit::Milliseconds, is_parameter)?),
            "depth" => self.depth = Some(words.number(Unit::Depth, is_parameter)? as u32),
            "nodes" => self.nodes = Some(words.number(Unit::Nodes, is_parameter)?),
            "perft" => self.perft = Some(words.number(Unit::PerftDepth, is_parameter)? as u32),
            "mate" => {
                let limit = MateLimit::parse(words);
                // Whatever the limit is, the answer is `checkmate`.
                let given = limit.as_ref().copied();
                self.mate = Some(given.unwrap_or(MateLimit::FALLBACK));
                limit?;
            }
            "searchmoves" => {
                while let Some(word) = words.peek().filter(|word| !is_parameter(word)) {
                    self.search_moves.push(word.to_owned());
                    words.next();
                }
            }
            _ => {
                let Some(slot) = self.times.slot(word) else {
                    let error = words.unexpected(word, EXPECTED);
                    skip_to_parameter(words);
                    return Err(error);
                };
                *slot = Some(words.number(Unit::Milliseconds, is_parameter)?);
            }
        }
        Ok(())
    }
}

impl MateLimit {
    /// The limit in place of one that cannot be read.
    const FALLBACK: Self = Self::Milliseconds(1000);

    /// `go mate` without a limit is infinite.
    fn parse(words: &mut Words<'_>) -> Result<Self, CommandError> {
        match words.peek() {
            Some("infinite") => {
                words.next();
                Ok(Self::Infinite)
            }
            Some(word) if !is_parameter(word) => {
                words.number(Unit::Milliseconds, is_parameter).map(Self::Milliseconds)
            }
            _ => Ok(Self::Infinite),
        }
    }
}

impl Times {
    /// Whether no clock was sent.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn parse(words: &mut Words<'_>, errors: &mut Vec<CommandError>) -> Self {
        let mut times = Self::default();
        while let Some(word) = words.next() {
            let Some(slot) = times.slot(word) else {
                errors.push(words.unexpected(word, EXPECTED_TIMES));
                skip_to_parameter(words);
                continue;
            };
            match words.number(Unit::Milliseconds, is_parameter) {
                Ok(number) => *slot = Some(number),
                Err(error) => errors.push(error),
            }
        }
        times
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<u64>> {
        Some(match name {
            "btime" => &mut self.btime,
            "wtime" => &mut self.wtime,
            "binc" => &mut self.binc,
            "winc" => &mut self.winc,
            "byoyomi" => &mut self.byoyomi,
            _ => return None,
        })
    }
}

/// Whether a word is the name of a parameter of `go`, so that it cannot be the value of another.
fn is_parameter(word: &str) -> bool {
    const OTHERS: &str = "ponder infinite movetime depth nodes perft mate searchmoves";
    OTHERS.split(' ').any(|other| other == word) || Times::default().slot(word).is_some()
}

/// Skips the words after an unknown parameter, as its values, so that there is one error for all.
fn skip_to_parameter(words: &mut Words<'_>) {
    while words.peek().is_some_and(|word| !is_parameter(word)) {
        words.next();
    }
}
