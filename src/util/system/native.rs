//! Windows, Linux and the like: the standard library, and the free memory of the machine.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::{fs, time::Duration};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use sysinfo::System;

use super::Interruption;
use crate::util::BYTES_PER_MEGABYTE;

pub(crate) use std::fs::{File, metadata};
pub(crate) use std::time::Instant;

/// The threads that `web` imitates.
pub(crate) mod thread {
    pub(crate) use std::thread::{
        Builder, JoinHandle, Scope, ScopedJoinHandle, available_parallelism, scope,
    };
}

/// A pool of threads for divisible work.
pub(crate) fn thread_pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// Waits for a message, for at most `timeout`.
pub(crate) fn recv_timeout<T>(
    receiver: &Receiver<T>,
    timeout: Duration,
) -> Result<T, RecvTimeoutError> {
    receiver.recv_timeout(timeout)
}

/// Default size in MB of a table.
pub(crate) const DEFAULT_TABLE_MB: usize = 256;

/// Whether there are other threads than the one that calls.
#[inline]
pub(crate) const fn has_threads() -> bool {
    true
}

/// Waits a moment for an interruption: never called, there are always threads.
pub(crate) fn pause() {}

/// What interrupts a search that occupies the only thread: nothing, there are always threads.
#[inline]
pub(crate) fn interruption() -> Option<Interruption> {
    None
}

// --- Free memory ---

/// The share of the free memory that may be allocated, in percent; the rest is for other programs.
const SHARE: u64 = 90;

/// The memory in MB (2^20 bytes) that may be allocated now, within the limits of a container, a
/// control group and the shell (`ulimit -v`). `None` if the system does not tell.
pub(crate) fn free_megabytes() -> Option<usize> {
    let mut system = System::new();
    system.refresh_memory();
    let mut free = system.available_memory();
    if let Some(limits) = system.cgroup_limits() {
        free = free.min(limits.free_memory);
    }
    let limits = [free_in_groups(), free_addresses()];
    free = limits.into_iter().flatten().fold(free, u64::min);
    (free > 0).then_some((free / BYTES_PER_MEGABYTE as u64 * SHARE / 100) as usize)
}

/// The free memory in bytes of the control groups of this process, as batch systems set them up.
/// `None` without a limit, and where there are no such groups.
fn free_in_groups() -> Option<u64> {
    let (folder, files) = memory_group(&fs::read_to_string("/proc/self/cgroup").ok()?)?;
    let groups = folder.ancestors().take_while(|group| group.starts_with(ROOT));
    groups.filter_map(|group| free_in_group(group, files)).min()
}

/// Where control groups are mounted.
const ROOT: &str = "/sys/fs/cgroup";

/// The files of a control group with its limit and its use, and the word of `memory.stat` for what
/// the system can take back.
type GroupFiles = [&'static str; 3];

/// The folder of the control group for memory that `/proc/self/cgroup` names, and its files.
fn memory_group(text: &str) -> Option<(PathBuf, GroupFiles)> {
    let group = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        if controllers.split(',').any(|controller| controller == "memory") {
            let files = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"];
            Some((Path::new(ROOT).join("memory").join(path), files))
        } else {
            let files = ["memory.max", "memory.current", "inactive_file"];
            let is_unified = controllers.is_empty();
            is_unified.then(|| (Path::new(ROOT).join(path), files))
        }
    };
    let groups: Vec<_> = text.lines().filter_map(group).collect();
    // Version 1, where it has the memory, else version 2.
    let is_first =
        |(folder, _): &&(PathBuf, GroupFiles)| folder.starts_with("/sys/fs/cgroup/memory");
    groups.iter().find(is_first).or(groups.first()).cloned()
}

/// The free memory of a control group in bytes, `None` without a limit.
fn free_in_group(group: &Path, files: GroupFiles) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(group.join(name)).ok()?;
        text.trim().parse().ok()
    };
    let [limit, used, reclaimable] = files;
    let (limit, used) = (number(limit)?, number(used)?);
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let reclaimable = second_word(&stat, reclaimable).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(reclaimable)))
}

/// The number after the first word `name` of a line.
fn second_word(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| (words.next()? == name).then(|| words.next()?.parse().ok())?)
}

/// The addresses in bytes that this process may still use, `None` without a limit.
fn free_addresses() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let used = second_word(&status, "VmSize:")?.saturating_mul(1024);
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_this_process_is_found() {
        let folder = |text: &str| memory_group(text).map(|(folder, _)| folder);
        let first = "4:memory:/slurm/job_7\n1:name=systemd:/a\n0::/unified\n";
        let expected = Some("/sys/fs/cgroup/memory/slurm/job_7".into());
        assert_eq!(folder(first), expected);
        let expected = Some("/sys/fs/cgroup/user.slice/job".into());
        assert_eq!(folder("0::/user.slice/job\n"), expected);
        assert_eq!(folder("1:cpu:/a\n"), None);
        assert_eq!(folder("nonsense"), None);
    }

    #[test]
    fn numbers_are_found_by_their_word() {
        let text = "VmPeak:  9 kB\nVmSize:\t  123 kB\n";
        assert_eq!(second_word(text, "VmSize:"), Some(123));
        assert_eq!(second_word(text, "VmRSS:"), None);
        assert_eq!(second_word("VmSize: x", "VmSize:"), None);
    }
}
