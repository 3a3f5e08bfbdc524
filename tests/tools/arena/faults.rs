//! Engines that break the rules lose the game in which they do, and nothing else.

use std::time::{Duration, Instant};

use raicho::arena::journal::GameEntry;
use raicho::arena::referee::EndReason;
use raicho::arena::time_control::TimeControl;
use raicho::runs::Stop;

use super::{Folder, Outcome, byoyomi, engine, play, play_with, settings};

/// Plays two games of an honest engine against one with the behaviour, both of which the latter
/// must lose for the reason.
fn loses(behaviour: &str, reason: EndReason) -> Outcome {
    let outcome = play(&settings(
        vec![engine("honest", ""), engine("faulty", behaviour)],
        2,
    ));
    all_lost(&outcome, reason);
    outcome
}

fn all_lost(outcome: &Outcome, reason: EndReason) {
    for entry in &outcome.entries {
        assert_eq!(entry.reason, reason, "{entry:?}");
        let winner = entry.winner.expect("a fault is no draw");
        let names = [&entry.black, &entry.white];
        assert_eq!(names[winner.index()], "honest");
    }
    let json = outcome.json();
    assert_eq!(json["pairings"][0]["wins"], outcome.entries.len());
    assert_eq!(
        json["faults"].as_array().map(Vec::len),
        Some(outcome.entries.len())
    );
    assert_eq!(json["faults"][0]["engine"], "faulty");
}

fn dialogue(outcome: &Outcome, entry: &GameEntry) -> String {
    outcome.file(entry.dialogue.as_deref().expect("faults keep the dialogue"))
}

#[test]
fn an_illegal_move_loses_and_is_shown_with_its_position() {
    let outcome = loses("illegal", EndReason::IllegalMove);
    let entry = &outcome.entries[0];
    assert!(entry.detail.contains("illegal move"), "{}", entry.detail);
    assert!(
        entry.detail.contains(" b ") || entry.detail.contains(" w "),
        "{}",
        entry.detail
    );
    // The third move of the engine: two of its own and two or three of the other stand in the
    // record.
    assert!((4..=5).contains(&entry.moves), "{} moves", entry.moves);
    let dialogue = dialogue(&outcome, entry);
    assert!(
        dialogue.contains("< bestmove") && dialogue.contains("> go "),
        "{dialogue}"
    );
    let first = dialogue.lines().next().expect("a dialogue");
    assert!(first.contains(": faulty: illegal move, "), "{first}");
    assert!(outcome.file(&entry.record).contains('%'));
    let table = outcome.summary.to_string();
    assert!(
        table.contains("2 games lost by a fault") && table.contains("faults/"),
        "{table}"
    );
}

#[test]
fn words_that_are_no_moves_lose() {
    let outcome = loses("garbage", EndReason::IllegalMove);
    assert!(outcome.entries[0].detail.contains("'xyz' is no move"));
}

#[test]
fn a_hanging_engine_loses_and_the_match_goes_on() {
    let start = Instant::now();
    let mut match_settings = settings(vec![engine("honest", ""), engine("faulty", "hang")], 2);
    match_settings.engines[1].time_control = byoyomi(200);
    let outcome = play(&match_settings);
    all_lost(&outcome, EndReason::Hang);
    assert!(start.elapsed() < Duration::from_mins(1));
}

#[test]
fn an_answer_that_never_ends_is_none() {
    loses("no-newline", EndReason::Hang);
}

#[test]
fn an_engine_without_a_clock_may_not_be_silent_for_ever() {
    let mut match_settings = settings(vec![engine("honest", ""), engine("faulty", "hang")], 1);
    match_settings.engines[1].time_control = TimeControl {
        nodes: Some(100),
        ..TimeControl::default()
    };
    match_settings.rules.patience = Duration::from_millis(300);
    let outcome = play(&match_settings);
    all_lost(&outcome, EndReason::Hang);
    assert!(outcome.entries[0].detail.contains("300"));
}

#[test]
fn a_program_that_ends_loses_and_is_started_anew() {
    for (behaviour, status) in [("die", "3"), ("abort", "signal")] {
        let outcome = loses(behaviour, EndReason::Crash);
        for entry in &outcome.entries {
            assert!(
                entry.detail.contains(status),
                "{behaviour}: {}",
                entry.detail
            );
            assert!(entry.moves >= 4, "it played before it ended");
        }
    }
}

#[test]
fn a_closed_output_is_the_end_of_a_program() {
    loses("closes-stdout", EndReason::Crash);
}

#[test]
fn a_late_answer_loses_on_time_and_the_program_plays_on() {
    let mut match_settings = settings(vec![engine("honest", ""), engine("faulty", "late:300")], 2);
    match_settings.engines[1].time_control = byoyomi(100);
    let outcome = play(&match_settings);
    all_lost(&outcome, EndReason::TimeLoss);
    for entry in &outcome.entries {
        let loss = entry.time_loss.expect("a loss on time says by how much");
        assert!(loss.late >= Duration::from_millis(150), "{loss:?}");
    }
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn a_margin_forgives_a_little() {
    let mut match_settings = settings(vec![engine("honest", ""), engine("faulty", "late:100")], 1);
    match_settings.engines[1].time_control = byoyomi(100);
    match_settings.rules.margin = Duration::from_secs(5);
    let outcome = play(&match_settings);
    assert!(outcome.entries[0].time_loss.is_none());
    assert_ne!(outcome.entries[0].reason, EndReason::TimeLoss);
}

#[test]
fn a_false_declaration_loses() {
    let outcome = loses("win", EndReason::FalseDeclaration);
    assert!(outcome.entries[0].detail.contains("CSARule27"));
}

#[test]
fn resigning_is_no_fault() {
    let outcome = play(&settings(
        vec![engine("honest", ""), engine("other", "resign")],
        2,
    ));
    for entry in &outcome.entries {
        assert_eq!(entry.reason, EndReason::Resignation);
        assert_eq!(entry.dialogue, None);
    }
    assert_eq!(outcome.json()["pairings"][0]["pentanomial"][4], 1);
}

#[test]
fn noise_does_not_disturb() {
    for behaviour in ["flood", "chatty"] {
        let outcome = play(&settings(
            vec![engine("honest", ""), engine("noisy", behaviour)],
            2,
        ));
        for entry in &outcome.entries {
            assert!(!entry.reason.is_fault(), "{behaviour}: {entry:?}");
        }
    }
}

#[test]
fn a_second_answer_harms_nobody_else() {
    // It may come before or after the next question, which it then answers: with a move for another
    // position.
    let outcome = play(&settings(
        vec![engine("honest", ""), engine("hasty", "two-bestmoves")],
        2,
    ));
    assert_eq!(outcome.entries.len(), 2);
    for entry in &outcome.entries {
        let names = [&entry.black, &entry.white];
        let loser = entry
            .winner
            .map(|winner| names[1 - winner.index()].as_str());
        assert!(
            !entry.reason.is_fault() || loser == Some("hasty"),
            "{entry:?}"
        );
    }
}

#[test]
fn an_engine_that_is_not_ready_again_is_started_anew() {
    // Ready at the check, at its start and for its first game; deaf from then on.
    let mut match_settings = settings(vec![engine("honest", ""), engine("tired", "deaf:3")], 2);
    match_settings.rules.ready_timeout = Duration::from_millis(1500);
    let outcome = play(&match_settings);
    assert_eq!(outcome.entries.len(), 2);
    for entry in &outcome.entries {
        assert!(!entry.reason.is_fault(), "{entry:?}");
    }
    assert!(outcome.notes[0].contains("tired"), "{:?}", outcome.notes);
}

#[test]
fn an_engine_that_never_is_ready_ends_the_match() {
    let mut match_settings = settings(vec![engine("honest", ""), engine("deaf", "deaf:2")], 20);
    match_settings.rules.ready_timeout = Duration::from_millis(700);
    let result = play_with(&match_settings, Folder::new(), 1, &Stop::new(), &|_| {});
    let error = result.err().expect("it is given up").to_string();
    assert!(
        error.contains("deaf") && error.contains("3 games in a row"),
        "{error}"
    );
}

#[test]
fn an_engine_that_does_not_start_is_an_error_before_the_first_game() {
    let mut absent = engine("absent", "");
    absent.program.path = "no/such/program".into();
    let mut unknown_option = engine("other", "");
    unknown_option.options = vec![("NoSuchOption".to_owned(), "1".to_owned())];
    let mut cases = vec![
        (absent, "no/such/program"),
        (engine("mute", "mute"), "usiok"),
        (engine("unread", "unread"), "readyok"),
        (unknown_option, "NoSuchOption"),
    ];
    for (faulty, part) in cases.drain(..) {
        let name = faulty.name.clone();
        let mut match_settings = settings(vec![engine("honest", ""), faulty], 2);
        match_settings.rules.ready_timeout = Duration::from_secs(1);
        let result = play_with(&match_settings, Folder::new(), 1, &Stop::new(), &|_| {});
        let error = result.err().expect("the match cannot begin").to_string();
        assert!(error.contains(part) && error.contains(&name), "{error}");
    }
}
