//! The referee in whole games: declarations, repetitions, limits, adjudication.

use raicho::arena::referee::{Adjudication, EndReason};
use raicho::arena::settings::MatchSettings;
use raicho::openings::{Order, Source};
use raicho::types::Color;

use super::{Outcome, between, engine, play_in, raicho, settings};
use crate::folder::Folder;
use crate::runner::Text;

/// A match from the openings of these lines, in their order.
fn from_lines(mut settings: MatchSettings, lines: &str) -> Outcome {
    let folder = Folder::new();
    settings.openings.source = Source::File(folder.write("openings.sfen", lines));
    settings.openings.order = Order::Sequential;
    play_in(folder, &settings).expect("the match can be played")
}

#[test]
fn a_rightful_declaration_wins() {
    // White moves first, then black, whose king stands in the camp with eleven pieces and 29
    // points, may declare.
    let text = "sfen 1+R1K+B4/+R+B+P+P+P+P+P+P+P/9/9/9/9/9/9/4k4 w GS 1";
    let outcome = from_lines(between(["one:win:1", "other"], 1), text);
    let entry = &outcome.entries[0];
    assert_eq!(entry.reason, EndReason::Declaration, "{entry:?}");
    assert_eq!((entry.winner, entry.moves), (Some(Color::Black), 1));
    outcome.file(&entry.record).must_have("%KACHI");
}

#[test]
fn a_mate_ends_the_game_without_a_word() {
    // Black mates by the gold, and has nothing better.
    let outcome = from_lines(
        settings([raicho("one", 500), raicho("other", 500)], 2),
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
    );
    for entry in &outcome.entries {
        assert_eq!(entry.reason, EndReason::Checkmate);
        assert_eq!((entry.winner, entry.moves), (Some(Color::Black), 1));
    }
}

#[test]
fn both_must_agree_before_a_game_is_adjudicated() {
    let lost = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b RB 1";
    let mut match_settings = settings([raicho("one", 300), raicho("other", 300)], 2);
    match_settings.rules.win_adjudication = Some(Adjudication { score: 1000, moves: 3, from: 0 });
    for entry in from_lines(match_settings.clone(), lost).entries {
        assert_eq!(entry.reason, EndReason::AdjudicatedWin);
        assert_eq!((entry.winner, entry.moves), (Some(Color::Black), 7));
    }
    // The plain engine has no opinion but that all is even.
    match_settings.engines[1] = engine("other", "");
    for entry in from_lines(match_settings.clone(), lost).entries {
        assert_ne!(entry.reason, EndReason::AdjudicatedWin);
    }
    match_settings.engines = vec![engine("one", ""), engine("other", "")];
    match_settings.rules.draw_adjudication = Some(Adjudication { score: 50, moves: 2, from: 10 });
    for entry in from_lines(match_settings, "startpos").entries {
        assert_eq!(entry.reason, EndReason::AdjudicatedDraw);
        assert_eq!(entry.moves, 10);
    }
}
