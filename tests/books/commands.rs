//! The commands of `raicho book`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::books::made_up;
use crate::folder::Folder;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

fn run(words: &[&str], paths: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command.arg("book").args(words).args(paths);
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_position_has_one_line_with_its_candidates() {
    let folder = Folder::new("commands-probe");
    let book = format!(
        "sfen {START} 1\n7g7f none 40 20 30\n2g2f 3c3d 35 21 0\n5g5f none -20 18 2\n\
         1a1b none 0 30 1\n"
    );
    let book = folder.write("a.db", &book);
    let positions = folder.write(
        "p.txt",
        "startpos\n# a comment\nstartpos moves 1g1f\nnonsense\n",
    );
    let paths = [&*book, &*positions];
    let output = run(&["probe", "--option", "ConsiderBookMoveCount=true"], &paths);
    assert_eq!(
        text(&output.stdout),
        "startpos\thit\t7g7f:30:-\nstartpos moves 1g1f\tmiss\t-\nnonsense\tmiss\t-\n"
    );
    assert!(!output.status.success(), "one line is no position");
    let output = run(&["probe", "--explain"], &paths);
    let first = text(&output.stdout).lines().next().map(str::to_owned);
    let reasons = format!(
        "startpos\thit\t7g7f:1:-,2g2f:1:3c3d\t5g5f: value below 10; \
         illegal move 1a1b in {START} 1, it is skipped"
    );
    assert_eq!(first, Some(reasons));
    let output = run(&["probe", "--option", "BookMoves"], &paths);
    assert!(text(&output.stderr).contains("expected NAME=VALUE"));
}

#[test]
fn faults_are_printed_and_the_good_part_is_written() {
    let folder = Folder::new("commands-validate");
    let book = format!(
        "sfen {START} 1\n7g7f none 40 20 30\n7g7e none 0 0 1\n7g7f none 1 1 1\nfoo\n\
         sfen {START} 1\n2g2f none 0 0 1\n"
    );
    let book = folder.write("bad.db", &book);
    let output = run(&["validate"], &[&book]);
    let said = text(&output.stdout);
    for fault in [
        "line 5: \"foo\" is no move",
        "line 3: illegal move 7g7e",
        "line 4: the move 7g7f stands there twice",
        "line 6: a second entry for this position and ply",
        "2 positions, 4 faults",
    ] {
        assert!(said.contains(fault), "{fault}: {said}");
    }
    assert!(!output.status.success());
    let good = folder.0.join("good.db");
    let output = run(
        &["validate", "--skip", &good.display().to_string()],
        &[&book],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = fs::read_to_string(&good).expect("it was written");
    let expected = format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f none 40 20 30\n");
    assert_eq!(written, expected);
    assert!(run(&["validate"], &[&good]).status.success());
}

#[test]
fn a_book_larger_than_the_memory_is_sorted_in_files() {
    let folder = Folder::new("commands-memory");
    let mut book = Vec::new();
    made_up::write(&mut book, 6_000, 39);
    let book = folder.write("made-up.db", &String::from_utf8(book).expect("text"));
    let commands: [(&[&str], &str); 2] = [
        (&["convert", "--out"], "ybb"),
        (&["validate", "--skip"], "db"),
    ];
    for (words, extension) in commands {
        let written = |name: &str, memory: &str| {
            let out = folder.0.join(format!("{name}.{extension}"));
            let mut words = words.to_vec();
            let path = out.display().to_string();
            words.extend([&*path, "--memory", memory]);
            let output = run(&words, &[&book]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            fs::read(out).expect("it was written")
        };
        assert!(
            written("in-files", "1") == written("in-memory", "1024"),
            "{words:?}"
        );
    }
    let names = fs::read_dir(&folder.0).expect("the folder");
    assert_eq!(names.count(), 5, "sorted runs are left over");
}

#[test]
fn moves_are_left_out_and_get_another_depth() {
    let folder = Folder::new("commands-depth");
    let moves = "1g1f none 9 9 1\n7g7f 3c3d 40 3 30\n2g2f none 30 0 1\n";
    let book = format!("sfen {START} 1\n{moves}");
    let book = folder.write("a.db", &book);
    let out = folder.0.join("deep.db");
    let name = out.display().to_string();
    assert!(
        run(
            &["convert", "--depth", "32", "--loss", "30", "--out", &name],
            &[&book]
        )
        .status
        .success()
    );
    let written = fs::read_to_string(&out).expect("it was written");
    let expected =
        format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f 3c3d 40 32 30\n2g2f none 30 32 1\n");
    assert_eq!(written, expected);
}

#[test]
fn a_conversion_says_what_is_lost_and_replaces_nothing() {
    let folder = Folder::new("commands-convert");
    let book = format!("sfen {START} 1\n7g7f 3c3d 40000 20 30\n");
    let book = folder.write("a.db", &book);
    let out = folder.0.join("a.ybb");
    let name = out.display().to_string();
    let output = run(&["convert", "--out", &name], &[&book]);
    let said = text(&output.stdout);
    assert!(said.contains("1 position written to"), "{said}");
    let lost = "left out or limited: 1 ponder move, 1 value, 1 count";
    assert!(said.contains(lost), "{said}");
    let words = ["convert", "--lang", "ja", "--force", "--out", &name];
    let said = text(&run(&words, &[&book]).stdout);
    assert!(said.contains("1局面を "), "{said}");
    let lost = "省略または切り詰め：予想手 1、評価値 1、採択回数 1";
    assert!(said.contains(lost), "{said}");
    let output = run(&["convert", "--out", &name], &[&book]);
    assert!(text(&output.stderr).contains("--force replaces it"));
    let output = run(
        &["convert", "--force", "--out", &book.display().to_string()],
        &[&book],
    );
    assert!(text(&output.stderr).contains("cannot be written at the same time"));
    let output = run(&["info"], &[&out]);
    assert!(text(&output.stdout).contains("values     32767 to 32767"));
    let output = run(&["show"], &[&out]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("7g7f   -        32767     20           -"),
        "{shown}"
    );
}
