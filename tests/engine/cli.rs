//! The command line as people use it: the real executable, its output and its exit codes.

use crate::folder::Folder;
use crate::runner::{raicho, text};

#[test]
fn perft_prints_the_count_last() {
    let line = raicho!("perft 4").stdout();
    assert!(
        line.starts_with("719731 leaves ") && line.trim_end().ends_with(" lps"),
        "{line}"
    );
}

#[test]
fn perft_divides_into_moves_that_sum_up() {
    let lines = raicho!("perft 3 --divide --threads 2 --hash 1 --key-bits 128").stdout();
    let counts: Vec<u64> = lines
        .lines()
        .filter_map(|line| line.split_once(": ")?.1.parse().ok())
        .collect();
    assert_eq!(counts.len(), 30);
    assert_eq!(counts.iter().sum::<u64>(), 25_470);
}

#[test]
fn errors_name_the_input_and_what_was_expected() {
    for (words, last, parts) in [
        (
            "perft 2 --sfen",
            "9/9/9/9/9/9/9/9/9 x - 1",
            &["9/9/9", "'x'", "'b' or 'w'"][..],
        ),
        ("perft", "x", &["'x'", "<DEPTH>"]),
        ("perft 3 --key-bits", "65", &["'65'", "128"]),
        ("perft 3 --hash", "99999999999", &["99999999999 MB"]),
        ("", "nonsense", &["nonsense"]),
    ] {
        let message = raicho!("{words}").arg(last).refused();
        for part in parts {
            assert!(message.contains(part), "{words} {last}: {message}");
        }
    }
}

#[test]
fn help_of_each_command_begins_with_an_example() {
    let help = raicho!("--help").stdout();
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
        let help = raicho!("{name} --help").stdout();
        assert!(help.starts_with("Example: raicho"), "{name}: {help}");
    }
}

#[test]
fn bench_counts_the_same_nodes_every_time() {
    let signature = |words: &str| {
        let text = raicho!("bench --depth 6 --hash 4 {words}").stdout();
        let last = text.lines().last().expect("a last line").to_owned();
        let [nodes, "nodes", _, "nps"] = last.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{last}");
        };
        nodes.to_owned()
    };
    let nodes = signature("");
    assert_eq!(nodes, signature(""));
    let of_material = signature("--eval <material>");
    assert_eq!(of_material, signature("--eval <material>"));
    assert_ne!(nodes, of_material);
}

#[test]
fn analyze_shows_the_board_the_line_and_the_score_in_words() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let command = raicho!("analyze --depth 5 --multipv 2 --sfen").arg(sfen);
    let shown = command.stdout();
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
    let folder = Folder::new("analyze-bad-line");
    folder.write(
        "positions",
        "# two positions\nstartpos moves 7g7f\nnonsense b - 1\n4k4/9/9/9/9/9/9/9/4K4 b - 1\n",
    );
    let output = raicho!(folder, "analyze positions --depth 1").output();
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
    for words in ["analyze no/such/file", "bench --sfen-file no/such/file"] {
        let message = raicho!("{words}").refused();
        assert!(message.contains("no/such/file"), "{words}: {message}");
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
    for (words, message) in [
        (
            "bench --eval no/such/file",
            "error: no evaluation file or folder \"no/such/file\" in \"",
        ),
        (
            "bench --hash 99999999999",
            "error: no memory for a hash table of 99999999999 MB",
        ),
        (
            "bench --sfen-file no/such/file",
            "error: cannot read no/such/file: No such file or directory (os error 2)",
        ),
        (&*format!("net show {name}"), "error: xxxx"),
        (&*format!("analyze {name}"), "error: xxxx"),
    ] {
        let output = raicho!("{words}").output();
        assert_eq!(output.status.code(), Some(1), "{message}");
        let found = one_line(&output.stderr);
        assert!(found.starts_with(message), "{found}");
        assert!(found.len() < 1200, "{}", found.len());
        let cause = "No such file or directory";
        assert!(found.matches(cause).count() <= 1, "{found}");
    }
    let invalid = raicho!("perft 1 --sfen {name}").output();
    let found = one_line(&invalid.stderr);
    let message = "error: --sfen 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...': ";
    assert!(found.starts_with(message), "{found}");
    assert_eq!(invalid.status.code(), Some(2));
    let invalid = raicho!("perft {name}").output();
    assert_eq!(invalid.status.code(), Some(2));
    assert!(invalid.stderr.len() < 2500, "{}", invalid.stderr.len());
}

/// What is wrong with the command line alone ends with 2, before any file is touched.
#[test]
fn an_invalid_command_line_ends_with_2() {
    for (line, message) in [
        ("analyze --shard 1/2 x.kif", "unexpected argument '--shard'"),
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
        ("book probe a.db p.txt --option x", "expected NAME=VALUE"),
        ("book probe a.db p.txt --option x=1", "no option x"),
        ("book sort a.db --out x.xyz", "expected an extension"),
        ("convert a.pack --out x.xyz", "unknown format 'xyz'"),
        ("csa --id x", "expected --host HOST"),
        ("csa --host x", "expected --id NAME"),
        (
            "gensfen --out x --write-maxply 9",
            "more than the 9 random plies",
        ),
        ("gensfen --out x --random-plies 300", "not a range of plies"),
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
        ("gensfen --out x --between-nodes 9", "--write-every"),
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
        let output = raicho!("{line}").output();
        let found = text(&output.stderr);
        assert!(found.contains(message), "{line}: {found}");
        assert_eq!(output.status.code(), Some(2), "{line}: {found}");
    }
}

/// Options that a command always refuses are not offered.
#[test]
fn help_offers_no_option_that_is_always_refused() {
    for words in ["analyze", "book extend", "learn", "spsa"] {
        let help = raicho!("{words} --help").stdout();
        assert!(help.contains("--out") || help.contains("--html"), "{help}");
        assert!(!help.contains("--shard"), "{words}: {help}");
    }
    let help = raicho!("spsa --help").stdout();
    assert!(help.contains("cmd=./engine"), "{help}");
    assert!(help.contains("--nodes <N>"), "{help}");
}

#[test]
fn a_bad_line_of_a_file_is_named_once_and_cut() {
    let folder = Folder::new("bad-line");
    folder.write("zeros.sfen", &"0".repeat(3_000_000));
    for words in [
        "bench --sfen-file zeros.sfen",
        "analyze zeros.sfen --depth=1",
    ] {
        let output = raicho!(folder, "{words}").output();
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains("zeros.sfen"), "{message}");
        assert!(message.len() < 1500, "{}", message.len());
        let reason = message.split(": ").last().expect("a reason").trim_end();
        assert_eq!(message.matches(reason).count(), 1, "{message}");
    }
}

/// Commands that print, of which one once used `println!`, in a folder with the network that they
/// need.
#[cfg(target_os = "linux")]
const PRINTING: [&str; 6] = [
    "bench --depth 1 --hash 1",
    "perft 2 --divide",
    "analyze --depth 1 --hash 1",
    "net scale a.nnue 0.5 b.nnue",
    "net show a.nnue",
    "--help",
];

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_one_error() {
    let folder = Folder::new("full-device");
    raicho!(folder, "net material a.nnue").outputs();
    for words in PRINTING {
        let full = std::fs::File::create("/dev/full").expect("Linux has it");
        let mut command = raicho!(folder, "{words}").command();
        let output = command.stdout(full).output().expect("raicho runs");
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert_eq!(
            one_line(&output.stderr),
            "error: cannot write to standard output: No space left on device (os error 28)",
            "{words}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_ends_a_tool_quietly() {
    let folder = Folder::new("closed-pipe");
    raicho!(folder, "net material a.nnue").outputs();
    for words in PRINTING {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = raicho!(folder, "{words}").command();
        let output = command.stdout(writer).output().expect("raicho runs");
        assert_eq!(output.status.code(), Some(0), "{words}");
        assert_eq!(text(&output.stderr), "", "{words}");
    }
}

#[test]
fn options_of_version_1_say_what_replaces_them() {
    for (words, expected) in [
        (
            "match --rounds 3",
            "--rounds of version 1 is gone: --games 2N",
        ),
        ("book think --each", "--each of version 1 is gone"),
        ("learn --width=64 a.pack", "--shape raicho_256x2-8"),
    ] {
        let said = raicho!("{words}").refused();
        assert!(said.contains(expected), "{words}: {said}");
    }
    let said = raicho!("match --nonsense").refused();
    assert!(!said.contains("version 1"), "{said}");
}
