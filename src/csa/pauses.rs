//! How long to wait before the next login: growing after failures, with a random part, and never
//! beyond the start of a round of floodgate.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Pause after a game.
const AFTER_GAME: Duration = Duration::from_millis(1500);
/// Pause before a game is resumed: servers wait for some 30 s.
const BEFORE_RESUMING: Duration = Duration::from_millis(1500);
/// First and longest pause after a lost connection.
const FIRST_RETRY: Duration = Duration::from_secs(3);
const LONGEST_RETRY: Duration = Duration::from_mins(5);
/// Number of doublings of the pause after a connection on which the login succeeded: a server that
/// drops every connection must not be flooded with logins, and one that is back soon not be missed.
const MOST_DOUBLINGS_AFTER_LOGIN: u32 = 2;
/// First and longest pause after a refused login: servers block accounts that try too often.
const FIRST_AFTER_REFUSAL: Duration = Duration::from_mins(1);
const LONGEST_AFTER_REFUSAL: Duration = Duration::from_mins(15);
/// Longest time that a server may ask to wait.
const LONGEST_ASKED: Duration = Duration::from_hours(1);
/// Each pause is this much of the planned one, in percent.
const RANDOM_PERCENT: std::ops::RangeInclusive<u32> = 75..=125;
/// floodgate pairs the players that wait at the full and at the half hour.
const ROUND: Duration = Duration::from_mins(30);
/// To be logged in this long before a round.
const BEFORE_ROUND: Duration = Duration::from_secs(45);

/// Why there is a pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// A game has ended.
    Played,
    /// The connection was lost, or there was none.
    Lost,
    /// The server refused the login.
    Refused,
    /// A game is to be resumed.
    Resuming,
    /// A record could not be written.
    Unwritten,
}

/// The pauses of a run.
#[derive(Debug)]
pub(super) struct Pauses {
    /// Whether the rounds of floodgate matter.
    has_rounds: bool,
    /// Lost connections and refusals since the last game.
    losses: u32,
    refusals: u32,
    /// How long the server asked to wait, when it refused the login.
    asked: Option<Duration>,
    random: ChaCha8Rng,
}

impl Pauses {
    /// The pauses of a client that plays this game, such as `floodgate-300-10F`.
    pub(super) fn new(game: &str, seed: u64) -> Self {
        Self {
            has_rounds: game.starts_with("floodgate-"),
            losses: 0,
            refusals: 0,
            asked: None,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The connection lasted a while: pauses after lost connections begin anew.
    pub(super) fn note_good_connection(&mut self) {
        self.losses = 0;
    }

    /// The server works: it has accepted the login.
    pub(super) fn note_login(&mut self) {
        self.losses = self.losses.min(MOST_DOUBLINGS_AFTER_LOGIN);
    }

    /// The server refused the login and asked to wait this long.
    pub(super) fn note_retry_after(&mut self, wait: Duration) {
        self.asked = Some(wait.min(LONGEST_ASKED));
    }

    /// The pause that begins at `now`.
    pub(super) fn next(&mut self, cause: Cause, now: SystemTime) -> Duration {
        let planned = match cause {
            Cause::Played => {
                (self.losses, self.refusals) = (0, 0);
                AFTER_GAME
            }
            Cause::Resuming => BEFORE_RESUMING,
            Cause::Lost | Cause::Unwritten => grown(FIRST_RETRY, LONGEST_RETRY, &mut self.losses),
            Cause::Refused => grown(
                FIRST_AFTER_REFUSAL,
                LONGEST_AFTER_REFUSAL,
                &mut self.refusals,
            ),
        };
        let pause = planned * self.random.random_range(RANDOM_PERCENT) / 100;
        let pause = pause.max(self.asked.take().unwrap_or_default());
        if self.has_rounds && cause == Cause::Lost {
            before_round(pause, now)
        } else {
            pause
        }
    }
}

/// Doubles with each failure.
fn grown(first: Duration, longest: Duration, failures: &mut u32) -> Duration {
    let doublings = (*failures).min(16);
    *failures += 1;
    first.saturating_mul(1 << doublings).min(longest)
}

/// Shortens a pause that would end too late for the next round.
fn before_round(pause: Duration, now: SystemTime) -> Duration {
    let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let into_round = since_epoch.as_millis() % ROUND.as_millis();
    let to_round = ROUND.saturating_sub(Duration::from_millis(into_round as u64));
    match to_round.checked_sub(BEFORE_ROUND) {
        Some(left) if left >= FIRST_RETRY => pause.min(left),
        _ => pause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64, seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_000_000 * 3600 + minutes * 60 + seconds)
    }

    #[test]
    fn pauses_grow_to_a_limit_and_begin_anew_after_a_game() {
        let mut pauses = Pauses::new("test-60-1", 1);
        let mut planned = 3;
        for _ in 0..20 {
            let pause = pauses.next(Cause::Lost, at(0, 0)).as_secs_f64();
            let share = pause / f64::from(planned);
            assert!((0.75..=1.25).contains(&share), "{pause} of {planned}");
            planned = (planned * 2).min(300);
        }
        assert!(pauses.next(Cause::Played, at(0, 0)) >= Duration::from_secs(1));
        assert!(pauses.next(Cause::Lost, at(0, 0)) < Duration::from_secs(4));
        pauses.next(Cause::Lost, at(0, 0));
        pauses.note_good_connection();
        assert!(pauses.next(Cause::Lost, at(0, 0)) < Duration::from_secs(4));
    }

    #[test]
    fn a_server_that_drops_every_connection_is_not_flooded() {
        let mut pauses = Pauses::new("test-60-1", 3);
        for round in 0..20 {
            pauses.note_login();
            let pause = pauses.next(Cause::Lost, at(0, 0));
            assert!(pause <= Duration::from_secs(15), "{pause:?}");
            assert!(round < 2 || pause >= Duration::from_secs(9), "{pause:?}");
        }
    }

    #[test]
    fn a_refused_login_is_not_tried_again_soon() {
        let mut pauses = Pauses::new("test-60-1", 2);
        let first = pauses.next(Cause::Refused, at(0, 0));
        assert!(first >= Duration::from_secs(45));
        for _ in 0..10 {
            assert!(pauses.next(Cause::Refused, at(0, 0)) >= first);
        }
        let mut pauses = Pauses::new("test-60-1", 2);
        pauses.note_retry_after(Duration::from_mins(7));
        let pause = pauses.next(Cause::Refused, at(0, 0));
        assert_eq!(pause, Duration::from_mins(7));
        assert!(pauses.next(Cause::Refused, at(0, 0)) < pause);
    }

    #[test]
    fn rounds_are_not_missed() {
        let long = Duration::from_mins(5);
        assert_eq!(before_round(long, at(10, 0)), long);
        assert_eq!(before_round(long, at(26, 0)), Duration::from_secs(195));
        assert_eq!(before_round(long, at(57, 0)), Duration::from_secs(135));
        // Too late for this round.
        assert_eq!(before_round(long, at(29, 30)), long);
    }
}
