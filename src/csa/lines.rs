//! The lines of a CSA server and of its client as data: pure text, no network.
//!
//! Grammar: CSA server protocol 1.2.1
//! (`http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html`), and what shogi-server sends
//! beyond it. No line of a server is an error; what is unknown is [`ServerLine::Other`].

use std::{borrow::Cow, fmt, iter, time::Duration};

use super::clock::{Fields, TimeRule, is_stop_watch};
use super::turn::OwnAction;
use crate::records::{RecordedMove, csa};
use crate::types::{Color, EnteringKingRule};
use crate::{position::Position, util::shorten};

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

#[rustfmt::skip]
const NOTICES: [(&str, Notice); 14] = [
    ("#RESIGN", Notice::Reason(EndReason::Resign)),
    ("#TIME_UP", Notice::Reason(EndReason::TimeUp)),
    ("#ILLEGAL_MOVE", Notice::Reason(EndReason::IllegalMove)),
    ("#ILLEGAL_ACTION", Notice::Reason(EndReason::IllegalAction)),
    ("#SENNICHITE", Notice::Reason(EndReason::Repetition)),
    ("#OUTE_SENNICHITE", Notice::Reason(EndReason::PerpetualCheck)),
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
            ServerLine::Reject { game: game.to_owned(), by: by.to_owned() }
        }
        _ => ServerLine::Field { key: key.to_owned(), value: value.to_owned() },
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
    is_move.then(|| ServerLine::Move { text: text.to_owned(), time })
}

impl Notice {
    fn parse(text: &str) -> Option<Self> {
        let named = NOTICES.iter().find(|(name, _)| *name == text);
        named.map(|(_, notice)| *notice)
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
        Some(Self { thousandths: whole.checked_mul(1000)? + decimals })
    }

    /// The time, where a unit is `unit` long.
    pub fn of(self, unit: Duration) -> Duration {
        let nanoseconds = u128::from(self.thousandths) * unit.as_nanos() / 1000;
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

// --- The summary of a game: players, colours, clocks, and the position with its moves ---

/// The block that holds a summary.
pub(super) const SUMMARY_BLOCK: &str = "Game_Summary";
/// Most lines of a summary that are kept: a game before the start has at most some hundred moves.
const MOST_LINES: usize = 5000;

/// A game that the server offers.
#[derive(Clone, Debug)]
pub struct Summary {
    /// `Game_ID`.
    pub id: String,
    /// `Name+` and `Name-`, by [`Color::index`].
    pub players: [String; Color::NUM],
    /// `Your_Turn`: our colour.
    pub side: Color,
    /// The clocks, by [`Color::index`].
    pub time: [TimeRule; Color::NUM],
    /// `Max_Moves`: the game ends after this many moves; `None` without a limit.
    pub max_moves: Option<u32>,
    /// The rule of declarations; `None` if the summary names none that is known.
    pub declaration: Option<EnteringKingRule>,
    /// `Reconnect_Token`: allows to resume the game after a lost connection.
    pub reconnect_token: Option<String>,
    /// The position before the first move.
    pub start: Position,
    /// Moves made already, with their times.
    pub moves: Vec<RecordedMove>,
}

impl Summary {
    /// The rule of declarations. Without a known one nothing can be declared: a false declaration
    /// loses the game.
    pub fn declaration_rule(&self) -> EnteringKingRule {
        self.declaration.unwrap_or(EnteringKingRule::NoEnteringKing)
    }
}

/// Collects the lines of a summary.
#[derive(Clone, Default, Debug)]
pub(super) struct SummaryReader {
    fields: Fields,
    /// The blocks `Time`, `Time+` and `Time-`: both sides or one.
    time: Vec<(Option<Color>, Fields)>,
    position: Vec<String>,
    block: Block,
    lines: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Block {
    #[default]
    Fields,
    Time,
    Position,
}

impl SummaryReader {
    /// Takes a line after `BEGIN Game_Summary`; returns true at the end of the block.
    pub(super) fn line(&mut self, line: &str) -> bool {
        self.lines += 1;
        match ServerLine::parse(line) {
            ServerLine::End(name) if name == SUMMARY_BLOCK => return true,
            _ if self.lines > MOST_LINES => {}
            ServerLine::Begin(name) => self.begin(&name),
            ServerLine::End(_) => self.block = Block::Fields,
            _ if self.block == Block::Position => self.position.push(line.to_owned()),
            ServerLine::Field { key, value } => self.field(key, value),
            _ => {}
        }
        false
    }

    fn begin(&mut self, name: &str) {
        let side = match name {
            "Time+" => Some(Color::Black),
            "Time-" => Some(Color::White),
            "Time" => None,
            "Position" => {
                self.block = Block::Position;
                return;
            }
            _ => return,
        };
        self.block = Block::Time;
        self.time.push((side, Fields::default()));
    }

    fn field(&mut self, key: String, value: String) {
        let fields = match (self.block, self.time.last_mut()) {
            (Block::Time, Some((_, fields))) => fields,
            _ => &mut self.fields,
        };
        fields.0.push((key, value));
    }

    /// The id of the game, empty if the summary has none.
    pub(super) fn id(&self) -> String {
        self.fields.get("Game_ID").unwrap_or_default().to_owned()
    }

    /// The summary that the lines make.
    pub(super) fn finish(&self) -> Result<Summary, String> {
        if self.lines > MOST_LINES {
            return Err(format!("more than {MOST_LINES} lines"));
        }
        let id = self.id();
        let field = |key, expected| {
            let found = shorten(self.fields.get(key).unwrap_or_default());
            format!("the field {key} is \"{found}\", expected {expected}")
        };
        if id.is_empty() || id.contains(char::is_whitespace) {
            return Err(field("Game_ID", "one word"));
        }
        let format = self.fields.get("Format");
        if format.is_some_and(|format| !format.starts_with("Shogi")) {
            return Err(field("Format", "Shogi 1.0"));
        }
        let side = match self.fields.get("Your_Turn") {
            Some("+") => Color::Black,
            Some("-") => Color::White,
            _ => return Err(field("Your_Turn", "+ or -")),
        };
        let name = |key| self.fields.get(key).unwrap_or_default().to_owned();
        let (start, moves) = self.position()?;
        let max_moves = self.fields.get("Max_Moves");
        let max_moves = max_moves.and_then(|text| text.parse().ok());
        Ok(Summary {
            players: [name("Name+"), name("Name-")],
            side,
            time: Color::ALL.map(|color| self.time_of(color, &id)),
            max_moves: max_moves.filter(|&moves| moves > 0),
            declaration: self.declaration(),
            reconnect_token: self.fields.get("Reconnect_Token").map(str::to_owned),
            start,
            moves,
            id,
        })
    }

    fn declaration(&self) -> Option<EnteringKingRule> {
        // A field of rshogi's server, whose rule is another one than CSA's.
        let named = self.fields.get("Entering_King_Rule");
        let named = named.and_then(|name| name.parse().ok());
        named.or_else(|| self.fields.get("Declaration").and_then(declaration_rule))
    }

    fn time_of(&self, color: Color, id: &str) -> TimeRule {
        let block = |wanted: Option<Color>| {
            let mut blocks = self.time.iter();
            blocks.find(|(side, _)| *side == wanted).map(|(_, fields)| fields)
        };
        let fields = block(Some(color)).or_else(|| block(None));
        fields.map_or_else(TimeRule::default, |fields| fields.rule(is_stop_watch(id)))
    }

    /// The start and the moves. The lines are those of a record.
    fn position(&self) -> Result<(Position, Vec<RecordedMove>), String> {
        let game = csa::read_server_position(&self.position.join("\n"))
            .map_err(|error| format!("the position, {error}"))?;
        let game = game.ok_or("no position")?;
        Ok((game.start, game.moves))
    }
}

fn declaration_rule(text: &str) -> Option<EnteringKingRule> {
    text.starts_with("Jishogi 1.").then_some(EnteringKingRule::CsaRule27)
}

// --- The lines of a client ---
//
// A line that acts in a game can only be made by a `Turn`. The password is part of
// `ClientLine::wire` only; `Display` and `Debug` blank it.

/// Stands for a password.
const BLANK: &str = "****";
/// Shortest password that is blanked in what others say.
const SHORTEST_BLANKED: usize = 4;

/// A secret text. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// The password with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether it begins with the name of a game of shogi-server, as in `name-60-1,trip`.
    pub fn names_a_game(&self) -> bool {
        self.0.split_once(',').is_some_and(|(game, _)| is_game_name(game))
    }

    /// The text with the password blanked where it occurs: as a whole, and each of its parts
    /// between commas but the name of a game. What has few characters is not looked for: it occurs
    /// in ordinary words.
    pub(super) fn blanked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let game = self.0.split(',').next().filter(|_| self.names_a_game());
        let secret = game.map_or(self.0.as_str(), |game| &self.0[game.len() + 1..]);
        let parts = secret.split(',').filter(|&part| part != secret);
        let mut text = Cow::Borrowed(text);
        for part in iter::once(secret).chain(parts) {
            if part.len() >= SHORTEST_BLANKED && text.contains(part) {
                text = Cow::Owned(text.replace(part, BLANK));
            }
        }
        text
    }

    /// The secret itself, for the connection only.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(BLANK)
    }
}

/// Whether a text is the name of a game of shogi-server, as in `floodgate-300-10F`.
pub fn is_game_name(text: &str) -> bool {
    let mut parts = text.rsplit('-');
    let (clock, total) = (parts.next(), parts.next());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let clock = clock.map(|clock| clock.trim_end_matches('F'));
    clock.is_some_and(is_number) && total.is_some_and(is_number) && parts.next().is_some()
}

/// A line to the server.
#[derive(PartialEq, Eq, Debug)]
pub enum ClientLine {
    /// `LOGIN name password`.
    Login {
        /// The name of the account.
        name: String,
        /// The game that the password begins with on shogi-server; empty for none.
        game: String,
        /// The password.
        password: Password,
        /// Resumes a game: `reconnect:GAMEID+TOKEN`.
        reconnect: Option<String>,
    },
    /// `LOGOUT`.
    Logout,
    /// `AGREE game`.
    Agree(String),
    /// `REJECT game`.
    Reject(String),
    /// A move, a resignation or a declaration.
    Act(OwnAction),
    /// An empty line, which keeps the connection alive.
    Blank,
}

impl ClientLine {
    /// The line as sent, without its line end.
    pub(super) fn wire(&self) -> String {
        match self {
            Self::Login { password, .. } => self.text(password.reveal()),
            _ => self.to_string(),
        }
    }

    fn text(&self, secret: &str) -> String {
        match self {
            Self::Login { name, game, reconnect, .. } => {
                let comma = if game.is_empty() { "" } else { "," };
                let reconnect = reconnect.as_ref().map(|game| format!(" reconnect:{game}"));
                let reconnect = reconnect.unwrap_or_default();
                format!("LOGIN {name} {game}{comma}{secret}{reconnect}")
            }
            Self::Logout => "LOGOUT".to_owned(),
            Self::Agree(game) => format!("AGREE {game}"),
            Self::Reject(game) => format!("REJECT {game}"),
            Self::Act(action) => action.to_string(),
            Self::Blank => String::new(),
        }
    }
}

/// The line with the password blanked.
impl fmt::Display for ClientLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(BLANK))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use std::time::Duration;

    #[test]
    fn every_line_is_recognised() {
        let field = |key: &str, value: &str| ServerLine::Field {
            key: key.to_owned(),
            value: value.to_owned(),
        };
        let name = "x".to_owned();
        for (line, parsed) in cases! {
            "LOGIN:x OK" => ServerLine::LoginOk;
            "LOGIN:incorrect" => ServerLine::LoginIncorrect(String::new());
            "LOGIN:incorrect rate_limited retry_after=60" =>
                ServerLine::LoginIncorrect("rate_limited retry_after=60".to_owned());
            "#ABNORMAL" => ServerLine::Notice(Notice::Reason(EndReason::Abnormal));
            "LOGOUT:completed" => ServerLine::LogoutCompleted;
            "BEGIN Time+" => ServerLine::Begin("Time+".to_owned());
            "END Time" => ServerLine::End("Time".to_owned());
            "START:x" => ServerLine::Start(name.clone());
            "REJECT:x by y" => ServerLine::Reject { game: name, by: "y".to_owned() };
            "Name+:a: b" => field("Name+", "a: b");
            "#CENSORED" => ServerLine::Notice(Notice::Verdict(ServerVerdict::Censored));
            "-0055KA,T3" =>
                ServerLine::Move {
                    text: "-0055KA".to_owned(),
                    time: Some(TimeCount { thousandths: 3000 }),
                };
            "" => ServerLine::Other;
            "LOGIN:x" => ServerLine::Other;
            "+" => ServerLine::Other;
            "%TORYO,T3" => ServerLine::Other;
            "#UNKNOWN" => ServerLine::Other;
            "+雷鳥x" => ServerLine::Other;
        } {
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
        let thousandths = time("12").map(|time| time.thousandths);
        assert_eq!(thousandths, Some(12_000));
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

    fn read(text: &str) -> Result<Summary, String> {
        let mut reader = SummaryReader::default();
        assert!(text.lines().any(|line| reader.line(line)), "it ends");
        reader.finish()
    }

    const GAME: &str = "Protocol_Version:1.2\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
        Game_ID:e+g-60-1+a+b+1\nName+:a: b\nName-:c\nYour_Turn:-\nTo_Move:+\nMax_Moves:256\n\
        X-Note: a line: with colons\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nByoyomi:1\n\
        END Time\n\
        BEGIN Position\nPI\n+\n+7776FU,T12\n-3334FU,T1\nEND Position\nEND Game_Summary\n";

    #[test]
    fn a_summary_is_read() {
        let summary = read(GAME).expect("a good summary");
        assert_eq!(summary.id, "e+g-60-1+a+b+1");
        assert_eq!(summary.players, ["a: b", "c"]);
        assert_eq!((summary.side, summary.max_moves), (Color::White, Some(256)));
        assert_eq!(summary.time[0].total, Duration::from_mins(1));
        assert_eq!(summary.time[0], summary.time[1]);
        assert_eq!(summary.declaration, Some(EnteringKingRule::CsaRule27));
        let other = GAME.replace("Max_Moves", "Entering_King_Rule:CSARule24\nMax_Moves");
        let rule = read(&other).expect("a good summary").declaration;
        assert_eq!(rule, Some(EnteringKingRule::CsaRule24));
        let moves = summary.moves.iter().map(|played| played.mv.to_string());
        let moves: Vec<_> = moves.collect();
        assert_eq!(moves, ["7g7f", "3c3d"]);
        assert_eq!(summary.moves[0].time, Some(Duration::from_secs(12)));
    }

    #[test]
    fn a_summary_without_end_is_not_kept() {
        let mut reader = SummaryReader::default();
        for line in ["BEGIN Time", "Key:value", "BEGIN Position", "P1"] {
            for _ in 0..MOST_LINES {
                assert!(!reader.line(line));
            }
        }
        let kept = reader.fields.0.len() + reader.time.len() + reader.position.len();
        assert_eq!(kept, MOST_LINES);
        assert!(reader.line("END Game_Summary"));
        let error = reader.finish().expect_err("too long");
        assert_eq!(error, format!("more than {MOST_LINES} lines"));
    }

    #[test]
    fn each_side_can_have_its_clock() {
        let words = "BEGIN Time-\nTotal_Time:5\nEND Time-\nBEGIN Time+\n";
        let text = GAME.replace("BEGIN Time\n", words);
        let summary = read(&text).expect("a good summary");
        assert_eq!(summary.time.map(|rule| rule.total.as_secs()), [60, 5]);
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_the_reason() {
        for (from, to, reason) in [
            ("Your_Turn:-", "Your_Turn:x", "Your_Turn is \"x\""),
            ("Game_ID:e+g-60-1+a+b+1", "", "Game_ID is \"\""),
            ("Format:Shogi 1.0", "Format:Chess", "Format is \"Chess\""),
            ("-3334FU", "-3335FU", "is illegal"),
            ("PI\n+\n+7776FU,T12\n-3334FU,T1\n", "", "no position"),
        ] {
            let error = read(&GAME.replace(from, to)).expect_err("a bad summary");
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn the_password_is_only_on_the_wire() {
        let mut login = ClientLine::Login {
            name: "raicho".to_owned(),
            game: "floodgate-300-10F".to_owned(),
            password: Password::new("secret"),
            reconnect: None,
        };
        assert_eq!(login.wire(), "LOGIN raicho floodgate-300-10F,secret");
        assert_eq!(login.to_string(), "LOGIN raicho floodgate-300-10F,****");
        assert!(!format!("{login:?}").contains("secret"));
        if let ClientLine::Login { game, reconnect, .. } = &mut login {
            game.clear();
            *reconnect = Some("id+token".to_owned());
        }
        assert_eq!(login.wire(), "LOGIN raicho secret reconnect:id+token");
    }

    #[test]
    fn a_password_that_a_server_repeats_is_blanked() {
        let password = Password::new("floodgate-300-10F,a,secret");
        assert_eq!(
            password.blanked("##[ERROR] LOGIN x floodgate-300-10F,a,secret"),
            "##[ERROR] LOGIN x floodgate-300-10F,****"
        );
        assert_eq!(Password::new("OK").blanked("LOGIN:x OK"), "LOGIN:x OK");
        for secret in ["sesame,", "sesame,open", ",sesame", "a-60-1,sesame,", "sesame,a,b"] {
            let text = Password::new(secret).blanked("LOGIN x sesame").into_owned();
            assert_eq!(text, "LOGIN x ****", "{secret}");
            let text = format!("LOGIN x {secret}");
            let text = Password::new(secret).blanked(&text).into_owned();
            assert!(!text.contains("sesame"), "{secret}: {text}");
        }
    }

    #[test]
    fn games_before_the_password_are_known() {
        for (text, expected) in [
            ("floodgate-300-10F,trip", true),
            ("x-y-60-1,a,b", true),
            ("trip", false),
            ("a-60,trip", false),
            ("60-1,trip", false),
        ] {
            assert_eq!(Password::new(text).names_a_game(), expected, "{text}");
        }
    }

    #[test]
    fn other_lines_have_no_secrets() {
        assert_eq!(ClientLine::Agree("id".to_owned()).wire(), "AGREE id");
        assert_eq!(ClientLine::Reject("id".to_owned()).wire(), "REJECT id");
        assert_eq!(ClientLine::Logout.wire(), "LOGOUT");
        assert_eq!(ClientLine::Blank.wire(), "");
    }
}
