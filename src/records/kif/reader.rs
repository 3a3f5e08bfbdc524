//! Reads KIF and KI2. Every move is checked, and an error names its line.

use super::digits;
use super::fault::{KifError, KifFault};
use super::ki2::{IN_ALL, MARKS, UNTIL};
use super::numbering::Numbering;
use super::preamble::Preamble;
use super::words::{
    ending_of_word, ending_of_words, exact_ending, interruption, parts_of_sentence,
};
use crate::records::game::{Builder, Ending, GameRecord, UnreadTimes};
use crate::records::notation::written::Written;
use crate::util::shorten;

/// What may stand before a line and between its words.
const BLANKS: [char; 3] = [' ', '　', '\t'];

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

/// What was read so far.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) preamble: Preamble,
    pub(super) game: Option<Builder>,
    pub(super) numbering: Numbering,
    /// An illegal move and its line, which only an ending that says so may follow.
    pub(super) illegal: Option<(usize, KifFault, String)>,
    /// An unknown word where a move was expected, and its line. It is taken for an ending, which no
    /// move may follow.
    pub(super) unknown: Option<(usize, KifFault)>,
    /// Whether the ending was just read, so that a comment may tell the exact one.
    pub(super) awaits_exact: bool,
    pub(super) unread_times: UnreadTimes,
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

    pub(super) fn omit(&mut self, omission: String) {
        if let Some(game) = &mut self.game {
            game.record_mut().omissions.push(omission);
        }
    }

    fn line(&mut self, line: &str, number: usize) -> Result<(), KifFault> {
        let text = line.trim_start_matches(BLANKS);
        if let Some(comment) = text.strip_prefix('*') {
            self.comment(comment);
            return Ok(());
        }
        if let Some(bookmark) = text.strip_prefix('&') {
            self.mark(bookmark.trim());
            return Ok(());
        }
        let (line, text) = (line.trim_end(), text.trim_end());
        if text.starts_with("手数--") {
            self.preamble.is_over = true;
            return Ok(());
        }
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        // 変化手順 is a heading.
        if let Some(rest) = text.strip_prefix("変化")
            && rest.starts_with(|letter| !char::is_alphabetic(letter) || digits::is_digit(letter))
        {
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
        if text.starts_with(UNTIL) || text.starts_with(IN_ALL) {
            return self.sentence(text, number);
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
        if !number_text.is_empty() && rest.starts_with(BLANKS) {
            let row = digits::number_of(number_text).unwrap_or(usize::MAX);
            return self.row(row, rest.trim_start_matches(BLANKS), number);
        }
        self.other_line(text, rest, heading, number)
    }

    /// Reads a line that is no row of moves: a heading, or the ending alone. `rest` is what follows
    /// the number with which it may begin.
    fn other_line(
        &mut self,
        text: &str,
        rest: &str,
        heading: Option<(&str, &str)>,
        line: usize,
    ) -> Result<(), KifFault> {
        let has_number = rest.len() < text.len();
        let fault = |moves| KifFault::NotAMove {
            found: shorten(text),
            number: moves + 1,
        };
        let Some(game) = &self.game else {
            let after = rest.trim_start_matches(|letter| !digits::is_digit(letter));
            let is_like_a_move = |text| Written::parse(text, None).is_some();
            let is_row = has_number && (is_like_a_move(text) || is_like_a_move(after));
            return match heading {
                _ if is_row => Err(fault(0)),
                Some((name, value)) if !has_number => {
                    self.preamble.heading(name, value, line);
                    Ok(())
                }
                _ if self.preamble.is_over => Err(fault(0)),
                _ => {
                    self.preamble.leave_out(text, line);
                    Ok(())
                }
            };
        };
        if let Some((name, value)) = heading {
            if !has_number && !self.preamble.late_heading(name, value) {
                let name = shorten(name);
                self.omit(format!("line {line}: another heading {name}"));
            }
            return Ok(());
        }
        if game.has_ended() {
            return Ok(());
        }
        if has_number {
            return Err(fault(game.ply()));
        }
        let ending = ending_of_word(text, game.position(), None);
        match ending.filter(|_| self.illegal.is_none()) {
            Some(ending) => self.end(ending, "", line),
            None => Ok(()),
        }
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
    pub(super) fn game(&mut self) -> Result<&mut Builder, KifFault> {
        if self.game.is_none() {
            self.game = Some(self.preamble.begin()?);
        }
        self.game.as_mut().ok_or(KifFault::Empty)
    }

    /// Reads the last line of a game, `まで125手で先手の勝ち`, unless a row has told the ending.
    pub(super) fn sentence(&mut self, text: &str, line: usize) -> Result<(), KifFault> {
        let illegal = self.illegal.as_ref().map(|(_, _, text)| text.clone());
        let is_unknown = self.unknown.is_some();
        let game = self.game()?;
        if game.has_ended() && !is_unknown {
            return Ok(());
        }
        let (last, words) = parts_of_sentence(text);
        let ending = ending_of_words(&words, game.position(), illegal.as_deref());
        let comment = match &ending {
            Some(ending) if illegal.is_some() && !ending.explains_an_illegal_move() => {
                return Ok(());
            }
            Some(_) => interruption(text).map(str::to_owned),
            // An unknown ending.
            None if illegal.is_none() && !is_unknown && last.is_some() && !words.is_empty() => {
                Some(words)
            }
            None => return Ok(()),
        };
        game.end(ending.unwrap_or(Ending::Unfinished));
        game.closing_mut().comments.extend(comment);
        let moves = game.ply() + usize::from(illegal.is_some());
        self.illegal = None;
        self.awaits_exact = true;
        if let Some(last) = last.filter(|&last| self.numbering.is_short(moves, last)) {
            self.omit(format!(
                "line {line}: {last} moves, of which {moves} are there"
            ));
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
