//! Runs work that reports its progress and can be ended, with a progress bar and until Ctrl-C.

use std::sync::OnceLock;

use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use crate::runs::{Stop, Watch};

/// Runs `work` with a progress bar that counts in units of `size`; Ctrl-C ends it.
pub(super) fn watched<T, E: std::error::Error + Send + Sync + 'static>(
    unit: &'static str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> anyhow::Result<T> {
    metered(&*stop_on_ctrl_c()?, unit, size, work)
}

/// The same with another reason to end.
pub(super) fn metered<T, E: std::error::Error + Send + Sync + 'static>(
    stop: &Stop,
    unit: &'static str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> anyhow::Result<T> {
    let meter = OnceLock::new();
    let progress = |done: u64, total: u64| {
        let length = total.div_ceil(size);
        let meter = meter.get_or_init(|| Meter::new(unit, Some(length), 0));
        meter.advance(done / size, format!("of {length}"));
    };
    let result = work(&Watch {
        stop,
        progress: &progress,
    });
    if let Some(meter) = meter.get() {
        meter.finish();
    }
    Ok(result?)
}
