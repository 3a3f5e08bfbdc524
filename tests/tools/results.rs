//! Results of matches, tuning and mate problems as files: none replaces what a run needs, none is
//! lost with the reader of standard output, and pages show whole pairs.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::folder::Folder;

const ENGINE: &str = env!("CARGO_BIN_EXE_raicho");
const OPENINGS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/book/openings/balanced-500.sfen"
);
/// Mates of one ply, the second with a date before it.
const PROBLEMS: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1\n\
                        a name\t2020/01/02\t4k4/9/4P4/9/9/9/9/9/9 b G 1\n\
                        3k5/9/3P5/9/9/9/9/9/9 b G 1\n";

fn raicho(arguments: &[&str]) -> Command {
    let mut command = Command::new(ENGINE);
    command.args(arguments);
    command
}

/// A short match in a folder.
fn a_match(out: &str, more: &[&str]) -> Command {
    let engine = |name| format!("cmd={ENGINE},name={name},option.EvalFile=");
    let (one, other) = (engine("one"), engine("other"));
    let mut command = raicho(&["match", "--engine", &one, "--engine", &other]);
    command
        .args(["--each", "option.Threads=1,option.USI_Hash=1"])
        .args(["--openings", OPENINGS, "--max-moves", "24", "--out", out])
        .args(more);
    command
}

fn done(mut command: Command) {
    let output = command.output().expect("raicho runs");
    assert!(output.status.success(), "{output:?}");
}

/// What a command that must fail says.
fn complaint(mut command: Command) -> String {
    let output = command.output().expect("raicho runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        !output.status.success() && said.contains("error: ") && !said.contains("panicked"),
        "{said}"
    );
    said
}

/// Runs a command whose output nobody reads.
fn unread(mut command: Command) {
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
    let (run, curve) = (folder.path("run"), folder.path("curve"));
    done(a_match(&run, &["--nodes", "20", "--games", "2"]));
    done(a_match(&curve, &["--nodes", "20,30", "--games", "2"]));
    let cases = [
        (&["--nodes", "30"][..], "--nodes without --engine"),
        (&["--max-moves", "70"], "rules: max_moves 70 instead of"),
        (&["--seed", "2"], "openings: seed 2 instead of 1"),
        (&["--ponder"], "--ponder differs"),
        (&["--format", "gauntlet"], "--format differs"),
    ];
    for (options, expected) in cases {
        let said = complaint(raicho(
            &[&["match", "--out", &run, "--resume"], options].concat(),
        ));
        assert!(said.contains(expected), "{said}");
    }
    let said = complaint(raicho(&[
        "match", "--out", &curve, "--resume", "--seed", "2",
    ]));
    assert!(said.contains("openings: seed 2 instead of 1"), "{said}");
}

#[test]
fn no_result_replaces_a_file_of_its_run() {
    let folder = Folder::new("own-files");
    let run = folder.path("run");
    let own = folder.path("run/match.json");
    let games = ["--nodes", "20", "--games", "2"];
    let said = complaint(a_match(&run, &[&games[..], &["--json", &own]].concat()));
    assert!(said.contains("a file that the run itself writes"), "{said}");
    done(a_match(&run, &games));
    for option in ["--json", "--html"] {
        let said = complaint(raicho(&["match", "--out", &run, "--resume", option, &own]));
        assert!(said.contains("a file that the run itself writes"), "{said}");
    }
    let whole = ["match", "--out", &run, "--resume"];
    let page = folder.path("page.html");
    let both = [&whole[..], &["--json", &page, "--html", &page]].concat();
    assert!(complaint(raicho(&both)).contains("are the same file"));
    done(raicho(&whole));

    // A curve is another kind of run; neither hides the other.
    let curve = folder.path("curve");
    done(a_match(&curve, &["--nodes", "20,30", "--games", "2"]));
    let said = complaint(a_match(&curve, &games));
    assert!(said.contains("holds a curve already"), "{said}");
    let own = folder.path("curve/curve.json");
    let said = complaint(raicho(&[
        "match", "--out", &curve, "--resume", "--json", &own,
    ]));
    assert!(said.contains("a file that the run itself writes"), "{said}");
    let said = complaint(raicho(&[
        "match", "--out", &run, "--resume", "--nodes", "20,30",
    ]));
    assert!(said.contains("holds no curve"), "{said}");

    let engine = format!("cmd={ENGINE}");
    let params = folder.write("p.json", "NetworkDelay, int, 120, 0, 2500, 150, 0.02\n");
    let params = params.display().to_string();
    let tune = folder.path("tune");
    let state = folder.path("tune/spsa.json");
    for json in [&state, &params] {
        let said = complaint(raicho(&[
            "spsa",
            "--engine",
            &engine,
            "--params",
            &params,
            "--iterations",
            "1",
            "--nodes",
            "1",
            "--out",
            &tune,
            "--json",
            json,
        ]));
        assert!(said.contains("give another name"), "{said}");
    }
    assert!(folder.text("p.json").starts_with("NetworkDelay"));
}

#[test]
fn results_may_lie_in_the_new_folder_of_their_run_and_need_no_reader() {
    let folder = Folder::new("unread");
    let run = folder.path("run");
    let (json, page) = (folder.path("run/x.json"), folder.path("run/x.html"));
    let games = ["--nodes", "20", "--games", "4"];
    unread(a_match(
        &run,
        &[&games[..], &["--json", &json, "--html", &page]].concat(),
    ));
    for name in ["x.json", "summary.json", "summary.txt"] {
        assert!(!folder.text(&format!("run/{name}")).is_empty(), "{name}");
    }
    let shown = data(&folder.text("run/x.html"));
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(4));
    let course = shown["match"]["course"].as_array().expect("a list");
    assert_eq!(course.last().map(|point| &point[0]), Some(&4.into()));

    // Of two pairs one, with both colours.
    let half = folder.path("half.html");
    done(raicho(&[
        "match",
        "merge",
        &run,
        "--html",
        &half,
        "--html-games",
        "2",
    ]));
    let shown = data(&folder.text("half.html"));
    let names = |game: &Value| game["names"].to_string();
    let games: Vec<String> = shown["games"]
        .as_array()
        .expect("a list")
        .iter()
        .map(names)
        .collect();
    assert_eq!(games, [r#"["one","other"]"#, r#"["other","one"]"#]);
}

#[test]
fn pages_of_mate_problems_need_no_reader_and_keep_the_numbers() {
    let folder = Folder::new("mate-pages");
    let problems = folder.write("p.tsv", PROBLEMS).display().to_string();
    let page = folder.path("all.html");
    unread(raicho(&["mate", &problems, "--html", &page]));
    let shown = data(&folder.text("all.html"));
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(3));
    let page = folder.path("second.html");
    done(raicho(&[
        "mate", &problems, "--shard", "2/3", "--html", &page,
    ]));
    let shown = data(&folder.text("second.html"));
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["games"][0]["title"], "Problem 2");
    // Only pages are replaced.
    let said = complaint(raicho(&["mate", &problems, "--html", OPENINGS]));
    assert!(said.contains("give another name"), "{said}");
}
