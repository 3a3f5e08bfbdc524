//! `raicho learn` as a process: it trains a network from games, and the engine plays with it.

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::{PackGame, PackReason, PackWriter};
use raicho::types::Color;

use crate::folder::Folder;
use crate::runner::{Text, raicho, text};

#[test]
fn games_and_trees_are_learnt_from_together() {
    let folder = Folder::new();
    let games = "--nodes 60 --opening-nodes 200 --games 8 --tree-positions 2";
    raicho!(folder, "gensfen --eval <material> {games} --out games").outputs();
    let learn = "learn --shape raicho_64x2-8 --epochs 2 --batch 256 --held-out 0.2";
    raicho!(folder, "{learn} --out both games").says(" of them of search trees");
    raicho!(folder, "{learn} --out alone games/games-0001.pack").outputs();
    assert!(folder.bytes("both/net.nnue") != folder.bytes("alone/net.nnue"));
    raicho!(folder, "{learn} --out trees games/games-0001.tree").says("0 games");
}

/// Writes 60 games of moves spread over the list of legal ones, with scores that favor the winner.
fn write_games(folder: &Folder) {
    write_parts_of_games(folder, "games.pack", 1);
}

/// [`write_games`], each game in this number of parts between which a move is missing, as `gensfen`
/// writes them. Returns the number of moves.
fn write_parts_of_games(folder: &Folder, name: &str, parts: usize) -> usize {
    let mut written = 0;
    let mut writer = PackWriter::new(Vec::new());
    for number in 0..60 {
        let mut position: Position = Position::startpos();
        let winner = Color::ALL[number % 2];
        let mut moves = Vec::new();
        for ply in 0..60 {
            let legal = legal_moves(&position);
            let Some(&mv) = legal.get((ply + 3) * (number + 17) % legal.len().max(1)) else {
                break;
            };
            let is_winner = position.side_to_move() == winner;
            moves.push((mv, if is_winner { 150 } else { -150 }));
            position.do_move(mv);
        }
        let length = moves.len().div_ceil(parts);
        let mut position: Position = Position::startpos();
        for (part, moves) in moves.chunks(length).enumerate() {
            let (skipped, moves) = moves.split_at(usize::from(part > 0));
            for &(mv, _) in skipped {
                position.do_move(mv);
            }
            let game = PackGame {
                // Without the moves before it.
                start: Position::from_sfen(&position.to_sfen()).expect("its own text"),
                moves: moves.to_vec(),
                result: GameResult::Win(winner),
                reason: PackReason::RESIGNATION,
            };
            writer.write(&game).expect("memory can be written");
            written += moves.len();
            for &(mv, _) in moves {
                position.do_move(mv);
            }
        }
    }
    folder.write(name, writer.into_inner());
    written
}

/// A short run; the folder follows.
const SMALL: &str =
    "learn --shape raicho_64x2-8 --batch 500 --epochs 4 --threads 1 --held-out 0.1 --out";

#[test]
fn a_network_comes_out_and_the_engine_plays_with_it() {
    let folder = Folder::new();
    write_games(&folder);
    let said = raicho!(folder, "{SMALL} one games.pack").said();
    for word in ["60 games", "left out: ", "learnt from: ", "rounding: ", "net.nnue"] {
        said.must_have(word);
    }
    for file in ["loss.csv", "loss.svg", "checkpoint.bin"] {
        assert!(folder.bytes(&format!("one/{file}")).len() > 100, "{file}");
    }
    raicho!(folder, "{SMALL} other games.pack").outputs();
    folder.same_in(["one", "other"], "net.nnue");
    raicho!(folder, "bench --depth 1 --eval one/net.nnue").says("raicho_64x2-8");

    // The same positions without their games.
    raicho!(folder, "convert --out games.psv games.pack").outputs();
    folder.write("copy.psv", folder.bytes("games.psv"));
    raicho!(folder, "{SMALL} third games.psv --held-out-file copy.psv")
        .says("0 games")
        .must_have("learnt from: ");

    // Both files of a run begin another.
    for file in ["checkpoint.bin", "net.nnue"] {
        raicho!(folder, "{SMALL} from-{file} games.pack --begin-with one/{file}").outputs();
    }

    // A finished run writes its network again, from the files alone.
    folder.remove("one/net.nnue");
    raicho!(folder, "learn --resume --out one").outputs();
    folder.same_in(["one", "other"], "net.nnue");
}

#[test]
fn a_resumed_run_keeps_what_its_checkpoint_does_not_say() {
    let folder = Folder::new();
    write_games(&folder);
    raicho!(folder, "{SMALL} out games.pack").outputs();
    let net = folder.bytes("out/net.nnue");
    for again in ["", "--epochs 4"] {
        folder.remove("out/net.nnue");
        raicho!(folder, "learn --resume --out out {again}").outputs();
        assert!(net == folder.bytes("out/net.nnue"));
    }
    for words in ["--epochs 5", "--begin-with net.nnue"] {
        let option = words.split(' ').next().unwrap_or_default();
        raicho!(folder, "learn --resume --out out {words}")
            .refuses(format!("{option} is not what the run began with"));
    }
}

#[test]
fn wrong_options_are_refused_before_data_are_read() {
    let folder = Folder::new();
    write_games(&folder);
    folder.write("games.txt", "7g7f");
    let cases = cases! {
        "--shape raicho_63x2-8" => "raicho_63x2-8";
        "--shape raicho_100x2-8" => "raicho_100x2-8";
        "--batch 0" => "batch 0, expected";
        "--wdl 2" => "result weight 2, expected";
        "--rate nan" => "rate NaN, expected";
        "--rate 0.001 --decay 1000" => "decay 1000, expected";
        "--scale 0" => "scale 0, expected";
        "--epochs 0" => "--epochs 0, expected";
        "--epochs NaN" => "--epochs NaN, expected";
        "--begin-with games.txt" => "neither a checkpoint nor a network";
        "--kind kppt --shape raicho_64x2-8" => "--shape and --decay are for networks";
        "--kind kppt --decay 0.1" => "--shape and --decay are for networks";
        "--kind kppt --begin-with x" => "--begin-with is for networks";
        "--kind kppt --batch 0" => "batch 0, expected";
    };
    for (options, words) in cases {
        let output = raicho!(folder, "learn {options} --out out games.pack").output();
        let said = text(&output.stderr);
        assert!(!output.status.success());
        said.must_have(words);
        // The counts of the data are the first line on stdout.
        assert_eq!(text(&output.stdout), "", "{options}");
        assert!(said.matches("magic number").count() <= 1, "{said}");
    }
    assert!(!folder.has("out"));
}

/// More positions than the buffer holds, from two sources.
#[test]
fn a_streamed_mixture_that_was_killed_is_resumed_exactly() {
    let folder = Folder::new();
    write_parts_of_games(&folder, "few.pack", 1);
    let few = folder.bytes("few.pack");
    for number in 0..40 {
        folder.write(&format!("many/{number}.pack"), &few);
    }
    let begin = "learn --shape raicho_64x2-8 --batch 500 --threads 1 --held-out 0.1 \
                 --visits 300000 --buffer 100000 --tactical keep --mix 3=many \
                 --mix 1=few.pack --out";
    let said = raicho!(folder, "{begin} whole").says("read during the run");
    said.must_have("300000 visits to positions");

    raicho!(folder, "{begin} killed").killed_when(|| folder.has("killed/checkpoint.bin"));
    assert!(!folder.has("killed/net.nnue"));
    raicho!(folder, "learn --resume --out killed").outputs();
    for name in ["loss.csv", "net.nnue"] {
        folder.same_in(["whole", "killed"], name);
    }
    raicho!(folder, "learn --resume --buffer 200000 --out killed")
        .refuses("--buffer is not what the run began with");
    for value in ["many", "0=many", "1="] {
        raicho!(folder, "learn --mix {value} --out other").refuses("expected PARTS=FILE");
    }
}

#[test]
fn games_in_parts_are_counted_once() {
    let folder = Folder::new();
    let moves = write_parts_of_games(&folder, "parts.pack", 3);
    let counts = format!("60 games, {moves} positions with a score");
    let said = raicho!(folder, "{SMALL} out parts.pack --tactical keep").says(counts);
    let line = said.lines().find(|line| line.starts_with("learnt from: "));
    let words = line.unwrap_or_default().split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
    let [training, of_games, held_out, of_held_out_games] = numbers[..] else {
        panic!("four counts: {said}");
    };
    assert_eq!(of_games + of_held_out_games, 60);
    assert!(of_held_out_games > 0, "{said}");
    assert!(training + held_out <= moves, "{said}");
    // Visits are counted in whole batches of 500.
    let visits = (4 * training).next_multiple_of(500);
    said.must_have(format!("{visits} visits to positions"));
}

#[test]
fn faults_are_named() {
    let folder = Folder::new();
    write_games(&folder);
    folder.write("games.txt", "7g7f");
    folder.write("empty.pack", "");
    let refused = |words: &str, part: &str| raicho!(folder, "{words}").refuses(part);
    refused(&format!("{SMALL} out nothing.pack"), "nothing.pack: ");
    refused(&format!("{SMALL} out games.txt"), "games.txt: ");
    let text = format!("{SMALL} out empty.pack");
    refused(&text, "no position to learn from");
    refused("learn --resume --out out", "nothing to resume");
    assert!(!folder.has("out"));

    // The last game is torn: it is left out and named.
    let bytes = folder.bytes("games.pack");
    folder.write("games.pack", &bytes[..bytes.len() - 9]);
    let small = format!("{SMALL} out games.pack");
    raicho!(folder, "{small}").says("59 games").must_have("record 60, at byte ");
    refused(&small, "is there already");
    let resume = "learn --resume --out out";
    let text = "--epochs is not what the run began with";
    refused(&format!("{resume} --epochs 40"), text);
    let text = "--kind is not what the run began with";
    refused(&format!("{resume} --kind kppt"), text);
    raicho!(folder, "{small} --resume").outputs();

    // Other games than those of the run.
    folder.write("games.pack", bytes);
    refused(resume, "belongs to other data");
    folder.write("out/checkpoint.bin", "RAICHO");
    refused(resume, "no checkpoint");
}

/// A run of `--kind kppt` that is killed twice and resumed, and one in one go. Writes several
/// gigabytes; run with `--release -- --ignored three_pieces`.
#[test]
#[ignore = "writes several gigabytes"]
fn a_killed_run_of_three_pieces_is_resumed_exactly_and_the_engine_plays_with_it() {
    let folder = Folder::new();
    write_games(&folder);
    let learn = "learn --kind kppt --batch 50 --epochs 60 --held-out 0.1";
    raicho!(folder, "{learn} --out whole games.pack")
        .says("numbers of KPP that do not fit into 16 bits: 0");

    let checkpoint = folder.file("killed/checkpoint.bin");
    let written = || checkpoint.metadata().and_then(|file| file.modified()).ok();
    for words in [learn, "learn --resume"] {
        let before = written();
        raicho!(folder, "{words} --out killed games.pack").killed_when(|| written() != before);
    }
    assert!(!folder.has("killed/KPP_synthesized.bin"));
    raicho!(folder, "learn --resume --out killed games.pack").outputs();
    folder.same_in(["whole", "killed"], "loss.csv");
    for name in ["KK", "KKP", "KPP"] {
        folder.same_in(["whole", "killed"], &format!("{name}_synthesized.bin"));
    }
    raicho!(folder, "bench --depth 1 --eval whole").says("nodes");
}
