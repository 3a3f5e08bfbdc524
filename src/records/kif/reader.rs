//! Reads KIF and KI2. Every move is checked, and an error names its line.

use std::{io::Read, time::Duration};

use super::{IN_ALL, UNTIL, interruption, is_digit, is_exact, is_word, number_of, parse_time};
use super::{board::Diagram, ending_of_word, ending_of_words, parts_of_sentence, word_of_ending};
use crate::records::notation::japanese::{BLANKS, MARKS, WHITE_MARKS, Written, with_origin};
use crate::records::{Builder, Ending, EndingWords, GameRecord, RecordError, RecordedMove, quoted};
use crate::types::{Color, Move};
use crate::util::shorten;
use crate::{position::Position, records::encoding::Lines, records::notation::Handicap};

/// Headings with which another game begins.
const FIRST_HEADINGS: [&str; 2] = ["手合割", "開始日時"];

/// Reads a game of KIF or KI2; its lines tell which.
///
/// A variation that cannot be read is left out from its first bad line on, and so is what follows
/// the end of the game, which [`GameRecord::omissions`] says.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read(text: &str) -> Result<GameRecord, RecordError> {
    let mut lines = Lines::of_text(text);
    let game = read_next(&mut lines).unwrap_or_else(|| Err(no_game().at_line(0)));
    game.map(|mut game| {
        if let Some((number, _)) = lines.next_line() {
            let omission = format!("line {number}: another game begins");
            game.omissions.push(omission);
        }
        game
    })
}

/// As [`read`], the next game of a file; `None` at its end.
pub(in crate::records) fn read_next(
    lines: &mut Lines<impl Read>,
) -> Option<Result<GameRecord, RecordError>> {
    let mut reader = Reader::default();
    let mut error = None;
    let (first, mut number) = (lines.count(), lines.count());
    // Whether a row is in error or behind one.
    let mut has_row = false;
    while let Some((of_line, line)) = lines.next_line() {
        if (reader.game.is_some() || has_row) && begins_game(line) {
            lines.put_back();
            break;
        }
        number = of_line;
        if error.is_none() {
            error = reader.any_line(line, number).err();
        }
        let text = line.trim_start_matches(BLANKS);
        let is_row = |sign: char| MARKS.contains(&sign) || sign.is_ascii_digit();
        has_row |= error.is_some() && text.starts_with(is_row);
    }
    if let Some(error) = error {
        return Some(Err(error));
    }
    // Headings behind the last game are none.
    let has_game = reader.game.is_some() || reader.preamble.has_position();
    (has_game || first == 0).then(|| reader.finish(number))
}

/// Whether a line is a heading with which another game begins.
fn begins_game(line: &str) -> bool {
    let text = line.trim_start_matches(BLANKS);
    let name = FIRST_HEADINGS.iter().find_map(|name| text.strip_prefix(name));
    name.is_some_and(|rest| rest.trim_start().starts_with(['：', ':']))
}

/// The name and the value of a heading.
fn heading_of(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(['：', ':'])?;
    Some((name.trim(), value.trim()))
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    preamble: Preamble,
    game: Option<Builder>,
    numbering: Numbering,
    /// The fault of an unknown word where a move was expected. It is taken for an ending, which no
    /// move may follow.
    unknown: Option<RecordError>,
    /// Whether the rows are left out until the next variation.
    is_skipping: bool,
}

impl Reader {
    fn any_line(&mut self, line: &str, number: usize) -> Result<(), RecordError> {
        let Err(fault) = self.line(line, number) else {
            return Ok(());
        };
        if self.is_in_variation() {
            self.leave_out(&format!("line {number}: the rest of a variation: {fault}"));
            return Ok(());
        }
        // If the game goes on after an illegal move or an unknown word, that is the fault.
        if let Some(fault) = self.take_illegal().or(self.unknown.take()) {
            return Err(fault);
        }
        if fault.is_after_the_end() {
            self.leave_out(&format!("line {number}: {fault}"));
            return Ok(());
        }
        Err(fault.at_line(number))
    }

    fn is_in_variation(&self) -> bool {
        self.is_skipping || self.game.as_ref().is_some_and(|game| !game.is_in_game())
    }

    /// Leaves out the rows until the next variation.
    fn leave_out(&mut self, omission: &str) {
        self.is_skipping = true;
        self.take_illegal();
        self.omit(omission.to_owned());
    }

    fn take_illegal(&mut self) -> Option<RecordError> {
        self.game.as_mut()?.take_illegal()
    }

    fn omit(&mut self, omission: String) {
        if let Some(game) = &mut self.game {
            game.omit(omission);
        }
    }

    fn line(&mut self, line: &str, number: usize) -> Result<(), RecordError> {
        let text = line.trim_start_matches(BLANKS);
        if let Some(comment) = text.strip_prefix('*') {
            self.comment(comment);
            return Ok(());
        }
        if let Some(bookmark) = text.strip_prefix('&') {
            self.mark(bookmark.trim());
            return Ok(());
        }
        let text = text.trim_end();
        // Most lines are rows.
        if self.game.is_some()
            && !self.is_skipping
            && text.starts_with(|sign: char| sign.is_ascii_digit())
        {
            return self.row_or_other(text, number);
        }
        if text.starts_with("手数--") {
            self.preamble.is_over = true;
            return Ok(());
        }
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        // 変化手順 is a heading.
        if let Some(rest) = text.strip_prefix("変化")
            && rest.starts_with(|letter| !char::is_alphabetic(letter) || is_digit(letter))
        {
            return self.branch(rest);
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
                if self.preamble.diagram.line(text)? {
                    return Ok(());
                }
            }
            Some(game) if text.starts_with('|') && game.has_ended() => {
                return Err(RecordError::after_the_end(quoted(text)));
            }
            Some(_) if text.starts_with('|') => {
                return Err(RecordError::new(format_args!(
                    "{} after the first move, expected moves",
                    quoted(text)
                )));
            }
            Some(_) => {}
        }
        self.row_or_other(text, number)
    }

    fn row_or_other(&mut self, text: &str, number: usize) -> Result<(), RecordError> {
        let rest = text.trim_start_matches(is_digit);
        let number_text = &text[..text.len() - rest.len()];
        if !number_text.is_empty() && rest.starts_with(BLANKS) {
            let row = number_of(number_text).unwrap_or(usize::MAX);
            return self.row(row, rest.trim_start_matches(BLANKS), number);
        }
        self.other_line(text, rest, heading_of(text), number)
    }

    /// Reads a line that is not a row of moves: a heading, or the ending alone. `rest` is what
    /// follows the number with which it may begin.
    fn other_line(
        &mut self,
        text: &str,
        rest: &str,
        heading: Option<(&str, &str)>,
        line: usize,
    ) -> Result<(), RecordError> {
        let has_number = rest.len() < text.len();
        let fault = |moves| not_a_move(&quoted(text), moves + 1);
        let Some(game) = &mut self.game else {
            let after = rest.trim_start_matches(|letter| !is_digit(letter));
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
            if !has_number && !take_late_heading(game.record_mut(), name, value) {
                game.omit(format!("line {line}: another heading {}", shorten(name)));
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
        match ending.filter(|_| game.illegal().is_none()) {
            Some(ending) => self.end(ending, "", line),
            None => Ok(()),
        }
    }

    fn comment(&mut self, text: &str) {
        let Some(game) = &mut self.game else {
            self.preamble.record.comments.push(text.to_owned());
            return;
        };
        if !self.is_skipping {
            game.add_comment(text);
        }
    }

    fn mark(&mut self, text: &str) {
        let Some(game) = &mut self.game else {
            self.preamble.record.bookmark = Some(text.to_owned());
            return;
        };
        if let Some(last) = game.last_mut()
            && !self.is_skipping
        {
            last.bookmark = Some(text.to_owned());
        }
    }

    /// The game, which begins with the position that the lines so far describe.
    fn game(&mut self) -> Result<&mut Builder, RecordError> {
        if self.game.is_none() {
            self.game = Some(self.preamble.begin()?);
        }
        self.game.as_mut().ok_or_else(no_game)
    }

    /// Reads the last line of a game, `まで125手で先手の勝ち`, unless a row has ended the game already.
    fn sentence(&mut self, text: &str, line: usize) -> Result<(), RecordError> {
        let is_unknown = self.unknown.is_some();
        let game = self.game()?;
        if game.has_ended() && !is_unknown {
            return Ok(());
        }
        let illegal = game.illegal().map(str::to_owned);
        let (last, words) = parts_of_sentence(text);
        let ending = ending_of_words(&words, game.position(), illegal.as_deref());
        let comment = match &ending {
            // Who made the illegal move has lost, whatever the sentence says.
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
        end(game, ending.unwrap_or(Ending::Unfinished));
        game.closing_mut().comments.extend(comment);
        let moves = game.ply() + usize::from(illegal.is_some());
        if let Some(last) = last.filter(|&last| self.numbering.is_short(moves, last)) {
            self.omit(format!("line {line}: {last} moves, of which {moves} are there"));
        }
        Ok(())
    }

    /// Begins a variation: `変化：12手`.
    fn branch(&mut self, text: &str) -> Result<(), RecordError> {
        // Some programs write such a line among the headings.
        if self.game.is_none() {
            return Ok(());
        }
        if self.is_in_variation() {
            self.take_illegal();
        } else {
            self.game()?.end_with_illegal()?;
        }
        self.is_skipping = false;
        self.unknown = None;
        let after = self.numbering.moves_before(text);
        let game = self.game()?;
        if after.is_some_and(|after| game.branch(after)) {
            return Ok(());
        }
        self.is_skipping = true;
        let found = quoted(&format!("変化{text}"));
        Err(RecordError::new(format_args!("{found} branches off behind the end of the game")))
    }

    fn finish(mut self, line: usize) -> Result<GameRecord, RecordError> {
        if self.game.is_none() && !self.preamble.has_position() {
            return Err(no_game().at_line(line));
        }
        if let Some(game) = self.game.as_mut().filter(|game| game.is_in_game()) {
            game.end_with_illegal()?;
        } else if let Some(fault) = self.take_illegal() {
            self.omit(format!("the rest of a variation: {fault}"));
        }
        let line = self.preamble.line_of_unknown_handicap().unwrap_or(line);
        self.game().map_err(|fault| fault.at_line(line))?;
        let Some(game) = self.game else {
            return Err(no_game().at_line(line));
        };
        Ok(game.into_record())
    }
}

// --- Moves ---

impl Reader {
    /// Reads a row of KIF: a move and its time, or an ending.
    fn row(&mut self, row: usize, text: &str, line: usize) -> Result<(), RecordError> {
        let has_position = self.preamble.has_position();
        self.go_back(row, text, line);
        let game = self.game()?;
        let mut words = text.split([' ', '　', '\t', '(', '+']);
        let word = words.next().unwrap_or_default();
        let number = game.ply() + 1;
        // No word for an ending begins as a move does.
        let ending = if starts_with_square(word) {
            None
        } else {
            ending_of_word(word, game.position(), game.illegal())
        };
        if let Some(ending) = ending {
            return self.end(ending, text, line);
        }
        if game.has_ended() {
            return Err(RecordError::after_the_end(quoted(text)));
        }
        let Some((written, rest)) = Written::parse(text, game.last_target()) else {
            let fault = not_a_move(&quoted(text), number);
            let is_first = game.position().game_ply() as usize == row && has_position;
            if !is_word(word) || game.illegal().is_some() || !(number > 1 || is_first) {
                return Err(fault);
            }
            self.unknown = Some(fault.at_line(line));
            self.end(Ending::Unfinished, text, line)?;
            self.game()?.closing_mut().comments.push(word.to_owned());
            return Ok(());
        };
        let moves = written.candidates_with_drops(game.position());
        let text = &text[..text.len() - rest.len()];
        self.make(&written, &moves, text, line, Some(rest))?;
        if let Some(wrong) = self.numbering.check(row, number - 1) {
            self.omit(format!("line {line}: {wrong}"));
        }
        Ok(())
    }

    /// Goes back to the row of this number if another move is legal there than the one made: some
    /// records have variations without a line 変化.
    fn go_back(&mut self, row: usize, text: &str, line: usize) {
        let is_counted = !self.numbering.is_wrong;
        let first = self.numbering.first;
        let after = first.and_then(|first| row.checked_sub(first));
        let (Some(after), Some(game)) = (after.filter(|_| is_counted), &mut self.game) else {
            return;
        };
        if game.has_ended() || game.illegal().is_some() || after >= game.ply() {
            return;
        }
        let only = |position: &Position, last| {
            let (written, _) = Written::parse(text, last)?;
            let moves = written.candidates_with_drops(position);
            <[Move; 1]>::try_from(moves).ok().map(|[mv]| mv)
        };
        // A number that stays may be a mistake.
        let follows = || only(game.position(), game.last_target()).is_some();
        if after + 1 == game.ply() && follows() {
            return;
        }
        let (position, last, made) = game.at(after);
        if only(&position, last).is_some_and(|mv| mv != made) && game.branch(after) {
            game.read_as(format!("line {line}: the number {row}, read as a variation"));
        }
    }

    /// Ends the line that grows with the ending of a row. Who made an illegal move has lost,
    /// whatever the row says.
    fn end(&mut self, ending: Ending, row: &str, line: usize) -> Result<(), RecordError> {
        let game = self.game()?;
        if game.has_ended() || game.illegal().is_some() && !ending.explains_an_illegal_move() {
            return Ok(());
        }
        let time = self.time(row, line);
        let game = self.game()?;
        end(game, ending);
        let closing = game.closing_mut();
        closing.add_time(time);
        closing.comments.extend(interruption(row).map(str::to_owned));
        Ok(())
    }

    /// The time in a row.
    fn time(&mut self, row: &str, line: usize) -> Option<Duration> {
        parse_time(row).unwrap_or_else(|found| {
            if let Some(game) = &mut self.game {
                game.omit_time(&format!("line {line}"), found);
            }
            None
        })
    }

    /// Reads the moves in a line of KI2, and the ending that some programs write after them, with
    /// a mark as moves have it or without.
    fn moves_of_ki2(&mut self, text: &str, line: usize) -> Result<(), RecordError> {
        let (moves, sentence) = moves_and_ending(text);
        if self.game.is_none() {
            let is_white = text.starts_with(WHITE_MARKS);
            let side = if is_white { Color::White } else { Color::Black };
            self.preamble.diagram.set_first_mark(side);
        }
        for found in moves {
            let game = self.game()?;
            let word = found.trim_start_matches(MARKS).trim_start_matches(BLANKS);
            if !starts_with_square(word)
                && let Some(ending) = ending_of_word(word, game.position(), game.illegal())
            {
                self.end(ending, "", line)?;
                continue;
            }
            let (number, last) = (game.ply() + 1, game.last_target());
            let (written, _) =
                Written::parse(found, last).ok_or_else(|| not_a_move(&quoted(found), number))?;
            let moves = written.candidates(game.position());
            self.make(&written, &moves, found, line, None)?;
        }
        self.sentence(sentence, line)
    }

    /// Makes the only move of `moves`. Without one, the illegal move is kept until the ending
    /// explains it. `rest` is what follows the move in a row of KIF.
    fn make(
        &mut self,
        written: &Written,
        moves: &[Move],
        text: &str,
        line: usize,
        rest: Option<&str>,
    ) -> Result<(), RecordError> {
        let time = rest.and_then(|rest| self.time(rest, line));
        let game = self.game()?;
        let number = game.ply() + 1;
        let found = || quoted(text);
        if game.has_ended() {
            return Err(RecordError::after_the_end(found()));
        } else if game.illegal().is_some() {
            return Err(not_a_move(&found(), number));
        }
        let last = game.last_target();
        match *moves {
            [mv] => {
                let is_guessed = rest.is_some() && written.is_without_origin();
                if is_guessed || !written.names(mv) {
                    let meant = with_origin(mv, last);
                    game.read_as(format!("line {line}: {}, read as {meant}", found()));
                }
                game.push(RecordedMove { time, ..RecordedMove::from(mv) });
            }
            [] => {
                let fault = format!("{}, move {number},", found());
                let fault = RecordError::illegal(format_args!("{fault}"), game.position());
                if !game.is_in_game() {
                    return Err(fault);
                }
                game.set_illegal(&shorten(text), fault.at_line(line), time);
            }
            _ => {
                let meant: Vec<String> = moves.iter().map(|&mv| with_origin(mv, last)).collect();
                let (meant, sfen) = (meant.join(" or "), game.position().to_sfen());
                let expected = match rest {
                    Some(_) => "the square that it comes from, such as (77), or 打",
                    None => "右, 左, 上 …",
                };
                return Err(RecordError::new(format_args!(
                    "{}, move {number}, may be {meant} in {sfen}, expected {expected}",
                    found()
                )));
            }
        }
        Ok(())
    }
}

/// Whether a word begins with the target square of a move, in full-width characters.
fn starts_with_square(word: &str) -> bool {
    word.starts_with(|sign| matches!(sign, '１'..='９' | '同'))
}

/// Ends the line that grows, which explains an illegal move.
fn end(game: &mut Builder, ending: Ending) {
    let word = word_of_ending(&ending, game.position().side_to_move());
    game.take_illegal();
    game.end_with(ending, word);
}

// --- Before the first move ---

/// The lines before the first move so far.
#[derive(Default)]
struct Preamble {
    /// The headings, and what stands before the first move.
    record: GameRecord,
    handicap: Option<&'static Handicap>,
    /// An unknown handicap, which needs a drawn board, and its line.
    other_handicap: Option<(String, usize)>,
    diagram: Diagram,
    /// Whether the line above the rows of moves was read.
    is_over: bool,
}

impl Preamble {
    fn heading(&mut self, name: &str, value: &str, line: usize) {
        if name != "手合割" {
            return take_heading(&mut self.record, name, value);
        }
        self.handicap = Handicap::of_name(value);
        if self.handicap.is_none() {
            self.other_handicap = Some((value.to_owned(), line));
        }
    }

    /// Leaves out a line that says nothing known.
    fn leave_out(&mut self, text: &str, line: usize) {
        let text = shorten(text);
        self.record.omissions.push(format!("line {line}: '{text}', expected a heading"));
    }

    /// Whether the lines say with which position the game begins, even if wrongly.
    fn has_position(&self) -> bool {
        self.handicap.is_some() || self.other_handicap.is_some() || !self.diagram.is_empty()
    }

    /// The line of the handicap that is not known, unless a board is drawn.
    fn line_of_unknown_handicap(&self) -> Option<usize> {
        let other = self.other_handicap.as_ref();
        let other = other.filter(|_| self.diagram.is_empty());
        other.map(|(_, line)| *line)
    }

    /// The game, which begins with the position of these lines.
    fn begin(&mut self) -> Result<Builder, RecordError> {
        let is_handicap = self.handicap.is_some_and(|handicap| !handicap.is_even());
        let first = if is_handicap { Color::White } else { Color::Black };
        let start = match (self.handicap, &self.other_handicap) {
            _ if !self.diagram.is_empty() => self.diagram.position(first)?,
            (Some(handicap), _) => {
                let start = Position::from_sfen(&handicap.sfen()).map_err(RecordError::new)?;
                self.diagram.with_side(start)?
            }
            (None, None) => self.diagram.with_side(Position::startpos())?,
            (None, Some((name, _))) => {
                return Err(RecordError::new(format_args!(
                    "handicap {}, expected 平手, a known handicap such as 香落ち, or a drawn board",
                    quoted(name)
                )));
            }
        };
        if self.diagram.has_only_hands() {
            let omission = "pieces in hand, expected a board too";
            if self.handicap.is_none() {
                return Err(RecordError::new(omission));
            }
            self.record.omissions.push(omission.to_owned());
        }
        let words = EndingWords { word: word_of_ending, is_exact };
        let record = GameRecord { start, ..std::mem::take(&mut self.record) };
        let mut game = Builder::new(record, words);
        game.set_first_target(self.diagram.last_target());
        Ok(game)
    }
}

/// Takes a heading. Some programs write both players in a line.
fn take_heading(record: &mut GameRecord, name: &str, value: &str) {
    match name {
        "" => {}
        "先手" | "下手" | "後手" | "上手" => {
            let (value, other) = two_headings(value);
            record.set_heading(name, value.to_owned());
            if let Some((name, value)) = other {
                record.set_heading(name, value.to_owned());
            }
        }
        _ => record.set_heading(name, value.to_owned()),
    }
}

/// Takes a heading after the first move; `false` if the record has another of this name.
fn take_late_heading(record: &mut GameRecord, name: &str, value: &str) -> bool {
    let known = match name {
        "先手" | "下手" => Some(record.players[0].as_str()),
        "後手" | "上手" => Some(record.players[1].as_str()),
        "棋戦" => Some(record.event.as_str()),
        _ => record.heading(name),
    };
    if let Some(known) = known.filter(|known| !known.is_empty()) {
        return known == value;
    }
    take_heading(record, name, value);
    true
}

/// What the numbers of the rows so far tell.
#[derive(Default)]
struct Numbering {
    /// The number of the first row, which is not 1 for games that begin from a drawn board.
    first: Option<usize>,
    /// Whether a row had another number than expected.
    is_wrong: bool,
}

impl Numbering {
    /// Checks the number of a row after as many moves. The first wrong one is returned.
    fn check(&mut self, row: usize, moves: usize) -> Option<String> {
        let expected = self.first.get_or_insert(row).saturating_add(moves);
        if row == expected || self.is_wrong {
            return None;
        }
        self.is_wrong = true;
        Some(format!("the number {row}, expected {expected}"))
    }

    /// Whether a game that ends after `moves` is shorter than the number of its last move, `last`.
    fn is_short(&self, moves: usize, last: usize) -> bool {
        last > moves + self.first.unwrap_or(1).saturating_sub(1)
    }

    /// The moves before the variation `：12手`.
    fn moves_before(&self, variation: &str) -> Option<usize> {
        number_of(variation)?.checked_sub(self.first.unwrap_or(1))
    }
}

/// The name of a player, and the heading of the other one if it follows in the same line, as in
/// `a / 後手：b`.
fn two_headings(value: &str) -> (&str, Option<(&str, &str)>) {
    for name in ["先手", "下手", "後手", "上手"] {
        let Some((first, rest)) = value.split_once(name) else {
            continue;
        };
        let own = first.trim_end().trim_end_matches(['/', '／', ',', '、']);
        let own = own.trim_end();
        if let Some(second) = rest.trim_start().strip_prefix(['：', ':'])
            && own.len() < first.len()
        {
            return (own, Some((name, second.trim())));
        }
    }
    (value, None)
}

fn not_a_move(found: &str, number: usize) -> RecordError {
    RecordError::new(format_args!(
        "{found}, move {number}, is neither a move nor an ending, expected for example \
         ７六歩(77), 同　銀(31), ５五角打 or 投了, or ▲７六歩 in KI2"
    ))
}

fn no_game() -> RecordError {
    RecordError::new("no game, expected headers, a board or numbered moves")
}

/// The moves of a line that begins with a mark, and the sentence after them, which may be empty.
fn moves_and_ending(line: &str) -> (Vec<&str>, &str) {
    let (mut rest, sentence) = line.split_at(line.find(UNTIL).unwrap_or(line.len()));
    let mut moves = Vec::new();
    while !rest.is_empty() {
        let mark = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[mark..].find(MARKS);
        let (found, next) = rest.split_at(end.map_or(rest.len(), |end| mark + end));
        moves.push(found.trim_end_matches([' ', '　']));
        rest = next;
    }
    (moves, sentence)
}
