//! What the solver remembers: positions by their board, in clusters, and within a cluster by what the attacker holds.
//!
//! A mate that is proved for one hand is proved for every larger one, because nobody must drop what he holds, and what the
//! attacker has the defender lacks for interpositions. A refutation holds for every smaller hand. So one entry answers for
//! many positions with the same board (Seo's and Nagai's proof and disproof hands).
//!
//! A slot is four atomics, the first of which is the key mixed with the others: a slot that two threads wrote at once matches
//! no key and reads as empty. Full clusters lose the entry below which the least work lies (Nagai's "small tree" rule),
//! so that the proof of a long mate survives in a small table: nothing has to stop and collect garbage.
//!
//! Each problem is a generation with its own keys: entries of former problems are out of sight and are the first to go.
//! It begins with a small part of the table, see [`growth`].

mod growth;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use bytemuck::Zeroable;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use self::growth::{Growth, cluster_of};
use super::outlook::{INFINITE, NO_HORIZON, NO_LIMIT, Outlook};
use crate::types::{Hand, Move16};
use crate::util::{ZeroedPages, fits_into_memory, prefetch};

/// 256 bytes.
const SLOTS: usize = 8;

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    hand_and_amount: AtomicU64,
    numbers: AtomicU64,
    rest: AtomicU64,
}

#[derive(Zeroable)]
#[repr(C, align(64))]
struct Cluster([Slot; SLOTS]);

const BYTES_PER_MEGABYTE: usize = 1 << 20;
const HASHFULL_CLUSTERS: usize = 125;
const PERMILL: usize = 1000;
/// Bits of [`Entry::generation`].
const LAST_GENERATION: u8 = u8::MAX;
const LOOPS: u64 = 1 << 56;
const IS_LOOP: u64 = 1 << 57;

/// What is remembered about one board and the hands that an entry answers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The numbers; `horizon` is not kept.
    pub(super) outlook: Outlook,
    /// How many nodes lie below, for what to keep.
    pub(super) amount: u32,
    /// How many plies the search that found this had left. Of a mate the length counts.
    pub(super) limit: u16,
    /// The least number of moves from the root at which the position was met.
    pub(super) depth: u16,
    /// The first move of the proof or of the refutation.
    pub(super) mv: Option<Move16>,
    /// On some path this position was refuted by repetition: ask for that too.
    pub(super) loops: bool,
}

/// The four words of a slot.
#[derive(Clone, Copy)]
struct Words([u64; 3]);

impl Words {
    fn of(entry: &Entry, generation: u8, flags: u64) -> Self {
        let outlook = &entry.outlook;
        let plies = if outlook.is_mate() {
            outlook.length
        } else {
            entry.limit
        };
        let loops = if entry.loops { LOOPS } else { 0 };
        Self([
            u64::from(outlook.hand.to_bits()) | u64::from(entry.amount) << 32,
            u64::from(outlook.proof) | u64::from(outlook.disproof) << 32,
            u64::from(entry.mv.map_or(0, Move16::to_bits))
                | u64::from(plies) << 16
                | u64::from(entry.depth) << 32
                | u64::from(generation) << 48
                | loops
                | flags,
        ])
    }

    /// Rotated, so that two changes at the same place do not cancel out.
    fn mixed(self) -> u64 {
        self.0[0] ^ self.0[1].rotate_left(21) ^ self.0[2].rotate_left(43)
    }

    fn entry(self) -> Entry {
        let Self([first, numbers, rest]) = self;
        let plies = (rest >> 16) as u16;
        let (proof, disproof) = (numbers as u32, (numbers >> 32) as u32);
        let is_mate = proof == 0;
        Entry {
            outlook: Outlook {
                proof,
                disproof,
                hand: Hand::from_bits(first as u32),
                length: if is_mate { plies } else { 0 },
                horizon: NO_HORIZON,
            },
            amount: (first >> 32) as u32,
            limit: if is_mate { NO_LIMIT } else { plies },
            depth: (rest >> 32) as u16,
            mv: Move16::from_bits(rest as u16),
            loops: rest & LOOPS != 0,
        }
    }

    fn generation(self) -> u8 {
        (self.0[2] >> 48) as u8
    }

    fn amount(self) -> u32 {
        (self.0[0] >> 32) as u32
    }

    fn is_loop(self) -> bool {
        self.0[2] & IS_LOOP != 0
    }
}

impl Slot {
    fn load(&self) -> (u64, Words) {
        let words = Words([
            self.hand_and_amount.load(Ordering::Relaxed),
            self.numbers.load(Ordering::Relaxed),
            self.rest.load(Ordering::Relaxed),
        ]);
        (self.check.load(Ordering::Relaxed) ^ words.mixed(), words)
    }

    fn store(&self, key: u64, words: Words) {
        self.check.store(key ^ words.mixed(), Ordering::Relaxed);
        self.hand_and_amount.store(words.0[0], Ordering::Relaxed);
        self.numbers.store(words.0[1], Ordering::Relaxed);
        self.rest.store(words.0[2], Ordering::Relaxed);
    }

    fn clear(&self) {
        self.store(0, Words([0; 3]));
    }
}

/// The table.
pub(super) struct Table {
    clusters: ZeroedPages<Cluster>,
    growth: Growth,
    generation: AtomicU8,
}

impl Table {
    /// An empty table of at most `megabytes` MB, at least one: smaller where the system has not so much.
    ///
    /// # Panics
    /// Panics where the system has not a single page left.
    pub(super) fn new(megabytes: usize) -> Self {
        let mut size = megabytes.max(1);
        let clusters = loop {
            let count = size * (BYTES_PER_MEGABYTE / size_of::<Cluster>());
            let fits = size == 1 || fits_into_memory(size);
            match fits.then(|| ZeroedPages::on_demand(count)) {
                Some(Ok(clusters)) => break clusters,
                _ if size > 1 => size /= 2,
                _ => break ZeroedPages::on_demand(1).expect("a page can be had"),
            }
        };
        Self {
            growth: Growth::new(clusters.len()),
            clusters,
            generation: AtomicU8::new(0),
        }
    }

    /// The size in whole MB.
    pub(super) fn megabytes(&self) -> usize {
        size_of_val(&*self.clusters) / BYTES_PER_MEGABYTE
    }

    /// Forgets the problems before. No search may be running.
    pub(super) fn new_problem(&self) {
        let generation = self.generation.load(Ordering::Relaxed);
        if generation == LAST_GENERATION {
            let clear = |cluster: &Cluster| cluster.0.iter().for_each(Slot::clear);
            self.clusters[..self.growth.widest()]
                .par_iter()
                .for_each(clear);
        }
        let next = generation.checked_add(1).unwrap_or(1);
        self.generation.store(next, Ordering::Relaxed);
        self.growth.begin_anew(self.clusters.len());
    }

    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    /// What the keys of the running problem begin with.
    pub(super) fn salt(&self) -> u64 {
        u64::from(self.generation()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters[cluster_of(key, self.growth.part())]
    }

    /// Brings the entries of a board near.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        let cluster = self.cluster(key);
        for pair in cluster.0.chunks(2) {
            prefetch(&pair[0]);
        }
    }

    /// What is known about a board when the attacker holds `hand` and has `limit` plies left.
    #[inline]
    pub(super) fn look_up(&self, key: u64, hand: Hand, limit: u16) -> Option<Entry> {
        let mut found: Option<Entry> = None;
        for slot in &self.cluster(key).0 {
            let (stored, words) = slot.load();
            if stored != key || words.is_loop() {
                continue;
            }
            let entry = words.entry();
            let outlook = &entry.outlook;
            if outlook.is_mate() {
                let is_shorter = found.is_none_or(|found| {
                    !found.outlook.is_mate() || outlook.length < found.outlook.length
                });
                if hand.dominates(outlook.hand) && outlook.length <= limit && is_shorter {
                    found = Some(entry);
                }
            } else if outlook.is_refuted() {
                if outlook.hand.dominates(hand) && entry.limit >= limit {
                    return Some(entry);
                }
            } else if outlook.hand == hand && entry.limit == limit && found.is_none() {
                found = Some(entry);
            }
        }
        found
    }

    /// Remembers an entry; an open one carries its hand too.
    pub(super) fn store(&self, key: u64, entry: &Entry) {
        let generation = self.generation();
        let (mut victim, mut least) = (None, u64::MAX);
        let mut is_replacing = false;
        for slot in &self.cluster(key).0 {
            let (stored, words) = slot.load();
            let mut worth = if words.generation() == generation {
                u64::from(words.amount()) + 1
            } else {
                0
            };
            if stored == key && !words.is_loop() && words.generation() == generation {
                let old = words.entry();
                if answers(&old, entry) {
                    return;
                }
                if answers(entry, &old) || is_same(&old, entry) {
                    if is_replacing {
                        slot.clear();
                        continue;
                    }
                    is_replacing = true;
                    worth = 0;
                }
            }
            if worth < least || worth == 0 && stored == key {
                (victim, least) = (Some(slot), worth);
            }
        }
        if let Some(slot) = victim {
            slot.store(key, Words::of(entry, generation, 0));
            if least > 0 {
                self.growth.note_loss(&self.clusters, generation);
            }
        }
    }

    /// The horizon of a refutation by repetition, for those who come by the path that `key` stands for.
    pub(super) fn loop_horizon(&self, key: u64) -> Option<(u16, Hand)> {
        let found = self.cluster(key).0.iter().find_map(|slot| {
            let (stored, words) = slot.load();
            (stored == key && words.is_loop()).then_some(words)
        })?;
        let entry = found.entry();
        Some((entry.depth, entry.outlook.hand))
    }

    /// Remembers such a refutation.
    pub(super) fn store_loop(&self, key: u64, horizon: u16, hand: Hand, amount: u32) {
        let generation = self.generation();
        let entry = Entry {
            outlook: Outlook::refuted(hand, NO_HORIZON),
            amount,
            limit: NO_LIMIT,
            depth: horizon,
            mv: None,
            loops: false,
        };
        let worth = |slot: &Slot| {
            let (stored, words) = slot.load();
            match words.generation() == generation {
                _ if stored == key => 0,
                true => u64::from(words.amount()) + 1,
                false => 0,
            }
        };
        let slots = self.cluster(key).0.iter();
        let Some((least, slot)) = slots
            .map(|slot| (worth(slot), slot))
            .min_by_key(|(worth, _)| *worth)
        else {
            return;
        };
        slot.store(key, Words::of(&entry, generation, IS_LOOP));
        if least > 0 {
            self.growth.note_loss(&self.clusters, generation);
        }
    }

    /// How full the whole table is, in permill.
    pub(super) fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let sample = self.clusters.iter().take(HASHFULL_CLUSTERS);
        let slots = sample.flat_map(|cluster| &cluster.0);
        let (mut all, mut used) = (0, 0);
        for slot in slots {
            all += 1;
            used += usize::from(slot.load().1.generation() == generation);
        }
        let of_part = used * PERMILL / all.max(1);
        (of_part * self.growth.part() / self.clusters.len()) as u32
    }
}

/// Whether whatever `new` says about a position, `old` says too.
fn answers(old: &Entry, new: &Entry) -> bool {
    let (before, after) = (&old.outlook, &new.outlook);
    if before.is_mate() {
        let is_larger = after.hand.dominates(before.hand);
        is_larger
            && !after.is_refuted()
            && (!after.is_mate() || before.length <= after.length)
            && (after.is_mate() || before.length <= new.limit)
    } else if before.is_refuted() {
        before.hand.dominates(after.hand) && !after.is_mate() && old.limit >= new.limit
    } else {
        false
    }
}

/// Whether both are estimates of the same position.
fn is_same(old: &Entry, new: &Entry) -> bool {
    !old.outlook.is_settled()
        && !new.outlook.is_settled()
        && old.outlook.hand == new.outlook.hand
        && old.limit == new.limit
}

const _: () = assert!(INFINITE < u32::MAX);
