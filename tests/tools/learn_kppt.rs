//! `raicho learn --kind kppt` as a process.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::learn::{folder, raicho, run, text, write_games};

#[test]
fn wrong_options_are_refused_before_data_are_read() {
    let folder = folder("learn-kppt-options");
    let (games, out) = (folder.join("games.pack"), folder.join("out"));
    write_games(&games);
    let kppt = ["--kind", "kppt"];
    for (arguments, words) in [
        (vec!["--factors", "kpp"], "--factors needs --kind kppt"),
        (
            vec!["--king-constants", "zero"],
            "--king-constants needs --kind kppt",
        ),
        (vec!["--spread-kings"], "--spread-kings needs --kind kppt"),
        (vec!["--king-bits", "16"], "--king-bits needs --kind kppt"),
        (vec!["--kpp-kkpt"], "--kpp-kkpt needs --kind kppt"),
        (
            [&kppt[..], &["--factors", "kpq"]].concat(),
            "\"kpq\" is no factor, expected",
        ),
        (
            [&kppt[..], &["--factors", "kk,kk"]].concat(),
            "kk is named twice",
        ),
        ([&kppt[..], &["--king-bits", "24"]].concat(), "16, 32"),
        (
            [&kppt[..], &["--width", "64"]].concat(),
            "--width, --shape and --decay are for networks",
        ),
        (
            [&kppt[..], &["--shape", "raicho_64x2-8"]].concat(),
            "--width, --shape and --decay are for networks",
        ),
        (
            [&kppt[..], &["--decay", "0.1"]].concat(),
            "--width, --shape and --decay are for networks",
        ),
        (
            [&kppt[..], &["--begin-with", "x"]].concat(),
            "--begin-with is for networks",
        ),
        ([&kppt[..], &["--batch", "0"]].concat(), "batch 0, expected"),
    ] {
        let output = raicho(
            &[&["learn"], &arguments[..], &["--out"]].concat(),
            &[&out, &games],
        );
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && said.contains(words),
            "{arguments:?}: {said}"
        );
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
    assert!(!out.exists());
}

/// A run that is killed twice and resumed, and one in one go. Writes several gigabytes; run with
/// `--release -- --ignored three_pieces`.
#[test]
#[ignore = "writes several gigabytes"]
fn a_killed_run_of_three_pieces_is_resumed_exactly_and_the_engine_plays_with_it() {
    let folder = folder("learn-kppt");
    let games = folder.join("games.pack");
    write_games(&games);
    let learn = [
        "learn",
        "--kind",
        "kppt",
        "--batch",
        "50",
        "--epochs",
        "60",
        "--held-out",
        "0.1",
        "--spread-kings",
        "--king-bits",
        "16",
    ];
    let (whole, killed) = (folder.join("whole"), folder.join("killed"));
    let said = run(&[&learn[..], &["--out"]].concat(), &[&whole, &games]);
    assert!(
        said.contains("numbers that do not fit into their bits: 0 of KK"),
        "{said}"
    );

    let checkpoint = killed.join("checkpoint.bin");
    let mut arguments: Vec<&str> = learn.to_vec();
    for _ in 0..2 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_raicho"))
            .args(&arguments)
            .arg("--out")
            .arg(&killed)
            .arg(&games)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let before = checkpoint.metadata().and_then(|file| file.modified()).ok();
        while checkpoint.metadata().and_then(|file| file.modified()).ok() == before {
            assert!(
                child.try_wait().expect("a child").is_none(),
                "it ended by itself"
            );
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("it still runs");
        child.wait().expect("killed");
        arguments = vec!["learn", "--resume"];
    }
    assert!(!killed.join("KPP_synthesized.bin").exists());
    run(&["learn", "--resume", "--out"], &[&killed, &games]);
    for name in [
        "loss.csv",
        "KK_synthesized.bin",
        "KKP_synthesized.bin",
        "KPP_synthesized.bin",
    ] {
        let read = |of: &std::path::Path| fs::read(of.join(name)).expect(name);
        assert!(read(&whole) == read(&killed), "{name}");
    }
    let bench = run(&["bench", "--depth", "1", "--eval"], &[&whole]);
    assert!(bench.contains("nodes"), "{bench}");

    // Noise of size 0 changes nothing, other noise does.
    let (same, noisy) = (folder.join("same"), folder.join("noisy"));
    run(&["net", "noise"], &[&whole, "0".as_ref(), &same]);
    run(&["net", "noise"], &[&whole, "0.1".as_ref(), &noisy]);
    let read = |of: &std::path::Path| fs::read(of.join("KPP_synthesized.bin")).expect("written");
    assert!(read(&whole) == read(&same) && read(&whole) != read(&noisy));
    fs::remove_dir_all(&folder).expect("our own folder");
}
