//! Raicho (雷鳥), a USI shogi engine.
//!
//! Layer upon layer; each module uses only those above it in this list (`tests/architecture.rs` holds them to it):
//!
//! | Module | What it owns |
//! |---|---|
//! | `util` | helpers that know nothing of shogi |
//! | [`types`] | squares, pieces, hands, moves, keys, values |
//! | [`bitboard`] | sets of squares, attacks |
//! | [`position`] | the rules: do and undo, legality, repetition, declaration, exchanges, SFEN |
//! | [`movegen`] | moves by kind, perft |
//! | [`mate`] | mates seen at once, and the solver for long ones |
//! | [`transposition`] | what was found out before |
//! | [`eval`] | what a position is worth |
//! | [`search`] | iterative deepening, alpha-beta, quiescence, time, threads |
//! | [`records`] | game records and teacher data, as text and packed |
//! | [`engine`] | the facade of all front ends: settings, the last good position, a search |
//! | [`mod@bench`], [`usi`] | the benchmark; the protocol |
//! | [`arena`] | engines against each other, tuning |
//! | [`train`] | teacher data and the training of networks |
//! | [`cli`] | the command line |
//!
//! To read it: [`position`], then [`movegen`], then `search/alpha_beta.rs`, then [`usi::session`].
//!
//! ```
//! use raicho::movegen::{legal_moves, perft::perft};
//! use raicho::position::Position;
//!
//! let position: Position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
//! assert!(legal_moves(&position).iter().any(|mv| mv.to_string() == "G*5b"));
//! assert_eq!(perft(&Position::startpos(), 3), 25_470);
//! # Ok::<(), raicho::position::SfenError>(())
//! ```

pub mod arena;
pub mod bench;
pub mod bitboard;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod mate;
pub mod movegen;
pub mod position;
pub mod records;
pub mod search;
pub mod train;
pub mod transposition;
pub mod types;
pub mod usi;
pub(crate) mod util;
