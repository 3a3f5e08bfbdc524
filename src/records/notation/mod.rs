//! Moves as people write them: in Japanese (▲７六歩) and in Western letters (P-7f), and the names of
//! pieces, handicaps and sides that go with them.

pub mod handicap;
pub mod japanese;
pub mod western;

#[cfg(test)]
mod tests;
