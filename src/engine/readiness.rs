//! Whether what was prepared suits the settings of a search.

use crate::search::Settings;

/// Whether table and threads of a preparation suit `wanted`. Each search reads the other settings.
pub(super) fn fits(prepared: &Settings, wanted: &Settings) -> bool {
    prepared.hash_mb == wanted.hash_mb
        && prepared.threads == wanted.threads
        && has_same_rules(prepared, wanted)
}

/// Whether the values in the table are those of the wanted rules.
pub(super) fn has_same_rules(prepared: &Settings, wanted: &Settings) -> bool {
    prepared.entering_king_rule == wanted.entering_king_rule
        && prepared.max_moves_to_draw == wanted.max_moves_to_draw
}
