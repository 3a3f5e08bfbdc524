//! Where a search has its numbers from: constants, or values that can be set for tuning.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// One number of the search.
#[derive(Clone, Debug)]
pub struct Tunable {
    /// Name of the function that returns it, and of its USI option.
    pub name: &'static str,
    /// Value unless it is set.
    pub default: i32,
    /// Range of the USI option, in which tuning searches.
    pub range: RangeInclusive<i32>,
    pub(super) value: &'static AtomicI32,
}

impl Tunable {
    /// The current value.
    pub fn get(&self) -> i32 {
        self.value.load(Ordering::Relaxed)
    }

    /// Sets the value for all searches of the process; see [`enable_tunables`].
    pub fn set(&self, value: i32) {
        self.value.store(value, Ordering::Relaxed);
    }
}

/// Declares a function per number, and the list of all.
macro_rules! declare_tunables {
    ($($(#[$doc:meta])+ $name:ident: $value:literal, $range:expr;)+) => {
        $(
            $(#[$doc])+
            #[inline(always)]
            pub(super) fn $name<P: Params>() -> i32 {
                if P::ARE_CONSTANT {
                    $value
                } else {
                    VALUES.$name.load(Ordering::Relaxed)
                }
            }
        )+

        /// The current values.
        struct Values {
            $($name: AtomicI32,)+
        }

        static VALUES: Values = Values {
            $($name: AtomicI32::new($value),)+
        };

        /// All numbers, in the order of this file.
        pub static ALL: &[Tunable] = &[
            $(Tunable {
                name: stringify!($name),
                default: $value,
                range: $range,
                value: &VALUES.$name,
            },)+
        ];
    };
}
pub(super) use declare_tunables;

/// Where a search has its numbers from. The search is compiled for both, because it makes 3 % fewer
/// nodes/s with loads in place of constants.
pub(super) trait Params {
    /// Whether all numbers are the constants of the table.
    const ARE_CONSTANT: bool;
}

/// The constants of the table.
pub(super) struct Fixed;
/// The current values.
pub(super) struct Tuned;

impl Params for Fixed {
    const ARE_CONSTANT: bool = true;
}

impl Params for Tuned {
    const ARE_CONSTANT: bool = false;
}

static ARE_ENABLED: AtomicBool = AtomicBool::new(false);

/// Makes the search threads that start from now on use the current values.
pub fn enable_tunables() {
    ARE_ENABLED.store(true, Ordering::Relaxed);
}

pub(super) fn tunables_are_enabled() -> bool {
    ARE_ENABLED.load(Ordering::Relaxed)
}
