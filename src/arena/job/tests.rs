//! Tests of the end of a match.

use std::fs;

use super::super::heartbeat::Heartbeat;
use super::super::journal::GameEntry;
use super::super::sprt::Sprt;
use super::*;
use crate::arena::tests::samples::{entry, settings};

fn won(settings: &MatchSettings, winner: &str, games: std::ops::Range<u64>) -> Vec<GameEntry> {
    games
        .map(|game| entry(settings, game, Some(winner), Reason::Resignation))
        .collect()
}

#[test]
fn an_answer_that_the_last_games_take_back_does_not_end_the_match() {
    let mut settings = settings(&["a", "b"], None);
    settings.sprt = Some(Sprt {
        elo1: 50.0,
        ..Sprt::default()
    });
    let mut tally = Tally::new(&settings);
    for entry in won(&settings, "a", 0..100) {
        assert_eq!(tally.add(&entry), Ok(()));
    }
    assert!(is_decided(&tally));

    let name = format!("raicho-schedule-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&path);
    let (heartbeat, stop) = (Heartbeat::start(), Stop::new());
    let games = Games {
        context: GameContext {
            settings: &settings,
            heartbeat: &heartbeat,
            stop: &stop,
        },
        on_event: &|_| {},
    };
    let openings = Openings::new(&settings.openings, settings.rules.entering_king).unwrap();
    let folder = MatchFolder::create(&path, &settings).unwrap();
    let mut schedule = Schedule::new(&games, openings, folder, tally);
    assert!(schedule.next().unwrap().is_none(), "there is an answer");

    for entry in won(&settings, "b", 100..200) {
        assert_eq!(schedule.tally.add(&entry), Ok(()));
    }
    assert!(!is_decided(&schedule.tally), "there is none any more");
    let game = schedule.next_fixture().map(|fixture| fixture.game);
    assert_eq!(game, Some(200), "what has been played is not played again");
    drop(schedule);
    fs::remove_dir_all(path).unwrap();
}
