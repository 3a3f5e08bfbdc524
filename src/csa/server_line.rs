//! The lines of a CSA server as data: pure text, no network.
//!
//! Grammar: CSA server protocol 1.2.1
//! (`http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html`), and what shogi-server sends
//! beyond it. No line is an error; what is unknown is [`ServerLine::Other`].

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A line from the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `LOGIN:name OK`.
    LoginOk(String),
    /// `LOGIN:incorrect`, on some servers with a reason.
    LoginIncorrect(String),
    /// `LOGOUT:completed`.
    LogoutCompleted,
    /// `BEGIN Name`: the start of a block.
    Begin(String),
    /// `END Name`: the end of a block.
    End(String),
    /// `START:game`: both players agreed.
    Start(String),
    /// `REJECT:game by name`.
    Reject {
        /// The game, as in its summary.
        game: String,
        /// Who rejected it; empty if the server does not say.
        by: String,
    },
    /// A move, of either side: `+7776FU,T12`.
    Move {
        /// The move in CSA notation; not checked.
        text: String,
        /// The time used, in units that the server chooses.
        time: Option<TimeCount>,
    },
    /// `%TORYO`, `%KACHI` or `%CHUDAN`, perhaps with a time.
    Special(Special),
    /// A line that begins with `#`.
    Notice(Notice),
    /// `Key:value`.
    Field {
        /// The part before the first colon.
        key: String,
        /// The rest.
        value: String,
    },
    /// An empty line, the answer to ours.
    Blank,
    /// Anything else.
    Other(String),
}

/// What a player says instead of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// `%TORYO`: resigns.
    Resign,
    /// `%KACHI`: declares a win by entering king.
    Declare,
    /// `%CHUDAN`: the game is interrupted.
    Interrupt,
}

/// The end of a game: first a reason, then a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// Why the game ended.
    Reason(Reason),
    /// How it ended for us.
    Verdict(Verdict),
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// `#RESIGN`
    Resign,
    /// `#TIME_UP`
    TimeUp,
    /// `#ILLEGAL_MOVE`: of the side to move, false declarations included.
    IllegalMove,
    /// `#ILLEGAL_ACTION`
    IllegalAction,
    /// `#SENNICHITE`: fourfold repetition.
    Repetition,
    /// `#OUTE_SENNICHITE`: repetition with perpetual check.
    PerpetualCheck,
    /// `#JISHOGI`: a declared win.
    Declaration,
    /// `#MAX_MOVES`
    MaxMoves,
    /// `#CHUDAN`: interrupted by the operator; stands alone.
    Interrupted,
    /// `#ABNORMAL`: ended without a winner (rshogi's server); stands alone.
    Abnormal,
}

/// How a game ended for the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// `#WIN`
    Win,
    /// `#LOSE`
    Lose,
    /// `#DRAW`
    Draw,
    /// `#CENSORED`: neither won nor lost nor drawn, as at the move limit.
    Censored,
}

const SPECIALS: [(&str, Special); 3] = [
    ("%TORYO", Special::Resign),
    ("%KACHI", Special::Declare),
    ("%CHUDAN", Special::Interrupt),
];

const NOTICES: [(&str, Notice); 14] = [
    ("#RESIGN", Notice::Reason(Reason::Resign)),
    ("#TIME_UP", Notice::Reason(Reason::TimeUp)),
    ("#ILLEGAL_MOVE", Notice::Reason(Reason::IllegalMove)),
    ("#ILLEGAL_ACTION", Notice::Reason(Reason::IllegalAction)),
    ("#SENNICHITE", Notice::Reason(Reason::Repetition)),
    ("#OUTE_SENNICHITE", Notice::Reason(Reason::PerpetualCheck)),
    ("#JISHOGI", Notice::Reason(Reason::Declaration)),
    ("#MAX_MOVES", Notice::Reason(Reason::MaxMoves)),
    ("#CHUDAN", Notice::Reason(Reason::Interrupted)),
    ("#ABNORMAL", Notice::Reason(Reason::Abnormal)),
    ("#WIN", Notice::Verdict(Verdict::Win)),
    ("#LOSE", Notice::Verdict(Verdict::Lose)),
    ("#DRAW", Notice::Verdict(Verdict::Draw)),
    ("#CENSORED", Notice::Verdict(Verdict::Censored)),
];

/// Finds the entry of a table by its text.
fn by_text<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
    table
        .iter()
        .find(|(name, _)| *name == text)
        .map(|&(_, value)| value)
}

/// Finds the text of a table by its value.
fn text_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table
        .iter()
        .find(|(_, other)| other == value)
        .map_or("", |&(name, _)| name)
}

impl ServerLine {
    /// Parses a line without its line end.
    pub fn parse(line: &str) -> Self {
        let other = || Self::Other(line.to_owned());
        match line.as_bytes().first() {
            None => Self::Blank,
            Some(b'+' | b'-') => parse_move(line).unwrap_or_else(other),
            Some(b'%') => {
                let word = line.split(',').next().unwrap_or(line);
                by_text(&SPECIALS, word.trim_end()).map_or_else(other, Self::Special)
            }
            Some(b'#') => by_text(&NOTICES, line).map_or_else(other, Self::Notice),
            Some(_) => parse_words(line).unwrap_or_else(other),
        }
    }
}

fn parse_words(line: &str) -> Option<ServerLine> {
    if let Some(name) = line.strip_prefix("BEGIN ") {
        return Some(ServerLine::Begin(name.to_owned()));
    }
    if let Some(name) = line.strip_prefix("END ") {
        return Some(ServerLine::End(name.to_owned()));
    }
    let (key, value) = line.split_once(':')?;
    Some(match (key, value) {
        ("LOGIN", _) if value.split(' ').next() == Some("incorrect") => {
            ServerLine::LoginIncorrect(value["incorrect".len()..].trim().to_owned())
        }
        ("LOGIN", _) => ServerLine::LoginOk(value.strip_suffix(" OK")?.to_owned()),
        ("LOGOUT", "completed") => ServerLine::LogoutCompleted,
        ("START", game) => ServerLine::Start(game.to_owned()),
        ("REJECT", text) => {
            let (game, by) = text.split_once(" by ").unwrap_or((text, ""));
            ServerLine::Reject {
                game: game.to_owned(),
                by: by.to_owned(),
            }
        }
        _ => ServerLine::Field {
            key: key.to_owned(),
            value: value.to_owned(),
        },
    })
}

/// Length of a move in CSA notation, such as `+7776FU`.
const MOVE_LENGTH: usize = 7;

fn parse_move(line: &str) -> Option<ServerLine> {
    let mut parts = line.split(',');
    let text = parts.next()?;
    let is_move = text.len() == MOVE_LENGTH
        && text.is_ascii()
        && text[1..5].bytes().all(|byte| byte.is_ascii_digit());
    let time = parts.find_map(|part| part.strip_prefix('T')?.parse().ok());
    is_move.then(|| ServerLine::Move {
        text: text.to_owned(),
        time,
    })
}

impl fmt::Display for ServerLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoginOk(name) => write!(f, "LOGIN:{name} OK"),
            Self::LoginIncorrect(reason) if reason.is_empty() => f.write_str("LOGIN:incorrect"),
            Self::LoginIncorrect(reason) => write!(f, "LOGIN:incorrect {reason}"),
            Self::LogoutCompleted => f.write_str("LOGOUT:completed"),
            Self::Begin(name) => write!(f, "BEGIN {name}"),
            Self::End(name) => write!(f, "END {name}"),
            Self::Start(game) => write!(f, "START:{game}"),
            Self::Reject { game, by } if by.is_empty() => write!(f, "REJECT:{game}"),
            Self::Reject { game, by } => write!(f, "REJECT:{game} by {by}"),
            Self::Special(special) => f.write_str(text_of(&SPECIALS, special)),
            Self::Notice(notice) => notice.fmt(f),
            Self::Field { key, value } => write!(f, "{key}:{value}"),
            Self::Blank => Ok(()),
            Self::Move {
                text,
                time: Some(time),
            } => write!(f, "{text},T{time}"),
            Self::Move { text, time: None } | Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text_of(&NOTICES, self))
    }
}

/// A number of time units, with up to three decimals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct TimeCount {
    thousandths: u64,
}

impl TimeCount {
    /// So many whole units.
    pub const fn whole(count: u64) -> Self {
        Self {
            thousandths: count.saturating_mul(1000),
        }
    }

    /// The time, where a unit is `unit` long.
    pub fn of(self, unit: Duration) -> Duration {
        let nanoseconds = u128::from(self.thousandths) * unit.as_nanos() / 1000;
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// The text is not a number of time units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotATime;

impl FromStr for TimeCount {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) {
            return Err(NotATime);
        }
        let whole: u64 = whole.parse().map_err(|_| NotATime)?;
        let decimals = format!("{decimals:0<3}");
        let decimals: u64 = decimals[..3].parse().map_err(|_| NotATime)?;
        Ok(Self {
            thousandths: whole.checked_mul(1000).ok_or(NotATime)? + decimals,
        })
    }
}

impl fmt::Display for TimeCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = (self.thousandths / 1000, self.thousandths % 1000);
        write!(f, "{whole}")?;
        if decimals > 0 {
            let decimals = format!("{decimals:03}");
            write!(f, ".{}", decimals.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_line_is_recognised() {
        let field = |key: &str, value: &str| ServerLine::Field {
            key: key.to_owned(),
            value: value.to_owned(),
        };
        let name = "x".to_owned();
        for (line, parsed) in [
            ("LOGIN:x OK", ServerLine::LoginOk(name.clone())),
            ("LOGIN:incorrect", ServerLine::LoginIncorrect(String::new())),
            (
                "LOGIN:incorrect rate_limited retry_after=60",
                ServerLine::LoginIncorrect("rate_limited retry_after=60".to_owned()),
            ),
            (
                "#ABNORMAL",
                ServerLine::Notice(Notice::Reason(Reason::Abnormal)),
            ),
            ("LOGOUT:completed", ServerLine::LogoutCompleted),
            ("BEGIN Time+", ServerLine::Begin("Time+".to_owned())),
            ("END Time", ServerLine::End("Time".to_owned())),
            ("START:x", ServerLine::Start(name.clone())),
            (
                "REJECT:x by y",
                ServerLine::Reject {
                    game: name,
                    by: "y".to_owned(),
                },
            ),
            ("Name+:a: b", field("Name+", "a: b")),
            ("%KACHI", ServerLine::Special(Special::Declare)),
            (
                "#CENSORED",
                ServerLine::Notice(Notice::Verdict(Verdict::Censored)),
            ),
            (
                "-0055KA,T3",
                ServerLine::Move {
                    text: "-0055KA".to_owned(),
                    time: Some(TimeCount::whole(3)),
                },
            ),
            ("", ServerLine::Blank),
            ("LOGIN:x", ServerLine::Other("LOGIN:x".to_owned())),
            ("+", ServerLine::Other("+".to_owned())),
            ("%%", ServerLine::Other("%%".to_owned())),
            ("#UNKNOWN", ServerLine::Other("#UNKNOWN".to_owned())),
            ("+雷鳥x", ServerLine::Other("+雷鳥x".to_owned())),
        ] {
            assert_eq!(ServerLine::parse(line), parsed, "{line}");
            assert_eq!(parsed.to_string(), line);
        }
        assert_eq!(
            ServerLine::parse("%TORYO,T3"),
            ServerLine::Special(Special::Resign)
        );
    }

    #[test]
    fn times_may_have_decimals() {
        let time = |text: &str| text.parse::<TimeCount>();
        assert_eq!(time("12"), Ok(TimeCount::whole(12)));
        assert_eq!(time("0.25").map(|t| t.to_string()), Ok("0.25".to_owned()));
        let milliseconds = |text: &str, unit| time(text).map(|t| t.of(unit).as_millis());
        assert_eq!(milliseconds("1.5", Duration::from_secs(1)), Ok(1500));
        assert_eq!(milliseconds("340", Duration::from_millis(1)), Ok(340));
        for wrong in ["", "-1", ".5", "1.", "1e3", "99999999999999999999"] {
            assert_eq!(time(wrong), Err(NotATime), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC{0,40}") {
            let parsed = ServerLine::parse(&text);
            // Times after a special word are the only thing that is dropped.
            let again = ServerLine::parse(&parsed.to_string());
            prop_assert_eq!(parsed, again);
        }
    }
}
