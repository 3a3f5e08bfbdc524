//! What the tests of the rules share: positions to start from, seeded random playouts, corpora.

use std::fs;
use std::path::PathBuf;

use raicho::movegen::legal_moves;
use raicho::position::{Position, START_SFEN};
use raicho::types::Move;

/// A position of a festival of captures and drops, known from perft tables.
pub(crate) const MATSURI: &str =
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
/// 593 legal moves.
pub(crate) const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";

/// Positions with both kings, of every kind: openings, handicaps, many drops, many promotions, few
/// pieces, entering kings.
pub(crate) const TWO_KINGS: [&str; 12] = [
    START_SFEN,
    MATSURI,
    MOST_MOVES,
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1",
    "5k3/1P2P2P1/2L3L2/1n5n1/9/1N5N1/2l3l2/1p2p2p1/3K5 b RB2GSrb2gs 1",
    "8k/+P+B+R+S+N+L+P2/9/9/9/9/9/2+p+l+n+s+r+b+p/K8 b 2GSNL7P2gsnl7p 1",
    "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1",
    "4r3k/9/9/9/9/9/9/9/K4R3 b P 1",
    "l2kg2+R1/4n3+L/p1gpps3/4np3/6P1N/PP+rP2pS1/1pG2P3/4P1G2/LN3KB1+p b SPbsl4p 1",
];

/// Problems: one king, or none.
pub(crate) const FEWER_KINGS: [&str; 7] = [
    "lpg6/3s2R2/1kpppp3/p8/9/P8/2N6/9/9 b BGNrb2g3s2n3l10p 1",
    "7nl/5S1k1/6ppp/9/9/9/9/9/9 b 2RG2b3g3s3n3l15p 1",
    "9/9/9/9/9/9/ppp5K/3r5/2S6 w BGSrb2g2s4n4l15p 1",
    "4k4/9/4P4/9/9/9/9/9/9 b G 1",
    "9/9/9/9/9/9/9/9/9 b - 1",
    "9/9/9/9/9/9/9/9/9 w 2R2B4G4S4N4L18P 1",
    "lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
];

/// [`TWO_KINGS`] and [`FEWER_KINGS`].
pub(crate) fn every_start() -> impl Iterator<Item = &'static str> {
    TWO_KINGS.into_iter().chain(FEWER_KINGS)
}

/// Reads a position that the test knows to be good.
pub(crate) fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// Reproducible random numbers: `SplitMix64` (Vigna).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Visits the positions of `games` random games of at most `plies` moves from each of `starts`;
/// returns how many. Captures are preferred now and then, so that the hands fill.
pub(crate) fn playouts(
    starts: impl IntoIterator<Item = &'static str>,
    games: u64,
    plies: usize,
    mut visit: impl FnMut(&mut Position, &[Move], &mut Random),
) -> usize {
    let mut visited = 0;
    for (index, start) in starts.into_iter().enumerate() {
        for game in 0..games {
            let random = &mut Random((index as u64) << 32 | game);
            let mut position = position(start);
            for _ in 0..=plies {
                let moves = legal_moves(&position);
                visit(&mut position, &moves, random);
                visited += 1;
                if moves.is_empty() {
                    break;
                }
                position.do_move(random_move(&position, &moves, random));
            }
        }
    }
    visited
}

/// One of `moves`, a capture where the dice say so.
pub(crate) fn random_move(position: &Position, moves: &[Move], random: &mut Random) -> Move {
    if random.one_in(3) {
        let captures: Vec<Move> =
            moves.iter().copied().filter(|mv| position.piece_on(mv.to()).is_some()).collect();
        if !captures.is_empty() {
            return *random.choose(&captures);
        }
    }
    *random.choose(moves)
}

/// The move of a USI text that must be legal here.
pub(crate) fn legal_move(position: &Position, text: &str) -> Move {
    let mv = text.parse().ok().and_then(|mv| position.to_move(mv));
    let is_legal = |&mv: &Move| position.pseudo_legal(mv) && position.legal(mv);
    mv.filter(is_legal).unwrap_or_else(|| panic!("{text} is not legal in {}", position.to_sfen()))
}

/// Moves as sorted text.
pub(crate) fn texts(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
    let mut texts: Vec<String> = moves.into_iter().map(|mv| mv.to_string()).collect();
    texts.sort_unstable();
    texts
}

/// The folder of the corpora; `None`, and a note, where none is at hand.
pub(crate) fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("RAICHO_CORPORA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped, RAICHO_CORPORA names no folder of corpora");
    }
    folder
}

/// The lines of a corpus without its headers; `None`, and a note, where no corpora are at hand.
pub(crate) fn corpus(name: &str) -> Option<Vec<String>> {
    let path = corpora()?.join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Some(lines.map(str::to_owned).collect())
}

/// The rows of a corpus, each divided into its columns, and at least `least` of them; none where no
/// corpora are at hand.
pub(crate) fn rows<const COLUMNS: usize>(name: &str, least: usize) -> Vec<[String; COLUMNS]> {
    let Some(lines) = corpus(name) else {
        return Vec::new();
    };
    println!("{name}: {} rows", lines.len());
    assert!(lines.len() >= least, "{name}");
    let columns = |line: &String| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        columns.try_into().unwrap_or_else(|_| panic!("not {COLUMNS} columns: {line}"))
    };
    lines.iter().map(columns).collect()
}
