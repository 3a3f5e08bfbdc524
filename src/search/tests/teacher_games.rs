//! Long runs of short games at fixed depth from one start position with a small table, as for
//! teacher data. In 2018 such runs of `YaneuraOu` slowed down to a halt: a wrong value that a key
//! collision had brought into the table was found in every later game. These tests can disable the
//! key check, and search probe positions before each game to detect a wrong value that stays.

use std::{collections::HashSet, sync::Arc};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::{Decision, Generations, Searcher, Settings};
use super::{events, lines_and_decision, position, to_depth};
use crate::types::value::{MATE_IN_MAX_PLY, MAX_PLY, PAWN_VALUE};
use crate::types::{Depth, Score};
use crate::{movegen::legal_moves, position::Position, transposition::TranspositionTable};

/// Probe positions: a middle game, and mates in three.
const PROBES: [&str; 4] = [
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42",
    "l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50",
    "1+P1gkg2l/2s3s+P1/3ppp2p/P1p2npp1/l2N1+b3/3KP1P2/N2P1PS1P/2+p1G2R1/L1+r3sNL w Pbgp 58",
];
const PROBE_DEPTH: Depth = 5;
const OPENING_PLIES: usize = 6;
/// A game ends after this many searched plies, or at a score of this many centipawns.
const GAME_PLIES: usize = 20;
const DECIDED: i32 = 1000;
/// How the table checks keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// The whole key, as usual.
    Whole,
    /// Not at all: most entries found belong to other positions.
    None,
}

/// Score, decision and node count of a search.
type Found = (Score, Decision, u64);

/// One game, and the searches of the probe positions before it.
#[derive(Clone, PartialEq, Debug)]
struct Game {
    probes: [Found; PROBES.len()],
    plies: usize,
    nodes: u64,
}

/// A run of games with one searcher.
struct Run {
    searcher: Searcher,
    settings: Settings,
    depth: Depth,
    /// Whether each game starts with a cleared table and histories, as it should.
    prepares: bool,
}

impl Run {
    fn new(generations: Generations, check: Check, depth: Depth, prepares: bool) -> Self {
        let settings = Settings { hash_mb: 1, generations, ..Settings::default() };
        let mut table = TranspositionTable::new(1).expect("memory for a table of 1 MB");
        if check == Check::None {
            table = table.without_key_check();
        }
        let mut searcher = Searcher::new();
        searcher.replace_table(Arc::new(table));
        Self { searcher, settings, depth, prepares }
    }

    /// A new searcher with the same table and empty histories.
    fn successor(&self) -> Self {
        let mut searcher = Searcher::new();
        searcher.replace_table(Arc::clone(self.searcher.table()));
        Self { searcher, settings: self.settings.clone(), ..*self }
    }

    fn search(&mut self, position: &Position, depth: Depth) -> Found {
        let events = events(&mut self.searcher, position, to_depth(depth), &self.settings);
        let (infos, decision) = lines_and_decision(events);
        for info in &infos {
            assert_in_range(info.score);
        }
        let score = infos.last().map_or(Score::Mate(0), |info| info.score);
        (score, decision, self.searcher.statistics().nodes)
    }

    fn probes(&mut self) -> [Found; PROBES.len()] {
        PROBES.map(|sfen| self.search(&position(sfen), PROBE_DEPTH))
    }

    /// Plays the game of a number, which determines its opening.
    fn play(&mut self, number: u64) -> Game {
        if self.prepares {
            let ready = self.searcher.prepare(&self.settings);
            ready.expect("the table is there");
        }
        let mut game = Game { probes: self.probes(), plies: 0, nodes: 0 };
        let mut position = opening(number);
        while game.plies < GAME_PLIES {
            let (score, decision, nodes) = self.search(&position, self.depth);
            game.plies += 1;
            game.nodes += nodes;
            match (score, decision) {
                (Score::Cp(score), Decision::Move { best, .. }) if score.abs() < DECIDED => {
                    assert!(legal_moves(&position).contains(&best));
                    position.do_move(best);
                }
                _ => break,
            }
        }
        game
    }
}

fn assert_in_range(score: Score) {
    let is_possible = match score {
        Score::Cp(centipawns) => centipawns.abs() <= MATE_IN_MAX_PLY * 100 / PAWN_VALUE,
        Score::Mate(plies) => plies.unsigned_abs() as usize <= MAX_PLY,
    };
    assert!(is_possible, "{score:?}");
}

/// The position after random moves.
fn opening(number: u64) -> Position {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let mut position = Position::startpos();
    for _ in 0..OPENING_PLIES {
        let moves = legal_moves(&position);
        if moves.is_empty() {
            break;
        }
        position.do_move(moves[random.random_range(0..moves.len())]);
    }
    position
}

/// Plays `count` games; each tenth of them repeats the openings of the first tenth. Games and probe
/// searches must not change.
fn strict_games_stay_as_they_are(count: u64, depth: Depth, check: Check) {
    let fresh = Run::new(Generations::Strict, check, depth, true).probes();
    let mut run = Run::new(Generations::Strict, check, depth, true);
    let mut first_tenth = Vec::new();
    for number in 0..count {
        let tenth = (count / 10) as usize;
        let game = run.play(number % tenth as u64);
        assert_eq!(game.probes, fresh, "game {number}");
        if first_tenth.len() < tenth {
            first_tenth.push(game);
        } else {
            assert_eq!(game, first_tenth[number as usize % tenth], "game {number}");
        }
    }
    let plies: HashSet<usize> = first_tenth.iter().map(|game| game.plies).collect();
    assert!(plies.len() > 1, "the games differ");
}

#[test]
fn strict_games_neither_slow_down_nor_repeat_a_wrong_score() {
    strict_games_stay_as_they_are(25, 3, Check::Whole);
    strict_games_stay_as_they_are(25, 3, Check::None);
}

/// A long form of the test above, for minutes.
#[test]
#[ignore = "slow: thousands of games"]
fn thousands_of_strict_games_neither_slow_down_nor_repeat_a_wrong_score() {
    strict_games_stay_as_they_are(5_000, 4, Check::Whole);
    strict_games_stay_as_they_are(5_000, 4, Check::None);
}

/// Shows that these tests would detect the failure: with a table that is never cleared and does not
/// check keys, many games end at once, because their first positions are misjudged. Strict
/// generations alone prevent it.
#[test]
fn without_strict_games_come_to_nothing() {
    const GAMES: u64 = 30;
    let plies = |generations, check| {
        let mut run = Run::new(generations, check, 3, false);
        (0..GAMES).map(|number| run.play(number).plies).sum::<usize>()
    };
    let healthy = plies(Generations::All, Check::Whole);
    let ill = plies(Generations::All, Check::None);
    let cured = plies(Generations::Strict, Check::None);
    let percent = |plies: usize| plies * 100 / healthy;
    assert!(percent(ill) < 80, "{ill} plies instead of {healthy}");
    assert!(percent(cured) > 85, "{cured} plies instead of {healthy}");
}

/// Even if the table is never cleared, strict generations separate the searches.
#[test]
fn a_strict_search_depends_on_nothing_before_it() {
    let mut run = Run::new(Generations::Strict, Check::None, 4, false);
    for number in 0..3 {
        run.play(number);
        let expected = Run::new(Generations::Strict, Check::None, 4, false).play(100 + number);
        assert_eq!(run.successor().play(100 + number), expected);
    }
}

/// Searchers on several threads do not affect each other.
#[test]
fn many_searchers_at_once_find_the_same() {
    const SEARCHERS: usize = 4;
    let alone = Run::new(Generations::Strict, Check::Whole, 3, true).play(1);
    std::thread::scope(|scope| {
        for _ in 0..SEARCHERS {
            scope.spawn(|| {
                let mut run = Run::new(Generations::Strict, Check::Whole, 3, true);
                for _ in 0..3 {
                    assert_eq!(run.play(1), alone);
                }
            });
        }
    });
}
