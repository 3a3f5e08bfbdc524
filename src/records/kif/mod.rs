//! Game records in KIF and KI2, the formats of Japanese sites and GUIs.
//!
//! Source: the description by the author of Kifu for Windows
//! (`http://kakinoki.o.oo7.jp/kif_format.html`). Headings, handicaps, board diagrams, times,
//! comments, bookmarks, variations and endings are read and written. KIF lacks words for some
//! endings; the writer then takes the nearest and a comment with the real ending, which the reader
//! understands.

mod board;
mod reader;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::records::notation::{Handicap, japanese};
use crate::records::{Ending, Forks, GameRecord, Line, Walk, parse_seconds, possible};
use crate::types::{Color, Repetition};
use crate::{position::Position, util::shorten};

pub use board::diagram;
pub use reader::read;
pub(super) use reader::read_next;

// --- Endings ---

/// The names of the sides.
const SIDES: [(&str, Color); 4] = [
    ("先手", Color::Black),
    ("下手", Color::Black),
    ("後手", Color::White),
    ("上手", Color::White),
];

/// The first word of the sentence on the ending, which some programs write after the last move.
const UNTIL: &str = "まで";

/// Another first word of that sentence.
const IN_ALL: &str = "以上";

/// The ending of the word in the last row of moves; `None` if the word is none. `illegal` is a move
/// before it that the rules forbid.
fn ending_of_word(word: &str, position: &Position, illegal: Option<&str>) -> Option<Ending> {
    let side = position.side_to_move();
    let text = || illegal.unwrap_or_default().to_owned();
    Some(match word.to_ascii_lowercase().as_str() {
        "投了" | "resigns" | "resign" | "resigned" => Ending::Resignation,
        "詰み" | "詰" | "checkmate" => Ending::Checkmate,
        "不詰" | "不詰み" => Ending::NoMate,
        "中断" | "封じ手" | "待った" | "suspended" => Ending::Interrupted,
        "千日手" | "repetition" => Ending::Repetition,
        "持将棋" | "impasse" => Ending::MaxMoves,
        "引き分け" | "引分け" | "引分" | "draw" => Ending::AdjudicatedDraw,
        "切れ負け" | "時間切れ" | "時間切れ負け" | "タイムアップ" | "time-up" | "timeup"
        | "timeout" => Ending::TimeUp,
        known if DISCONNECTIONS.contains(&known) => {
            Ending::Disconnection { reason: word.to_owned() }
        }
        "入玉勝ち" | "入玉宣言" | "入玉宣言勝ち" | "勝ち宣言" | "宣言勝ち" | "トライ" => {
            Ending::Declaration
        }
        "不戦勝" => Ending::Forfeit { winner: side },
        "不戦敗" => Ending::Forfeit { winner: !side },
        known if ILLEGAL_MOVES.contains(&known) => Ending::IllegalMove { text: text() },
        // The side to move made the illegal move.
        "反則負け" => match position.rule_repetition() {
            Some(Repetition::Lose) if illegal.is_none() => Ending::PerpetualCheck { loser: side },
            _ => Ending::IllegalMove { text: text() },
        },
        // The other side did, with its last move.
        "反則勝ち" => match position.rule_repetition() {
            _ if illegal.is_some() => Ending::IllegalMove { text: text() },
            Some(Repetition::Win) => Ending::PerpetualCheck { loser: !side },
            _ => Ending::IllegalAction { loser: !side },
        },
        _ => return None,
    })
}

/// Words for a connection that was lost by the side to move.
#[rustfmt::skip]
const DISCONNECTIONS: [&str; 8] = [
    "接続切れ", "接続切断", "通信切断", "通信切れ", "回線切断", "切断", "disconnect", "disconnected",
];

/// Words for an illegal move of the side to move.
#[rustfmt::skip]
const ILLEGAL_MOVES: [&str; 11] = [
    "反則", "反則手", "二歩", "打ち歩詰め", "打ち歩詰", "打歩詰", "王手放置", "二手指し", "行き所のない駒",
    "illegal", "illegal-move",
];

/// Words that are read as 中断. The word itself becomes a comment.
const INTERRUPTIONS: [&str; 2] = ["封じ手", "待った"];

/// The word for an interruption other than 中断 in a text.
fn interruption(text: &str) -> Option<&'static str> {
    INTERRUPTIONS.into_iter().find(|word| text.contains(word))
}

/// Whether a text may be the word for an ending, and is not a move with a mistake.
fn is_word(text: &str) -> bool {
    let is_of_move = |letter: char| letter == '同' || is_digit(letter);
    text.starts_with(|letter: char| letter.is_alphabetic() && !is_of_move(letter))
}

/// The parts of the line `まで125手で先手の勝ち`: the moves, and what it says after them.
fn parts_of_sentence(text: &str) -> (Option<usize>, String) {
    let text: String = text.split_whitespace().collect();
    let first = [UNTIL, IN_ALL];
    let rest = first.into_iter().find_map(|word| text.strip_prefix(word));
    let rest = rest.unwrap_or(&text).trim_start_matches('、');
    let Some((number, behind)) = rest.split_once('手') else {
        return (None, rest.to_owned());
    };
    if number.is_empty() || !number.chars().all(is_digit) {
        return (None, rest.to_owned());
    }
    let link = ["にて", "で"];
    let words = link.into_iter().find_map(|link| behind.strip_prefix(link));
    let words = words.unwrap_or(behind).trim_start_matches('、');
    (number_of(number), words.to_owned())
}

/// The ending that the words of such a line tell; `None` if they say none.
fn ending_of_words(words: &str, position: &Position, illegal: Option<&str>) -> Option<Ending> {
    ending_of_word(words, position, illegal).or_else(|| ending_of_reason(words, position, illegal))
}

/// The ending of what a sentence says after the number of moves: who won, and why.
fn ending_of_reason(text: &str, position: &Position, illegal: Option<&str>) -> Option<Ending> {
    let side = position.side_to_move();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let word = |word: &str| ending_of_word(word, position, illegal);
    let winner = winner_named_in(text);
    if has(&["不戦勝", "不戦敗"]) {
        return Some(Ending::Forfeit { winner: winner? });
    }
    if has(&["連続王手"]) || has(&["千日手"]) && winner.is_some() {
        let loser = match (winner, position.rule_repetition()) {
            (Some(winner), _) => !winner,
            (None, Some(Repetition::Lose)) => side,
            (None, Some(Repetition::Win)) => !side,
            (None, _) => return word("千日手"),
        };
        return Some(Ending::PerpetualCheck { loser });
    }
    if has(&ILLEGAL_MOVES) {
        let is_won = winner? == side;
        return word(if is_won { "反則勝ち" } else { "反則負け" });
    }
    // The clock that has run out, or the connection that was lost, is that of the side to move.
    let of_side_to_move = |named: &str| match winner {
        Some(winner) if winner == side => Some(Ending::AdjudicatedWin { winner }),
        _ => word(named),
    };
    if has(&["時間切れ", "切れ負け", "タイムアップ"]) {
        return of_side_to_move("切れ負け");
    }
    if let Some(named) = DISCONNECTIONS.iter().find(|named| text.contains(*named)) {
        return of_side_to_move(named);
    }
    if winner.is_none() && has(&["千日手"]) {
        return word("千日手");
    }
    if winner.is_none() && has(&["持将棋", "引き分け"]) {
        return word("持将棋");
    }
    if has(&["入玉", "宣言"]) {
        return match winner {
            Some(winner) if winner != side => Some(Ending::AdjudicatedWin { winner }),
            _ => word("入玉勝ち"),
        };
    }
    let known = ["中断", "封じ手", "不詰", "詰み", "投了"];
    if let Some(known) = known.into_iter().find(|known| text.contains(known)) {
        return word(known);
    }
    let winner = winner?;
    if winner == side { Some(Ending::AdjudicatedWin { winner }) } else { word("投了") }
}

/// Whom a sentence such as `先手の反則により後手の勝ち` names as the winner: the last
/// side before the last word for a win, or the other side where that word is one for a loss.
fn winner_named_in(text: &str) -> Option<Color> {
    let named = |end: usize| {
        let found = |&(name, color)| Some((text[..end].rfind(name)?, color));
        let places = SIDES.iter().filter_map(found);
        places.max_by_key(|(place, _)| *place)
    };
    let won = text.rfind('勝');
    let lost = text.rfind('負').max(text.rfind('敗'));
    match (won, lost) {
        (Some(won), lost) if lost < Some(won) => named(won).map(|(_, color)| color),
        (_, Some(lost)) => named(lost).map(|(_, color)| !color),
        _ => None,
    }
}

/// The word of the last row of moves, with `side` to move; `None` for a record that does not say
/// how the game ended.
fn word_of_ending(ending: &Ending, side: Color) -> Option<&'static str> {
    Some(match ending {
        Ending::Checkmate => "詰み",
        Ending::Declaration => "入玉勝ち",
        Ending::Repetition => "千日手",
        Ending::PerpetualCheck { loser } if *loser != side => "反則勝ち",
        Ending::IllegalAction { .. } => "反則勝ち",
        Ending::PerpetualCheck { .. }
        | Ending::IllegalMove { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. } => "反則負け",
        Ending::MaxMoves | Ending::AdjudicatedDraw => "持将棋",
        Ending::TimeUp => "切れ負け",
        Ending::AdjudicatedWin { winner } if *winner == side => "反則勝ち",
        Ending::Resignation | Ending::AdjudicatedWin { .. } => "投了",
        Ending::Interrupted => "中断",
        Ending::NoMate => "不詰",
        Ending::Forfeit { winner } if *winner == side => "不戦勝",
        Ending::Forfeit { .. } => "不戦敗",
        Ending::Unfinished => return None,
    })
}

/// The last line of a game, `まで125手で先手の勝ち`, after as many `moves`. `names` are those of
/// the sides by [`Color::index`].
fn sentence_of_ending(
    ending: &Ending,
    side: Color,
    moves: usize,
    names: [&str; Color::NUM],
) -> Option<String> {
    let word = word_of_ending(ending, side)?;
    let [us, them] = [side, !side].map(|color| names[color.index()]);
    let what = match word {
        "投了" => format!("{them}の勝ち"),
        "切れ負け" => format!("時間切れにより{them}の勝ち"),
        "入玉勝ち" | "反則勝ち" | "反則負け" => format!("{us}の{word}"),
        _ => word.to_owned(),
    };
    Some(format!("まで{moves}手で{what}"))
}

/// Whether the word alone is read back as the ending.
fn is_exact(ending: &Ending) -> bool {
    match ending {
        Ending::IllegalMove { text } => text.is_empty(),
        Ending::PerpetualCheck { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. }
        | Ending::AdjudicatedWin { .. }
        | Ending::AdjudicatedDraw => false,
        _ => true,
    }
}

// --- Numbers and times ---

/// Parses the time of a move, the first one of the two; `None` without one. Some programs write
/// decimals.
///
/// # Errors
/// What is in the brackets cannot be read. It is returned.
fn parse_time(text: &str) -> Result<Option<Duration>, &str> {
    let Some(begin) = text.find(['(', '（']) else {
        return Ok(None);
    };
    let text = text[begin..].trim_start_matches(['(', '（']);
    let inside = text.split([')', '）']).next().unwrap_or_default();
    // Without these it is a remark.
    if !inside.contains([':', '/']) {
        return Ok(None);
    }
    let time = inside.split('/').next().unwrap_or_default();
    parse_clock(time).map(Some).ok_or(inside)
}

/// Parses `0:16` or `1:02:03`.
fn parse_clock(text: &str) -> Option<Duration> {
    let mut time = Duration::ZERO;
    for part in text.split(':') {
        time = possible(time.checked_mul(60)?.checked_add(parse_seconds(part.trim())?)?)?;
    }
    Some(time)
}

/// Writes a move's time and the player's so far.
fn time_text(time: Duration, total: Duration) -> String {
    let [time, total] = [time, total].map(|time| time.as_secs());
    let (hours, minutes) = (total / 3600, total / 60 % 60);
    format!("({:2}:{:02}/{hours:02}:{minutes:02}:{:02})", time / 60, time % 60, total % 60)
}

/// The value of a digit of either width: `1`, `１`.
fn digit(letter: char) -> Option<usize> {
    let zero = match letter {
        '0'..='9' => '0',
        '０'..='９' => '０',
        _ => return None,
    };
    Some(letter as usize - zero as usize)
}

/// Whether a character is a digit of either width.
fn is_digit(letter: char) -> bool {
    digit(letter).is_some()
}

/// The number that all digits of a text make; `None` without digits, and if it is too large.
fn number_of(text: &str) -> Option<usize> {
    let mut digits = text.chars().filter_map(digit).peekable();
    digits.peek()?;
    digits.try_fold(0_usize, |number, digit| number.checked_mul(10)?.checked_add(digit))
}

// --- Writing ---

/// The end of a line, as the programs of Windows write it.
const LINE_END: &str = "\r\n";

/// The width of a move in the rows of KIF and KI2, in columns.
const MOVE_WIDTH: usize = 12;

/// Moves in a line of KI2.
const MOVES_IN_LINE: usize = 6;

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A row for each move, with the square that it comes from and its time.
    Kif,
    /// Moves as books print them, without times.
    Ki2,
}

/// The text of a game. `encoding` is named in the first line of KIF.
pub fn write(record: &GameRecord, style: Style, encoding: &str) -> String {
    let mut writer = Writer {
        style,
        out: String::new(),
        names: side_names(&record.start),
        in_line: 0,
        last_width: 0,
        forks: Forks::of(record),
        walk: Walk::new(record.start.clone()),
    };
    if style == Style::Kif {
        writer.line(&format!("#KIF version=2.0 encoding={encoding}"));
    }
    writer.headings(record);
    if style == Style::Kif {
        writer.line("手数----指手---------消費時間--");
    }
    writer.remarks(&record.comments, record.bookmark.as_deref());
    writer.moves(record, &Line::of_game(record));
    writer.variations(record);
    writer.end_line();
    writer.out
}

/// What of a record the style has no room for, in words.
pub fn losses(record: &GameRecord, style: Style) -> Vec<String> {
    let mut losses = Vec::new();
    if record.ratings.iter().any(Option::is_some) {
        losses.push("ratings".to_owned());
    }
    let odd = record.headings.iter();
    let odd = odd.filter(|heading| !is_heading(heading, record));
    losses.extend(odd.map(|(name, _)| format!("the heading {}", shorten(name))));
    if style == Style::Ki2 && has_times(record) {
        losses.push("times".to_owned());
    } else if record.closing.time.is_some() && record.ending == Ending::Unfinished {
        losses.push("the time of an ending without a word".to_owned());
    }
    losses
}

/// The names of the sides: 下手 and 上手 where White gives a handicap.
pub fn side_names(start: &Position) -> [&'static str; Color::NUM] {
    match Handicap::of_position(start) {
        Some(handicap) if !handicap.is_even() => ["下手", "上手"],
        _ => ["先手", "後手"],
    }
}

struct Writer {
    style: Style,
    out: String,
    names: [&'static str; Color::NUM],
    /// Moves of KI2 in the line that is not ended.
    in_line: usize,
    /// Columns of the last of them.
    last_width: usize,
    forks: Forks,
    /// The position before the next move.
    walk: Walk,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.end_line();
        self.out += text;
        self.out += LINE_END;
    }

    /// Ends a line of KI2.
    fn end_line(&mut self) {
        if self.in_line > 0 {
            self.out += LINE_END;
            self.in_line = 0;
        }
    }

    fn heading(&mut self, name: &str, value: &str) {
        let [name, value] = [name, value].map(one_line);
        if !value.is_empty() {
            self.line(&format!("{name}：{value}"));
        }
    }

    fn headings(&mut self, record: &GameRecord) {
        self.heading("開始日時", record.started_at.as_deref().unwrap_or_default());
        self.heading("棋戦", &record.event);
        self.heading("持ち時間", record.time_limit.as_deref().unwrap_or_default());
        for heading in &record.headings {
            if is_heading(heading, record) {
                self.heading(&heading.0, &heading.1);
            }
        }
        let handicap = Handicap::of_position(&record.start);
        let is_first = record.start.game_ply() == 1;
        if let Some(handicap) = handicap.filter(|handicap| handicap.is_common && is_first) {
            self.heading("手合割", handicap.name);
        } else {
            self.heading("手合割", "その他");
            for line in diagram(&record.start) {
                self.line(&line);
            }
        }
        let names = self.names;
        for (name, player) in names.into_iter().zip(&record.players) {
            self.heading(name, player);
        }
    }

    fn remarks(&mut self, comments: &[String], bookmark: Option<&str>) {
        for comment in comments {
            self.line(&format!("*{}", no_controls(comment)));
        }
        if let Some(bookmark) = bookmark {
            self.line(&format!("&{}", one_line(bookmark)));
        }
    }

    /// Writes the rows of a line.
    fn moves(&mut self, record: &GameRecord, line: &Line<'_>) {
        self.walk.go_to(&line.before);
        let mut totals = line.totals;
        let mut last = line.before.last().map(|mv| mv.to());
        let mut number = line.before.len() + 1;
        let mut side = self.walk.position().side_to_move();
        for recorded in line.moves {
            let has_fork = self.has_fork(record, number - 1, line.index);
            match self.style {
                Style::Kif => {
                    let total = &mut totals[side.index()];
                    *total = total.saturating_add(recorded.time.unwrap_or_default());
                    let time = recorded.time.map(|time| time_text(time, *total));
                    let text = japanese::with_origin(recorded.mv, last);
                    self.row(number, &text, time, has_fork);
                }
                Style::Ki2 => {
                    let text = japanese::with_mark(self.walk.position(), recorded.mv, last);
                    self.move_in_line(&text);
                }
            }
            self.remarks(&recorded.comment_lines(), recorded.bookmark.as_deref());
            self.walk.push(recorded.mv);
            last = Some(recorded.mv.to());
            number += 1;
            side = !side;
        }
        let has_fork = self.has_fork(record, number - 1, line.index);
        self.ending(line, side, number, totals[side.index()], has_fork);
    }

    /// Writes how a line ends. `has_fork`: another line goes on where this one ends.
    fn ending(
        &mut self,
        line: &Line<'_>,
        side: Color,
        number: usize,
        total: Duration,
        has_fork: bool,
    ) {
        let Some(ending) = line.ending else {
            return self.remarks(&line.closing.comment_lines(), None);
        };
        if let Some(word) = word_of_ending(ending, side)
            && self.style == Style::Kif
        {
            let time = line.closing.time;
            let time = time.map(|time| time_text(time, total.saturating_add(time)));
            self.row(number, word, time, has_fork);
        }
        let sentence = sentence_of_ending(ending, side, number - 1, self.names);
        if let Some(sentence) = sentence.as_ref().filter(|_| self.style == Style::Ki2) {
            self.line(sentence);
        }
        if !is_exact(ending) {
            let text = match ending {
                Ending::AdjudicatedDraw => Ending::JAPANESE_DRAW.to_owned(),
                ending => one_line(&ending.to_string()),
            };
            self.line(&format!("*{text}"));
        }
        if *ending == Ending::Unfinished {
            // As a comment the time would be read as that of the last move.
            return self.remarks(&line.closing.comments, None);
        }
        self.remarks(&line.closing.comment_lines(), None);
        if let Some(sentence) = sentence.filter(|_| self.style == Style::Kif) {
            self.line(&sentence);
        }
    }

    /// Whether a line that is written later has another move after as many `moves` than the
    /// variation `own`, or the game.
    fn has_fork(&self, record: &GameRecord, moves: usize, own: Option<usize>) -> bool {
        let variation = own.and_then(|own| record.variations.get(own));
        match variation.filter(|variation| variation.after == moves) {
            Some(variation) => {
                let others = self.forks.at(variation.parent, moves);
                others.iter().any(|&other| Some(other) > own)
            }
            None => !self.forks.at(own, moves).is_empty(),
        }
    }

    /// Writes a row of KIF.
    fn row(&mut self, number: usize, text: &str, time: Option<String>, has_fork: bool) {
        let mut row = format!("{number:4} {text}");
        if let Some(time) = time {
            row += &" ".repeat(MOVE_WIDTH.saturating_sub(columns(text)) + 1);
            row += &time;
        }
        if has_fork {
            row.push('+');
        }
        self.line(&row);
    }

    fn move_in_line(&mut self, text: &str) {
        if self.in_line > 0 {
            self.out += &" ".repeat(MOVE_WIDTH.saturating_sub(self.last_width).max(1));
        }
        self.out += text;
        self.in_line += 1;
        self.last_width = columns(text);
        if self.in_line == MOVES_IN_LINE {
            self.end_line();
        }
    }

    /// Writes the variations so that each can be found by going back from the one before it: those
    /// of a line from its end on, each followed by its own.
    fn variations(&mut self, record: &GameRecord) {
        // A stack, whose top is written next.
        let mut waiting: Vec<usize> = self.forks.of_line(None).collect();
        waiting.reverse();
        while let Some(index) = waiting.pop() {
            self.end_line();
            self.out += LINE_END;
            self.line(&format!("変化：{}手", record.variations[index].after + 1));
            self.moves(record, &Line::of_variation(record, index));
            let begin = waiting.len();
            waiting.extend(self.forks.of_line(Some(index)));
            waiting[begin..].reverse();
        }
    }
}

/// Whether the line of a heading is read back as that heading, and has no other meaning.
fn is_heading((name, value): &(String, String), record: &GameRecord) -> bool {
    if name == "持ち時間" {
        return record.time_limit.is_none();
    }
    let [name, value] = [name, value].map(|text| one_line(text));
    let again = read(&format!("手合割：平手\n{name}：{value}\n"));
    again.is_ok_and(|game| game.headings == [(name, value)] && game.omissions.is_empty())
}

/// Whether the record has the time of a move or of an ending.
fn has_times(record: &GameRecord) -> bool {
    let lines = record.variations.iter();
    let lines = lines.map(|line| (&line.moves, &line.closing));
    lines.chain([(&record.moves, &record.closing)]).any(|(moves, closing)| {
        closing.time.is_some() || moves.iter().any(|played| played.time.is_some())
    })
}

/// The columns that a text takes, two for each character that is not ASCII.
fn columns(text: &str) -> usize {
    text.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum()
}

/// The text with control characters replaced by spaces, without blanks around it.
fn one_line(text: &str) -> String {
    no_controls(text).trim().to_owned()
}

/// The text in one line. Tabs stay: comments have them.
fn no_controls(text: &str) -> String {
    text.replace(|letter: char| letter.is_control() && letter != '\t', " ")
}
