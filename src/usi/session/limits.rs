//! The limits of a search from the parameters of `go` and `ponderhit`.

use std::time::Duration;

use crate::search::{Clock, Limits};
use crate::types::Depth;
use crate::usi::command::{GoCommand, Times};

/// Time of a `go` whose only limits are unreadable, and of a `ponderhit` that no clock belongs to.
const FALLBACK_TIME: Duration = Duration::from_secs(1);

/// The limits of a `go`. Without any it searches until `stop`, as people at a terminal expect.
pub(super) fn from_go(command: &GoCommand, has_errors: bool) -> Limits {
    let has_limit = command.has_limit();
    // Some GUIs send the clocks with `ponderhit` only, or never.
    let is_early_ponder = command.ponder && !has_limit;
    let is_unreadable = !command.ponder && !has_limit && has_errors;
    let movetime = command.movetime.map(Duration::from_millis);
    let has_fixed_limit = movetime.is_some() || command.depth.is_some() || command.nodes.is_some();
    Limits {
        clock: clock(&command.times).or_else(|| is_early_ponder.then(fallback_clock)),
        movetime: movetime.or_else(|| is_unreadable.then_some(FALLBACK_TIME)),
        depth: command.depth.map(|depth| depth as Depth),
        nodes: command.nodes,
        // Clients that send "nodes 5000 infinite" expect an answer, as from other engines.
        infinite: command.infinite && !has_fixed_limit
            || !has_limit && !is_early_ponder && !is_unreadable,
        ponder: command.ponder,
        ..Limits::default()
    }
}

/// `None` without any clock; the clocks that are missing are zero.
pub(super) fn clock(times: &Times) -> Option<Clock> {
    let duration = |milliseconds: Option<u64>| Duration::from_millis(milliseconds.unwrap_or(0));
    (!times.is_empty()).then(|| Clock {
        time: [times.btime, times.wtime].map(duration),
        increment: [times.binc, times.winc].map(duration),
        byoyomi: [times.byoyomi; 2].map(duration),
    })
}

fn fallback_clock() -> Clock {
    Clock {
        byoyomi: [FALLBACK_TIME; 2],
        ..Clock::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usi::command::{Command, ParsedLine};

    fn limits(line: &str) -> Limits {
        let parsed = ParsedLine::parse(line);
        match parsed.command {
            Some(Command::Go(go)) => from_go(&go, !parsed.errors.is_empty()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn clocks_are_by_colour() {
        let clock = limits("go btime 1 wtime 2 binc 3 winc 4")
            .clock
            .expect("a clock");
        let milliseconds = |number| Duration::from_millis(number);
        assert_eq!(clock.time, [1, 2].map(milliseconds));
        assert_eq!(clock.increment, [3, 4].map(milliseconds));
        let clock = limits("go byoyomi 5").clock.expect("a clock");
        assert_eq!(
            (clock.time, clock.byoyomi),
            ([Duration::ZERO; 2], [5, 5].map(milliseconds))
        );
    }

    #[test]
    fn only_a_go_without_limits_is_infinite() {
        for line in [
            "go",
            "go infinite",
            "go infinite byoyomi 5",
            "go ponder infinite",
            "go searchmoves 7g7f",
        ] {
            assert!(limits(line).infinite, "{line}");
        }
        for line in [
            "go depth 3",
            "go movetime 0",
            "go ponder",
            "go btime x",
            "go ponder btime x",
            "go nodes 1",
            "go nodes 1 infinite",
            "go infinite movetime 5",
            "go infinite depth 3",
        ] {
            assert!(!limits(line).infinite, "{line}");
        }
        assert_eq!(limits("go btime x").movetime, Some(FALLBACK_TIME));
        assert_eq!(limits("go btime x depth 3").movetime, None);
        assert_eq!(limits("go ponder").clock, Some(fallback_clock()));
    }
}
