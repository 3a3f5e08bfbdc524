//! Reads KIF and KI2. Every move is checked, and an error names its line.

use super::board::Diagram;
use super::digits;
use super::fault::{KifError, KifFault};
use super::time;
use super::words::{ending_of_sentence, ending_of_word};
use crate::position::{Position, START_SFEN};
use crate::records::game::{Builder, Ending, GameRecord, RecordedMove};
use crate::records::notation::handicap::Handicap;
use crate::records::notation::written::Written;
use crate::types::{Color, Move};
use crate::util::shorten;

/// The marks of a side before a move of KI2.
const MARKS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

/// Reads a game of KIF or KI2; its lines tell which.
///
/// A variation that cannot be read is left out from its first bad line on, which
/// [`GameRecord::omissions`] says.
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
    event: String,
    players: [String; Color::NUM],
    started_at: Option<String>,
    time_limit: Option<String>,
    headings: Vec<(String, String)>,
    handicap: Option<&'static Handicap>,
    /// An unknown handicap, which needs a drawn board, and its line.
    other_handicap: Option<(String, usize)>,
    diagram: Diagram,
    /// The first lines of comments, and the bookmark, before the position is complete.
    comments: Vec<String>,
    bookmark: Option<String>,
    game: Option<Builder>,
    /// The number of the first row of moves.
    first_number: Option<usize>,
    /// An illegal move and its line, which only an ending that says so may follow.
    illegal: Option<(usize, KifFault, String)>,
    /// Whether the rows belong to a variation that cannot be read.
    is_skipping: bool,
}

impl Reader {
    fn any_line(&mut self, line: &str, number: usize) -> Result<(), KifError> {
        match self.line(line, number) {
            Err(fault) if self.is_in_variation() => {
                self.leave_out(number, &fault);
                Ok(())
            }
            // If the game goes on after an illegal move, that move is the fault.
            Err(fault) => Err(match self.illegal.take() {
                Some((line, illegal, _)) => KifError {
                    line,
                    fault: illegal,
                },
                None => KifError {
                    line: number,
                    fault,
                },
            }),
            Ok(()) => Ok(()),
        }
    }

    fn is_in_variation(&self) -> bool {
        self.is_skipping || self.game.as_ref().is_some_and(|game| !game.is_in_game())
    }

    /// Notes that a variation is left out from here on.
    fn leave_out(&mut self, line: usize, fault: &KifFault) {
        self.is_skipping = true;
        self.illegal = None;
        if let Some(game) = &mut self.game {
            let omission = format!("line {line}: the rest of a variation: {fault}");
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
        if self.is_skipping {
            return Ok(());
        }
        if text.starts_with("まで") {
            return self.sentence(text);
        }
        if text.starts_with(MARKS) {
            return self.moves_of_ki2(text, number);
        }
        if self.game.is_none() {
            if self.diagram.line(line)? {
                return Ok(());
            }
        } else if text.starts_with('|') {
            return Err(KifFault::LatePosition(shorten(text)));
        }
        let rest = text.trim_start_matches(digits::is_digit);
        let number_text = &text[..text.len() - rest.len()];
        if !number_text.is_empty() && rest.starts_with(blanks) {
            let row = digits::number_of(number_text).unwrap_or(usize::MAX);
            return self.row(row, rest.trim_start_matches(blanks), number);
        }
        if let Some((name, value)) = text.split_once(['：', ':']) {
            self.heading(name.trim(), value.trim(), number);
        } else if let Some(game) = self.game.as_ref().filter(|game| !game.has_ended())
            && !number_text.is_empty()
        {
            return Err(KifFault::NotAMove {
                found: shorten(text),
                number: game.ply() + 1,
            });
        }
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        let Some(game) = &mut self.game else {
            self.comments.push(text.to_owned());
            return;
        };
        if self.is_skipping {
            return;
        }
        if game.has_ended() {
            match Ending::from_text(text) {
                Some(exact) => game.end(exact),
                None => game.closing_mut().comments.push(text.to_owned()),
            }
        } else if let Some(last) = game.last_mut() {
            last.add_comment(text);
        } else if game.is_in_game() {
            game.record_mut().comments.push(text.to_owned());
        }
    }

    fn mark(&mut self, text: &str) {
        let Some(game) = &mut self.game else {
            self.bookmark = Some(text.to_owned());
            return;
        };
        if let Some(last) = game.last_mut()
            && !self.is_skipping
        {
            last.bookmark = Some(text.to_owned());
        }
    }

    fn heading(&mut self, name: &str, value: &str, line: usize) {
        if self.game.is_some() || name.is_empty() {
            return;
        }
        match name {
            "先手" | "下手" => value.clone_into(&mut self.players[0]),
            "後手" | "上手" => value.clone_into(&mut self.players[1]),
            "棋戦" => value.clone_into(&mut self.event),
            "開始日時" => self.started_at = Some(value.to_owned()),
            "持ち時間" if is_time_limit(value) => self.time_limit = Some(value.to_owned()),
            "手合割" => {
                self.handicap = Handicap::of_name(value);
                if self.handicap.is_none() {
                    self.other_handicap = Some((value.to_owned(), line));
                }
            }
            _ => self.headings.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The game, which begins with the position that the lines so far describe.
    fn game(&mut self) -> Result<&mut Builder, KifFault> {
        if self.game.is_none() {
            let white_first = self.handicap.is_some_and(|handicap| !handicap.is_even());
            let sfen = match (self.diagram.to_sfen(white_first), self.handicap) {
                (Some(drawn), _) => drawn,
                (None, Some(handicap)) => handicap.sfen.to_owned(),
                (None, None) => match &self.other_handicap {
                    Some((name, _)) => return Err(KifFault::Handicap(shorten(name))),
                    None => START_SFEN.to_owned(),
                },
            };
            let start = Position::from_sfen(&sfen).map_err(KifFault::Position)?;
            let mut game = Builder::new(start);
            game.record_mut().comments = std::mem::take(&mut self.comments);
            game.record_mut().bookmark = self.bookmark.take();
            self.game = Some(game);
        }
        self.game.as_mut().ok_or(KifFault::Empty)
    }

    // --- Rows of moves ---

    /// Reads a row of KIF: a move and its time, or an ending.
    fn row(&mut self, row: usize, text: &str, line: usize) -> Result<(), KifFault> {
        self.first_number.get_or_insert(row);
        let illegal = self.illegal.as_ref().map(|(_, _, text)| text.clone());
        let game = self.game()?;
        let word = text.split([' ', '　', '(']).next().unwrap_or_default();
        if let Some(ending) = ending_of_word(word, game.position(), illegal.as_deref()) {
            if illegal.is_some() && !ending.explains_an_illegal_move() {
                return Err(KifFault::NotAMove {
                    found: shorten(word),
                    number: game.ply() + 1,
                });
            }
            if !game.has_ended() {
                game.end(ending);
                game.closing_mut().time = time::parse(text);
            }
            self.illegal = None;
            return Ok(());
        }
        let number = game.ply() + 1;
        let last = game.last_target();
        let (written, rest) = Written::parse(text, last).ok_or_else(|| KifFault::NotAMove {
            found: shorten(text),
            number,
        })?;
        let mv = written.find_exact(game.position());
        self.make(mv, text, line, Some(rest))
    }

    /// Reads the moves in a line of KI2.
    fn moves_of_ki2(&mut self, text: &str, line: usize) -> Result<(), KifFault> {
        let mut rest = text;
        while !rest.is_empty() {
            let mark = rest.chars().next().map_or(0, char::len_utf8);
            let end = rest[mark..]
                .find(MARKS)
                .map_or(rest.len(), |end| mark + end);
            let found = rest[..end].trim_end_matches([' ', '　']);
            rest = &rest[end..];
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
        Ok(())
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
        let game = self.game()?;
        let number = game.ply() + 1;
        let found = shorten(text);
        if game.has_ended() || has_illegal {
            return Err(KifFault::NotAMove { found, number });
        }
        if let Some(mv) = mv {
            game.push(RecordedMove {
                time: rest.and_then(time::parse),
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
            self.illegal = Some((line, fault, text));
        }
        Ok(())
    }

    /// Reads the last line of a game, `まで125手で先手の勝ち`, unless a row has told the ending.
    fn sentence(&mut self, text: &str) -> Result<(), KifFault> {
        let illegal = self.illegal.as_ref().map(|(_, _, text)| text.clone());
        let game = self.game()?;
        if game.has_ended() {
            return Ok(());
        }
        if let Some(ending) = ending_of_sentence(text, game.position(), illegal.as_deref())
            && (illegal.is_none() || ending.explains_an_illegal_move())
        {
            game.end(ending);
            self.illegal = None;
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
        let first = self.first_number.unwrap_or(1);
        let after = digits::number_of(text).and_then(|row| row.checked_sub(first));
        let game = self.game()?;
        if after.is_some_and(|after| game.branch(after)) {
            return Ok(());
        }
        self.is_skipping = true;
        Err(KifFault::Branch(shorten(&format!("変化{text}"))))
    }

    fn finish(mut self, line: usize) -> Result<GameRecord, KifError> {
        let error = |line, fault| KifError { line, fault };
        let has_position = self.handicap.is_some() || !self.diagram.is_empty();
        if self.game.is_none() && !has_position && self.other_handicap.is_none() {
            return Err(error(line, KifFault::Empty));
        }
        if let Some((line, fault, _)) = self.illegal.take() {
            return Err(error(line, fault));
        }
        let line = match &self.other_handicap {
            Some((_, line)) if self.diagram.is_empty() => *line,
            _ => line,
        };
        self.game().map_err(|fault| error(line, fault))?;
        let Some(game) = self.game else {
            return Err(error(line, KifFault::Empty));
        };
        let record = game.into_record();
        Ok(GameRecord {
            event: self.event,
            players: self.players,
            started_at: self.started_at,
            time_limit: self.time_limit,
            headings: self.headings,
            ..record
        })
    }
}

/// Whether a time control is in the notation of CSA, `00:10+05`, which the record keeps.
fn is_time_limit(text: &str) -> bool {
    text.contains('+')
        && text
            .chars()
            .all(|letter| letter.is_ascii_digit() || matches!(letter, ':' | '+'))
}
