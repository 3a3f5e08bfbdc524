//! Free memory of the machine. Systems grant more than they have and kill a program that uses it,
//! so large allocations ask here first.

use sysinfo::System;

const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// The share of the free memory that may be allocated, in percent; the rest is for other programs.
const SHARE: u64 = 90;

/// The memory in MB (2^20 bytes) that may be allocated now, within the limits of a container.
/// `None` if the system does not tell.
pub(crate) fn free_megabytes() -> Option<usize> {
    let mut system = System::new();
    system.refresh_memory();
    let mut free = system.available_memory();
    if let Some(limits) = system.cgroup_limits() {
        free = free.min(limits.free_memory);
    }
    (free > 0).then_some((free / BYTES_PER_MEGABYTE * SHARE / 100) as usize)
}

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
