//! Moves in the 16 bits of Apery, which hcpe, hcpe3 and `.pack` store: bits 0-6 the target square,
//! bits 7-13 the origin, bit 14 the promotion. A drop has the origin 81 (pawn) to 87 (gold).
//! [`Move16`] has the layout of `YaneuraOu`.

use crate::types::{Move16, PieceType, Square};

/// The first bit of the origin, and the width of the target.
pub(super) const FROM_SHIFT: u32 = 7;
/// The bits of one square field, at its lowest place.
pub(super) const FIELD_MASK: u16 = 0x7f;
const PROMOTION: u16 = 1 << 14;
/// The drop and promotion bits of `Move16`, whose order differs from Apery's.
const OWN_DROP: u16 = 1 << 14;
const OWN_PROMOTION: u16 = 1 << 15;
/// The origin of a pawn drop.
const FIRST_DROP: u16 = Square::NUM as u16;

/// Converts a move to Apery's 16 bits.
pub const fn to_apery(mv: Move16) -> u16 {
    let bits = mv.to_bits();
    let to = bits & FIELD_MASK;
    let origin = bits >> FROM_SHIFT & FIELD_MASK;
    if mv.is_drop() {
        to | (FIRST_DROP + origin - PieceType::Pawn as u16) << FROM_SHIFT
    } else if mv.is_promotion() {
        to | origin << FROM_SHIFT | PROMOTION
    } else {
        to | origin << FROM_SHIFT
    }
}

/// Converts Apery's 16 bits to a move; `None` if a field is out of range, a drop promotes, or both
/// squares are the same.
pub const fn from_apery(bits: u16) -> Option<Move16> {
    let to = bits & FIELD_MASK;
    let origin = bits >> FROM_SHIFT & FIELD_MASK;
    let is_promotion = bits & PROMOTION != 0;
    if to >= Square::NUM as u16 || to == origin || bits & !(PROMOTION | (PROMOTION - 1)) != 0 {
        return None;
    }
    if origin < Square::NUM as u16 {
        let promotion = if is_promotion { OWN_PROMOTION } else { 0 };
        return Move16::from_bits(to | origin << FROM_SHIFT | promotion);
    }
    let kind = origin - FIRST_DROP + PieceType::Pawn as u16;
    if is_promotion || kind > PieceType::Gold as u16 {
        return None;
    }
    Move16::from_bits(to | kind << FROM_SHIFT | OWN_DROP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_comes_back() {
        let mut possible = 0;
        for bits in 0..=u16::MAX {
            if let Some(mv) = from_apery(bits) {
                assert_eq!(to_apery(mv), bits, "{mv}");
                assert!(mv.to().is_some() && (mv.from().is_some() || mv.dropped_kind().is_some()));
                possible += 1;
            }
        }
        assert_eq!(possible, 81 * 80 * 2 + 81 * 7);
    }

    #[test]
    fn known_values() {
        // Computed with cshogi: `Board().move_from_usi(text) & 0xffff`.
        for (text, bits) in [
            ("7g7f", 7739),
            ("8h2b+", 25354),
            ("P*5e", 10408),
            ("G*5e", 11176),
        ] {
            assert_eq!(text.parse().map(to_apery), Ok(bits), "{text}");
        }
    }
}
