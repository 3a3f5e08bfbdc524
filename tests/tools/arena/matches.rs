//! Matches as a whole: the same openings for all, going on after a stop, parts put together, the
//! sequential test.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use raicho::arena::journal::{GameEntry, MatchFolder, read_settings};
use raicho::arena::merge::merge;
use raicho::arena::referee::EndReason;
use raicho::arena::runner::{self, Event};
use raicho::arena::settings::{Format, MatchSettings};
use raicho::arena::sprt::Sprt;
use raicho::arena::time_control::TimeControl;
use raicho::openings::Source;
use raicho::runs::{FolderError, Shard, Stop};

use super::{Folder, Outcome, engine, play, play_with, raicho, settings};

/// What must be equal when the same games are played again.
fn games(entries: &[GameEntry]) -> Vec<(u64, String, String, String)> {
    let key = |entry: &GameEntry| {
        let result = format!("{:?} {:?}", entry.winner, entry.reason);
        (entry.game, entry.black.clone(), entry.line.clone(), result)
    };
    entries.iter().map(key).collect()
}

fn fast_match(count: u64) -> MatchSettings {
    settings(vec![raicho("one", 200), raicho("other", 100)], count)
}

/// A set of openings is not written over, and a name that cannot be written is told first.
#[test]
fn openings_are_written_where_nothing_is() {
    let folder = Folder::new();
    let run = |out: &str, count: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
        command.args(["match", "openings", "--from-startpos", "--count", count]);
        command.arg("--out").arg(folder.join(out)).args(more);
        let output = command.output().expect("raicho runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(run("a.sfen", "1", &[]), "");
    let said = run("a.sfen", "1", &[]);
    assert!(
        said.contains("a.sfen exists already; --force replaces it"),
        "{said}"
    );
    assert_eq!(run("a.sfen", "1", &["--force"]), "");
    let said = run("none/a.sfen", "1000000000", &[]);
    assert!(said.contains("a.sfen cannot be written"), "{said}");
}

#[test]
fn each_opening_is_played_once_with_each_colour() {
    let mut match_settings = settings(vec![engine("a", ""), engine("b", ""), engine("c", "")], 4);
    let outcome = play_with(&match_settings, Folder::new(), 3, &Stop::new(), &|_| {});
    let outcome = outcome.expect("the match can be played");
    assert_eq!(outcome.entries.len(), 12);
    let opening = |entry: &GameEntry| {
        let words = entry.line.split(' ').take(2 + entry.opening_moves as usize);
        words.collect::<Vec<_>>().join(" ")
    };
    for pair in outcome.entries.chunks(2) {
        assert_eq!(opening(&pair[0]), opening(&pair[1]));
        assert_eq!(
            (&pair[0].black, &pair[0].white),
            (&pair[1].white, &pair[1].black)
        );
    }
    for pairing in [("a", "b"), ("a", "c"), ("b", "c")] {
        let of_pairing =
            |entry: &&GameEntry| (entry.black.as_str(), entry.white.as_str()) == pairing;
        let openings: Vec<String> = outcome
            .entries
            .iter()
            .filter(of_pairing)
            .map(opening)
            .collect();
        assert_eq!(openings.len(), 2);
        assert_ne!(openings[0], openings[1]);
    }
    match_settings.format = Format::Gauntlet;
    let pairings = match_settings.pairings();
    assert_eq!(pairings, [[0, 1], [0, 2]]);
}

#[test]
fn few_openings_are_an_error_before_the_first_game() {
    let folder = Folder::new();
    let mut match_settings = settings(vec![engine("a", ""), engine("b", "")], 6);
    let lines = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    match_settings.openings.source = Source::File(folder.write("openings.sfen", lines));
    let result = play_with(&match_settings, folder, 1, &Stop::new(), &|_| {});
    let error = result.err().expect("two openings make four games");
    let text = error.to_string();
    assert!(
        text.starts_with("2 openings for 3 pairs of games"),
        "{text}"
    );
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
    let journal = part.folder.join("match/games.jsonl");
    let mut text = fs::read_to_string(&journal).unwrap();
    text.push_str("{\"game\":3,\"black\":\"oth");
    fs::write(&journal, text).unwrap();
    let resumed = play_with(&fast_match(6), part.folder, 2, &Stop::new(), &|_| {});
    let resumed = resumed.expect("the match can go on");
    assert_eq!(games(&resumed.entries), games(&whole.entries));
    assert_eq!(resumed.json()["pairings"], whole.json()["pairings"]);
    let lines = fs::read_to_string(resumed.folder.join("match/games.sfen")).unwrap();
    assert_eq!(lines.lines().count(), 6);
    for entry in &resumed.entries {
        assert!(lines.contains(&entry.line));
    }
}

/// What is refused leaves the folder as it was, or nothing would continue the match.
#[test]
fn settings_that_are_refused_are_not_kept() {
    let match_settings = settings(vec![engine("a", ""), engine("b", "")], 4);
    let outcome = play_with(&match_settings, Folder::new(), 1, &Stop::new(), &|_| {});
    let folder = outcome.expect("the match can be played").folder;
    let path = folder.join("match");
    let refused = |other: &MatchSettings| {
        let (journal, entries) = MatchFolder::resume(&path).unwrap();
        let result = runner::run(other, journal, &entries, 1, &Stop::new(), &|_| {});
        assert_eq!(read_settings(&path).unwrap(), match_settings);
        result.expect_err("these games are not possible")
    };
    let mut other = match_settings.clone();
    other.games = Some(2);
    let error = refused(&other).to_string();
    assert!(error.contains("--games 2: 4 are played already"), "{error}");
    let lines = folder.write("few.sfen", "startpos moves 7g7f\n");
    other.games = Some(40);
    other.openings.source = Source::File(lines);
    let error = refused(&other).to_string();
    assert!(error.starts_with("1 opening for 20 pairs"), "{error}");
    let mut longer = match_settings.clone();
    longer.games = Some(6);
    let outcome = play_with(&longer, folder, 1, &Stop::new(), &|_| {});
    assert_eq!(outcome.expect("it can be extended").entries.len(), 6);
}

#[test]
fn a_match_whose_openings_have_changed_does_not_go_on() {
    let folder = Folder::new();
    let mut match_settings = settings(vec![engine("a", ""), engine("b", "")], 2);
    let lines = folder.write(
        "openings.sfen",
        "startpos moves 7g7f\nstartpos moves 2g2f\n",
    );
    match_settings.openings.source = Source::File(lines);
    let outcome = play_with(&match_settings, folder, 1, &Stop::new(), &|_| {});
    let folder = outcome.expect("the match can be played").folder;
    folder.write(
        "openings.sfen",
        "startpos moves 1g1f\nstartpos moves 9g9f\n",
    );
    match_settings.games = Some(4);
    let error = play_with(&match_settings, folder, 1, &Stop::new(), &|_| {}).err();
    let error = error.expect("the openings are others").to_string();
    assert!(
        error.contains("game 0 began with 'startpos moves"),
        "{error}"
    );
}

#[test]
fn the_parts_of_a_match_are_the_whole() {
    let whole = play(&fast_match(6));
    let parts: Vec<Outcome> = (0..3)
        .map(|index| {
            let mut part = fast_match(6);
            part.shard = Some(Shard { index, count: 3 });
            play(&part)
        })
        .collect();
    let folders: Vec<_> = parts.iter().map(|part| part.folder.join("match")).collect();
    let merged = merge(&folders).expect("these are parts of one match");
    assert!(merged.notes().is_empty());
    let entries: Vec<GameEntry> = merged
        .entries()
        .iter()
        .map(|(_, entry)| entry.clone())
        .collect();
    assert_eq!(games(&entries), games(&whole.entries));
    let summary = serde_json::to_value(merged.summary("here").unwrap()).unwrap();
    for part in ["games", "pairings", "black", "endings"] {
        assert_eq!(summary[part], whole.json()[part], "{part}");
    }
    let out = whole.folder.join("merged");
    merged.write(&out).expect("the folder can be written");
    let again = merge(std::slice::from_ref(&out)).expect("a merged match is a match");
    assert_eq!(
        games(&entries),
        games(
            &again
                .entries()
                .iter()
                .map(|(_, e)| e.clone())
                .collect::<Vec<_>>()
        )
    );
    for (_, entry) in again.entries() {
        assert!(out.join(&entry.record).exists());
    }
    // One part is missing, one is there twice, one is of another match.
    let two = merge(&folders[..2]).unwrap();
    let missing = "not in these folders: 2 games of the match";
    assert_eq!(two.notes(), [missing]);
    let twice = merge(&[folders[0].clone(), folders[0].clone()])
        .err()
        .unwrap();
    assert!(twice.to_string().contains("game 0"), "{twice}");
    let mut other = fast_match(6);
    other.openings.seed = 8;
    other.shard = Some(Shard { index: 1, count: 3 });
    let other = play(&other);
    let foreign = merge(&[folders[0].clone(), other.folder.join("match")])
        .err()
        .unwrap();
    assert!(
        foreign
            .to_string()
            .contains("openings.seed is 8 instead of"),
        "{foreign}"
    );
}

#[test]
fn the_sequential_test_ends_the_match() {
    let mut match_settings = settings(vec![engine("strong", ""), engine("weak", "resign:1")], 2);
    match_settings.games = None;
    match_settings.sprt = Some("elo0=0 elo1=50".parse::<Sprt>().unwrap());
    let outcome = play(&match_settings);
    let json = outcome.json();
    assert_eq!(json["pairings"][0]["sprt"]["verdict"], "H1", "{json:#}");
    assert_eq!(json["is_interrupted"], false);
    assert!(
        (10..200).contains(&outcome.entries.len()),
        "{}",
        outcome.entries.len()
    );
    match_settings.engines.reverse();
    let json = play(&match_settings).json();
    assert_eq!(json["pairings"][0]["sprt"]["verdict"], "H0");
}

#[test]
fn a_folder_holds_one_match() {
    let outcome = play(&fast_match(2));
    let path = outcome.folder.join("match");
    let again = MatchFolder::create(&path, &fast_match(2));
    assert!(matches!(again, Err(FolderError::Occupied { .. })));
    let nothing = raicho::arena::journal::read(outcome.folder.path());
    assert!(matches!(nothing, Err(FolderError::Missing { .. })));
    fs::write(path.join("games.jsonl"), "{}\n").unwrap();
    let broken = raicho::arena::journal::read(&path).unwrap_err().to_string();
    assert!(
        broken.contains("games.jsonl line 1: missing field"),
        "{broken}"
    );
}

#[test]
fn engines_may_think_on_the_opponents_time() {
    let mut match_settings = settings(vec![raicho("one", 500), raicho("other", 500)], 2);
    match_settings.ponder = true;
    for engine in &mut match_settings.engines {
        engine.time_control = super::byoyomi(30);
        let delays =
            ["NetworkDelay", "NetworkDelay2"].map(|name| (name.to_owned(), "0".to_owned()));
        engine.options.extend(delays);
        engine
            .options
            .push(("MinimumThinkingTime".to_owned(), "1".to_owned()));
        engine
            .options
            .push(("RoundUpToFullSecond".to_owned(), "false".to_owned()));
    }
    match_settings.rules.margin = Duration::from_secs(10);
    let outcome = play(&match_settings);
    for entry in &outcome.entries {
        assert!(!entry.reason.is_fault(), "{entry:?}");
    }
}

/// The same games whatever the machine does, and the record has the time that the clock counted.
#[test]
fn clocks_that_count_nodes_repeat_games() {
    let mut match_settings = settings(vec![raicho("one", 1), raicho("other", 1)], 2);
    for engine in &mut match_settings.engines {
        engine.time_control = TimeControl {
            // Long enough that the real clock, which counts too, ends no search on a busy machine.
            base: Duration::from_secs(6),
            increment: Duration::from_millis(400),
            nodes_time: Some(1),
            ..TimeControl::default()
        };
    }
    let [first, second] = [play(&match_settings), play(&match_settings)];
    assert_eq!(games(&first.entries), games(&second.entries));
    for entry in &first.entries {
        assert!(!entry.reason.is_fault(), "{entry:?}");
    }
    let record = first.file(&first.entries[0].record);
    let thoughts: Vec<&str> = record
        .lines()
        .filter(|line| line.contains(" nodes "))
        .collect();
    assert!(thoughts.len() > 10, "{record}");
    for line in thoughts {
        let word = |name: &str| {
            let mut words = line.split(' ').skip_while(|word| *word != name);
            words
                .nth(1)
                .unwrap_or_else(|| panic!("no {name} in {line}"))
        };
        let nodes: f64 = word("nodes").parse().expect("a number");
        assert_eq!(word("time"), format!("{:.3}s", nodes / 1000.0), "{line}");
    }
}

/// One node to a millisecond and a millisecond a move: no search is that short.
#[test]
fn a_clock_that_counts_nodes_can_be_overrun() {
    let mut match_settings = settings(vec![raicho("one", 1), raicho("other", 1)], 1);
    for engine in &mut match_settings.engines {
        engine.time_control = TimeControl {
            nodes_time: Some(1),
            ..super::byoyomi(1)
        };
    }
    let outcome = play(&match_settings);
    let entry = &outcome.entries[0];
    assert_eq!(entry.reason, EndReason::TimeLoss, "{entry:?}");
    assert!(entry.detail.starts_with("nodes for"), "{entry:?}");
    let late = entry.time_loss.expect("it says by how much").late;
    assert!(!late.is_zero());
    let nodes: u64 = entry.figures.iter().map(|figures| figures.nodes).sum();
    assert!(nodes > 1, "the search that lost counts too: {entry:?}");
}

#[test]
fn a_clock_that_counts_nodes_needs_an_engine_that_does() {
    let mut match_settings = settings(vec![engine("a", ""), engine("b", "")], 2);
    match_settings.engines[0].time_control.nodes_time = Some(100);
    let result = play_with(&match_settings, Folder::new(), 1, &Stop::new(), &|_| {});
    let error = result.err().expect("the engine has no such option");
    let text = format!("{error} {:?}", error.source());
    assert!(text.contains("NodesTime"), "{text}");
}

#[test]
fn an_engine_that_cannot_do_as_it_was_told_ends_the_match() {
    let mut match_settings = settings(vec![raicho("a", 50), raicho("b", 50)], 2);
    let option = ("EvalFile".to_owned(), "nowhere.nnue".to_owned());
    match_settings.engines[0].options.push(option);
    let result = play_with(&match_settings, Folder::new(), 1, &Stop::new(), &|_| {});
    let error = result.err().expect("the file is missing");
    let text = format!("{error} {:?}", error.source());
    assert!(text.contains("nowhere.nnue"), "{text}");
}

#[test]
fn without_a_number_of_games_the_openings_are_the_end() {
    let folder = Folder::new();
    let mut match_settings = settings(vec![engine("a", ""), engine("b", "")], 2);
    let lines = folder.write(
        "openings.sfen",
        "startpos moves 7g7f\nstartpos moves 2g2f\n",
    );
    match_settings.openings.source = Source::File(lines);
    match_settings.games = None;
    match_settings.sprt = Some(Sprt::default());
    let outcome = play_with(&match_settings, folder, 2, &Stop::new(), &|_| {}).expect("it ends");
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
    let book = folder.write("unusual.db", book);
    let with_book = |name: &str, may: bool| {
        let mut engine = raicho(name, 1);
        engine.time_control = super::byoyomi(20);
        let option = ("BookFile".to_owned(), book.display().to_string());
        engine.options.push(option);
        if may {
            let option = ("USI_OwnBook".to_owned(), "true".to_owned());
            engine.options.push(option);
        }
        engine
    };
    for (may, begins) in [(false, false), (true, true)] {
        let engines = vec![with_book("one", may), with_book("other", may)];
        let mut match_settings = settings(engines, 1);
        match_settings.openings.source = Source::Startpos;
        match_settings.rules.max_moves = 3;
        let outcome = play(&match_settings);
        let line = &outcome.entries[0].line;
        assert_eq!(line.starts_with("startpos moves 9i9h"), begins, "{line}");
    }
}
