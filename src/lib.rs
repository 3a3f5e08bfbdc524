//! Raicho (雷鳥), a USI shogi engine.
//!
//! The modules are layers: each imports only modules above it in this table.
//! `tests/architecture.rs` checks that.
//!
//! | Module | What it owns |
//! |---|---|
//! | `util` | helpers without knowledge of shogi |
//! | [`types`] | squares, pieces, hands, moves, keys, values |
//! | [`bitboard`] | sets of squares, attacks |
//! | [`position`] | the rules: do and undo, legality, repetition, declaration, exchanges, SFEN |
//! | [`movegen`] | moves by kind, perft |
//! | [`mate`] | mate in one ply, and the solver for long mates |
//! | [`transposition`] | the transposition table |
//! | [`eval`] | static evaluation: networks and material |
//! | [`search`] | iterative deepening, alpha-beta, quiescence, time, threads |
//! | [`records`] | game records and teacher data, as text and packed |
//! | [`book`] | opening books: formats, look-up, choice of a move |
//! | [`engine`] | the facade for front ends: settings, the last valid position, the searches |
//! | [`mod@bench`], [`usi`] | the benchmark; the USI protocol |
//! | [`analysis`] | analysis of whole games: judgement on each move, summaries, comments |
//! | [`page`] | web pages that show games on a board, each one file |
//! | [`openings`] | the openings of matches, tuning and self-play |
//! | [`arena`] | matches between engines, tuning |
//! | [`csa`] | the client for CSA servers such as floodgate |
//! | [`makebook`] | making opening books |
//! | [`train`] | teacher data and the training of networks |
//! | [`cli`] | the command line |
//! | `web` | the engine in a browser, instead of the command line |
//!
//! The rooms from [`analysis`] on need the feature `cli`, which is on by default; without it a
//! program that depends on this library compiles no command line. `examples/` has four such
//! programs.
//!
//! Where to start reading: [`position`], then [`movegen`], then `search/alpha_beta.rs`, then
//! [`usi::session`].
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

// What only the tools use is unused without them.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(test)]
#[macro_use]
#[path = "util/test_cases.rs"]
mod test_cases;

#[cfg(feature = "cli")]
pub mod analysis;
#[cfg(feature = "cli")]
pub mod arena;
pub mod bench;
pub mod bitboard;
pub mod book;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod csa;
pub mod engine;
pub mod eval;
pub mod lang;
#[cfg(feature = "cli")]
pub mod makebook;
pub mod mate;
pub mod movegen;
#[cfg(feature = "cli")]
pub mod openings;
#[cfg(feature = "cli")]
pub mod page;
pub mod position;
pub mod records;
pub mod runs;
pub mod search;
#[cfg(feature = "cli")]
pub mod train;
pub mod transposition;
pub mod types;
pub mod usi;
pub(crate) mod util;
#[cfg(target_family = "wasm")]
pub mod web;
