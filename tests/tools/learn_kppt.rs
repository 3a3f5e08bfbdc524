//! `raicho learn --kind kppt` as a process.

use std::fs;

use super::learn::{wait_until, write_games};
use crate::folder::Folder;
use crate::runner::{raicho, text};

#[test]
fn wrong_options_are_refused_before_data_are_read() {
    let folder = Folder::new("learn-kppt-options");
    write_games(&folder, "games.pack");
    for (options, words) in [
        ("--king-bits 16", "--king-bits needs --kind kppt"),
        ("--kpp-kkpt", "--kpp-kkpt needs --kind kppt"),
        ("--kind kppt --king-bits 24", "32, 16"),
        (
            "--kind kppt --shape raicho_64x2-8",
            "--shape and --decay are for networks",
        ),
        (
            "--kind kppt --decay 0.1",
            "--shape and --decay are for networks",
        ),
        ("--kind kppt --begin-with x", "--begin-with is for networks"),
        ("--kind kppt --batch 0", "batch 0, expected"),
    ] {
        let output = raicho!(folder, "learn {options} --out out games.pack").output();
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && said.contains(words),
            "{options}: {said}"
        );
        assert_eq!(text(&output.stdout), "", "{options}");
    }
    assert!(!folder.file("out").exists());
}

/// A run that is killed twice and resumed, and one in one go. Writes several gigabytes; run with
/// `--release -- --ignored three_pieces`.
#[test]
#[ignore = "writes several gigabytes"]
fn a_killed_run_of_three_pieces_is_resumed_exactly_and_the_engine_plays_with_it() {
    let folder = Folder::new("learn-kppt");
    write_games(&folder, "games.pack");
    let learn = "learn --kind kppt --batch 50 --epochs 60 --held-out 0.1 --king-bits 16";
    let said = raicho!(folder, "{learn} --out whole games.pack").said();
    assert!(
        said.contains("numbers that do not fit into their bits: 0 of KK"),
        "{said}"
    );

    let checkpoint = folder.file("killed/checkpoint.bin");
    let written = || checkpoint.metadata().and_then(|file| file.modified()).ok();
    for words in [learn, "learn --resume"] {
        let mut child = raicho!(folder, "{words} --out killed games.pack").start();
        let before = written();
        wait_until(&mut child, || written() != before);
        child.kill().expect("it still runs");
        child.wait().expect("killed");
    }
    assert!(!folder.file("killed/KPP_synthesized.bin").exists());
    raicho!(folder, "learn --resume --out killed games.pack").outputs();
    for name in [
        "loss.csv",
        "KK_synthesized.bin",
        "KKP_synthesized.bin",
        "KPP_synthesized.bin",
    ] {
        let [whole, killed] = ["whole", "killed"].map(|of| folder.bytes(&format!("{of}/{name}")));
        assert!(whole == killed, "{name}");
    }
    let bench = raicho!(folder, "bench --depth 1 --eval whole").said();
    assert!(bench.contains("nodes"), "{bench}");
    fs::remove_dir_all(&folder.0).expect("our own folder");
}
