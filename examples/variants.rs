//! Makes teacher data of many positions out of few games: random variants of every position,
//! labelled with static values. The embedded network learnt from such (`nets/README.md`).
//! `cargo run --release --example variants NETWORK OUT.psv SEED BASES COUNT GAMES...`
//!
//! Of each position of the games, COUNT variants are made by one to three random moves, nearly half
//! of them captures, promotions and checks; with BASES 1 the position itself is written too. A
//! label is the mean of the network's values of the position and of its mirror image: the rules do
//! not tell left from right, but a network may. Positions in check are left out, and so are those
//! whose label is greater than 4,000 in magnitude. All results are draws: learn with `--wdl 0`.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use raicho::eval::nnue::{Model, Network};
use raicho::eval::{Evaluator, ThreadEvaluator};
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::packed::PackedSfen;
use raicho::records::sample::PackedSfenValue;
use raicho::records::teacher::{Format, Record, TeacherReader};
use raicho::types::Move;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const USAGE: &str = "expected: NETWORK OUT.psv SEED BASES(0 or 1) COUNT GAMES...";

/// Number of random moves of a variant: one of these.
const PLIES: [usize; 5] = [1, 1, 2, 2, 3];

/// Magnitude of the greatest label that is written; a pawn is 90.
const LIMIT: i32 = 4000;

struct Maker {
    evaluator: ThreadEvaluator,
    mirror_image: Position,
    rng: ChaCha8Rng,
    out: BufWriter<File>,
    written: u64,
}

impl Maker {
    /// A random move: in 45 of 100 cases a forcing one, else in 60 of 100 a move on the board.
    fn random_move(&mut self, position: &Position) -> Option<Move> {
        let moves = legal_moves(position);
        if moves.is_empty() {
            return None;
        }
        let is_forcing = |mv: &Move| {
            position.piece_on(mv.to()).is_some() || mv.is_promotion() || position.gives_check(*mv)
        };
        if self.rng.random_range(0..100) < 45 {
            let forcing: Vec<Move> = moves.iter().copied().filter(is_forcing).collect();
            if !forcing.is_empty() {
                return Some(forcing[self.rng.random_range(0..forcing.len())]);
            }
        }
        let board: Vec<Move> = moves.iter().copied().filter(|mv| mv.from().is_some()).collect();
        if !board.is_empty() && self.rng.random_range(0..100) < 60 {
            return Some(board[self.rng.random_range(0..board.len())]);
        }
        Some(moves[self.rng.random_range(0..moves.len())])
    }

    /// Writes the position and its label, with a quiet move, for the learner drops tactical ones.
    fn write(&mut self, position: &Position) -> Result<(), Box<dyn Error>> {
        let is_quiet = |mv: &&Move| position.piece_on(mv.to()).is_none() && !mv.is_promotion();
        let quiet = legal_moves(position).iter().find(is_quiet).copied();
        let (false, Some(quiet)) = (position.in_check(), quiet) else {
            return Ok(());
        };
        self.mirror_image.set_up(position.board().mirrored(), 1);
        let values = [position, &self.mirror_image].map(|side| self.evaluator.evaluate(side));
        let score = i32::midpoint(values[0], values[1]);
        if score.abs() > LIMIT {
            return Ok(());
        }
        let record = PackedSfenValue {
            position: PackedSfen::of(position),
            score: score as i16,
            mv: quiet.to_move16().to_bits(),
            ply: position.game_ply().max(1) as u16,
            result: 0,
            padding: 0,
        };
        self.out.write_all(&record.to_bytes())?;
        self.written += 1;
        Ok(())
    }

    /// Writes a variant by `plies` random moves, unless the game ends before.
    fn write_variant(
        &mut self,
        position: &mut Position,
        plies: usize,
    ) -> Result<(), Box<dyn Error>> {
        let mut done = 0;
        while done < plies {
            let Some(mv) = self.random_move(position) else {
                break;
            };
            position.do_move(mv);
            done += 1;
        }
        if done == plies {
            self.write(position)?;
        }
        (0..done).for_each(|_| position.undo_move());
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [network, out, seed, bases, count, files @ ..] = args.as_slice() else {
        return Err(USAGE.into());
    };
    let with_bases = match bases.as_str() {
        "0" => false,
        "1" => true,
        _ => return Err(format!("{bases}: {USAGE}").into()),
    };
    let count: u64 = count.parse().map_err(|_| format!("{count}: {USAGE}"))?;
    let seed = seed.parse().map_err(|_| format!("{seed}: {USAGE}"))?;
    let network = Network::open(Path::new(network))?.0;
    let mut maker = Maker {
        evaluator: Evaluator::Nnue(Arc::new(Model::new(network))).for_thread(),
        mirror_image: Position::startpos(),
        rng: ChaCha8Rng::seed_from_u64(seed),
        out: BufWriter::new(File::create_new(out).map_err(|error| format!("{out}: {error}"))?),
        written: 0,
    };
    let mut games = 0;
    for file in files {
        let path = Path::new(file);
        let format = Format::of_path(path)?;
        let input = File::open(path).map_err(|error| format!("{file}: {error}"))?;
        for record in TeacherReader::new(BufReader::new(input), format) {
            let record = record.map_err(|error| format!("{file}: {error}"))?;
            let Record::Game(game) = record else {
                return Err(format!("{file}: positions without their games").into());
            };
            games += 1;
            let mut position = game.game.start.clone();
            for (mv, _) in game.scored_moves() {
                if with_bases {
                    maker.write(&position)?;
                }
                for _ in 0..count {
                    let plies = PLIES[maker.rng.random_range(0..PLIES.len())];
                    maker.write_variant(&mut position, plies)?;
                }
                position.do_move(mv);
            }
        }
    }
    maker.out.flush()?;
    println!("{games} games, {} positions", maker.written);
    Ok(())
}
