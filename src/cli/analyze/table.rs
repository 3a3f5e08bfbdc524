//! An analysed game as a table in the terminal.

use std::io::{self, Write};
use std::time::Duration;

use super::names;
use crate::analysis::{Class, Judgement, PlayerSummary, Review};
use crate::cli::output;
use crate::lang::{Lang, cut, left, printable, right, width};
use crate::records::game::{Ending, GameRecord};
use crate::types::{Color, Score};

/// Columns of a move.
const MOVE_WIDTH: usize = 12;
/// Moves of the best line that the table shows.
const LINE_MOVES: usize = 5;

/// Stands for what is unknown.
const UNKNOWN: &str = "-";

/// Prints the moves, how the game ended, and the summary of both players.
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
        writeln!(out, "{}", printable(title))?;
    }
    if with_moves {
        print_moves(record, review, lang, &mut out)?;
    }
    writeln!(out, "{}", end(record, lang))?;
    if with_moves {
        writeln!(out)?;
    }
    print_summary(record, review, lang, &mut out)
}

/// Columns of the moves' table up to the judgement, and the least of the judgements.
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
    let judgements = review.judgements.iter();
    let judgements: Vec<String> = judgements.map(|judgement| word(judgement, lang)).collect();
    let widths = judgements.iter().map(|judgement| width(judgement));
    let judgement_width = widths.fold(JUDGEMENT_WIDTH, usize::max);
    let heading = left(&lang.column_judgement(), judgement_width);
    writeln!(out, "{}", row(&headings, &heading, &lang.column_line()))?;
    let mut position = record.start.clone();
    for (index, played) in record.moves.iter().enumerate() {
        let judgement = &review.judgements[index];
        let best = &review.positions[index];
        let mv = lang.mv(&position, played.mv);
        let line = best.lines.first().map(|line| line.moves(&position));
        let mut line = line.unwrap_or_default();
        line.truncate(LINE_MOVES);
        let line = lang.line(&position, &line);
        position.do_move(played.mv);
        let after = &review.positions[index + 1];
        let loss = if judgement.loss > 0.0 {
            format!("{:.1}", 100.0 * judgement.loss)
        } else {
            String::new()
        };
        let is_last = index + 1 == record.moves.len();
        let score = if is_last && review.ends_by_rule && record.ending != Ending::Checkmate {
            UNKNOWN.to_owned()
        } else {
            score_text(after.score_for_black(position.side_to_move()), lang)
        };
        let cells = [
            (index + 1).to_string(),
            mv,
            clock(played.time),
            score,
            format!("{:.1}", 100.0 * review.chances[index + 1]),
            loss,
        ];
        let judgement = left(&judgements[index], judgement_width);
        writeln!(out, "{}", row(&cells, &judgement, &line))?;
    }
    Ok(())
}

/// How the game ended: `white wins after 96 moves (resignation)`.
fn end(record: &GameRecord, lang: Lang) -> String {
    let moves = lang.moves(record.moves.len());
    let ending = lang.ending(record.ending.name());
    match record.winner() {
        Some(winner) => {
            let side = lang.sides(&record.start)[winner.index()];
            lang.game_won(side, moves, ending)
        }
        None if record.ending.is_draw() => lang.game_drawn(moves, ending),
        None => lang.game_without_result(moves, ending),
    }
}

/// A row: all cells but the move end at their right edge. The judgement has its width already.
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
    let row = format!("{row}  {judgement}  {line}");
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
    let names = names(record, lang);
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
        let name = format!("{side} {}", printable(&names[color.index()]));
        let cells = [
            moves.to_string(),
            known(agreement, |agreement| format!("{:.0} %", 100.0 * agreement)),
            known(mean_loss.zip(mean_centipawn_loss), |(chance, centipawns)| {
                format!("{centipawns:.0} {:7.1}", 100.0 * chance)
            }),
            doubtful.to_string(),
            blunders.to_string(),
            missed_mates.to_string(),
            clock(time),
        ];
        writeln!(out, "{}", line(&name, &cells))?;
    }
    writeln!(out)
}

/// The judgement in words: `?!`, `?? mate 5`.
fn word(judgement: &Judgement, lang: Lang) -> String {
    let class = match judgement.class {
        Class::Best => lang.is_best(),
        Class::Good => String::new(),
        Class::Doubtful => lang.is_doubtful(),
        Class::Blunder => lang.is_blunder(),
    };
    let missed = judgement.missed_mate.map(|plies| lang.missed_mate(plies));
    format!("{class} {}", missed.unwrap_or_default()).trim().to_owned()
}

fn score_text(score: Score, lang: Lang) -> String {
    match score {
        Score::Cp(centipawns) => format!("{centipawns:+}"),
        Score::Mate(0) => lang.mated(),
        Score::Mate(plies) => lang.mate_score(plies),
    }
}

fn clock(time: Option<Duration>) -> String {
    known(time, |time| {
        let seconds = time.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 {
            format!("{hours}:{minutes:02}:{seconds:02}")
        } else {
            format!("{minutes}:{seconds:02}")
        }
    })
}

/// The text of a value, or that it is unknown.
fn known<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), text)
}
