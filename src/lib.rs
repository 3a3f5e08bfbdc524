//! Raicho (雷鳥), a USI shogi engine.

pub(crate) mod util;
