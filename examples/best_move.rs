//! Finds the best move of a position: `cargo run --release --example best_move [SFEN]`

use std::sync::Arc;
use std::thread;

use raicho::engine::{EvalFile, load_evaluator};
use raicho::position::{Position, SfenError};
use raicho::search::{Limits, SOLO_STACK_BYTES, Settings, Solo};

const NODES: u64 = 200_000;

fn main() -> Result<(), SfenError> {
    let position = match std::env::args().nth(1) {
        Some(sfen) => Position::from_sfen(&sfen)?,
        None => Position::startpos(),
    };
    // The recursion of a search needs more stack than a main thread may have.
    let searching = thread::Builder::new()
        .stack_size(SOLO_STACK_BYTES)
        .spawn(move || search(&position))
        .expect("the system has another thread");
    searching.join().expect("a search does not panic");
    Ok(())
}

fn search(position: &Position) {
    let (evaluator, _) = load_evaluator(&EvalFile::Embedded).expect("it lies in the executable");
    let settings = Settings { evaluator, hash_mb: 64, multi_pv: 3, ..Settings::default() };
    let mut searcher = Solo::new(settings).expect("64 MB are free");
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    for line in searcher.search(position, &Arc::new(limits)).lines {
        let reply = line.reply.map_or(String::new(), |mv| mv.to_string());
        println!("{} {reply:5} {:+5} at depth {}", line.mv, line.value, line.depth);
    }
}
