//! When the hall closes.

use std::fs;

use super::super::heartbeat::Heartbeat;
use super::super::journal::GameEntry;
use super::super::samples::{entry, settings};
use super::super::sprt::Sprt;
use super::*;

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

    let name = format!("raicho-hall-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let heartbeat = Heartbeat::start();
    let stop = Stop::new();
    let around = Surroundings {
        settings: &settings,
        heartbeat: &heartbeat,
        stop: &stop,
    };
    let openings = Openings::new(&settings.openings).unwrap();
    let journal = Journal::create(&folder, &settings).unwrap();
    let hall = Hall::new(around, openings, journal, tally, &|_| {});
    assert!(hall.is_closing() && !hall.goes_on());
    // Nobody plays: the seats are left at once.
    hall.play_pairs();
    assert_eq!(lock(&hall.desk).tally.games(), 100);

    for entry in won(&settings, "b", 100..200) {
        assert_eq!(lock(&hall.desk).tally.add(&entry), Ok(()));
    }
    assert!(hall.goes_on() && !hall.is_closing());
    assert!(!hall.goes_on(), "only once");
    hall.has_had_answer.store(true, Ordering::Relaxed);
    stop.finish();
    assert!(!hall.goes_on(), "not against the user's will");
    drop(hall);
    fs::remove_dir_all(folder).unwrap();
}
