//! Scores, results and bounds are those of the side to move.

use super::*;
use crate::movegen::legal_moves;
use crate::records::packed::PackedSfen;
use crate::types::Bound;

#[test]
fn scores_and_results_turn_with_the_side_to_move() {
    let sfen = "3k5/9/9/4r4/9/9/4L4/9/3K5 b - 1";
    let mut position = Position::from_sfen(sfen).expect("a good position");
    let moves = legal_moves(&position);
    let capture = moves.iter().find(|mv| mv.to_string() == "5g5d");
    assert!(capture.is_some());
    for (tactical, expected) in [
        (Tactical::Drop, None),
        (Tactical::Keep, Some((500, Some(1)))),
        (Tactical::Leaf, Some((-500, Some(-1)))),
    ] {
        let filter = Filter {
            tactical,
            ..Filter::default()
        };
        let mut data = Data::default();
        data.add(&filter, false, &mut position, capture.copied(), (500, 1));
        let found = data.training.first();
        let found = found.map(|sample| (sample.score(), sample.result()));
        assert_eq!(found, expected, "{tactical:?}");
        assert_eq!(position.to_sfen(), sfen);
    }
}

#[test]
fn bounds_turn_with_the_side_to_move() {
    let sfen = "3k5/9/9/4r4/9/9/4L4/9/3K5 b - 1";
    let mut position = Position::from_sfen(sfen).expect("a good position");
    let node = TreePosition {
        position: PackedSfen::of(&position),
        score: 1000,
        mv: None,
        ply: 1,
        depth: 4,
        bound: Bound::Upper,
    };
    let label = |bound| Label::Tree { bound, depth: 4 };
    for (tactical, expected) in [
        (Tactical::Drop, None),
        (Tactical::Keep, Some((900, label(Bound::Upper)))),
        (Tactical::Leaf, Some((-900, label(Bound::Lower)))),
    ] {
        let filter = Filter {
            tactical,
            ..Filter::default()
        };
        let mut data = Data::default();
        data.add_tree_position(&filter, false, &node, &mut position);
        let found = data.training.first();
        let found = found.map(|sample| (sample.score(), sample.label()));
        assert_eq!(found, expected, "{tactical:?}");
        assert_eq!(data.counts.tree_positions, 1);
    }
}

#[test]
fn a_line_that_begins_with_another_move_than_the_best_has_no_score() {
    let sfen = "3k5/9/9/4r4/p8/9/L3L4/9/3K5 b - 1";
    let mut position = Position::from_sfen(sfen).expect("a good position");
    let filter = Filter {
        tactical: Tactical::Leaf,
        ..Filter::default()
    };
    for (best, count) in [("5g5d", 1), ("9g9e", 0)] {
        let moves = legal_moves(&position);
        let mv = moves.iter().find(|mv| mv.to_string() == best);
        assert!(mv.is_some());
        let mut data = Data::default();
        data.add(&filter, false, &mut position, mv.copied(), (500, 1));
        assert_eq!(data.training.len(), count, "{best}");
        assert_eq!(position.to_sfen(), sfen);
    }
}
