//! Speed of the rules layers: move generation, making moves, attacks, perft.
//!
//! The positions are those of `$RAICHO_CORPORA/legal_moves.tsv` where that is set, else a handful
//! built in. The throughput of the generation benches is moves written per second.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use raicho::bitboard::{Bitboard, bishop_attacks, lance_attacks, rook_attacks};
use raicho::movegen;
use raicho::movegen::perft::perft;
use raicho::position::{Position, START_SFEN};
use raicho::types::{Color, MoveList, Square};

const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

const BUILT_IN: [&str; 5] = [
    START_SFEN,
    MATSURI,
    "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
];

fn positions() -> Vec<Position> {
    let read = |text: &str| Position::from_sfen(text).expect("a valid position");
    let Ok(corpora) = std::env::var("RAICHO_CORPORA") else {
        return BUILT_IN.map(read).into();
    };
    let table = std::fs::read_to_string(format!("{corpora}/legal_moves.tsv")).expect("the table");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| read(row.split('\t').next().unwrap_or_default())).collect()
}

fn generation(criterion: &mut Criterion) {
    let positions = positions();
    let total: usize = positions.iter().map(|position| movegen::legal_moves(position).len()).sum();
    let mut group = criterion.benchmark_group("generate");
    group.throughput(Throughput::Elements(total as u64));
    group.bench_function("legal moves written", |bencher| {
        let mut moves = MoveList::new();
        bencher.iter(|| {
            for position in &positions {
                moves.clear();
                movegen::legal::<true>(black_box(position), &mut moves);
                black_box(&moves);
            }
        });
    });
    group.bench_function("pseudo-legal moves written", |bencher| {
        let mut moves = MoveList::new();
        bencher.iter(|| {
            for position in &positions {
                moves.clear();
                if position.in_check() {
                    movegen::evasions::<true>(black_box(position), &mut moves);
                } else {
                    movegen::captures::<true>(black_box(position), &mut moves);
                    movegen::quiets::<true>(black_box(position), &mut moves);
                }
                black_box(&moves);
            }
        });
    });
    group.finish();
}

/// So few that their histories stay in the cache, as the one of a search does.
const POSITIONS_TO_MOVE: usize = 50;

fn making_moves(criterion: &mut Criterion) {
    let mut positions = positions();
    positions.truncate(POSITIONS_TO_MOVE);
    let lists: Vec<MoveList> = positions.iter().map(movegen::legal_moves).collect();
    let total: usize = lists.iter().map(MoveList::len).sum();
    let mut group = criterion.benchmark_group("position");
    group.throughput(Throughput::Elements(total as u64));
    group.bench_function("do_move and undo_move", |bencher| {
        bencher.iter(|| {
            for (position, moves) in positions.iter_mut().zip(&lists) {
                for &mv in moves {
                    position.do_move(mv);
                    black_box(position.key());
                    position.undo_move();
                }
            }
        });
    });
    group.bench_function("pseudo_legal and legal", |bencher| {
        bencher.iter(|| {
            for (position, moves) in positions.iter().zip(&lists) {
                for &mv in moves {
                    black_box(position.pseudo_legal(mv) && position.legal(mv));
                }
            }
        });
    });
    group.bench_function("see_ge", |bencher| {
        bencher.iter(|| {
            for (position, moves) in positions.iter().zip(&lists) {
                for &mv in moves {
                    black_box(position.see_ge(mv, 0));
                }
            }
        });
    });
    group.finish();
}

fn attacks(criterion: &mut Criterion) {
    let occupied: Vec<Bitboard> =
        positions().iter().map(|position| position.board().occupied()).collect();
    let mut group = criterion.benchmark_group("attacks");
    group.throughput(Throughput::Elements((occupied.len() * Square::NUM) as u64));
    let each = |attacks: &dyn Fn(Square, Bitboard) -> Bitboard| {
        for &occupied in &occupied {
            for square in Square::ALL {
                black_box(attacks(square, occupied));
            }
        }
    };
    group.bench_function("rook", |bencher| bencher.iter(|| each(&rook_attacks)));
    group.bench_function("bishop", |bencher| bencher.iter(|| each(&bishop_attacks)));
    group.bench_function("lance", |bencher| {
        bencher.iter(|| each(&|square, occupied| lance_attacks(Color::Black, square, occupied)));
    });
    group.finish();
}

fn leaves(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    group.sample_size(10);
    for (name, sfen, depth) in [("start position", START_SFEN, 5), ("matsuri", MATSURI, 3)] {
        let position: Position = Position::from_sfen(sfen).expect("a valid position");
        group.throughput(Throughput::Elements(perft(&position, depth)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| perft(black_box(&position), depth));
        });
    }
    group.finish();
}

criterion_group!(rules, generation, making_moves, attacks, leaves);
criterion_main!(rules);
