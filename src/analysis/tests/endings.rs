//! Tests of games that the rules or a referee ended.

use super::*;
use crate::records::game::Ending;

#[test]
fn a_game_that_the_rules_ended_ends_at_its_result() {
    let last = |ending: Ending| {
        let mut record = record("startpos moves 7g7f 3c3d 2g2f");
        record.ending = ending;
        let positions = ["7g7f", "3c3d", "6g6f", "8c8d"].map(|mv| position(Score::Cp(800), mv));
        let review = Review::new(&record, positions.into(), Thresholds::default());
        (review.chances[3], review.judgements[2].class)
    };
    // White is to move, and the search says 800 for it.
    let searched = 1.0 - win_chance(Score::Cp(800));
    for ending in [
        Ending::Resignation,
        Ending::TimeUp,
        Ending::Interrupted,
        Ending::Unfinished,
    ] {
        assert_eq!(last(ending.clone()), (searched, Class::Blunder), "{ending}");
    }
    let [black, white] = [Color::Black, Color::White];
    for (ending, chance, class) in [
        (Ending::Repetition, 0.5, Class::Blunder),
        (Ending::PerpetualCheck { loser: black }, 0.0, Class::Blunder),
        (Ending::PerpetualCheck { loser: white }, 1.0, Class::Good),
        (Ending::IllegalAction { loser: black }, 0.0, Class::Blunder),
        (Ending::Checkmate, 1.0, Class::Good),
        (Ending::Declaration, 0.0, Class::Blunder),
        (
            Ending::AdjudicatedWin { winner: black },
            1.0,
            Class::Blunder,
        ),
        (Ending::MaxMoves, 0.5, Class::Blunder),
    ] {
        assert_eq!(last(ending.clone()), (chance, class), "{ending}");
    }
}

#[test]
fn comments_say_that_a_game_is_lost_by_rule() {
    // The side to move has lost, or wins as by a mate in one.
    for (loser, moves, score) in [
        (Color::Black, "startpos moves 7g7f 3c3d", "-32000"),
        (Color::White, "startpos moves 7g7f 3c3d", "31999"),
        (Color::White, "startpos moves 7g7f 3c3d 2g2f", "32000"),
        (Color::Black, "startpos moves 7g7f 3c3d 2g2f", "-31999"),
    ] {
        let mut record = record(moves);
        record.ending = Ending::PerpetualCheck { loser };
        let positions = vec![position(Score::Cp(0), "7g7f"); record.moves.len() + 1];
        let review = Review::new(&record, positions, Thresholds::default());
        let lines = comments::lines(&record, &review);
        let last = lines.last().and_then(|lines| lines.last());
        let expected = format!("評価値 {score}");
        assert!(
            last.is_some_and(|line| line.ends_with(&expected)),
            "{last:?}"
        );
        let thoughts = comments::thoughts(&record, &review);
        for (played, thought) in record.moves.iter_mut().zip(thoughts) {
            played.thought = thought;
        }
        let mut text = Vec::new();
        csa::write(&record, &mut text).expect("it can be written");
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(text.contains(&format!("'** {score}\n")), "{text}");
    }
}

#[test]
fn nobody_is_to_blame_for_the_limit_of_moves() {
    let mut record = record("startpos moves 7g7f");
    record.ending = Ending::MaxMoves;
    let positions = vec![
        position(Score::Cp(3000), "2g2f"),
        position(Score::Cp(-3000), "3c3d"),
    ];
    let review = Review::new(&record, positions.clone(), Thresholds::default());
    assert_eq!(review.judgements[0].class, Class::Good);
    assert_eq!(review.chances, [win_chance(Score::Cp(3000)), 0.5]);
    record.ending = Ending::Repetition;
    let review = Review::new(&record, positions, Thresholds::default());
    assert_eq!(review.judgements[0].class, Class::Blunder);
}
