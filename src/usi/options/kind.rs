//! The kinds of options: which values an option has, and which setting it reads and writes.

use std::ops::RangeInclusive;

use crate::engine::Settings;
use crate::search::Tunable;
use crate::types::EnteringKingRule;

/// One option.
#[derive(Clone)]
pub(super) struct UsiOption {
    /// Without spaces: GUIs cut the `option` line at them.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// The values of an option, and how its setting is read and written.
#[derive(Clone)]
pub(super) enum Kind {
    Check {
        get: fn(&Settings) -> bool,
        set: fn(&mut Settings, bool),
    },
    Spin {
        range: RangeInclusive<i64>,
        get: fn(&Settings) -> i64,
        set: fn(&mut Settings, i64),
    },
    Rule {
        get: fn(&Settings) -> EnteringKingRule,
        set: fn(&mut Settings, EnteringKingRule),
    },
    Text {
        usi_type: &'static str,
        get: fn(&Settings) -> String,
        set: fn(&mut Settings, &str),
    },
    Button(Button),
    Tunable(&'static Tunable),
}

/// The action of a button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Button {
    /// Clears the transposition table and all histories.
    ClearHash,
}
