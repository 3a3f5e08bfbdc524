//! An analysed game as a table in the terminal.

use std::io::{self, Write};

use crate::analysis::{Class, PlayerSummary, Review};
use crate::cli::output;
use crate::lang::{Lang, cut, left, right, width};
use crate::records::game::GameRecord;
use crate::types::{Color, Score};

/// Columns of a move.
const MOVE_WIDTH: usize = 12;
/// Moves of the best line that the table shows.
const LINE_MOVES: usize = 5;

/// Prints the moves and the summary of both players.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn print(
    record: &GameRecord,
    review: &Review,
    title: Option<&str>,
    with_moves: bool,
    lang: Lang,
) -> io::Result<()> {
    let mut out = output::stdout();
    if let Some(title) = title {
        writeln!(out, "{title}")?;
    }
    if with_moves {
        print_moves(record, review, lang, &mut out)?;
    }
    print_summary(record, review, lang, &mut out)
}

/// Columns of the moves' table up to the judgement, and of a judgement.
const WIDTHS: [usize; 6] = [4, MOVE_WIDTH, 7, 8, 6, 5];
const JUDGEMENT_WIDTH: usize = 10;
/// Columns of a player's name.
const NAME_WIDTH: usize = 22;

fn print_moves(
    record: &GameRecord,
    review: &Review,
    lang: Lang,
    out: &mut impl Write,
) -> io::Result<()> {
    let headings = [
        lang.column_ply(),
        lang.column_move(),
        lang.column_time(),
        lang.column_score(),
        lang.column_chance(),
        lang.column_loss(),
    ];
    writeln!(
        out,
        "{}",
        row(&headings, &lang.column_judgement(), &lang.column_line())
    )?;
    let mut position = record.start.clone();
    for (index, played) in record.moves.iter().enumerate() {
        let judgement = &review.judgements[index];
        let best = &review.positions[index];
        let mv = lang.mv(&position, played.mv);
        let mut line = best
            .lines
            .first()
            .map_or_else(Vec::new, |line| line.moves(&position));
        line.truncate(LINE_MOVES);
        let line = lang.line(&position, &line);
        position.do_move(played.mv);
        let after = &review.positions[index + 1];
        let time = played
            .time
            .map_or_else(String::new, |time| clock(time.as_secs()));
        let loss = if judgement.loss > 0.0 {
            format!("{:.1}", 100.0 * judgement.loss)
        } else {
            String::new()
        };
        let score = after.score_for_black(position.side_to_move());
        let cells = [
            (index + 1).to_string(),
            mv,
            time,
            score_text(score, lang),
            format!("{:.1}", 100.0 * review.chances[index + 1]),
            loss,
        ];
        let word = word(judgement.class, judgement.missed_mate, lang);
        writeln!(out, "{}", row(&cells, &word, &line))?;
    }
    writeln!(out)
}

/// A row: all cells but the move end at their right edge.
fn row(cells: &[String; WIDTHS.len()], judgement: &str, line: &str) -> String {
    let mut row = String::new();
    for (index, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        if index > 0 {
            row.push_str("  ");
        }
        row.push_str(&match width {
            MOVE_WIDTH => left(cell, width),
            _ => right(cell, width),
        });
    }
    let row = format!("{row}  {}  {line}", left(judgement, JUDGEMENT_WIDTH));
    row.trim_end().to_owned()
}

fn print_summary(
    record: &GameRecord,
    review: &Review,
    lang: Lang,
    out: &mut impl Write,
) -> io::Result<()> {
    let headings = [
        lang.column_moves(),
        lang.column_agreement(),
        lang.column_mean_loss(),
        lang.column_doubtful(),
        lang.column_blunders(),
        lang.column_missed_mates(),
        lang.column_time_used(),
    ];
    let widths = headings.clone().map(|heading| width(&heading).max(6));
    let line = |name: &str, cells: &[String]| {
        let mut line = left(cut(name, NAME_WIDTH), NAME_WIDTH);
        for (cell, width) in cells.iter().zip(widths) {
            line += &right(cell, width + 2);
        }
        line
    };
    writeln!(out, "{}", line(&lang.column_player(), &headings))?;
    for color in Color::ALL {
        let PlayerSummary {
            moves,
            doubtful,
            blunders,
            missed_mates,
            agreement,
            mean_loss,
            mean_centipawn_loss,
            time,
            ..
        } = review.players[color.index()];
        let side = if color == Color::Black { "☗" } else { "☖" };
        let name = format!("{side} {}", record.players[color.index()]);
        let cells = [
            moves.to_string(),
            format!("{:.0} %", 100.0 * agreement),
            format!("{mean_centipawn_loss:.0} {:7.1}", 100.0 * mean_loss),
            doubtful.to_string(),
            blunders.to_string(),
            missed_mates.to_string(),
            clock(time.as_secs()),
        ];
        writeln!(out, "{}", line(&name, &cells))?;
    }
    writeln!(out)
}

fn word(class: Class, missed_mate: Option<i32>, lang: Lang) -> String {
    match (missed_mate, class) {
        (Some(plies), _) => lang.missed_mate(plies),
        (None, Class::Best) => lang.is_best(),
        (None, Class::Good) => String::new(),
        (None, Class::Doubtful) => lang.is_doubtful(),
        (None, Class::Blunder) => lang.is_blunder(),
    }
}

fn score_text(score: Score, lang: Lang) -> String {
    match score {
        Score::Cp(centipawns) => format!("{centipawns:+}"),
        Score::Mate(0) => lang.mated(),
        Score::Mate(plies) => lang.mate_score(plies),
    }
}

fn clock(seconds: u64) -> String {
    if seconds >= 3600 {
        format!(
            "{}:{:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )
    } else {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}
