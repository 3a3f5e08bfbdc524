//! `raicho learn` from the outside: games in, a network out that the engine plays with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::{PackGame, PackReason, PackWriter};
use raicho::types::Color;

/// A folder of this test alone.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder can be made");
    path
}

fn raicho(arguments: &[&str], paths: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(arguments)
        .args(paths)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(arguments: &[&str], paths: &[&Path]) -> String {
    let output = raicho(arguments, paths);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

/// Games by moves spread over the list of legal ones, with a score that the winner likes.
fn write_games(path: &Path) {
    let mut writer = PackWriter::new(Vec::new());
    for number in 0..60 {
        let mut position: Position = Position::startpos();
        let start = position.clone();
        let winner = if number % 2 == 0 {
            Color::Black
        } else {
            Color::White
        };
        let mut moves = Vec::new();
        for ply in 0..60 {
            let legal = legal_moves(&position);
            let Some(&mv) = legal.get((ply + 3) * (number + 17) % legal.len().max(1)) else {
                break;
            };
            let score = if position.side_to_move() == winner {
                150
            } else {
                -150
            };
            moves.push((mv, score));
            position.do_move(mv);
        }
        let game = PackGame {
            start,
            moves,
            result: GameResult::Win(winner),
            reason: PackReason::RESIGNATION,
        };
        writer.write(&game).expect("memory can be written");
    }
    fs::write(path, writer.into_inner()).expect("the file can be written");
}

const SMALL: [&str; 12] = [
    "learn",
    "--width",
    "64",
    "--batch",
    "500",
    "--epochs",
    "4",
    "--threads",
    "1",
    "--held-out",
    "0.1",
    "--out",
];

#[test]
fn a_network_comes_out_and_the_engine_plays_with_it() {
    let folder = folder("learn-network");
    let games = folder.join("games.pack");
    write_games(&games);
    let (one, other) = (folder.join("one"), folder.join("other"));
    let said = run(&SMALL, &[&one, &games]);
    for word in [
        "60 games",
        "left out: ",
        "learnt from: ",
        "rounding: ",
        "net.nnue",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    for file in ["loss.csv", "loss.svg", "checkpoint.bin"] {
        assert!(
            one.join(file).metadata().is_ok_and(|file| file.len() > 100),
            "{file}"
        );
    }
    run(&SMALL, &[&other, &games]);
    let net = fs::read(one.join("net.nnue")).expect("a network");
    assert!(net == fs::read(other.join("net.nnue")).expect("a network"));
    let bench = run(
        &["bench", "--depth", "1", "--eval"],
        &[&one.join("net.nnue")],
    );
    assert!(bench.contains("raicho_64x2-8"), "{bench}");

    // The same positions without their games.
    let (positions, third) = (folder.join("games.psv"), folder.join("third"));
    run(&["convert", "--out"], &[&positions, &games]);
    let held_out = ["--held-out-file", &positions.to_string_lossy()];
    let said = run(
        &[&SMALL[..1], &held_out[..], &SMALL[1..]].concat(),
        &[&third, &positions],
    );
    assert!(
        said.contains("0 games") && said.contains("learnt from: "),
        "{said}"
    );

    // A finished run writes its network again, from the files alone.
    fs::remove_file(one.join("net.nnue")).expect("just read");
    run(&["learn", "--resume", "--out"], &[&one]);
    assert!(net == fs::read(one.join("net.nnue")).expect("a network"));
}

#[test]
fn faults_are_named() {
    let folder = folder("learn-faults");
    let (games, out) = (folder.join("games.pack"), folder.join("out"));
    write_games(&games);
    let refused = |arguments: &[&str], paths: &[&Path], words: &str| {
        let output = raicho(arguments, paths);
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && said.contains(words),
            "{words}: {said}"
        );
    };
    refused(
        &SMALL,
        &[&out, &folder.join("nothing.pack")],
        "nothing.pack: ",
    );
    fs::write(folder.join("games.txt"), "7g7f").expect("the file can be written");
    refused(&SMALL, &[&out, &folder.join("games.txt")], "games.txt: ");
    fs::write(folder.join("empty.pack"), "").expect("the file can be written");
    refused(
        &SMALL,
        &[&out, &folder.join("empty.pack")],
        "no position to learn from",
    );
    refused(
        &["learn", "--width", "100", "--out"],
        &[&out, &games],
        "width 100, expected",
    );
    refused(
        &["learn", "--wdl", "2", "--out"],
        &[&out, &games],
        "result weight 2, expected",
    );
    refused(
        &["learn", "--rate", "0.001", "--decay", "1000", "--out"],
        &[&out, &games],
        "decay 1000, expected",
    );
    refused(
        &["learn", "--epochs", "NaN", "--out"],
        &[&out, &games],
        "--epochs NaN, expected",
    );
    refused(
        &["learn", "--resume", "--out"],
        &[&out],
        "nothing to resume",
    );
    assert!(!out.exists());

    // The last game is torn: it is left out and named.
    let bytes = fs::read(&games).expect("just written");
    fs::write(&games, &bytes[..bytes.len() - 9]).expect("the file can be written");
    let said = run(&SMALL, &[&out, &games]);
    assert!(
        said.contains("59 games") && said.contains("record 60, at byte "),
        "{said}"
    );
    refused(&SMALL, &[&out, &games], "is there already");

    // Other games than those of the run.
    fs::write(&games, &bytes).expect("the file can be written");
    refused(
        &["learn", "--resume", "--out"],
        &[&out],
        "belongs to other data",
    );
    fs::write(out.join("checkpoint.bin"), "RAICHO").expect("the file can be written");
    refused(&["learn", "--resume", "--out"], &[&out], "no checkpoint");
}
