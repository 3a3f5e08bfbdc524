//! Results of matches, tuning and mate problems as files: none replaces what a run needs, none is
//! lost with the reader of standard output, and pages show whole pairs.

use std::process::Stdio;

use serde_json::Value;

use crate::folder::Folder;
use crate::runner::{OPENINGS, Raicho, raicho};

/// Mates of one ply, the second with a date before it.
const PROBLEMS: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1\n\
                        a name\t2020/01/02\t4k4/9/4P4/9/9/9/9/9/9 b G 1\n\
                        3k5/9/3P5/9/9/9/9/9/9 b G 1\n";

const PAIR: &str = "--nodes 20 --games 2";

/// A short match; the words begin with its folder.
fn a_match(folder: &Folder, words: &str) -> Raicho {
    let engine = "--engine cmd=$raicho,option.EvalFile=,name=";
    let each = "--each option.Threads=1,option.USI_Hash=1";
    let openings = "--openings $openings --max-moves 24";
    raicho!(
        folder,
        "match {engine}one {engine}other {each} {openings} --out {words}"
    )
}

/// Runs a command whose output nobody reads.
fn unread(command: Raicho) {
    let mut command = command.command();
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("raicho runs");
    drop(child.stdout.take());
    child.wait().expect("it ends");
}

/// The data of a page.
fn data(html: &str) -> Value {
    let (_, rest) = html.split_once("id=\"data\">").expect("the data");
    let (json, _) = rest.split_once("</script>").expect("their end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn a_resumed_match_keeps_its_rules() {
    let folder = Folder::new("kept-rules");
    a_match(&folder, &format!("run {PAIR}")).stdout();
    for (words, expected) in [
        ("run --resume --nodes 30", "--nodes without --engine"),
        (
            "run --resume --max-moves 70",
            "rules: max_moves 70 instead of",
        ),
        ("run --resume --seed 2", "openings: seed 2 instead of 1"),
        ("run --resume --ponder", "--ponder differs"),
        ("run --resume --format gauntlet", "--format differs"),
    ] {
        let said = raicho!(folder, "match --out {words}").refused();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn no_result_replaces_a_file_of_its_run() {
    let folder = Folder::new("own-files");
    let own = "a file that the run itself writes";
    let said = a_match(&folder, &format!("run {PAIR} --json run/match.json")).refused();
    assert!(said.contains(own), "{said}");
    a_match(&folder, &format!("run {PAIR}")).stdout();
    let page = "--json page.html --html page.html";
    for (words, expected) in [
        ("--json run/match.json", own),
        ("--html run/match.json", own),
        (page, "are the same file"),
    ] {
        let said = raicho!(folder, "match --out run --resume {words}").refused();
        assert!(said.contains(expected), "{said}");
    }
    raicho!(folder, "match --out run --resume").stdout();

    folder.write("p.json", "NetworkDelay, int, 120, 0, 2500, 150, 0.02\n");
    let words = "--params p.json --iterations 1 --nodes 1 --out tune";
    for json in ["tune/spsa.json", "p.json"] {
        let said = raicho!(folder, "spsa --engine cmd=$raicho {words} --json {json}").refused();
        assert!(said.contains("give another name"), "{said}");
    }
    assert!(folder.text("p.json").starts_with("NetworkDelay"));
}

#[test]
fn results_may_lie_in_the_new_folder_of_their_run_and_need_no_reader() {
    let folder = Folder::new("unread");
    let words = "run --nodes 20 --games 4 --json run/x.json --html run/x.html";
    unread(a_match(&folder, words));
    for name in ["x.json", "summary.json", "summary.txt"] {
        assert!(!folder.text(&format!("run/{name}")).is_empty(), "{name}");
    }
    let shown = data(&folder.text("run/x.html"));
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(4));
    let course = shown["match"]["course"].as_array().expect("a list");
    assert_eq!(course.last().map(|point| &point[0]), Some(&4.into()));
}

#[test]
fn pages_of_mate_problems_need_no_reader_and_keep_the_numbers() {
    let folder = Folder::new("mate-pages");
    folder.write("p.tsv", PROBLEMS);
    unread(raicho!(folder, "mate p.tsv --html all.html"));
    let shown = data(&folder.text("all.html"));
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(3));
    raicho!(folder, "mate p.tsv --shard 2/3 --html second.html").stdout();
    let shown = data(&folder.text("second.html"));
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["games"][0]["title"], "Problem 2");
    // Only pages are replaced.
    let said = raicho!(folder, "mate p.tsv --html {OPENINGS}").refused();
    assert!(said.contains("give another name"), "{said}");
}
