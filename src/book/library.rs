//! Several books in the order of their priority.

use std::cmp::Reverse;
use std::io;

use super::entry::BookMove;
use super::fault::BookFault;
use super::fault::Place;
use super::format::BookFormat;
use super::opened::Book;
use super::options::BookOptions;
use super::query::Query;
use super::rotate::rotated_moves;
use crate::position::Position;

/// Open books; the first that knows a position answers for it.
#[derive(Default, Debug)]
pub struct Library {
    books: Vec<Book>,
}

/// The moves of a position in one of the books.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// Index of the book.
    pub(super) book: usize,
    /// Whether the position was found with the sides exchanged.
    pub(super) is_flipped: bool,
    /// The moves, the most frequent first, then by value. Never empty.
    pub(super) moves: Vec<BookMove>,
}

impl Library {
    /// Takes books, the most important first.
    pub fn new(books: Vec<Book>) -> Self {
        Self { books }
    }

    /// The books.
    pub fn books(&self) -> &[Book] {
        &self.books
    }

    /// The moves of the first book that has some for the position.
    pub(super) fn find(
        &self,
        position: &Position,
        options: &BookOptions,
        faults: &mut Vec<BookFault>,
    ) -> Option<Found> {
        if self.books.is_empty() {
            return None;
        }
        let query = Query::new(position, options.ignores_ply);
        for (index, book) in self.books.iter().enumerate() {
            let (mut moves, is_flipped) = match look_up(book, &query, options) {
                Ok(found) => found,
                Err(error) => {
                    faults.push(BookFault::new(Place::File, error.into()));
                    continue;
                }
            };
            if !moves.is_empty() {
                moves.sort_by_key(|known| Reverse((known.count, known.value)));
                return Some(Found {
                    book: index,
                    is_flipped,
                    moves,
                });
            }
        }
        None
    }
}

/// The moves of a book for the position, or else for the same position with the sides exchanged,
/// and whether it is that one.
fn look_up(book: &Book, query: &Query, options: &BookOptions) -> io::Result<(Vec<BookMove>, bool)> {
    let moves = book.find(query)?;
    if !moves.is_empty() || !options.finds_flipped || book.format() == BookFormat::Bin {
        return Ok((moves, false));
    }
    Ok((rotated_moves(&book.find(&query.rotated())?), true))
}
