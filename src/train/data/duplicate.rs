//! What `dedup` merges: sums of samples, and positions of search trees.

use crate::records::packed::PackedSfen;
use crate::records::psum::PositionSum;
use crate::records::teacher::{Format, Record};
use crate::records::tree::TreePosition;

/// A position of which several can be merged into one.
pub(super) trait Duplicate: Sized {
    /// The format of the temporary files.
    const FORMAT: Format;
    /// Bytes of a position in that format.
    const SIZE: usize;

    /// Reads [`Self::SIZE`] bytes; `None` if they are no such position.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;

    /// The order of the output; equal positions are merged. Positions that differ in the second
    /// part never mix.
    fn order(&self) -> (PackedSfen, u8);

    /// Adds what an equal position says.
    fn merge(&mut self, other: &Self);

    /// Whether it is known by itself to come from several records.
    fn is_repeated(&self) -> bool {
        false
    }

    /// Whether it comes from games with different results.
    fn is_contested(&self) -> bool {
        false
    }

    /// The record to write.
    fn into_record(self) -> Record;
}

impl Duplicate for PositionSum {
    const FORMAT: Format = Format::Psum;
    const SIZE: usize = Self::SIZE;

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_bytes(bytes.try_into().ok()?))
    }

    fn order(&self) -> (PackedSfen, u8) {
        (self.position, 0)
    }

    fn merge(&mut self, other: &Self) {
        self.add(other);
    }

    fn is_repeated(&self) -> bool {
        self.count() > 1
    }

    fn is_contested(&self) -> bool {
        self.results.iter().filter(|&&count| count > 0).count() > 1
    }

    fn into_record(self) -> Record {
        Record::Sum(self)
    }
}

impl Duplicate for TreePosition {
    const FORMAT: Format = Format::Tree;
    const SIZE: usize = Self::SIZE;

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_bytes(bytes.try_into().ok()?)
    }

    fn order(&self) -> (PackedSfen, u8) {
        (self.position, self.bound as u8)
    }

    /// The value of the deeper search remains.
    fn merge(&mut self, other: &Self) {
        if other.depth > self.depth {
            *self = *other;
        }
    }

    fn into_record(self) -> Record {
        Record::Tree(self)
    }
}
