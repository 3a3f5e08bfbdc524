//! `raicho learn` as a process: it trains a network from games, and the engine plays with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::{PackGame, PackReason, PackWriter};
use raicho::types::Color;

/// An empty folder for one test.
pub(super) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder can be made");
    path
}

pub(super) fn raicho(arguments: &[&str], paths: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(arguments)
        .args(paths)
        .output()
        .expect("the program starts")
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn run(arguments: &[&str], paths: &[&Path]) -> String {
    let output = raicho(arguments, paths);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

#[test]
fn games_and_trees_are_learnt_from_together() {
    let folder = folder("learn-trees");
    let games = folder.join("games");
    let sample = [
        "gensfen",
        "--eval",
        "<material>",
        "--nodes",
        "60",
        "--opening-nodes",
        "200",
    ];
    let sample = [
        &sample[..],
        &["--games", "8", "--tree-positions", "2", "--out"],
    ]
    .concat();
    run(&sample, &[&games]);
    let learn = [
        "learn",
        "--width",
        "64",
        "--epochs",
        "2",
        "--batch",
        "256",
        "--held-out",
        "0.2",
    ];
    let [both, unweighted] = ["both", "unweighted"].map(|name| folder.join(name));
    let said = run(&[&learn[..], &["--out"]].concat(), &[&both, &games]);
    assert!(said.contains(" of them of search trees"), "{said}");
    // Without weight the inner nodes change the order and the number of steps only.
    let out = ["--tree-weight", "0", "--tree-full-depth", "4", "--out"];
    run(&[&learn[..], &out].concat(), &[&unweighted, &games]);
    let [both, unweighted] = [both, unweighted].map(|out| fs::read(out.join("net.nnue")));
    assert!(both.expect("a network") != unweighted.expect("a network"));
    let trees = games.join("games-0001.tree");
    let said = run(
        &[&learn[..], &["--out"]].concat(),
        &[&folder.join("trees"), &trees],
    );
    assert!(said.contains("0 games"), "{said}");
    let pack = games.join("games-0001.pack");
    let output = raicho(&["learn", "--out"], &[&folder.join("twice"), &pack, &pack]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("games-0001.pack is given twice"));
}

/// Writes 60 games of moves spread over the list of legal ones, with scores that favor the winner.
pub(super) fn write_games(path: &Path) {
    write_parts_of_games(path, 1);
}

/// [`write_games`], each game in this number of parts between which a move is missing, as `gensfen`
/// writes them. Returns the number of moves.
fn write_parts_of_games(path: &Path, parts: usize) -> usize {
    let mut written = 0;
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
        let length = moves.len().div_ceil(parts);
        let mut start = start;
        for (part, moves) in moves.chunks(length).enumerate() {
            let skipped = usize::from(part > 0);
            let mut from = start.clone();
            for &(mv, _) in &moves[..skipped] {
                from.do_move(mv);
            }
            // Without the moves before it.
            let from = Position::from_sfen(&from.to_sfen()).expect("its own text");
            written += moves.len() - skipped;
            for &(mv, _) in moves {
                start.do_move(mv);
            }
            let game = PackGame {
                start: from,
                moves: moves[skipped..].to_vec(),
                result: GameResult::Win(winner),
                reason: PackReason::RESIGNATION,
            };
            writer.write(&game).expect("memory can be written");
        }
    }
    fs::write(path, writer.into_inner()).expect("the file can be written");
    written
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
    let copy = folder.join("copy.psv");
    fs::copy(&positions, &copy).expect("it can be copied");
    let held_out = ["--held-out-file", &copy.to_string_lossy()];
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
fn a_resumed_run_keeps_what_its_checkpoint_does_not_say() {
    let folder = folder("learn-kept");
    let (games, out) = (folder.join("games.pack"), folder.join("out"));
    write_games(&games);
    let named = ["--text", "of the first evening"];
    run(
        &[&SMALL[..1], &named[..], &SMALL[1..]].concat(),
        &[&out, &games],
    );
    let net = fs::read(out.join("net.nnue")).expect("a network");
    let shown = run(&["net", "show"], &[&out.join("net.nnue")]);
    assert!(shown.contains("; of the first evening"), "{shown}");
    for again in [&[][..], &named] {
        fs::remove_file(out.join("net.nnue")).expect("just read");
        run(
            &[&["learn", "--resume"], again, &["--out"]].concat(),
            &[&out],
        );
        assert!(net == fs::read(out.join("net.nnue")).expect("a network"));
    }
    for other in [["--text", "of the second"], ["--begin-with", "net.nnue"]] {
        let output = raicho(
            &[&["learn", "--resume"], &other[..], &["--out"]].concat(),
            &[&out],
        );
        let said = text(&output.stderr);
        let expected = format!("{} is not what the run began with", other[0]);
        assert!(
            !output.status.success() && said.contains(&expected),
            "{said}"
        );
    }
}

#[test]
fn wrong_options_are_refused_before_data_are_read() {
    let folder = folder("learn-options");
    let (games, out) = (folder.join("games.pack"), folder.join("out"));
    write_games(&games);
    let text_file = folder.join("games.txt");
    fs::write(&text_file, "7g7f").expect("the file can be written");
    let network = text_file.to_string_lossy();
    for (option, value, words) in [
        ("--width", "63", "width 63, expected"),
        ("--batch", "0", "batch 0, expected"),
        ("--wdl", "2", "result weight 2, expected"),
        ("--rate", "nan", "rate NaN, expected"),
        ("--scale", "0", "scale 0, expected"),
        ("--epochs", "0", "--epochs 0, expected"),
        (
            "--begin-with",
            &*network,
            "neither a checkpoint nor a network",
        ),
    ] {
        let output = raicho(&["learn", option, value, "--out"], &[&out, &games]);
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && said.contains(words),
            "{option}: {said}"
        );
        // The counts of the data are the first line on stdout.
        assert_eq!(text(&output.stdout), "", "{option}");
        assert!(said.matches("magic number").count() <= 1, "{said}");
    }
    assert!(!out.exists());
}

/// More positions than the buffer holds, from two sources.
#[test]
fn a_streamed_mixture_that_was_killed_is_resumed_exactly() {
    let folder = folder("learn-mix");
    let (many, few) = (folder.join("many"), folder.join("few.pack"));
    fs::create_dir_all(&many).expect("the folder can be made");
    write_games(&few);
    for number in 0..40 {
        let copy = many.join(format!("{number}.pack"));
        fs::copy(&few, copy).expect("the folder can be written");
    }
    let mix = [
        format!("3={}", many.display()),
        format!("1={}", few.display()),
    ];
    let sources = ["--mix", &*mix[0], "--mix", &*mix[1]];
    let course = [
        "--visits",
        "600000",
        "--buffer",
        "100000",
        "--tactical",
        "keep",
    ];
    let begin = [&SMALL[..5], &SMALL[7..11], &course, &sources, &["--out"]].concat();
    let (whole, killed) = (folder.join("whole"), folder.join("killed"));
    let said = run(&begin, &[&whole]);
    assert!(said.contains("read during the run"), "{said}");
    assert!(said.contains("600000 visits to positions"), "{said}");

    let mut child = Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(&begin)
        .arg(&killed)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while !killed.join("checkpoint.bin").exists() {
        assert!(
            child.try_wait().expect("a child").is_none(),
            "it ended by itself"
        );
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it still runs");
    child.wait().expect("killed");
    assert!(!killed.join("net.nnue").exists());
    run(&["learn", "--resume", "--out"], &[&killed]);
    for name in ["loss.csv", "net.nnue"] {
        let read = |of: &Path| fs::read(of.join(name)).expect(name);
        assert!(read(&whole) == read(&killed), "{name}");
    }
    let output = raicho(
        &["learn", "--resume", "--buffer", "200000", "--out"],
        &[&killed],
    );
    let said = text(&output.stderr);
    let words = "--buffer is not what the run began with";
    assert!(!output.status.success() && said.contains(words), "{said}");
    for (value, words) in [
        ("many", "expected PARTS=FILE"),
        ("0=many", "expected PARTS=FILE"),
        ("1=", "expected PARTS=FILE"),
    ] {
        let output = raicho(
            &["learn", "--mix", value, "--out"],
            &[&folder.join("other")],
        );
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{said}");
    }
}

#[test]
fn games_in_parts_are_counted_once() {
    let folder = folder("learn-parts");
    let games = folder.join("parts.pack");
    let moves = write_parts_of_games(&games, 3);
    let keep = ["--tactical", "keep"];
    let said = run(
        &[&SMALL[..1], &keep, &SMALL[1..]].concat(),
        &[&folder.join("out"), &games],
    );
    let counts = format!("60 games, {moves} positions with a score");
    assert!(said.contains(&counts), "{counts}: {said}");
    let line = said.lines().find(|line| line.starts_with("learnt from: "));
    let numbers: Vec<usize> = line
        .into_iter()
        .flat_map(|line| line.split(|letter: char| !letter.is_ascii_digit()))
        .filter_map(|word| word.parse().ok())
        .collect();
    let [training, of_games, held_out, of_held_out_games] = numbers[..] else {
        panic!("four counts: {said}");
    };
    assert_eq!(of_games + of_held_out_games, 60);
    assert!(
        of_held_out_games > 0 && training + held_out <= moves,
        "{said}"
    );
    // Visits are counted in whole batches of 500.
    let visits = (4 * training).next_multiple_of(500);
    assert!(
        said.contains(&format!("{visits} visits to positions")),
        "{said}"
    );
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
    refused(
        &["learn", "--resume", "--epochs", "40", "--out"],
        &[&out],
        "--epochs is not what the run began with",
    );
    refused(
        &["learn", "--resume", "--kind", "kppt", "--out"],
        &[&out],
        "--kind is not what the run began with",
    );
    run(
        &[&SMALL[..1], &["--resume"][..], &SMALL[1..]].concat(),
        &[&out, &games],
    );

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
