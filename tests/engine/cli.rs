//! The command line as people use it: the real executable, its output and its exit codes.

use crate::folder::Folder;
use crate::runner::{Text, all_fail, raicho, text};

#[test]
fn perft_prints_the_count_last() {
    let line = raicho!("perft 4").stdout();
    line.must_begin("719731 leaves ");
    assert!(line.trim_end().ends_with(" lps"), "{line}");
}

#[test]
fn perft_divides_into_moves_that_sum_up() {
    let lines = raicho!("perft 3 --divide --threads 2 --hash 1 --key-bits 128").stdout();
    let count = |line: &str| line.split_once(": ")?.1.parse().ok();
    let counts: Vec<u64> = lines.lines().filter_map(count).collect();
    assert_eq!(counts.len(), 30);
    assert_eq!(counts.iter().sum::<u64>(), 25_470);
}

#[test]
fn errors_name_the_input_and_what_was_expected() {
    for (words, parts) in cases! {
        "perft 2 --sfen '9/9/9/9/9/9/9/9/9 x - 1'" => &["9/9/9", "'x'", "'b' or 'w'"][..];
        "perft x" => &["'x'", "<DEPTH>"];
        "perft 3 --key-bits 65" => &["'65'", "128"];
        "perft 3 --hash 99999999999" => &["99999999999 MB"];
        "nonsense" => &["nonsense"];
        "analyze no/such/file" => &["no/such/file"];
    } {
        let message = raicho!("{words}").refused();
        for part in parts {
            message.must_have(part);
        }
    }
}

#[test]
fn help_of_each_command_begins_with_an_example() {
    let help = raicho!("--help").stdout();
    let (_, commands) = help.split_once("Play and analyse:").expect("groups");
    let (commands, _) = commands.split_once("Options:").expect("options");
    let lines = commands.lines().filter(|line| line.starts_with("  "));
    let names: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    // All that a shell completes stand in a group.
    let completed = raicho!("completions fish").stdout();
    for name in &names {
        assert!(completed.contains(&format!("-a \"{name}\"")), "{name}");
    }
    assert_eq!(names.len(), 21);
    for name in names {
        let help = raicho!("{name} --help").stdout();
        help.must_begin("Example: raicho");
    }
}

#[test]
fn what_people_type_first_is_answered() {
    let folder = Folder::new();
    folder.write("game.kif", "");
    raicho!(folder, "game.kif").fails(2, "did you mean `raicho analyze game.kif`?");
    raicho!("no-such.kif").refused().must_lack("did you mean");
    raicho!(folder, "game.kif --lang ja").fails(2, "`raicho analyze game.kif`ではありませんか？");
    raicho!("analyze no-such.kif --lang ja").refuses("エラー：no-such.kif");
    folder.write("game.usi", "startpos moves 7g7f");
    raicho!(folder, "analyze game.usi --time 3")
        .says("warning: 3 is 3 milliseconds, 3s would be seconds");
    raicho!(folder, "analyze game.usi --time 3ms").said().must_lack("warning");
    let absurd = "warning: 500 is 500 seconds, 500ms would be milliseconds";
    for time in ["--movetime 500", "--margin 500", "--each movetime=500", "--tc 60+500"] {
        raicho!(folder, "match --engine cmd=no-such-engine {time}").refuses(absurd);
    }
}

#[test]
fn the_batch_file_for_windows_analyses_what_is_dropped_on_it() {
    let batch = include_str!("../release/analyze.bat");
    let words = batch.lines().find_map(|line| line.strip_prefix("\"%~dp0raicho.exe\" "));
    let words = words.expect("it starts the program").replace("%*", "'a 1.usi' 'b.usi'");
    let words = words.replace("\"%~dpn1.html\"", "'a 1.html'");
    let folder = Folder::new();
    folder.write("a 1.usi", "startpos moves 7g7f");
    folder.write("b.usi", "startpos moves 2g2f");
    raicho!(folder, "{words} --nodes 10").prints("b.usi");
    folder.text("a 1.html").must_have("<html");
}

#[test]
fn bench_counts_the_same_nodes_every_time() {
    let signature = |words: &str| {
        let text = raicho!("bench --depth 4 --hash 4 {words}").stdout();
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
    let shown = raicho!("analyze --depth 5 --multipv 2 --sfen '{sfen}'").stdout();
    for part in [sfen, "1. black mates in 1 ply", "2. ", "G*5b", "best move G*5b"] {
        shown.must_have(part);
    }
}

/// The only line of a message, without its end.
fn one_line(message: &str) -> &str {
    assert_eq!(message.lines().count(), 1, "{message}");
    message.trim_end()
}

#[test]
fn errors_are_one_true_sentence() {
    let name = "x".repeat(100_000);
    let cases = cases! {
        "bench --eval no/such/file" => "no evaluation file or folder \"no/such/file\" in \"";
        "bench --hash 99999999999" => "no memory for a hash table of 99999999999 MB";
        "bench --sfen-file no/such/file" =>
            "cannot read no/such/file: No such file or directory (os error 2)";
        &format!("net show {name}") => "xxxx";
        &format!("analyze {name}") => "xxxx";
    };
    for (words, message) in cases {
        let [_, errors] = raicho!("{words}").ends_with(1);
        let found = one_line(&errors);
        found.must_begin(format!("error: {message}"));
        assert!(found.len() < 1200, "{}", found.len());
        let found_causes = found.matches("No such file or directory").count();
        assert!(found_causes <= 1, "{found}");
    }
    let [_, errors] = raicho!("perft 1 --sfen {name}").ends_with(2);
    let shortened = "error: --sfen 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...': ";
    one_line(&errors).must_begin(shortened);
    let [_, errors] = raicho!("perft {name}").ends_with(2);
    assert!(errors.len() < 2500, "{}", errors.len());
}

/// What is wrong with the command line alone ends with 2, before any file is touched.
#[test]
fn an_invalid_command_line_ends_with_2() {
    #[rustfmt::skip]
    all_fail(&Folder::new(), 2, "", &cases! {
        "analyze --shard 1/2 x.kif" => "unexpected argument '--shard'";
        "analyze --sfen nonsense" => "nonsense";
        "analyze --sfen nonsense --summary" => "nonsense";
        "book extend --nodes 1 --out x.db --shard 1/2" => "depend on each other";
        "book extend --out x.db" => "expected --nodes or --depth";
        "book merge a.db --sides bw --out x.db" => "2 letters";
        "book probe a.db p.txt --option x" => "expected NAME=VALUE";
        "book probe a.db p.txt --option x=1" => "no option x";
        "book sort a.db --out x.xyz" => "expected an extension";
        "convert a.pack --out x.xyz" => "unknown format 'xyz', expected psv";
        "csa --id x" => "expected --host HOST";
        "csa --host x" => "expected --id NAME";
        "gensfen --out x --random-plies 300" => "not a range of plies";
        "gensfen --out x --random-multi-pv 4" => "--random-move-count";
        "gensfen --out x --between-nodes 9" => "--write-every";
        "gensfen --out x --depth 2 --tree-positions 1" => "greater than --depth";
        "learn a.psv --out x --epochs 0" => "--epochs 0";
        "learn a.psv a.psv --out x" => "is given twice";
        "match --engine cmd=x --nodes 9" => "one engine, expected two";
        "match --engine cmd=x --engine cmd=y --each name=z --nodes 9" => "a name of its own";
        // Only options for all commands may come before a subcommand.
        "match --games 2 merge x" => "with 'match merge'";
        "csa --host x stats y" => "'--host' cannot be used";
        "match --lang en merge" => "<FOLDER>";
        "csa --lang en stats" => "<FOLDER>";
        "mate --sfen nonsense" => "--sfen";
        "roots a.usi --out x.pack" => "keeps more than positions";
        "shuffle a.psv --out x.pack" =>
            "pack cannot be written here, expected psv (or bin), hcpe, psum, tree";
        "spsa --engine cmd=x --iterations 9" => "nothing to tune";
        "spsa --engine cmd=x --iterations 9 --nodes 1,2" => "invalid value '1,2'";
    });
}

/// Options that a command always refuses are not offered.
#[test]
fn help_offers_no_option_that_is_always_refused() {
    for words in ["analyze", "book extend", "learn", "spsa"] {
        let help = raicho!("{words} --help").stdout();
        assert!(help.contains("--out") || help.contains("--html"), "{help}");
        help.must_lack("--shard");
    }
    let help = raicho!("spsa --help").prints("cmd=./engine");
    help.must_have("--nodes <N>");
}

#[test]
fn a_bad_line_of_a_file_is_named_once_and_cut() {
    let folder = Folder::new();
    folder.write("zeros.sfen", "0".repeat(3_000_000));
    for words in ["bench --sfen-file zeros.sfen", "analyze zeros.sfen --depth=1"] {
        let message = raicho!(folder, "{words}").fails(1, "zeros.sfen");
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

/// Runs each of [`PRINTING`] with this standard output, to an end with this code and message.
#[cfg(target_os = "linux")]
fn printing_to(output: impl Fn() -> std::process::Stdio, code: i32, message: &str) {
    let folder = Folder::new();
    raicho!(folder, "net material a.nnue").outputs();
    for words in PRINTING {
        let mut command = raicho!(folder, "{words}").command();
        let output = command.stdout(output()).output().expect("raicho runs");
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert_eq!(text(&output.stderr).trim_end(), message, "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_one_error() {
    let full = || std::fs::File::create("/dev/full").expect("Linux has it").into();
    let message = "No space left on device (os error 28)";
    let words = format!("error: cannot write to standard output: {message}");
    printing_to(full, 1, &words);
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_ends_a_tool_quietly() {
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer.into()
    };
    printing_to(closed, 0, "");
}

#[test]
fn options_of_version_1_say_what_replaces_them() {
    for (words, expected) in cases! {
        "match --rounds 3" => "--rounds of version 1 is gone: --games 2N";
        "book think --each" => "--each of version 1 is gone";
        "learn --width=64 a.pack" => "--shape raicho_256x2-8";
    } {
        raicho!("{words}").refuses(expected);
    }
    raicho!("match --nonsense").refused().must_lack("version 1");
}
