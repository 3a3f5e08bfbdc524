//! Choosing among the candidates of a probe, and following the books from there.

use std::hash::{BuildHasher as _, RandomState};

use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::legal::legal_move;
use super::library::Library;
use super::options::BookOptions;
use super::probe::{Probe, ProbedMove};
use crate::position::Position;
use crate::types::Move;

/// Random numbers for one position: with a seed always the same for the same position.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The numbers for a position.
    pub fn new(seed: u64, position: &Position) -> Self {
        let seed = match seed {
            // Each state has new random keys.
            0 => RandomState::new().hash_one(0),
            seed => seed ^ position.key().low64(),
        };
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Whether the books are left aside this time.
    pub fn ignores_books(&mut self, options: &BookOptions) -> bool {
        options.ignore_rate > 0 && self.0.random_range(0..100) < options.ignore_rate
    }

    /// One of the candidates, by weight; `None` if there is none.
    pub fn choose<'a>(&mut self, probe: &'a Probe) -> Option<&'a ProbedMove> {
        let weights = || probe.candidates().map(|probed| u128::from(probed.weight));
        let sum: u128 = weights().sum();
        if sum == 0 {
            return None;
        }
        let mut point = u128::from(self.0.next_u64()) % sum;
        probe.candidates().find(|probed| {
            let weight = u128::from(probed.weight);
            let is_chosen = point < weight;
            point = point.saturating_sub(weight);
            is_chosen
        })
    }
}

/// The expected answer to a move of a probe: that of the book, or else the first move that the
/// books have after it. `None` if it is illegal.
pub fn ponder_move(
    library: &Library,
    position: &Position,
    probed: &ProbedMove,
    options: &BookOptions,
) -> Option<Move> {
    let mut after = position.clone();
    after.do_move(probed.mv);
    let first_answer = || {
        let found = library.find(&after, options, &mut Vec::new())?;
        Some(found.moves.first()?.mv)
    };
    let answer = probed.known.ponder.or_else(first_answer)?;
    legal_move(&after, answer)
}

/// The line of a legal move and the legal answer to it, and then the first legal moves of the
/// books: at most [`BookOptions::pv_moves`] in all, up to a repetition.
pub fn line(
    library: &Library,
    position: &Position,
    mv: Move,
    ponder: Option<Move>,
    options: &BookOptions,
) -> Vec<Move> {
    let mut after = position.clone();
    let mut line = Vec::new();
    let mut next = Some(mv);
    while let Some(mv) = next {
        line.push(mv);
        after.do_move(mv);
        if line.len() >= options.pv_moves || after.search_repetition(usize::MAX).is_some() {
            break;
        }
        let from_books = || {
            let found = library.find(&after, options, &mut Vec::new())?;
            let mut moves = found.moves.iter();
            moves.find_map(|known| legal_move(&after, known.mv))
        };
        let is_answer = line.len() == 1;
        next = ponder.filter(|_| is_answer).or_else(from_books);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::entry::BookMove;
    use crate::types::Move16;

    fn candidate(text: &str, weight: u64) -> ProbedMove {
        let mv: Move16 = text.parse().expect("a move");
        ProbedMove {
            mv: legal_move(&Position::startpos(), mv).expect("it is legal"),
            known: BookMove {
                mv,
                ponder: None,
                value: 0,
                depth: 0,
                count: weight,
            },
            dropped: None,
            weight,
        }
    }

    fn probe(weights: [u64; 3]) -> Probe {
        let moves = ["7g7f", "2g2f", "5g5f"].into_iter().zip(weights);
        Probe {
            refusal: None,
            moves: moves
                .map(|(text, weight)| candidate(text, weight))
                .collect(),
            book: 0,
            is_flipped: false,
            faults: Vec::new(),
        }
    }

    #[test]
    fn moves_are_drawn_by_weight() {
        let probe = probe([300, 0, 100]);
        let mut counts = [0; 3];
        for seed in 1..=4000 {
            let mut dice = Dice::new(seed, &Position::startpos());
            let chosen = dice.choose(&probe).expect("there are candidates").mv;
            let index = probe.moves.iter().position(|probed| probed.mv == chosen);
            counts[index.expect("it is one of them")] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((2900..3100).contains(&counts[0]), "{counts:?}");
        let none = self::probe([0; 3]);
        assert!(Dice::new(0, &Position::startpos()).choose(&none).is_none());
        let huge = self::probe([u64::MAX; 3]);
        assert!(Dice::new(0, &Position::startpos()).choose(&huge).is_some());
    }

    #[test]
    fn books_are_left_aside_as_often_as_asked() {
        let ignored = |percent| {
            let options = BookOptions {
                ignore_rate: percent,
                ..BookOptions::default()
            };
            let ignores =
                |seed: &u64| Dice::new(*seed, &Position::startpos()).ignores_books(&options);
            (1..=1000).filter(ignores).count()
        };
        assert_eq!((ignored(0), ignored(100)), (0, 1000));
        assert!((200..300).contains(&ignored(25)));
    }
}
