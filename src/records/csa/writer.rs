//! Writes records.

use std::io::{self, Write};
use std::time::Duration;

use super::comments::{RATING_PREFIXES, black_score};
use super::notation::{move_text, piece_name, piece_text, sign};
use crate::position::{Position, START_SFEN};
use crate::records::game::{Ending, GameRecord, RecordedMove, Thought};
use crate::types::{Color, File, Move, PieceType, Rank, Square};

/// Writes a record.
///
/// # Errors
/// `out` fails.
pub fn write(record: &GameRecord, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "'CSA encoding=UTF-8\nV2.2")?;
    for (color, name) in Color::ALL.into_iter().zip(&record.players) {
        write_field(out, &format!("N{}", sign(color)), name)?;
    }
    write_field(out, "$EVENT:", &record.event)?;
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    write_field(out, "$START_TIME:", &optional(&record.started_at))?;
    write_field(out, "$TIME_LIMIT:", &optional(&record.time_limit))?;
    write_position(&record.start, out)?;
    for (index, prefix) in RATING_PREFIXES.into_iter().enumerate() {
        if let Some(rating) = record.ratings[index] {
            writeln!(
                out,
                "{prefix}{}:{rating:.1}",
                one_line(&record.players[index])
            )?;
        }
    }
    for recorded in &record.moves {
        write_move(recorded, out)?;
    }
    let side = record.side_to_move_at_end();
    writeln!(out, "{}", ending_words(&record.ending, side))?;
    writeln!(out, "'*{}", one_line(&record.ending.to_string()))
}

/// The word of the standard for an ending with `side` to move.
///
/// - Checkmate is `%TORYO`, as servers record it: some readers take the standard's `%TSUMI` for a
///   draw.
/// - The maximum length is `%JISHOGI`, the draw that every reader knows; `%MAX_MOVES` is not in the
///   standard.
/// - An illegal move and a disconnection of the side to move are `%ILLEGAL_MOVE`. If the other side
///   gave perpetual check, it is `%±ILLEGAL_ACTION`; some readers confuse its sides, so it has no
///   other use.
/// - An adjudicated win is `%TORYO` if the loser is to move, otherwise `%CHUDAN`, as no other word
///   fits.
fn ending_words(ending: &Ending, side: Color) -> &'static str {
    match ending {
        Ending::Resignation | Ending::Checkmate => "%TORYO",
        Ending::Declaration => "%KACHI",
        Ending::Repetition => "%SENNICHITE",
        Ending::PerpetualCheck { loser } if *loser != side => illegal_action(*loser),
        Ending::MaxMoves => "%JISHOGI",
        Ending::TimeUp => "%TIME_UP",
        Ending::PerpetualCheck { .. }
        | Ending::IllegalMove { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. } => "%ILLEGAL_MOVE",
        Ending::AdjudicatedWin { winner } if *winner != side => "%TORYO",
        Ending::AdjudicatedDraw => "%HIKIWAKE",
        Ending::AdjudicatedWin { .. } | Ending::Interrupted => "%CHUDAN",
    }
}

const fn illegal_action(by: Color) -> &'static str {
    match by {
        Color::Black => "%+ILLEGAL_ACTION",
        Color::White => "%-ILLEGAL_ACTION",
    }
}

/// Writes a line of a prefix and a text, or nothing if the text is empty.
fn write_field(out: &mut impl Write, prefix: &str, text: &str) -> io::Result<()> {
    let text = one_line(text);
    if text.is_empty() {
        return Ok(());
    }
    writeln!(out, "{prefix}{text}")
}

/// The text with control characters such as line breaks replaced by spaces.
fn one_line(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control(), " ");
    text.trim().to_owned()
}

fn write_position(start: &Position, out: &mut impl Write) -> io::Result<()> {
    let board_and_hands = |sfen: &str| {
        let fields = sfen.split(' ').map(str::to_owned);
        fields
            .enumerate()
            .filter(|&(index, _)| index == 0 || index == 2)
            .map(|(_, field)| field)
            .collect::<Vec<_>>()
    };
    if board_and_hands(&start.to_sfen()) == board_and_hands(START_SFEN) {
        writeln!(out, "PI")?;
    } else {
        for rank in Rank::ALL {
            write!(out, "P{}", rank.index() + 1)?;
            for file in File::ALL.into_iter().rev() {
                match start.piece_on(Square::new(file, rank)) {
                    None => write!(out, " * ")?,
                    Some(piece) => write!(out, "{}", piece_text(piece))?,
                }
            }
            writeln!(out)?;
        }
        for color in Color::ALL {
            write_hand(start, color, out)?;
        }
    }
    writeln!(out, "{}", sign(start.side_to_move()))
}

fn write_hand(start: &Position, color: Color, out: &mut impl Write) -> io::Result<()> {
    let hand = start.hand(color);
    if hand.is_empty() {
        return Ok(());
    }
    write!(out, "P{}", sign(color))?;
    for kind in PieceType::HAND.into_iter().rev() {
        for _ in 0..hand.count(kind) {
            write!(out, "00{}", piece_name(kind))?;
        }
    }
    writeln!(out)
}

fn write_move(recorded: &RecordedMove, out: &mut impl Write) -> io::Result<()> {
    let mv = recorded.mv;
    writeln!(out, "{}", move_text(mv))?;
    if let Some(time) = recorded.time {
        writeln!(out, "T{}", time.as_secs())?;
    }
    if let Some(thought) = &recorded.thought {
        write_score(mv, thought, out)?;
    }
    let figures = figures(recorded.thought.as_ref(), recorded.time);
    if figures.is_empty() {
        Ok(())
    } else {
        writeln!(out, "'*{}", figures.join(" "))
    }
}

/// Writes the score comment of floodgate. The variation is left out if it does not begin with the
/// move played.
fn write_score(mv: Move, thought: &Thought, out: &mut impl Write) -> io::Result<()> {
    let Some(score) = thought.score else {
        return Ok(());
    };
    let for_black = black_score(score, mv.piece().color());
    write!(out, "'** {for_black}")?;
    if thought.pv.first() == Some(&mv) {
        for &expected in &thought.pv[1..] {
            write!(out, " {}", move_text(expected))?;
        }
    }
    writeln!(out)
}

/// Depth, nodes and exact time, which the format has no fields for.
fn figures(thought: Option<&Thought>, time: Option<Duration>) -> Vec<String> {
    let depth = thought.and_then(|thought| thought.depth);
    let nodes = thought.and_then(|thought| thought.nodes);
    let texts = [
        depth.map(|depth| format!("depth {depth}")),
        nodes.map(|nodes| format!("nodes {nodes}")),
        time.map(|time| format!("time {:.3}s", time.as_secs_f64())),
    ];
    texts.into_iter().flatten().collect()
}
