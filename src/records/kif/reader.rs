//! Reads records. Every move is checked, and an error names its line.

use super::board::Diagram;
use super::fault::{KifError, KifFault};
use super::notation::{Notation, parse_time};
use crate::movegen::legal_moves;
use crate::position::{Position, START_SFEN};
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::types::{Color, Repetition};
use crate::util::shorten;

/// Handicaps and their start positions. White gives the handicap and moves first.
pub(super) const HANDICAPS: &[(&str, &str)] = &[
    ("平手", START_SFEN),
    (
        "香落ち",
        "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "右香落ち",
        "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "角落ち",
        "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "飛車落ち",
        "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "飛香落ち",
        "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "二枚落ち",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "三枚落ち",
        "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "四枚落ち",
        "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "五枚落ち",
        "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "左五枚落ち",
        "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "六枚落ち",
        "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "八枚落ち",
        "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "十枚落ち",
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
];

/// Reads a game.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read(text: &str) -> Result<GameRecord, KifError> {
    let mut reader = Reader::default();
    let mut number = 0;
    for line in text.trim_start_matches('\u{feff}').lines() {
        number += 1;
        let error = |fault| KifError {
            line: number,
            fault,
        };
        if reader.line(line.trim_end()).map_err(error)? == Next::Over {
            break;
        }
    }
    reader.finish().map_err(|fault| KifError {
        line: number,
        fault,
    })
}

#[derive(PartialEq)]
enum Next {
    Line,
    Over,
}

#[derive(Default)]
struct Reader {
    event: String,
    players: [String; Color::NUM],
    started_at: Option<String>,
    handicap: Option<&'static str>,
    diagram: Diagram,
    game: Option<Game>,
}

struct Game {
    start: Position,
    position: Position,
    moves: Vec<RecordedMove>,
    illegal: Option<String>,
    ending: Option<Ending>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<Next, KifFault> {
        if line.is_empty() || line.starts_with(['*', '#', '&']) || line.starts_with("手数") {
            return Ok(Next::Line);
        }
        if line.starts_with("変化") || line.starts_with("まで") {
            return Ok(Next::Over);
        }
        if self.diagram.line(line)? {
            return Ok(Next::Line);
        }
        let number_end = line
            .trim_start()
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(0);
        if number_end > 0 {
            let text = line.trim_start()[number_end..].trim_start();
            return self.numbered(text);
        }
        if let Some((name, value)) = line.split_once('：') {
            self.header(name.trim(), value.trim())?;
        }
        Ok(Next::Line)
    }

    fn header(&mut self, name: &str, value: &str) -> Result<(), KifFault> {
        match name {
            "先手" | "下手" => value.clone_into(&mut self.players[0]),
            "後手" | "上手" => value.clone_into(&mut self.players[1]),
            "棋戦" => value.clone_into(&mut self.event),
            "開始日時" => self.started_at = Some(value.to_owned()),
            "手合割" if value != "その他" => {
                let known = HANDICAPS.iter().find(|(name, _)| *name == value);
                let (_, sfen) = known.ok_or_else(|| KifFault::Handicap(shorten(value)))?;
                self.handicap = Some(sfen);
            }
            _ => {}
        }
        Ok(())
    }

    fn game(&mut self) -> Result<&mut Game, KifFault> {
        if self.game.is_none() {
            let drawn = self.diagram.to_sfen();
            let sfen = drawn.as_deref().or(self.handicap).unwrap_or(HANDICAPS[0].1);
            let start = Position::from_sfen(sfen).map_err(KifFault::Position)?;
            self.game = Some(Game {
                position: start.clone(),
                start,
                moves: Vec::new(),
                illegal: None,
                ending: None,
            });
        }
        self.game.as_mut().ok_or(KifFault::Empty)
    }

    fn numbered(&mut self, text: &str) -> Result<Next, KifFault> {
        let game = self.game()?;
        if let Some(ending) = game.ending(text) {
            game.ending = Some(ending);
            return Ok(Next::Over);
        }
        if let Some(found) = game.illegal.take() {
            let sfen = game.position.to_sfen();
            return Err(KifFault::Illegal { found, sfen });
        }
        game.make(text)?;
        Ok(Next::Line)
    }

    fn finish(mut self) -> Result<GameRecord, KifFault> {
        if self.game.is_none() && self.handicap.is_none() && self.diagram.is_empty() {
            return Err(KifFault::Empty);
        }
        let game = self.game()?;
        let ending = match (game.illegal.take(), game.ending.take()) {
            (Some(found), None) => {
                let sfen = game.position.to_sfen();
                return Err(KifFault::Illegal { found, sfen });
            }
            (_, ending) => ending.unwrap_or(Ending::Interrupted),
        };
        let (start, moves) = (game.start.clone(), std::mem::take(&mut game.moves));
        Ok(GameRecord {
            event: self.event,
            players: self.players,
            ratings: [None; Color::NUM],
            started_at: self.started_at,
            time_limit: None,
            start,
            moves,
            ending,
        })
    }
}

impl Game {
    fn make(&mut self, text: &str) -> Result<(), KifFault> {
        let last = self.moves.last().map(|played| played.mv.to());
        let (notation, rest) =
            Notation::parse(text, last).ok_or_else(|| KifFault::NotAMove(shorten(text)))?;
        let legal = legal_moves(&self.position);
        match legal.into_iter().find(|&mv| notation.is(mv)) {
            Some(mv) => {
                self.position.do_move(mv);
                self.moves.push(RecordedMove {
                    mv,
                    time: parse_time(rest),
                    thought: None,
                });
            }
            // Only an ending that calls it illegal may follow.
            None => self.illegal = Some(shorten(text)),
        }
        Ok(())
    }

    /// The ending, if the text is one.
    fn ending(&self, text: &str) -> Option<Ending> {
        let word = text.split_whitespace().next()?;
        let loser = self.position.side_to_move();
        Some(match word {
            "投了" if legal_moves(&self.position).is_empty() => Ending::Checkmate,
            "投了" => Ending::Resignation,
            "詰み" => Ending::Checkmate,
            "中断" | "封じ手" | "不戦敗" => Ending::Interrupted,
            "千日手" => Ending::Repetition,
            "持将棋" => Ending::MaxMoves,
            "切れ負け" => Ending::TimeUp,
            "入玉勝ち" | "勝ち宣言" => Ending::Declaration,
            // The side to move made the illegal move.
            "反則負け" => match self.position.rule_repetition() {
                Some(Repetition::Lose) => Ending::PerpetualCheck { loser },
                _ => Ending::IllegalMove {
                    text: self.illegal.clone().unwrap_or_default(),
                },
            },
            // The other side did, with its last move.
            "反則勝ち" => match &self.illegal {
                Some(text) => Ending::IllegalMove { text: text.clone() },
                None => Ending::AdjudicatedWin { winner: loser },
            },
            _ => return None,
        })
    }
}
