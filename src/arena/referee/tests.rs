//! Tests of the referee, rule by rule.

use super::*;
use crate::records::sfen_line::SfenLine;

/// A position with only the two kings, and moves that lead back to it, the last one excepted.
const KINGS: &str = "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";
const SHUFFLE: &str = "5i5h 5a5b 5h5i 5b5a 5i5h 5a5b 5h5i 5b5a 5i5h 5a5b 5h5i";

fn position(line: &str) -> Position {
    let line: SfenLine = line.parse().expect("the line of a test");
    line.position()
}

/// The effect of a move under the default rules.
fn play(line: &str, text: &str) -> Played {
    Referee::new(&Rules::default(), position(line)).play(text)
}

/// Plays moves, none of which ends the game.
fn play_on(referee: &mut Referee<'_>, moves: &str) {
    for text in moves.split(' ') {
        let played = referee.play(text);
        assert!(played.mv.is_some(), "{text}: {played:?}");
        assert_eq!(played.verdict, None, "{text}");
    }
}

/// Plays a move that ends the game in a draw.
fn draws(referee: &mut Referee<'_>, text: &str, reason: EndReason) {
    let verdict = referee.play(text).verdict;
    assert_eq!(verdict, Some(GameVerdict::draw(reason)));
}

fn is_refused(line: &str, text: &str) {
    let before = position(line);
    let us = before.side_to_move();
    let mut referee = Referee::new(&RULES, before.clone());
    let Played { mv, verdict } = referee.play(text);
    let verdict = verdict.unwrap_or_else(|| panic!("{text} in {line} is played"));
    assert_eq!(mv, None, "{text} in {line}");
    let loss = (Some(!us), EndReason::IllegalMove);
    assert_eq!((verdict.winner, verdict.reason), loss);
    for part in [text, &before.to_sfen()] {
        assert!(verdict.detail.contains(part), "{}", verdict.detail);
    }
    assert_eq!(referee.position().to_sfen(), before.to_sfen());
}

/// The default rules without a move limit.
const RULES: Rules = Rules {
    max_moves: 0,
    entering_king: EnteringKingRule::CsaRule27,
    margin: Duration::ZERO,
    patience: Duration::from_mins(1),
    ready_timeout: Duration::from_mins(2),
    win_adjudication: None,
    draw_adjudication: None,
};

#[test]
fn illegal_moves_are_refused_with_the_position() {
    let cases = cases! {
        // Not a move, an opponent's piece, an empty square, onto an own piece.
        "startpos" => "xyz 7g 7g7f= 0000 3c3d 5e5d 5i5h5g 9i9g 2h7h+ P*5e";
        // A second pawn on the file.
        "sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1" => "P*5e P*5b";
        // A piece that could never move again.
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b PLN 1" => "P*1a L*1a N*1a N*1b";
        "sfen 4k4/9/9/9/9/9/9/9/4K4 w pln 1" => "P*1i L*1i N*1i N*1h";
        "sfen 4k4/7LP/9/6N2/9/9/9/9/4K4 b - 1" => "1b1a 2b2a 3d2b 3d4b";
        // The king stays in check, moves into check, or is exposed.
        "sfen 4k4/9/9/9/4r4/9/9/9/4K4 b G 1" => "G*1a 5i5h";
        "sfen 4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1" => "5h4h 5h6g";
        "sfen 4k4/9/9/9/3r5/9/9/9/4K4 b - 1" => "5i6i 5i6h";
    };
    for (line, texts) in cases {
        for text in texts.split(' ') {
            is_refused(line, text);
        }
    }
    let Played { verdict, .. } = play("startpos", "xyz");
    assert!(verdict.is_some_and(|verdict| verdict.detail.starts_with("'xyz' is no move")));
}

#[test]
fn a_dropped_pawn_must_not_mate_but_a_moved_one_may() {
    is_refused("sfen 7lk/9/7G1/9/9/9/9/9/4K4 b P 1", "P*1b");
    is_refused("sfen 4k4/9/9/9/9/9/1g7/9/KL7 w p 1", "P*9h");
    let checks = play("sfen 8k/9/7G1/9/9/9/9/9/4K4 b P 1", "P*1b");
    assert_eq!(checks.verdict, None);
    let mates = play("sfen 7lk/9/7GP/9/9/9/9/9/4K4 b - 1", "1c1b");
    let verdict = GameVerdict::loss(Color::White, EndReason::Checkmate, "");
    assert_eq!(mates.verdict, Some(verdict));
    assert!(mates.mv.is_some());
}

#[test]
fn pieces_need_not_promote() {
    let line = "sfen 4k4/9/9/P6LN/9/9/6N2/1B5R1/4K4 b - 1";
    for text in "9d9c 9d9c+ 2d2c 2d2b 2d2b+ 1d2b+ 8h2b 8h2b+ 2h2e".split(' ') {
        let played = play(line, text);
        assert_eq!(played.verdict, None, "{text}");
        let mv = played.mv.map(|mv| mv.to_string());
        assert_eq!(mv.as_deref(), Some(text));
    }
    let line = "sfen 4k4/9/9/9/9/9/9/7R1/4K4 b - 1";
    for text in ["2h2c", "2h2c+", "2h2a"] {
        assert!(play(line, text).mv.is_some(), "{text}");
    }
}

#[test]
fn the_fourth_occurrence_is_a_draw() {
    let mut referee = Referee::new(&RULES, position(KINGS));
    play_on(&mut referee, SHUFFLE);
    draws(&mut referee, "5b5a", EndReason::Repetition);
}

#[test]
fn occurrences_in_the_opening_count() {
    let mut referee = Referee::new(&RULES, position(&format!("{KINGS} moves {SHUFFLE}")));
    assert_eq!(referee.end(), None);
    draws(&mut referee, "5b5a", EndReason::Repetition);
}

#[test]
fn perpetual_check_loses_whoever_completes_it() {
    let cases = cases! {
        // Position, a cycle of moves that leads back to it, and the side that gives check.
        "8k/9/9/9/8R/9/9/9/K8 w - 1", "1a2a 1e2e 2a1a 2e1e" => Color::Black;
        "7k1/9/9/9/8R/9/9/9/K8 b - 1", "1e2e 2a1a 2e1e 1a2a" => Color::Black;
        "8k/9/9/9/r8/9/9/9/K8 b - 1", "9i8i 9e8e 8i9i 8e9e" => Color::White;
        "8k/9/9/9/r8/9/9/9/1K7 w - 1", "9e8e 8i9i 8e9e 9i8i" => Color::White;
    };
    for (start, round, checker) in cases {
        let mut referee = Referee::new(&RULES, position(&format!("sfen {start}")));
        play_on(&mut referee, &[round, round].join(" "));
        let (all_but_last, last) = round.rsplit_once(' ').expect("a round has four moves");
        play_on(&mut referee, all_but_last);
        let verdict = GameVerdict::loss(checker, EndReason::PerpetualCheck, "");
        assert_eq!(referee.play(last).verdict, Some(verdict), "{start}");
    }
}

#[test]
fn one_quiet_move_makes_it_a_draw() {
    // The check is given from 1e; from 2f it is not.
    let mut referee = Referee::new(&RULES, position("sfen 8k/9/9/9/9/8R/9/9/K8 w - 1"));
    let round = "1a2a 1f3f 2a1a 3f1f";
    play_on(&mut referee, &[round, round].join(" "));
    play_on(&mut referee, "1a2a 1f3f 2a1a");
    draws(&mut referee, "3f1f", EndReason::Repetition);
}

#[test]
fn the_last_move_draws_unless_it_mates() {
    let rules = Rules { max_moves: 4, ..RULES };
    let mut referee = Referee::new(&rules, Position::startpos());
    play_on(&mut referee, "7g7f 3c3d 2g2f");
    draws(&mut referee, "8c8d", EndReason::MaxMoves);
    let mating = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 4";
    for (text, reason) in [("G*5b", EndReason::Checkmate), ("G*1b", EndReason::MaxMoves)] {
        let played = Referee::new(&rules, position(mating)).play(text);
        assert_eq!(played.verdict.map(|verdict| verdict.reason), Some(reason));
    }
    // Moves of the opening count.
    let mut referee = Referee::new(&rules, position("startpos moves 7g7f 3c3d 2g2f"));
    draws(&mut referee, "8c8d", EndReason::MaxMoves);
    let unlimited = Referee::new(&RULES, position("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 2000"));
    assert_eq!(unlimited.end(), None);
}

#[test]
fn naming_the_try_wins() {
    let rules = Rules { entering_king: EnteringKingRule::TryRule, ..RULES };
    let cases = [
        ("sfen 9/4K4/9/9/9/9/9/9/4k4 b - 1", "5b5a", Color::Black),
        ("sfen 9/4K4/9/9/9/9/9/4k4/9 w - 1", "5h5i", Color::White),
    ];
    for (line, text, winner) in cases {
        let played = Referee::new(&rules, position(line)).play(text);
        let verdict = GameVerdict::loss(!winner, EndReason::Try, "");
        assert_eq!((played.mv, played.verdict), (None, Some(verdict)));
        // A declaration has the same effect, and another move is an ordinary move.
        let referee = Referee::new(&rules, position(line));
        assert_eq!(referee.declare().winner, Some(winner));
        assert_eq!(play(line, text).verdict, None);
    }
    let guarded = "sfen 3g5/4K4/9/9/9/9/9/9/4k4 b - 1";
    let verdict = Referee::new(&rules, position(guarded)).play("5b5a").verdict;
    assert_eq!(verdict.map(|v| v.reason), Some(EndReason::IllegalMove));
    let verdict = Referee::new(&rules, position(guarded)).declare();
    assert_eq!(verdict.reason, EndReason::FalseDeclaration);
}

#[test]
fn each_rule_of_declaration_has_its_requirement() {
    use EnteringKingRule as Rule;
    // Eleven pieces in the promotion zone worth 27 points, and the hand.
    let black = |hand: &str| format!("1+R1K+B4/+R+B+P+P+P+P+P+P+P/9/9/9/9/9/9/4k4 b {hand} 1");
    let white = |hand: &str| format!("4K4/9/9/9/9/9/9/+p+p+p+p+p+p+p+b+r/4+bk1+r1 w {hand} 1");
    // Ten pawns and seven more in hand, against what the two-piece handicap leaves to the other
    // side.
    let weak = |hands: &str| format!("4K4/9/9/9/9/9/9/+p+p+p+p+p+p+p+p+p/k+p7 w {hands} 1");
    let ten = "4K4/9/9/9/9/9/9/+p+p+p+p+p+p1+b+r/4+bk1+r1 w p 1".to_owned();
    let nine = "4K4/9/9/9/9/9/9/+p+p+p+p+p2+b+r/4+bk1+r1 w 2p 1".to_owned();
    let checked = "1+RgK+B4/+R+B+P+P+P+P+P+P+P/9/9/9/9/9/9/4k4 b GS 1".to_owned();
    let outside = "1+R2+B4/+R+B+P+P+P+P+P+P+P/9/3K5/9/9/9/9/4k4 b GS 1".to_owned();
    let weak_17 = weak("RB4G4S4N4LP7p");
    let weak_21 = weak("RB4S4N4LP4g7p");
    let cases = [
        (Rule::CsaRule27, black("G"), true),
        (Rule::CsaRule27, black("-"), false),
        (Rule::CsaRule27, white("-"), true),
        (Rule::CsaRule27, ten, true),
        (Rule::CsaRule27, nine, false),
        (Rule::CsaRule27, checked, false),
        (Rule::CsaRule27, outside, false),
        (Rule::CsaRule27, weak_17.clone(), false),
        (Rule::CsaRule27Handicap, black("G"), true),
        (Rule::CsaRule27Handicap, black("-"), false),
        (Rule::CsaRule27Handicap, weak_17.clone(), true),
        (Rule::CsaRule27Handicap, weak("RB4G4S4N4L2P6p"), false),
        (Rule::CsaRule24, black("2G2S"), true),
        (Rule::CsaRule24, black("2GS"), false),
        (Rule::CsaRule24, white("2g2s"), true),
        (Rule::CsaRule24, white("2gs"), false),
        (Rule::CsaRule24, weak_21.clone(), false),
        (Rule::CsaRule24Handicap, weak_21, true),
        (Rule::CsaRule24Handicap, weak_17, false),
        (Rule::NoEnteringKing, black("2G2S"), false),
        (Rule::TryRule, black("2G2S"), false),
    ];
    for (entering_king, sfen, is_right) in cases {
        let rules = Rules { entering_king, ..RULES };
        let position = position(&format!("sfen {sfen}"));
        let us = position.side_to_move();
        let text = position.to_sfen();
        let verdict = Referee::new(&rules, position).declare();
        let expected = if is_right {
            (Some(us), EndReason::Declaration)
        } else {
            (Some(!us), EndReason::FalseDeclaration)
        };
        let name = entering_king.name();
        let found = (verdict.winner, verdict.reason);
        assert_eq!(found, expected, "{name} in {sfen}");
        if !is_right {
            assert!(verdict.detail.contains(name), "{}", verdict.detail);
            assert!(verdict.detail.contains(&text), "{}", verdict.detail);
        }
    }
}

#[test]
fn rules_survive_their_file() {
    let rules = Rules {
        entering_king: EnteringKingRule::CsaRule24Handicap,
        margin: Duration::from_millis(50),
        win_adjudication: Some(WIN),
        ..RULES
    };
    let text = serde_json::to_string(&rules).unwrap();
    assert!(text.contains("\"entering_king\":\"CSARule24H\""), "{text}");
    assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules);
    let wrong = text.replace("CSARule24H", "CSARule25");
    assert!(serde_json::from_str::<Rules>(&wrong).is_err());
}

#[test]
fn a_very_long_word_is_quoted_in_part() {
    let text = "x".repeat(60_000);
    let fault = read_legal_move(&Position::startpos(), &text).expect_err("no move");
    assert!(fault.len() < 100, "{fault}");
}

// --- Adjudication by the scores of both engines ---

/// Quiet moves from the start position.
const QUIET: &str = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 3i3h 7a7b 9g9f 9c9d 1g1f 1c1d";

const WIN: Adjudication = Adjudication { score: 1000, moves: 2, from: 0 };

const DRAW: Adjudication = Adjudication { score: 50, ..WIN };

const WITH_WINS: Rules = Rules { win_adjudication: Some(WIN), ..RULES };

/// Plays quiet moves with these scores, and returns the number of moves after which the game ended.
fn adjudicated(rules: &Rules, scores: &[Option<Score>]) -> Option<(usize, GameVerdict)> {
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
    let win_of = |winner: Color| GameVerdict::loss(!winner, EndReason::AdjudicatedWin, "");
    let black_wins = centipawns([1000, -1000, 1200, -3000, 1000, -1000]);
    // Both agree after four plies, but then black is to move.
    let verdict = Some((5, win_of(Color::Black)));
    assert_eq!(adjudicated(&WITH_WINS, &black_wins), verdict);
    let white_wins = centipawns([-1000, 1000, -1000, 1000, -1000]);
    let verdict = Some((4, win_of(Color::White)));
    assert_eq!(adjudicated(&WITH_WINS, &white_wins), verdict);
    let one_sided = centipawns([5000, 0, 5000, 0, 5000, 0, 5000, 0, 5000]);
    assert_eq!(adjudicated(&WITH_WINS, &one_sided), None);
    let both_hope = centipawns([5000; 14]);
    assert_eq!(adjudicated(&WITH_WINS, &both_hope), None);
}

#[test]
fn silence_and_contradiction_begin_the_count_anew() {
    let for_black = |ply: usize| Some(Score::Cp(if ply.is_multiple_of(2) { 2000 } else { -2000 }));
    for interruption in [None, Some(Score::Cp(0)), Some(Score::Cp(999))] {
        let mut scores: Vec<_> = (0..14).map(for_black).collect();
        scores[2] = interruption;
        // Four plies are needed from the fourth ply on; the last of them is black's.
        let (number, verdict) = adjudicated(&WITH_WINS, &scores).expect("it is won in the end");
        assert_eq!((number, verdict.winner), (7, Some(Color::Black)));
    }
    // The third score favours white and is the first of white's four; black is to move after the
    // sixth.
    let mut turned: Vec<_> = (0..14).map(|ply| for_black(ply + 1)).collect();
    turned[..2].copy_from_slice(&centipawns([2000, -2000]));
    let (number, verdict) = adjudicated(&WITH_WINS, &turned).expect("it is won in the end");
    assert_eq!((number, verdict.winner), (6, Some(Color::White)));
}

#[test]
fn mates_are_scores() {
    let rules = Rules { draw_adjudication: Some(DRAW), ..WITH_WINS };
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
    let mut rules = Rules { draw_adjudication: Some(DRAW), ..RULES };
    let draw = GameVerdict::draw(EndReason::AdjudicatedDraw);
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
    let rules = Rules { win_adjudication: Some(Adjudication { from: 8, ..WIN }), ..RULES };
    let black_wins = centipawns([2000, -2000, 2000, -2000, 2000, -2000, 2000, -2000, 2000]);
    let number = adjudicated(&rules, &black_wins).map(|(number, _)| number);
    assert_eq!(number, Some(9));
}

#[test]
fn adjudication_is_read_from_words() {
    let read = |text: &str| text.parse::<Adjudication>();
    let all = Adjudication { score: 2000, moves: 4, from: 40 };
    assert_eq!(read("score=2000 moves=4 from=40"), Ok(all));
    assert_eq!(read("from=40,moves=4, score=2000"), Ok(all));
    let at_once = Adjudication { from: 0, ..all };
    assert_eq!(read("moves=4 score=2000"), Ok(at_once));
    for (text, part) in [
        ("score=2000", "'score=2000'"),
        ("moves=4", "'moves=4'"),
        ("", "''"),
        ("score=2000 moves=0", "'moves=0'"),
        ("score=-1 moves=4", "'score=-1'"),
        ("score=2000 moves=4 until=5", "'until=5'"),
        ("score=2000 moves", "'moves'"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(part), "{text}: {error}");
        assert!(error.contains("expected score=CENTIPAWNS"), "{error}");
    }
}
