//! The groups of inputs of the first layer that are not all 0, listed without a branch for each: a
//! table has the places of the bits of each byte, as in Stockfish.
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use super::simd::Simd;

/// Input bytes in a group: those that one 32-bit lane multiplies at once.
pub(super) const GROUP: usize = 4;

/// Inputs of the first layer are padded with zeros to a multiple of this, the widest vector in
/// bytes.
pub(super) const INPUT_STEP: usize = 64;

/// Places of a byte.
pub(super) const PLACES: usize = 8;

/// For each byte the places of its bits that are set, in ascending order; the rest is 0.
static BITS: [[u16; PLACES]; 256] = {
    let mut places = [[0; PLACES]; 256];
    let mut byte = 0;
    while byte < places.len() {
        let (mut place, mut count) = (0, 0);
        while place < PLACES {
            if byte & 1 << place != 0 {
                places[byte][count] = place as u16;
                count += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

/// Lists the groups of inputs that are not all 0 in ascending order and returns their number.
///
/// # Safety
/// The processor has the instruction set of `S`. `input` has `groups` groups, a multiple of those
/// in [`INPUT_STEP`] bytes, and `to` has room for [`PLACES`] more.
#[inline(always)]
pub(super) unsafe fn list_active<S: Simd>(input: *const u8, groups: usize, to: *mut u16) -> usize {
    const STEP: usize = INPUT_STEP / GROUP;
    debug_assert!(groups.is_multiple_of(STEP) && u16::try_from(groups).is_ok());
    let mut count = 0;
    for base in (0..groups).step_by(STEP) {
        let mut mask = 0;
        let () = S::LANES_DIVIDE;
        for group in (0..STEP).step_by(S::I32_LANES) {
            // SAFETY: the caller vouches for `S` and `input`; vectors of groups divide a step.
            mask |= unsafe { S::nonzero_groups(input.add((base + group) * GROUP)) } << group;
        }
        for first in (0..STEP).step_by(PLACES) {
            let bits = (mask >> first) as u8;
            let places = BITS[usize::from(bits)].map(|place| place + (base + first) as u16);
            // SAFETY: at most as many groups are listed as there are before these places, and
            // the caller vouches for room for `PLACES` more.
            unsafe {
                to.add(count)
                    .cast::<[u16; PLACES]>()
                    .write_unaligned(places);
            };
            count += bits.count_ones() as usize;
        }
    }
    count
}
