//! Numbers of things in English.

use std::fmt::Display;

/// A number with its noun: `1 game`, `2 games`, `0 entries`.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) {
        return format!("1 {noun}");
    }
    let stem = noun.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{number} {stem}ies"),
        None if noun.ends_with("ss") || noun.ends_with('x') => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        for (number, noun, expected) in [
            (1, "game", "1 game"),
            (0, "game", "0 games"),
            (2, "ply", "2 plies"),
            (2, "day", "2 days"),
            (3, "loss", "3 losses"),
            (2, "depth", "2 depths"),
            (1, "entry", "1 entry"),
        ] {
            assert_eq!(counted::<u64>(number, noun), expected);
        }
    }
}
