//! `option` lines, and the settings that `setoption` changes.

use super::*;
use crate::search::Skill;
use crate::types::Color;

fn set(settings: &mut Settings, name: &str, value: &str) -> Result<Change, String> {
    set_option(settings, name, Some(value)).map_err(|error| error.to_string())
}

#[test]
fn lines_suit_clients_that_cut_at_single_spaces() {
    for line in option_lines() {
        let words: Vec<_> = line.split(' ').collect();
        assert_eq!(
            (words[0], words[1], words[3]),
            ("option", "name", "type"),
            "{line}"
        );
        assert!(words.iter().all(|word| !word.is_empty()), "{line}");
        assert!(words[4] == "button" || words[5] == "default", "{line}");
    }
    let has = |line: &str| option_lines().any(|listed| listed == line);
    assert!(has(
        "option name USI_Hash type spin default 256 min 1 max 33554432"
    ));
    assert!(has("option name ClearHash type button"));
    assert!(has("option name EvalFile type filename default <embedded>"));
    assert!(has("option name EvalDir type string default <empty>"));
    assert!(has("option name BookFile type filename default <embedded>"));
    assert!(has(
        "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing var \
         CSARule24 var CSARule24H \
         var CSARule27 var CSARule27H var TryRule"
    ));
}

#[test]
fn every_option_takes_its_own_default_and_ends_of_range() {
    let defaults = Settings::default();
    for option in OPTIONS {
        let mut settings = Settings::default();
        let outcome = set(&mut settings, option.name, &option.value(&defaults));
        assert!(
            matches!(outcome, Ok(Change::Set | Change::Pressed(_))),
            "{}",
            option.name
        );
        assert_eq!(settings, defaults, "{}", option.name);
        if let Kind::Spin { range, .. } = &option.kind {
            for end in [range.start(), range.end()] {
                assert_eq!(
                    set(&mut settings, option.name, &end.to_string()),
                    Ok(Change::Set)
                );
                assert_eq!(option.value(&settings), end.to_string(), "{}", option.name);
            }
        }
    }
}

#[test]
fn values_reach_their_settings() {
    let mut settings = Settings::default();
    assert_eq!(set(&mut settings, "usi_hash", "17"), Ok(Change::Set));
    assert_eq!(set(&mut settings, "USI_Ponder", "True"), Ok(Change::Set));
    assert_eq!(set(&mut settings, "DrawValueWhite", "-50"), Ok(Change::Set));
    assert_eq!(
        set(&mut settings, "EnteringKingRule", "TryRule"),
        Ok(Change::Set)
    );
    assert_eq!(set(&mut settings, "EvalDir", "my eval"), Ok(Change::Set));
    assert_eq!(settings.search.hash_mb, 17);
    assert!(settings.search.ponder);
    assert_eq!(settings.search.draw_value[Color::White as usize], -50);
    assert_eq!(
        settings.search.entering_king_rule,
        EnteringKingRule::TryRule
    );
    assert_eq!(
        current_values(&settings, Some("EvalDir")),
        Some("EvalDir = my eval".to_owned())
    );
    assert_eq!(set(&mut settings, "SkillLevel", "3"), Ok(Change::Set));
    assert_eq!(settings.search.skill, Skill::of_level(3));
    assert_eq!(set(&mut settings, "BookDir", ""), Ok(Change::Set));
    assert_eq!(
        current_values(&settings, Some("BookDir")),
        Some("BookDir = <empty>".to_owned())
    );
    for empty in ["", "<empty>"] {
        assert_eq!(set(&mut settings, "DebugLogFile", "a b"), Ok(Change::Set));
        assert!(settings.debug_log_file.is_some());
        assert_eq!(set(&mut settings, "DebugLogFile", empty), Ok(Change::Set));
        assert_eq!(settings.debug_log_file, None);
    }
    assert_eq!(
        set(&mut settings, "ClearHash", ""),
        Ok(Change::Pressed(Button::ClearHash))
    );
}

/// Names, ranges and defaults of `YaneuraOu`, which GUIs rely on.
#[test]
fn common_options_have_the_usual_name_range_and_default() {
    let lines: Vec<String> = option_lines().collect();
    for line in [
        "USI_Ponder type check default false",
        "Stochastic_Ponder type check default false",
        "MultiPV type spin default 1 min 1 max 600",
        "NetworkDelay type spin default 120 min 0 max 10000",
        "NetworkDelay2 type spin default 1120 min 0 max 10000",
        "MinimumThinkingTime type spin default 2000 min 1 max 100000",
        "SlowMover type spin default 100 min 1 max 1000",
        "RoundUpToFullSecond type check default true",
        "ResignValue type spin default 99999 min 0 max 99999",
        "MaxMovesToDraw type spin default 0 min 0 max 100000",
        "DrawValueBlack type spin default -2 min -30000 max 30000",
        "DrawValueWhite type spin default -2 min -30000 max 30000",
        "GenerateAllLegalMoves type check default false",
        "PvInterval type spin default 300 min 0 max 100000000",
        "ConsiderationMode type check default false",
        "OutputFailLHPV type check default true",
        "DepthLimit type spin default 0 min 0 max 2147483647",
        "NodesLimit type spin default 0 min 0 max 9223372036854775807",
        "DebugLogFile type string default <empty>",
        "SkillLevel type spin default 20 min 0 max 20",
        "USI_OwnBook type check default true",
        "BookMoves type spin default 16 min 0 max 10000",
        "BookIgnoreRate type spin default 0 min 0 max 100",
        "BookDir type string default book",
        "BookEvalDiff type spin default 30 min 0 max 99999",
        "BookEvalBlackLimit type spin default 0 min -99999 max 99999",
        "BookEvalWhiteLimit type spin default -140 min -99999 max 99999",
        "BookDepthLimit type spin default 16 min 0 max 99999",
        "BookOnTheFly type check default false",
        "ConsiderBookMoveCount type check default false",
        "NarrowBook type check default false",
        "IgnoreBookPly type check default false",
        "FlippedBook type check default true",
        "BookPvMoves type spin default 8 min 1 max 246",
        "NodesTime type spin default 0 min 0 max 10000",
    ] {
        let line = format!("option name {line}");
        assert!(lines.contains(&line), "{line} is missing in {lines:#?}");
    }
}

#[test]
fn strange_values_are_refused_with_words() {
    let mut settings = Settings::default();
    let before = settings.clone();
    for (name, value) in [("Hash", "64"), ("Skill Level", "3"), ("", "")] {
        assert_eq!(set(&mut settings, name, value), Ok(Change::Unknown));
    }
    assert_eq!(
        set(&mut settings, "SlowMover", "fast"),
        Err(
            "\"fast\" for option SlowMover, expected a number from 1 to 1000, 100 is kept"
                .to_owned()
        )
    );
    assert_eq!(
        set_option(&mut settings, "USI_Ponder", None).map_err(|error| error.to_string()),
        Err("\"\" for option USI_Ponder, expected true or false, false is kept".to_owned())
    );
    let refusal = set_option(&mut settings, "SlowMover", Some("0.5")).map_err(|e| e.refusal());
    let expected = "\"0.5\" for option SlowMover, expected a number from 1 to 1000";
    assert_eq!(refusal, Err(expected.to_owned()));
    assert!(set(&mut settings, "EnteringKingRule", "Rule9").is_err());
    assert_eq!(settings, before);
    assert_eq!(
        set(&mut settings, "SlowMover", "99999999999999999999"),
        Err(
            "\"99999999999999999999\" for option SlowMover, allowed are 1 to 1000, 1000 is used"
                .to_owned()
        )
    );
    assert_eq!(settings.search.slow_mover, 1000);
}
