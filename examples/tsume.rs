//! Solves a mate problem: `cargo run --release --example tsume [SFEN]`

use std::error::Error;
use std::sync::atomic::AtomicBool;

use raicho::mate::{MateLimits, MateSolver, Verdict};
use raicho::position::Position;
use raicho::records::notation::japanese;

/// Mate in one ply: the gold is dropped at the head of the king, and the pawn holds it.
const PROBLEM: &str = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

fn main() -> Result<(), Box<dyn Error>> {
    let sfen = std::env::args().nth(1);
    let position = Position::from_sfen(sfen.as_deref().unwrap_or(PROBLEM))?;
    let stop = AtomicBool::new(false);
    let limits = MateLimits { nodes: Some(10_000_000), shortest: true, ..MateLimits::until(&stop) };
    let solution = MateSolver::new(64).solve(&position, &limits, &mut |_| {})?;
    match solution.verdict {
        Verdict::Mate { line, .. } => {
            println!("mate in {} plies", line.length);
            println!("{}", japanese::line(&position, &line.moves).join(" "));
        }
        Verdict::NoMate => println!("no mate by checks alone"),
        Verdict::Unknown => println!("undecided after {} nodes", solution.nodes),
    }
    Ok(())
}
