//! Game records in CSA format, version 2.2 (`http://www2.computer-shogi.org/protocol/record_v22.html`).
//!
//! What the standard leaves open is written as most programs read it. The first line, a comment in 2.2, names the
//! encoding as version 3 does. Scores and lines stand in the comments of floodgate (`'** -35 -3334FU …`, from black's
//! point of view), which follow the move and its time. The standard has no word for every ending: `ending_words`
//! says what stands for what, and a comment after it says what really happened.
//!
//! There is a crate `csa` (1.0.2). It reads 24 of the 35 records that this reader is tested with: not those with an empty
//! `$END_TIME:` or without the spaces at the end of a rank. It leaves comments out, and with them ratings, scores and what
//! servers say of the end; it does not look at whether moves are legal, and its error names neither line nor reason.

mod comments;
mod reader;
mod setup;
mod summary;

use std::io::{self, Write};
use std::time::Duration;

use super::game::{Ending, GameRecord, RecordedMove, Thought};
use crate::position::{Position, START_SFEN};
use crate::types::{Color, File, Move, Piece, PieceType, Rank, Score, Square};

use comments::RATING_PREFIXES;
pub use reader::{CsaError, CsaFault, read};

/// The score in a comment that stands for a mate in no plies; one more ply is one less. Fits in 16 bits, because
/// readers store it so.
const MATE_SCORE: i32 = 32_000;

/// No other score is larger than this.
const LARGEST_SCORE: i32 = 30_000;

/// Writes the record.
///
/// # Errors
/// Only where `out` fails.
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

/// The move in the notation of CSA: `+7776FU`, `-0055FU` for a drop; the piece is the one after the move.
pub fn move_text(mv: Move) -> String {
    let from = mv.from().map_or_else(|| "00".to_owned(), square_text);
    let piece = mv.piece();
    let (sign, name) = (sign(piece.color()), piece_name(piece.kind()));
    format!("{sign}{from}{}{name}", square_text(mv.to()))
}

/// The word of the standard for an ending when it is the turn of `side`.
///
/// - A mate is `%TORYO`, as the servers record it: after `%TSUMI`, which the standard has too, some readers see a draw.
/// - The game at its longest is `%JISHOGI`, the draw that every reader knows; `%MAX_MOVES` is not in the standard.
/// - A foul of the side to move, and an engine that is gone, is `%ILLEGAL_MOVE`. Perpetual check may be the other side's
///   foul, which is an illegal action; some readers take those for the wrong side, so the word is used nowhere else.
/// - A decided game is `%TORYO` when the loser is to move. When the winner is, no word is true but `%CHUDAN`.
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

/// A line of a prefix and a text, nothing where the text is empty.
fn write_field(out: &mut impl Write, prefix: &str, text: &str) -> io::Result<()> {
    let text = one_line(text);
    if text.is_empty() {
        return Ok(());
    }
    writeln!(out, "{prefix}{text}")
}

/// The text without line breaks and other control characters, which would end or hide the line.
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

/// The comment of floodgate. A line that begins with another move is not about this one and is left out.
fn write_score(mv: Move, thought: &Thought, out: &mut impl Write) -> io::Result<()> {
    let Some(score) = thought.score else {
        return Ok(());
    };
    let for_mover = match score {
        Score::Cp(cp) => cp.clamp(-LARGEST_SCORE, LARGEST_SCORE),
        Score::Mate(plies) => {
            let distance = plies.saturating_abs().min(MATE_SCORE - LARGEST_SCORE - 1);
            (MATE_SCORE - distance) * if plies < 0 { -1 } else { 1 }
        }
    };
    let for_black = match mv.piece().color() {
        Color::Black => for_mover,
        Color::White => -for_mover,
    };
    write!(out, "'** {for_black}")?;
    if thought.pv.first() == Some(&mv) {
        for &expected in &thought.pv[1..] {
            write!(out, " {}", move_text(expected))?;
        }
    }
    writeln!(out)
}

/// What the format has no place for, in words.
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

const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

fn square_text(square: Square) -> String {
    format!("{}{}", square.file().index() + 1, square.rank().index() + 1)
}

fn piece_text(piece: Piece) -> String {
    format!("{}{}", sign(piece.color()), piece_name(piece.kind()))
}

const fn piece_name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "FU",
        PieceType::Lance => "KY",
        PieceType::Knight => "KE",
        PieceType::Silver => "GI",
        PieceType::Bishop => "KA",
        PieceType::Rook => "HI",
        PieceType::Gold => "KI",
        PieceType::King => "OU",
        PieceType::ProPawn => "TO",
        PieceType::ProLance => "NY",
        PieceType::ProKnight => "NK",
        PieceType::ProSilver => "NG",
        PieceType::Horse => "UM",
        PieceType::Dragon => "RY",
    }
}

#[cfg(test)]
mod tests;
