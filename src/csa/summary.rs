//! The summary of a game, which the server sends before it: players, colours, clocks and the
//! position with the moves made already.

use super::clock::{TimeFields, TimeRule, is_stop_watch};
use super::server_line::ServerLine;
use crate::position::Position;
use crate::records::{RecordedMove, csa};
use crate::types::{Color, EnteringKingRule};
use crate::util::shorten;

/// The block that holds a summary.
pub(super) const BLOCK: &str = "Game_Summary";
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
    fields: Vec<(String, String)>,
    /// The blocks `Time`, `Time+` and `Time-`: both sides or one.
    time: Vec<(Option<Color>, TimeFields)>,
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
            ServerLine::End(name) if name == BLOCK => return true,
            ServerLine::Begin(name) => self.begin(&name),
            ServerLine::End(_) => self.block = Block::Fields,
            _ if self.lines > MOST_LINES => {}
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
        self.time.push((side, TimeFields::default()));
    }

    fn field(&mut self, key: String, value: String) {
        match (self.block, self.time.last_mut()) {
            (Block::Time, Some((_, fields))) => fields.add(&key, &value),
            _ => self.fields.push((key, value)),
        }
    }

    /// The id of the game, empty if the summary has none.
    pub(super) fn id(&self) -> String {
        self.get("Game_ID").unwrap_or_default().to_owned()
    }

    fn get(&self, name: &str) -> Option<&str> {
        let named = self.fields.iter().rev().find(|(key, _)| key == name);
        named.map(|(_, value)| value.trim())
    }

    /// The summary that the lines make.
    pub(super) fn finish(&self) -> Result<Summary, String> {
        if self.lines > MOST_LINES {
            return Err(format!("more than {MOST_LINES} lines"));
        }
        let id = self.id();
        let field = |key, expected| {
            let found = shorten(self.get(key).unwrap_or_default());
            format!("the field {key} is \"{found}\", expected {expected}")
        };
        if id.is_empty() || id.contains(char::is_whitespace) {
            return Err(field("Game_ID", "one word"));
        }
        if self
            .get("Format")
            .is_some_and(|format| !format.starts_with("Shogi"))
        {
            return Err(field("Format", "Shogi 1.0"));
        }
        let side = match self.get("Your_Turn") {
            Some("+") => Color::Black,
            Some("-") => Color::White,
            _ => return Err(field("Your_Turn", "+ or -")),
        };
        let name = |key| self.get(key).unwrap_or_default().to_owned();
        let (start, moves) = self.position()?;
        let max_moves = self.get("Max_Moves").and_then(|text| text.parse().ok());
        Ok(Summary {
            players: [name("Name+"), name("Name-")],
            side,
            time: Color::ALL.map(|color| self.time_of(color, &id)),
            max_moves: max_moves.filter(|&moves| moves > 0),
            declaration: self.declaration(),
            reconnect_token: self.get("Reconnect_Token").map(str::to_owned),
            start,
            moves,
            id,
        })
    }

    fn declaration(&self) -> Option<EnteringKingRule> {
        // A field of rshogi's server, whose rule is another one than CSA's.
        let named = self.get("Entering_King_Rule");
        let named = named.and_then(|name| name.parse().ok());
        named.or_else(|| self.get("Declaration").and_then(declaration_rule))
    }

    fn time_of(&self, color: Color, id: &str) -> TimeRule {
        let block = |wanted: Option<Color>| {
            let mut blocks = self.time.iter();
            blocks
                .find(|(side, _)| *side == wanted)
                .map(|(_, fields)| fields)
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
    text.starts_with("Jishogi 1.")
        .then_some(EnteringKingRule::CsaRule27)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

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
        let moves: Vec<_> = summary
            .moves
            .iter()
            .map(|played| played.mv.to_string())
            .collect();
        assert_eq!(moves, ["7g7f", "3c3d"]);
        assert_eq!(summary.moves[0].time, Some(Duration::from_secs(12)));
    }

    #[test]
    fn each_side_can_have_its_clock() {
        let text = GAME.replace(
            "BEGIN Time\n",
            "BEGIN Time-\nTotal_Time:5\nEND Time-\nBEGIN Time+\n",
        );
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
}
