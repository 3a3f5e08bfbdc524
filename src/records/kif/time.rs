//! The times of KIF: `( 0:16/00:00:16)`, the move's and the player's so far.

use std::time::Duration;

use crate::records::game::{parse_seconds, possible};

/// Parses the time of a move, the first one of the two; `None` without one. Some programs write
/// decimals.
///
/// # Errors
/// What is in the brackets cannot be read. It is returned.
pub(super) fn parse(text: &str) -> Result<Option<Duration>, &str> {
    let Some(begin) = text.find(['(', '（']) else {
        return Ok(None);
    };
    let text = text[begin..].trim_start_matches(['(', '（']);
    let inside = text.split([')', '）']).next().unwrap_or_default();
    // Without these it is a remark.
    if !inside.contains([':', '/']) {
        return Ok(None);
    }
    let time = inside.split('/').next().unwrap_or_default();
    parse_clock(time).map(Some).ok_or(inside)
}

/// Parses `0:16` or `1:02:03`.
fn parse_clock(text: &str) -> Option<Duration> {
    let mut time = Duration::ZERO;
    for part in text.split(':') {
        time = possible(
            time.checked_mul(60)?
                .checked_add(parse_seconds(part.trim())?)?,
        )?;
    }
    Some(time)
}

/// Writes a move's time and the player's so far.
pub(super) fn text(time: Duration, total: Duration) -> String {
    let [time, total] = [time, total].map(|time| time.as_secs());
    let (hours, minutes) = (total / 3600, total / 60 % 60);
    format!(
        "({:2}:{:02}/{hours:02}:{minutes:02}:{:02})",
        time / 60,
        time % 60,
        total % 60
    )
}
