//! A record of 16 bytes: key, move, count and score, little endian.

use crate::book::entry::{BookMove, UNKNOWN_DEPTH};
use crate::book::fault::{BookFault, Place, Problem};
use crate::records::apery_move::{from_apery, to_apery};

/// Bytes of a record.
pub(super) const RECORD: usize = 16;
/// Records that are looked at to tell the format.
const SAMPLES: usize = 4096;

/// A record: a move of the position with this key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub(super) key: u64,
    pub(super) known: BookMove,
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// Its move is none.
    pub(super) fn read(bytes: &[u8; RECORD]) -> Result<Self, Problem> {
        let [
            k0,
            k1,
            k2,
            k3,
            k4,
            k5,
            k6,
            k7,
            m0,
            m1,
            c0,
            c1,
            s0,
            s1,
            s2,
            s3,
        ] = *bytes;
        let bits = u16::from_le_bytes([m0, m1]);
        let mv = from_apery(bits).ok_or(Problem::MoveBits(bits.into()))?;
        Ok(Self {
            key: u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
            known: BookMove {
                mv,
                ponder: None,
                value: i32::from_le_bytes([s0, s1, s2, s3]),
                depth: UNKNOWN_DEPTH,
                count: u16::from_le_bytes([c0, c1]).into(),
            },
        })
    }

    /// The bytes of the record; the count must fit into 16 bits.
    pub(super) fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..10].copy_from_slice(&to_apery(self.known.mv).to_le_bytes());
        bytes[10..12].copy_from_slice(&(self.known.count as u16).to_le_bytes());
        bytes[12..].copy_from_slice(&self.known.value.to_le_bytes());
        bytes
    }
}

/// Whether at least half of the first records have a move.
pub(in crate::book) fn are_records(head: &[u8]) -> bool {
    let records = &head.as_chunks::<RECORD>().0;
    let records = &records[..records.len().min(SAMPLES)];
    let good = records.iter().filter(|record| Record::read(record).is_ok());
    !records.is_empty() && good.count() * 2 >= records.len()
}

/// Reads all records of a file, in order of the key, those of one key in the order of the file.
pub(super) fn read_all(bytes: &[u8], mut on_fault: impl FnMut(BookFault)) -> Vec<Record> {
    let (chunks, rest) = bytes.as_chunks::<RECORD>();
    let mut records = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        match Record::read(chunk) {
            Ok(record) => records.push(record),
            Err(problem) => on_fault(BookFault::new(place_of(index), problem)),
        }
    }
    if !rest.is_empty() {
        let place = place_of(chunks.len());
        on_fault(BookFault::new(place, Problem::Rest(rest.len())));
    }
    records.sort_by_key(|record| record.key);
    records
}

/// Finds records that belong before the one before them, which programs that bisect do not find.
pub(super) fn check_order(bytes: &[u8], mut on_fault: impl FnMut(BookFault)) {
    let mut last = 0;
    for (index, chunk) in bytes.as_chunks::<RECORD>().0.iter().enumerate() {
        let Ok(record) = Record::read(chunk) else {
            continue;
        };
        if record.key < last {
            on_fault(BookFault::new(place_of(index), Problem::Order));
        }
        last = record.key;
    }
}

/// Where a record begins.
const fn place_of(index: usize) -> Place {
    Place::Byte((index * RECORD) as u64)
}

/// The records of a key in sorted records.
pub(super) fn of_key(records: &[Record], key: u64) -> &[Record] {
    let start = records.partition_point(|record| record.key < key);
    let rest = &records[start..];
    let count = rest.partition_point(|record| record.key == key);
    &rest[..count]
}
