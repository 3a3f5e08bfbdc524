//! Resuming a game after a lost connection, on servers that send a `Reconnect_Token`.

use std::time::Duration;

use super::InterruptedGame;
use crate::csa::game::Game;
use crate::csa::server_line::{SUMMARY_BLOCK, ServerLine, SummaryReader};
use crate::position::Position;
use crate::records::csa::{legal_move, move_text};
use crate::types::{Color, Move};

const BLOCK: &str = "Reconnect_State";

/// Reads the block `Reconnect_State`, and skips what comes before it.
#[derive(Debug)]
pub(super) struct Resumption {
    interrupted: InterruptedGame,
    /// The summary that is coming: of this game again, or of another one.
    summary: Option<Box<SummaryReader>>,
    is_inside: bool,
    turn: Option<Color>,
    remaining: [Option<Duration>; Color::NUM],
    last_move: Option<String>,
}

/// The effect of a line.
pub(super) enum Step {
    /// The block is not complete.
    More(Box<Resumption>),
    /// The game goes on.
    Resumed(Box<Game>),
    /// The state of the server does not continue our game.
    Lost(Box<Game>),
    /// The server offers another game: ours is lost.
    Other(Box<Game>, Box<SummaryReader>),
}

impl Resumption {
    pub(super) fn new(interrupted: InterruptedGame) -> Self {
        Self {
            interrupted,
            summary: None,
            is_inside: false,
            turn: None,
            remaining: [None; Color::NUM],
            last_move: None,
        }
    }

    pub(super) fn into_game(self) -> Game {
        self.interrupted.game
    }

    pub(super) fn line(mut self: Box<Self>, line: &str) -> Step {
        if let Some(mut summary) = self.summary.take() {
            if !summary.line(line) {
                self.summary = Some(summary);
            } else if summary.id() != self.interrupted.game.summary().id {
                return Step::Other(Box::new(self.interrupted.game), summary);
            }
            return Step::More(self);
        }
        match ServerLine::parse(line) {
            ServerLine::Begin(name) if name == SUMMARY_BLOCK => {
                self.summary = Some(Box::default());
            }
            ServerLine::Begin(name) if name == BLOCK => self.is_inside = true,
            ServerLine::End(name) if name == BLOCK && self.is_inside => return self.finish(),
            ServerLine::Field { key, value } if self.is_inside => self.field(&key, value.trim()),
            _ => {}
        }
        Step::More(self)
    }

    fn field(&mut self, key: &str, value: &str) {
        let milliseconds = || value.parse().ok().map(Duration::from_millis);
        match key {
            "Current_Turn" => {
                self.turn = match value {
                    "+" | "black" => Some(Color::Black),
                    "-" | "white" => Some(Color::White),
                    _ => None,
                }
            }
            "Black_Time_Remaining_Ms" => self.remaining[0] = milliseconds(),
            "White_Time_Remaining_Ms" => self.remaining[1] = milliseconds(),
            // Perhaps with its time.
            "Last_Move" => self.last_move = value.split(',').next().map(str::to_owned),
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> Step {
        let missed = self.missed_moves();
        let mut game = self.interrupted.game;
        let Some(missed) = missed else {
            return Step::Lost(Box::new(game));
        };
        for mv in missed {
            game.make(mv, None, Duration::ZERO, None);
        }
        if let [Some(black), Some(white)] = self.remaining {
            game.set_remaining([black, white]);
        }
        Step::Resumed(Box::new(game))
    }

    /// The moves that the server has and our game lacks: our move that was not echoed, the
    /// opponent's, or both; `None` if none of these fits.
    fn missed_moves(&self) -> Option<Vec<Move>> {
        let position = self.interrupted.game.position();
        let last = self.last_move.as_deref().filter(|text| !text.is_empty());
        let mut candidates = vec![Vec::new()];
        candidates.extend(self.interrupted.sent.map(|mv| vec![mv]));
        for moves in candidates.clone() {
            let after = after(position, &moves);
            if let Some(mv) = last.and_then(|text| legal_move(&after, text)) {
                candidates.push([moves, vec![mv]].concat());
            }
        }
        candidates.into_iter().find(|moves| {
            let after = after(position, moves);
            let is_last = match (last, after.last_move()) {
                (Some(text), Some(mv)) => move_text(mv) == text,
                (Some(_), None) => false,
                (None, _) => moves.is_empty(),
            };
            is_last && self.turn.is_none_or(|turn| turn == after.side_to_move())
        })
    }
}

fn after(position: &Position, moves: &[Move]) -> Position {
    let mut position = position.clone();
    for &mv in moves {
        position.do_move(mv);
    }
    position
}
