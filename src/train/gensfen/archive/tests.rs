//! Tests of the run folder and of resuming.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::*;
use crate::train::gensfen::game::{Outcome, Reason, Segment};
use crate::train::gensfen::{Diversions, Effort, Endings, RULE, Writing};
use crate::{movegen::legal_moves, openings::SelfPlayOpenings, position::Position};
use crate::{records::sfen_line::SfenLine, runs::Shard, util::TestFolder};

impl TestFolder {
    /// The size of a file in bytes.
    fn size(&self, name: &str) -> u64 {
        fs::metadata(self.file(name)).expect(name).len()
    }

    fn add(&self, name: &str, bytes: &[u8]) {
        let file = OpenOptions::new().append(true).open(self.file(name));
        let written = file.and_then(|mut file| file.write_all(bytes));
        written.expect("it can be written");
    }
}

pub(in crate::train::gensfen) const NO_DIVERSIONS: Diversions = Diversions {
    count: 0,
    min_ply: 1,
    max_ply: 24,
    multi_pv: 0,
    multi_pv_diff: 100,
    temperature: 50,
};

pub(in crate::train::gensfen) fn settings() -> GensfenSettings {
    GensfenSettings {
        eval: "<material>".to_owned(),
        opponent: None,
        seed: 1,
        shard: Shard::WHOLE,
        hash_mb: 1,
        effort: Effort { nodes: Some(1000), depth: None },
        gaps: None,
        openings: SelfPlayOpenings {
            roots: None,
            least_plies: 0,
            most_plies: 0,
            limit: 800,
            nodes: 0,
            entering_kings: None,
        },
        diversions: NO_DIVERSIONS,
        endings: Endings {
            max_ply: 320,
            eval_limit: 32_000,
            adjudication: 2000,
            adjudication_plies: 6,
            to_mate: 0.1,
            entering_king: RULE.name().to_owned(),
        },
        writing: Writing { name: "games".to_owned(), min_ply: 1, file_mb: 1, dedup_mb: 1 },
        trees: None,
    }
}

/// A game of this many moves, with a different first move for each number below 30.
fn game(number: u64, length: usize) -> PlayedGame {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut moves = Vec::new();
    for ply in 0..length {
        let legal = legal_moves(&position);
        let mv = legal[(number as usize + ply) % legal.len()];
        position.do_move(mv);
        moves.push((mv, 0));
    }
    PlayedGame {
        number,
        segments: vec![Segment { start, moves }],
        outcome: Outcome { winner: None, reason: Reason::MaxPly },
        plies: length as u64,
        nodes: 10,
        rejected: 0,
        trees: None,
    }
}

fn create(folder: &TestFolder, settings: &GensfenSettings) -> Archive {
    Archive::create(&folder.0, settings).unwrap_or_else(|error| panic!("{error}"))
}

fn resume(folder: &TestFolder, settings: &GensfenSettings) -> (Archive, Vec<Entry>) {
    Archive::resume(&folder.0, settings).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("it should not go on"),
        Err(error) => error.to_string(),
    }
}

fn append(archive: &mut Archive, game: PlayedGame) -> Entry {
    let kept = archive.append(game);
    kept.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_torn_end_is_cut_off() {
    let folder = TestFolder::new();
    let mut archive = create(&folder, &settings());
    let entries = [0, 1].map(|number| append(&mut archive, game(number, 10)));
    drop(archive);
    let sizes = [KIND.journal, "games-0001.pack"].map(|name| folder.size(name));
    assert_eq!(sizes[1], entries[1].end);
    folder.add(KIND.journal, b"{\"game\":2,");
    folder.add("games-0001.pack", &[1, 2, 3]);
    let (mut archive, found) = resume(&folder, &settings());
    assert_eq!(found, entries);
    let again = [KIND.journal, "games-0001.pack"].map(|name| folder.size(name));
    assert_eq!(again, sizes);
    let third = append(&mut archive, game(2, 10));
    drop(archive);
    let (_, found) = resume(&folder, &settings());
    assert_eq!(found[2], third);
}

#[test]
fn a_game_that_never_reached_the_disk_is_forgotten() {
    let folder = TestFolder::new();
    let mut archive = create(&folder, &settings());
    let entries = [0, 1, 2].map(|number| append(&mut archive, game(number, 10)));
    drop(archive);
    let games = OpenOptions::new().write(true).open(folder.file("games-0001.pack"));
    let cut = games.and_then(|games| games.set_len(entries[1].end - 1));
    cut.expect("it can be cut");
    let (archive, found) = resume(&folder, &settings());
    assert_eq!(found, entries[..1]);
    assert_eq!(folder.size("games-0001.pack"), entries[0].end);
    drop(archive);
    assert_eq!(resume(&folder, &settings()).1, found);
}

/// A game of about 40 KB: two rooks move to and fro.
fn long_game(number: u64) -> PlayedGame {
    let mut game = game(number, 0);
    let round = segment("startpos moves 2h3h 8b7b 3h2h 7b8b").moves;
    game.segments[0].moves = round.into_iter().cycle().take(10_000).collect();
    game
}

#[test]
fn full_files_are_followed_by_others() {
    let folder = TestFolder::new();
    let mut settings = settings();
    settings.writing.dedup_mb = 0;
    let mut archive = create(&folder, &settings);
    let keep = |number| append(&mut archive, long_game(number));
    let mut expected: Vec<Entry> = (0..30).map(keep).collect();
    drop(archive);
    assert_eq!([expected[0].file, expected[29].file], [1, 2]);
    assert!(folder.size("games-0001.pack") >= BYTES_PER_MEGABYTE);
    let (mut archive, found) = resume(&folder, &settings);
    assert_eq!(found, expected);
    expected.push(append(&mut archive, game(30, 10)));
    assert_eq!(expected[30].file, 2);
    assert_eq!(folder.size("games-0002.pack"), expected[30].end);
}

#[test]
fn what_was_written_before_is_known_afterwards() {
    let folder = TestFolder::new();
    let mut archive = create(&folder, &settings());
    append(&mut archive, game(0, 10));
    drop(archive);
    let (mut archive, _) = resume(&folder, &settings());
    let again = append(&mut archive, game(0, 14));
    assert_eq!((again.repeated, again.written), (10, 4));
}

#[test]
fn only_the_same_run_goes_on() {
    let folder = TestFolder::new();
    let result = Archive::resume(&folder.0, &settings());
    assert!(refusal(result).contains("holds no run of gensfen"));
    let archive = create(&folder, &settings());
    let second = Archive::resume(&folder.0, &settings());
    assert!(refusal(second).contains("another run is writing"));
    drop(archive);
    let again = Archive::create(&folder.0, &settings());
    assert!(refusal(again).contains("--resume"));
    let mut other = settings();
    other.openings.roots = Some("roots.sfen, checksum 12345678".to_owned());
    let refused = refusal(Archive::resume(&folder.0, &other));
    let part = "openings.roots is \"roots.sfen";
    assert!(refused.contains(part), "{refused}");
}

#[test]
fn a_broken_folder_is_named_with_the_place() {
    let folder = TestFolder::new();
    let mut archive = create(&folder, &settings());
    append(&mut archive, game(0, 10));
    drop(archive);
    folder.add(KIND.journal, b"{}\n");
    let refused = refusal(Archive::resume(&folder.0, &settings()));
    assert!(refused.contains("gensfen.jsonl line 2"), "{refused}");
    fs::remove_file(folder.file(KIND.journal)).expect("it is there");
    let refused = refusal(Archive::resume(&folder.0, &settings()));
    assert!(refused.contains("is gone"), "{refused}");
    let new = KIND.settings;
    fs::write(folder.file(new), "{\"format\":2").expect("it can be written");
    let refused = refusal(Archive::resume(&folder.0, &settings()));
    assert!(refused.contains("gensfen.json line 1"), "{refused}");
}

#[test]
fn files_that_are_gone_are_noticed() {
    let folder = TestFolder::new();
    let mut settings = settings();
    settings.writing.file_mb = 0;
    settings.writing.dedup_mb = 0;
    let mut archive = create(&folder, &settings);
    for number in 0..3 {
        append(&mut archive, game(number, 20));
    }
    drop(archive);
    let first = fs::read(folder.file("games-0002.pack")).unwrap();
    fs::write(folder.file("games-0002.pack"), &first[1..]).unwrap();
    let words = refusal(Archive::resume(&folder.0, &settings));
    let expected = format!("has {} bytes, expected {}", first.len() - 1, first.len());
    assert!(words.contains(&expected), "{words}");
    fs::write(folder.file("games-0002.pack"), &first).unwrap();
    fs::remove_file(folder.file("games-0004.pack")).unwrap();
    let (archive, entries) = resume(&folder, &settings);
    assert_eq!((entries.len(), archive.lost()), (2, 1));
    drop(archive);
    fs::write(folder.file("gensfen.jsonl"), "").unwrap();
    let words = refusal(Archive::resume(&folder.0, &settings));
    assert!(words.contains("gensfen.jsonl: has no game"), "{words}");
}

fn segment(line: &str) -> Segment {
    let line: SfenLine = line.parse().expect("a good line");
    Segment { start: line.start, moves: line.moves.into_iter().map(|mv| (mv, 0)).collect() }
}

#[test]
fn what_another_game_had_is_cut_off() {
    let mut seen = SeenPositions::new(1);
    let first = segment("startpos moves 7g7f 3c3d 2g2f 8c8d");
    let mut segments = vec![first.clone()];
    assert_eq!(seen.cut(&mut segments), 0, "nothing has been seen");
    seen.enter(&segments);
    // After another order of moves the same position, then new ones.
    let mut segments = vec![segment("startpos moves 2g2f 3c3d 7g7f 4c4d 6i7h 8b3b")];
    assert_eq!(seen.cut(&mut segments), 4);
    assert_eq!(segments[0].moves.len(), 2);
    assert_eq!(segments[0].start.game_ply(), 5);
    let mut segments = vec![first.clone(), first];
    assert_eq!(seen.cut(&mut segments), 8);
    assert!(segments.is_empty());
}

#[test]
fn without_memory_nothing_is_cut() {
    let mut seen = SeenPositions::new(0);
    let mut segments = vec![segment("startpos moves 7g7f 3c3d")];
    seen.enter(&segments);
    assert_eq!(seen.cut(&mut segments), 0);
}

#[test]
fn reasons_have_the_codes_of_the_format() {
    for (ending, code) in [
        (Reason::Mate, 0),
        (Reason::Adjudication, 0),
        (Reason::Repetition, 1),
        (Reason::MaxPly, 2),
        (Reason::PerpetualCheck, 6),
        (Reason::Declaration, 12),
    ] {
        assert_eq!(pack_reason(ending).0, code, "{ending}");
    }
}
