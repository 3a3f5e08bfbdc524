//! Random small problems, and their solutions by exhaustive methods.

use std::collections::HashMap;

use crate::position::{Board, Position};
use crate::{movegen::legal_moves, types::Move};

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
            (center + random.below(2 * reach + 1)).checked_sub(reach).filter(|&it| it < 9)
        };
        if let (Some(file), Some(rank)) = (near(random, file), near(random, rank))
            && board[rank][file].is_empty()
        {
            board[rank][file] = random.choose(kinds).to_owned();
        }
    };
    for _ in 0..=random.below(3) {
        put(random, &["R", "B", "G", "S", "+R", "+B", "+P", "L", "N", "P"], 2);
    }
    for _ in 0..2 + random.below(7) {
        put(random, &["p", "g", "s", "n", "l", "+p", "r", "b"], 1);
    }
    if random.below(3) == 0 {
        put(random, &["K"], 4);
    }
    let mut hand = String::new();
    for _ in 0..=random.below(3) {
        hand += random.choose(&["G", "G", "S", "N", "P", "R", "B", "L"]);
    }
    for _ in 0..random.below(2) {
        hand += random.choose(&["p", "l", "n", "g", "r"]);
    }
    from_rows(&board, &hand)
}

/// A king that sliders check from afar, with pieces of both sides around it and in hand: most
/// checks can be answered by interpositions.
pub(super) fn problem_of_sliders(random: &mut Random) -> Option<Position> {
    let mut board = vec![vec![String::new(); 9]; 9];
    board[random.below(2)][random.below(9)] = "k".to_owned();
    for _ in 0..=1 + random.below(2) {
        let kind = random.choose(&["R", "B", "+R", "+B", "L"]);
        board[random.below(7)][random.below(9)] = kind.to_owned();
    }
    for _ in 0..3 + random.below(8) {
        let kind = random.choose(&["p", "g", "s", "n", "l", "S", "G", "+P"]);
        let cell = &mut board[random.below(4)][random.below(9)];
        if cell.is_empty() {
            kind.clone_into(cell);
        }
    }
    let mut hand = String::new();
    for _ in 0..random.below(3) {
        hand += random.choose(&["G", "S", "R", "B", "L", "P"]);
    }
    for _ in 0..=1 + random.below(2) {
        hand += random.choose(&["p", "l", "n", "s", "g"]);
    }
    from_rows(&board, &hand)
}

fn from_rows(board: &[Vec<String>], hand: &str) -> Option<Position> {
    let rows: Vec<String> = board
        .iter()
        .map(|row| {
            let cells = row.iter().map(|cell| if cell.is_empty() { "1" } else { cell });
            cells.collect()
        })
        .collect();
    let hand = if hand.is_empty() { "-" } else { hand };
    Position::from_sfen(&format!("{} b {hand} 1", rows.join("/"))).ok()
}

/// The solution of a problem.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Truth {
    Mate,
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
    lengths[0].map_or(Truth::NoMate, |_| Truth::Mate)
}

/// Lengths from the definition, by exhaustive search. It remembers whether a position is a mate
/// within a number of plies.
#[derive(Default)]
pub(super) struct BruteForce {
    mates_within: HashMap<(u64, usize), bool>,
}

impl BruteForce {
    /// The length of the shortest mate in at most `most` plies against the longest defence without
    /// futile interpositions.
    pub(super) fn length(&mut self, position: &Position, most: usize) -> Option<usize> {
        (1..=most).step_by(2).find(|plies| self.mates_within(position, *plies))
    }

    fn mates_within(&mut self, position: &Position, plies: usize) -> bool {
        let key = (position.key().low64(), plies);
        if let Some(&known) = self.mates_within.get(&key) {
            return known;
        }
        let mut current = position.clone();
        let is_mate = legal_moves(position).into_iter().any(|attack| {
            current.do_move(attack);
            let is_mate = current.in_check() && self.defence(&current, plies - 1).is_some();
            current.undo_move();
            is_mate
        });
        self.mates_within.insert(key, is_mate);
        is_mate
    }

    /// The length of the longest defence, `None` where that is more than `most`.
    fn defence(&mut self, position: &Position, most: usize) -> Option<usize> {
        let mut position = position.clone();
        let mut interpositions = Vec::new();
        let mut longest = 0;
        for answer in legal_moves(&position) {
            position.do_move(answer);
            let left = most.checked_sub(2);
            let length = left.and_then(|left| self.length(&position, left + 1));
            position.undo_move();
            if answer.is_drop() {
                interpositions.push((length.map_or(usize::MAX, |length| length + 1), answer));
            } else {
                longest = longest.max(length? + 1);
            }
        }
        interpositions.sort_by_key(|(length, _)| *length);
        for (length, interposition) in interpositions {
            if length > longest && !self.is_futile(&position, interposition, longest) {
                if length == usize::MAX {
                    return None;
                }
                longest = length;
            }
        }
        Some(longest)
    }

    /// Whether the piece can be captured at once with check, and the mate goes on within `length`
    /// although nobody has it any more.
    fn is_futile(&mut self, position: &Position, interposition: Move, length: usize) -> bool {
        let mut position = position.clone();
        position.do_move(interposition);
        legal_moves(&position).into_iter().any(|capture| {
            if capture.to() != interposition.to() || !position.gives_check(capture) {
                return false;
            }
            let attacker = position.side_to_move();
            position.do_move(capture);
            let mut board = position.board().clone();
            position.undo_move();
            board.hand_mut(attacker).remove(interposition.piece().kind());
            let mut without = position.clone();
            without.set_up(board, 1);
            self.defence(&without, length).is_some()
        })
    }
}
