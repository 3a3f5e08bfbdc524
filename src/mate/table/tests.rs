//! Growth of the table, and what is kept when it is full.

use super::growth::FIRST_CLUSTERS;
use super::{Entry, NO_LIMIT, NO_REPETITION, ProofNumbers, Table};
use crate::types::Hand;

fn entry(subtree_size: u32) -> Entry {
    Entry {
        numbers: ProofNumbers::disproven(Hand::EMPTY, NO_REPETITION),
        subtree_size,
        limit: NO_LIMIT,
        min_depth: 1,
        mv: None,
        has_path_disproof: false,
    }
}

fn key(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn found(table: &Table, number: u64) -> Option<u32> {
    let entry = table.look_up(key(number), Hand::EMPTY, NO_LIMIT)?;
    Some(entry.subtree_size)
}

#[test]
fn entries_beyond_the_first_part_are_kept_while_the_table_can_grow() {
    let table = Table::new(8);
    table.new_problem();
    assert_eq!(table.growth.used(), FIRST_CLUSTERS);
    // More than 1 MB holds, and half of what 8 MB hold.
    let stored = 100_000;
    for number in 1..=stored {
        table.store(key(number), &entry(number as u32));
    }
    assert_eq!(table.growth.used(), 4 * FIRST_CLUSTERS);
    let kept = (1..=stored).filter(|&number| found(&table, number) == Some(number as u32));
    let kept = kept.count();
    assert!(kept > 95_000, "{kept} of {stored} are still there");

    table.new_problem();
    assert_eq!(table.growth.used(), FIRST_CLUSTERS);
    assert_eq!(table.growth.max_used(), 4 * FIRST_CLUSTERS);
}

#[test]
fn a_full_table_keeps_the_largest_subtrees() {
    let table = Table::new(1);
    table.new_problem();
    for number in 1..=200_000 {
        table.store(key(number), &entry(number as u32 % 1000));
    }
    assert_eq!(table.growth.used(), FIRST_CLUSTERS);
    let share = |sizes: std::ops::Range<u64>| {
        let numbers = (1..=200_000).filter(|number| sizes.contains(&(number % 1000)));
        numbers
            .filter(|&number| found(&table, number).is_some())
            .count()
    };
    assert!(share(900..1000) > 10 * share(0..100));
}
