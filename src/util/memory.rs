//! Free memory of the system. Systems grant more memory than they have and kill the program when it
//! is used, so large tables check here first.

use sysinfo::System;

const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// Share of the free memory that a table may take, in percent.
const SHARE: u64 = 90;

/// Whether a table of `megabytes` MB (2^20 bytes) fits into the memory that is free now, within the
/// limits of a container.
pub(crate) fn fits_into_memory(megabytes: usize) -> bool {
    let mut system = System::new();
    system.refresh_memory();
    let mut free = system.available_memory();
    if let Some(limits) = system.cgroup_limits() {
        free = free.min(limits.free_memory);
    }
    // The system reports 0 if it does not know.
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
