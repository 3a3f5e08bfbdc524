//! Reads records. Every move is checked, and an error names its line.

use super::comments::{RATING_PREFIXES, parse_rating};
use super::fault::{CsaError, CsaFault};
use super::fields::{decoded, heading};
use super::game::Game;
use super::notation::color_of;
use super::setup::Setup;
use super::summary::{self, Summary};
use crate::position::Position;
use crate::records::game::{Ending, GameRecord};
use crate::types::Color;
use crate::util::shorten;

/// The line between two games.
const SEPARATOR: &str = "/";

/// Reads all games of a text; `/` alone on a line separates them.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read(text: &str) -> Result<Vec<GameRecord>, CsaError> {
    read_each(text).into_iter().collect()
}

/// Reads each game of a text, or what is wrong with it; `/` alone on a line separates them. What
/// follows the end of a game is left out, which [`GameRecord::omissions`] says.
pub fn read_each(text: &str) -> Vec<Result<GameRecord, CsaError>> {
    let mut games = Vec::new();
    let mut reader = Reader::default();
    let mut error = None;
    let mut number = 0;
    let end = |reader: Reader, error: Option<CsaError>, number| match error {
        Some(error) => Some(Err(error)),
        None => reader.finish(number).transpose(),
    };
    for line in text.trim_start_matches('\u{feff}').lines() {
        number += 1;
        if line.trim_end() == SEPARATOR {
            games.extend(end(std::mem::take(&mut reader), error.take(), number));
        } else if error.is_none() {
            error = reader.line(line, number).err();
        }
    }
    games.extend(end(reader, error, number));
    games
}

/// Reads the position block of a server: the lines of a position, and moves made already. `None` if
/// there is no position. Pieces that can never move are accepted.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read_server_position(text: &str) -> Result<Option<GameRecord>, CsaError> {
    let mut reader = Reader {
        is_of_server: true,
        ..Reader::default()
    };
    let mut number = 0;
    for line in text.lines() {
        number += 1;
        reader.line(line, number)?;
    }
    reader.finish(number)
}

#[derive(Default)]
struct Reader {
    is_of_server: bool,
    event: String,
    players: [String; Color::NUM],
    ratings: [Option<f64>; Color::NUM],
    started_at: Option<String>,
    time_limit: Option<String>,
    headings: Vec<(String, String)>,
    /// Comments before the first move.
    comments: Vec<String>,
    summary: Option<Summary>,
    setup: Setup,
    game: Option<Game>,
    has_content: bool,
    /// Whether lines behind the end of the game were left out.
    is_over: bool,
    omissions: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), CsaError> {
        if self.is_over {
            return Ok(());
        }
        // Blanks at the end of a comment are part of it.
        if line.starts_with("'*") {
            self.comment(line);
            return Ok(());
        }
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
            // Some programs write the time of the end behind it.
            Some(first) if self.has_ended() && !b"T$".contains(first) => {
                self.leave_out(line, number);
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
            // Some programs write the side behind it, `PI,+`.
            let (rest, next) = rest.split_once(',').unwrap_or((rest, ""));
            let fault_or = if in_position {
                self.setup.line(rest)
            } else {
                Err(CsaFault::AfterTheEnd(shorten(line)))
            };
            fault_or.map_err(fault)?;
            return self.line(next, number);
        } else if !line.starts_with('V') {
            // A line may hold several statements, and a comment after the last.
            let mut rest = line;
            while !rest.is_empty() {
                let text = rest.trim_start();
                if text.starts_with('\'') {
                    self.inline_comment(text);
                    break;
                }
                if self.has_ended() && !text.is_empty() && !text.starts_with(['T', ',']) {
                    self.leave_out(text, number);
                    break;
                }
                let (statement, next) = text.split_once(',').unwrap_or((text, ""));
                let done = self.statement(statement.trim(), number);
                done.map_err(|found| self.illegal_before(&found).unwrap_or_else(|| fault(found)))?;
                rest = next;
            }
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.ending.is_some())
    }

    /// Leaves out all lines from here on.
    fn leave_out(&mut self, text: &str, number: usize) {
        let fault = CsaFault::AfterTheEnd(shorten(text));
        self.omissions.push(format!("line {number}: {fault}"));
        self.is_over = true;
    }

    /// If the game goes on after an illegal move, that move is the fault, not its successor.
    fn illegal_before(&self, fault: &CsaFault) -> Option<CsaError> {
        let game = self.game.as_ref()?;
        let (line, found) = game.illegal.clone()?;
        let sfen = game.position.to_sfen();
        matches!(fault, CsaFault::AfterTheEnd(_)).then_some(CsaError {
            line,
            fault: CsaFault::Illegal {
                found,
                number: game.moves.len() + 1,
                sfen,
            },
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
            _ => self
                .headings
                .push((heading(name).to_owned(), decoded(name, value))),
        }
    }

    /// Reads a comment on the game (`'*text`), a rating or a summary. Other comments are remarks on
    /// the file.
    fn comment(&mut self, line: &str) {
        if let Some(text) = line.strip_prefix("'*") {
            match &mut self.game {
                Some(game) => game.comment(text, &mut self.comments),
                None => self.comments.push(text.to_owned()),
            }
            return;
        }
        for (rating, prefix) in self.ratings.iter_mut().zip(RATING_PREFIXES) {
            *rating = line.strip_prefix(prefix).and_then(parse_rating).or(*rating);
        }
        self.summary = Summary::parse(line).or(self.summary.take());
    }

    /// Reads the comment after a move in the same line. Clients send scores to the server with one
    /// star, `'* 30 -3334FU`.
    fn inline_comment(&mut self, text: &str) {
        let score = text.strip_prefix("'* ").filter(|score| {
            let word = score.split_whitespace().next().unwrap_or_default();
            word.parse::<i64>().is_ok()
        });
        match score {
            Some(score) => self.comment(&format!("'** {score}")),
            None => self.comment(text),
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
                game.time(text, number);
                Ok(())
            }
            b'%' => {
                game.end(text);
                Ok(())
            }
            b'+' | b'-' => game.make(text, number),
            _ => Err(CsaFault::Unknown(shorten(text))),
        }
    }

    fn begin(&mut self, side: Color, text: &str) -> Result<(), CsaFault> {
        if self.game.is_some() {
            return Err(CsaFault::AfterTheEnd(shorten(text)));
        }
        let board = self.setup.board(side)?;
        let start = if self.is_of_server {
            Position::from_server_board(board, 1)
        } else {
            Position::from_board(board, 1)
        };
        let start = start.map_err(CsaFault::Impossible)?;
        self.game = Some(Game::new(start));
        Ok(())
    }

    fn finish(mut self, line: usize) -> Result<Option<GameRecord>, CsaError> {
        let error = |line, fault| Err(CsaError { line, fault });
        let Some(mut game) = self.game else {
            return if self.has_content {
                error(line, CsaFault::NoSide)
            } else {
                Ok(None)
            };
        };
        self.omissions.extend(game.unread_times.omission());
        // The summary is more precise: a declaration may have been illegal.
        let said = self.summary;
        let said = said.and_then(|said| said.ending(&self.players, &game.position));
        let ending = said.or(game.ending.take());
        let explains = ending
            .as_ref()
            .is_some_and(Ending::explains_an_illegal_move);
        let ending = match (game.illegal.take(), ending) {
            (Some((line, found)), _) if !explains => {
                let sfen = game.position.to_sfen();
                let number = game.moves.len() + 1;
                let fault = CsaFault::Illegal {
                    found,
                    number,
                    sfen,
                };
                return error(line, fault);
            }
            (_, Some(ending)) => ending,
            (_, None) => summary::by_the_rules(&game.position),
        };
        Ok(Some(GameRecord {
            event: self.event,
            players: self.players,
            ratings: self.ratings,
            started_at: self.started_at,
            time_limit: self.time_limit,
            headings: self.headings,
            comments: self.comments,
            moves: game.moves,
            ending,
            closing: game.closing,
            omissions: self.omissions,
            ..GameRecord::new(game.start)
        }))
    }
}
