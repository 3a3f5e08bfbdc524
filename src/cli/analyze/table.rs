//! An analysed game as a table in the terminal.

use std::io::{self, Write};

use crate::analysis::{Class, PlayerSummary, Review};
use crate::cli::output;
use crate::lang::{Lang, left};
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
    print_summary(record, review, &mut out)
}

fn print_moves(
    record: &GameRecord,
    review: &Review,
    lang: Lang,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        " ply  move          time     score   win %   loss  {:<8}  best line",
        ""
    )?;
    let mut position = record.start.clone();
    for (index, played) in record.moves.iter().enumerate() {
        let judgement = &review.judgements[index];
        let best = &review.positions[index];
        let mv = left(&lang.mv(&position, played.mv), MOVE_WIDTH);
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
        let row = format!(
            "{:>4}  {mv} {time:>7}  {:>8}  {:>5.1}  {loss:>5}  {:<8}  {}",
            index + 1,
            score_text(after.score_for_black(position.side_to_move())),
            100.0 * review.chances[index + 1],
            word(judgement.class, judgement.missed_mate),
            line
        );
        writeln!(out, "{}", row.trim_end())?;
    }
    writeln!(out)
}

fn print_summary(record: &GameRecord, review: &Review, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<25} {:>6} {:>6}  {:>17}  {:>8}  {:>8}  {:>12}  {:>8}",
        "player",
        "moves",
        "best",
        "mean loss (cp, %)",
        "doubtful",
        "blunders",
        "missed mates",
        "time"
    )?;
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
        let name = &record.players[color.index()];
        let side = if color == Color::Black { "☗" } else { "☖" };
        writeln!(
            out,
            "{side} {} {moves:>6}  {:>3.0} %  {mean_centipawn_loss:>9.0} {:>7.1}  \
             {doubtful:>8}  {blunders:>8}  {missed_mates:>12}  {:>8}",
            left(&name.chars().take(22).collect::<String>(), 22),
            100.0 * agreement,
            100.0 * mean_loss,
            clock(time.as_secs())
        )?;
    }
    writeln!(out)
}

fn word(class: Class, missed_mate: Option<i32>) -> String {
    match (missed_mate, class) {
        (Some(plies), _) => format!("mate {plies}"),
        (None, Class::Best) => "best".to_owned(),
        (None, Class::Good) => String::new(),
        (None, Class::Doubtful) => "?!".to_owned(),
        (None, Class::Blunder) => "??".to_owned(),
    }
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(centipawns) => format!("{centipawns:+}"),
        Score::Mate(0) => "mate".to_owned(),
        Score::Mate(plies) => format!("mate {plies:+}"),
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
