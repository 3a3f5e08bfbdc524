//! Statistics against published values and against the integral of the density.

#![expect(clippy::float_cmp, reason = "infinities are exact")]

use super::*;

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "found {found}, expected {expected}"
    );
}

/// Φ by Simpson's rule over the density.
fn integrated_cdf(x: f64) -> f64 {
    let steps = 4000;
    let width = x / f64::from(steps);
    let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * PI).sqrt();
    let mut sum = density(0.0) + density(x);
    for step in 1..steps {
        sum += density(f64::from(step) * width) * if step % 2 == 1 { 4.0 } else { 2.0 };
    }
    0.5 + sum * width / 3.0
}

#[test]
fn normal_distribution_has_its_tabulated_values() {
    close(normal_cdf(0.0), 0.5, 1e-15);
    close(normal_cdf(1.0), 0.841_344_746_068_542_9, 1e-15);
    close(normal_cdf(-2.0), 0.022_750_131_948_179_2, 1e-15);
    close(normal_cdf(Z_95), 0.975, 1e-14);
    close(normal_cdf(-5.0), 2.866_515_718_791_94e-7, 1e-15);
    close(normal_cdf(100.0), 1.0, 0.0);
    close(normal_cdf(f64::NEG_INFINITY), 0.0, 0.0);
    assert!(normal_cdf(f64::NAN).is_nan());
    for tenth in -79..=79 {
        let x = f64::from(tenth) / 10.0;
        close(normal_cdf(x), integrated_cdf(x), 1e-11);
    }
}

#[test]
fn elo_and_score_are_inverse() {
    close(elo_of(0.75), 400.0 * 3_f64.log10(), 1e-14);
    close(score_of(400.0), 10.0 / 11.0, 1e-14);
    close(elo_of(0.5), 0.0, 0.0);
    assert_eq!(elo_of(1.0), f64::INFINITY);
    assert_eq!(elo_of(-0.1), f64::NEG_INFINITY);
    for elo in [-700.0, -35.5, 0.0, 1.0, 200.0] {
        close(elo_of(score_of(elo)), elo, 1e-11);
    }
}

/// Elo, half the interval and LOS according to fishtest's `stat_util.get_elo`.
#[test]
fn pairs_have_the_error_bars_of_fishtest() {
    let cases = [
        (
            [10789, 19328, 33806, 19402, 10543],
            -0.773_577_335_916_542_3,
            1.277_579_895_728_021_8,
            0.117_658_858_032_775_1,
        ),
        (
            [39, 2226, 31451, 2412, 40],
            0.902_981_048_809_024,
            0.662_531_485_981_655_3,
            0.996_222_097_335_420_7,
        ),
        (
            [1187, 7410, 13475, 7378, 1164],
            -0.442_607_799_223_684_1,
            1.729_859_027_617_742_1,
            0.308_013_879_122_690_3,
        ),
        (
            [50, 400, 1000, 450, 60],
            6.204_866_471_299_001,
            6.235_842_323_937_144,
            0.974_462_699_185_715_3,
        ),
        ([5, 5, 5, 5, 5], 0.0, 98.889_067_203_268_75, 0.5),
    ];
    for (counts, elo, error, los) in cases {
        let estimate = Pentanomial(counts).estimate().unwrap();
        close(estimate.elo, elo, 1e-11);
        close(estimate.error(), error, 1e-11);
        close(estimate.los, los, 1e-11);
        assert!(estimate.low < estimate.elo && estimate.elo < estimate.high);
    }
}

/// Computed by hand from the definition of the variance.
#[test]
fn games_have_the_error_bars_of_the_textbook() {
    let games = Wdl {
        wins: 450,
        draws: 200,
        losses: 350,
    };
    assert_eq!(games.games(), 1000);
    close(games.points(), 550.0, 0.0);
    close(games.score().unwrap(), 0.55, 1e-15);
    close(games.draw_rate().unwrap(), 0.2, 1e-15);
    let estimate = games.estimate().unwrap();
    // E[X²] = 0.45 + 0.2/4 = 0.5; the variance is 0.5 - 0.55² = 0.1975.
    let deviation = (0.1975_f64 / 1000.0).sqrt();
    let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
    close(estimate.elo, 34.860_070, 1e-7);
    close(estimate.low, elo(0.55 - 1.96 * deviation), 1e-4);
    close(estimate.high, elo(0.55 + 1.96 * deviation), 1e-4);
    close(estimate.los, integrated_cdf(0.05 / deviation), 1e-10);
}

#[test]
fn pairs_are_counted() {
    let mut pairs = Pentanomial::default();
    for half_points in [0, 1, 2, 3, 4, 4] {
        pairs.add_pair(half_points);
    }
    assert_eq!(pairs, Pentanomial([1, 1, 1, 1, 2]));
    assert_eq!(pairs.pairs(), 6);
    close(pairs.points(), 7.0, 0.0);
    close(pairs.score().unwrap(), 7.0 / 12.0, 1e-15);
    pairs += Pentanomial([0, 0, 4, 0, 0]);
    assert_eq!(pairs, Pentanomial([1, 1, 5, 1, 2]));
}

#[test]
fn nothing_played_is_worth_nothing() {
    assert_eq!(Wdl::default().estimate(), None);
    assert_eq!(Wdl::default().score(), None);
    assert_eq!(Wdl::default().draw_rate(), None);
    assert_eq!(Pentanomial::default().estimate(), None);
}

#[test]
fn equal_results_still_leave_doubt() {
    let won = Pentanomial([0, 0, 0, 0, 10]).estimate().unwrap();
    assert_eq!(won.elo, f64::INFINITY);
    assert_eq!(won.high, f64::INFINITY);
    // Wilson's lower bound for 10 of 10 is 0.7225, as in published tables.
    close(won.low, elo_of(0.722_467), 1e-5);
    assert!(won.los > 0.99 && won.los < 1.0);

    let lost = Pentanomial([10, 0, 0, 0, 0]).estimate().unwrap();
    close(lost.high, -won.low, 1e-12);
    assert_eq!(lost.low, f64::NEG_INFINITY);
    close(lost.los, 1.0 - won.los, 1e-12);

    let drawn = Pentanomial([0, 0, 10, 0, 0]).estimate().unwrap();
    close(drawn.elo, 0.0, 0.0);
    close(drawn.low, -drawn.high, 1e-12);
    assert!(drawn.error() > 50.0 && drawn.error() < 200.0);
    close(drawn.los, 0.5, 0.0);
    let more = Pentanomial([0, 0, 1000, 0, 0]).estimate().unwrap();
    assert!(more.error() < drawn.error() / 50.0);
}

#[test]
fn a_different_result_makes_nothing_more_certain() {
    for pairs in [2, 6, 30] {
        let [equal, other] = [0, 1].map(|drawn| {
            let estimate = Pentanomial([0, 0, 0, drawn, pairs - drawn]).estimate();
            estimate.unwrap()
        });
        assert!(other.low < equal.low, "{pairs}");
        assert!(other.los <= equal.los + 1e-12, "{pairs}");
    }
    let two = Pentanomial([0, 0, 0, 1, 1]).estimate().unwrap();
    close(two.los, normal_cdf(2_f64.sqrt()), 1e-12);
    assert!(two.low < 0.0);
}

#[test]
fn ends_beyond_all_points_are_infinite() {
    let few = Wdl {
        wins: 3,
        draws: 1,
        losses: 0,
    };
    let estimate = few.estimate().unwrap();
    assert_eq!(estimate.high, f64::INFINITY);
    assert!(estimate.elo.is_finite() && estimate.low.is_finite());
    assert_eq!(estimate.error(), f64::INFINITY);
}
