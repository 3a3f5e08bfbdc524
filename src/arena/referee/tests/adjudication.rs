//! Tests of adjudication by the scores of both engines.

use super::*;

/// Quiet moves from the start position.
const QUIET: &str = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 3i3h 7a7b 9g9f 9c9d 1g1f 1c1d";

pub(super) const WIN: Adjudication = Adjudication {
    score: 1000,
    moves: 2,
    from: 0,
};

const DRAW: Adjudication = Adjudication {
    score: 50,
    moves: 2,
    from: 0,
};

/// Plays quiet moves with these scores, and returns the number of moves after which the game ended.
fn adjudicated(rules: &Rules, scores: &[Option<Score>]) -> Option<(usize, Verdict)> {
    let mut referee = Referee::new(rules, Position::startpos());
    let moves = QUIET.split(' ').zip(scores);
    for (number, (text, score)) in (1..).zip(moves) {
        assert_eq!(referee.play(text).verdict, None);
        if let Some(verdict) = referee.add_score(*score) {
            return Some((number, verdict));
        }
    }
    None
}

fn centipawns<const COUNT: usize>(scores: [i32; COUNT]) -> [Option<Score>; COUNT] {
    scores.map(|score| Some(Score::Cp(score)))
}

#[test]
fn a_game_is_won_when_both_agree_and_the_loser_is_to_move() {
    let rules = Rules {
        win_adjudication: Some(WIN),
        ..RULES
    };
    let win_of = |winner: Color| Verdict::loss(!winner, Reason::AdjudicatedWin, "");
    let black_wins = centipawns([1000, -1000, 1200, -3000, 1000, -1000]);
    // Both agree after four plies, but then black is to move.
    let verdict = Some((5, win_of(Color::Black)));
    assert_eq!(adjudicated(&rules, &black_wins), verdict);
    let white_wins = centipawns([-1000, 1000, -1000, 1000, -1000]);
    let verdict = Some((4, win_of(Color::White)));
    assert_eq!(adjudicated(&rules, &white_wins), verdict);
    let one_sided = centipawns([5000, 0, 5000, 0, 5000, 0, 5000, 0, 5000]);
    assert_eq!(adjudicated(&rules, &one_sided), None);
    let both_hope = centipawns([5000; 14]);
    assert_eq!(adjudicated(&rules, &both_hope), None);
}

#[test]
fn silence_and_contradiction_begin_the_count_anew() {
    let rules = Rules {
        win_adjudication: Some(WIN),
        ..RULES
    };
    let for_black = |ply: usize| Some(Score::Cp(if ply.is_multiple_of(2) { 2000 } else { -2000 }));
    for interruption in [None, Some(Score::Cp(0)), Some(Score::Cp(999))] {
        let mut scores: Vec<_> = (0..14).map(for_black).collect();
        scores[2] = interruption;
        // Four plies are needed from the fourth ply on; the last of them is black's.
        let (number, verdict) = adjudicated(&rules, &scores).expect("it is won in the end");
        assert_eq!((number, verdict.winner), (7, Some(Color::Black)));
    }
    // The third score favours white and is the first of white's four; black is to move after the
    // sixth.
    let mut turned: Vec<_> = (0..14).map(|ply| for_black(ply + 1)).collect();
    turned[..2].copy_from_slice(&centipawns([2000, -2000]));
    let (number, verdict) = adjudicated(&rules, &turned).expect("it is won in the end");
    assert_eq!((number, verdict.winner), (6, Some(Color::White)));
}

#[test]
fn mates_are_scores() {
    let rules = Rules {
        win_adjudication: Some(WIN),
        draw_adjudication: Some(DRAW),
        ..RULES
    };
    let [ours, theirs] = [Some(Score::Mate(5)), Some(Score::Mate(-4))];
    let (number, verdict) = adjudicated(&rules, &[ours, theirs, ours, theirs, ours]).unwrap();
    assert_eq!((number, verdict.winner), (5, Some(Color::Black)));
    // A score of mated in 0, which is not even.
    let mated = Some(Score::Mate(0));
    let (number, verdict) = adjudicated(&rules, &[mated, ours, mated, ours]).unwrap();
    assert_eq!((number, verdict.winner), (4, Some(Color::White)));
}

#[test]
fn a_game_is_drawn_when_both_agree() {
    let mut rules = Rules {
        draw_adjudication: Some(DRAW),
        ..RULES
    };
    let draw = Verdict::draw(Reason::AdjudicatedDraw);
    let even = centipawns([50, -50, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(adjudicated(&rules, &even), Some((4, draw.clone())));
    let interrupted = centipawns([0, 0, 0, 51, 0, 0, 0, 0]);
    assert_eq!(adjudicated(&rules, &interrupted), Some((8, draw.clone())));
    let mut silent = even;
    silent[1] = None;
    assert_eq!(adjudicated(&rules, &silent), Some((6, draw.clone())));
    rules.draw_adjudication = Some(Adjudication { from: 9, ..DRAW });
    assert_eq!(adjudicated(&rules, &even), Some((9, draw)));
}

#[test]
fn wins_wait_for_their_move_number_too() {
    let rules = Rules {
        win_adjudication: Some(Adjudication { from: 8, ..WIN }),
        ..RULES
    };
    let black_wins = centipawns([2000, -2000, 2000, -2000, 2000, -2000, 2000, -2000, 2000]);
    let number = adjudicated(&rules, &black_wins).map(|(number, _)| number);
    assert_eq!(number, Some(9));
}

#[test]
fn adjudication_is_read_from_words() {
    let read = |text: &str| text.parse::<Adjudication>();
    let all = Adjudication {
        score: 2000,
        moves: 4,
        from: 40,
    };
    assert_eq!(read("score=2000 moves=4 from=40"), Ok(all));
    assert_eq!(read("from=40,moves=4, score=2000"), Ok(all));
    assert_eq!(
        read("moves=4 score=2000"),
        Ok(Adjudication { from: 0, ..all })
    );
    for (text, part) in [
        ("score=2000", "'score=2000'"),
        ("moves=4", "'moves=4'"),
        ("", "''"),
        ("score=2000 moves=0", "'moves=0'"),
        ("score=-1 moves=4", "'score=-1'"),
        ("score=2000 moves=4 until=5", "'until=5'"),
        ("score=2000 moves", "'moves'"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(part), "{text}: {error}");
        assert!(error.contains("expected score=CENTIPAWNS"), "{error}");
    }
}
