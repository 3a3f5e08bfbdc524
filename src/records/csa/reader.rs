//! Reads records. Every move is checked, and an error names its line.

use std::io::Read;

use super::{RATING_PREFIXES, by_repetition, ending_by_the_rules, ending_of_word, word_of_ending};
use super::{
    SEPARATOR, color_of, decoded, is_exact, is_renamed, legal_move, parse_move, piece_name,
};
use super::{heading, kind, piece, square};
use crate::position::{Board, Position};
use crate::records::encoding::Lines;
use crate::records::{Builder, Ending, EndingWords, GameRecord, RecordError, Setup, impossible};
use crate::records::{parse_seconds, quoted};
use crate::types::{Color, File, Piece, PieceType, Rank, Square};

/// Reads all games of a text; `/` alone on a line separates them.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read(text: &str) -> Result<Vec<GameRecord>, RecordError> {
    read_each(text).into_iter().collect()
}

/// Reads each game of a text, or what is wrong with it; `/` alone on a line separates them. What
/// follows the end of a game is left out, which [`GameRecord::omissions`] says.
pub fn read_each(text: &str) -> Vec<Result<GameRecord, RecordError>> {
    let mut lines = Lines::of_text(text);
    std::iter::from_fn(|| read_next(&mut lines)).collect()
}

/// As [`read_each`], the next game of a file; `None` at its end.
pub(in crate::records) fn read_next(
    lines: &mut Lines<impl Read>,
) -> Option<Result<GameRecord, RecordError>> {
    loop {
        let mut reader = Reader::default();
        let mut error = None;
        let mut is_last = true;
        while let Some((number, line)) = lines.next_line() {
            if line.trim_end() == SEPARATOR {
                is_last = false;
                break;
            }
            if error.is_none() {
                error = reader.line(line, number).err();
            }
        }
        let game = match error {
            Some(error) => Some(Err(error)),
            None => reader.finish(lines.count()).transpose(),
        };
        if game.is_some() || is_last {
            return game;
        }
    }
}

/// Reads the position block of a server: the lines of a position, and moves made already. `None` if
/// there is no position. Pieces that can never move are accepted.
///
/// # Errors
/// A line is wrong; the error names the first one.
pub fn read_server_position(text: &str) -> Result<Option<GameRecord>, RecordError> {
    let mut reader = Reader { is_of_server: true, ..Reader::default() };
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
    /// The headings, and what stands before the position. The game takes it with its first move.
    record: GameRecord,
    summary: Option<Summary>,
    lines: PositionLines,
    game: Option<Builder>,
    has_content: bool,
    /// The number of the last line of a note, 0 without one.
    note: usize,
    /// Whether lines after the end of the game were left out.
    is_over: bool,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), RecordError> {
        if self.is_over {
            return Ok(());
        }
        // Blanks at the end of a comment are part of it.
        if line.starts_with("'*") {
            self.comment(line);
            return Ok(());
        }
        let line = line.trim_end();
        let fault = |fault: RecordError| fault.at_line(number);
        match line.as_bytes().first() {
            None => return Ok(()),
            Some(b'\'') => {
                self.comment(line);
                return Ok(());
            }
            // Some programs write the time of the end after it.
            Some(first) if self.has_ended() && !b"T$".contains(first) => {
                self.leave_out(line, number);
                return Ok(());
            }
            Some(_) => self.has_content = true,
        }
        // Some programs write a note with its line ends.
        if self.note > 0
            && self.note + 1 == number
            && !line.as_bytes()[0].is_ascii()
            && let Some((_, note)) = self.record().headings.last_mut()
        {
            note.push('\n');
            note.push_str(line);
            self.note = number;
            return Ok(());
        }
        if line.starts_with("$NOTE:") {
            self.note = number;
        }
        if let Some(name) = line.strip_prefix("N+") {
            name.clone_into(&mut self.record().players[0]);
        } else if let Some(name) = line.strip_prefix("N-") {
            name.clone_into(&mut self.record().players[1]);
        } else if let Some(field) = line.strip_prefix('$') {
            self.field(field);
        } else if let Some(rest) = line.strip_prefix('P') {
            let in_position = self.game.is_none();
            // Some programs write the side after it, `PI,+`.
            let (rest, next) = rest.split_once(',').unwrap_or((rest, ""));
            let fault_or = if in_position {
                self.lines.line(rest)
            } else {
                Err(RecordError::after_the_end(quoted(line)))
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
        self.game.as_ref().is_some_and(Builder::has_ended)
    }

    fn record(&mut self) -> &mut GameRecord {
        match &mut self.game {
            Some(game) => game.record_mut(),
            None => &mut self.record,
        }
    }

    /// Leaves out all lines from here on.
    fn leave_out(&mut self, text: &str, number: usize) {
        let fault = RecordError::after_the_end(quoted(text));
        let omissions = &mut self.record().omissions;
        omissions.push(fault.at_line(number).to_string());
        self.is_over = true;
    }

    /// If the game goes on after an illegal move, that move is the fault, not its successor.
    fn illegal_before(&mut self, fault: &RecordError) -> Option<RecordError> {
        let error = self.game.as_mut()?.take_illegal()?;
        fault.is_after_the_end().then_some(error)
    }

    fn field(&mut self, field: &str) {
        let Some((name, value)) = field.split_once(':') else {
            return;
        };
        match name {
            "EVENT" => value.clone_into(&mut self.record().event),
            "START_TIME" => self.record().started_at = Some(value.to_owned()),
            "TIME_LIMIT" => self.record().time_limit = Some(value.to_owned()),
            _ => {
                let heading = (heading(name).to_owned(), decoded(name, value));
                self.record().headings.push(heading);
            }
        }
    }

    /// Reads a comment on the game (`'*text`), a rating or a summary. Other comments are remarks on
    /// the file.
    fn comment(&mut self, line: &str) {
        if let Some(text) = line.strip_prefix("'*") {
            match &mut self.game {
                Some(game) => game.add_comment(text),
                None => self.record.comments.push(text.to_owned()),
            }
            return;
        }
        for (rating, prefix) in self.record().ratings.iter_mut().zip(RATING_PREFIXES) {
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

    fn statement(&mut self, text: &str, number: usize) -> Result<(), RecordError> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(color) = color_of(text) {
            return self.begin(color, text);
        }
        let Some(game) = &mut self.game else {
            return Err(RecordError::new(format_args!(
                "{} before the position, expected '+' or '-' for the side to move first",
                quoted(text)
            )));
        };
        match text.as_bytes()[0] {
            b'T' => read_time(game, text, number),
            b'%' => end(game, text),
            b'+' | b'-' => return make(game, text, number),
            _ => {
                return Err(RecordError::new(format_args!(
                    "{} is no line of CSA, expected a header, a position, a move, a time, an \
                     ending or a comment",
                    quoted(text)
                )));
            }
        }
        Ok(())
    }

    fn begin(&mut self, side: Color, text: &str) -> Result<(), RecordError> {
        if self.game.is_some() {
            return Err(RecordError::after_the_end(quoted(text)));
        }
        let board = self.lines.board(side)?;
        let start = if self.is_of_server {
            Position::from_server_board(board, 1)
        } else {
            Position::from_board(board, 1)
        };
        let record =
            GameRecord { start: start.map_err(impossible)?, ..std::mem::take(&mut self.record) };
        let words = EndingWords { word: word_of_ending, is_exact };
        self.game = Some(Builder::new(record, words));
        Ok(())
    }

    fn finish(mut self, line: usize) -> Result<Option<GameRecord>, RecordError> {
        // Some programs write no side to move under a drawn board, as of a tsume problem.
        if self.game.is_none() && self.lines.is_drawn && !self.is_of_server {
            self.begin(Color::Black, "").map_err(|fault| fault.at_line(line))?;
            let readings = &mut self.record().readings;
            readings.push("no line '+' or '-', read as black to move".to_owned());
        }
        let Some(mut game) = self.game else {
            if !self.has_content {
                return Ok(None);
            }
            let error = "no line '+' or '-' for the side to move, expected after the position";
            return Err(RecordError::new(error).at_line(line));
        };
        // The summary is more precise: a declaration may have been illegal.
        let names = game.record_mut().players.clone();
        let said = self.summary;
        let said = said.and_then(|said| said.ending(&names, game.position()));
        let ending = said.or_else(|| game.ending().cloned());
        let explains = ending.as_ref().is_some_and(Ending::explains_an_illegal_move);
        let ending = if explains || game.illegal().is_none() {
            ending.unwrap_or_else(|| ending_by_the_rules(game.position()))
        } else if self.is_of_server
            && let Some(error) = game.take_illegal()
        {
            return Err(error);
        } else {
            game.end_with_illegal()?;
            game.ending().cloned().unwrap_or(Ending::Unfinished)
        };
        let record = game.into_record();
        Ok(Some(GameRecord { ending, ..record }))
    }
}

/// Makes a move, or keeps one that the rules forbid.
fn make(game: &mut Builder, text: &str, line: usize) -> Result<(), RecordError> {
    if game.illegal().is_some() {
        return Err(RecordError::after_the_end(quoted(text)));
    }
    parse_move(text).ok_or_else(|| {
        let found = quoted(text);
        RecordError::new(format_args!(
            "{found} is not a move, expected for example +7776FU or -0055KA"
        ))
    })?;
    if let Some(mv) = legal_move(game.position(), text) {
        game.push(mv.into());
    } else {
        let found = format_args!("'{text}', move {},", game.ply() + 1);
        let fault = RecordError::illegal(found, game.position()).at_line(line);
        game.set_illegal(text, fault, None);
    }
    Ok(())
}

/// Reads the time of the last move or of the ending, to which an illegal move belongs.
fn read_time(game: &mut Builder, text: &str, line: usize) {
    let time = parse_seconds(text[1..].trim());
    if time.is_none() {
        game.omit_time(&format!("line {line}"), text);
    }
    if game.has_ended() || game.illegal().is_some() {
        game.closing_mut().add_time(time);
    } else if let Some(last) = game.last_mut() {
        last.time = time;
    }
}

/// Ends the game with a word. A word that is unknown becomes a comment.
fn end(game: &mut Builder, word: &str) {
    let known = ending_of_word(word, game.position(), game.illegal());
    let is_kept = known.is_some() && !is_renamed(word);
    if !is_kept {
        game.closing_mut().comments.push(word[1..].to_owned());
    }
    let ending = known.unwrap_or(Ending::Unfinished);
    game.end_with(ending, is_kept.then_some(word));
}

/// Parses the rating after the name, which may have colons: `AobaZero:3393` or `engine+7f:3382.0`.
fn parse_rating(text: &str) -> Option<f64> {
    let (_, number) = text.rsplit_once(':')?;
    let rating: f64 = number.trim().parse().ok()?;
    rating.is_finite().then_some(rating)
}

// --- The start position ---

/// The lines of the position so far.
#[derive(Default)]
struct PositionLines {
    setup: Setup,
    has_any: bool,
    /// Whether a line puts pieces on the board, other than those of the even game.
    is_drawn: bool,
}

fn fault(found: &str, expected: &str) -> RecordError {
    let found = quoted(found);
    RecordError::new(format_args!("{found} in the position, expected {expected}"))
}

impl PositionLines {
    /// Reads a line without its `P`.
    fn line(&mut self, line: &str) -> Result<(), RecordError> {
        self.has_any = true;
        self.is_drawn |= !line.starts_with('I');
        let Some(first) = line.chars().next() else {
            return Err(fault("P", "PI, P1 to P9, P+ or P-"));
        };
        let rest = &line[first.len_utf8()..];
        match first {
            'I' => self.even_without(rest),
            '+' => self.pieces(Color::Black, rest),
            '-' => self.pieces(Color::White, rest),
            _ => match Rank::from_index((first as usize).wrapping_sub('1' as usize)) {
                Some(rank) => self.rank(rank, rest),
                None => Err(fault(line, "PI, P1 to P9, P+ or P-")),
            },
        }
    }

    fn even_without(&mut self, removed: &str) -> Result<(), RecordError> {
        self.setup.squares = *Position::startpos().board().squares();
        for (square_text, kind_text) in groups(removed)? {
            let is_named = |piece: Piece| piece_name(piece.kind()) == kind_text;
            let place = square(square_text)
                .filter(|place| self.setup.squares[place.index()].is_some_and(is_named));
            let place = place
                .ok_or_else(|| fault(removed, "squares of the start position with their pieces"))?;
            self.setup.squares[place.index()] = None;
        }
        Ok(())
    }

    fn rank(&mut self, rank: Rank, line: &str) -> Result<(), RecordError> {
        let cells = in_columns(line);
        let cells = match collapsed(line).filter(|_| cells.is_err()) {
            Some(cells) => cells,
            None => cells?,
        };
        for (piece, file) in cells.into_iter().zip(File::ALL.into_iter().rev()) {
            self.setup.squares[Square::new(file, rank).index()] = piece;
        }
        Ok(())
    }

    fn pieces(&mut self, color: Color, text: &str) -> Result<(), RecordError> {
        for (square_text, kind_text) in groups(text)? {
            if (square_text, kind_text) == ("00", "AL") {
                self.setup.rest = Some(color);
                continue;
            }
            let kind = kind(kind_text).ok_or_else(|| fault(kind_text, "a piece such as FU"))?;
            if square_text == "00" {
                if !PieceType::HAND.contains(&kind) {
                    return Err(fault(kind_text, "a piece that can be in hand"));
                }
                self.setup.hands[color.index()][kind.index()] += 1;
                continue;
            }
            let place =
                square(square_text).ok_or_else(|| fault(square_text, "00 or a square 11 to 99"))?;
            if self.setup.squares[place.index()].is_some() {
                return Err(fault(square_text, "an empty square"));
            }
            self.setup.squares[place.index()] = Some(Piece::new(color, kind));
        }
        Ok(())
    }

    /// The board; that of an even game if there were no lines.
    fn board(&mut self, side: Color) -> Result<Board, RecordError> {
        if !self.has_any {
            self.even_without("")?;
        }
        self.setup.board(side)
    }
}

type Cells = [Option<Piece>; File::NUM];

/// The squares of a rank, three characters each.
fn in_columns(line: &str) -> Result<Cells, RecordError> {
    let mut cells = [None; File::NUM];
    for (index, cell) in cells.iter_mut().enumerate() {
        // Some programs trim the spaces at the end of a line.
        let text = line.get(3 * index..).unwrap_or_default();
        let text = text.get(..3).unwrap_or(text);
        *cell = match text.trim() {
            "" | "*" => None,
            _ => {
                let found = piece(text);
                Some(found.ok_or_else(|| fault(text, "' * ' or a sign and a piece, such as +FU"))?)
            }
        };
    }
    Ok(cells)
}

/// The squares of a rank that lost blanks, as on web pages: `-HI * * *`.
fn collapsed(line: &str) -> Option<Cells> {
    let mut cells = [None; File::NUM];
    let mut rest = line.trim_start();
    for cell in &mut cells {
        rest = if let Some(rest) = rest.strip_prefix('*') {
            rest
        } else {
            *cell = Some(piece(rest.get(..3)?)?);
            &rest[3..]
        };
        rest = rest.trim_start();
    }
    rest.is_empty().then_some(cells)
}

/// The groups of two digits for a square and two letters for a piece.
fn groups(text: &str) -> Result<Vec<(&str, &str)>, RecordError> {
    let text = text.trim();
    let group = |index: usize| Some((text.get(index..index + 2)?, text.get(index + 2..index + 4)?));
    (0..text.len())
        .step_by(4)
        .map(|index| group(index).ok_or_else(|| fault(text, "groups such as 82HI or 00FU")))
        .collect()
}

// --- The comments of servers ---

/// The beginning of the comment.
const SUMMARY_PREFIX: &str = "'summary:";

/// The comment of shogi-server on the end of a game:
/// `'summary:toryo:Titanda_L lose:HarrySan win`. Its older records have no other ending.
struct Summary {
    /// The word for the ending, such as `toryo`.
    reason: String,
    /// The players' names and results: `win`, `lose` or `draw`.
    players: Vec<(String, String)>,
}

impl Summary {
    fn parse(comment: &str) -> Option<Self> {
        let mut parts = comment.strip_prefix(SUMMARY_PREFIX)?.split(':');
        let reason = parts.next()?.to_owned();
        let player = |part: &str| {
            let (name, result) = part.rsplit_once(' ')?;
            Some((name.to_owned(), result.to_owned()))
        };
        let players = parts.filter_map(player).collect();
        Some(Self { reason, players })
    }

    /// The ending of a game between `names` that ended at `position`; `None` if its word is unknown
    /// and nobody won.
    fn ending(&self, names: &[String; Color::NUM], position: &Position) -> Option<Ending> {
        let side = position.side_to_move();
        let winner = Color::ALL.into_iter().find(|color| {
            let name = &names[color.index()];
            let won = |(player, result): &(String, String)| player == name && result == "win";
            self.players.iter().any(won)
        });
        let side_to_move_lost = winner == Some(!side);
        Some(match (self.reason.as_str(), winner) {
            // Servers recorded some perpetual checks as draws.
            ("sennichite", _) => by_repetition(position).unwrap_or(Ending::Repetition),
            ("oute_sennichite", Some(winner)) => Ending::PerpetualCheck { loser: !winner },
            ("max_moves" | "jishogi", None) => Ending::MaxMoves,
            ("kachi" | "jishogi", Some(winner)) if winner == side => Ending::Declaration,
            ("toryo", _) if side_to_move_lost => Ending::Resignation,
            ("time up" | "time_up", _) if side_to_move_lost => Ending::TimeUp,
            ("illegal kachi", _) if side_to_move_lost => Ending::IllegalDeclaration,
            ("uchifuzume" | "illegal move", _) if side_to_move_lost => {
                Ending::IllegalMove { text: self.reason.clone() }
            }
            ("abnormal", _) if side_to_move_lost => {
                Ending::Disconnection { reason: self.reason.clone() }
            }
            (_, winner) => Ending::AdjudicatedWin { winner: winner? },
        })
    }
}
