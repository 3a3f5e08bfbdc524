//! The lines of a CSA server as data: pure text, no network.
//!
//! Grammar: CSA server protocol 1.2.1
//! (`http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html`), and what shogi-server sends
//! beyond it. No line is an error; what is unknown is [`ServerLine::Other`].

use std::{fmt, time::Duration};

/// A line from the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `LOGIN:name OK`.
    LoginOk,
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
    /// A line that begins with `#`.
    Notice(Notice),
    /// `Key:value`.
    Field {
        /// The part before the first colon.
        key: String,
        /// The rest.
        value: String,
    },
    /// Anything else.
    Other,
}

/// The end of a game: first a reason, then a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// Why the game ended.
    Reason(EndReason),
    /// How it ended for us.
    Verdict(ServerVerdict),
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
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
pub enum ServerVerdict {
    /// `#WIN`
    Win,
    /// `#LOSE`
    Lose,
    /// `#DRAW`
    Draw,
    /// `#CENSORED`: neither won nor lost nor drawn, as at the move limit.
    Censored,
}

const NOTICES: [(&str, Notice); 14] = [
    ("#RESIGN", Notice::Reason(EndReason::Resign)),
    ("#TIME_UP", Notice::Reason(EndReason::TimeUp)),
    ("#ILLEGAL_MOVE", Notice::Reason(EndReason::IllegalMove)),
    ("#ILLEGAL_ACTION", Notice::Reason(EndReason::IllegalAction)),
    ("#SENNICHITE", Notice::Reason(EndReason::Repetition)),
    (
        "#OUTE_SENNICHITE",
        Notice::Reason(EndReason::PerpetualCheck),
    ),
    ("#JISHOGI", Notice::Reason(EndReason::Declaration)),
    ("#MAX_MOVES", Notice::Reason(EndReason::MaxMoves)),
    ("#CHUDAN", Notice::Reason(EndReason::Interrupted)),
    ("#ABNORMAL", Notice::Reason(EndReason::Abnormal)),
    ("#WIN", Notice::Verdict(ServerVerdict::Win)),
    ("#LOSE", Notice::Verdict(ServerVerdict::Lose)),
    ("#DRAW", Notice::Verdict(ServerVerdict::Draw)),
    ("#CENSORED", Notice::Verdict(ServerVerdict::Censored)),
];

impl ServerLine {
    /// Parses a line without its line end.
    pub fn parse(line: &str) -> Self {
        let parsed = match line.as_bytes().first() {
            Some(b'+' | b'-') => parse_move(line),
            Some(b'#') => Notice::parse(line).map(Self::Notice),
            _ => parse_words(line),
        };
        parsed.unwrap_or(Self::Other)
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
        ("LOGIN", _) if value.ends_with(" OK") => ServerLine::LoginOk,
        ("LOGIN", _) => return None,
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
    let time = parts.find_map(|part| TimeCount::parse(part.strip_prefix('T')?));
    is_move.then(|| ServerLine::Move {
        text: text.to_owned(),
        time,
    })
}

impl Notice {
    fn parse(text: &str) -> Option<Self> {
        let (_, notice) = NOTICES.iter().find(|(name, _)| *name == text)?;
        Some(*notice)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NOTICES.iter().find(|(_, notice)| notice == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

/// A number of time units, with up to three decimals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct TimeCount {
    thousandths: u64,
}

impl TimeCount {
    /// A number of whole units.
    pub const fn whole(count: u64) -> Self {
        Self {
            thousandths: count.saturating_mul(1000),
        }
    }

    /// Parses `12` or `0.25`; `None` if the text is not such a number.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) {
            return None;
        }
        let whole: u64 = whole.parse().ok()?;
        let decimals: u64 = format!("{decimals:0<3}")[..3].parse().ok()?;
        Some(Self {
            thousandths: whole.checked_mul(1000)? + decimals,
        })
    }

    /// The time, where a unit is `unit` long.
    pub fn of(self, unit: Duration) -> Duration {
        let nanoseconds = u128::from(self.thousandths) * unit.as_nanos() / 1000;
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
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
            ("LOGIN:x OK", ServerLine::LoginOk),
            ("LOGIN:incorrect", ServerLine::LoginIncorrect(String::new())),
            (
                "LOGIN:incorrect rate_limited retry_after=60",
                ServerLine::LoginIncorrect("rate_limited retry_after=60".to_owned()),
            ),
            (
                "#ABNORMAL",
                ServerLine::Notice(Notice::Reason(EndReason::Abnormal)),
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
            (
                "#CENSORED",
                ServerLine::Notice(Notice::Verdict(ServerVerdict::Censored)),
            ),
            (
                "-0055KA,T3",
                ServerLine::Move {
                    text: "-0055KA".to_owned(),
                    time: Some(TimeCount::whole(3)),
                },
            ),
            ("", ServerLine::Other),
            ("LOGIN:x", ServerLine::Other),
            ("+", ServerLine::Other),
            ("%TORYO,T3", ServerLine::Other),
            ("#UNKNOWN", ServerLine::Other),
            ("+雷鳥x", ServerLine::Other),
        ] {
            assert_eq!(ServerLine::parse(line), parsed, "{line}");
        }
        for (text, notice) in NOTICES {
            assert_eq!(Notice::parse(text), Some(notice));
            assert_eq!(notice.to_string(), text);
        }
    }

    #[test]
    fn times_may_have_decimals() {
        let time = TimeCount::parse;
        assert_eq!(time("12"), Some(TimeCount::whole(12)));
        let milliseconds = |text: &str, unit| time(text).map(|t| t.of(unit).as_millis());
        assert_eq!(milliseconds("0.25", Duration::from_secs(1)), Some(250));
        assert_eq!(milliseconds("1.5", Duration::from_secs(1)), Some(1500));
        assert_eq!(milliseconds("340", Duration::from_millis(1)), Some(340));
        for wrong in ["", "-1", ".5", "1.", "1e3", "99999999999999999999"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC{0,40}") {
            let _ = ServerLine::parse(&text);
        }
    }
}
