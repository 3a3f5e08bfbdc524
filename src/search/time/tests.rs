//! Tests of time plans, and of when they end a search.

use super::difficulty::Weights;
use super::*;

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn limits(time: u32, increment: u32, byoyomi: u32) -> Limits {
    Limits { clock: Some(clock(time, increment, byoyomi)), ..Limits::default() }
}

fn clock(time: u32, increment: u32, byoyomi: u32) -> Clock {
    Clock {
        time: [MILLISECOND * time; 2],
        increment: [MILLISECOND * increment; 2],
        byoyomi: [MILLISECOND * byoyomi; 2],
    }
}

fn manager(time: u32, increment: u32, byoyomi: u32, settings: &Settings) -> TimeManager {
    let limits = limits(time, increment, byoyomi);
    TimeManager::new(&limits, settings, Color::Black, 30, false)
}

fn plan(time: u32, increment: u32, byoyomi: u32) -> Plan {
    let manager = manager(time, increment, byoyomi, &Settings::default());
    manager.plan.expect("clocks were given")
}

/// A manager whose search started `ago` before now.
fn began_before(ago: Duration, mut limits: Limits, settings: &Settings) -> TimeManager {
    let start = Instant::now().checked_sub(ago);
    limits.start = start.expect("the machine runs for longer");
    TimeManager::new(&limits, settings, Color::Black, 30, false)
}

fn is_over(manager: &TimeManager) -> bool {
    manager.is_over(|| 0)
}

#[test]
fn nothing_is_planned_beyond_the_own_time() {
    let exact = Settings {
        round_up_to_full_second: false,
        minimum_thinking_time: MILLISECOND,
        ..Settings::default()
    };
    let local =
        Settings { network_delay: Duration::ZERO, network_delay2: Duration::ZERO, ..exact.clone() };
    for settings in [Settings::default(), exact, local] {
        for time in [0, 1, 500, 1000, 1119, 1121, 3000, 5000, 60_000, 7_200_000] {
            for increment in [0, 100, 10_000] {
                for byoyomi in [0, 1, 100, 1000, 10_000, 60_000] {
                    let plan = manager(time, increment, byoyomi, &settings).plan;
                    let plan = plan.expect("clocks were given");
                    let total = MILLISECOND * (time + byoyomi);
                    let least = (total / 40).min(MILLISECOND * 10);
                    let reserve = settings.network_delay2.max(least);
                    let allowed = total.saturating_sub((total / 3).min(reserve));
                    assert!(plan.minimum <= plan.maximum && plan.optimum <= plan.maximum);
                    assert!(plan.maximum <= allowed, "{time} {byoyomi} {plan:?}");
                }
            }
        }
    }
}

#[test]
fn without_any_time_it_moves_at_once() {
    assert!(is_over(&manager(0, 0, 0, &Settings::default())));
    assert!(is_over(&manager(0, 5000, 0, &Settings::default())));
}

#[test]
fn byoyomi_is_used_up_when_time_is_gone() {
    for (byoyomi, minimum) in [(10_000, 8880), (5000, 3880), (3000, 2000), (100, 66)] {
        let plan = plan(0, 0, byoyomi);
        let expected = MILLISECOND * minimum..MILLISECOND * (minimum + 1);
        assert!(expected.contains(&plan.minimum), "{plan:?}");
    }
}

#[test]
fn a_long_game_leaves_time_for_later() {
    let plan = plan(600_000, 0, 0);
    assert!((SECOND..=SECOND * 15).contains(&plan.optimum), "{plan:?}");
    assert!(plan.maximum <= SECOND * 60, "{plan:?}");
}

/// The default settings are made for servers; fast clocks must neither be ignored nor used as if
/// each move had two seconds.
#[test]
fn fast_clocks_are_used_and_last() {
    for (mut time, increment) in [(10_000, 0), (1000, 50), (5000, 50), (60_000, 0)] {
        // Milliseconds show that the clock does not count full seconds only.
        time -= 1;
        let first = plan(time, increment, 0);
        let fair = MILLISECOND * (time / 80 + increment);
        let expected = fair * 3 / 4..=fair * 2;
        assert!(expected.contains(&first.optimum), "{first:?}");
        let mut left = MILLISECOND * time;
        for _ in 0..150 {
            let settings = Settings::default();
            let plan = manager(left.as_millis() as u32, increment, 0, &settings).plan;
            let plan = plan.expect("clocks were given");
            assert!(plan.optimum < left && plan.maximum < left, "{plan:?}");
            left = left.saturating_sub(plan.optimum) + MILLISECOND * increment;
        }
        assert!(left > MILLISECOND * 50, "{left:?}");
    }
}

#[test]
fn full_seconds_are_used_up_where_the_clock_counts_them() {
    let counted = plan(300_000, 0, 0);
    assert!(counted.full_seconds);
    assert_eq!(counted.minimum.subsec_millis(), 880);
    let exact = plan(300_000 - 1, 0, 0);
    assert!(!exact.full_seconds && exact.minimum < counted.minimum + SECOND);
    let none = Settings { round_up_to_full_second: false, ..Settings::default() };
    let plan = manager(300_000, 0, 0, &none).plan;
    assert!(plan.is_some_and(|plan| !plan.full_seconds));
}

#[test]
fn a_forced_move_takes_little() {
    let limits = limits(600_000, 0, 10_000);
    let manager = TimeManager::new(&limits, &Settings::default(), Color::White, 30, true);
    let plan = manager.plan.expect("clocks were given");
    assert!(plan.maximum <= SECOND / 2, "{plan:?}");
}

#[test]
fn after_an_iteration_it_ends_when_the_move_has_its_time() {
    let settings = Settings::default();
    let planned = plan(59_999, 0, 0);
    let mut early = began_before(planned.optimum / 2, limits(59_999, 0, 0), &settings);
    assert!(!early.should_stop(100, 0));
    let mut late = began_before(planned.optimum, limits(59_999, 0, 0), &settings);
    assert!(!late.should_stop(200, 0), "a hard position takes longer");
    assert!(late.should_stop(100, 0));
    let mut easy = began_before(planned.optimum / 2, limits(59_999, 0, 0), &settings);
    assert!(easy.should_stop(50, 0));
}

#[test]
fn the_time_of_the_opponent_counts_as_thought() {
    let settings = Settings::default();
    let hit = |clock| PonderHit { at: Instant::now(), clock };
    let mut fresh = manager(59_999, 0, 0, &settings);
    fresh.ponderhit(hit(None), 0);
    assert!(fresh.plan.is_some_and(|plan| plan.maximum > plan.minimum));
    let mut known = began_before(SECOND * 60, limits(59_999, 0, 0), &settings);
    known.set_factor(150);
    known.ponderhit(hit(None), 0);
    assert!(known.plan.is_some_and(|plan| plan.maximum == plan.minimum));
    // New clocks make a new plan.
    let mut known = began_before(SECOND * 60, limits(59_999, 0, 0), &settings);
    known.ponderhit(hit(Some(clock(60_000_000, 0, 0))), 0);
    assert!(known.plan.is_some_and(|plan| plan.maximum > SECOND * 60));
    // Unused byoyomi would be lost, so it is used to its end.
    let mut byoyomi = began_before(SECOND * 60, limits(0, 0, 10_000), &settings);
    byoyomi.ponderhit(hit(None), 0);
    let maximum = byoyomi.plan.map(|plan| plan.maximum);
    assert_eq!(maximum, Some(MILLISECOND * 8880));
    assert!(!is_over(&byoyomi));
}

#[test]
fn time_can_run_in_nodes() {
    let settings = Settings { nodes_time: 100, ..Settings::default() };
    let mut manager = manager(59_999, 0, 0, &settings);
    let plan = manager.plan.expect("clocks were given");
    let nodes = |time: Duration| time.as_millis() as u64 * 100;
    assert!(!manager.is_over(|| nodes(plan.maximum) - 100));
    assert!(manager.is_over(|| nodes(plan.maximum) + 100));
    assert!(!manager.should_stop(100, nodes(plan.optimum / 2)));
    assert!(manager.should_stop(100, nodes(plan.optimum)));
    let late = began_before(SECOND * 60, limits(59_999, 0, 0), &settings);
    assert!(late.is_over(|| 0), "the real clock is not lost by");
}

const EVEN: Iteration = Iteration { depth: 8, value: 50, effort: 50, nodes: 100 };

const WEIGHTS: Weights = Weights {
    best_move_change_percent: 50,
    falling_value_permill: 2,
    value_since_last_move_permill: 4,
    rising_value_percent: 60,
    settled_move_percent: 80,
    easy_move_effort_percent: 95,
    easy_move_percent: 45,
};

/// A search at a ply of the game whose iterations so far, four, found the value of [`EVEN`].
fn searched(mut difficulty: Difficulty, game_ply: u32) -> Difficulty {
    difficulty.begin_search(game_ply);
    for depth in 1..=4 {
        difficulty.begin_iteration();
        difficulty.time_percent(Iteration { depth, ..EVEN }, &WEIGHTS);
    }
    difficulty
}

#[test]
fn a_falling_value_takes_time_and_a_rising_one_saves_some() {
    let percent = |value| {
        let iteration = Iteration { value, ..EVEN };
        searched(Difficulty::default(), 1).time_percent(iteration, &WEIGHTS)
    };
    // 2 permill a unit, and at least 60; a lost position is not more than hard.
    let percents = [50, -50, 150, 450, -30_000].map(percent);
    assert_eq!(percents, [100, 120, 80, 60, 300]);
}

#[test]
fn the_value_is_compared_with_that_of_the_last_move() {
    let mut difficulty = searched(Difficulty::default(), 1);
    difficulty.end_search(150);
    let percent = |game_ply| searched(difficulty.clone(), game_ply).time_percent(EVEN, &WEIGHTS);
    assert_eq!(percent(3), 140, "100 units of 4 permill");
    for other in [1, 2, 4, 5] {
        assert_eq!(percent(other), 100, "no search two plies before {other}");
    }
}

#[test]
fn a_move_that_gets_all_nodes_is_easy() {
    let percents = [(8, 94), (8, 95), (7, 99)].map(|(depth, effort)| {
        let iteration = Iteration { depth, effort, ..EVEN };
        searched(Difficulty::default(), 1).time_percent(iteration, &WEIGHTS)
    });
    assert_eq!(percents, [100, 45, 100]);
}

#[test]
fn changes_of_the_best_move_take_time_and_are_forgotten() {
    let mut difficulty = searched(Difficulty::default(), 1);
    difficulty.best_move_changed(8);
    difficulty.best_move_changed(8);
    for (depth, percent) in (8..).zip([200, 150, 125, 112, 106, 103, 101, 100, 100, 80]) {
        let iteration = Iteration { depth, ..EVEN };
        assert_eq!(difficulty.time_percent(iteration, &WEIGHTS), percent, "{depth}");
        difficulty.begin_iteration();
    }
}

#[test]
fn lower_levels_take_their_time() {
    let settings = Settings::default();
    let pace = |time, increment, byoyomi, share| {
        manager(time, increment, byoyomi, &settings).pace(share).as_millis()
    };
    for (time, increment, byoyomi) in [(600_000, 0, 0), (300_000, 5000, 0), (0, 0, 30_000)] {
        let (quick, slow) =
            (pace(time, increment, byoyomi, 0.0), pace(time, increment, byoyomi, 1.0));
        let optimum = plan(time, increment, byoyomi).optimum.as_millis();
        assert!(500 < quick && quick < slow && slow <= optimum * 6 / 10, "{quick} {slow}");
    }
    assert!(pace(0, 0, 1000, 1.0) < 600, "byoyomi of a second");
    let fixed = Limits { movetime: Some(SECOND), ..Limits::default() };
    let counted = Limits { nodes: Some(1000), ..Limits::default() };
    for limits in [fixed, counted, Limits::default()] {
        let manager = TimeManager::new(&limits, &settings, Color::Black, 30, false);
        assert_eq!(manager.pace(1.0), Duration::ZERO);
    }
    let nodes = Settings { nodes_time: 100, ..settings.clone() };
    assert_eq!(manager(600_000, 0, 0, &nodes).pace(1.0), Duration::ZERO);
    let late = began_before(SECOND * 60, limits(60_000, 0, 0), &settings);
    assert_eq!(late.pace(1.0), Duration::ZERO);
}
