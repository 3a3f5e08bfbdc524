//! The command line as people use it: the real executable, its output and its exit codes.

use std::process::{Command, Output};

fn raicho(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raicho"))
        .args(arguments)
        .output()
        .expect("raicho runs")
}

fn text(bytes: &[u8]) -> String {
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
    assert!(names.contains(&"perft"), "{names:?}");
    for name in names {
        let help = text(&raicho(&[name, "--help"]).stdout);
        assert!(help.starts_with("Example: raicho"), "{name}: {help}");
    }
}
