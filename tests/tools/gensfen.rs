//! Self-play for teacher data as people run it: what is written can be read, a seed gives the same
//! bytes, and a kill costs the running game only.

use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::records::game::GameResult;
use raicho::records::pack::{PackGame, PackReader, PackReason, PackWriter};
use raicho::records::teacher::{Format, Record, TeacherReader};
use raicho::types::{Color, EnteringKingRule, Move, Repetition};

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("raicho-gensfen-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command
        .args(["gensfen", "--eval", "<material>", "--out"])
        .arg(folder)
        .args(arguments);
    command
}

fn gensfen(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("raicho runs")
}

fn games(path: &Path) -> Vec<PackGame> {
    let file = File::open(path).expect("there are games");
    let reader = PackReader::new(BufReader::new(file));
    reader
        .map(|game| game.unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

const SHORT: [&str; 6] = ["--nodes", "60", "--opening-nodes", "200", "--games", "8"];

#[test]
fn every_game_can_be_read_and_ends_as_it_says() {
    let folder = Folder::new("read");
    let output = gensfen(&folder.0, &[&SHORT[..], &["--to-mate", "1"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let games = games(&folder.join("games-0001.pack"));
    assert_eq!(games.len(), 8);
    for game in &games {
        assert!(matches!(game.start.game_ply(), 9 | 10));
        let mut position = game.start.clone();
        for &(mv, _) in &game.moves {
            position.do_move(mv);
        }
        let us = position.side_to_move();
        let repetition = position.rule_repetition();
        // What is neither mate nor repetition nor a declaration was as long as a game may be.
        let expected = if legal_moves(&position).is_empty() || repetition == Some(Repetition::Lose)
        {
            GameResult::Win(!us)
        } else if repetition == Some(Repetition::Win)
            || repetition.is_none() && position.declaration(EnteringKingRule::default()).is_some()
        {
            GameResult::Win(us)
        } else {
            GameResult::Draw
        };
        assert_eq!(game.result, expected, "{}", position.to_sfen());
    }
    // A score that is far from even says who wins, whoever is to move.
    for side in Color::ALL {
        let agree: i64 = games
            .iter()
            .flat_map(|game| {
                game.moves
                    .iter()
                    .enumerate()
                    .map(move |entry| (game, entry))
            })
            .filter(|(game, (ply, _))| (game.start.side_to_move() == side) == (ply % 2 == 0))
            .map(|(game, (_, (_, score)))| {
                i64::from(score.signum()) * i64::from(game.result.for_side(side))
            })
            .sum();
        assert!(agree > 0, "{side:?}: {agree}");
    }
}

#[test]
fn a_kill_costs_the_running_game_only() {
    let (whole, killed) = (Folder::new("whole"), Folder::new("killed"));
    let arguments = ["--nodes", "300", "--games", "20", "--tree-positions", "3"];
    assert!(gensfen(&whole.0, &arguments).status.success());
    let journal = killed.join("gensfen.jsonl");
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.matches('\n').count());
    let resume = [&arguments[..], &["--resume"]].concat();
    for wanted in [1, 5, 9] {
        let mut child = command(&killed.0, &resume)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("raicho runs");
        let begun = Instant::now();
        while lines() < wanted && begun.elapsed() < Duration::from_mins(2) {
            sleep(Duration::from_millis(5));
        }
        child.kill().expect("it runs, or has ended");
        child.wait().expect("it ends");
        assert!(lines() >= wanted, "{} games", lines());
        // A kill within a write leaves a part of a line and of a game.
        for name in ["gensfen.jsonl", "games-0001.pack", "games-0001.tree"] {
            let mut file = fs::OpenOptions::new()
                .append(true)
                .open(killed.join(name))
                .expect("it is there");
            file.write_all(b"{\"ga").expect("it can be written");
        }
    }
    assert!(gensfen(&killed.0, &resume).status.success());
    for name in [
        "games-0001.pack",
        "games-0001.tree",
        "gensfen.jsonl",
        "gensfen.json",
    ] {
        let [one, other] = [&whole, &killed].map(|folder| fs::read(folder.join(name)).expect(name));
        assert!(one == other, "{name} differs");
    }
}

#[test]
fn inner_nodes_of_searches_are_sampled_beside_the_games() {
    let folders = ["plain", "once", "again"].map(|name| Folder::new(&format!("trees-{name}")));
    let trees = [
        &SHORT[..],
        &["--tree-positions", "4", "--tree-min-depth", "2"],
    ]
    .concat();
    for (folder, arguments) in folders.iter().zip([&SHORT[..], &trees, &trees]) {
        let output = gensfen(&folder.0, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    }
    let [plain, once, again] = &folders;
    let bytes = |folder: &Folder, name| fs::read(folder.join(name)).expect(name);
    let [games, sampled] = [plain, once].map(|folder| bytes(folder, "games-0001.pack"));
    assert!(games == sampled, "the sample does not change the games");
    assert!(!plain.join("games-0001.tree").exists());
    let tree = bytes(once, "games-0001.tree");
    assert!(
        tree == bytes(again, "games-0001.tree"),
        "a seed gives the same bytes"
    );

    let mut bounds = [0; 4];
    for record in TeacherReader::new(&tree[..], Format::Tree) {
        let Ok(Record::Tree(node)) = record else {
            panic!("{record:?}");
        };
        assert!(node.depth >= 2 && node.score.abs() < 31_000);
        let position = node
            .position
            .unpack(node.ply.into())
            .expect("the reader has checked it");
        assert!(!position.in_check());
        bounds[node.bound as usize] += 1;
    }
    assert!(bounds[1..].iter().all(|&count| count > 10), "{bounds:?}");
    let journal = fs::read_to_string(once.join("gensfen.jsonl")).expect("there is one");
    let last = journal.lines().last().expect("eight games");
    let end = format!("\"place\":{{\"file\":1,\"end\":{}}}", tree.len());
    assert!(last.contains(&end), "{last}");
}

#[test]
fn rescore_takes_what_it_can_of_a_folder() {
    let folder = Folder::new("rescore-folder");
    let games = folder.join("games");
    fs::create_dir_all(&folder.0).expect("it can be made");
    let trees = ["--tree-positions", "2", "--tree-min-depth", "2"];
    let output = gensfen(&games, &[&SHORT[..], &trees].concat());
    assert!(output.status.success());
    let rescore = |input: &[&Path], out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
        command
            .arg("rescore")
            .args(input)
            .args(["--eval", "<material>", "--static", "--out"]);
        let output = command.arg(folder.join(out)).output().expect("raicho runs");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), words)
    };
    for (out, left_out) in [("new.pack", "tree"), ("new.tree", "pack")] {
        let (status, words) = rescore(&[&games], out);
        assert_eq!(status, Some(0), "{words}");
        let note = format!("note: 1 {left_out} file left out");
        assert!(words.contains(&note), "{words}");
    }
    // What is named is not left out.
    let named = ["pack", "tree"].map(|ending| games.join(format!("games-0001.{ending}")));
    let (status, words) = rescore(&[&named[0], &named[1]], "named.pack");
    assert_eq!(status, Some(1));
    assert!(words.contains("tree is not written as pack"), "{words}");
}

#[test]
fn another_program_can_score_the_positions() {
    let folder = Folder::new("rescore-scores");
    let games = folder.join("games");
    fs::create_dir_all(&folder.0).expect("it can be made");
    assert!(gensfen(&games, &SHORT).status.success());
    let games = games.join("games-0001.pack");
    let rescore = |arguments: &[&str], out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
        command.current_dir(&folder.0).arg("rescore").arg(&games);
        let output = command.args(arguments).args(["--out", out]).output();
        let output = output.expect("raicho runs");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), words)
    };
    let (status, words) = rescore(&["--positions"], "positions.tsv");
    assert_eq!(status, Some(0), "{words}");
    let positions = fs::read_to_string(folder.join("positions.tsv")).expect("written");
    let of_line = |line: &str| {
        let (key, sfen) = line.split_once('\t').expect("two columns");
        let position = Position::from_sfen(sfen).expect("a good position");
        assert_eq!(format!("{:016x}", position.key().low64()), key);
        format!("\n{key}\t7")
    };
    let lines: String = positions.lines().skip(1).map(of_line).collect();
    assert!(lines.lines().count() > 100, "{positions}");
    let scores = format!("key\tcp{lines}\n");
    fs::write(folder.join("scores.tsv"), &scores).expect("it can be written");
    let (status, words) = rescore(&["--scores", "scores.tsv"], "scored.pack");
    assert_eq!(status, Some(0), "{words}");
    let file = File::open(folder.join("scored.pack")).expect("written");
    for game in PackReader::new(BufReader::new(file)) {
        let moves = game.expect("a good game").moves;
        assert!(moves.iter().all(|(_, score)| *score == 7));
    }
    // One score is missing.
    let cut = scores.rfind("\t7").map_or(0, |at| at - 16);
    fs::write(folder.join("scores.tsv"), &scores[..cut]).expect("it can be written");
    let (status, words) = rescore(&["--scores", "scores.tsv"], "cut.pack");
    assert_eq!(status, Some(1), "{words}");
    assert!(words.contains("scores.tsv: ends after "), "{words}");
    assert!(!folder.join("cut.pack").exists());
    let (status, words) = rescore(&["--scores", "scores.tsv", "--nodes", "5"], "both.pack");
    assert_eq!(status, Some(2), "{words}");
}

/// Without this check such a run would play games without positions for ever.
#[test]
fn openings_beyond_the_limit_of_moves_are_refused() {
    let folder = Folder::new("late-roots");
    fs::create_dir_all(&folder.0).expect("it can be made");
    let roots = folder.join("late.sfen");
    let late = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 500\n";
    fs::write(&roots, late).expect("it can be written");
    let roots = roots.to_str().expect("UTF-8");
    let output = gensfen(
        &folder.join("games"),
        &["--nodes", "60", "--loop", "100", "--roots", roots],
    );
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(words.contains("1000 openings were tried"), "{words}");
}

#[test]
fn an_opponent_can_have_its_own_limit() {
    let folder = Folder::new("opponent-limit");
    let other = ["--opponent", "<material>", "--between-nodes", "20"];
    let output = gensfen(&folder.0, &[&SHORT[..], &other].concat());
    assert!(output.status.success());
    assert!(!games(&folder.join("games-0001.pack")).is_empty());
}

#[test]
fn shards_are_parts_of_the_whole() {
    let whole = Folder::new("shards-whole");
    let alone = [&SHORT[..], &["--dedup-mb", "0"]].concat();
    assert!(gensfen(&whole.0, &alone[..]).status.success());
    let mut parts = Vec::new();
    for shard in ["1/2", "2/2"] {
        let part = Folder::new(&format!("shard-{}", &shard[..1]));
        let output = gensfen(&part.0, &[&alone[..], &["--shard", shard]].concat());
        assert!(output.status.success());
        let name = format!("games-{}of2-0001.pack", &shard[..1]);
        parts.push(games(&part.join(&name)));
    }
    let text = |game: &PackGame| format!("{:?}", (game.start.to_sfen(), &game.moves, game.result));
    let whole: Vec<String> = games(&whole.join("games-0001.pack"))
        .iter()
        .map(text)
        .collect();
    let mut interleaved = Vec::new();
    // The last part is also number 0, and has the first game.
    for (odd, even) in parts[0].iter().zip(&parts[1]) {
        interleaved.extend([text(even), text(odd)]);
    }
    assert_eq!(interleaved, whole);
}

#[test]
fn another_run_does_not_go_on_in_the_same_folder() {
    let folder = Folder::new("other");
    assert!(gensfen(&folder.0, &SHORT).status.success());
    for (arguments, expected) in [
        (&SHORT[..], "--resume"),
        (
            &[&SHORT[..], &["--resume", "--seed", "2"]].concat(),
            "seed is 2 instead of 1",
        ),
        (
            &["--resume", "--nodes", "61", "--games", "9"],
            "effort.nodes is 61 instead of 60",
        ),
        (
            &[
                &SHORT[..],
                &["--resume", "--write-every", "4", "--between-nodes", "20"],
            ]
            .concat(),
            "instead of none",
        ),
    ] {
        let output = gensfen(&folder.0, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn an_option_that_is_left_out_is_missed() {
    let folder = Folder::new("left-out");
    let with = [&SHORT[..], &["--opponent", "<material>"]].concat();
    assert!(gensfen(&folder.0, &with).status.success());
    let output = gensfen(&folder.0, &[&SHORT[..], &["--resume"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("opponent is none instead of \"<material>\""),
        "{error}"
    );
}

#[test]
fn a_run_ends_when_a_limit_is_reached() {
    let folder = Folder::new("limits");
    let both = [&SHORT[..], &["--loop", "1000000"]].concat();
    assert!(gensfen(&folder.0, &both).status.success());
    let again = [&both[..], &["--resume"]].concat();
    assert!(gensfen(&folder.0, &again).status.success());
}

#[test]
fn a_run_that_repeats_its_games_ends() {
    let folder = Folder::new("fruitless");
    let output = gensfen(
        &folder.0,
        &[
            "--nodes",
            "1",
            "--opening-nodes",
            "0",
            "--random-plies",
            "0",
            "--loop",
            "100000",
        ],
    );
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && error.contains("300 games in a row have no new position"),
        "{error}"
    );
}

/// A game of two kings in which black's walks into white's camp after 10 moves.
fn game_with_entry() -> PackGame {
    let start = Position::from_sfen("8k/9/9/9/9/9/9/9/K8 b - 31").expect("a good position");
    let mut position = start.clone();
    let mut moves = Vec::new();
    let rank = |mv: &&Move| mv.to().rank() as usize;
    while moves.len() < 40 {
        let legal = legal_moves(&position);
        let mv = *legal.iter().min_by_key(rank).expect("there is room");
        position.do_move(mv);
        moves.push((mv, 0));
    }
    PackGame {
        start,
        moves,
        result: GameResult::Draw,
        reason: PackReason::MAX_MOVES,
    }
}

#[test]
fn games_can_begin_where_kings_enter() {
    let folder = Folder::new("entering");
    fs::create_dir_all(&folder.0).expect("it can be made");
    let source = folder.join("source.pack");
    let mut writer = PackWriter::new(Vec::new());
    writer.write(&game_with_entry()).expect("memory takes all");
    fs::write(&source, writer.into_inner()).expect("it can be written");
    let source = source.to_string_lossy();
    let arguments = [&SHORT[..], &["--entering-king-from", &source]].concat();
    let arguments = [&arguments[..], &["--entering-king-share", "0.5"]].concat();
    let mut bytes = Vec::new();
    for name in ["one", "two"] {
        let run = folder.join(name);
        let output = gensfen(&run, &arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        bytes.push(fs::read(run.join("games-0001.pack")).expect("there are games"));
        let journal = fs::read_to_string(run.join("gensfen.jsonl")).expect("there is one");
        let entering = journal.matches("\"entering_king\":true").count();
        // After the entry at 41 and 20 plies later, with 2 to 4 random ones; other games begin
        // after 8 or 9.
        let plies: Vec<u32> = games(&run.join("games-0001.pack"))
            .iter()
            .map(|game| game.start.game_ply())
            .collect();
        let late = plies.iter().filter(|&&ply| matches!(ply, 44..=67)).count();
        assert!((1..8).contains(&entering) && late > 0, "{plies:?}");
        assert!(plies.iter().all(|ply| matches!(ply, 9 | 10 | 44..=67)));
    }
    assert!(bytes[0] == bytes[1], "the same seed gives the same games");
    fs::write(folder.join("source.pack"), []).expect("it can be written");
    let output = gensfen(&folder.join("three"), &arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("no king enters"), "{error}");
}

#[test]
fn networks_play_too() {
    let folder = Folder::new("network");
    let arguments = [&SHORT[..4], &["--eval", "<embedded>", "--games", "2"]].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(["gensfen", "--out"])
        .arg(&folder.0)
        .args(arguments)
        .output()
        .expect("raicho runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(games(&folder.join("games-0001.pack")).len(), 2);
    let settings = fs::read_to_string(folder.join("gensfen.json")).expect("it is there");
    assert!(settings.contains("<embedded>, checksum "), "{settings}");
}
