//! Network files, loaded with `EvalFile`.

use std::fmt::Display;

use raicho::eval::nnue::{Network, random, scalar};
use raicho::position::Position;

use super::driver::{Driver, must_count, nodes_of};
use crate::folder::Folder;
use crate::runner::Text;

/// A file with random weights.
fn network_file(shape: &str) -> Vec<u8> {
    random::file(&shape.parse().expect("a shape"), 5)
}

/// What the engine says when it loads a file or a folder.
fn load(driver: &mut Driver, path: impl Display) -> Vec<String> {
    driver.set("EvalFile", path);
    driver.is_ready()
}

/// Asserts that the start position has the value of this network.
fn evaluates_by(driver: &mut Driver, network: &Network) {
    let value = scalar::evaluate(network, &Position::startpos()).expect("two kings");
    let lines = driver.ask("eval", "static eval ");
    assert_eq!(lines.last(), Some(&format!("static eval {value}")));
}

#[test]
fn a_network_is_loaded_and_evaluates() {
    let folder = Folder::new();
    let mut driver = Driver::ready();
    evaluates_by(&mut driver, &Network::embedded());
    for name in ["kp_64x2-8-32", "raicho_64x2-8"] {
        let bytes = network_file(name);
        let path = folder.write(name, &bytes);
        let lines = load(&mut driver, path.display());
        let words = format!("info string evaluation {} {name}, ", path.display());
        must_count(&lines, 1, &words);
        assert_eq!(lines.len(), 2, "{lines:#?}");
        let (mut network, _) = Network::read(&bytes).expect("a good file");
        evaluates_by(&mut driver, &network);
        driver.go("go depth 4");
        if name.starts_with("kp") {
            driver.set("FV_SCALE", 3);
            driver.is_ready();
            network.set_scale(3);
            evaluates_by(&mut driver, &network);
        }
    }
}

#[test]
fn a_bad_network_is_named_and_the_embedded_one_plays() {
    let folder = Folder::new();
    let mut driver = Driver::ready();
    let good = network_file("kp_64x2-8-32");
    folder.write("short", &good[..good.len() - 1]);
    folder.write("zeros", [0; 500]);
    let bad = "evaluation file";
    for (name, error) in [("short", bad), ("zeros", bad), ("no such file", "no evaluation file")] {
        let lines = load(&mut driver, folder.path(name));
        must_count(&lines, 1, &format!("info string error: {error}"));
        must_count(&lines, 1, "info string error: ");
        lines[0].must_have(name);
        evaluates_by(&mut driver, &Network::embedded());
        driver.go("go depth 2");
    }
    let lines = load(&mut driver, "<material>");
    assert_eq!(lines, ["info string evaluation <material>", "readyok"]);
}

/// A folder may hold a network or three-piece files.
#[test]
fn a_folder_without_a_whole_evaluation_is_named() {
    let folder = Folder::new();
    let mut driver = Driver::ready();
    driver.set("EvalDir", folder.0.display());
    let text = driver.is_ready().join("\n");
    text.must_have(
        "has no nn.bin and no three-piece files (KK_synthesized.bin, KKP_synthesized.bin",
    )
    .must_have("the embedded evaluation is used");
    folder.write("KKP.bin", "short");
    folder.write("KPP.bin", "");
    let text = load(&mut driver, folder.0.display()).join("\n");
    text.must_have("KKP.bin has 5 bytes, expected 81251424 (32 bits) or 40625712 (16 bits)");
    evaluates_by(&mut driver, &Network::embedded());
    driver.go("go depth 2");
}

/// Values of another evaluation must not stay in the table.
#[test]
fn another_evaluation_clears_the_table() {
    let search = |driver: &mut Driver| nodes_of(driver, "position startpos\ngo depth 9");
    let mut fresh = Driver::ready();
    load(&mut fresh, "<material>");
    let expected = search(&mut fresh);
    let mut changed = Driver::ready();
    search(&mut changed);
    changed.set("EvalFile", "<material>");
    assert_eq!(search(&mut changed), expected);
    for file in ["<embedded>", "<material>"] {
        changed.set("EvalFile", file);
        changed.ask("eval", "static eval ");
    }
    assert_eq!(search(&mut changed), expected);
}

#[test]
fn a_file_that_was_replaced_in_its_folder_is_read_again() {
    let folder = Folder::new();
    let mut driver = Driver::ready();
    // Of different sizes, because both may get the same modification time.
    for name in ["kp_64x2-8-32", "kp_128x2-8-32"] {
        let bytes = network_file(name);
        folder.write("nn.bin", &bytes);
        let lines = load(&mut driver, folder.0.display());
        must_count(&lines, 1, "info string evaluation ");
        must_count(&lines, 0, "info string error");
        let (network, _) = Network::read(&bytes).expect("a good file");
        evaluates_by(&mut driver, &network);
    }
}

/// To open a pipe waits for its writer, for ever if there is none.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_before_it_is_opened() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.file("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    let lines = load(&mut Driver::ready(), folder.path("pipe"));
    lines[0].must_have("\", not a regular file, ");
    lines[1].must_have(" <embedded> ");
}

#[test]
fn a_very_long_name_is_cut_in_the_message() {
    let lines = load(&mut Driver::ready(), "x".repeat(1_000_000));
    lines[0].must_begin("info string error: evaluation file \"xxx");
    assert!(lines[0].ends_with("the embedded evaluation is used"));
    assert!(lines[0].len() < 1200, "{}", lines[0].len());
}

/// Japanese GUIs on Windows write CP932.
#[test]
fn a_file_name_in_cp932_is_found() {
    let folder = Folder::new();
    let network = folder.write("評価ソ表.bin", network_file("raicho_64x2-8"));
    let mut driver = Driver::ready();
    let command = format!("setoption name EvalFile value {}/", folder.0.display());
    driver.send_bytes(command.as_bytes());
    driver.send_bytes(b"\x95\x5d\x89\xbf\x83\x5c\x95\x5c.bin\r\nisready\n");
    let lines = driver.until("readyok");
    let words = format!("info string evaluation {} ", network.display());
    must_count(&lines, 1, &words);
}
