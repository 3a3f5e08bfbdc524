//! The times of KIF: `( 0:16/00:00:16)`, the move's and the player's so far.

use std::time::Duration;

/// Parses the time of a move, the first one of the two.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let begin = text.find(['(', '（'])?;
    let text = text[begin..].trim_start_matches(['(', '（']);
    let (time, _) = text.split_once(['/', ')', '）'])?;
    let mut seconds = 0;
    for part in time.trim().split(':') {
        let part: u64 = part.trim().parse().ok()?;
        seconds = 60_u64.checked_mul(seconds)?.checked_add(part)?;
    }
    Some(Duration::from_secs(seconds))
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
