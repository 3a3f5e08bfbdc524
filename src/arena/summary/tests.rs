//! Tests of the summaries of small matches, with numbers computed by hand.

use serde_json::json;

use super::super::journal::ScoreSums;
use super::*;
use super::{super::journal::TimeLoss, super::statistics::Model};
use crate::arena::tests::{entry, settings, tally_of};
use crate::lang::Lang;

fn sample() -> MatchSettings {
    settings(&["new-version", "old"], Some(6))
}

/// Two pairs in which the first engine scores 1½ points and 1 point, the latter with a loss on
/// time.
fn tally(settings: &MatchSettings) -> Tally {
    let mut late = entry(settings, 3, Some("old"), EndReason::TimeLoss);
    late.detail = "120ms used where 100ms were left".to_owned();
    late.dialogue = Some("faults/3.txt".into());
    let entries = [
        entry(settings, 0, Some("new-version"), EndReason::Resignation),
        entry(settings, 1, None, EndReason::Repetition),
        entry(settings, 2, Some("new-version"), EndReason::Resignation),
        late,
    ];
    tally_of(settings, &entries)
}

/// This many pairs of which the engine `winner` wins every game.
fn one_sided(settings: &MatchSettings, winner: &str, pairs: u64) -> Tally {
    let won = |game| entry(settings, game, Some(winner), EndReason::Resignation);
    tally_of(settings, &(0..2 * pairs).map(won).collect::<Vec<_>>())
}

fn is_about(value: &serde_json::Value, expected: f64) -> bool {
    let value = value.as_f64().expect("a number");
    (value - expected).abs() < 0.05
}

#[test]
fn people_read_a_table() {
    let mut summary = Summary::of(&tally(&sample()), "some/match");
    summary.stalls = Some(StallSummary::new((0, Duration::ZERO)));
    // Score 5/8 with a standard deviation of √(1/128) for the mean of two pairs; 400·log₁₀(5/3) =
    // 88.7.
    let expected = "\
4 of 6 games

new-version against old
  +2 =1 -1, score 62.5 %, draws 25.0 %
  Elo +88.7 ± 279.4 (95 %: -226.0 to +332.7), LOS 92.1 %
  pairs with 0, ½, 1, 1½, 2 points: 0, 0, 1, 1, 0

engine       games   score  mean time  max time  depth  nodes/s  limits
new-version      4  62.5 %    50.0 ms  110.0 ms    7.0    10000  1000 nodes
old              4  37.5 %    50.0 ms  110.0 ms    7.0    10000  1000 nodes

black          87.5 %  +3 =1 -0
endings        2 resignation, 1 repetition, 1 loss on time
referee        0.050 ms mean, 0.103 ms at most between answer and question
machine        no stall

1 game lost by a fault:
  game 3, new-version: loss on time, 120ms used where 100ms were left
    record csa/000003-old-new-version.csa, dialogue faults/3.txt

records        some/match";
    assert_eq!(summary.to_string(), expected);
}

#[test]
fn games_without_their_pair_are_told() {
    let settings = sample();
    let winner = Some("new-version");
    let game = |number| entry(&settings, number, winner, EndReason::Resignation);
    let first = Summary::of(&tally_of(&settings, &[game(0)]), "");
    let words = "\n  Elo and score from 1 game, none of them in a complete pair\n  pairs with";
    assert!(first.to_string().contains(words), "{first}");
    let drawn = entry(&settings, 2, None, EndReason::Repetition);
    let odd = Summary::of(&tally_of(&settings, &[game(0), game(1), drawn]), "");
    let words = "\n  Elo from the 2 games of complete pairs, score from all 3 games\n  pairs with";
    assert!(odd.to_string().contains(words), "{odd}");
    let words = "レート差は先後入れ替え2局1組が揃った2局、勝率は全3局による";
    assert!(odd.text(Lang::Ja).contains(words));
}

#[test]
fn optimism_is_shown_where_scores_are_known() {
    let settings = sample();
    let mut won = entry(&settings, 0, Some("new-version"), EndReason::Resignation);
    for (index, sums) in won.optimism.0.iter_mut().enumerate().skip(1) {
        let scores = [300 * index as i64, -60];
        *sums = ScoreSums { pairs: 2, scores };
    }
    let summary = Summary::of(&tally_of(&settings, &[won]), "");
    let expected = "
  scores of neighbouring plies     0-14    15-29    30-59      60+
  sum (optimism)                      -     +120     +270     +420
  new-version                         -     +150     +300     +450
  old                                 -      -30      -30      -30
";
    assert!(summary.to_string().contains(expected), "{summary}");
    let json = serde_json::to_value(&summary).unwrap();
    let expected = json!({
        "from_ply": 30, "pairs": 2, "first": 300.0, "second": -30.0, "sum": 270.0,
    });
    assert_eq!(json["pairings"][0]["optimism"][2], expected);
}

#[test]
fn programs_read_json() {
    let mut settings = sample();
    settings.sprt = Some(Sprt::default());
    let summary = Summary::of(&tally(&settings), "some/match");
    let json = serde_json::to_value(&summary).unwrap();
    let engine = json!({
        "name": "new-version", "time_control": "1000 nodes",
        "games": 4, "wins": 2, "draws": 1, "losses": 1, "score": 0.625,
        "moves": 60, "mean_time": 0.05, "max_time": 0.11, "mean_depth": 7.0,
        "nodes_per_second": 10000.0,
        "losses_by_fault": [{ "reason": "time-loss", "games": 1 }],
        "losses_on_time_in_stalls": 0,
    });
    assert_eq!(json["engines"][0], engine);
    assert_eq!(json["engines"][1]["losses_by_fault"], json!([]));
    let black = json!({ "wins": 3, "draws": 1, "losses": 0, "score": 0.875 });
    assert_eq!(json["black"], black);
    let fault = json!({
        "game": 3, "engine": "new-version", "reason": "time-loss",
        "detail": "120ms used where 100ms were left", "during_stall": false,
        "record": "csa/000003-old-new-version.csa", "dialogue": "faults/3.txt",
    });
    assert_eq!(json["faults"], json!([fault]));
    assert_eq!(json["games"], 4);
    assert_eq!(json["games_planned"], 6);
    assert_eq!(json["is_interrupted"], false);
    assert_eq!(json["folder"], "some/match");
    let pairing = &json["pairings"][0];
    assert_eq!(pairing["pentanomial"], json!([0, 0, 1, 1, 0]));
    for (field, expected) in [
        ("elo", 88.7),
        ("elo_low", -226.0),
        ("elo_high", 332.7),
        ("elo_error", 279.4),
        ("score", 0.625),
        ("draw_rate", 0.25),
        ("los", 0.921),
    ] {
        assert!(is_about(&pairing[field], expected), "{field}: {pairing}");
    }
    let sprt = &pairing["sprt"];
    assert_eq!(sprt["elo1"], 5.0);
    assert_eq!(sprt["verdict"], "undecided");
    assert!(is_about(&sprt["lower"], -2.94) && is_about(&sprt["upper"], 2.94));
}

#[test]
fn without_a_loss_the_difference_has_only_a_bound() {
    // By Wilson, other results have a probability of at most z²/(2 + z²) = 0.6576;
    // 400·log₁₀(0.3424/0.6576) = −113.4.
    for (winner, words, [bound, none]) in cases! {
        "new-version", "Elo above -113.4 (95 %), LOS 92.1 %" => ["elo_low", "elo_high"];
        "old", "Elo below +113.4 (95 %), LOS 7.9 %" => ["elo_high", "elo_low"];
    } {
        let tally = one_sided(&sample(), winner, 2);
        let summary = Summary::of(&tally, "");
        assert!(summary.to_string().contains(words), "{summary}");
        assert!(one_line(&tally, Lang::En).contains(words));
        let json = serde_json::to_value(&summary).unwrap();
        let pairing = &json["pairings"][0];
        assert!(pairing[bound].is_number(), "{pairing}");
        for field in ["elo", "elo_error", none] {
            assert_eq!(pairing[field], json!(null), "{field}");
        }
    }
}

#[test]
fn the_sequential_test_says_what_it_has_found() {
    let mut settings = settings(&["new-version", "old"], None);
    settings.sprt =
        Some(Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.1, model: Model::Logistic });
    let name = "SPRT elo0=0 elo1=50 alpha=0.05 beta=0.1 model=logistic: LLR ";
    for (winner, pairs, words) in cases! {
        "new-version", 1 => "(-2.25, 2.89), undecided";
        "new-version", 50 => "(-2.25, 2.89), H1 accepted: the gain is more than 0 Elo";
        "old", 50 => "(-2.25, 2.89), H0 accepted: the gain is not 50 Elo";
    } {
        let tally = one_sided(&settings, winner, pairs);
        let text = Summary::of(&tally, "").to_string();
        let part = format!("{} games\n", 2 * pairs);
        assert!(text.starts_with(&part), "{text}");
        assert!(text.contains(name) && text.contains(words), "{text}");
    }
}

#[test]
fn a_line_shows_the_progress() {
    let mut settings = sample();
    assert_eq!(
        one_line(&tally(&settings), Lang::En),
        "+2 =1 -1  Elo +88.7 ± 279.4 (95 %: -226.0 to +332.7), LOS 92.1 %  1 lost by faults"
    );
    settings.sprt = Some(Sprt::default());
    let expected = "+0 =0 -0  LLR 0.00 (-2.94, 2.94)";
    assert_eq!(one_line(&Tally::new(&settings), Lang::En), expected);
    let three = crate::arena::tests::settings(&["a", "b", "c"], Some(2));
    let tally = tally_of(&three, &[entry(&three, 0, None, EndReason::MaxMoves)]);
    assert_eq!(one_line(&tally, Lang::En), "1 game, 0 lost by faults");
}

#[test]
fn a_match_without_games_has_a_summary() {
    let mut summary = Summary::of(&Tally::new(&sample()), "there");
    summary.is_interrupted = true;
    let expected = "\
0 of 6 games, interrupted

new-version against old
  no games

engine       games  score  mean time  max time  depth  nodes/s  limits
new-version      0      -   0.000 ms  0.000 ms      -        -  1000 nodes
old              0      -   0.000 ms  0.000 ms      -        -  1000 nodes

records        there";
    assert_eq!(summary.to_string(), expected);
}

#[test]
fn stalls_and_the_losses_in_them_are_told_apart() {
    let settings = sample();
    let mut entries = [0, 1].map(|game| entry(&settings, game, Some("old"), EndReason::TimeLoss));
    entries[1].time_loss =
        Some(TimeLoss { late: Duration::from_millis(1), stall: Some(Duration::from_millis(40)) });
    let mut summary = Summary::of(&tally_of(&settings, &entries), "");
    summary.stalls = Some(StallSummary::new((1, Duration::from_millis(40))));
    let text = summary.to_string();
    for part in [
        "machine        1 stall of 40.0 ms\n",
        "\n1 game lost by a fault:\n  game 0, new-version",
        "\n1 game lost on time while the machine stalled:\n  game 1, new-version",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["engines"][0]["losses_on_time_in_stalls"], 1);
    assert_eq!(json["faults"][1]["during_stall"], true);
    assert_eq!(json["stalls"], json!({ "count": 1, "longest": 0.04 }));
}

#[test]
fn the_table_is_in_japanese_too() {
    let settings = sample();
    let text = Summary::of(&tally(&settings), "there").text(Lang::Ja);
    for words in [
        "全6局中4局\n",
        "new-version 対 old\n",
        "エンジン     局数   勝率  平均時間  最長時間  深さ     NPS  思考条件\n",
        "  1,000ノード\n",
        "棋譜           there",
    ] {
        assert!(text.contains(words), "{text}");
    }
    assert!(!text.contains("games"), "{text}");
    let line = one_line(&tally(&settings), Lang::Ja);
    assert!(line.starts_with("2勝1敗1分  "), "{line}");
}
