//! Tests against published values, brute-force maximization and simulated matches.

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 games")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn sprt(text: &str) -> Sprt {
    text.parse().unwrap()
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{what}: found {found}, expected {expected}"
    );
}

#[test]
fn bounds_are_walds() {
    let (lower, upper) = sprt("alpha=0.05 beta=0.05").bounds();
    assert_close(upper, 19_f64.ln(), 1e-14, "upper");
    assert_close(lower, -19_f64.ln(), 1e-14, "lower");
    let (lower, upper) = sprt("alpha=0.01 beta=0.1").bounds();
    assert_close(lower, -2.292_534_757_140_544, 1e-14, "ln(0.1/0.99)");
    assert_close(upper, 4.499_809_670_330_265, 1e-14, "ln(0.9/0.01)");
}

/// The values of fishtest's `LLRcalc.py`; the two with many games are its own examples.
#[test]
fn llr_is_that_of_fishtest() {
    let many = [10789, 19328, 33806, 19402, 10543];
    let drawish = [39, 2226, 31451, 2412, 40];
    let logistic = [
        (many, -3.0, 1.0, 2.131_067_811_785_5),
        (drawish, 0.2, 0.9, 2.162_542_580_049_1),
        ([0, 10, 20, 50, 20], 0.0, 5.0, 1.428_686_106_474_4),
        ([3, 20, 45, 25, 7], 0.0, 10.0, 0.695_972_606_498_1),
        ([0, 0, 50, 0, 0], 0.0, 5.0, -0.717_605_836_112_5),
        ([2, 5, 80, 8, 5], 0.0, 5.0, 0.538_486_257_258_9),
    ];
    let normalized = [
        (many, -3.0, 1.0, 0.300_869_785_481_4),
        (many, 0.0, 5.0, -26.838_448_639_795_1),
        (many, 0.0, 20.0, -340.249_204_370_021_7),
        (drawish, 0.764, 3.439, 2.162_940_869_584_5),
        ([100, 200, 400, 250, 150], 0.0, 20.0, 7.004_863_094_500_5),
        ([3, 20, 45, 25, 7], 0.0, 10.0, 0.494_970_278_667_9),
        ([0, 3, 10, 5, 2], -3.0, 1.0, 0.121_576_713_047_9),
        ([0, 0, 40, 10, 0], 0.0, 5.0, 0.312_554_359_499_5),
        ([0, 0, 50, 0, 0], 0.0, 5.0, -0.017_561_248_571_8),
        ([5, 5, 5, 5, 5], 0.0, 5.0, -0.005_176_938_008_7),
    ];
    for (model, cases) in [(Model::Logistic, &logistic[..]), (Model::Normalized, &normalized[..])] {
        for &(counts, elo0, elo1, expected) in cases {
            let test = Sprt { elo0, elo1, model, ..Sprt::default() };
            let found = test.llr(&Pentanomial(counts));
            assert_close(found, expected, 1e-8, &format!("{test} {counts:?}"));
        }
    }
}

/// The largest log-likelihood of `counts` among distributions on which `constraint` is zero, found
/// by a random walk that only goes up. Each step is projected to the constraint, which grows with
/// wins and falls with losses, by shifting probability between them.
fn climbed_likelihood(counts: [f64; 5], constraint: &dyn Fn(&[f64; 5]) -> f64) -> f64 {
    let tilted = |q: &[f64; 5], by: f64| {
        let tilt: [f64; 5] =
            std::array::from_fn(|result| q[result] * (by * (result as f64 - 2.0)).exp());
        let sum: f64 = tilt.iter().sum();
        tilt.map(|p| p / sum)
    };
    let back = |q: &[f64; 5]| {
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if constraint(&tilted(q, middle)) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        tilted(q, low)
    };
    let likelihood =
        |q: &[f64; 5]| -> f64 { counts.iter().zip(q).map(|(count, p)| count * p.ln()).sum() };
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut best = back(&[0.2; 5]);
    let mut size = 0.5;
    for _ in 0..1500 {
        let step = best.map(|p| p * (size * (generator.random::<f64>() - 0.5)).exp());
        let next = back(&step);
        if likelihood(&next) > likelihood(&best) {
            best = next;
            size *= 1.5;
        } else {
            size = f64::max(size * 0.92, 1e-9);
        }
    }
    likelihood(&best)
}

#[test]
fn llr_is_the_ratio_of_the_largest_likelihoods() {
    let value = |result: usize| result as f64 / 4.0;
    let mean = |q: &[f64; 5]| -> f64 { (0..5).map(|result| q[result] * value(result)).sum() };
    let deviation = |q: &[f64; 5]| -> f64 {
        let squares: f64 = (0..5).map(|result| q[result] * value(result).powi(2)).sum();
        (squares - mean(q).powi(2)).sqrt()
    };
    let cases = [
        ([12, 60, 130, 80, 18], 0.0, 5.0),
        ([40, 30, 25, 20, 10], -10.0, 30.0),
        ([3, 20, 45, 25, 7], 40.0, 100.0),
        ([900, 10, 3, 1, 2], -5.0, 5.0),
    ];
    for (counts, elo0, elo1) in cases {
        let numbers = counts.map(|count| count as f64);
        let pairs = Pentanomial(counts);

        let of_score = |elo: f64| {
            let score = 1.0 / (1.0 + (-elo / 400.0 * std::f64::consts::LN_10).exp());
            climbed_likelihood(numbers, &|q| mean(q) - score)
        };
        let expected = of_score(elo1) - of_score(elo0);
        let test = sprt(&format!("elo0={elo0} elo1={elo1}"));
        let words = format!("{test} {counts:?}");
        assert_close(test.llr(&pairs), expected, 1e-5, &words);

        // The variance of a game is twice that of the mean of two games.
        let of_spread = |elo: f64| {
            let per_game = elo * std::f64::consts::LN_10 / 800.0;
            climbed_likelihood(numbers, &|q| mean(q) - 0.5 - per_game * 2_f64.sqrt() * deviation(q))
        };
        let expected = of_spread(elo1) - of_spread(elo0);
        let test = sprt(&format!("elo0={elo0} elo1={elo1} model=normalized"));
        let words = format!("{test} {counts:?}");
        assert_close(test.llr(&pairs), expected, 1e-5, &words);
    }
}

#[test]
fn llr_is_finite_whatever_happened() {
    for model in ["logistic", "normalized"] {
        for range in ["elo0=0 elo1=5", "elo0=-200 elo1=200", "elo0=-200 elo1=-100"] {
            let test = sprt(&format!("{range} model={model}"));
            for code in 0..3_u32.pow(5) {
                let counts = std::array::from_fn(|result| {
                    [0, 1, 10_000][(code / 3_u32.pow(result as u32) % 3) as usize]
                });
                let llr = test.llr(&Pentanomial(counts));
                assert!(llr.is_finite(), "{test} {counts:?}: {llr}");
                let mut mirrored = counts;
                mirrored.reverse();
                let opposite = Sprt { elo0: -test.elo1, elo1: -test.elo0, ..test };
                let other = opposite.llr(&Pentanomial(mirrored));
                assert_close(other, -llr, 1e-6, &format!("{test} {counts:?}"));
            }
        }
    }
    assert!(Sprt::default().llr(&Pentanomial::default()).abs() < f64::EPSILON);
}

/// Simulates pairs with these probabilities until the test ends; returns whether H1 was accepted.
fn accepts(test: &Sprt, probabilities: [f64; 5], generator: &mut ChaCha8Rng) -> bool {
    let mut pairs = Pentanomial::default();
    loop {
        let mut left: f64 = generator.random();
        let mut result = 0;
        while result < 4 && left >= probabilities[result] {
            left -= probabilities[result];
            result += 1;
        }
        pairs.add_pair(result);
        match test.verdict(&pairs) {
            SprtVerdict::Continue => assert!(pairs.pairs() < 100_000, "a test without end"),
            verdict => return verdict == SprtVerdict::H1,
        }
    }
}

/// Probabilities of pairs with this mean score: a fixed shape, mixed with certain wins.
fn pairs_with_mean(mean: f64) -> [f64; 5] {
    let shape = [0.06, 0.22, 0.44, 0.22, 0.06];
    let wins = (mean - 0.5) / 0.5;
    let mut mixed = shape.map(|p| p * (1.0 - wins));
    mixed[4] += wins;
    mixed
}

#[test]
fn wrong_verdicts_are_as_rare_as_promised() {
    const RUNS: u32 = 1000;
    let test = sprt("elo0=0 elo1=40 alpha=0.05 beta=0.1");
    let mut generator = ChaCha8Rng::seed_from_u64(2026);
    let mut wrong = [0, 0];
    for _ in 0..RUNS {
        let at_elo0 = pairs_with_mean(0.5);
        let at_elo1 = pairs_with_mean(0.557_311_633_762_293_6);
        wrong[0] += u32::from(accepts(&test, at_elo0, &mut generator));
        wrong[1] += u32::from(!accepts(&test, at_elo1, &mut generator));
    }
    for (found, promised) in wrong.into_iter().zip([0.05, 0.1]) {
        let rate = f64::from(found) / f64::from(RUNS);
        let noise = (promised * (1.0 - promised) / f64::from(RUNS)).sqrt();
        // Close to the nominal error rate, neither above it nor far below.
        assert!(rate < promised + 2.5 * noise, "{wrong:?} of {RUNS}");
        assert!(rate > promised / 3.0, "{wrong:?} of {RUNS}");
    }
}

#[test]
fn normalized_verdicts_are_as_rare_as_promised() {
    const RUNS: u32 = 300;
    let test = sprt("elo0=0 elo1=40 model=normalized");
    let mut generator = ChaCha8Rng::seed_from_u64(7);
    // Find the mixture whose score is 40 normalized Elo: 40·ln 10/800 standard deviations of a
    // game.
    let t_value = |q: [f64; 5]| {
        let mean: f64 = (0..5).map(|result| q[result] * result as f64 / 4.0).sum();
        let squares: f64 = (0..5).map(|result| q[result] * (result * result) as f64 / 16.0).sum();
        (mean - 0.5) / (squares - mean * mean).sqrt()
    };
    let expected = 2_f64.sqrt() * 40.0 * std::f64::consts::LN_10 / 800.0;
    let mean = (0..10_000)
        .map(|step| 0.5 + f64::from(step) * 1e-5)
        .find(|&mean| t_value(pairs_with_mean(mean)) >= expected)
        .unwrap();
    let mut wrong = [0, 0];
    for _ in 0..RUNS {
        wrong[0] += u32::from(accepts(&test, pairs_with_mean(0.5), &mut generator));
        wrong[1] += u32::from(!accepts(&test, pairs_with_mean(mean), &mut generator));
    }
    for found in wrong {
        let rate = f64::from(found) / f64::from(RUNS);
        assert!((0.015..0.075).contains(&rate), "{wrong:?} of {RUNS}");
    }
}

#[test]
fn texts_are_read_and_written() {
    assert_eq!(sprt(""), Sprt::default());
    let full = sprt("elo0=-1.5,elo1=4, alpha=0.1  beta=0.2 model=normalized");
    assert_eq!(
        full,
        Sprt { elo0: -1.5, elo1: 4.0, alpha: 0.1, beta: 0.2, model: Model::Normalized }
    );
    assert_eq!(sprt(&full.to_string()), full);
    let expected = "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic";
    assert_eq!(Sprt::default().to_string(), expected);
}

#[test]
fn faults_are_named() {
    let cases = cases! {
        "elo2=3" => "'elo2=3', expected elo0=";
        "elo0" => "'elo0', expected elo0=";
        "elo0=x" => "elo0='x', expected a number";
        "elo0=NaN" => "elo0=NaN, expected -200 to 200";
        "elo1=201" => "elo1=201, expected -200 to 200";
        "elo0=5 elo1=5" => "expected elo0 below elo1";
        "alpha=0" => "alpha=0, expected a probability above 0";
        "beta=0.5" => "beta=0.5, expected a probability above 0";
        "model=bayes" => "model='bayes', expected logistic or normalized";
    };
    for (text, part) in cases {
        let message = text.parse::<Sprt>().unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
}
