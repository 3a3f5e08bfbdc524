//! Random small problems, and their solutions by exhaustive methods.

use std::collections::HashMap;

use crate::movegen::legal_moves;
use crate::position::{Board, Position};

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    fn choose<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// A king, what attacks it, what stands around it, and hands.
pub(super) fn small_problem(random: &mut Random) -> Option<Position> {
    let mut board = vec![vec![String::new(); 9]; 9];
    let (file, rank) = (random.below(9), random.below(2));
    board[rank][file] = "k".to_owned();
    let mut put = |random: &mut Random, kinds: &[&str], reach: usize| {
        let near = |random: &mut Random, center: usize| {
            (center + random.below(2 * reach + 1))
                .checked_sub(reach)
                .filter(|&it| it < 9)
        };
        if let (Some(file), Some(rank)) = (near(random, file), near(random, rank))
            && board[rank][file].is_empty()
        {
            board[rank][file] = random.choose(kinds).to_owned();
        }
    };
    for _ in 0..=random.below(3) {
        put(
            random,
            &["R", "B", "G", "S", "+R", "+B", "+P", "L", "N", "P"],
            2,
        );
    }
    for _ in 0..2 + random.below(7) {
        put(random, &["p", "g", "s", "n", "l", "+p", "r", "b"], 1);
    }
    if random.below(3) == 0 {
        put(random, &["K"], 4);
    }
    let rows: Vec<String> = board
        .iter()
        .map(|row| {
            let cells = row
                .iter()
                .map(|cell| if cell.is_empty() { "1" } else { cell });
            cells.collect()
        })
        .collect();
    let mut hand = String::new();
    for _ in 0..=random.below(3) {
        hand += random.choose(&["G", "G", "S", "N", "P", "R", "B", "L"]);
    }
    for _ in 0..random.below(2) {
        hand += random.choose(&["p", "l", "n", "g", "r"]);
    }
    let hand = if hand.is_empty() { "-" } else { &hand };
    Position::from_sfen(&format!("{} b {hand} 1", rows.join("/"))).ok()
}

/// The solution of a problem.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Truth {
    /// The plies of the shortest mate.
    Mate(usize),
    NoMate,
    /// The problem has too many positions.
    TooLarge,
}

pub(super) fn oracle(position: &Position, most_positions: usize) -> Truth {
    let attacker = position.side_to_move();
    let mut current = position.clone();
    let mut index = HashMap::from([(position.key().low64(), 0)]);
    let mut boards: Vec<Board> = vec![position.board().clone()];
    let mut after: Vec<Vec<usize>> = Vec::new();
    while after.len() < boards.len() {
        current.set_up(boards[after.len()].clone(), 1);
        let is_attack = current.side_to_move() == attacker;
        let mut moves = Vec::new();
        for mv in legal_moves(&current) {
            if is_attack && !current.gives_check(mv) {
                continue;
            }
            current.do_move(mv);
            let next = *index.entry(current.key().low64()).or_insert_with(|| {
                boards.push(current.board().clone());
                boards.len() - 1
            });
            moves.push(next);
            current.undo_move();
        }
        after.push(moves);
        if boards.len() > most_positions {
            return Truth::TooLarge;
        }
    }
    let mut lengths: Vec<Option<usize>> = vec![None; boards.len()];
    for plies in 0.. {
        let mut has_any = false;
        let known = lengths.clone();
        for (here, moves) in after.iter().enumerate() {
            let is_attack = boards[here].side_to_move() == attacker;
            let is_mate = if is_attack {
                moves.iter().any(|&next| known[next].is_some())
            } else {
                moves.iter().all(|&next| known[next].is_some())
            };
            if known[here].is_none() && is_mate {
                lengths[here] = Some(plies);
                has_any = true;
            }
        }
        if !has_any {
            break;
        }
    }
    lengths[0].map_or(Truth::NoMate, Truth::Mate)
}

/// The shortest mate in at most `most` plies, by brute force.
pub(super) fn brute_force(position: &mut Position, most: usize) -> Option<usize> {
    (1..=most)
        .step_by(2)
        .find(|&plies| mates_within(position, plies))
}

fn mates_within(position: &mut Position, plies: usize) -> bool {
    legal_moves(position).into_iter().any(|attack| {
        if !position.gives_check(attack) {
            return false;
        }
        position.do_move(attack);
        let is_mate = legal_moves(position).into_iter().all(|defence| {
            position.do_move(defence);
            let is_mate = plies > 2 && mates_within(position, plies - 2);
            position.undo_move();
            is_mate
        });
        position.undo_move();
        is_mate
    })
}
