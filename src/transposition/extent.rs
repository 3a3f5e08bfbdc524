//! How much of a new table a search uses: its memory comes by and by, see [`ZeroedPages`].
//!
//! A search that touches memory which is not there waits for the system, in a virtual machine some
//! milliseconds for each page of 2 MB. With a clock running it takes only what is there. Searches
//! of 200 ms with 8000 MB on two busy cores: 200 to 250 ms and 50,000 nodes each, where they took
//! 340 to 2500 ms for a few hundred nodes when they touched all of it.
//!
//! [`ZeroedPages`]: crate::util::ZeroedPages

use std::sync::atomic::{AtomicUsize, Ordering};

/// The clusters that a search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of them, so that the search does not depend on the system.
    Whole,
    /// Those whose memory is there.
    Supplied,
}

/// Numbers of clusters, counted from the first one.
pub(super) struct Clusters {
    /// Clusters that the search uses, an even number.
    active: AtomicUsize,
    /// The most that were in use since the table was empty; none where no search has begun.
    used: AtomicUsize,
}

impl Clusters {
    /// All of a table are in use.
    pub(super) fn all(count: usize) -> Self {
        Self {
            active: AtomicUsize::new(count),
            used: AtomicUsize::new(0),
        }
    }

    /// Clusters that the search uses.
    #[inline]
    pub(super) fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Chooses the clusters in use, of `whole` of which `supplied` are there.
    pub(super) fn set_extent(&self, extent: Extent, whole: usize, supplied: usize) {
        let active = self.active();
        let chosen = match extent {
            Extent::Whole => whole,
            Extent::Supplied => supplied & !1,
        };
        // Few changes: what is there has to be twice as much.
        let is_worth_it = chosen >= whole || chosen < active || chosen / 2 >= active;
        if is_worth_it && chosen >= 2 {
            // Not where another thread has chosen meanwhile, perhaps more.
            let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
            let _ = self
                .active
                .compare_exchange(active, chosen, success, failure);
        }
    }

    /// Notes that the clusters in use may hold entries.
    pub(super) fn note_use(&self) {
        self.used.fetch_max(self.active(), Ordering::Relaxed);
    }

    /// The number of clusters that may hold entries, which are removed now.
    pub(super) fn take_used(&self) -> usize {
        self.used.swap(0, Ordering::Relaxed)
    }
}
