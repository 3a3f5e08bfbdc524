//! `.sbk`, the books of `ShogiGUI`: a protobuf message with a graph of states. A state holds its
//! moves, and each move the number of the state after it; positions are written at the roots only.

mod message;
mod moves;
mod reader;
mod state;
mod writer;

pub(super) use reader::SbkReader;
pub(super) use state::is_message;
pub(super) use writer::SbkWriter;
