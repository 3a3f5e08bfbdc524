//! Games that `convert` holds out.

use super::*;
use crate::train::data::pass::HeldOut;

/// Divides a file, and returns the positions written and held out.
fn divide(path: &Path, rest: &Path, held_out: &Path, entered_kings: bool) -> [u64; 2] {
    let destination = Destination {
        held_out: Some(HeldOut {
            path: held_out.to_owned(),
            format: Format::of_path(held_out).unwrap(),
            share: 0.2,
            seed: 5,
        }),
        entered_kings,
        ..to_file(rest)
    };
    let report = watched(|watch| {
        pass::run(&Sources::new(&[path.to_owned()], None).unwrap(), &destination, watch)
    })
    .unwrap();
    [report.tally.written, report.held_out]
}

#[test]
fn held_out_games_are_whole_and_nowhere_else() {
    let folder = TestFolder::new();
    for ending in ["pack", "psv"] {
        let [path, rest, held_out] =
            ["in", "rest", "held"].map(|name| folder.file(&format!("{name}.{ending}")));
        let [rest_games, held_games] =
            ["rest", "held"].map(|name| folder.file(&format!("{name}-{ending}.usi")));
        write(&path, 200, 1);
        let counts = divide(&path, &rest, &held_out, false);
        assert_eq!(counts.iter().sum::<u64>(), 4000);
        for (from, to) in [(&rest, &rest_games), (&held_out, &held_games)] {
            watched(|watch| pass::run(&sources(&[from]), &to_file(to), watch)).unwrap();
        }
        let [rest, held] = [&rest_games, &held_games]
            .map(|path| fs::read_to_string(path).unwrap().lines().count());
        assert_eq!(rest + held, 200);
        assert!((20..60).contains(&held), "{held}");
    }
}

/// The game in two parts, of which the second one begins after a gap.
fn in_parts(game: &PackGame) -> [PackGame; 2] {
    let mut start = game.start.clone();
    for &(mv, _) in &game.moves[..12] {
        start.do_move(mv);
    }
    let first = game.moves[..10].to_vec();
    let second = game.moves[12..].to_vec();
    [(game.start.clone(), first), (start, second)].map(|(start, moves)| PackGame {
        start,
        moves,
        ..game.clone()
    })
}

#[test]
fn parts_of_a_game_are_held_out_together() {
    let folder = TestFolder::new();
    for ending in ["pack", "psv", "psum"] {
        let [path, rest, held_out] =
            ["in", "rest", "held"].map(|name| folder.file(&format!("{name}.{ending}")));
        let format = Format::of_path(&path).unwrap();
        let mut writer = TeacherWriter::new(Vec::new(), format);
        for number in 0..100 {
            for part in in_parts(&game(number, 1)) {
                writer.write(&part.into()).unwrap();
            }
        }
        fs::write(&path, writer.finish().unwrap().0).unwrap();
        divide(&path, &rest, &held_out, false);
        for path in [rest, held_out] {
            let mut plies = Vec::new();
            watched(|watch| {
                sources(&[&path]).read(watch, |_, record| {
                    record.for_each_sample(|sample| plies.push(sample.ply));
                    Ok(())
                })
            })
            .unwrap();
            let firsts = plies.iter().filter(|&&ply| ply == 1).count();
            let lasts = plies.iter().filter(|&&ply| ply == 20).count();
            assert!(firsts > 5 && firsts == lasts, "{ending}: {firsts}, {lasts}");
            let is_whole = |game: &[u16]| {
                game == [&(1..=10).collect::<Vec<_>>()[..], &(13..=20).collect::<Vec<_>>()].concat()
            };
            assert!(plies.chunks(18).all(is_whole), "{ending}");
        }
    }
}

#[test]
fn only_entered_kings_are_held_out_where_only_they_are_written() {
    let folder = TestFolder::new();
    let [path, rest, held_out] = ["in.psv", "rest.psv", "held.psv"].map(|name| folder.file(name));
    // No king gets far in 20 plies.
    write(&path, 50, 1);
    assert_eq!(divide(&path, &rest, &held_out, true), [0, 0]);
}
