//! The kinds of inputs that networks know: one table, a row each.
//!
//! Names, hashes and numbers of inputs are those of `YaneuraOu` (`source/eval/nnue/features`), which took the idea from
//! nodchip's tanuki-. The last row is our own.

use super::features::{ALL_END, ENEMY_KING, OWN_END, PIECES_END};

/// A kind of inputs. Files of our own format know it by its place here: new ones come last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inputs {
    /// Own king's square × pieces.
    HalfKp,
    /// Pieces and, apart from them, kings.
    Kp,
    /// Pieces with kings, and the kings once more.
    Ka2,
    /// As [`Self::HalfKp`], × attacked by 0, 1, 2 own × 0, 1, 2 enemy pieces.
    HalfKpE9,
    /// As [`Self::HalfKp`], mirrored so that the own king is on files 1 to 5.
    HalfKpVm,
    /// Own king's square × pieces and both kings.
    HalfKa1,
    /// Own king's square × pieces and kings, where both kings share their numbers.
    HalfKa2,
    /// As [`Self::HalfKa1`], mirrored.
    HalfKaHm1,
    /// As [`Self::HalfKa2`], mirrored.
    HalfKaHm2,
    /// Our own: pieces of every kind and kings, mirrored, without regard to where the own king stands otherwise.
    Own,
}

/// Which numbers pieces have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbering {
    /// Those that the shogi world shares: whatever moves as gold is one, and so is what is not in the game.
    Shared,
    /// Our own: promoted pieces are kinds of their own, what is not in the game is nothing.
    Own,
}

/// What kings are among the pieces of a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kings {
    /// No inputs.
    None,
    /// Inputs of their own.
    Apart,
    /// Inputs that do not tell whose king it is.
    Together,
}

/// One row of the table.
struct Row {
    inputs: Inputs,
    /// As shape names spell it.
    word: &'static str,
    /// As the architecture text of a file spells it.
    name: &'static str,
    /// What a file's hashes are made of.
    hash: u32,
    /// Squares of the own king that are told apart; 1 where it does not matter.
    planes: u32,
    is_mirrored: bool,
    kings: Kings,
    numbering: Numbering,
    counts_kings_twice: bool,
    counts_attacks: bool,
}

const PLAIN: Row = Row {
    inputs: Inputs::HalfKp,
    word: "halfkp",
    name: "HalfKP(Friend)",
    hash: 0x5d69_d5b8,
    planes: 81,
    is_mirrored: false,
    kings: Kings::None,
    numbering: Numbering::Shared,
    counts_kings_twice: false,
    counts_attacks: false,
};

const HASH_OF_KINGS: u32 = 0xd3ce_e169;
const HASH_OF_PIECES: u32 = 0x764c_fb4b;
const HASH_OF_PIECES_AND_KINGS: u32 = 0xa20d_cb9b;

const TABLE: [Row; 10] = [
    PLAIN,
    Row {
        inputs: Inputs::Kp,
        word: "kp",
        name: "K+P",
        hash: HASH_OF_KINGS ^ HASH_OF_PIECES.rotate_left(1),
        planes: 1,
        kings: Kings::Apart,
        ..PLAIN
    },
    Row {
        inputs: Inputs::Ka2,
        word: "ka2",
        name: "K+A2",
        hash: HASH_OF_KINGS ^ HASH_OF_PIECES_AND_KINGS.rotate_left(1),
        planes: 1,
        kings: Kings::Together,
        counts_kings_twice: true,
        ..PLAIN
    },
    Row {
        inputs: Inputs::HalfKpE9,
        word: "halfkpe9",
        name: "HalfKPE9(Friend)",
        counts_attacks: true,
        ..PLAIN
    },
    Row {
        inputs: Inputs::HalfKpVm,
        word: "halfkpvm",
        name: "HalfKP_vm(Friend)",
        hash: 0x0b6b_1d9a,
        planes: 45,
        is_mirrored: true,
        ..PLAIN
    },
    Row {
        inputs: Inputs::HalfKa1,
        word: "halfka1",
        name: "HalfKA1(Friend)",
        hash: 0x5f13_4cb8,
        kings: Kings::Apart,
        ..PLAIN
    },
    Row {
        inputs: Inputs::HalfKa2,
        word: "halfka2",
        name: "HalfKA2(Friend)",
        hash: 0x5f23_4cb8,
        kings: Kings::Together,
        ..PLAIN
    },
    Row {
        inputs: Inputs::HalfKaHm1,
        word: "halfkahm1",
        name: "HalfKA_hm1(Friend)",
        hash: 0x7f13_4cb8,
        planes: 45,
        is_mirrored: true,
        kings: Kings::Apart,
        ..PLAIN
    },
    Row {
        inputs: Inputs::HalfKaHm2,
        word: "halfkahm2",
        name: "HalfKA_hm2(Friend)",
        hash: 0x7f23_4cb8,
        planes: 45,
        is_mirrored: true,
        kings: Kings::Together,
        ..PLAIN
    },
    Row {
        inputs: Inputs::Own,
        word: "raicho",
        name: "Raicho",
        // "Raic", as good as any.
        hash: 0x5261_6963,
        planes: 1,
        is_mirrored: true,
        kings: Kings::Apart,
        numbering: Numbering::Own,
        ..PLAIN
    },
];

const _: () = {
    let mut i = 0;
    while i < TABLE.len() {
        assert!(TABLE[i].inputs as usize == i);
        i += 1;
    }
};

impl Inputs {
    /// Every kind.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::HalfKp; TABLE.len()];
        let mut i = 0;
        while i < TABLE.len() {
            all[i] = TABLE[i].inputs;
            i += 1;
        }
        all
    };

    #[inline(always)]
    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// How many inputs there are for each side.
    pub const fn count(self) -> usize {
        let row = self.row();
        let planes = row.planes * if row.counts_attacks { 9 } else { 1 };
        let kings_again = if row.counts_kings_twice {
            ALL_END - PIECES_END
        } else {
            0
        };
        (planes * self.pieces_per_plane() + kings_again) as usize
    }

    /// The squares of the own king that are told apart, 1 where it does not matter.
    #[inline(always)]
    pub(crate) const fn planes(self) -> u32 {
        self.row().planes
    }

    /// The inputs of each plane.
    #[inline(always)]
    pub(crate) const fn pieces_per_plane(self) -> u32 {
        match (self.row().numbering, self.row().kings) {
            (Numbering::Own, _) => OWN_END,
            (_, Kings::None) => PIECES_END,
            (_, Kings::Together) => ENEMY_KING,
            (_, Kings::Apart) => ALL_END,
        }
    }

    /// Whether a king on files 6 to 9 turns left and right of the board around.
    #[inline(always)]
    pub(crate) const fn is_mirrored(self) -> bool {
        self.row().is_mirrored
    }

    /// What kings are among the pieces of a plane.
    #[inline(always)]
    pub(crate) const fn kings(self) -> Kings {
        self.row().kings
    }

    /// Which numbers pieces have.
    #[inline(always)]
    pub(crate) const fn numbering(self) -> Numbering {
        self.row().numbering
    }

    /// Whether kings have inputs behind the plane as well.
    #[inline(always)]
    pub(crate) const fn counts_kings_twice(self) -> bool {
        self.row().counts_kings_twice
    }

    /// Whether it matters by how many pieces a piece is attacked: then any move may change any input.
    #[inline(always)]
    pub(crate) const fn counts_attacks(self) -> bool {
        self.row().counts_attacks
    }

    /// What the hash of the transformer in a file is made of.
    pub(crate) const fn hash(self) -> u32 {
        self.row().hash
    }

    /// As the architecture text of a file spells it: `HalfKP(Friend)`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// As names of shapes spell it: `halfkp`.
    pub const fn word(self) -> &'static str {
        self.row().word
    }

    /// The kind that architecture texts call so.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|inputs| inputs.name() == name)
    }

    /// The kind that names of shapes call so, in capitals or not.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|inputs| inputs.word().eq_ignore_ascii_case(word))
    }

    /// As files of our own format number it.
    pub(crate) const fn id(self) -> u32 {
        self as u32
    }

    /// The kind that files of our own format number so.
    pub(crate) fn from_id(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|inputs| inputs.id() == id)
    }

    /// The kind with so many inputs; no two have the same number.
    pub(crate) fn from_count(count: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|inputs| inputs.count() == count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_inputs_are_known() {
        let counts = Inputs::ALL.map(Inputs::count);
        let expected = [
            125_388, 1_710, 1_791, 1_128_492, 69_660, 138_510, 131_949, 76_950, 73_305, 2_344,
        ];
        assert_eq!(counts, expected);
        for inputs in Inputs::ALL {
            assert_eq!(Inputs::from_count(inputs.count()), Some(inputs));
            assert_eq!(Inputs::from_name(inputs.name()), Some(inputs));
            assert_eq!(Inputs::from_id(inputs.id()), Some(inputs));
            assert_eq!(
                Inputs::from_word(&inputs.word().to_uppercase()),
                Some(inputs)
            );
        }
    }
}
