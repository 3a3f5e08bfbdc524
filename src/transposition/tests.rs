//! Tests of the table: entries are found as stored, replaced by age and depth, and never found
//! under another key.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::types::{Move16, Piece, Square, Value, value};

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
    let table = TranspositionTable::new(1).expect("there is memory");
    table.new_search(Generations::All);
    for (number, value) in [(1, -31_999), (2, 0), (3, 31_999), (4, value::NONE), (5, -1)] {
        let probe = table.probe(key(number));
        assert_eq!(probe.entry, None);
        table.store(probe.slot, key(number), entry(value, 246));
        assert_eq!(found(&table, number), Some(entry(value, 246)));
        assert_eq!(table.probe(key(number).flipped()).entry, None);
    }
    table.clear();
    assert_eq!(found(&table, 1), None);
}

#[test]
fn the_cluster_is_the_same_where_words_have_32_bits() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for pairs in [1, 2, 3, 0x8000_0001, u32::MAX] {
        let edges = [0, 1, u64::MAX >> 1, 0xffff_ffff, 1 << 32];
        let values = (0..1000).map(|_| random.random::<u64>() >> 1);
        for value in edges.into_iter().chain(values) {
            let expected = (u128::from(value) * u128::from(pairs)) >> 63;
            assert_eq!(scaled_in_halves(value, pairs) as u128, expected);
        }
    }
}

#[test]
fn sides_never_share_a_cluster_and_every_cluster_is_reached() {
    for table in
        [TranspositionTable::minimal(), TranspositionTable::new(1).expect("there is memory")]
    {
        let mut seen = vec![false; table.clusters.len()];
        for number in 0..1 << 20 {
            let (black, white) = (key(number), key(number).flipped());
            let indices = (table.cluster_index(black), table.cluster_index(white));
            assert!(indices.0 % 2 == 0 && indices.1 == indices.0 + 1);
            seen[indices.0] = true;
            seen[indices.1] = true;
        }
        assert!(seen.into_iter().all(|seen| seen));
    }
}

/// A key with alternating side to move.
fn key_of_either(number: usize) -> Key64 {
    let key = key(number);
    if number.is_multiple_of(2) { key } else { key.flipped() }
}

fn store(table: &TranspositionTable, key: Key64, entry: Entry) {
    table.store(table.probe(key).slot, key, entry);
}

/// What is found under the key of a number.
fn found(table: &TranspositionTable, number: usize) -> Option<Entry> {
    table.probe(key(number)).entry
}

/// Stores one entry per number.
fn fill(table: &TranspositionTable, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let key = key_of_either(number);
        store(table, key, entry(value_of(number), 1));
    }
}

fn value_of(number: usize) -> Value {
    (number % 30_000) as Value
}

/// Number of keys that are found; each entry found must have been stored under its key.
fn count(table: &TranspositionTable, numbers: std::ops::Range<usize>) -> usize {
    let found = numbers.filter(|&number| {
        let entry = table.probe(key_of_either(number)).entry;
        assert!(entry.is_none_or(|entry| entry.value == value_of(number)));
        entry.is_some()
    });
    found.count()
}

#[test]
fn a_table_holds_nearly_what_fits() {
    const NUMBER: usize = 400_000;
    let table = TranspositionTable::new(16).expect("there is memory");
    table.new_search(Generations::All);
    fill(&table, 0..NUMBER);
    let kept = count(&table, 0..NUMBER);
    assert!(kept > NUMBER * 9 / 10, "{kept} entries are kept");
    let share = NUMBER * PERMILL / (table.clusters.len() * SLOTS);
    let hashfull = table.hashfull() as usize;
    assert!(hashfull.abs_diff(share) < share / 4, "{hashfull}, {share}");
    table.clear();
    assert_eq!(count(&table, 0..NUMBER), 0);
}

#[test]
fn a_table_of_any_size_fills_to_its_end() {
    let table = TranspositionTable::new(3).expect("there is memory");
    fill(&table, 0..1 << 20);
    assert!(count(&table, 0..1 << 20) > table.clusters.len() * SLOTS * 9 / 10);
}

#[test]
fn threads_find_only_what_is_right_while_others_store() {
    const EACH: usize = 20_000;
    let table = TranspositionTable::new(32).expect("there is memory");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let table = &table;
            scope.spawn(move || {
                for part in 0..10 {
                    let start = thread * EACH + part * (EACH / 10);
                    fill(table, start..start + EACH / 10);
                    // Keys of other threads too, while these store.
                    count(table, 0..4 * EACH);
                }
            });
        }
    });
    let kept = count(&table, 0..4 * EACH);
    assert!(kept > 4 * EACH * 9 / 10, "{kept} entries are kept");
}

#[test]
fn old_and_shallow_entries_give_way() {
    let table = TranspositionTable::minimal();
    for number in 1..=SLOTS {
        store(&table, key(number), entry(0, 10 * number as Depth));
    }
    store(&table, key(9), entry(0, 1));
    assert_eq!(found(&table, 1), None, "the shallowest went");
    assert!(found(&table, 2).is_some());
    for _ in 0..10 {
        table.new_search(Generations::All);
    }
    store(&table, key(2), entry(7, 1));
    assert_eq!(found(&table, 2), Some(entry(7, 1)));
    store(&table, key(10), entry(0, 1));
    assert_eq!(found(&table, 2), Some(entry(7, 1)));
}

#[test]
fn a_strict_search_finds_an_empty_table() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let used = TranspositionTable::minimal();
    for search in 0..200 {
        // Some searches are not strict; a strict one must not see their entries either.
        let mut fresh = None;
        if search % 50 == 17 {
            used.new_search(Generations::All);
        } else {
            used.new_search(Generations::Strict);
            fresh = Some(TranspositionTable::minimal());
        }
        assert_eq!(used.hashfull(), 0);
        for _ in 0..100 {
            let key = key(random.random_range(0..60));
            let found = entry(random.random_range(-9..9), random.random_range(0..30));
            let probe = used.probe(key);
            used.store(probe.slot, key, found);
            if let Some(fresh) = &mut fresh {
                let expected = fresh.probe(key);
                assert_eq!((probe.entry, probe.slot), (expected.entry, expected.slot));
                fresh.store(expected.slot, key, found);
                assert_eq!(used.hashfull(), fresh.hashfull());
            }
        }
    }
}

#[test]
fn after_32_searches_only_a_lasting_entry_counts_as_new() {
    for generations in [Generations::All, Generations::Strict] {
        let table = TranspositionTable::minimal();
        table.new_search(generations);
        let lasting = (key(1), entry(5, 20));
        store(&table, lasting.0, lasting.1);
        for search in 1..=100 {
            table.new_search(generations);
            let is_visible = generations == Generations::All;
            assert_eq!(table.probe(lasting.0).entry.is_some(), is_visible);
            let counts_as_new = is_visible && search % 32 == 0;
            assert_eq!(table.hashfull() > 0, counts_as_new, "search {search}");
        }
    }
}

#[test]
fn a_static_evaluation_alone_replaces_no_value() {
    let table = TranspositionTable::minimal();
    let slot = table.probe(key(1)).slot;
    let evaluation = Entry { mv: None, eval: 77, ..entry(value::NONE, 0) };
    table.store(slot, key(1), evaluation);
    assert_eq!(found(&table, 1), Some(evaluation));
    table.store(slot, key(1), entry(5, 1));
    table.new_search(Generations::All);
    table.store(slot, key(1), evaluation);
    assert_eq!(found(&table, 1), Some(entry(5, 1)));
}

#[test]
fn a_known_move_and_a_much_deeper_entry_stay() {
    let table = TranspositionTable::minimal();
    let slot = table.probe(key(1)).slot;
    table.store(slot, key(1), entry(5, 20));
    let without_move = Entry { mv: None, ..entry(6, 19) };
    table.store(slot, key(1), without_move);
    assert_eq!(found(&table, 1), Some(entry(6, 19)));
    table.store(slot, key(1), entry(7, 3));
    assert_eq!(found(&table, 1), Some(entry(6, 19)));
}

#[test]
fn torn_entries_read_as_empty() {
    let table = TranspositionTable::minimal();
    let slot = table.probe(key(1)).slot;
    table.store(slot, key(1), entry(5, 20));
    let stored = &table.clusters[slot.cluster].0[slot.slot];
    stored.tear(entry(6, 21).pack(0));
    assert_eq!(found(&table, 1), None);
}

#[test]
fn impossible_sizes_are_errors() {
    for megabytes in [usize::MAX, usize::MAX / BYTES_PER_MEGABYTE] {
        let error = TranspositionTable::new(megabytes).err();
        assert_eq!(error, Some(TableError { megabytes }));
    }
    let table = TranspositionTable::new(3);
    assert_eq!(table.map(|table| table.megabytes()), Ok(3));
}

#[test]
fn a_part_of_a_table_is_a_smaller_table() {
    let table = TranspositionTable::new(1).expect("there is memory");
    let whole = table.clusters.len();
    for active in [2, whole / 4, whole] {
        table.counts.set_extent(Extent::Supplied, whole, active);
        let mut seen = vec![false; whole];
        for number in 0..1 << 20 {
            seen[table.cluster_index(key(number))] = true;
            seen[table.cluster_index(key(number).flipped())] = true;
        }
        let expected = (0..whole).map(|cluster| cluster < active);
        assert!(seen.into_iter().eq(expected), "{active} of {whole}");
    }
}

#[test]
fn a_table_whose_memory_comes_late_is_used_as_far_as_it_is_there() {
    const MEGABYTES: usize = 256;
    let table = TranspositionTable::new(MEGABYTES).expect("there is memory");
    let whole = table.clusters.len();
    assert_eq!(table.counts.active(), whole, "a search by nodes takes all");
    table.set_extent(Extent::Supplied);
    let first = table.counts.active();
    assert!(first >= whole / 4 && first.is_multiple_of(2), "{first}");
    table.new_search(Generations::All);
    let start = std::time::Instant::now();
    while table.missing_megabytes() > 0 {
        assert!(start.elapsed().as_secs() < 120, "the rest does not come");
        table.grow();
        assert!(table.counts.active() <= whole);
        table.end_search();
        std::thread::yield_now();
    }
    table.grow();
    assert_eq!(table.counts.active(), whole);
    table.clear();
    table.set_extent(Extent::Whole);
    assert_eq!(table.counts.active(), whole);
}
