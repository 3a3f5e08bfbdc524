//! Tests of the match folder: what is kept, and what is read after a kill.

use std::{fs, path::PathBuf, time::Duration};

use super::*;
use crate::arena::tests::{entry, settings};
use crate::util::TestFolder;
use crate::{movegen::legal_moves, position::Position, records::game::Thought};

/// A path for a match that is removed at the end of the test.
struct Place(TestFolder);

impl Place {
    fn new() -> Self {
        Self(TestFolder::new())
    }

    /// The folder of the match, which does not exist yet.
    fn folder(&self) -> PathBuf {
        self.0.file("some/match")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// A folder with a match of these games.
    fn with(entries: &[GameEntry]) -> Self {
        let place = Self::new();
        let mut journal = MatchFolder::create(&place.folder(), &sample()).unwrap();
        for entry in entries {
            journal.append(entry).unwrap();
        }
        place
    }

    fn read(&self) -> Result<(MatchSettings, Vec<GameEntry>), FolderError> {
        read(&self.folder())
    }
}

fn sample() -> MatchSettings {
    settings(&["a", "b"], Some(6))
}

/// One game of each kind.
fn games() -> Vec<GameEntry> {
    let settings = sample();
    let lost = GameEntry {
        detail: "0.2 s used where 0.1 s were left".to_owned(),
        time_loss: Some(TimeLoss {
            late: Duration::from_millis(100),
            stall: Some(Duration::from_millis(30)),
        }),
        dialogue: Some("faults/000002-a-b.txt".into()),
        ..entry(&settings, 2, Some("b"), EndReason::TimeLoss)
    };
    let mut mated = entry(&settings, 1, Some("a"), EndReason::Checkmate);
    mated.detail = "\"雷\"".to_owned();
    let drawn = entry(&settings, 0, None, EndReason::Repetition);
    vec![drawn, mated, lost]
}

fn error<T>(result: Result<T, FolderError>) -> String {
    let error = result.err().expect("this is an error");
    error.to_string()
}

fn append_text(path: &Path, text: &str) {
    let mut content = fs::read_to_string(path).unwrap();
    content.push_str(text);
    fs::write(path, content).unwrap();
}

#[test]
fn what_is_kept_is_read() {
    let place = Place::with(&games());
    assert_eq!(place.read().unwrap(), (sample(), games()));
    let lines = fs::read_to_string(place.file(LINES_FILE)).unwrap();
    let expected: Vec<String> = games().into_iter().map(|entry| entry.line).collect();
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    assert_eq!(read_settings(&place.folder()).unwrap(), sample());
    let files = fs::read_dir(place.folder()).unwrap().count();
    assert_eq!(files, 3, "nothing else is left");
}

#[test]
fn a_match_goes_on_behind_its_last_game() {
    let place = Place::with(&games()[..2]);
    let mut longer = sample();
    longer.games = Some(20);
    let (mut journal, entries) = MatchFolder::resume(&place.folder()).unwrap();
    assert_eq!(entries, games()[..2]);
    assert_eq!(read_settings(&place.folder()).unwrap(), sample());
    journal.write_settings(&longer).unwrap();
    journal.append(&games()[2]).unwrap();
    assert_eq!(place.read().unwrap(), (longer, games()));
}

#[test]
fn the_rest_of_a_killed_line_is_dropped() {
    let place = Place::with(&games()[..2]);
    append_text(&place.file(KIND.journal), "{\"game\":2,\"bla");
    append_text(&place.file(LINES_FILE), "startpos mov");
    // Reading ignores the fragment and does not write.
    assert_eq!(place.read().unwrap().1, games()[..2]);
    let text = fs::read_to_string(place.file(KIND.journal)).unwrap();
    assert!(text.ends_with("bla"));
    let (mut journal, entries) = MatchFolder::resume(&place.folder()).unwrap();
    assert_eq!(entries, games()[..2]);
    journal.append(&games()[2]).unwrap();
    assert_eq!(place.read().unwrap().1, games());
    let lines = fs::read_to_string(place.file(LINES_FILE)).unwrap();
    assert_eq!(lines.lines().count(), 3);
    assert!(lines.lines().all(|line| line == games()[0].line));
}

#[test]
fn a_broken_line_is_named() {
    let place = Place::with(&games());
    let path = place.file(KIND.journal);
    let text = fs::read_to_string(&path).unwrap();
    for broken in ["", "{\"game\":1}", "[", "\u{0}\u{0}"] {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1] = broken;
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let words = error(place.read());
        assert!(words.contains("games.jsonl line 2: "), "{words}");
        let words = error(MatchFolder::resume(&place.folder()));
        assert!(words.contains("games.jsonl line 2: "), "{words}");
    }
}

#[test]
fn a_match_does_not_begin_where_there_is_one() {
    let place = Place::with(&games());
    let words = error(MatchFolder::create(&place.folder(), &sample()));
    assert!(words.contains("holds a match already"), "{words}");
    // Nor if only the games are left.
    fs::remove_file(place.file(KIND.settings)).unwrap();
    let words = error(MatchFolder::create(&place.folder(), &sample()));
    assert!(words.contains("match.json: is gone"), "{words}");
    let path = place.file(KIND.journal);
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 3);
}

#[test]
fn a_kill_before_the_first_word_does_not_occupy() {
    let place = Place::new();
    fs::create_dir_all(place.folder()).unwrap();
    fs::write(place.file(KIND.journal), "").unwrap();
    fs::write(place.file("match.json.new"), "{").unwrap();
    drop(MatchFolder::create(&place.folder(), &sample()).unwrap());
    assert_eq!(place.read().unwrap(), (sample(), Vec::new()));
}

#[test]
fn one_process_at_a_time() {
    let place = Place::new();
    let journal = MatchFolder::create(&place.folder(), &sample()).unwrap();
    let words = error(MatchFolder::resume(&place.folder()));
    assert!(words.contains("another run is writing"), "{words}");
    assert!(place.read().is_ok(), "reading is allowed");
    drop(journal);
    assert!(MatchFolder::resume(&place.folder()).is_ok());
}

#[test]
fn there_must_be_a_match_to_go_on_with() {
    let place = Place::new();
    fs::create_dir_all(place.folder()).unwrap();
    for words in [
        error(place.read()),
        error(read_settings(&place.folder())),
        error(MatchFolder::resume(&place.folder())),
    ] {
        assert!(words.contains("holds no match"), "{words}");
    }
    let files = fs::read_dir(place.folder()).unwrap().count();
    assert_eq!(files, 0, "nothing is written");
}

#[test]
fn other_formats_are_refused() {
    let place = Place::with(&[]);
    let path = place.file(KIND.settings);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"format\": 1", "\"format\": 99")).unwrap();
    let words = error(place.read());
    assert!(words.contains("format 99 of raicho"), "{words}");
    assert!(words.contains("this version reads format 1"), "{words}");
    fs::write(&path, text.replace("\"ponder\"", "\"wonder\"")).unwrap();
    let words = error(place.read());
    assert!(words.contains("match.json line "), "{words}");
    assert!(words.contains("ponder"), "{words}");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let place = Place::new();
    let file = place.0.file("file");
    fs::write(&file, "").unwrap();
    for folder in [file.clone(), file.join("below")] {
        let words = error(MatchFolder::create(&folder, &sample()));
        let name = folder.display().to_string() + ": ";
        assert!(words.starts_with(&name), "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    fs::create_dir_all(place.folder()).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.file(KIND.journal)).unwrap();
    let mut journal = MatchFolder::create(&place.folder(), &sample()).unwrap();
    let words = error(journal.append(&games()[0]));
    assert!(words.contains("games.jsonl: "), "{words}");
}

#[test]
fn files_of_games_are_written_below_the_folder() {
    let place = Place::new();
    let journal = MatchFolder::create(&place.folder(), &sample()).unwrap();
    journal.write_file(Path::new("csa/1.csa"), b"V2.2").unwrap();
    journal.write_file(Path::new("csa/2.csa"), b"V2.2").unwrap();
    assert_eq!(fs::read(place.file("csa/2.csa")).unwrap(), b"V2.2");
    assert_eq!(journal.path(), place.folder());
}

#[test]
fn the_opening_of_a_game_is_in_its_line() {
    let opening = |line: &str, opening_moves| {
        let entry = GameEntry { line: line.to_owned(), opening_moves, ..games()[0].clone() };
        entry.opening().to_owned()
    };
    let sfen = "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";
    for start in ["startpos", sfen] {
        assert_eq!(opening(start, 0), start);
        let line = format!("{start} moves 5i5h 5a5b 5h5i");
        assert_eq!(opening(&line, 0), start);
        assert_eq!(opening(&line, 1), format!("{start} moves 5i5h"));
        assert_eq!(opening(&line, 3), line);
    }
}

/// Moves with these scores, the first one black's.
fn moves(scores: &[Option<Score>]) -> Vec<RecordedMove> {
    let mut position: Position = Position::startpos();
    let played = scores.iter().map(|&score| {
        let mv = legal_moves(&position)[0];
        position.do_move(mv);
        RecordedMove {
            thought: score.map(|score| Thought {
                score: Some(score),
                depth: None,
                nodes: None,
                pv: Vec::new(),
            }),
            ..RecordedMove::from(mv)
        }
    });
    played.collect()
}

#[test]
fn scores_of_neighbouring_plies_are_added_by_side() {
    let scores = [Some(100), Some(50), Some(300), None, Some(7), Some(-9000)];
    let scores = scores.map(|score| score.map(Score::Cp));
    let sums = Optimism::of(&moves(&scores)).0[0];
    // Plies 0 and 1, 1 and 2, 4 and 5.
    let expected = (3, [100 + 300 + 7, 50 + 50 - 3000]);
    assert_eq!((sums.pairs, sums.scores), expected);
    let mates = [Some(Score::Mate(3)), Some(Score::Mate(-2))];
    let optimism = Optimism::of(&moves(&mates));
    assert_eq!(optimism.0[0].scores, [3000, -3000]);
    assert_eq!(optimism.swapped().0[0].scores, [-3000, 3000]);
}

#[test]
fn pairs_belong_to_the_bucket_of_their_first_ply() {
    let optimism = Optimism::of(&moves(&[Some(Score::Cp(1)); 64]));
    let pairs = optimism.0.map(|sums| sums.pairs);
    assert_eq!(pairs, [15, 15, 30, 3]);
    let mut sum = optimism;
    sum += optimism;
    assert_eq!(sum.0[3].scores, [6, 6]);
    assert!(Optimism::of(&moves(&[None; 9])).is_empty() && !sum.is_empty());
}
