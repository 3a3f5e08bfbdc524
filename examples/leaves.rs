//! Makes teacher data of short searches: ends of captures of the inner nodes of searches, labelled
//! by searches of their own, without the bias of such scores (`book/lab/labels.md`).
//!
//! ```text
//! leaves label NETWORK OUT.psv SEED NODES GAMES...
//! leaves debias OUT.psv IN.psv...
//! ```
//!
//! `label` searches one position in twelve of the games with 300 nodes, draws eight inner nodes of
//! each search, follows the captures from there, and searches what is left with NODES nodes and a
//! table that these neighbours share. NETWORK is a file or `embedded`. The static values by the
//! embedded network go to OUT.psv.static, two bytes each. A file that was cut short is good up to
//! its last whole record.
//!
//! `debias` takes off what scores are greater than static values on average: a search finds a move
//! for the side to move, and the static value knows of none.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::{env, thread};

use raicho::eval::nnue::{Model, Network};
use raicho::eval::{Evaluator, ThreadEvaluator};
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::packed::PackedSfen;
use raicho::records::sample::PackedSfenValue;
use raicho::records::teacher::{Format, Record, TeacherReader};
use raicho::search::{Limits, SOLO_STACK_BYTES, Settings, Solo};
use raicho::transposition::Generations;
use raicho::types::{Move, value::piece_value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str =
    "expected: label NETWORK OUT.psv SEED NODES GAMES..., or debias OUT.psv IN.psv...";

/// One position of a game in this many is searched for its inner nodes.
const STRIDE: usize = 12;
/// Nodes of that search, and of what it draws the most.
const TREE_NODES: u64 = 300;
const DRAWN: usize = 8;
/// Magnitude of the greatest score that is written; a pawn is 90.
const LIMIT: i32 = 4000;
/// Neighbours use one table: after this many searches it is cleared with the histories.
const SEARCHES_BETWEEN_CLEARINGS: usize = 500;

struct Labeller {
    solo: Solo,
    material: ThreadEvaluator,
    embedded: ThreadEvaluator,
    tree_limits: Arc<Limits>,
    limits: Arc<Limits>,
    rng: ChaCha8Rng,
    out: BufWriter<File>,
    statics: BufWriter<File>,
    searches: usize,
    written: u64,
}

impl Labeller {
    /// Labels inner nodes of a search from `position`.
    fn label_tree(&mut self, position: &Position) -> Outcome<()> {
        if self.searches > SEARCHES_BETWEEN_CLEARINGS {
            self.solo.new_game();
            self.searches = 0;
        }
        self.searches += 1;
        self.solo.search(position, &self.tree_limits);
        let (mut drawn, mut seen): (Vec<Position>, usize) = (Vec::new(), 0);
        let rng = &mut self.rng;
        self.solo.visit_tree(position, 1, &mut |node, _| {
            seen += 1;
            if drawn.len() < DRAWN {
                drawn.push(node.clone());
            } else if let Some(place) = drawn.get_mut(rng.random_range(0..seen)) {
                *place = node.clone();
            }
        });
        drawn.push(position.clone());
        for mut node in drawn {
            for mv in self.line_to_quiet(&mut node, -i32::MAX, i32::MAX, 8).1 {
                node.do_move(mv);
            }
            self.label(&node)?;
        }
        Ok(())
    }

    fn label(&mut self, position: &Position) -> Outcome<()> {
        let is_quiet = |mv: &&Move| position.piece_on(mv.to()).is_none() && !mv.is_promotion();
        let quiet = legal_moves(position).iter().find(is_quiet).copied();
        let (false, Some(quiet)) = (position.in_check(), quiet) else {
            return Ok(());
        };
        self.searches += 1;
        let result = self.solo.search(position, &self.limits);
        let Some(line) = result.lines.first() else {
            return Ok(());
        };
        let value = self.embedded.evaluate(position);
        if line.value.abs() > LIMIT || value.abs() > LIMIT {
            return Ok(());
        }
        let record = PackedSfenValue {
            position: PackedSfen::of(position),
            score: line.value as i16,
            mv: quiet.to_move16().to_bits(),
            ply: position.game_ply().max(1) as u16,
            result: 0,
            padding: 0,
        };
        self.out.write_all(&record.to_bytes())?;
        self.statics.write_all(&(value as i16).to_le_bytes())?;
        self.written += 1;
        Ok(())
    }

    /// The captures that win material, played out, and the balance in the end.
    fn line_to_quiet(
        &mut self,
        position: &mut Position,
        alpha: i32,
        beta: i32,
        plies: usize,
    ) -> (i32, Vec<Move>) {
        let (mut best, mut line) = (self.material.evaluate(position), Vec::new());
        if best >= beta || plies == 0 || position.in_check() {
            return (best, line);
        }
        let mut alpha = alpha.max(best);
        let victim = |mv: &Move| position.piece_on(mv.to()).map(|piece| piece_value(piece.kind()));
        let mut captures: Vec<(i32, Move)> = legal_moves(position)
            .iter()
            .filter(|mv| position.see_ge(**mv, 0))
            .filter_map(|mv| Some((-victim(mv)?, *mv)))
            .collect();
        captures.sort_by_key(|capture| capture.0);
        for (_, mv) in captures {
            position.do_move(mv);
            let (value, rest) = self.line_to_quiet(position, -beta, -alpha, plies - 1);
            position.undo_move();
            if -value > best {
                best = -value;
                alpha = alpha.max(best);
                line = [vec![mv], rest].concat();
            }
            if best >= beta {
                break;
            }
        }
        (best, line)
    }
}

fn label(args: &[String]) -> Outcome<()> {
    let [network, out, seed, nodes, files @ ..] = args else {
        return Err(USAGE.into());
    };
    let embedded = Evaluator::Nnue(Arc::new(Model::new(Network::embedded())));
    let evaluator = match network.as_str() {
        "embedded" => embedded.clone(),
        path => Evaluator::Nnue(Arc::new(Model::new(Network::open(Path::new(path))?.0))),
    };
    let limits = |nodes| Arc::new(Limits { soft_nodes: Some(nodes), ..Limits::default() });
    let create = |path: &str| File::create_new(path).map_err(|error| format!("{path}: {error}"));
    let seed = seed.parse().map_err(|_| format!("{seed}: {USAGE}"))?;
    let settings = Settings {
        hash_mb: 4,
        draw_value: [0; 2],
        evaluator,
        generations: Generations::Strict,
        ..Settings::default()
    };
    let mut labeller = Labeller {
        solo: Solo::new(settings)?,
        material: Evaluator::Material.for_thread(),
        embedded: embedded.for_thread(),
        tree_limits: limits(TREE_NODES),
        limits: limits(nodes.parse().map_err(|_| format!("{nodes}: {USAGE}"))?),
        rng: ChaCha8Rng::seed_from_u64(seed),
        out: BufWriter::new(create(out)?),
        statics: BufWriter::new(create(&format!("{out}.static"))?),
        searches: 0,
        written: 0,
    };
    for file in files {
        let path = Path::new(file);
        let input = File::open(path).map_err(|error| format!("{file}: {error}"))?;
        for record in TeacherReader::new(BufReader::new(input), Format::of_path(path)?) {
            let Record::Game(game) = record.map_err(|error| format!("{file}: {error}"))? else {
                return Err(format!("{file}: positions without their games").into());
            };
            let mut position = game.game.start.clone();
            let mut until_next = labeller.rng.random_range(0..STRIDE);
            for (mv, _) in game.scored_moves() {
                if until_next == 0 && !position.in_check() {
                    labeller.label_tree(&position)?;
                    until_next = STRIDE;
                }
                until_next = until_next.saturating_sub(1);
                position.do_move(mv);
            }
        }
    }
    labeller.out.flush()?;
    labeller.statics.flush()?;
    println!("{} positions", labeller.written);
    Ok(())
}

/// Parts of equal size that the positions are divided into by their static values.
const PARTS: usize = 40;
/// The logistic scale of winning chances.
const SCALE: f64 = 600.0;

fn chance(score: i16) -> f64 {
    1.0 / (1.0 + (-f64::from(score) / SCALE).exp())
}

fn debias(args: &[String]) -> Outcome<()> {
    let [out, inputs @ ..] = args else {
        return Err(USAGE.into());
    };
    let mut records: Vec<(PackedSfenValue, i16)> = Vec::new();
    for path in inputs {
        let (file, statics) = (fs::read(path)?, fs::read(format!("{path}.static"))?);
        let statics = statics.as_chunks::<2>().0.iter().map(|bytes| i16::from_le_bytes(*bytes));
        let values = file.as_chunks::<40>().0.iter().map(PackedSfenValue::from_bytes);
        records.extend(values.zip(statics));
    }
    // The file keeps the order of its sources: a part of it is a sample of the whole.
    let mut sorted: Vec<&(PackedSfenValue, i16)> = records.iter().collect();
    sorted.sort_by_key(|record| record.1);
    let size = sorted.len().div_ceil(PARTS).max(1);
    // The mean static value of each part and how much greater its scores are.
    let knots: Vec<(f64, f64)> = sorted
        .chunks(size)
        .map(|part| {
            let mean = |of: &dyn Fn(&(PackedSfenValue, i16)) -> f64| {
                part.iter().map(|&record| of(record)).sum::<f64>() / part.len() as f64
            };
            (mean(&|record| f64::from(record.1)), mean(&|(r, s)| chance(r.score) - chance(*s)))
        })
        .collect();
    let bias = |value: f64| {
        let next = knots.partition_point(|knot| knot.0 < value).clamp(1, knots.len() - 1);
        let (low, high) = (knots[next - 1], knots[next]);
        let share = ((value - low.0) / (high.0 - low.0).max(1.0)).clamp(0.0, 1.0);
        low.1 + share * (high.1 - low.1)
    };
    let mut file = BufWriter::new(File::create_new(out)?);
    let (mut before, mut after) = (0.0, 0.0);
    for (record, value) in &records {
        let label = (chance(record.score) - bias(f64::from(*value))).clamp(0.001, 0.999);
        before += (chance(record.score) - chance(*value)).powi(2);
        after += (label - chance(*value)).powi(2);
        let score = (SCALE * (label / (1.0 - label)).ln()).clamp(-4000.0, 4000.0);
        file.write_all(&PackedSfenValue { score: score.round() as i16, ..*record }.to_bytes())?;
    }
    file.flush()?;
    let count = records.len() as f64;
    println!(
        "{count} positions, squared difference to static values {:.5}, without the bias {:.5}",
        before / count,
        after / count
    );
    Ok(())
}

fn main() -> Outcome<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.split_first() {
        Some((command, rest)) if command == "label" => {
            let rest = rest.to_vec();
            // The search needs a large stack.
            let thread = thread::Builder::new().stack_size(SOLO_STACK_BYTES);
            thread.spawn(move || label(&rest))?.join().map_err(|_| "the labeller panicked")?
        }
        Some((command, rest)) if command == "debias" => debias(rest),
        _ => Err(USAGE.into()),
    }
}
