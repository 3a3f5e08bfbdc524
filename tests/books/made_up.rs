//! Made-up books of any size, with transpositions and small loops, to measure the tools on.
//!
//! `RAICHO_BOOK=/tmp/made-up.db RAICHO_POSITIONS=1000000 cargo test --release --test integration \
//! books::made_up -- --ignored` writes one.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::packed::PackedSfen;
use raicho::types::{Move, MoveList};

use crate::common::Random;

/// Plies of a random game.
const PLIES: usize = 40;
/// One position in this many begins a loop of four plies.
const ONE_IN: usize = 12;
/// Moves of a position.
const MOVES: usize = 4;

/// Writes a book of random games until it has this many positions.
pub(crate) fn write(out: &mut impl Write, positions: usize, seed: u64) {
    let mut book = Writer { out, left: positions, seen: HashSet::new(), random: Random(seed) };
    writeln!(book.out, "#YANEURAOU-DB2016 1.00").expect("it can be written");
    while book.left > 0 {
        book.game();
    }
}

struct Writer<'a, W> {
    out: &'a mut W,
    left: usize,
    seen: HashSet<PackedSfen>,
    random: Random,
}

impl<W: Write> Writer<'_, W> {
    fn game(&mut self) {
        let mut position = Position::startpos();
        for ply in 0..PLIES {
            let moves = legal_moves(&position);
            if moves.is_empty() || self.left == 0 {
                return;
            }
            // Few choices at the beginning make transpositions.
            let choices = moves.len().min(2 + ply);
            let mv = moves[self.random.below(choices)];
            self.add(&position, &moves, mv);
            if self.random.one_in(ONE_IN) {
                self.add_loop(&mut position);
            }
            position.do_move(mv);
        }
    }

    fn add(&mut self, position: &Position, moves: &MoveList, first: Move) {
        if self.left == 0 || !self.seen.insert(PackedSfen::of(position)) {
            return;
        }
        self.left -= 1;
        writeln!(self.out, "sfen {}", position.to_sfen()).expect("it can be written");
        let mut listed = vec![first];
        while listed.len() < MOVES.min(moves.len()) {
            let mv = *self.random.choose(moves);
            if !listed.contains(&mv) {
                listed.push(mv);
            }
        }
        for mv in listed {
            let value = self.random.below(601) as i32 - 300;
            writeln!(self.out, "{mv} none {value} 20 1").expect("it can be written");
        }
    }

    /// Adds the positions of a loop: both sides make a move and take it back.
    fn add_loop(&mut self, position: &mut Position) {
        let mut made = Vec::new();
        for back in [false, false, true, true] {
            let moves = legal_moves(position);
            let mv = if back {
                let before: Move = made[made.len() - 2];
                let text = format!("{}{}", before.to(), before.from().expect("a board move"));
                moves.iter().copied().find(|mv| mv.to_string() == text)
            } else {
                let is_quiet = |mv: &Move| {
                    !mv.is_promotion()
                        && mv.from().is_some()
                        && position.piece_on(mv.to()).is_none()
                };
                let quiet: Vec<Move> = moves.iter().copied().filter(is_quiet).collect();
                (!quiet.is_empty()).then(|| *self.random.choose(&quiet))
            };
            let Some(mv) = mv else { break };
            if !made.is_empty() {
                self.add(position, &moves, mv);
            }
            position.do_move(mv);
            made.push(mv);
        }
        for _ in made {
            position.undo_move();
        }
    }
}

#[test]
#[ignore = "writes a large file, for measurements"]
fn made_up_book() {
    let path = std::env::var("RAICHO_BOOK").expect("RAICHO_BOOK names the file to write");
    let positions = std::env::var("RAICHO_POSITIONS").expect("RAICHO_POSITIONS is a number");
    let positions = positions.parse().expect("RAICHO_POSITIONS is a number");
    let mut out = BufWriter::new(File::create(path).expect("the file can be written"));
    write(&mut out, positions, 1);
    out.flush().expect("the file can be written");
}
