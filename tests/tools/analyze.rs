//! `raicho analyze` on games: what is read, what is written, and what an interruption keeps.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::folder::Folder;
use raicho::records::csa;

const GAME: &str = "V2.2\nN+</script>\nN-\"b\"\nPI\n+\n+7776FU\nT3\n-3334FU\nT5\n+8822UM\n-3122GI\n\
    +0045KA\n-4132KI\n%TORYO\n";

fn raicho(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command.current_dir(folder).args(["analyze", "--hash", "1"]);
    command.args(arguments).output().expect("raicho runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("the JSON is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The JSON without what differs from run to run.
fn without_times(mut game: Value) -> Value {
    let positions = game["positions"].as_array_mut().expect("positions");
    for line in positions
        .iter_mut()
        .flat_map(|position| position["lines"].as_array_mut().expect("lines"))
    {
        line["time"] = Value::Null;
    }
    game
}

#[test]
fn a_broken_game_is_named_and_skipped() {
    let folder = Folder::new("analyze-broken");
    fs::write(folder.file("a.csa"), GAME).expect("it can be written");
    fs::write(folder.file("b.csa"), "V2.2\nPI\n+\n+7775FU\n").expect("it can be written");
    fs::write(
        folder.file("c.usi"),
        "startpos moves 7g7f\nstartpos moves 7g7e\n",
    )
    .expect("it can be written");
    let output = raicho(&folder.0, &[".", "--nodes", "50", "--json", "out"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("b.csa: ") && errors.contains("+7775FU"),
        "{errors}"
    );
    assert!(
        errors.contains("c.usi: game 2: line 2: ") && errors.contains("7g7e"),
        "{errors}"
    );
    let mut names: Vec<String> = fs::read_dir(folder.file("out"))
        .expect("the folder is there")
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    assert_eq!(names, ["a.json", "c-1.json"]);
    assert_eq!(json(&folder.file("out/a.json"))["players"][0], "</script>");
}

#[test]
fn one_game_goes_to_a_file_with_its_scores() {
    let folder = Folder::new("analyze-one");
    fs::write(folder.file("a.csa"), GAME).expect("it can be written");
    let files = [
        "--json", "a.json", "--csa", "b.csa", "--html", "a.html", "--svg", "a.svg",
    ];
    let output = raicho(
        &folder.0,
        &[&["a.csa", "--nodes", "300"][..], &files].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let game = json(&folder.file("a.json"));
    assert_eq!(game["winner"], "white");
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(6));
    assert_eq!(game["positions"].as_array().map(Vec::len), Some(7));
    assert_eq!(game["summary"]["black"]["moves"], 3);
    assert_eq!(game["moves"][0]["time"], 3.0);

    let written = fs::read_to_string(folder.file("b.csa")).expect("the record is there");
    let records = csa::read(&written).expect("it can be read");
    let [record] = &records[..] else {
        panic!("one game");
    };
    for (index, played) in record.moves.iter().enumerate() {
        assert_eq!(game["moves"][index]["move"], played.mv.to_string());
        let thought = played.thought.as_ref().expect("each has a score");
        let for_next = game["positions"][index + 1]["lines"][0]["score"]["cp"].as_i64();
        let expected = for_next.map(|score| raicho::types::Score::Cp(-score as i32));
        assert_eq!(thought.score, expected, "move {}", index + 1);
    }
    let page = fs::read_to_string(folder.file("a.html")).expect("the page is there");
    assert!(page.contains("\\u003c/script\\u003e") && page.len() < 200_000);
    let svg = fs::read_to_string(folder.file("a.svg")).expect("the graph is there");
    assert!(svg.contains("&lt;/script&gt;"));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("7g7f") && shown.contains("blunders"),
        "{shown}"
    );
}

#[test]
fn threads_and_resumed_work_change_nothing() {
    let folder = Folder::new("analyze-threads");
    fs::write(folder.file("a.csa"), GAME).expect("it can be written");
    let run = |threads: &str, more: &[&str]| {
        let words = [
            "a.csa",
            "--nodes",
            "400",
            "--threads",
            threads,
            "--json",
            "-",
        ];
        let output = raicho(&folder.0, &[&words[..], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        without_times(serde_json::from_slice(&output.stdout).expect("JSON alone"))
    };
    let one = run("1", &[]);
    assert_eq!(run("2", &[]), one);
    assert_eq!(run("1", &["--work", "work"]), one);
    // Of the journal only the first lines are left, as after a kill.
    let journal = folder.file("work/analyze.jsonl");
    let lines = fs::read_to_string(&journal).expect("the journal is there");
    let kept: Vec<&str> = lines.lines().take(2).collect();
    fs::write(&journal, kept.join("\n") + "\n").expect("it can be written");
    assert_eq!(run("2", &["--work", "work", "--resume"]), one);
    assert_eq!(
        fs::read_to_string(&journal)
            .expect("it is there")
            .lines()
            .count(),
        lines.lines().count()
    );
    // Other settings are refused.
    let other = ["a.csa", "--nodes", "401", "--work", "work", "--resume"];
    let refused = raicho(&folder.0, &other);
    assert!(
        text(&refused.stderr).contains("nodes"),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn lines_are_games_where_all_have_moves() {
    let folder = Folder::new("analyze-lines");
    fs::write(
        folder.file("games.txt"),
        "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n",
    )
    .expect("it can be written");
    let games = raicho(&folder.0, &["games.txt", "--depth", "1"]);
    assert!(
        text(&games.stdout).contains("games.txt, game 2"),
        "{}",
        text(&games.stdout)
    );
    let positions = raicho(&folder.0, &["games.txt", "--depth", "1", "--positions"]);
    assert_eq!(text(&positions.stdout).matches("best move").count(), 2);
}

#[test]
fn completions_and_manual_pages_know_the_subcommands() {
    let folder = Folder::new("completions");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
        let output = command
            .current_dir(&folder.0)
            .args(arguments)
            .output()
            .expect("raicho runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&["completions", shell]).contains("analyze"), "{shell}");
    }
    assert!(run(&["man"]).contains("raicho\\-analyze"));
    run(&["man", "pages"]);
    let page = fs::read_to_string(folder.file("pages/raicho-analyze.1")).expect("a page");
    assert!(page.contains("\\-\\-html"), "{page}");
}
