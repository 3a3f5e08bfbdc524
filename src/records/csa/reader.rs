//! Reading: every move is proved, and an error names the line.

use std::time::Duration;

use thiserror::Error;

use super::comments::{RATING_PREFIXES, rating_of, understand_score};
use super::setup::Setup;
use super::summary::{self, Summary};

use crate::movegen::legal_moves;
use crate::position::{InvalidPosition, Position};
use crate::records::game::{Ending, GameRecord, RecordedMove, Thought};
use crate::types::{Color, Move, PieceType, Repetition, Square};
use crate::util::shorten;

/// Why a text is no record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {fault}")]
pub struct CsaError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: CsaFault,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CsaFault {
    /// Nothing that a record can hold.
    #[error(
        "'{0}' is no line of CSA, expected a header, a position, a move, a time, an ending or a comment"
    )]
    Unknown(String),
    /// A wrong line of the position.
    #[error("'{found}' in the position, expected {expected}")]
    Setup {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The position cannot be.
    #[error("impossible position: {0}")]
    Impossible(InvalidPosition),
    /// A move or an ending before anybody is to move.
    #[error("'{0}' before the position, expected '+' or '-' for the side to move first")]
    NoPosition(String),
    /// No notation of a move.
    #[error("'{0}' is not a move, expected for example +7776FU or -0055KA")]
    NotAMove(String),
    /// A move that cannot be made.
    #[error("'{found}' is illegal in {sfen}, expected a legal move")]
    Illegal {
        /// The move.
        found: String,
        /// The position.
        sfen: String,
    },
    /// Something behind the end.
    #[error("'{0}' after the end of the game")]
    AfterTheEnd(String),
}

/// Reads all games of a text; `/` alone on a line separates them.
///
/// # Errors
/// Names the first line that is wrong, and why.
pub fn read(text: &str) -> Result<Vec<GameRecord>, CsaError> {
    let mut games = Vec::new();
    let mut reader = Reader::default();
    let mut number = 0;
    for line in text.trim_start_matches('\u{feff}').lines() {
        number += 1;
        if line.trim_end() == "/" {
            games.extend(reader.finish(number)?);
            reader = Reader::default();
        } else {
            reader.line(line, number)?;
        }
    }
    games.extend(reader.finish(number)?);
    Ok(games)
}

#[derive(Default)]
struct Reader {
    event: String,
    players: [String; Color::NUM],
    ratings: [Option<f64>; Color::NUM],
    started_at: Option<String>,
    time_limit: Option<String>,
    summary: Option<Summary>,
    setup: Setup,
    game: Option<Game>,
    has_content: bool,
}

/// The game from the side to move on.
struct Game {
    start: Position,
    position: Position,
    moves: Vec<RecordedMove>,
    /// A move that is illegal: fine only where the next line says so.
    illegal: Option<(usize, String)>,
    ending: Option<Ending>,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), CsaError> {
        let line = line.trim_end();
        let fault = |fault| CsaError {
            line: number,
            fault,
        };
        match line.as_bytes().first() {
            None => return Ok(()),
            Some(b'\'') => {
                self.comment(line);
                return Ok(());
            }
            Some(_) => self.has_content = true,
        }
        if let Some(name) = line.strip_prefix("N+") {
            name.clone_into(&mut self.players[0]);
        } else if let Some(name) = line.strip_prefix("N-") {
            name.clone_into(&mut self.players[1]);
        } else if let Some(field) = line.strip_prefix('$') {
            self.field(field);
        } else if let Some(rest) = line.strip_prefix('P') {
            let in_position = self.game.is_none();
            let fault_or = if in_position {
                self.setup.line(rest)
            } else {
                Err(CsaFault::AfterTheEnd(shorten(line)))
            };
            fault_or.map_err(fault)?;
        } else if !line.starts_with('V') {
            // Several statements may share a line.
            for statement in line.split(',') {
                let done = self.statement(statement.trim(), number);
                done.map_err(|found| self.illegal_before(&found).unwrap_or_else(|| fault(found)))?;
            }
        }
        Ok(())
    }

    /// Whoever plays on behind an illegal move did not mean to end the game by it: then that is the fault.
    fn illegal_before(&self, fault: &CsaFault) -> Option<CsaError> {
        let game = self.game.as_ref()?;
        let (line, found) = game.illegal.clone()?;
        let sfen = game.position.to_sfen();
        matches!(fault, CsaFault::AfterTheEnd(_)).then_some(CsaError {
            line,
            fault: CsaFault::Illegal { found, sfen },
        })
    }

    fn field(&mut self, field: &str) {
        let Some((name, value)) = field.split_once(':') else {
            return;
        };
        match name {
            "EVENT" => value.clone_into(&mut self.event),
            "START_TIME" => self.started_at = Some(value.to_owned()),
            "TIME_LIMIT" => self.time_limit = Some(value.to_owned()),
            _ => {}
        }
    }

    /// The score in a comment of floodgate is black's, and about the move before it.
    fn comment(&mut self, line: &str) {
        let Some(text) = line.strip_prefix("'**") else {
            for (rating, prefix) in self.ratings.iter_mut().zip(RATING_PREFIXES) {
                *rating = line.strip_prefix(prefix).and_then(rating_of).or(*rating);
            }
            self.summary = Summary::parse(line).or(self.summary.take());
            return;
        };
        let score = text.split_whitespace().next().map(str::parse::<i64>);
        let last = self.game.as_mut().and_then(|game| game.moves.last_mut());
        if let (Some(Ok(score)), Some(last)) = (score, last)
            && last.thought.is_none()
        {
            let for_mover = match last.mv.piece().color() {
                Color::Black => score,
                Color::White => score.saturating_neg(),
            };
            last.thought = Some(Thought {
                score: Some(understand_score(for_mover)),
                depth: None,
                nodes: None,
                pv: Vec::new(),
            });
        }
    }

    fn statement(&mut self, text: &str, number: usize) -> Result<(), CsaFault> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(color) = color_of(text) {
            return self.begin(color, text);
        }
        let Some(game) = &mut self.game else {
            return Err(CsaFault::NoPosition(shorten(text)));
        };
        match text.as_bytes()[0] {
            b'T' => {
                game.time(text);
                Ok(())
            }
            b'%' => game.end(text),
            b'+' | b'-' => game.make(text, number),
            _ => Err(CsaFault::Unknown(shorten(text))),
        }
    }

    fn begin(&mut self, side: Color, text: &str) -> Result<(), CsaFault> {
        if self.game.is_some() {
            return Err(CsaFault::AfterTheEnd(shorten(text)));
        }
        let board = self.setup.board(side)?;
        let start = Position::from_board(board, 1).map_err(CsaFault::Impossible)?;
        self.game = Some(Game {
            position: start.clone(),
            start,
            moves: Vec::new(),
            illegal: None,
            ending: None,
        });
        Ok(())
    }

    fn finish(self, line: usize) -> Result<Option<GameRecord>, CsaError> {
        let error = |line, fault| Err(CsaError { line, fault });
        let Some(mut game) = self.game else {
            return if self.has_content {
                error(line, CsaFault::NoPosition("the end".to_owned()))
            } else {
                Ok(None)
            };
        };
        // The summary knows more: a declaration may have been a wrong one.
        let said = self.summary;
        let said = said.and_then(|said| said.ending(&self.players, &game.position));
        let ending = match (game.illegal.take(), said.or(game.ending.take())) {
            (Some((line, found)), None) => {
                let sfen = game.position.to_sfen();
                return error(line, CsaFault::Illegal { found, sfen });
            }
            (_, Some(ending)) => ending,
            (None, None) => summary::by_the_rules(&game.position),
        };
        Ok(Some(GameRecord {
            event: self.event,
            players: self.players,
            ratings: self.ratings,
            started_at: self.started_at,
            time_limit: self.time_limit,
            start: game.start,
            moves: game.moves,
            ending,
        }))
    }
}

impl Game {
    fn make(&mut self, text: &str, number: usize) -> Result<(), CsaFault> {
        if self.ending.is_some() || self.illegal.is_some() {
            return Err(CsaFault::AfterTheEnd(shorten(text)));
        }
        let is_known = parse_move(text).ok_or_else(|| CsaFault::NotAMove(shorten(text)))?;
        match legal_moves(&self.position)
            .into_iter()
            .find(|&mv| is_known.is(mv))
        {
            Some(mv) => {
                self.position.do_move(mv);
                self.moves.push(RecordedMove {
                    mv,
                    time: None,
                    thought: None,
                });
            }
            None => self.illegal = Some((number, text.to_owned())),
        }
        Ok(())
    }

    fn time(&mut self, text: &str) {
        let seconds = text[1..].parse::<f64>().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if let Some(last) = self.moves.last_mut() {
            last.time = time;
        }
    }

    fn end(&mut self, text: &str) -> Result<(), CsaFault> {
        if self.ending.is_some() {
            return Err(CsaFault::AfterTheEnd(shorten(text)));
        }
        let illegal = self.illegal.clone();
        let side = self.position.side_to_move();
        let ending = match text {
            "%TORYO" => summary::resignation(&self.position),
            "%TSUMI" => Ending::Checkmate,
            "%KACHI" => Ending::Declaration,
            "%SENNICHITE" => Ending::Repetition,
            "%OUTE_SENNICHITE" => Ending::PerpetualCheck { loser: side },
            "%JISHOGI" | "%MAX_MOVES" => Ending::MaxMoves,
            "%HIKIWAKE" => Ending::AdjudicatedDraw,
            "%TIME_UP" => Ending::TimeUp,
            "%ILLEGAL_MOVE" => self.illegal_move(illegal.map(|(_, text)| text)),
            "%+ILLEGAL_ACTION" => self.illegal_action(Color::Black),
            "%-ILLEGAL_ACTION" => self.illegal_action(Color::White),
            "%CHUDAN" | "%MATTA" | "%ERROR" | "%FUZUMI" => Ending::Interrupted,
            _ => return Err(CsaFault::Unknown(shorten(text))),
        };
        self.ending = Some(ending);
        Ok(())
    }

    /// An illegal move, or the fourth occurrence by nothing but checks, which is one too.
    fn illegal_move(&self, text: Option<String>) -> Ending {
        let loser = self.position.side_to_move();
        match (text, self.position.rule_repetition()) {
            (None, Some(Repetition::Lose)) => Ending::PerpetualCheck { loser },
            (text, _) => Ending::IllegalMove {
                text: text.unwrap_or_default(),
            },
        }
    }

    fn illegal_action(&self, by: Color) -> Ending {
        if by == self.position.side_to_move() {
            self.illegal_move(None)
        } else if self.position.rule_repetition() == Some(Repetition::Win) {
            Ending::PerpetualCheck { loser: by }
        } else {
            Ending::AdjudicatedWin { winner: !by }
        }
    }
}

/// `+` and `-` alone.
fn color_of(text: &str) -> Option<Color> {
    match text {
        "+" => Some(Color::Black),
        "-" => Some(Color::White),
        _ => None,
    }
}

/// A move in the notation of CSA, which names the piece after the move.
struct Notation {
    color: Color,
    from: Option<Square>,
    to: Square,
    kind: PieceType,
}

impl Notation {
    fn is(&self, mv: Move) -> bool {
        let piece = mv.piece();
        (mv.from(), mv.to(), piece.kind(), piece.color())
            == (self.from, self.to, self.kind, self.color)
    }
}

fn parse_move(text: &str) -> Option<Notation> {
    let color = color_of(text.get(..1)?)?;
    let from = match text.get(1..3)? {
        "00" => None,
        square => Some(super::setup::square(square)?),
    };
    let to = super::setup::square(text.get(3..5)?)?;
    let kind = super::setup::kind(text.get(5..)?)?;
    Some(Notation {
        color,
        from,
        to,
        kind,
    })
}

#[cfg(test)]
mod tests;
