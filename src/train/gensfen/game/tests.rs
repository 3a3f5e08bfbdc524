//! Tests of games and of the moves in them that are not the best.

use super::*;
use crate::train::gensfen::archive::{self, tests::NO_DIVERSIONS};
use crate::{eval::Evaluator, openings::StartSet, train::gensfen::Gaps, types::Bound};

fn settings(diversions: Diversions) -> GensfenSettings {
    let mut settings = archive::tests::settings();
    settings.seed = 7;
    settings.effort.nodes = Some(30);
    (settings.openings.least_plies, settings.openings.most_plies) = (4, 4);
    settings.openings.limit = 10_000;
    settings.diversions = diversions;
    settings.endings.max_ply = 40;
    settings.endings.adjudication = 32_000;
    settings.endings.to_mate = 0.0;
    settings.writing.dedup_mb = 0;
    settings
}

fn play(settings: &GensfenSettings, numbers: impl IntoIterator<Item = u64>) -> Vec<PlayedGame> {
    let starts = StartSet::startpos();
    let run = Run { settings, starts: &starts, evaluator: &Evaluator::default() };
    let player = Player::new(run);
    let mut player = player.expect("there is memory for one MB");
    let mut game = |number| player.play(number, &|| false);
    let games = numbers.into_iter().map(|number| {
        let game = game(number).expect("the settings are sensible");
        game.expect("nobody breaks it off")
    });
    games.collect()
}

fn line(mv: Move, value: i32) -> SoloLine {
    SoloLine { mv, reply: None, value, bound: Bound::Exact, depth: 1 }
}

/// How often each of four lines with these values in centipawns is chosen in 10 000 draws.
fn choices(diversions: &Diversions, values: [i32; 4]) -> [u32; 4] {
    const PAWN: i32 = 90;
    let position: Position = Position::startpos();
    let moves = legal_moves(&position);
    let line = |(value, &mv): (i32, &Move)| line(mv, value * PAWN / 100);
    let lines: Vec<SoloLine> = values.into_iter().zip(&moves).map(line).collect();
    let mut random = generator(Purpose::GAME, 1, 1, 0);
    let mut counts = [0; 4];
    for _ in 0..10_000 {
        let mv = choose(diversions, &lines, &mut random);
        let index = lines.iter().position(|line| line.mv == mv);
        counts[index.expect("one of the lines")] += 1;
    }
    counts
}

#[test]
fn a_game_does_not_depend_on_those_before_it() {
    let settings = settings(NO_DIVERSIONS);
    let text = |game: &PlayedGame| format!("{game:?}");
    let together = play(&settings, 0..3);
    for (number, game) in together.iter().enumerate() {
        let alone = play(&settings, [number as u64]);
        assert_eq!(text(&alone[0]), text(game), "game {number}");
    }
    assert_ne!(text(&together[0]), text(&together[1]));
}

#[test]
fn every_fifth_position_is_written_from_a_random_one_on() {
    let mut settings = settings(NO_DIVERSIONS);
    let full = play(&settings, 0..8);
    settings.gaps = Some(Gaps { every: 5, nodes: 3 });
    let games = play(&settings, 0..8);
    let mut remainders = 0_u32;
    for game in &games {
        let plies = || game.segments.iter().map(|segment| segment.start.game_ply());
        let remainder = plies().next().expect("it has ten positions") % 5;
        remainders |= 1 << remainder;
        let last = 5 + game.plies as u32;
        let expected: Vec<u32> = (5..last).filter(|ply| ply % 5 == remainder).collect();
        assert_eq!(plies().collect::<Vec<_>>(), expected);
        assert!(game.segments.iter().all(|segment| segment.moves.len() == 1));
    }
    assert!(remainders.count_ones() > 2, "{remainders:b}");
    let nodes = |games: &[PlayedGame]| {
        let sums = games.iter().fold((0, 0), |sum, game| (sum.0 + game.nodes, sum.1 + game.plies));
        sums.0 / sums.1
    };
    assert!(nodes(&games) < nodes(&full), "the others are searched less");
}

#[test]
fn diverted_plies_are_different_ones_of_the_range() {
    let mut counts = [0; 30];
    for game in 0..1000 {
        let diversions = Diversions { count: 5, min_ply: 10, max_ply: 20, ..NO_DIVERSIONS };
        let mut random = generator(Purpose::GAME, 1, game, 0);
        let mut plies = diverted_plies(&diversions, &mut random);
        plies.sort_unstable();
        plies.dedup();
        assert_eq!(plies.len(), 5);
        for ply in plies {
            counts[ply as usize] += 1;
        }
    }
    for (ply, &count) in counts.iter().enumerate() {
        // 5000 / 11 are 455 with a standard deviation of 16.
        let is_diverted = (10..=20).contains(&ply);
        let expected = if is_diverted { 375..535 } else { 0..1 };
        assert!(expected.contains(&count), "{count} times ply {ply}");
    }
}

#[test]
fn no_more_plies_are_diverted_than_there_are() {
    let mut random = generator(Purpose::GAME, 1, 1, 0);
    let many = Diversions { count: 9, min_ply: 3, max_ply: 5, ..NO_DIVERSIONS };
    assert_eq!(diverted_plies(&many, &mut random).len(), 3);
    let empty = Diversions { min_ply: 6, ..many };
    assert!(diverted_plies(&empty, &mut random).is_empty());
}

#[test]
fn better_lines_are_chosen_more_often_and_bad_ones_never() {
    let softmax = Diversions { multi_pv: 4, ..NO_DIVERSIONS };
    let counts = choices(&softmax, [0, -50, -100, -200]);
    // 1, 1/e and 1/e² of their sum.
    let expected = [6652, 2447, 900, 0];
    for (count, expected) in counts.into_iter().zip(expected) {
        assert!(count.abs_diff(expected) < 250, "{counts:?}");
    }
    assert_eq!(counts[3], 0);
    let alike = Diversions { temperature: 0, ..softmax };
    let counts = choices(&alike, [0, -50, -100, -200]);
    assert!(counts[..3].iter().all(|count| count.abs_diff(3333) < 250));
    assert_eq!(counts[3], 0);
}

#[test]
fn after_any_move_nothing_before_is_written() {
    let diversions = Diversions { count: 1, min_ply: 12, max_ply: 12, ..NO_DIVERSIONS };
    for game in play(&settings(diversions), 0..4) {
        assert_eq!(game.segments.len(), 1);
        assert_eq!(game.segments[0].start.game_ply(), 13);
    }
}

#[test]
fn after_another_good_move_a_new_segment_begins() {
    let diversions = Diversions {
        count: 6,
        min_ply: 8,
        max_ply: 20,
        multi_pv: 8,
        multi_pv_diff: 10_000,
        temperature: 0,
    };
    let games = play(&settings(diversions), 0..4);
    for game in &games {
        let mut ply = 5;
        for segment in &game.segments {
            // The next one begins where the last would have gone on.
            assert_eq!(segment.start.game_ply(), ply);
            ply += segment.moves.len() as u32;
        }
        assert_eq!(u64::from(ply - 5), game.plies, "every position is written");
    }
    let segments: usize = games.iter().map(|game| game.segments.len()).sum();
    assert!((5..=28).contains(&segments), "{segments}");
}

#[test]
fn the_deeper_value_of_a_position_remains() {
    let sampling = TreeSampling { positions: 1, min_depth: 1 };
    let mut sampler = TreeSampler::new(&sampling, 1, 1);
    let position: Position = Position::startpos();
    let node = |value, depth| TreeNode { mv: None, value, bound: Bound::Lower, depth };
    for (value, depth) in [(90, 4), (180, 5), (270, 4), (0, 5)] {
        sampler.add(tree_position(&position, node(value, depth)));
    }
    let nodes = sampler.nodes;
    assert_eq!(nodes.len(), 1);
    assert_eq!((nodes[0].score, nodes[0].depth), (200, 5));
}
