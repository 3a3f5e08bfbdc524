//! Repetition against a reference that reads the whole game, over games that shuffle.
//!
//! The texts: the rule is the fourth occurrence over the whole game, perpetual check if every move
//! of that side between the first and the fourth gave check. The search counts a second occurrence
//! after the root, and only the fourth before it; superior and inferior only after the root;
//! nothing across a null move.

use std::collections::HashMap;

use raicho::movegen::legal_moves;
use raicho::position::{Board, Position};
use raicho::types::{Color, Hand, Move, Repetition, Square};

use super::walk;
use crate::common::{MATSURI, Random, TWO_KINGS, position};

const STARTS: [&str; 9] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "4r3k/9/9/9/9/9/9/9/K4R3 b P 1",
    "lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1",
    "lr2+R2G1/6g1k/p3ppppp/2p1b4/9/2P+b4P/P+p3PPP1/4G1SK1/LN3+p1NL b 2SNLgsn3p 1",
    "8k/9/9/9/4R4/9/9/9/K8 b - 1",
    "k8/9/9/9/4r4/4R4/9/9/8K w - 1",
    "3rk4/9/9/9/9/9/9/9/4KR3 b 2P2p 1",
    "k8/1+p7/9/9/9/9/9/7+P1/8K b GSgs 1",
    "4k4/9/9/4+r4/9/4+R4/9/9/4K4 b Pp 1",
];

/// One position of the game, with what the rules ask about it.
#[derive(Clone)]
struct Seen {
    board: Board,
    /// Whether the move that led here gave check; nothing before the first move and after a null
    /// move.
    gave_check: Option<bool>,
}

impl Seen {
    fn hand(&self) -> Hand {
        self.board.hand(self.board.side_to_move())
    }

    /// Pieces and side to move, whatever the hands.
    fn same_board(&self, other: &Self) -> bool {
        let same_color = |color: Color| self.board.color(color) == other.board.color(color);
        let same_piece = |at: Square| self.board.piece_on(at) == other.board.piece_on(at);
        self.board.side_to_move() == other.board.side_to_move()
            && Color::ALL.into_iter().all(same_color)
            && Square::ALL.into_iter().all(same_piece)
    }
}

/// The verdict for the last position, which also stood at `first`.
fn verdict(game: &[Seen], first: usize) -> Repetition {
    let us = game[first].board.side_to_move();
    let always_checked = |color: Color| {
        let mut moves = game[first + 1..].iter();
        moves.all(|seen| seen.board.side_to_move() == color || seen.gave_check == Some(true))
    };
    match (always_checked(us), always_checked(!us)) {
        (true, false) => Repetition::Lose,
        (false, true) => Repetition::Win,
        _ => Repetition::Draw,
    }
}

/// The latest four occurrences of the last position, if it has as many from `start` on.
fn fourth(game: &[Seen], start: usize) -> Option<Repetition> {
    let now = game.last()?;
    let places = (start..game.len()).rev();
    let mut occurrences = places.filter(|&index| game[index].board == now.board);
    occurrences.nth(3).map(|first| verdict(game, first))
}

fn search(game: &[Seen], ply: usize) -> Option<Repetition> {
    let current = game.len() - 1;
    let now = &game[current];
    // Nothing across a null move: the position after the last one is the first that counts.
    let mut places = (1..game.len()).rev();
    let start = places.find(|&index| game[index].gave_check.is_none()).unwrap_or(0);
    let after_root = (start..current).rev().filter(|&index| current - index < ply);
    let same_board = after_root.filter(|&index| game[index].same_board(now));
    let same_board: Vec<usize> = same_board.collect();
    let mut occurrences = same_board.iter();
    if let Some(&second) = occurrences.find(|&&index| game[index].hand() == now.hand()) {
        return Some(verdict(game, second));
    }
    fourth(game, start).or_else(|| {
        same_board.iter().find_map(|&index| {
            if now.hand().dominates(game[index].hand()) {
                Some(Repetition::Superior)
            } else if game[index].hand().dominates(now.hand()) {
                Some(Repetition::Inferior)
            } else {
                None
            }
        })
    })
}

/// Verdicts that occurred: by the rule, and by the search.
#[derive(Default)]
struct Tally {
    rule: HashMap<Repetition, usize>,
    search: HashMap<Repetition, usize>,
    questions: usize,
}

fn compare(position: &Position, game: &[Seen], tally: &mut Tally, random: &mut Random) {
    if !game.iter().skip(1).any(|seen| seen.gave_check.is_none()) {
        let rule = position.rule_repetition();
        let ply = game.len();
        assert_eq!(rule, fourth(game, 0), "rule, ply {ply} {position:?}");
        if let Some(verdict) = rule {
            *tally.rule.entry(verdict).or_default() += 1;
        }
    }
    let far = game.len() + 3;
    let random = [random.below(far), random.below(far)];
    for ply in [0, 1, 4, 5, far, usize::MAX].into_iter().chain(random) {
        let judgement = position.search_repetition(ply);
        let expected = search(game, ply);
        assert_eq!(judgement, expected, "root {ply} plies back, {position:?}");
        if let Some(verdict) = judgement {
            *tally.search.entry(verdict).or_default() += 1;
        }
        tally.questions += 1;
    }
}

/// Chooses what repeats: what was chosen here before, the way back of the own last move, checks.
fn shuffling_move(
    position: &Position,
    moves: &[Move],
    own_last: Option<Move>,
    habits: &mut HashMap<u64, Move>,
    random: &mut Random,
) -> Move {
    // By the board alone, so that habits outlive a change of hands.
    let habit = habits.get(&position.board_key().low64()).copied();
    if let Some(habit) = habit.filter(|habit| moves.contains(habit) && !random.one_in(12)) {
        return habit;
    }
    let among = |keep: &dyn Fn(&Move) -> bool| -> Vec<Move> {
        moves.iter().copied().filter(|mv| keep(mv)).collect()
    };
    let back = among(&|mv| {
        own_last.is_some_and(|last| last.from() == Some(mv.to()) && mv.from() == Some(last.to()))
    });
    let checks = among(&|mv| position.gives_check(*mv));
    let kings_and_sliders = among(&|mv| !mv.is_drop() && mv.piece().kind().index() >= 5);
    let candidates = match random.below(20) {
        0..9 if !back.is_empty() => back,
        0..14 if !checks.is_empty() => checks,
        0..19 if !kings_and_sliders.is_empty() => kings_and_sliders,
        _ => moves.to_vec(),
    };
    let mv = *random.choose(&candidates);
    habits.insert(position.board_key().low64(), mv);
    mv
}

fn play(start: &str, seed: u64, nulls: bool, tally: &mut Tally) {
    let random = &mut Random(seed);
    let mut position = position(start);
    let mut game = vec![Seen { board: position.board().clone(), gave_check: Some(false) }];
    let mut made: Vec<Option<Move>> = Vec::new();
    let mut habits = HashMap::new();
    for _ in 0..150 {
        compare(&position, &game, tally, random);
        let moves = legal_moves(&position);
        if moves.is_empty() {
            break;
        }
        let gave_check = if nulls && !position.in_check() && random.one_in(25) {
            position.do_null_move();
            made.push(None);
            None
        } else {
            let own_last = made.len().checked_sub(2).and_then(|index| made[index]);
            let mv = shuffling_move(&position, &moves, own_last, &mut habits, random);
            position.do_move(mv);
            made.push(Some(mv));
            let us = position.side_to_move();
            let king = position.king(us);
            Some(king.is_some_and(|king| walk::is_attacked(position.board(), king, !us)))
        };
        game.push(Seen { board: position.board().clone(), gave_check });
    }
    // The way back asks the same questions of the same positions.
    while let Some(mv) = made.pop() {
        match mv {
            Some(_) => position.undo_move(),
            None => position.undo_null_move(),
        }
        game.pop();
        if random.one_in(4) {
            compare(&position, &game, tally, random);
        }
    }
}

#[test]
fn verdicts_equal_a_reading_of_the_whole_game() {
    let mut tally = Tally::default();
    for (index, start) in STARTS.iter().enumerate() {
        for game in 0..60 {
            play(start, (index as u64) << 32 | game, game % 3 == 0, &mut tally);
        }
    }
    println!("rule {:?}, search {:?}, {} questions", tally.rule, tally.search, tally.questions);
    for verdict in [Repetition::Draw, Repetition::Win, Repetition::Lose] {
        assert!(tally.rule.get(&verdict).is_some_and(|&count| count > 20));
    }
    for verdict in [Repetition::Superior, Repetition::Inferior] {
        assert!(!tally.rule.contains_key(&verdict));
        assert!(tally.search.get(&verdict).is_some_and(|&count| count > 20));
    }
}

/// More occurrences of a board than a byte counts: verdicts stay, and stay right on the way back.
#[test]
fn very_long_shuffles() {
    let mut position = Position::startpos();
    for ply in 0..2400 {
        assert_eq!(position.rule_repetition().is_some(), ply >= 12, "{ply}");
        let text = ["2h3h", "8b7b", "3h2h", "7b8b"][ply % 4];
        position.do_move(crate::common::legal_move(&position, text));
    }
    for ply in (0..2400).rev() {
        position.undo_move();
        assert_eq!(position.rule_repetition().is_some(), ply >= 12, "{ply}");
    }
    position.do_move(crate::common::legal_move(&position, "7g7f"));
    assert_eq!(position.search_repetition(usize::MAX), None);
}

/// Ordinary games hardly repeat: the filter must not invent anything.
#[test]
fn games_that_do_not_shuffle() {
    let mut tally = Tally::default();
    for start in [TWO_KINGS[0], MATSURI, TWO_KINGS[4]] {
        for seed in 0..10 {
            let random = &mut Random(seed);
            let mut position = position(start);
            let mut game = Vec::new();
            let mut gave_check = false;
            for _ in 0..200 {
                game.push(Seen { board: position.board().clone(), gave_check: Some(gave_check) });
                compare(&position, &game, &mut tally, random);
                let moves = legal_moves(&position);
                if moves.is_empty() {
                    break;
                }
                position.do_move(*random.choose(&moves));
                gave_check = position.in_check();
            }
        }
    }
    println!("{} questions", tally.questions);
}
