//! The command line as people use it: the real executable, its output and its exit codes.

use std::process::{Command, Output};

pub(super) fn raicho(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(arguments)
        .output()
        .expect("raicho runs")
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn perft_prints_the_count_last() {
    let output = raicho(&["perft", "4"]);
    assert!(output.status.success());
    let line = text(&output.stdout);
    assert!(
        line.starts_with("719731 leaves ") && line.trim_end().ends_with(" lps"),
        "{line}"
    );
}

#[test]
fn perft_divides_into_moves_that_sum_up() {
    let output = raicho(&[
        "perft",
        "3",
        "--divide",
        "--threads",
        "2",
        "--hash",
        "1",
        "--key-bits",
        "128",
    ]);
    let lines = text(&output.stdout);
    let counts: Vec<u64> = lines
        .lines()
        .filter_map(|line| line.split_once(": ")?.1.parse().ok())
        .collect();
    assert_eq!(counts.len(), 30);
    assert_eq!(counts.iter().sum::<u64>(), 25_470);
}

#[test]
fn errors_name_the_input_and_what_was_expected() {
    for (arguments, parts) in [
        (
            &["perft", "2", "--sfen", "9/9/9/9/9/9/9/9/9 x - 1"][..],
            &["9/9/9", "'x'", "'b' or 'w'"][..],
        ),
        (&["perft", "x"], &["'x'", "<DEPTH>"]),
        (&["perft", "3", "--key-bits", "65"], &["'65'", "128"]),
        (
            &["perft", "3", "--hash", "99999999999"],
            &["99999999999 MB"],
        ),
        (&["nonsense"], &["nonsense"]),
    ] {
        let output = raicho(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let message = text(&output.stderr);
        for part in parts {
            assert!(message.contains(part), "{arguments:?}: {message}");
        }
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn help_of_each_command_begins_with_an_example() {
    let help = text(&raicho(&["--help"]).stdout);
    let (_, commands) = help.split_once("Commands:").expect("a list of commands");
    let names: Vec<&str> = commands
        .lines()
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .collect();
    for name in ["perft", "net"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for name in names {
        let help = text(&raicho(&[name, "--help"]).stdout);
        assert!(help.starts_with("Example: raicho"), "{name}: {help}");
    }
}

#[test]
fn bench_counts_the_same_nodes_every_time() {
    let signature = |arguments: &[&str]| {
        let output = raicho(&[&["bench", "--depth", "6", "--hash", "4"], arguments].concat());
        assert!(output.status.success());
        let text = text(&output.stdout);
        let last = text.lines().last().expect("a last line").to_owned();
        let [nodes, "nodes", _, "nps"] = last.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{last}");
        };
        nodes.to_owned()
    };
    let nodes = signature(&[]);
    assert_eq!(nodes, signature(&[]));
    let of_material = signature(&["--eval", "<material>"]);
    assert_eq!(of_material, signature(&["--eval", "<material>"]));
    assert_ne!(nodes, of_material);
}

#[test]
fn analyze_shows_the_board_the_line_and_the_score_in_words() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let output = raicho(&["analyze", "--sfen", sfen, "--depth", "5", "--multipv", "2"]);
    let shown = text(&output.stdout);
    for part in [
        sfen,
        "1. black mates in 1 ply",
        "2. ",
        "G*5b",
        "best move G*5b",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}

#[test]
fn analyze_goes_on_after_a_bad_line_of_a_file() {
    let path = std::env::temp_dir().join(format!("raicho-analyze-{}", std::process::id()));
    std::fs::write(
        &path,
        "# two positions\nstartpos moves 7g7f\nnonsense b - 1\n4k4/9/9/9/9/9/9/9/4K4 b - 1\n",
    )
    .expect("the temporary folder can be written");
    let output = raicho(&["analyze", path.to_str().expect("UTF-8"), "--depth", "1"]);
    std::fs::remove_file(&path).expect("the file is there");
    assert_eq!(text(&output.stdout).matches("best move").count(), 2);
    let errors = text(&output.stderr);
    assert!(!output.status.success());
    assert!(
        errors.contains("line 3") && errors.contains("nonsense"),
        "{errors}"
    );
}

#[test]
fn missing_files_are_named() {
    for arguments in [
        &["analyze", "no/such/file"][..],
        &["bench", "--sfen-file", "no/such/file"],
    ] {
        let output = raicho(arguments);
        assert!(!output.status.success());
        assert!(
            text(&output.stderr).contains("no/such/file"),
            "{arguments:?}"
        );
    }
}

/// The only line of a message, without its end.
fn one_line(bytes: &[u8]) -> String {
    let message = text(bytes);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 1, "{message}");
    lines[0].to_owned()
}

#[test]
fn errors_are_one_true_sentence() {
    let name = "x".repeat(100_000);
    for (arguments, message) in [
        (
            &["bench", "--eval", "no/such/file"][..],
            "error: no evaluation file or folder \"no/such/file\" in \"",
        ),
        (
            &["bench", "--hash", "99999999999"],
            "error: no memory for a hash table of 99999999999 MB",
        ),
        (
            &["bench", "--sfen-file", "no/such/file"],
            "error: cannot read no/such/file: No such file or directory (os error 2)",
        ),
        (&["net", "show", &name], "error: xxxx"),
        (&["analyze", &name], "error: xxxx"),
    ] {
        let output = raicho(arguments);
        assert_eq!(output.status.code(), Some(1), "{message}");
        let found = one_line(&output.stderr);
        assert!(found.starts_with(message), "{found}");
        assert!(found.len() < 1200, "{}", found.len());
        let cause = "No such file or directory";
        assert!(found.matches(cause).count() <= 1, "{found}");
    }
    let invalid = raicho(&["perft", "1", "--sfen", &name]);
    let found = one_line(&invalid.stderr);
    let message = "error: --sfen 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...': ";
    assert!(found.starts_with(message), "{found}");
    assert_eq!(invalid.status.code(), Some(2));
    let invalid = raicho(&["perft", &name]);
    assert_eq!(invalid.status.code(), Some(2));
    assert!(invalid.stderr.len() < 2500, "{}", invalid.stderr.len());
}

/// What is wrong with the command line alone ends with 2, before any file is touched.
#[test]
fn an_invalid_command_line_ends_with_2() {
    for (line, message) in [
        (
            "analyze --shard 1/2 x.kif",
            "give each machine some of the files",
        ),
        ("analyze --sfen nonsense", "nonsense"),
        ("analyze --sfen nonsense --summary", "nonsense"),
        (
            "book extend --nodes 1 --out x.db --shard 1/2",
            "depend on each other",
        ),
        (
            "book extend --out x.db",
            "expected --nodes, --depth or --time",
        ),
        ("book merge a.db --sides bw --out x.db", "2 letters"),
        (
            "book minimax a.db --draw-black 1 --out x.db",
            "--separate-colors",
        ),
        ("book probe a.db p.txt --option x", "expected NAME=VALUE"),
        ("book probe a.db p.txt --option x=1", "no option x"),
        ("book sort a.db --out x.xyz", "expected an extension"),
        ("convert a.pack --out x.xyz", "unknown format 'xyz'"),
        ("csa --id x", "expected --host HOST"),
        ("csa --host x", "expected --id NAME"),
        (
            "gensfen --out x --name a/b",
            "cannot begin the name of a file",
        ),
        (
            "gensfen --out x --write-maxply 9",
            "more than the 9 random plies",
        ),
        ("gensfen --out x --random-plies 300", "no range of plies"),
        ("gensfen --out x --write-minply 321", "expected at most 320"),
        (
            "gensfen --out x --random-move-minply 4",
            "--random-move-count",
        ),
        (
            "gensfen --out x --random-move-count 1 --random-move-minply 25",
            "expected at most 24",
        ),
        ("gensfen --out x --random-multi-pv 4", "--random-move-count"),
        (
            "gensfen --out x --random-move-count 1 --random-multi-pv-diff 9",
            "--random-multi-pv",
        ),
        (
            "gensfen --out x --between-nodes 9",
            "expected --write-every or --opponent",
        ),
        (
            "gensfen --out x --opening-nodes 0 --opening-limit 9",
            "accepts every opening",
        ),
        (
            "gensfen --out x --depth 2 --tree-positions 1",
            "greater than --depth",
        ),
        ("learn a.psv --out x --epochs 0", "--epochs 0"),
        ("learn a.psv --out x --kpp-kkpt", "needs --kind kppt"),
        ("learn a.psv a.psv --out x", "is given twice"),
        ("match --engine cmd=x --nodes 9", "one engine, expected two"),
        (
            "match --engine cmd=x --engine cmd=y --each name=z --nodes 9",
            "a name of its own",
        ),
        // Only options for all commands may come before a subcommand.
        ("match --games 2 merge x", "with 'match merge'"),
        ("csa --host x stats y", "'--host' cannot be used"),
        ("match --lang en merge", "<FOLDER>"),
        ("csa --lang en stats", "<FOLDER>"),
        ("mate --sfen nonsense", "--sfen"),
        ("roots a.usi --out x.pack", "keeps more than positions"),
        (
            "shuffle a.psv --out x.pack",
            "pack cannot be written here, expected psv (or bin), hcpe, psum, tree",
        ),
        ("spsa --engine cmd=x --iterations 9", "nothing to tune"),
        (
            "spsa --engine cmd=x --iterations 9 --nodes 1,2",
            "invalid value '1,2'",
        ),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = raicho(&words);
        let found = text(&output.stderr);
        assert!(found.contains(message), "{line}: {found}");
        assert_eq!(output.status.code(), Some(2), "{line}: {found}");
    }
}

/// Options that a command always refuses are not offered.
#[test]
fn help_offers_no_option_that_is_always_refused() {
    for words in [&["analyze"][..], &["book", "extend"], &["learn"], &["spsa"]] {
        let help = text(&raicho(&[words, &["--help"]].concat()).stdout);
        assert!(help.contains("--out") || help.contains("--work"), "{help}");
        assert!(!help.contains("--shard"), "{words:?}: {help}");
    }
    let help = text(&raicho(&["spsa", "--help"]).stdout);
    assert!(help.contains("args=usi --tunables"), "{help}");
    assert!(
        help.contains("--nodes <N>") && !help.contains("N[,N"),
        "{help}"
    );
}

#[test]
fn a_bad_line_of_a_file_is_named_once_and_cut() {
    let path = std::env::temp_dir().join(format!("raicho-zero-{}", std::process::id()));
    std::fs::write(&path, "0".repeat(3_000_000)).expect("a file can be written");
    let file = path.to_str().expect("UTF-8");
    for arguments in [
        ["bench", "--sfen-file", file],
        ["analyze", file, "--depth=1"],
    ] {
        let output = raicho(&arguments);
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains(file), "{message}");
        assert!(message.len() < 1500, "{}", message.len());
        let reason = message.split(": ").last().expect("a reason").trim_end();
        assert_eq!(message.matches(reason).count(), 1, "{message}");
    }
    std::fs::remove_file(&path).expect("the file is there");
}

/// A network file to scale, and a place for the result: that command once used `println!`.
#[cfg(target_os = "linux")]
fn scaling(name: &str) -> (std::path::PathBuf, [String; 2]) {
    let folder = std::env::temp_dir().join(format!("raicho-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let paths = ["a.nnue", "b.nnue"].map(|name| folder.join(name).display().to_string());
    assert!(raicho(&["net", "material", &paths[0]]).status.success());
    (folder, paths)
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_one_error() {
    let (folder, [from, to]) = scaling("full");
    for arguments in [
        &["bench", "--depth", "1", "--hash", "1"][..],
        &["perft", "2", "--divide"],
        &["analyze", "--depth", "1", "--hash", "1"],
        &["net", "scale", &from, "0.5", &to],
        &["net", "show", &from],
        &["--help"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("Linux has it");
        let output = Command::new(env!("CARGO_BIN_EXE_raicho"))
            .args(arguments)
            .stdout(full)
            .output()
            .expect("raicho runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(
            one_line(&output.stderr),
            "error: cannot write to standard output: No space left on device (os error 28)",
            "{arguments:?}"
        );
    }
    std::fs::remove_dir_all(&folder).expect("it is there");
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_ends_a_tool_quietly() {
    let (folder, [from, to]) = scaling("closed");
    for arguments in [
        &["bench", "--depth", "1", "--hash", "1"][..],
        &["perft", "2", "--divide"],
        &["analyze", "--depth", "1", "--hash", "1"],
        &["net", "scale", &from, "0.5", &to],
        &["net", "show", &from],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_raicho"))
            .args(arguments)
            .stdout(writer)
            .output()
            .expect("raicho runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
    std::fs::remove_dir_all(&folder).expect("it is there");
}
