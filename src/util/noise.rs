//! Random numbers that are computed from their index.

/// The increment of `SplitMix64` (Vigna 2015): 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Value `index` of the generator `SplitMix64` with seed 0.
pub(crate) const fn split_mix(index: u64) -> u64 {
    mixed(index.wrapping_mul(GOLDEN))
}

/// Hashes a number: the step of `SplitMix64` from it.
pub(crate) const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(GOLDEN);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A number of mean 0 and standard deviation 1: the sum of four uniform ones, which is close to a
/// normal distribution up to three deviations and ends at 3.5.
pub(crate) fn normal(seed: u64, index: u64) -> f64 {
    let bits = mixed(mixed(seed) ^ index);
    let words = [0, 16, 32, 48].map(|shift| (bits >> shift) as u16);
    let sum: f64 = words.into_iter().map(|word| f64::from(word) + 0.5).sum();
    let centered = sum / f64::from(1_u32 << u16::BITS) - 2.0;
    centered * 3.0_f64.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_moments_of_a_normal_distribution() {
        const COUNT: u32 = 100_000;
        let moment = |power: i32| {
            let numbers = (0..COUNT).map(|index| normal(7, index.into()).powi(power));
            numbers.sum::<f64>() / f64::from(COUNT)
        };
        assert!(moment(1).abs() < 0.02, "{}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.02, "{}", moment(2));
        // 3 for a normal distribution, 1.8 for a uniform one.
        assert!((2.5..3.1).contains(&moment(4)), "{}", moment(4));
        assert!(normal(7, 1).to_bits() != normal(8, 1).to_bits());
    }
}
