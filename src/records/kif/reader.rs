//! Reads KIF and KI2. Every move is checked, and an error names its line.

use std::time::Duration;

use super::digits;
use super::fault::{KifError, KifFault};
use super::ki2::{MARKS, UNTIL, moves_and_ending};
use super::numbering::Numbering;
use super::preamble::Preamble;
use super::time;
use super::words::{ending_of_sentence, ending_of_word, exact_ending, interruption, is_word};
use crate::records::game::{Builder, Ending, GameRecord, RecordedMove, UnreadTimes};
use crate::records::notation::written::Written;
use crate::types::Move;
use crate::util::shorten;

/// Headings with which another game begins.
const FIRST_HEADINGS: [&str; 2] = ["手合割", "開始日時"];

/// Reads a game of KIF or KI2; its lines tell which.
///
/// A variation that cannot be read is left out from its first bad line on, and so is what follows
/// the end of the game, which [`GameRecord::omissions`] says.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read(text: &str) -> Result<GameRecord, KifError> {
    let mut reader = Reader::default();
    let mut number = 0;
    for line in text.trim_start_matches('\u{feff}').lines() {
        number += 1;
        reader.any_line(line, number)?;
    }
    reader.finish(number)
}

#[derive(Default)]
struct Reader {
    preamble: Preamble,
    game: Option<Builder>,
    numbering: Numbering,
    /// An illegal move and its line, which only an ending that says so may follow.
    illegal: Option<(usize, KifFault, String)>,
    /// An unknown word where a move was expected, and its line. It is taken for an ending, which no
    /// move may follow.
    unknown: Option<(usize, KifFault)>,
    /// Whether the ending was just read, so that a comment may tell the exact one.
    awaits_exact: bool,
    unread_times: UnreadTimes,
    /// Whether the rows are left out until the next variation.
    is_skipping: bool,
    /// Whether another game has begun, which is left out.
    is_over: bool,
}

impl Reader {
    fn any_line(&mut self, line: &str, number: usize) -> Result<(), KifError> {
        if self.is_over {
            return Ok(());
        }
        let Err(fault) = self.line(line, number) else {
            return Ok(());
        };
        if self.is_in_variation() {
            self.leave_out(&format!("line {number}: the rest of a variation: {fault}"));
            return Ok(());
        }
        // If the game goes on after an illegal move or an unknown word, that is the fault.
        let illegal = self.illegal.take().map(|(line, fault, _)| (line, fault));
        if let Some((line, fault)) = illegal.or(self.unknown.take()) {
            return Err(KifError { line, fault });
        }
        if matches!(fault, KifFault::AfterTheEnd(_)) {
            self.leave_out(&format!("line {number}: {fault}"));
            return Ok(());
        }
        Err(KifError {
            line: number,
            fault,
        })
    }

    fn is_in_variation(&self) -> bool {
        self.is_skipping || self.game.as_ref().is_some_and(|game| !game.is_in_game())
    }

    /// Leaves out the rows until the next variation.
    fn leave_out(&mut self, omission: &str) {
        self.is_skipping = true;
        self.illegal = None;
        self.omit(omission.to_owned());
    }

    fn omit(&mut self, omission: String) {
        if let Some(game) = &mut self.game {
            game.record_mut().omissions.push(omission);
        }
    }

    fn line(&mut self, line: &str, number: usize) -> Result<(), KifFault> {
        if let Some(comment) = line.strip_prefix('*') {
            self.comment(comment);
            return Ok(());
        }
        if let Some(bookmark) = line.strip_prefix('&') {
            self.mark(bookmark.trim());
            return Ok(());
        }
        let line = line.trim_end();
        let blanks = [' ', '　'];
        let text = line.trim_start_matches(blanks);
        if text.is_empty() || text.starts_with('#') || text.starts_with("手数--") {
            return Ok(());
        }
        if let Some(rest) = text.strip_prefix("変化") {
            return self.branch(rest);
        }
        let heading = text.split_once(['：', ':']);
        let heading = heading.map(|(name, value)| (name.trim(), value.trim()));
        if self.game.is_some() && heading.is_some_and(|(name, _)| FIRST_HEADINGS.contains(&name)) {
            self.is_over = true;
            self.omit(format!("line {number}: another game begins"));
            return Ok(());
        }
        if self.is_skipping {
            return Ok(());
        }
        if text.starts_with(UNTIL) {
            return self.sentence(text);
        }
        if text.starts_with(MARKS) {
            return self.moves_of_ki2(text, number);
        }
        match &self.game {
            None => {
                if self.preamble.diagram_line(line)? {
                    return Ok(());
                }
            }
            Some(game) if text.starts_with('|') && game.has_ended() => {
                return Err(KifFault::AfterTheEnd(shorten(text)));
            }
            Some(_) if text.starts_with('|') => {
                return Err(KifFault::LatePosition(shorten(text)));
            }
            Some(_) => {}
        }
        let rest = text.trim_start_matches(digits::is_digit);
        let number_text = &text[..text.len() - rest.len()];
        if !number_text.is_empty() && rest.starts_with(blanks) {
            let row = digits::number_of(number_text).unwrap_or(usize::MAX);
            return self.row(row, rest.trim_start_matches(blanks), number);
        }
        match (&self.game, heading) {
            (None, Some((name, value))) => self.preamble.heading(name, value, number),
            (Some(game), None) if !game.has_ended() && !number_text.is_empty() => {
                return Err(KifFault::NotAMove {
                    found: shorten(text),
                    number: game.ply() + 1,
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        let Some(game) = &mut self.game else {
            self.preamble.comments.push(text.to_owned());
            return;
        };
        if self.is_skipping {
            return;
        }
        if self.illegal.is_some() {
            game.closing_mut().add_comment(text);
            return;
        }
        let awaits_exact = std::mem::take(&mut self.awaits_exact);
        match exact_ending(text, game).filter(|_| awaits_exact) {
            Some(exact) => game.end(exact),
            None => game.add_comment(text),
        }
    }

    fn mark(&mut self, text: &str) {
        let Some(game) = &mut self.game else {
            self.preamble.bookmark = Some(text.to_owned());
            return;
        };
        if let Some(last) = game.last_mut()
            && !self.is_skipping
        {
            last.bookmark = Some(text.to_owned());
        }
    }

    /// The game, which begins with the position that the lines so far describe.
    fn game(&mut self) -> Result<&mut Builder, KifFault> {
        if self.game.is_none() {
            self.game = Some(self.preamble.begin()?);
        }
        self.game.as_mut().ok_or(KifFault::Empty)
    }

    // --- Rows of moves ---

    /// Reads a row of KIF: a move and its time, or an ending.
    fn row(&mut self, row: usize, text: &str, line: usize) -> Result<(), KifFault> {
        let illegal = self.illegal.as_ref().map(|(_, _, text)| text.clone());
        let has_position = self.preamble.has_position();
        let game = self.game()?;
        let word = text.split([' ', '　', '(']).next().unwrap_or_default();
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
    fn end(&mut self, ending: Ending, row: &str, line: usize) -> Result<(), KifFault> {
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
    fn moves_of_ki2(&mut self, text: &str, line: usize) -> Result<(), KifFault> {
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
        self.sentence(sentence)
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

    /// Reads the last line of a game, `まで125手で先手の勝ち`, unless a row has told the ending.
    fn sentence(&mut self, text: &str) -> Result<(), KifFault> {
        let illegal = self.illegal.as_ref().map(|(_, _, text)| text.clone());
        let is_unknown = self.unknown.is_some();
        let game = self.game()?;
        if game.has_ended() && !is_unknown {
            return Ok(());
        }
        if let Some(ending) = ending_of_sentence(text, game.position(), illegal.as_deref())
            && (illegal.is_none() || ending.explains_an_illegal_move())
        {
            game.end(ending);
            let closing = game.closing_mut();
            closing
                .comments
                .extend(interruption(text).map(str::to_owned));
            self.illegal = None;
            self.awaits_exact = true;
        }
        Ok(())
    }

    /// Begins a variation: `変化：12手`.
    fn branch(&mut self, text: &str) -> Result<(), KifFault> {
        // Some programs write such a line among the headings.
        if self.game.is_none() {
            return Ok(());
        }
        if let Some((_, fault, _)) = self.illegal.take()
            && !self.is_in_variation()
        {
            return Err(fault);
        }
        self.is_skipping = false;
        self.unknown = None;
        self.awaits_exact = false;
        let after = self.numbering.moves_before(text);
        let game = self.game()?;
        if after.is_some_and(|after| game.branch(after)) {
            return Ok(());
        }
        self.is_skipping = true;
        Err(KifFault::Branch(shorten(&format!("変化{text}"))))
    }

    fn finish(mut self, line: usize) -> Result<GameRecord, KifError> {
        let error = |line, fault| KifError { line, fault };
        if self.game.is_none() && !self.preamble.has_position() {
            return Err(error(line, KifFault::Empty));
        }
        if let Some((line, fault, _)) = self.illegal.take() {
            return Err(error(line, fault));
        }
        let line = self.preamble.line_of_unknown_handicap().unwrap_or(line);
        self.game().map_err(|fault| error(line, fault))?;
        if let Some(omission) = std::mem::take(&mut self.unread_times).omission() {
            self.omit(omission);
        }
        let Some(game) = self.game else {
            return Err(error(line, KifFault::Empty));
        };
        Ok(self.preamble.complete(game.into_record()))
    }
}
