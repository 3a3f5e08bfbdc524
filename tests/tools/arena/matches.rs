//! Matches as a whole: the same openings for all, going on after a stop, parts put together, the
//! sequential test.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use raicho::arena::journal::{GameEntry, MatchFolder, read_settings};
use raicho::arena::referee::EndReason;
use raicho::arena::runner::{self, Event};
use raicho::arena::settings::MatchSettings;
use raicho::arena::statistics::Sprt;
use raicho::arena::summary::merge;
use raicho::arena::time_control::TimeControl;
use raicho::openings::Source;
use raicho::runs::{Shard, Stop};

use super::{between, byoyomi, play, play_in, play_with, raicho, refusal, settings};
use crate::folder::Folder;
use crate::runner::Text;

const TWO_OPENINGS: &str = "startpos moves 7g7f\nstartpos moves 2g2f\n";

/// What must be equal when the same games are played again.
fn games<'a>(
    entries: impl IntoIterator<Item = &'a GameEntry>,
) -> Vec<(u64, String, String, String)> {
    let key = |entry: &GameEntry| {
        let result = format!("{:?} {:?}", entry.winner, entry.reason);
        (entry.game, entry.black.clone(), entry.line.clone(), result)
    };
    entries.into_iter().map(key).collect()
}

fn fast_match(count: u64) -> MatchSettings {
    settings([raicho("one", 200), raicho("other", 100)], count)
}

fn set_option(engine: &mut raicho::arena::settings::EngineSettings, name: &str, value: &str) {
    engine.options.push((name.to_owned(), value.to_owned()));
}

/// A set of openings is not written over, and a name that cannot be written is named first.
#[test]
fn openings_are_written_where_nothing_is() {
    use crate::runner::raicho;
    let folder = Folder::new();
    let openings = "match openings --random-plies 0 --count";
    let quiet = |words: &str| {
        let [_, errors] = raicho!(folder, "{openings} {words}").outputs();
        assert_eq!(errors, "");
    };
    quiet("1 --out a.sfen");
    raicho!(folder, "{openings} 1 --out a.sfen")
        .refuses("a.sfen exists already; --force replaces it");
    quiet("1 --out a.sfen --force");
    raicho!(folder, "{openings} 1000000000 --out none/a.sfen").refuses("a.sfen cannot be written");
}

#[test]
fn each_opening_is_played_once_with_each_colour() {
    let settings = between(["a", "b", "c"], 4);
    let outcome = play_with(&settings, Folder::new(), 3, &Stop::new(), &|_| {});
    let entries = outcome.expect("the match can be played").entries;
    assert_eq!(entries.len(), 12);
    let opening = |entry: &GameEntry| {
        let words = entry.line.split(' ').take(2 + entry.opening_moves as usize);
        words.collect::<Vec<_>>().join(" ")
    };
    for pair in entries.chunks(2) {
        assert_eq!(opening(&pair[0]), opening(&pair[1]));
        assert_eq!(pair[0].black, pair[1].white);
        assert_eq!(pair[0].white, pair[1].black);
    }
    for pairing in [("a", "b"), ("a", "c"), ("b", "c")] {
        let is_of_pairing =
            |entry: &&GameEntry| (entry.black.as_str(), entry.white.as_str()) == pairing;
        let openings: Vec<_> = entries.iter().filter(is_of_pairing).map(opening).collect();
        assert_eq!(openings.len(), 2);
        assert_ne!(openings[0], openings[1]);
    }
}

#[test]
fn few_openings_are_an_error_before_the_first_game() {
    let folder = Folder::new();
    let mut settings = between(["a", "b"], 6);
    settings.openings.source = Source::File(folder.write("openings.sfen", TWO_OPENINGS));
    refusal(folder, &settings).must_begin("2 openings for 3 pairs of games");
}

#[test]
fn an_interrupted_match_goes_on_as_if_nothing_had_been() {
    let whole = play(&fast_match(6));
    let stop = Stop::new();
    let seen = AtomicU64::new(0);
    let stop_after_three = |event: &Event<'_>| {
        if matches!(event, Event::Game { .. }) && seen.fetch_add(1, Ordering::Relaxed) == 2 {
            stop.finish();
        }
    };
    let part = play_with(&fast_match(6), Folder::new(), 1, &stop, &stop_after_three);
    let part = part.expect("the match can be played");
    assert_eq!(part.entries.len(), 3);
    assert_eq!(part.json()["is_interrupted"], true);
    // A kill in the middle of a line.
    let mut journal = part.folder.text("match/games.jsonl");
    journal.push_str("{\"game\":3,\"black\":\"oth");
    part.folder.write("match/games.jsonl", journal);
    let resumed = play_with(&fast_match(6), part.folder, 2, &Stop::new(), &|_| {});
    let resumed = resumed.expect("the match can go on");
    assert_eq!(games(&resumed.entries), games(&whole.entries));
    assert_eq!(resumed.json()["pairings"], whole.json()["pairings"]);
    let lines = resumed.folder.text("match/games.sfen");
    assert_eq!(lines.lines().count(), 6);
    for entry in &resumed.entries {
        lines.must_have(&entry.line);
    }
}

/// What is refused leaves the folder as it was, or nothing would continue the match.
#[test]
fn settings_that_are_refused_are_not_kept() {
    let settings = between(["a", "b"], 4);
    let folder = play(&settings).folder;
    let path = folder.file("match");
    let refused = |other: &MatchSettings| {
        let (journal, entries) = MatchFolder::resume(&path).unwrap();
        let result = runner::run(other, journal, &entries, 1, &Stop::new(), &|_| {});
        assert_eq!(read_settings(&path).unwrap(), settings);
        let error = result.expect_err("these games are not possible");
        error.to_string()
    };
    let mut other = settings.clone();
    other.games = Some(2);
    refused(&other).must_have("--games 2: 4 are played already");
    other.games = Some(40);
    other.openings.source = Source::File(folder.write("few.sfen", "startpos moves 7g7f\n"));
    refused(&other).must_begin("1 opening for 20 pairs");
    let mut longer = settings.clone();
    longer.games = Some(6);
    let outcome = play_in(folder, &longer).expect("it can be extended");
    assert_eq!(outcome.entries.len(), 6);
}

#[test]
fn a_match_whose_openings_have_changed_does_not_go_on() {
    let folder = Folder::new();
    let mut settings = between(["a", "b"], 2);
    settings.openings.source = Source::File(folder.write("openings.sfen", TWO_OPENINGS));
    let outcome = play_in(folder, &settings).expect("the match can be played");
    let others = "startpos moves 1g1f\nstartpos moves 9g9f\n";
    outcome.folder.write("openings.sfen", others);
    settings.games = Some(4);
    refusal(outcome.folder, &settings).must_have("game 0 began with 'startpos moves");
}

#[test]
fn the_parts_of_a_match_are_the_whole() {
    let whole = play(&fast_match(6));
    let part_of = |seed, index| {
        let mut part = fast_match(6);
        part.openings.seed = seed;
        part.shard = Some(Shard { index, count: 3 });
        play(&part)
    };
    let parts = [0, 1, 2].map(|index| part_of(7, index));
    let folders = parts.each_ref().map(|part| part.folder.file("match"));
    let merged = merge(&folders).expect("these are parts of one match");
    assert!(merged.notes().is_empty());
    let entries = games(merged.entries().iter().map(|(_, entry)| entry));
    assert_eq!(entries, games(&whole.entries));
    let summary = serde_json::to_value(merged.summary("here").unwrap()).unwrap();
    for part in ["games", "pairings", "black", "endings"] {
        assert_eq!(summary[part], whole.json()[part], "{part}");
    }
    let out = whole.folder.file("merged");
    merged.write(&out).expect("the folder can be written");
    let again = merge(std::slice::from_ref(&out)).expect("a merged match is a match");
    let found = games(again.entries().iter().map(|(_, entry)| entry));
    assert_eq!(entries, found);
    for (_, entry) in again.entries() {
        assert!(out.join(&entry.record).exists());
    }
    // One part is missing, one is there twice, one is of another match.
    let two = merge(&folders[..2]).unwrap();
    assert_eq!(two.notes(), ["not in these folders: 2 games of the match"]);
    let other = part_of(8, 1);
    for (second, words) in
        [(&folders[0], "game 0"), (&other.folder.file("match"), "openings.seed is 8 instead of")]
    {
        let error = merge(&[folders[0].clone(), second.clone()]).err();
        error.expect("they do not fit").to_string().must_have(words);
    }
}

#[test]
fn the_sequential_test_ends_the_match() {
    let mut settings = between(["strong", "weak:resign:1"], 2);
    settings.games = None;
    settings.sprt = Some("elo0=0 elo1=50".parse::<Sprt>().unwrap());
    let outcome = play(&settings);
    let json = outcome.json();
    assert_eq!(json["pairings"][0]["sprt"]["verdict"], "H1", "{json:#}");
    assert_eq!(json["is_interrupted"], false);
    let games = outcome.entries.len();
    assert!((10..200).contains(&games), "{games}");
    settings.engines.reverse();
    let json = play(&settings).json();
    assert_eq!(json["pairings"][0]["sprt"]["verdict"], "H0");
}

#[test]
fn engines_may_think_on_the_opponents_time() {
    let mut settings = settings([raicho("one", 500), raicho("other", 500)], 2);
    settings.ponder = true;
    for engine in &mut settings.engines {
        engine.time_control = byoyomi(30);
        set_option(engine, "NetworkDelay", "0");
        set_option(engine, "NetworkDelay2", "0");
        set_option(engine, "MinimumThinkingTime", "1");
        set_option(engine, "RoundUpToFullSecond", "false");
    }
    settings.rules.margin = Duration::from_secs(10);
    for entry in play(&settings).entries {
        assert!(!entry.reason.is_fault(), "{entry:?}");
    }
}

/// The same games whatever the machine does, and the record has the time that the clock counted.
#[test]
fn clocks_that_count_nodes_repeat_games() {
    let mut settings = settings([raicho("one", 1), raicho("other", 1)], 2);
    for engine in &mut settings.engines {
        engine.time_control = TimeControl {
            // Long enough that the real clock, which counts too, ends no search on a busy machine.
            base: Duration::from_secs(6),
            increment: Duration::from_millis(400),
            nodes_time: Some(1),
            ..TimeControl::default()
        };
    }
    let [first, second] = [play(&settings), play(&settings)];
    assert_eq!(games(&first.entries), games(&second.entries));
    for entry in &first.entries {
        assert!(!entry.reason.is_fault(), "{entry:?}");
    }
    let record = first.file(&first.entries[0].record);
    let thoughts = record.lines().filter(|line| line.contains(" nodes "));
    let thoughts: Vec<&str> = thoughts.collect();
    assert!(thoughts.len() > 10, "{record}");
    for line in thoughts {
        let word = |name: &str| {
            let mut words = line.split(' ').skip_while(|word| *word != name);
            let word = words.nth(1);
            word.unwrap_or_else(|| panic!("no {name} in {line}"))
        };
        let nodes: f64 = word("nodes").parse().expect("a number");
        assert_eq!(word("time"), format!("{:.3}s", nodes / 1000.0), "{line}");
    }
}

/// One node to a millisecond and a millisecond a move: no search is that short.
#[test]
fn a_clock_that_counts_nodes_can_be_overrun() {
    let mut settings = settings([raicho("one", 1), raicho("other", 1)], 1);
    for engine in &mut settings.engines {
        engine.time_control = TimeControl { nodes_time: Some(1), ..byoyomi(1) };
    }
    let entry = &play(&settings).entries[0];
    assert_eq!(entry.reason, EndReason::TimeLoss, "{entry:?}");
    entry.detail.must_begin("nodes for");
    let late = entry.time_loss.expect("it says by how much").late;
    assert!(!late.is_zero());
    let nodes: u64 = entry.figures.iter().map(|figures| figures.nodes).sum();
    assert!(nodes > 1, "the search that lost counts too: {entry:?}");
}

#[test]
fn what_an_engine_cannot_do_ends_the_match() {
    let mut no_node_clock = between(["a", "b"], 2);
    no_node_clock.engines[0].time_control.nodes_time = Some(100);
    refusal(Folder::new(), &no_node_clock).must_have("NodesTime");
    let mut no_network = settings([raicho("a", 50), raicho("b", 50)], 2);
    set_option(&mut no_network.engines[0], "EvalFile", "nowhere.nnue");
    refusal(Folder::new(), &no_network).must_have("nowhere.nnue");
}

#[test]
fn without_a_number_of_games_the_openings_are_the_end() {
    let folder = Folder::new();
    let mut settings = between(["a", "b"], 2);
    settings.openings.source = Source::File(folder.write("openings.sfen", TWO_OPENINGS));
    settings.games = None;
    settings.sprt = Some(Sprt::default());
    let outcome = play_with(&settings, folder, 2, &Stop::new(), &|_| {}).expect("it ends");
    assert_eq!(outcome.entries.len(), 4);
    assert_eq!(outcome.json()["is_interrupted"], false);
    assert_eq!(outcome.notes.len(), 1, "{:?}", outcome.notes);
}

/// The book begins with a move that no search plays.
#[test]
fn engines_play_from_their_books_only_if_they_may() {
    let folder = Folder::new();
    let book = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
        9i9h none 90 30 1\n";
    folder.write("unusual.db", book);
    let mut settings = settings([raicho("one", 1), raicho("other", 1)], 1);
    for engine in &mut settings.engines {
        engine.time_control = byoyomi(20);
        set_option(engine, "BookFile", &folder.path("unusual.db"));
    }
    settings.openings.source = Source::Startpos;
    settings.rules.max_moves = 3;
    for may in [false, true] {
        for engine in &mut settings.engines {
            set_option(engine, "USI_OwnBook", &may.to_string());
        }
        let line = &play(&settings).entries[0].line;
        assert_eq!(line.starts_with("startpos moves 9i9h"), may, "{line}");
    }
}
