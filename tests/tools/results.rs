//! Results of matches, tuning and mate problems as files: none replaces what a run needs, none is
//! lost with the reader of standard output, and pages show whole pairs.

use serde_json::Value;

use crate::folder::Folder;
use crate::runner::{OPENINGS, Raicho, Text, raicho};

/// Mates of one ply, the second with a date before it.
const PROBLEMS: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1\n\
                        a name\t2020/01/02\t4k4/9/4P4/9/9/9/9/9/9 b G 1\n\
                        3k5/9/3P5/9/9/9/9/9/9 b G 1\n";

const PAIR: &str = "--nodes 20 --games 2";

/// A short match; the words begin with its folder.
fn a_match(folder: &Folder, words: &str) -> Raicho {
    let engine = "--engine cmd=$raicho,option.EvalFile=,name=";
    let each = "--each option.Threads=1,option.USI_Hash=1 --openings $openings --max-moves 24";
    let words = format!("match {engine}one {engine}other {each} --out {words}");
    Raicho::new(&words).within(folder)
}

/// The data of a page.
fn data(folder: &Folder, page: &str) -> Value {
    let html = folder.text(page);
    let (_, rest) = html.split_once("id=\"data\">").expect("the data");
    let (json, _) = rest.split_once("</script>").expect("their end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn solutions_are_drawn_and_written_in_any_notation() {
    let folder = Folder::new();
    folder.write("p.tsv", PROBLEMS);
    for (notation, mv) in
        [("usi", "G*5b"), ("csa", "+0052KI"), ("kif", "５二金打"), ("ki2", "▲５二金")]
    {
        raicho!(folder, "mate p.tsv --notation {notation}").prints(format!("  {mv}\n"));
    }
    raicho!(folder, "mate p.tsv --svg all.svg").outputs();
    let svg = folder.text("all.svg");
    assert_eq!(svg.matches("<g transform=\"translate").count(), 3);
    assert!(svg.contains(">Problem 3  mate in 1<"), "{svg}");
    assert!(svg.contains(">玉<"), "{svg}");
    raicho!(folder, "mate p.tsv --svg p.tsv").refuses("give another name");
}

#[test]
fn an_author_learns_what_is_wrong_with_a_problem() {
    let folder = Folder::new();
    let problem = "P-51OU\nP+63FU53FU43FU00KI00GI\n+\n";
    let words = format!("{problem}+0042GI\n-5161OU\n+0062KI\n%TSUMI\n");
    folder.write("long.csa", words);
    let long = raicho!(folder, "mate long.csa --shortest --check-dual").stdout();
    for remark in ["mates sooner than the record's 3 plies, in 1", "left in hand: G\n"] {
        assert!(long.contains(remark), "{long}");
    }
    let sound = "'4k4/9/4P4/9/9/9/9/9/9 b G 1'";
    let short = raicho!("mate --sfen {sound} --shortest --check-dual").stdout();
    assert!(!short.contains("left in hand"), "{short}");
    assert!(!short.contains("variation"), "{short}");
}

#[test]
fn a_resumed_run_keeps_its_rules_and_its_files() {
    let folder = Folder::new();
    let own = "a file that the run itself writes";
    a_match(&folder, &format!("run {PAIR} --json run/match.json")).refuses(own);
    a_match(&folder, &format!("run {PAIR}")).outputs();
    let cases = cases! {
        "run --resume --nodes 30" => "--nodes without --engine";
        "run --resume --max-moves 70" => "--max-moves without --engine";
        "run --resume --seed 2" => "--seed without --engine";
        "run --resume --ponder" => "--ponder without --engine";
        "run --resume --format gauntlet" => "--format without --engine";
        "run --resume --json run/match.json" => own;
        "run --resume --html run/match.json" => own;
        "run --resume --json page.html --html page.html" => "are the same file";
    };
    for (words, part) in cases {
        raicho!(folder, "match --out {words}").refuses(part);
    }
    raicho!(folder, "match --out run --resume").outputs();

    folder.write("p.json", "NetworkDelay, int, 120, 0, 2500, 150, 0.02\n");
    let words = "--params p.json --iterations 1 --nodes 1 --out tune";
    for json in ["tune/spsa.json", "p.json"] {
        raicho!(folder, "spsa --engine cmd=$raicho {words} --json {json}")
            .refuses("give another name");
    }
    folder.text("p.json").must_begin("NetworkDelay");
}

#[test]
fn results_may_lie_in_the_new_folder_of_their_run_and_need_no_reader() {
    let folder = Folder::new();
    let words = "run --nodes 20 --games 4 --json run/x.json --html run/x.html";
    a_match(&folder, words).unread();
    for name in ["x.json", "summary.json", "summary.txt"] {
        assert!(!folder.text(&format!("run/{name}")).is_empty(), "{name}");
    }
    let shown = data(&folder, "run/x.html");
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(4));
    let course = shown["match"]["course"].as_array().expect("a list");
    assert_eq!(course.last().map(|point| &point[0]), Some(&4.into()));
}

#[test]
fn pages_of_mate_problems_need_no_reader_and_keep_the_numbers() {
    let folder = Folder::new();
    folder.write("p.tsv", PROBLEMS);
    raicho!(folder, "mate p.tsv --html all.html").unread();
    let shown = data(&folder, "all.html");
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(3));
    raicho!(folder, "mate p.tsv --shard 2/3 --html second.html").outputs();
    let shown = data(&folder, "second.html");
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["games"][0]["title"], "Problem 2");
    // Only pages are replaced.
    raicho!(folder, "mate p.tsv --html {OPENINGS}").refuses("give another name");
}
