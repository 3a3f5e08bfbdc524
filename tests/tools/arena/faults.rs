//! Engines that break the rules lose the game in which they do, and nothing else.

use std::time::{Duration, Instant};

use raicho::arena::journal::GameEntry;
use raicho::arena::referee::EndReason;
use raicho::arena::settings::MatchSettings;
use raicho::arena::time_control::TimeControl;

use super::{Outcome, between, byoyomi, engine, play, refusal, settings};
use crate::folder::Folder;
use crate::runner::Text;

/// A match of an honest engine against one with the behaviour.
fn against(behaviour: &str, games: u64) -> MatchSettings {
    settings([engine("honest", ""), engine("faulty", behaviour)], games)
}

/// Plays a match that `faulty` must lose for the reason, all games.
fn loses(settings: &MatchSettings, reason: EndReason) -> Outcome {
    let outcome = play(settings);
    for entry in &outcome.entries {
        assert_eq!(entry.reason, reason, "{entry:?}");
        let winner = entry.winner.expect("a fault is not a draw");
        assert_eq!([&entry.black, &entry.white][winner.index()], "honest");
    }
    let (json, games) = (outcome.json(), outcome.entries.len());
    assert_eq!(json["pairings"][0]["wins"], games);
    assert_eq!(json["faults"].as_array().map(Vec::len), Some(games));
    assert_eq!(json["faults"][0]["engine"], "faulty");
    outcome
}

/// Plays a match in which nobody loses by a fault.
fn no_faults(settings: &MatchSettings) -> Outcome {
    let outcome = play(settings);
    assert_eq!(Some(outcome.entries.len() as u64), settings.games);
    for entry in &outcome.entries {
        assert!(!entry.reason.is_fault(), "{entry:?}");
    }
    outcome
}

fn dialogue(outcome: &Outcome, entry: &GameEntry) -> String {
    outcome.file(entry.dialogue.as_deref().expect("faults keep the dialogue"))
}

#[test]
fn an_illegal_move_loses_and_is_shown_with_its_position() {
    let outcome = loses(&against("illegal", 2), EndReason::IllegalMove);
    let entry = &outcome.entries[0];
    entry.detail.must_have("illegal move");
    let has_side = [" b ", " w "].iter().any(|side| entry.detail.contains(side));
    assert!(has_side, "{}", entry.detail);
    // The third move of the engine: two of its own and two or three of the other stand in the
    // record.
    assert!((4..=5).contains(&entry.moves), "{} moves", entry.moves);
    let dialogue = dialogue(&outcome, entry);
    dialogue.must_have("< bestmove").must_have("> go ");
    let first = dialogue.lines().next().expect("a dialogue");
    first.must_have(": faulty: illegal move, ");
    outcome.file(&entry.record).must_have("%");
    let table = outcome.summary.to_string();
    table.must_have("2 games lost by a fault").must_have("faults/");
}

#[test]
fn answers_that_are_not_moves_lose() {
    let outcome = loses(&against("garbage", 2), EndReason::IllegalMove);
    outcome.entries[0].detail.must_have("'xyz' is no move");
    loses(&against("no-newline", 2), EndReason::Hang);
    let outcome = loses(&against("win", 2), EndReason::FalseDeclaration);
    outcome.entries[0].detail.must_have("CSARule27");
}

#[test]
fn a_hanging_engine_loses_and_the_match_goes_on() {
    let start = Instant::now();
    let mut settings = against("hang", 2);
    settings.engines[1].time_control = byoyomi(200);
    loses(&settings, EndReason::Hang);
    assert!(start.elapsed() < Duration::from_mins(1));
}

#[test]
fn an_engine_without_a_clock_may_not_be_silent_for_ever() {
    let mut settings = against("hang", 1);
    settings.engines[1].time_control = TimeControl { nodes: Some(100), ..TimeControl::default() };
    settings.rules.patience = Duration::from_millis(300);
    let outcome = loses(&settings, EndReason::Hang);
    outcome.entries[0].detail.must_have("300");
}

#[test]
fn a_program_that_ends_loses_and_is_started_anew() {
    for (behaviour, status) in [("die", "3"), ("abort", "signal")] {
        for entry in loses(&against(behaviour, 2), EndReason::Crash).entries {
            entry.detail.must_have(status);
            assert!(entry.moves >= 4, "it played before it ended");
        }
    }
    loses(&against("closes-stdout", 2), EndReason::Crash);
}

#[test]
fn a_late_answer_loses_on_time_and_the_program_plays_on() {
    let mut settings = against("late:300", 2);
    settings.engines[1].time_control = byoyomi(100);
    let outcome = loses(&settings, EndReason::TimeLoss);
    for entry in &outcome.entries {
        let loss = entry.time_loss.expect("a loss on time says by how much");
        assert!(loss.late >= Duration::from_millis(150), "{loss:?}");
    }
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn a_margin_forgives_a_little() {
    let mut settings = against("late:100", 1);
    settings.engines[1].time_control = byoyomi(100);
    settings.rules.margin = Duration::from_secs(5);
    let entry = &play(&settings).entries[0];
    assert!(entry.time_loss.is_none());
    assert_ne!(entry.reason, EndReason::TimeLoss);
}

#[test]
fn resigning_is_no_fault() {
    let outcome = play(&against("resign", 2));
    for entry in &outcome.entries {
        assert_eq!(entry.reason, EndReason::Resignation);
        assert_eq!(entry.dialogue, None);
    }
    assert_eq!(outcome.json()["pairings"][0]["pentanomial"][4], 1);
}

#[test]
fn noise_does_not_disturb() {
    no_faults(&against("flood", 2));
    no_faults(&against("chatty", 2));
}

#[test]
fn a_second_answer_harms_nobody_else() {
    // It may come before or after the next question, which it then answers: with a move for another
    // position.
    let outcome = play(&between(["honest", "hasty:two-bestmoves"], 2));
    assert_eq!(outcome.entries.len(), 2);
    for entry in &outcome.entries {
        let names = [&entry.black, &entry.white];
        let loser = entry.winner.map(|winner| names[1 - winner.index()].as_str());
        let is_fine = !entry.reason.is_fault() || loser == Some("hasty");
        assert!(is_fine, "{entry:?}");
    }
}

#[test]
fn an_engine_that_is_not_ready_again_is_started_anew() {
    // Ready at the check, at its start and for its first game; deaf from then on.
    let mut settings = between(["honest", "tired:deaf:3"], 2);
    settings.rules.ready_timeout = Duration::from_millis(1500);
    no_faults(&settings).notes[0].must_have("tired");
}

#[test]
fn an_engine_that_never_is_ready_ends_the_match() {
    let mut settings = between(["honest", "deaf:deaf:2"], 20);
    settings.rules.ready_timeout = Duration::from_millis(700);
    refusal(Folder::new(), &settings).must_have("deaf").must_have("3 games in a row");
}

#[test]
fn an_engine_that_does_not_start_is_an_error_before_the_first_game() {
    let mut absent = engine("absent", "");
    absent.program.path = "no/such/program".into();
    let mut unknown_option = engine("other", "");
    unknown_option.options = vec![("NoSuchOption".to_owned(), "1".to_owned())];
    for (faulty, part) in [
        (absent, "no/such/program"),
        (engine("mute", "mute"), "usiok"),
        (engine("unread", "unread"), "readyok"),
        (unknown_option, "NoSuchOption"),
    ] {
        let name = faulty.name.clone();
        let mut settings = settings([engine("honest", ""), faulty], 2);
        settings.rules.ready_timeout = Duration::from_secs(1);
        refusal(Folder::new(), &settings).must_have(part).must_have(name);
    }
}
