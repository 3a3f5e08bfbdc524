//! Tests of the schedule, and of the settings that may differ.

use super::super::referee::Adjudication;
use super::*;
use crate::arena::tests::samples::settings;

const FOUR: [&str; 4] = ["a", "b", "c", "d"];

type Change = dyn Fn(&mut MatchSettings);

/// All games in the order of their numbers.
fn fixtures(settings: &MatchSettings) -> Vec<Fixture> {
    (0..settings.pairs())
        .flat_map(|pair| settings.pair(pair))
        .collect()
}

#[test]
fn each_format_has_its_pairings() {
    let mut settings = settings(&FOUR, Some(2));
    assert_eq!(
        settings.pairings(),
        [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    );
    settings.format = Format::Gauntlet;
    assert_eq!(settings.pairings(), [[0, 1], [0, 2], [0, 3]]);
    settings.engines.truncate(2);
    assert_eq!(settings.pairings(), [[0, 1]]);
}

#[test]
fn games_are_numbered_pair_by_pair() {
    let mut settings = settings(&["a", "b", "c"], Some(4));
    settings.format = Format::Gauntlet;
    let games: Vec<_> = fixtures(&settings)
        .iter()
        .map(|fixture| (fixture.game, fixture.players, fixture.opening))
        .collect();
    let expected = [
        (0, [0, 1], 0),
        (1, [1, 0], 0),
        (2, [0, 2], 0),
        (3, [2, 0], 0),
        (4, [0, 1], 1),
        (5, [1, 0], 1),
        (6, [0, 2], 1),
        (7, [2, 0], 1),
    ];
    assert_eq!(games, expected);
    assert_eq!(settings.games_here(), Some(8));
    assert_eq!(settings.openings_needed(), Some(2));
}

#[test]
fn every_game_is_found_by_its_number() {
    for games in 1..8 {
        for format in [Format::RoundRobin, Format::Gauntlet] {
            let mut settings = settings(&FOUR, Some(games));
            settings.format = format;
            let all = fixtures(&settings);
            for fixture in &all {
                assert_eq!(settings.fixture(fixture.game), Some(*fixture));
            }
            let found = (0..100).filter(|game| settings.fixture(*game).is_some());
            assert_eq!(found.count(), all.len());
            assert_eq!(all.len() as u64, games * settings.pairings().len() as u64);
            assert_eq!(settings.games_here(), Some(all.len() as u64));
        }
    }
}

#[test]
fn an_odd_game_has_no_partner() {
    let settings = settings(&["a", "b"], Some(5));
    assert_eq!(settings.pairs(), 3);
    let last = settings.pair(2);
    let game = Fixture {
        game: 4,
        players: [0, 1],
        opening: 2,
    };
    assert_eq!(last, [game]);
    assert_eq!(settings.fixture(5), None);
    assert_eq!(settings.openings_needed(), Some(3));
}

#[test]
fn a_match_may_have_no_end() {
    let mut settings = settings(&["a", "b"], None);
    assert_eq!(settings.games_here(), None);
    assert_eq!(settings.openings_needed(), None);
    assert_eq!(settings.pair(1_000_000).len(), 2);
    let fixture = settings.fixture(2_000_001).unwrap();
    assert_eq!((fixture.players, fixture.opening), ([1, 0], 1_000_000));
    settings.shard = Some(Shard { index: 0, count: 2 });
    assert_eq!(settings.games_here(), None);
}

#[test]
fn parts_are_the_whole_without_overlap() {
    for games in [1, 4, 7] {
        for count in [1, 2, 3, 50] {
            let whole = settings(&FOUR, Some(games));
            let mut played = Vec::new();
            for index in 0..count {
                let shard = Some(Shard { index, count });
                let part = MatchSettings {
                    shard,
                    ..whole.clone()
                };
                let before = played.len();
                let ours = (0..part.pairs()).filter(|pair| part.is_ours(*pair));
                played.extend(ours.flat_map(|pair| part.pair(pair)));
                assert_eq!(part.games_here(), Some((played.len() - before) as u64));
            }
            played.sort_by_key(|fixture| fixture.game);
            assert_eq!(played, fixtures(&whole), "{games} games in {count} parts");
        }
    }
}

#[test]
fn a_fixture_knows_its_colours() {
    let settings = settings(&["a", "b", "c"], Some(2));
    let fixture = settings.fixture(3).unwrap();
    assert_eq!((fixture.players, fixture.is_second()), ([2, 0], true));
    assert_eq!(fixture.color_of(2), Some(Color::Black));
    assert_eq!(fixture.color_of(0), Some(Color::White));
    assert_eq!(fixture.color_of(1), None);
}

#[test]
fn what_decides_the_games_must_not_differ() {
    let whole = settings(&["a", "b"], Some(4));
    let difference = |change: &Change| {
        let mut changed = whole.clone();
        change(&mut changed);
        changed.difference(&whole)
    };
    let hindrances: [(&Change, &str); 8] = [
        (
            &|m| m.engines[1].name = "x".to_owned(),
            r#"engines ["a", "x"] instead of ["a", "b"]"#,
        ),
        (
            &|m| m.engines.truncate(1),
            r#"engines ["a"] instead of ["a", "b"]"#,
        ),
        (
            &|m| m.engines[0].options.clear(),
            "engine a has other settings",
        ),
        (
            &|m| m.engines[1].time_control.depth = Some(3),
            "engine b has other settings",
        ),
        (&|m| m.format = Format::Gauntlet, "the format differs"),
        (
            &|m| {
                m.rules.draw_adjudication = Some(Adjudication {
                    score: 1,
                    moves: 1,
                    from: 0,
                });
            },
            "the rules differ",
        ),
        (&|m| m.openings.seed = 2, "the openings differ"),
        (&|m| m.ponder = true, "pondering differs"),
    ];
    for (change, expected) in hindrances {
        let said = difference(change).unwrap_or_else(|| panic!("{expected}: no difference"));
        assert!(said.starts_with(expected), "{said}");
    }
    let allowed: [&Change; 4] = [
        &|m| m.games = None,
        &|m| m.sprt = Some(Sprt::default()),
        &|m| m.shard = Some(Shard { index: 1, count: 2 }),
        &|m| m.check_pv = true,
    ];
    for change in allowed {
        assert_eq!(difference(change), None);
    }
}
