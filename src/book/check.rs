//! Finds the faults of entries that parse: illegal and repeated moves, order, second entries.

use super::entry::BookEntry;
use super::fault::{BookFault, EntryPlace, Problem};
use super::format::BookFormat;
use super::legal::legal_move;
use super::order::order_key;
use crate::position::Position;

/// Checks the entries of a book one after another.
#[derive(Debug)]
pub struct Checker {
    format: BookFormat,
    /// Key of the last entry, if the format has an order.
    last_key: Option<Vec<u8>>,
    /// Where moves are tried; keeps its allocations.
    position: Position,
}

impl Checker {
    /// A checker for the entries of a file of this format.
    pub fn new(format: BookFormat) -> Self {
        Self {
            format,
            last_key: None,
            position: Position::startpos(),
        }
    }

    /// Appends the faults of an entry and removes its bad moves. Returns whether the entry is worth
    /// keeping: it is no second one, and has a good move.
    pub fn check(
        &mut self,
        entry: &mut BookEntry,
        place: EntryPlace<'_>,
        faults: &mut Vec<BookFault>,
    ) -> bool {
        let mut add_at = |place, problem| faults.push(BookFault::new(place, problem));
        let mut add = |problem| add_at(place.entry, problem);
        let order = self.check_order(entry);
        let is_second = matches!(order, Some(Problem::SecondEntry));
        if let Some(problem) = order {
            add(problem);
        }
        let Ok(board) = entry.position.unpack_board() else {
            return false;
        };
        self.position.set_up(board, entry.ply.max(1));
        if entry.moves.is_empty() {
            add(Problem::NoMoves);
        }
        let mut kept = Vec::with_capacity(entry.moves.len());
        let mut places = (0..).map(|index| place.of_move(index));
        entry.moves.retain(|known| {
            let place = places.next().unwrap_or(place.entry);
            if legal_move(&self.position, known.mv).is_none() {
                let sfen = self.position.to_sfen();
                add_at(place, Problem::Illegal { mv: known.mv, sfen });
                return false;
            }
            if kept.contains(&known.mv) {
                add_at(place, Problem::SecondMove(known.mv));
                return false;
            }
            kept.push(known.mv);
            true
        });
        !is_second && !entry.moves.is_empty()
    }

    fn check_order(&mut self, entry: &BookEntry) -> Option<Problem> {
        let key = match self.format {
            BookFormat::Db => order_key(self.format, entry),
            // One entry for each position, whatever its ply.
            BookFormat::Ybb => entry.position.to_bytes().to_vec(),
            // The positions are not in the order of the file.
            BookFormat::Bin | BookFormat::Sbk => return None,
        };
        let last = self.last_key.replace(key.clone())?;
        match last.cmp(&key) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal => Some(Problem::SecondEntry),
            std::cmp::Ordering::Greater => Some(Problem::Order),
        }
    }
}
