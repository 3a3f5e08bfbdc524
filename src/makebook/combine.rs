//! Makes one entry of several for the same position.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::book::{BookEntry, BookMove, UNKNOWN_DEPTH};

/// Which entry of several books counts for a position that is in more than one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MergeRule {
    /// The one whose first move was searched deeper; then the one with more moves, then that of the
    /// earlier book. Entries without moves never count. Formats without depths count as unsearched.
    #[default]
    Deeper,
    /// That of the later book. Entries without moves never count.
    Newer,
    /// All of them: counts are added, values are means weighted by the counts, and depths are the
    /// greatest.
    Weighted,
}

impl MergeRule {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Deeper, "deeper"),
        (Self::Newer, "newer"),
        (Self::Weighted, "weighted"),
    ];
}

impl fmt::Display for MergeRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Self::ALL.iter().filter(|(rule, _)| rule == self);
        names
            .map(|(_, name)| *name)
            .try_for_each(|name| formatter.write_str(name))
    }
}

/// The name of no rule.
#[derive(Debug, Error)]
#[error("'{0}' is no rule, expected deeper, newer or weighted")]
pub struct MergeRuleError(String);

impl FromStr for MergeRule {
    type Err = MergeRuleError;

    fn from_str(text: &str) -> Result<Self, MergeRuleError> {
        let named = Self::ALL.into_iter().find(|(_, name)| *name == text);
        named.map_or_else(
            || Err(MergeRuleError(text.to_owned())),
            |(rule, _)| Ok(rule),
        )
    }
}

/// Sorts moves as the engine prefers them: the most frequent first, then the best.
pub(super) fn order(moves: &mut [BookMove]) {
    moves.sort_by_key(|known| (Reverse(known.count), Reverse(known.value)));
}

/// The depth that books of games give all their moves, with the value 0, so that `BookDepthLimit`
/// lets them pass: `YaneuraOu`'s convention.
pub(super) const GAMES_DEPTH: i32 = 32;

/// Whether moves were counted in games and not searched.
pub(super) fn is_of_games(moves: &[BookMove]) -> bool {
    moves
        .iter()
        .all(|known| (known.value, known.depth) == (0, GAMES_DEPTH))
}

/// Sorts plies; a missing one, 0, comes after all others.
pub(super) const fn ply_rank(ply: u32) -> u32 {
    ply.wrapping_sub(1)
}

/// One entry of those of one book: only those of the smallest ply count. A move that stands there
/// again replaces the earlier one, and the counts are added. `None` of nothing.
pub(super) fn of_one_book(entries: Vec<BookEntry>) -> Option<BookEntry> {
    let ply_of = |entry: &BookEntry| ply_rank(entry.ply);
    let ply = entries.iter().map(ply_of).min()?;
    let mut same = entries.into_iter().filter(|entry| ply_of(entry) == ply);
    let mut whole = same.next()?;
    let first = std::mem::take(&mut whole.moves);
    for known in first.into_iter().chain(same.flat_map(|entry| entry.moves)) {
        let earlier = whole
            .moves
            .iter_mut()
            .find(|earlier| earlier.mv == known.mv);
        match earlier {
            Some(earlier) => {
                let count = earlier.count.saturating_add(known.count);
                *earlier = BookMove { count, ..known };
            }
            None => whole.moves.push(known),
        }
    }
    order(&mut whole.moves);
    Some(whole)
}

/// One entry of those of several books, in the order of the books. It has the smallest ply of all.
pub(super) fn of_several_books(entries: Vec<BookEntry>, rule: MergeRule) -> Option<BookEntry> {
    let plies = entries.iter().map(|entry| ply_rank(entry.ply));
    let ply = plies.min()?.wrapping_add(1);
    let depth = |entry: &BookEntry| {
        let first = entry.moves.first()?.depth;
        Some(if first == UNKNOWN_DEPTH { 0 } else { first })
    };
    let chosen = match rule {
        MergeRule::Deeper => {
            // Of equal ones the last is the greatest, so the order is turned.
            let turned = entries.into_iter().rev();
            turned.max_by_key(|entry| (depth(entry), entry.moves.len()))
        }
        MergeRule::Newer => {
            let last = entries.iter().rposition(|entry| !entry.moves.is_empty());
            let last = last.unwrap_or(entries.len() - 1);
            entries.into_iter().nth(last)
        }
        MergeRule::Weighted => weighted(entries),
    };
    chosen.map(|entry| BookEntry { ply, ..entry })
}

fn weighted(entries: Vec<BookEntry>) -> Option<BookEntry> {
    struct Sum {
        known: BookMove,
        /// Of values times weights.
        values: i128,
        weights: i128,
        /// The greatest count so far, whose answer is kept.
        most: u64,
    }
    let mut entries = entries.into_iter();
    let mut whole = entries.next()?;
    let first = std::mem::take(&mut whole.moves);
    let mut sums: Vec<Sum> = Vec::new();
    for known in first
        .into_iter()
        .chain(entries.flat_map(|entry| entry.moves))
    {
        // A move without a count was seen once.
        let weight = i128::from(known.count.max(1));
        let value = i128::from(known.value) * weight;
        let Some(sum) = sums.iter_mut().find(|sum| sum.known.mv == known.mv) else {
            sums.push(Sum {
                known,
                values: value,
                weights: weight,
                most: known.count,
            });
            continue;
        };
        sum.values += value;
        sum.weights += weight;
        sum.known.depth = sum.known.depth.max(known.depth);
        sum.known.count = sum.known.count.saturating_add(known.count);
        if known.ponder.is_some() && (sum.known.ponder.is_none() || known.count > sum.most) {
            sum.known.ponder = known.ponder;
            sum.most = known.count;
        }
    }
    whole.moves = sums
        .into_iter()
        .map(|sum| {
            let half = sum.weights / 2 * sum.values.signum();
            let mean = (sum.values + half) / sum.weights;
            BookMove {
                value: i32::try_from(mean).unwrap_or(sum.known.value),
                ..sum.known
            }
        })
        .collect();
    order(&mut whole.moves);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::records::packed::PackedSfen;

    fn entry(ply: u32, moves: &[(&str, i32, i32, u64)]) -> BookEntry {
        let moves = moves.iter().map(|&(mv, value, depth, count)| BookMove {
            mv: mv.parse().expect("a move"),
            ponder: None,
            value,
            depth,
            count,
        });
        BookEntry {
            position: PackedSfen::of(&Position::startpos()),
            ply,
            moves: moves.collect(),
        }
    }

    #[test]
    fn within_a_book_the_smallest_ply_counts_and_moves_are_united() {
        let entries = vec![
            entry(3, &[("9g9f", 9, 9, 9)]),
            entry(1, &[("2g2f", 5, 5, 1), ("7g7f", 1, 2, 3)]),
            entry(0, &[("1g1f", 0, 0, 7)]),
            entry(1, &[("2g2f", 6, 4, 4)]),
        ];
        let expected = entry(1, &[("2g2f", 6, 4, 5), ("7g7f", 1, 2, 3)]);
        assert_eq!(of_one_book(entries), Some(expected));
        assert_eq!(of_one_book(Vec::new()), None);
    }

    #[test]
    fn each_rule_chooses_its_entry() {
        let old = entry(5, &[("7g7f", 10, 20, 3)]);
        let new = entry(3, &[("7g7f", 41, 18, 1), ("2g2f", 0, 18, 0)]);
        let both = vec![old.clone(), new.clone()];
        let of = |rule| of_several_books(both.clone(), rule);
        assert_eq!(
            of(MergeRule::Deeper),
            Some(BookEntry {
                ply: 3,
                ..old.clone()
            })
        );
        assert_eq!(of(MergeRule::Newer), Some(new));
        let weighted = entry(3, &[("7g7f", 18, 20, 4), ("2g2f", 0, 18, 0)]);
        assert_eq!(of(MergeRule::Weighted), Some(weighted));
        for rule in [MergeRule::Deeper, MergeRule::Newer] {
            let twice = of_several_books(vec![old.clone(), old.clone()], rule);
            assert_eq!(twice, Some(old.clone()), "{rule}");
        }
        // Entries without moves never count, and a depth that no search reached is none.
        let empty = entry(1, &[]);
        for rule in [MergeRule::Deeper, MergeRule::Newer] {
            for both in [
                vec![empty.clone(), old.clone()],
                vec![old.clone(), empty.clone()],
            ] {
                let found = of_several_books(both, rule);
                assert_eq!(
                    found,
                    Some(BookEntry {
                        ply: 1,
                        ..old.clone()
                    }),
                    "{rule}"
                );
            }
        }
        let unknown = entry(5, &[("2g2f", 0, UNKNOWN_DEPTH, 1)]);
        let deeper = of_several_books(vec![unknown, old.clone()], MergeRule::Deeper);
        assert_eq!(deeper, Some(old));
    }
}
