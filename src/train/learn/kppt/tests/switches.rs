//! Each factor can be switched off, and learns by itself.

use super::*;
use crate::train::learn::data::Data;
use crate::train::learn::kppt::factors::Factor;

/// Random positions with made-up scores.
fn data() -> Data {
    let samples = positions(200, 11).into_iter().map(|(_, sample)| sample);
    Data {
        training: samples.collect(),
        ..Data::default()
    }
}

/// The factors of which some weight has moved.
fn moved(learner: &mut Learner<'_>) -> Vec<Factor> {
    let tables = learner.tables();
    let is_moved = |factor: &Factor| {
        let weights = &tables.of(*factor).weights;
        weights.iter().any(|weight| *weight != [0.0; 2])
    };
    Factor::ALL.into_iter().filter(is_moved).collect()
}

#[test]
fn only_the_named_factors_are_learnt() {
    let data = data();
    let names = Factors::ALL.to_string();
    let names: Vec<&str> = names.split(',').collect();
    assert_eq!(names.len() + 1, Factor::NUM);
    for (at, name) in names.iter().enumerate() {
        let mut alone = Learner::new(settings(), options(name), &data).expect("good settings");
        alone.step().expect("positions in memory");
        assert_eq!(moved(&mut alone), [Factor::ALL[at]], "{name}");

        let others: Vec<&str> = names
            .iter()
            .copied()
            .filter(|other| other != name)
            .collect();
        let all_others = options(&others.join(","));
        let mut others = Learner::new(settings(), all_others, &data).expect("good settings");
        others.step().expect("positions in memory");
        let mut expected = Factor::ALL.to_vec();
        expected.retain(|factor| ![Factor::ALL[at], Factor::King].contains(factor));
        assert_eq!(moved(&mut others), expected, "all but {name}");
    }
}

#[test]
fn each_factor_lowers_the_loss_by_itself() {
    let data = data();
    for name in Factors::ALL.to_string().split(',') {
        let settings = Settings {
            batch: 200,
            interval: 1,
            ..settings()
        };
        let mut learner = Learner::new(settings, options(name), &data).expect("good settings");
        run_to_end(&mut learner);
        let losses: Vec<f64> = learner
            .points()
            .iter()
            .map(|point| point.training)
            .collect();
        let (first, last) = (losses[0], losses[losses.len() - 1]);
        assert!(first > 0.0 && last < first, "{name}: {first} to {last}");
    }
}

#[test]
fn constants_of_kings_are_none_or_learnt() {
    let data = data();
    let learnt = |kings| {
        let options = Options {
            kings,
            ..options("pp")
        };
        let mut learner = Learner::new(settings(), options, &data).expect("good settings");
        learner.step().expect("positions in memory");
        moved(&mut learner)
    };
    assert_eq!(learnt(KingConstants::Zero), [Factor::Pp]);
    assert_eq!(learnt(KingConstants::Learnt), [Factor::Pp, Factor::King]);
}
