//! Small records, valid and invalid.

use std::time::Duration;

use super::*;
use crate::records::game::{Ending, GameRecord};
use crate::records::notation::{HANDICAPS, Handicap};
use crate::{position::Position, records::kif, types::Color};

/// A normal record with a comment, a time and a variation.
const GAME: &str = r#"{"header":{"先手":"一番","後手":"二番","場所":"東京"},
"initial":{"preset":"HIRATE"},
"moves":[{"comments":["first","second"]},
{"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},
 "time":{"now":{"m":0,"s":16},"total":{"h":0,"m":0,"s":16}},"comments":["* 35"]},
{"move":{"color":1,"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},
 "forks":[[{"move":{"color":1,"from":{"x":8,"y":3},"to":{"x":8,"y":4},"piece":"FU"}},
           {"special":"CHUDAN"}]]},
{"move":{"color":0,"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true,
         "capture":"KA"}},
{"move":{"color":1,"from":{"x":3,"y":1},"to":{"x":2,"y":2},"piece":"GI","same":true,
         "capture":"UM"}},
{"move":{"color":0,"to":{"x":4,"y":5},"piece":"KA"}},
{"special":"TORYO"}]}"#;

const LINE: &str = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e";

#[test]
fn a_game_is_read() {
    let game = read(GAME).expect("a good record");
    assert_eq!(game.line().to_string(), LINE);
    assert_eq!(game.players, ["一番", "二番"].map(str::to_owned));
    assert_eq!(game.heading("場所"), Some("東京"));
    assert_eq!(game.comments, ["first", "second"]);
    assert_eq!(game.moves[0].time, Some(Duration::from_secs(16)));
    assert_eq!(game.moves[0].comments, ["* 35"]);
    assert_eq!(game.ending, Ending::Resignation);
    let fork = &game.variations[0];
    assert_eq!((fork.parent, fork.after, fork.moves.len()), (None, 1, 1));
    assert_eq!(fork.ending, Some(Ending::Interrupted));
}

#[test]
fn what_is_written_is_normal_and_comes_back() {
    let game = read(GAME).expect("a good record");
    let text = write(&game);
    let again = read(&text).expect("what was written");
    assert_eq!(format!("{again:?}"), format!("{game:?}"));
    let values = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(values(&text), values(GAME));
    assert!(losses(&game).is_empty());
}

#[test]
fn records_that_are_not_normal_are_read() {
    let short = r#"{"header":{},"moves":[{"comment":"one\ntwo"},
        {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}}},
        {"move":{"piece":"FU","to":{"x":3,"y":4},"relative":"H"},"unknown":1},
        {"move":{"piece":"KI","to":{"x":5,"y":8},"relative":"R"}}]}"#;
    let error = read(short).expect_err("no pawn in hand").to_string();
    let expected = "'moves', entry 2 (move 2): '0034FU' is illegal in";
    assert!(error.starts_with(expected), "{error}");
    let (short, _) = short
        .split_once(
            r#",
        {"move":{"piece":"KI""#,
        )
        .expect("a last move");
    let game = read(&format!("{short}]}}")).expect("an illegal last move");
    assert_eq!(game.line().to_string(), "startpos moves 7g7f");
    assert!(matches!(game.ending, Ending::IllegalMove { .. }));
    let short =
        format!(r#"{short},{{"move":{{"piece":"KI","to":{{"x":5,"y":8}},"relative":"R"}}}}]}}"#);
    let game = read(&short.replace(r#","relative":"H""#, "")).expect("a record");
    assert_eq!(game.line().to_string(), "startpos moves 7g7f 3c3d 4i5h");
    assert_eq!(game.comments, ["one", "two"]);
    assert_eq!(game.ending, Ending::Unfinished);
}

#[test]
fn every_start_comes_back() {
    let odd = "4k4/9/4P4/9/9/9/9/9/4K1+b1+S b 4G2rb3s4n4l17p 1";
    let all = HANDICAPS.iter().map(Handicap::sfen);
    for sfen in all.chain([odd.to_owned()]) {
        let start = Position::from_sfen(&sfen).expect("a position");
        let text = write(&GameRecord::new(start));
        let again = read(&text).map(|game| game.start.to_sfen());
        assert_eq!(again.ok(), Some(sfen), "{text}");
    }
}

#[test]
fn only_starts_that_all_readers_know_are_named() {
    for (name, is_named) in [("六枚落ち", true), ("五枚落ち", false), ("九枚落ち", false)]
    {
        let row = HANDICAPS.iter().find(|row| row.name == name);
        let start = Position::from_sfen(&row.expect("a handicap").sfen()).expect("a position");
        let text = write(&GameRecord::new(start));
        assert_eq!(text.contains("\"preset\":\"6\""), is_named, "{text}");
        assert_eq!(text.contains("\"preset\":\"OTHER\""), !is_named, "{text}");
    }
}

#[test]
fn every_ending_comes_back() {
    let winner = Color::White;
    let text = "7g7e".to_owned();
    for ending in [
        Ending::Checkmate,
        Ending::PerpetualCheck { loser: winner },
        Ending::IllegalMove { text },
        Ending::IllegalDeclaration,
        Ending::AdjudicatedWin { winner },
        Ending::IllegalAction { loser: !winner },
        Ending::AdjudicatedDraw,
        Ending::NoMate,
        Ending::TimeUp,
        Ending::Forfeit { winner },
        Ending::Unfinished,
    ] {
        let mut game = read(GAME).expect("a good record");
        game.ending = ending.clone();
        game.closing.comments = vec!["words".to_owned()];
        let again = read(&write(&game)).expect("what was written");
        assert_eq!(again.ending, ending);
        if ending != Ending::Unfinished {
            assert_eq!(again.closing, game.closing);
        }
    }
}

#[test]
fn errors_name_the_entry() {
    for (text, expected) in cases! {
        "" => "EOF while parsing";
        "{}" => "missing field `moves`";
        "[]" => "invalid length 2, expected an object with \"header\" and \"moves\"";
        r#"{"moves":[7]}"# => "invalid type: integer `7`, expected an object with \"move\"";
        r#"{"moves":[],"initial":{"preset":"9"}}"# => "'initial': the preset '9' is unknown";
        r#"{"moves":[],"initial":{"preset":"OTHER","data":{"color":2}}}"# =>
            "'initial': the colour 2, expected 0 or 1";
        r#"{"moves":[],"initial":{"preset":"OTHER","data":{"hands":[{"FU":99}]}}}"# =>
            "'initial': 99 of 'FU' in hand";
        r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":5}}}]}"# =>
            "'moves', entry 1 (move 1): '7775' is illegal in";
    } {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn kif_and_jkf_say_the_same() {
    let game = read(GAME).expect("a good record");
    let text = kif::write(&game, kif::Style::Kif, "UTF-8");
    let again = kif::read(&text).expect("what was written");
    assert_eq!(format!("{again:?}"), format!("{game:?}"), "{text}");
}

#[test]
fn numbers_and_nothing_are_read_as_headings_and_times() {
    let text = r#"{"header":{"備考":1,"場所":null,"先手":"一番"},"moves":[{},
        {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}},"time":{"now":{"m":1,"s":1.5}}},
        {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4}},"time":{"now":{"s":-1}}},
        {"special":"TORYO","time":{"now":{"m":null,"s":2.25}}}]}"#;
    let game = read(text).expect("a record");
    assert_eq!(game.headings, [("備考".to_owned(), "1".to_owned())]);
    let times: Vec<_> = game.moves.iter().map(|played| played.time).collect();
    assert_eq!(times, [Some(Duration::from_millis(61_500)), None]);
    assert_eq!(game.omissions.len(), 1, "{:?}", game.omissions);
    assert!(game.omissions[0].starts_with("'moves', entry 2: "));
    assert_eq!(game.closing.time, Some(Duration::from_millis(2_250)));
    let again = read(&write(&game)).expect("what was written");
    assert_eq!(again.closing, game.closing);
    assert_eq!(again.moves[0].time, times[0]);
}

#[test]
fn headings_of_one_name_are_lines_of_one_value() {
    let mut game = read(GAME).expect("a good record");
    let heading = |value: &str| ("備考".to_owned(), value.to_owned());
    game.headings = vec![heading("one"), heading("two")];
    let text = write(&game);
    assert!(text.contains(r#""備考":"one\ntwo""#), "{text}");
    let again = read(&text).expect("what was written");
    assert_eq!(again.headings, game.headings);
}

#[test]
fn unknown_words_and_what_follows_the_end_are_no_faults() {
    let game = read(&GAME.replace("TORYO", "NEKO")).expect("a record");
    assert_eq!((game.moves.len(), game.ending), (5, Ending::Unfinished));
    assert_eq!(game.closing.comments, ["NEKO"]);
    let more = r#"{"special":"MATTA"},{"move":{"to":{"x":1,"y":1},"piece":"FU"}}]}"#;
    let game = read(&GAME.replace(r#"{"special":"TORYO"}]}"#, more)).expect("a record");
    assert_eq!((game.moves.len(), game.ending), (5, Ending::Interrupted));
    assert_eq!(game.closing.comments, ["MATTA"]);
    let omission = "'moves', entry 7 (move 6): '0011FU' after the end of the game";
    assert_eq!(game.omissions, [omission]);
}

#[test]
fn comments_of_entries_without_a_move_are_kept() {
    let entry = r#"{"comments":["and more"]},{"special":"TORYO"}"#;
    let game = read(&GAME.replace(r#"{"special":"TORYO"}"#, entry)).expect("a record");
    assert_eq!(game.moves[4].comments, ["and more"]);
    let text = r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}},
        "forks":[[{"comment":"instead"},{"move":{"from":{"x":2,"y":7},"to":{"x":2,"y":6}}}],
                 [{"move":5}]]}]}"#;
    let game = read(text).expect("a record");
    assert_eq!(game.variations.len(), 1);
    assert_eq!(game.variations[0].moves[0].comments, ["instead"]);
    assert!(game.omissions[0].starts_with("a variation: invalid type"));
}

#[test]
fn the_number_of_the_first_move_is_lost() {
    let game = read(GAME).expect("a good record");
    let start = Position::from_sfen(&game.start.to_sfen().replace(" 1", " 27"));
    let game = GameRecord::new(start.expect("a position"));
    assert_eq!(losses(&game), ["the number of the first move"]);
}
