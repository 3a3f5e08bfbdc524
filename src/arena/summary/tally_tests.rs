//! Tests of the sums over games.

use std::time::Duration;

use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;

use super::super::journal::{ScoreSums, TimeLoss};
use crate::arena::tests::{entry, settings, tally_of};

use super::*;

/// A game that an engine lost on time.
fn time_loss(settings: &MatchSettings, game: u64, winner: &str, stall: Option<u64>) -> GameEntry {
    GameEntry {
        detail: "too late".to_owned(),
        time_loss: Some(TimeLoss {
            late: Duration::from_millis(30),
            stall: stall.map(Duration::from_millis),
        }),
        dialogue: Some("faults/it.txt".into()),
        ..entry(settings, game, Some(winner), EndReason::TimeLoss)
    }
}

#[test]
fn optimism_is_that_of_the_engines_and_not_of_the_colours() {
    let settings = settings(&["a", "b"], Some(4));
    let mut tally = Tally::new(&settings);
    for game in 0..2 {
        let mut entry = entry(&settings, game, None, EndReason::Repetition);
        // The first engine, black and then white, is 100 ahead in its own view.
        let scores = if game == 0 { [100, 30] } else { [30, 100] };
        entry.optimism.0[2] = ScoreSums { pairs: 1, scores };
        assert_eq!(tally.add(&entry), Ok(()));
    }
    let sums = tally.pairings[0].optimism.0[2];
    assert_eq!((sums.pairs, sums.scores), (2, [200, 60]));
}

#[test]
fn the_order_of_the_games_is_nothing() {
    let settings = settings(&["a", "b", "c"], Some(5));
    let mut entries: Vec<GameEntry> = (0..settings.pairs())
        .flat_map(|pair| settings.pair(pair))
        .map(|fixture| {
            let [black, white] = fixture.players.map(|engine| &settings.engines[engine].name);
            match fixture.game % 5 {
                0 => time_loss(&settings, fixture.game, white, Some(40)),
                1 => entry(&settings, fixture.game, Some(black), EndReason::Checkmate),
                2 => entry(&settings, fixture.game, None, EndReason::Repetition),
                3 => entry(&settings, fixture.game, Some(black), EndReason::Crash),
                _ => entry(&settings, fixture.game, Some(white), EndReason::Resignation),
            }
        })
        .collect();
    assert_eq!(entries.len(), 15);
    let expected = format!("{:?}", tally_of(&settings, &entries));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..100 {
        entries.shuffle(&mut random);
        assert_eq!(format!("{:?}", tally_of(&settings, &entries)), expected);
    }
}

#[test]
fn results_are_those_of_the_first_engine_whatever_its_colour() {
    let settings = settings(&["a", "b"], Some(6));
    let won = |game, winner| entry(&settings, game, Some(winner), EndReason::Resignation);
    let drawn = |game| entry(&settings, game, None, EndReason::MaxMoves);
    // 2 points, ½ point, and an unfinished pair.
    let entries = [won(0, "a"), won(1, "a"), won(2, "b"), drawn(3), won(4, "b")];
    let tally = tally_of(&settings, &entries);
    let wdl = |wins, draws, losses| Wdl { wins, draws, losses };
    assert_eq!(tally.games(), 5);
    assert_eq!(tally.pairings[0].wdl, wdl(2, 1, 2));
    assert_eq!(tally.pairings[0].pairs, Pentanomial([0, 1, 0, 0, 1]));
    assert_eq!(tally.engines[0].wdl, wdl(2, 1, 2));
    assert_eq!(tally.engines[1].wdl, wdl(2, 1, 2));
    // The first engine played black in games 0, 2 and 4.
    assert_eq!(tally.black, wdl(1, 1, 3));
    assert_eq!(tally.reasons[&EndReason::Resignation], 4);
    assert_eq!(tally.reasons[&EndReason::MaxMoves], 1);
    assert!(tally.has(4) && !tally.has(5));
    let tally = tally_of(&settings, &[&entries[..], &[won(5, "a")]].concat());
    assert_eq!(tally.pairings[0].pairs, Pentanomial([0, 1, 1, 0, 1]));
}

#[test]
fn every_pair_result_has_its_place() {
    let settings = settings(&["a", "b"], None);
    let cases = [
        ([Some("b"), Some("b")], 0),
        ([Some("b"), None], 1),
        ([None, None], 2),
        ([Some("a"), Some("b")], 2),
        ([None, Some("a")], 3),
        ([Some("a"), Some("a")], 4),
    ];
    for (winners, place) in cases {
        let entry = |(game, winner)| entry(&settings, game, winner, EndReason::Checkmate);
        let entries: Vec<GameEntry> = (0..).zip(winners).map(entry).collect();
        let mut expected = Pentanomial::default();
        expected.add_pair(place);
        assert_eq!(tally_of(&settings, &entries).pairings[0].pairs, expected);
    }
}

#[test]
fn halves_of_different_pairings_do_not_join() {
    let settings = settings(&["a", "b", "c"], Some(2));
    // Games 0 and 1 are a–b, 2 and 3 a–c, 4 and 5 b–c.
    let won = |game, winner| entry(&settings, game, Some(winner), EndReason::Resignation);
    let entries = [won(1, "a"), won(2, "c"), won(5, "c"), won(4, "b")];
    let tally = tally_of(&settings, &entries);
    let pairs = tally.pairings.iter().map(|pairing| pairing.pairs.pairs());
    assert_eq!(pairs.collect::<Vec<_>>(), [0, 0, 1]);
    // Without a finished pair single games are used.
    let estimate = tally.pairings[0].estimate().expect("there is a game");
    assert!(estimate.elo > 0.0);
    assert_eq!(tally.pairings[2].estimate().map(|e| e.score), Some(0.5));
}

#[test]
fn what_does_not_belong_is_refused_and_changes_nothing() {
    let settings = settings(&["a", "b"], Some(3));
    let first = entry(&settings, 0, Some("a"), EndReason::Checkmate);
    let mut tally = tally_of(&settings, std::slice::from_ref(&first));
    let before = format!("{tally:?}");
    for (game, white, words) in cases! {
        0, "b" => "game 0 is there twice";
        3, "b" => "game 3, the match has no game of that number";
        1, "b" => "game 1 between a and b, expected b and a";
        2, "x" => "game 2 between a and x, expected a and b";
    } {
        let mut entry = first.clone();
        (entry.game, entry.white) = (game, white.to_owned());
        assert_eq!(tally.add(&entry), Err(words.to_owned()));
        assert_eq!(format!("{tally:?}"), before);
    }
}

#[test]
fn faults_are_listed_and_those_in_stalls_are_told_apart() {
    let settings = settings(&["a", "b"], Some(8));
    let entries = [
        time_loss(&settings, 0, "a", None),
        time_loss(&settings, 1, "a", Some(40)),
        entry(&settings, 2, Some("b"), EndReason::Crash),
        entry(&settings, 3, Some("b"), EndReason::Resignation),
        entry(&settings, 4, None, EndReason::Repetition),
        time_loss(&settings, 5, "b", Some(70)),
    ];
    let tally = tally_of(&settings, &entries);
    let listed: Vec<_> = tally
        .faults
        .iter()
        .map(|(game, fault)| (*game, &*fault.engine, fault.reason, fault.during_stall))
        .collect();
    let expected = [
        (0, "b", EndReason::TimeLoss, false),
        (1, "b", EndReason::TimeLoss, true),
        (2, "a", EndReason::Crash, false),
        (5, "a", EndReason::TimeLoss, true),
    ];
    assert_eq!(listed, expected);
    let counts = |engine: usize| -> Vec<(EndReason, u64)> {
        let faults = tally.engines[engine].faults.iter();
        faults.map(|(reason, count)| (*reason, *count)).collect()
    };
    assert_eq!(counts(0), [(EndReason::TimeLoss, 1), (EndReason::Crash, 1)]);
    assert_eq!(counts(1), [(EndReason::TimeLoss, 2)]);
    assert_eq!(tally.engines[0].lost_in_stalls, 1);
    assert_eq!(tally.engines[1].lost_in_stalls, 1);
    // They also count as losses.
    assert_eq!(tally.engines[1].wdl.losses, 2);
    let fault = &tally.faults[&0];
    assert_eq!(fault.detail, "too late");
    assert_eq!(fault.dialogue.as_deref(), Some("faults/it.txt"));
    assert_eq!(fault.record, "csa/000000-a-b.csa");
}

#[test]
fn figures_add_up_for_the_engine_and_not_for_the_colour() {
    let settings = settings(&["a", "b"], Some(2));
    // Black makes 10 moves, white 20.
    let entries = [0, 1].map(|game| entry(&settings, game, None, EndReason::Repetition));
    let tally = tally_of(&settings, &entries);
    for engine in &tally.engines {
        let figures = &engine.figures;
        assert_eq!(figures.moves, 30);
        assert_eq!(figures.mean_time(), Duration::from_millis(50));
        assert_eq!(figures.longest, Duration::from_millis(110));
        assert_eq!(figures.mean_depth(), Some(7.0));
        assert_eq!(figures.nodes_per_second(), Some(10_000.0));
    }
    let one = tally_of(&settings, &entries[..1]);
    assert_eq!(one.engines[0].figures.moves, 10);
    assert_eq!(one.engines[1].figures.moves, 20);
    assert_eq!(tally.overhead.mean(), Duration::from_micros(50));
    assert_eq!(tally.overhead.longest, Duration::from_micros(101));
    let empty = PlayerFigures::default();
    assert_eq!(empty.mean_time(), Duration::ZERO);
    assert_eq!((empty.mean_depth(), empty.nodes_per_second()), (None, None));
}
