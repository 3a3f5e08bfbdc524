//! The growth of small books, with results that need no search.

use super::leaves::leaves;
use super::*;
use crate::book::{BookEntry, BookMove};
use crate::makebook::think::{Task, Thought, ThoughtMove};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::packed::PackedSfen;
use crate::runs::Plan as _;

fn reach() -> Reach {
    Reach {
        user: User::Black,
        own: "1".parse().expect("a width"),
        other: "2,1".parse().expect("widths"),
        own_loss: 20,
        other_loss: 50,
        line_loss: 100,
        decided: 1000,
        plies: 10,
    }
}

/// A book of one position with moves and values.
fn book(entries: &[(&str, &[(&str, i32)])]) -> GrowingBook {
    let mut book = GrowingBook::default();
    for (line, moves) in entries {
        let position = position(line);
        let moves = moves.iter().map(|&(mv, value)| BookMove {
            mv: mv.parse().expect("a move"),
            ponder: None,
            value,
            depth: 1,
            count: 1,
        });
        book.add(BookEntry {
            position: PackedSfen::of(&position),
            ply: position.game_ply(),
            moves: moves.collect(),
        })
        .expect("a position");
    }
    book
}

fn position(moves: &str) -> Position {
    let line = format!("startpos moves {moves}");
    let line: crate::records::sfen_line::SfenLine = line.trim_end().parse().expect("a line");
    line.position()
}

/// The leaves as what each has lost and whether it is the position after one of `lines`.
fn found(book: &GrowingBook, reach: &Reach, lines: &[&str]) -> Vec<(i32, usize)> {
    let all = leaves(book, &[Position::startpos()], reach, 100);
    let place = |leaf: &Leaf| {
        let mut lines = lines.iter();
        let is_it = |line: &&str| PackedSfen::of(&position(line)) == leaf.task.position;
        (leaf.loss, lines.position(is_it).unwrap_or(usize::MAX))
    };
    all.iter().map(place).collect()
}

#[test]
fn an_empty_book_begins_with_its_roots() {
    assert_eq!(
        found(&GrowingBook::default(), &reach(), &["", "7g7f"]),
        [(0, 0)]
    );
}

#[test]
fn lines_are_followed_as_far_as_width_and_loss_allow() {
    let book = book(&[
        ("", &[("7g7f", 30), ("2g2f", 25)]),
        ("7g7f", &[("3c3d", -30), ("8c8d", -60), ("4a3b", -90)]),
    ]);
    let lines = ["7g7f 3c3d", "7g7f 8c8d", "7g7f 4a3b", "2g2f"];
    // Black plays its best move only, white its two best.
    let wide = Reach {
        other: "2".parse().expect("a width"),
        ..reach()
    };
    assert_eq!(found(&book, &wide, &lines), [(0, 0), (30, 1)]);
    // At the second ply white is given one move.
    assert_eq!(found(&book, &reach(), &lines), [(0, 0)]);
    let wider = Reach {
        own: "2".parse().expect("a width"),
        other: "9".parse().expect("a width"),
        ..reach()
    };
    // The third answer loses more than is allowed.
    assert_eq!(found(&book, &wider, &lines), [(0, 0), (5, 3), (30, 1)]);
    let white = Reach {
        user: User::White,
        ..wide.clone()
    };
    assert_eq!(found(&book, &white, &lines), [(0, 0), (5, 3)]);
    let decided = Reach {
        decided: 20,
        ..wider
    };
    assert_eq!(found(&book, &decided, &lines), []);
}

#[test]
fn transpositions_count_once_and_loops_end() {
    let book = book(&[
        ("", &[("7g7f", 0), ("2g2f", 0)]),
        ("7g7f", &[("3c3d", 0)]),
        ("2g2f", &[("3c3d", 0)]),
        ("7g7f 3c3d", &[("2g2f", 0)]),
        ("2g2f 3c3d", &[("7g7f", 0)]),
    ]);
    let wide = Reach {
        own: "9".parse().expect("a width"),
        ..reach()
    };
    assert_eq!(found(&book, &wide, &["7g7f 3c3d 2g2f"]), [(0, 0)]);
}

#[test]
fn widths_are_lists_of_numbers() {
    for text in ["", "0", "4,", "a", "1,0"] {
        assert!(text.parse::<Widths>().is_err(), "{text}");
    }
}

/// A search that takes no time: the first legal moves with values made of their bits.
fn quick(number: u64, task: &Task) -> Thought {
    let position = task.position.unpack(task.ply).expect("a position");
    let moves = legal_moves(&position).into_iter().take(4);
    Thought {
        number,
        position: position.board().to_sfen(),
        moves: moves
            .map(|mv| ThoughtMove {
                mv: mv.to_string(),
                reply: None,
                value: (mv.to_bits() % 61) as i32 - 30,
                depth: 1,
            })
            .collect(),
    }
}

/// Grows a book up to `until` positions, with `known` results, and returns all results.
fn grow(until: u64, known: Vec<Thought>, held_back: usize) -> (u32, Vec<Thought>) {
    let roots = [Position::startpos()];
    let reach = Reach {
        own: "2".parse().expect("a width"),
        ..reach()
    };
    let limits = GrowthLimits {
        batch: 5,
        positions: until,
    };
    let mut all = known.clone();
    let start = GrowingBook::default();
    let mut growth =
        Growth::new(start, &roots, &reach, limits, None, known, &|_, _| {}).expect("a growth");
    // Several pieces run at a time, and end in the opposite order.
    let mut running = Vec::new();
    loop {
        match growth.next().expect("a piece") {
            Some(piece) if running.len() < held_back => running.push(piece),
            next => {
                running.extend(next);
                let Some((number, task)) = running.pop() else {
                    break;
                };
                let thought = quick(number, &task);
                all.push(thought.clone());
                growth.keep((number, task), thought).expect("kept");
            }
        }
    }
    assert_eq!(growth.searched(), until);
    (growth.into_book().expect("a book").checksum(), all)
}

#[test]
fn the_book_depends_neither_on_interruptions_nor_on_the_number_of_threads() {
    let (whole, results) = grow(43, Vec::new(), 0);
    assert_eq!(results.len(), 43);
    assert_eq!(grow(43, Vec::new(), 3).0, whole);
    for done in [1, 5, 17, 42] {
        // Results are kept in the order in which searches end.
        let mut known = grow(43, Vec::new(), 3).1;
        known.truncate(done);
        assert_eq!(grow(43, known, 2).0, whole, "{done}");
        let (_, known) = grow(done as u64, Vec::new(), 1);
        assert_eq!(grow(43, known, 0).0, whole, "grown from {done}");
    }
}
