//! Grows a book from given roots, best first: searches the positions just outside of the book that
//! good play really reaches, carries the values back, and goes on.
//!
//! | File | What it is |
//! |---|---|
//! | `growing.rs` | the book in memory |
//! | `leaves.rs` | which positions outside of it come next |
//! | `growth.rs` | the searches as the plan of long work |

mod growing;
mod growth;
mod leaves;

pub use growing::GrowingBook;
pub use growth::{Growth, GrowthLimits};
pub use leaves::{Leaf, Reach, User, Widths, WidthsError};

#[cfg(test)]
mod tests;
