//! A match of two evaluations, the embedded network and material, with 2,000 nodes a move:
//! `cargo run --release --example duel`
//!
//! `raicho match` plays real matches, between any USI engines and with error bars.

use std::sync::Arc;
use std::thread;

use raicho::engine::{EvalFile, load_evaluator};
use raicho::eval::Evaluator;
use raicho::position::Position;
use raicho::search::{Limits, SOLO_STACK_BYTES, Settings, Solo};
use raicho::types::{Color, Move, Repetition};

const GAMES: usize = 4;
const NODES: u64 = 2_000;
const MAX_MOVES: usize = 320;

fn main() {
    let playing = thread::Builder::new()
        .stack_size(SOLO_STACK_BYTES)
        .spawn(play)
        .expect("the system has another thread");
    playing.join().expect("a search does not panic");
}

fn play() {
    let (network, _) = load_evaluator(&EvalFile::Embedded).expect("it lies in the executable");
    let mut players = [player(network), player(Evaluator::Material)];
    let mut wins = [0; 2];
    for game in 0..GAMES {
        // Each opening is played with both colours.
        let black = game % 2;
        let opening = ["7g7f", "2g2f"][game / 2 % 2];
        match winner(&mut players, black, opening) {
            Some(Color::Black) => wins[black] += 1,
            Some(Color::White) => wins[1 - black] += 1,
            None => {}
        }
    }
    println!("network {}, material {} of {GAMES} games", wins[0], wins[1]);
}

fn player(evaluator: Evaluator) -> Solo {
    let settings = Settings { evaluator, hash_mb: 16, ..Settings::default() };
    Solo::new(settings).expect("16 MB are free")
}

/// Plays a game in which the player with the index `black` has the black pieces. `None` is a draw.
fn winner(players: &mut [Solo; 2], black: usize, opening: &str) -> Option<Color> {
    let limits = Arc::new(Limits { nodes: Some(NODES), ..Limits::default() });
    players.iter_mut().for_each(Solo::new_game);
    let mut position = Position::startpos();
    let first = legal(&position, opening).expect("an opening of legal moves");
    position.do_move(first);
    for _ in 0..MAX_MOVES {
        let side = position.side_to_move();
        match position.rule_repetition() {
            None => {}
            Some(Repetition::Win) => return Some(side),
            Some(Repetition::Lose) => return Some(!side),
            Some(_) => return None,
        }
        let index = if side == Color::Black { black } else { 1 - black };
        let result = players[index].search(&position, &limits);
        let Some(best) = result.lines.first() else {
            return Some(!side); // There is no legal move.
        };
        position.do_move(best.mv);
    }
    None
}

fn legal(position: &Position, text: &str) -> Option<Move> {
    position.legal_move(text.parse().ok()?)
}
