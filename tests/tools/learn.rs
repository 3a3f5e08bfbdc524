//! `raicho learn` as a process: it trains a network from games, and the engine plays with it.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::{PackGame, PackReason, PackWriter};
use raicho::types::Color;

use crate::folder::Folder;
use crate::runner::{raicho, text};

#[test]
fn games_and_trees_are_learnt_from_together() {
    let folder = Folder::new("learn-trees");
    raicho!(
        folder,
        "gensfen --eval <material> --nodes 60 --opening-nodes 200 --games 8 --tree-positions 2 \
         --out games"
    )
    .outputs();
    let learn = "learn --shape raicho_64x2-8 --epochs 2 --batch 256 --held-out 0.2";
    let said = raicho!(folder, "{learn} --out both games").said();
    assert!(said.contains(" of them of search trees"), "{said}");
    // Without weight the inner nodes change the order and the number of steps only.
    let tree = "--tree-weight 0";
    raicho!(folder, "{learn} {tree} --out unweighted games").outputs();
    assert!(folder.bytes("both/net.nnue") != folder.bytes("unweighted/net.nnue"));
    let said = raicho!(folder, "{learn} --out trees games/games-0001.tree").said();
    assert!(said.contains("0 games"), "{said}");
    let pack = "games/games-0001.pack";
    let said = raicho!(folder, "learn --out twice {pack} {pack}").refused();
    assert!(said.contains("games-0001.pack is given twice"), "{said}");
}

/// Writes 60 games of moves spread over the list of legal ones, with scores that favor the winner.
pub(super) fn write_games(folder: &Folder, name: &str) {
    write_parts_of_games(folder, name, 1);
}

/// [`write_games`], each game in this number of parts between which a move is missing, as `gensfen`
/// writes them. Returns the number of moves.
fn write_parts_of_games(folder: &Folder, name: &str, parts: usize) -> usize {
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
    fs::write(folder.file(name), writer.into_inner()).expect("the file can be written");
    written
}

/// A short run; the folder follows.
const SMALL: &str =
    "learn --shape raicho_64x2-8 --batch 500 --epochs 4 --threads 1 --held-out 0.1 --out";

#[test]
fn a_network_comes_out_and_the_engine_plays_with_it() {
    let folder = Folder::new("learn-network");
    write_games(&folder, "games.pack");
    let said = raicho!(folder, "{SMALL} one games.pack").said();
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
        assert!(folder.bytes(&format!("one/{file}")).len() > 100, "{file}");
    }
    raicho!(folder, "{SMALL} other games.pack").outputs();
    let net = folder.bytes("one/net.nnue");
    assert!(net == folder.bytes("other/net.nnue"));
    let bench = raicho!(folder, "bench --depth 1 --eval one/net.nnue").said();
    assert!(bench.contains("raicho_64x2-8"), "{bench}");

    // The same positions without their games.
    raicho!(folder, "convert --out games.psv games.pack").outputs();
    fs::copy(folder.file("games.psv"), folder.file("copy.psv")).expect("it can be copied");
    let said = raicho!(folder, "{SMALL} third games.psv --held-out-file copy.psv").said();
    assert!(
        said.contains("0 games") && said.contains("learnt from: "),
        "{said}"
    );

    // A finished run writes its network again, from the files alone.
    fs::remove_file(folder.file("one/net.nnue")).expect("just read");
    raicho!(folder, "learn --resume --out one").outputs();
    assert!(net == folder.bytes("one/net.nnue"));
}

#[test]
fn a_resumed_run_keeps_what_its_checkpoint_does_not_say() {
    let folder = Folder::new("learn-kept");
    write_games(&folder, "games.pack");
    let evening = "of the first evening";
    let begin = raicho!(folder, "{SMALL} out games.pack --text");
    begin.arg(evening).outputs();
    let net = folder.bytes("out/net.nnue");
    let shown = raicho!(folder, "net show out/net.nnue").said();
    assert!(shown.contains("; of the first evening"), "{shown}");
    for is_repeated in [false, true] {
        fs::remove_file(folder.file("out/net.nnue")).expect("just read");
        let mut again = raicho!(folder, "learn --resume --out out");
        if is_repeated {
            again = again.arg("--text").arg(evening);
        }
        again.outputs();
        assert!(net == folder.bytes("out/net.nnue"));
    }
    for (option, value) in [("--text", "of the second"), ("--begin-with", "net.nnue")] {
        let resumed = raicho!(folder, "learn --resume --out out {option}").arg(value);
        let said = resumed.refused();
        let expected = format!("{option} is not what the run began with");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn wrong_options_are_refused_before_data_are_read() {
    let folder = Folder::new("learn-options");
    write_games(&folder, "games.pack");
    folder.write("games.txt", "7g7f");
    for (option, words) in [
        ("--shape raicho_63x2-8", "raicho_63x2-8"),
        ("--batch 0", "batch 0, expected"),
        ("--wdl 2", "result weight 2, expected"),
        ("--rate nan", "rate NaN, expected"),
        ("--scale 0", "scale 0, expected"),
        ("--epochs 0", "--epochs 0, expected"),
        (
            "--begin-with games.txt",
            "neither a checkpoint nor a network",
        ),
    ] {
        let output = raicho!(folder, "learn {option} --out out games.pack").output();
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && said.contains(words),
            "{option}: {said}"
        );
        // The counts of the data are the first line on stdout.
        assert_eq!(text(&output.stdout), "", "{option}");
        assert!(said.matches("magic number").count() <= 1, "{said}");
    }
    assert!(!folder.file("out").exists());
}

/// Waits for something that a run writes.
pub(super) fn wait_until(child: &mut Child, mut is_there: impl FnMut() -> bool) {
    while !is_there() {
        let ended = child.try_wait().expect("a child");
        assert!(ended.is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(2));
    }
}

/// More positions than the buffer holds, from two sources.
#[test]
fn a_streamed_mixture_that_was_killed_is_resumed_exactly() {
    let folder = Folder::new("learn-mix");
    write_games(&folder, "few.pack");
    fs::create_dir_all(folder.file("many")).expect("the folder can be made");
    for number in 0..40 {
        let copy = folder.file(&format!("many/{number}.pack"));
        fs::copy(folder.file("few.pack"), copy).expect("the folder can be written");
    }
    let begin = "learn --shape raicho_64x2-8 --batch 500 --threads 1 --held-out 0.1 \
                 --visits 600000 --buffer 100000 --tactical keep --mix 3=many \
                 --mix 1=few.pack --out";
    let said = raicho!(folder, "{begin} whole").said();
    assert!(said.contains("read during the run"), "{said}");
    assert!(said.contains("600000 visits to positions"), "{said}");

    let mut child = raicho!(folder, "{begin} killed").start();
    let checkpoint = folder.file("killed/checkpoint.bin");
    wait_until(&mut child, || checkpoint.exists());
    child.kill().expect("it still runs");
    child.wait().expect("killed");
    assert!(!folder.file("killed/net.nnue").exists());
    raicho!(folder, "learn --resume --out killed").outputs();
    for name in ["loss.csv", "net.nnue"] {
        let [whole, killed] = ["whole", "killed"].map(|of| folder.bytes(&format!("{of}/{name}")));
        assert!(whole == killed, "{name}");
    }
    let said = raicho!(folder, "learn --resume --buffer 200000 --out killed").refused();
    let words = "--buffer is not what the run began with";
    assert!(said.contains(words), "{said}");
    for value in ["many", "0=many", "1="] {
        let said = raicho!(folder, "learn --mix {value} --out other").refused();
        assert!(said.contains("expected PARTS=FILE"), "{said}");
    }
}

#[test]
fn games_in_parts_are_counted_once() {
    let folder = Folder::new("learn-parts");
    let moves = write_parts_of_games(&folder, "parts.pack", 3);
    let said = raicho!(folder, "{SMALL} out parts.pack --tactical keep").said();
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
    let folder = Folder::new("learn-faults");
    write_games(&folder, "games.pack");
    let refused = |options: &str, words: &str| {
        let said = raicho!(folder, "{options}").refused();
        assert!(said.contains(words), "{words}: {said}");
    };
    refused(&format!("{SMALL} out nothing.pack"), "nothing.pack: ");
    folder.write("games.txt", "7g7f");
    refused(&format!("{SMALL} out games.txt"), "games.txt: ");
    folder.write("empty.pack", "");
    let empty = format!("{SMALL} out empty.pack");
    refused(&empty, "no position to learn from");
    for (options, words) in [
        ("--shape raicho_100x2-8", "raicho_100x2-8"),
        ("--wdl 2", "result weight 2, expected"),
        ("--rate 0.001 --decay 1000", "decay 1000, expected"),
        ("--epochs NaN", "--epochs NaN, expected"),
    ] {
        refused(&format!("learn {options} --out out games.pack"), words);
    }
    refused("learn --resume --out out", "nothing to resume");
    assert!(!folder.file("out").exists());

    // The last game is torn: it is left out and named.
    let (games, bytes) = (folder.file("games.pack"), folder.bytes("games.pack"));
    fs::write(&games, &bytes[..bytes.len() - 9]).expect("the file can be written");
    let small = format!("{SMALL} out games.pack");
    let said = raicho!(folder, "{small}").said();
    assert!(
        said.contains("59 games") && said.contains("record 60, at byte "),
        "{said}"
    );
    refused(&small, "is there already");
    refused(
        "learn --resume --epochs 40 --out out",
        "--epochs is not what the run began with",
    );
    refused(
        "learn --resume --kind kppt --out out",
        "--kind is not what the run began with",
    );
    raicho!(folder, "{small} --resume").outputs();

    // Other games than those of the run.
    fs::write(&games, &bytes).expect("the file can be written");
    refused("learn --resume --out out", "belongs to other data");
    folder.write("out/checkpoint.bin", "RAICHO");
    refused("learn --resume --out out", "no checkpoint");
}
