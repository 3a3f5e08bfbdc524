//! Tests on synthetic games with known positions.

use super::*;
use crate::{runs::Watch, util::TestFolder};

impl TestFolder {
    fn collect(&self, settings: &RootsSettings) -> Collection {
        let sources = Sources::new(std::slice::from_ref(&self.0), None).expect("there are games");
        collect(&sources, settings, &Watch::of_nobody()).expect("good games")
    }
}

const ALL: RootsSettings =
    RootsSettings { min_rating: None, unfinished: false, plies: 16, min_count: 1 };

fn csa(rating: u32, moves: &str, end: &str) -> String {
    let moves = moves.replace(", ", "\n");
    format!("V2\nN+a\nN-b\nPI\n+\n'black_rate:a:{rating}.0\n'white_rate:b:4000.0\n{moves}\n{end}\n")
}

fn sfens(roots: &[Root]) -> Vec<(String, u64)> {
    let sfen = |root: &Root| {
        let position = root.position.unpack(root.ply.into()).expect("a position");
        (position.to_sfen(), root.count)
    };
    roots.iter().map(sfen).collect()
}

fn after(moves: &str) -> String {
    let line = format!("startpos moves {moves}");
    let line: crate::records::sfen_line::SfenLine = line.parse().expect("good moves");
    Position::to_sfen(&line.position())
}

#[test]
fn positions_are_counted_by_games() {
    let folder = TestFolder::new();
    let answer = csa(3900, "+7776FU, -3334FU", "%TORYO");
    folder.write("2026/11/21/one.csa", &answer);
    let answer = csa(3000, "+2726FU, -3334FU, +7776FU", "%KACHI");
    folder.write("2026/11/two.csa", &answer);
    // The second position of the first game, one move later.
    folder.write("lines.usi", "startpos moves 2g2f 3c3d 7g7f 8c8d resign\n");
    let found = folder.collect(&ALL);
    assert_eq!((found.tally.records, found.games.used), (3, 3));
    let start = Position::startpos().to_sfen();
    assert_eq!(
        sfens(&found.roots),
        [
            (start, 3),
            (after("2g2f"), 2),
            (after("2g2f 3c3d"), 2),
            (after("7g7f"), 1),
            (after("2g2f 3c3d 7g7f"), 1),
        ]
    );
    let few = RootsSettings { plies: 1, ..ALL };
    assert_eq!(folder.collect(&few).roots.len(), 1);
    let rare = RootsSettings { min_count: 2, ..ALL };
    assert_eq!(folder.collect(&rare).roots.len(), 3);
    let rated = RootsSettings { min_rating: Some(3900.0), ..ALL };
    let found = folder.collect(&rated);
    assert_eq!((found.games.used, found.games.rating), (1, 2));
}

#[test]
fn games_that_repeat_or_break_off_are_left_out() {
    let folder = TestFolder::new();
    folder.write("a.csa", csa(1, "+7776FU", "%SENNICHITE"));
    folder.write("b.csa", csa(1, "+7776FU", "%CHUDAN"));
    folder.write("c.csa", csa(1, "+7776FU", "%TIME_UP"));
    folder.write("d.csa", csa(1, "+7776FU, -3334FU", "%TORYO"));
    let found = folder.collect(&ALL);
    let games = found.games;
    assert_eq!((games.repetition, games.unfinished, games.used), (1, 2, 1));
    let with_unfinished = RootsSettings { unfinished: true, ..ALL };
    let found = folder.collect(&with_unfinished);
    assert_eq!((found.games.unfinished, found.games.used), (0, 3));
}

#[test]
fn a_game_is_left_where_it_goes_in_a_circle() {
    let folder = TestFolder::new();
    let circle = "+2858HI, -8252HI, +5828HI, -5282HI, +2726FU, -8384FU";
    folder.write("a.csa", csa(1, circle, "%TORYO"));
    assert_eq!(folder.collect(&ALL).roots.len(), 4, "the start comes again");
}

#[test]
fn bad_games_are_named_or_skipped() {
    let folder = TestFolder::new();
    folder.write("a.csa", csa(1, "+7775FU, -3334FU", "%TORYO"));
    folder.write("b.csa", csa(1, "+7776FU", "%TORYO"));
    let sources = Sources::new(std::slice::from_ref(&folder.0), None).expect("there are games");
    let Err(error) = collect(&sources, &ALL, &Watch::of_nobody()) else {
        panic!("an illegal move");
    };
    let text = format!("{error:#}");
    assert!(text.contains("a.csa") && text.contains("+7775FU"), "{text}");
    let skipping = sources.skipping_bad_records(true);
    let found = collect(&skipping, &ALL, &Watch::of_nobody()).expect("one good game");
    assert_eq!((found.tally.bad(), found.games.used), (1, 1));
}

fn root(count: u64, ply: u16) -> Root {
    Root { position: PackedSfen::of(&Position::startpos()), count, ply }
}

#[test]
fn the_table_has_the_figures_of_textbooks() {
    // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared differences 32, quartiles between neighbours.
    let counts = [9, 2, 5, 4, 7, 4, 5, 4];
    let roots = counts.map(|count| root(count, 1));
    let table = Table::of(&roots);
    let deviation = (32.0_f64 / 7.0).sqrt();
    let expected = [5.0, deviation, 2.0, 4.0, 4.5, 5.5, 9.0];
    for (found, expected) in table.counts.expect("numbers").into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12);
    }
    let text = table.to_string();
    assert!(text.starts_with("           8  positions\n"), "{text}");
    let part = "        50 %         4.50         1.00\n";
    assert!(text.contains(part), "{text}");
    assert_eq!(Table::of(&[]).counts, None);
    let alone = Table::of(&[root(3, 1)]).counts.expect("a number");
    assert_eq!(alone[..2], [3.0, 0.0]);
}
