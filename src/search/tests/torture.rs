//! Searches in which most table entries belong to other positions: keys are reduced to a few bits,
//! the table has 1 MB, and sometimes it is filled with random entries. `audit.rs` checks every move
//! and value inside; these tests check lines, decision and ponder move from outside. Mate scores
//! need not be true.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::types::value::{
    MATE, MATE_IN_MAX_PLY, MAX_CENTIPAWNS, MAX_EVALUATION, MAX_PLY, REPETITION_WIN,
};
use crate::{search::tests::collisions::Collisions, types::Score};

/// Start positions: handicaps, endgames, full hands, missing kings, entered kings.
const STARTS: [&str; 12] = [
    START_SFEN,
    "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "l1+R5l/2pS5/p2pp+P1pp/2k3p2/2N4P1/PP2R1P1P/2+pPP1N2/2GSG1bs1/LN1K4L b 2GSNPbp 73",
    "9/l8/1N+Rsp4/p1pp4p/5pp2/Pk1PG3P/1B1GGP3/LL7/K1g1+b4 b 3PL2N4pn3sr 1",
    "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G 1",
    "1r7/4k4/9/9/9/9/9/9/4K4 w Pp2b 1",
];
/// Bits kept of each key, besides the side to move. With few, nearly all entries belong to other
/// positions; with more, entries live long enough for searches to build on them.
const KEY_BITS: [u32; 2] = [6, 10];

/// Counters of a series of searches.
#[derive(Debug, Default)]
struct Account {
    searches: u64,
    statistics: Statistics,
    found: u64,
    foreign: u64,
}

/// A searcher with reduced keys.
struct Torture {
    random: ChaCha8Rng,
    searcher: Searcher,
    settings: Settings,
    collisions: Arc<Collisions>,
    game: Position,
    account: Account,
}

impl Torture {
    fn new(threads: usize, key_bits: u32, seed: u64) -> Self {
        let collisions = Arc::new(Collisions::new(key_bits));
        let mut searcher = Searcher::new();
        searcher.collisions = Some(Arc::clone(&collisions));
        let settings = Settings { threads, hash_mb: 1, ..settings() };
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            searcher,
            settings,
            collisions,
            game: Position::startpos(),
            account: Account::default(),
        }
    }

    /// Runs searches of varied positions; histories and counter moves last for twelve of them.
    fn run(mut self, searches: u64) -> Account {
        for number in 0..searches {
            if number % 12 == 0 {
                self.new_game();
            }
            self.play_on();
            self.search();
        }
        self.account.searches = searches;
        (self.account.found, self.account.foreign) = self.collisions.counts();
        self.account
    }

    fn new_game(&mut self) {
        let prepared = self.searcher.prepare(&self.settings);
        prepared.expect("memory for a small table");
        if self.random.random_bool(0.5) {
            self.fill_table();
        }
        let start = STARTS[self.random.random_range(0..STARTS.len())];
        let is_random_play = self.random.random_bool(0.5);
        self.game = position(if is_random_play { START_SFEN } else { start });
        let plies = if is_random_play { 160 } else { 12 };
        for _ in 0..self.random.random_range(0..plies) {
            self.play_on();
        }
    }

    /// Makes a random move, if there is one.
    fn play_on(&mut self) {
        let moves = legal_moves(&self.game);
        if !moves.is_empty() {
            let mv = moves[self.random.random_range(0..moves.len())];
            self.game.do_move(mv);
        }
    }

    /// Stores a random entry under every key.
    fn fill_table(&mut self) {
        let collisions = Arc::clone(&self.collisions);
        for key in collisions.keys() {
            let entry = self.entry();
            store(self.searcher.table(), key, entry);
        }
    }

    fn entry(&mut self) -> Entry {
        let random = &mut self.random;
        let sign = if random.random_bool(0.5) { 1 } else { -1 };
        let value = match random.random_range(0..4) {
            0 => sign * random.random_range(MATE_IN_MAX_PLY..MATE),
            1 => sign * REPETITION_WIN,
            2 => sign * random.random_range(0..=MAX_EVALUATION),
            _ => sign * random.random_range(0..1000),
        };
        let bounds = [Bound::Upper, Bound::Lower, Bound::Exact];
        Entry {
            mv: Move16::from_bits(random.random_range(0..=u16::MAX)),
            value,
            eval: random.random_range(-2000..2000),
            depth: random.random_range(0..12),
            bound: bounds[random.random_range(0..bounds.len())],
            is_pv: random.random_bool(0.5),
        }
    }

    fn search(&mut self) {
        let moves = legal_moves(&self.game);
        self.settings.multi_pv = [1, 1, 1, 3][self.random.random_range(0..4)];
        let mut limits =
            Limits { nodes: Some(self.random.random_range(1..4000)), ..Limits::default() };
        if self.random.random_bool(0.2) {
            limits.search_moves = moves.iter().copied().step_by(3).collect();
        }
        if self.random.random_bool(0.1) {
            limits.depth = Some(self.random.random_range(1..7));
        }
        for event in events(&mut self.searcher, &self.game, limits, &self.settings) {
            check(&self.game, &event);
        }
        self.account.statistics.add(self.searcher.statistics());
    }
}

/// Checks lines, scores and the decision; a note would be a failed audit.
fn check(root: &Position, event: &Event) {
    let sfen = root.to_sfen();
    let rule = Settings::default().entering_king_rule;
    match event {
        Event::Info(info) => {
            check_line(root, &info.pv);
            let is_possible = match info.score {
                Score::Cp(centipawns) => centipawns.abs() <= MAX_CENTIPAWNS,
                Score::Mate(plies) => (1..=MAX_PLY as i32).contains(&plies.abs()),
            };
            assert!(is_possible, "{info:?} in {sfen}");
        }
        Event::CurrentMove(current) => check_line(root, &[current.mv]),
        Event::Note(note) => panic!("{note} in {sfen}"),
        Event::Done(Decision::Move { best, ponder }) => {
            let line: Vec<_> = [*best].into_iter().chain(*ponder).collect();
            check_line(root, &line);
        }
        Event::Done(Decision::Resign) => {
            assert!(legal_moves(root).is_empty(), "{sfen}");
        }
        Event::Done(Decision::Win) => assert!(root.declaration(rule).is_some()),
        Event::Done(Decision::Nothing) => panic!("nothing was pondered in {sfen}"),
    }
}

fn check_line(root: &Position, line: &[crate::types::Move]) {
    assert!(!line.is_empty());
    let mut position = root.clone();
    for mv in line {
        let is_legal = legal_moves(&position).contains(mv);
        assert!(is_legal, "{line:?} in {}", root.to_sfen());
        position.do_move(*mv);
    }
}

/// Checks that the test has an effect: most entries found belong to other positions, and many are
/// rejected.
fn check_account(account: &Account) {
    let refused = account.statistics.rejected;
    assert!(account.foreign > account.found / 2, "{account:?}");
    assert!(refused > account.found / 20, "{account:?}");
}

#[test]
fn collisions_do_no_harm() {
    for key_bits in KEY_BITS {
        for threads in [1, 3] {
            check_account(&Torture::new(threads, key_bits, 2021).run(150));
        }
    }
}

/// Prints the counters with `--nocapture`.
#[test]
#[ignore = "takes minutes"]
fn thousands_of_searches_in_collisions_do_no_harm() {
    for key_bits in KEY_BITS {
        for threads in [1, 2, 4] {
            let account = Torture::new(threads, key_bits, threads as u64).run(5000);
            check_account(&account);
            eprintln!("{key_bits} bits, {threads} threads: {account:?}");
        }
    }
}
