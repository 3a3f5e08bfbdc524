//! One-line games: `startpos moves 7g7f …`, `sfen … moves …`.
