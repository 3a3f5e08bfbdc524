//! The rules of shogi: move generation, positions and their properties, against counts, an
//! independent generator and collected data.

mod corpora;
mod oracle;
mod perft;
mod properties;
