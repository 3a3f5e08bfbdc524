//! How much memory there is. Systems hand out more than they have and kill the program when it is
//! used, so a large table asks here first.

use sysinfo::System;

const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// Of the free memory, the part that a table may take, in percent: the rest of the system lives
/// too.
const SHARE: u64 = 90;

/// Whether a table of so many MB (2^20 bytes) fits into the memory that is free now, within the
/// limits of a container.
pub(crate) fn fits_into_memory(megabytes: usize) -> bool {
    let mut system = System::new();
    system.refresh_memory();
    let mut free = system.available_memory();
    if let Some(limits) = system.cgroup_limits() {
        free = free.min(limits.free_memory);
    }
    // 0 where the system does not tell.
    free == 0 || megabytes as u64 <= free / BYTES_PER_MEGABYTE * SHARE / 100
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
