//! Tests of the table: what goes in comes out, and nothing else does.

use super::*;
use crate::types::{Piece, Square, value};

fn key(number: usize) -> Key64 {
    let mut key = Key64::EMPTY;
    for bit in 0..40 {
        if number >> bit & 1 != 0 {
            key += Key64::of_piece(Piece::BlackGold, Square::ALL[bit]);
        }
    }
    key
}

fn entry(value: Value, depth: Depth) -> Entry {
    Entry {
        mv: Move16::from_bits(0x1234),
        value,
        eval: value::NONE,
        depth,
        bound: Bound::Lower,
        is_pv: true,
    }
}

#[test]
fn entries_come_back_as_they_went_in() {
    let table = TranspositionTable::new(1).expect("one MB can be had");
    for (number, value) in [(1, -31_999), (2, 0), (3, 31_999), (4, value::NONE), (5, -1)] {
        let probe = table.probe(key(number));
        assert_eq!(probe.entry, None);
        table.store(probe.slot, key(number), entry(value, 246));
        assert_eq!(table.probe(key(number)).entry, Some(entry(value, 246)));
        assert_eq!(table.probe(key(number).flipped()).entry, None);
    }
    table.clear();
    assert_eq!(table.probe(key(1)).entry, None);
}

#[test]
fn sides_never_share_a_cluster_and_every_cluster_is_reached() {
    for table in [
        TranspositionTable::minimal(),
        TranspositionTable::new(3).expect("three MB can be had"),
    ] {
        let mut seen = vec![false; table.clusters.len()];
        for number in 0..1 << 21 {
            let (black, white) = (key(number), key(number).flipped());
            let indices = (table.cluster_index(black), table.cluster_index(white));
            assert!(indices.0 % 2 == 0 && indices.1 == indices.0 + 1);
            seen[indices.0] = true;
            seen[indices.1] = true;
        }
        assert!(seen.into_iter().all(|seen| seen));
    }
}

#[test]
fn old_and_shallow_entries_give_way() {
    let table = TranspositionTable::minimal();
    for number in 1..=SLOTS {
        let probe = table.probe(key(number));
        table.store(probe.slot, key(number), entry(0, 10 * number as Depth));
    }
    table.store(table.probe(key(9)).slot, key(9), entry(0, 1));
    assert_eq!(table.probe(key(1)).entry, None, "the shallowest went");
    assert!(table.probe(key(2)).entry.is_some());
    for _ in 0..10 {
        table.age();
    }
    table.store(table.probe(key(2)).slot, key(2), entry(7, 1));
    assert_eq!(table.probe(key(2)).entry, Some(entry(7, 1)));
    table.store(table.probe(key(10)).slot, key(10), entry(0, 1));
    assert_eq!(table.probe(key(2)).entry, Some(entry(7, 1)));
}

#[test]
fn a_known_move_and_a_much_deeper_entry_stay() {
    let table = TranspositionTable::minimal();
    let slot = table.probe(key(1)).slot;
    table.store(slot, key(1), entry(5, 20));
    let without_move = Entry {
        mv: None,
        ..entry(6, 19)
    };
    table.store(slot, key(1), without_move);
    assert_eq!(table.probe(key(1)).entry, Some(entry(6, 19)));
    table.store(slot, key(1), entry(7, 3));
    assert_eq!(table.probe(key(1)).entry, Some(entry(6, 19)));
}

#[test]
fn torn_entries_read_as_empty() {
    let table = TranspositionTable::minimal();
    let slot = table.probe(key(1)).slot;
    table.store(slot, key(1), entry(5, 20));
    let stored = &table.clusters[slot.cluster].0[slot.slot];
    stored.data.store(entry(6, 21).pack(0), Ordering::Relaxed);
    assert_eq!(table.probe(key(1)).entry, None);
}

#[test]
fn impossible_sizes_are_errors() {
    for megabytes in [usize::MAX, usize::MAX / BYTES_PER_MEGABYTE] {
        assert_eq!(
            TranspositionTable::new(megabytes).err(),
            Some(TableError { megabytes })
        );
    }
    assert_eq!(
        TranspositionTable::new(3).map(|table| table.megabytes()),
        Ok(3)
    );
}
