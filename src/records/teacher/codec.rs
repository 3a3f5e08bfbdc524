//! What a format has to implement, and the checks and loops that several formats share.

use std::io::{self, BufRead, Write};

use super::fault::Fault;
use super::record::Record;
use super::span::{Skipped, Span};
use crate::position::{Board, Position};
use crate::records::sample::Sample;
use crate::types::{Color, EnteringKingRule, Move16};
use crate::util::read_up_to;

/// How one format is read and written.
pub(super) trait Codec: Sync {
    /// Reads the next record; `None` at the end of the input. `scratch` is a position that the
    /// codec may set up for its checks; it saves an allocation for each record.
    ///
    /// # Errors
    /// The input fails, or the record is invalid.
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault>;

    /// Reads past the next record, and returns what it holds; `None` at the end of the input.
    ///
    /// Faster than [`Self::read`] where the end of a record follows from its bytes alone, and then
    /// an invalid record is found only if its end is unknown.
    ///
    /// # Errors
    /// The input fails, or the record is invalid.
    fn skip_record(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Skipped>, Fault> {
        let record = self.read(input, scratch)?;
        let skipped = |record| Span::of_game(&record).map_or(Skipped::Position, Skipped::Game);
        Ok(record.map(skipped))
    }

    /// Writes a record and returns the number of positions written. The record has what the format
    /// needs: a format of games gets games, a format with scores gets samples, sums or games.
    ///
    /// # Errors
    /// The output fails.
    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64>;
}

// --- Reading ---

/// Reads a record of `N` bytes; `None` at the end of the input.
pub(super) fn read_record<const N: usize>(
    mut input: &mut dyn BufRead,
) -> Result<Option<[u8; N]>, Fault> {
    let mut bytes = [0; N];
    match read_up_to(&mut input, &mut bytes)? {
        0 => Ok(None),
        found if found < N => Err(Fault::Truncated { found, expected: N }),
        _ => Ok(Some(bytes)),
    }
}

/// Sets a position up and checks that it has both kings.
pub(super) fn set_up(position: &mut Position, board: Board, ply: u16) -> Result<(), Fault> {
    position.set_up(board, u32::from(ply.max(1)));
    check_kings(position)
}

/// Checks that both sides have a king.
pub(super) fn check_kings(position: &Position) -> Result<(), Fault> {
    let missing = Color::ALL
        .into_iter()
        .find(|&color| position.king(color).is_none());
    missing.map_or(Ok(()), |color| Err(Fault::NoKing { color }))
}

/// Checks that a best move is legal. None, stored as 0 `bits`, is valid if a win can be declared.
pub(super) fn check_move(position: &Position, mv: Option<Move16>, bits: u16) -> Result<(), Fault> {
    if bits == 0 {
        let can_declare = |rule| position.declaration(rule).is_some();
        return if EnteringKingRule::ALL.into_iter().any(can_declare) {
            Ok(())
        } else {
            let sfen = position.to_sfen();
            Err(Fault::NoMove { sfen })
        };
    }
    let possible = mv.and_then(|mv| position.to_move(mv));
    if possible.is_some_and(|mv| position.pseudo_legal(mv) && position.legal(mv)) {
        return Ok(());
    }
    Err(Fault::Move {
        text: mv.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
        sfen: position.to_sfen(),
    })
}

// --- Writing ---

/// Writes each sample of a record in a single call of `out`. A record of the format `name` is
/// copied.
pub(super) fn write_samples<const N: usize>(
    name: &str,
    record: &Record,
    out: &mut dyn Write,
    encode: impl Fn(&Sample) -> [u8; N],
) -> io::Result<u64> {
    if let Some(bytes) = record.source_bytes(name) {
        out.write_all(bytes)?;
        return Ok(1);
    }
    let mut written = Ok(0);
    record.for_each_sample(|sample| {
        if let Ok(count) = &mut written {
            *count += 1;
            if let Err(error) = out.write_all(&encode(sample)) {
                written = Err(error);
            }
        }
    });
    written
}

/// Writes each position of a record in a single call of `out`.
pub(super) fn write_positions<B: AsRef<[u8]>>(
    record: &Record,
    out: &mut dyn Write,
    encode: impl Fn(&Position) -> B,
) -> io::Result<u64> {
    let mut written = Ok(0);
    record.for_each_position(|position, ply| {
        // Never: the reader has checked it.
        let Ok(position) = position.unpack(u32::from(ply.max(1))) else {
            return;
        };
        if let Ok(count) = &mut written {
            *count += 1;
            if let Err(error) = out.write_all(encode(&position).as_ref()) {
                written = Err(error);
            }
        }
    });
    written
}
