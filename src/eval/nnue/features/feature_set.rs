//! The feature sets that networks use: one table, a row each.
//!
//! Names, hashes and feature counts are those of `YaneuraOu` (`source/eval/nnue/features`), which
//! took the idea from nodchip's tanuki-. The last rows are our own sets.

use super::raicho;
use crate::eval::bona_piece::{ALL_END, ENEMY_KING, PIECES_END};

/// A feature set. Files of our own format store its index here: new sets come last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FeatureSet {
    /// Own king's square × pieces other than kings.
    HalfKp,
    /// Pieces other than kings, plus both kings as separate features.
    Kp,
    /// Pieces and kings merged, plus both kings once more as separate features.
    Ka2,
    /// [`Self::HalfKp`] × number of own attackers (0, 1, 2) × number of enemy attackers (0, 1, 2).
    HalfKpE9,
    /// [`Self::HalfKp`], mirrored so that the own king is on files 1 to 5.
    HalfKpVm,
    /// Own king's square × pieces and both kings.
    HalfKa1,
    /// Own king's square × pieces and kings, where both kings share 81 features.
    HalfKa2,
    /// [`Self::HalfKa1`], mirrored.
    HalfKaHm1,
    /// [`Self::HalfKa2`], mirrored.
    HalfKaHm2,
    /// Our own set: all piece types and kings, mirrored, without a block per king square.
    Raicho,
    /// [`Self::Raicho`] × four zones of the own king.
    Raicho4,
    /// [`Self::Raicho`] × twelve zones of the own king.
    Raicho12,
}

/// How pieces are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval::nnue) enum Numbering {
    /// `BonaPiece`: gold and promoted small pieces share a type, pieces not in the game have number
    /// 0.
    BonaPiece,
    /// Our own: every piece type is its own, pieces not in the game have no feature.
    Raicho,
}

/// Which features kings have within a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval::nnue) enum KingFeatures {
    /// None.
    None,
    /// 81 features for each king.
    Separate,
    /// 81 features that both kings share.
    Merged,
}

/// One row of the table.
struct Row {
    set: FeatureSet,
    /// Spelling in names of shapes.
    word: &'static str,
    /// Spelling in the architecture text of a file.
    name: &'static str,
    /// Part of the hashes of a file.
    hash: u32,
    /// Blocks selected by the own king's square: 81, 45 where mirrored, or zones; 1 where it
    /// selects none.
    king_buckets: u32,
    is_mirrored: bool,
    king_features: KingFeatures,
    numbering: Numbering,
    counts_kings_twice: bool,
    counts_attacks: bool,
}

const PLAIN: Row = Row {
    set: FeatureSet::HalfKp,
    word: "halfkp",
    name: "HalfKP(Friend)",
    hash: 0x5d69_d5b8,
    king_buckets: 81,
    is_mirrored: false,
    king_features: KingFeatures::None,
    numbering: Numbering::BonaPiece,
    counts_kings_twice: false,
    counts_attacks: false,
};

const HASH_OF_KINGS: u32 = 0xd3ce_e169;
const HASH_OF_PIECES: u32 = 0x764c_fb4b;
const HASH_OF_PIECES_AND_KINGS: u32 = 0xa20d_cb9b;

const RAICHO: Row = Row {
    set: FeatureSet::Raicho,
    word: "raicho",
    name: "Raicho",
    // "Raic" in ASCII; no other program uses it.
    hash: 0x5261_6963,
    king_buckets: 1,
    is_mirrored: true,
    king_features: KingFeatures::Separate,
    numbering: Numbering::Raicho,
    ..PLAIN
};

const TABLE: [Row; 12] = [
    PLAIN,
    Row {
        set: FeatureSet::Kp,
        word: "kp",
        name: "K+P",
        hash: HASH_OF_KINGS ^ HASH_OF_PIECES.rotate_left(1),
        king_buckets: 1,
        king_features: KingFeatures::Separate,
        ..PLAIN
    },
    Row {
        set: FeatureSet::Ka2,
        word: "ka2",
        name: "K+A2",
        hash: HASH_OF_KINGS ^ HASH_OF_PIECES_AND_KINGS.rotate_left(1),
        king_buckets: 1,
        king_features: KingFeatures::Merged,
        counts_kings_twice: true,
        ..PLAIN
    },
    Row {
        set: FeatureSet::HalfKpE9,
        word: "halfkpe9",
        name: "HalfKPE9(Friend)",
        counts_attacks: true,
        ..PLAIN
    },
    Row {
        set: FeatureSet::HalfKpVm,
        word: "halfkpvm",
        name: "HalfKP_vm(Friend)",
        hash: 0x0b6b_1d9a,
        king_buckets: 45,
        is_mirrored: true,
        ..PLAIN
    },
    Row {
        set: FeatureSet::HalfKa1,
        word: "halfka1",
        name: "HalfKA1(Friend)",
        hash: 0x5f13_4cb8,
        king_features: KingFeatures::Separate,
        ..PLAIN
    },
    Row {
        set: FeatureSet::HalfKa2,
        word: "halfka2",
        name: "HalfKA2(Friend)",
        hash: 0x5f23_4cb8,
        king_features: KingFeatures::Merged,
        ..PLAIN
    },
    Row {
        set: FeatureSet::HalfKaHm1,
        word: "halfkahm1",
        name: "HalfKA_hm1(Friend)",
        hash: 0x7f13_4cb8,
        king_buckets: 45,
        is_mirrored: true,
        king_features: KingFeatures::Separate,
        ..PLAIN
    },
    Row {
        set: FeatureSet::HalfKaHm2,
        word: "halfkahm2",
        name: "HalfKA_hm2(Friend)",
        hash: 0x7f23_4cb8,
        king_buckets: 45,
        is_mirrored: true,
        king_features: KingFeatures::Merged,
        ..PLAIN
    },
    RAICHO,
    Row {
        set: FeatureSet::Raicho4,
        word: "raicho4",
        name: "Raicho4",
        // "Rai4" in ASCII.
        hash: 0x5261_6934,
        king_buckets: 4,
        ..RAICHO
    },
    Row {
        set: FeatureSet::Raicho12,
        word: "raicho12",
        name: "Raicho12",
        // "Ra12" in ASCII.
        hash: 0x5261_3132,
        king_buckets: raicho::COARSE_ZONES.len() as u32,
        ..RAICHO
    },
];

const _: () = {
    let mut i = 0;
    while i < TABLE.len() {
        assert!(TABLE[i].set as usize == i);
        i += 1;
    }
};

impl FeatureSet {
    /// Every set, in the order of the table.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::HalfKp; TABLE.len()];
        let mut i = 0;
        while i < TABLE.len() {
            all[i] = TABLE[i].set;
            i += 1;
        }
        all
    };

    #[inline(always)]
    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Number of features of one side, the input dimension of the feature transformer.
    pub const fn count(self) -> usize {
        let row = self.row();
        let blocks = row.king_buckets * if row.counts_attacks { 9 } else { 1 };
        let kings_again = if row.counts_kings_twice { ALL_END - PIECES_END } else { 0 };
        (blocks * self.features_per_king() + kings_again) as usize
    }

    /// Number of blocks selected by the own king's square, 1 where it selects none.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn king_buckets(self) -> u32 {
        self.row().king_buckets
    }

    /// Number of features in each block.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn features_per_king(self) -> u32 {
        match (self.row().numbering, self.row().king_features) {
            (Numbering::Raicho, _) => raicho::FEATURES,
            (_, KingFeatures::None) => PIECES_END,
            (_, KingFeatures::Merged) => ENEMY_KING,
            (_, KingFeatures::Separate) => ALL_END,
        }
    }

    /// Whether a king on files 6 to 9 mirrors the board.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn is_mirrored(self) -> bool {
        self.row().is_mirrored
    }

    /// Whether the set is our own, which no other program knows.
    pub const fn is_own(self) -> bool {
        matches!(self.row().numbering, Numbering::Raicho)
    }

    /// Which features kings have within a block.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn king_features(self) -> KingFeatures {
        self.row().king_features
    }

    /// How pieces are numbered.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn numbering(self) -> Numbering {
        self.row().numbering
    }

    /// Whether both kings have 81 more features after the block.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn counts_kings_twice(self) -> bool {
        self.row().counts_kings_twice
    }

    /// Whether features depend on attackers. Then a move may change the feature of any piece, and
    /// accumulators are refreshed instead of updated.
    #[inline(always)]
    pub(in crate::eval::nnue) const fn counts_attacks(self) -> bool {
        self.row().counts_attacks
    }

    /// The set's part of the feature transformer hash in a file.
    pub(in crate::eval::nnue) const fn hash(self) -> u32 {
        self.row().hash
    }

    /// Spelling in the architecture text of a file: `HalfKP(Friend)`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Spelling in names of shapes: `halfkp`.
    pub const fn word(self) -> &'static str {
        self.row().word
    }

    /// The set with this spelling in architecture texts.
    pub(in crate::eval::nnue) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// The set with this spelling in names of shapes, ignoring case.
    pub(in crate::eval::nnue) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.word().eq_ignore_ascii_case(word))
    }

    /// The number of the set in files of our own format.
    pub(in crate::eval::nnue) const fn id(self) -> u32 {
        self as u32
    }

    /// The set with this number in files of our own format.
    pub(in crate::eval::nnue) fn from_id(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.id() == id)
    }

    /// The set with this number of features; no two sets have the same.
    pub(in crate::eval::nnue) fn from_count(count: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.count() == count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_counts_are_those_of_the_formats() {
        let counts = FeatureSet::ALL.map(FeatureSet::count);
        let expected = [
            125_388, 1_710, 1_791, 1_128_492, 69_660, 138_510, 131_949, 76_950, 73_305, 2_344,
            9_376, 28_128,
        ];
        assert_eq!(counts, expected);
        for set in FeatureSet::ALL {
            assert_eq!(FeatureSet::from_count(set.count()), Some(set));
            assert_eq!(FeatureSet::from_name(set.name()), Some(set));
            assert_eq!(FeatureSet::from_id(set.id()), Some(set));
            assert_eq!(FeatureSet::from_word(&set.word().to_uppercase()), Some(set));
        }
    }
}
