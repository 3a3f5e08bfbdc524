//! Reads the rows of moves of KIF, and the lines of moves of KI2.

use std::time::Duration;

use super::fault::KifFault;
use super::ki2::moves_and_ending;
use super::reader::Reader;
use super::time;
use super::words::{ending_of_word, interruption, is_word};
use crate::records::game::{Ending, RecordedMove};
use crate::records::notation::written::Written;
use crate::types::Move;
use crate::util::shorten;

impl Reader {
    /// Reads a row of KIF: a move and its time, or an ending.
    pub(super) fn row(&mut self, row: usize, text: &str, line: usize) -> Result<(), KifFault> {
        let illegal = self.illegal.as_ref().map(|(_, _, text)| text.clone());
        let has_position = self.preamble.has_position();
        let game = self.game()?;
        let word = text
            .split([' ', '　', '\t', '(', '+'])
            .next()
            .unwrap_or_default();
        let number = game.ply() + 1;
        if let Some(ending) = ending_of_word(word, game.position(), illegal.as_deref()) {
            if illegal.is_some() && !ending.explains_an_illegal_move() {
                return Err(KifFault::NotAMove {
                    found: shorten(word),
                    number,
                });
            }
            if !game.has_ended() {
                self.end(ending, text, line)?;
            }
            return Ok(());
        }
        let found = shorten(text);
        if game.has_ended() {
            return Err(KifFault::AfterTheEnd(found));
        }
        let Some((written, rest)) = Written::parse(text, game.last_target()) else {
            let fault = KifFault::NotAMove { found, number };
            let is_first = game.position().game_ply() as usize == row && has_position;
            if !is_word(word) || illegal.is_some() || !(number > 1 || is_first) {
                return Err(fault);
            }
            self.unknown = Some((line, fault));
            self.end(Ending::Unfinished, text, line)?;
            self.game()?.closing_mut().comments.push(word.to_owned());
            return Ok(());
        };
        let mv = written.find_exact(game.position());
        let text = &text[..text.len() - rest.len()];
        self.make(mv, text, line, Some(rest))?;
        if let Some(wrong) = self.numbering.check(row, number - 1) {
            self.omit(format!("line {line}: {wrong}"));
        }
        Ok(())
    }

    /// Ends the line that grows with the ending of a row.
    pub(super) fn end(&mut self, ending: Ending, row: &str, line: usize) -> Result<(), KifFault> {
        let time = self.time(row, line);
        let game = self.game()?;
        game.end(ending);
        let closing = game.closing_mut();
        closing.add_time(time);
        closing
            .comments
            .extend(interruption(row).map(str::to_owned));
        self.illegal = None;
        self.awaits_exact = true;
        Ok(())
    }

    /// The time in a row.
    fn time(&mut self, row: &str, line: usize) -> Option<Duration> {
        time::parse(row).unwrap_or_else(|found| {
            self.unread_times.add(&format!("line {line}"), found);
            None
        })
    }

    /// Reads the moves in a line of KI2, and the ending that some programs write behind them.
    pub(super) fn moves_of_ki2(&mut self, text: &str, line: usize) -> Result<(), KifFault> {
        let (moves, sentence) = moves_and_ending(text);
        for found in moves {
            let game = self.game()?;
            let (number, last) = (game.ply() + 1, game.last_target());
            let (written, _) = Written::parse(found, last).ok_or_else(|| KifFault::NotAMove {
                found: shorten(found),
                number,
            })?;
            let mv = written.find(game.position());
            if mv.is_none() && written.fits_several(game.position()) {
                return Err(KifFault::Ambiguous {
                    found: shorten(found),
                    number,
                    sfen: game.position().to_sfen(),
                });
            }
            self.make(mv, found, line, None)?;
        }
        self.sentence(sentence, line)
    }

    /// Makes a move, or keeps one that the rules forbid until the ending explains it.
    fn make(
        &mut self,
        mv: Option<Move>,
        text: &str,
        line: usize,
        rest: Option<&str>,
    ) -> Result<(), KifFault> {
        let has_illegal = self.illegal.is_some();
        let time = rest.and_then(|rest| self.time(rest, line));
        let game = self.game()?;
        let number = game.ply() + 1;
        let found = shorten(text);
        if game.has_ended() {
            return Err(KifFault::AfterTheEnd(found));
        } else if has_illegal {
            return Err(KifFault::NotAMove { found, number });
        }
        if let Some(mv) = mv {
            game.push(RecordedMove {
                time,
                ..RecordedMove::from(mv)
            });
        } else {
            let sfen = game.position().to_sfen();
            let text = found.clone();
            let fault = KifFault::Illegal {
                found,
                number,
                sfen,
            };
            if !game.is_in_game() {
                return Err(fault);
            }
            game.closing_mut().add_time(time);
            self.illegal = Some((line, fault, text));
        }
        Ok(())
    }
}
