//! Free memory of the machine. Systems grant more than they have and kill a program that uses it,
//! so large allocations ask here first.

use super::system::free_megabytes;

/// Whether `megabytes` MB (2^20 bytes) can be allocated now. True if the system does not tell.
pub(crate) fn fits_into_memory(megabytes: usize) -> bool {
    free_megabytes().is_none_or(|free| megabytes <= free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_megabyte_fits_and_an_exabyte_does_not() {
        assert!(fits_into_memory(1));
        assert!(!fits_into_memory(1 << 40));
    }
}
