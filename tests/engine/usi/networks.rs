//! Network files, loaded with `EvalFile`.

use std::path::PathBuf;

use raicho::eval::nnue::{Network, random, scalar};
use raicho::position::Position;

use super::driver::{Driver, count};

/// A file that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("raicho-{name}-{}.bin", std::process::id()));
        std::fs::write(&path, bytes).expect("the folder for such files can be written");
        Self(path)
    }

    fn load(&self, driver: &mut Driver) -> Vec<String> {
        driver.send(&format!(
            "setoption name EvalFile value {}\nisready",
            self.0.display()
        ));
        driver.until("readyok")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn static_eval(driver: &mut Driver) -> String {
    driver.send("eval");
    let lines = driver.until("static eval ");
    lines.last().expect("a line").clone()
}

/// The last line of `eval` with the embedded network.
fn embedded_eval(position: &Position) -> String {
    let value = scalar::evaluate(&Network::embedded(), position).expect("two kings");
    format!("static eval {value}")
}

#[test]
fn a_network_is_loaded_and_evaluates() {
    let position = Position::startpos();
    let mut driver = Driver::ready();
    assert_eq!(static_eval(&mut driver), embedded_eval(&position));
    for name in ["kp_64x2-8-32", "raicho_64x2-8"] {
        let bytes = random::file(&name.parse().expect("a shape"), 5);
        let file = Scratch::new(name, &bytes);
        let lines = file.load(&mut driver);
        let note = format!("info string evaluation {} {name}, ", file.0.display());
        assert_eq!((count(&lines, &note), lines.len()), (1, 2), "{lines:#?}");
        let (mut network, _) = Network::read(&bytes).expect("a good file");
        let value = scalar::evaluate(&network, &position).expect("two kings");
        assert_eq!(static_eval(&mut driver), format!("static eval {value}"));
        driver.send("go depth 4");
        driver.until("bestmove ");
        if name.starts_with("kp") {
            driver.send("setoption name FV_SCALE value 3\nisready");
            driver.until("readyok");
            network.set_scale(3);
            let value = scalar::evaluate(&network, &position).expect("two kings");
            assert_eq!(static_eval(&mut driver), format!("static eval {value}"));
        }
    }
}

#[test]
fn a_bad_network_is_named_and_the_embedded_one_plays() {
    let mut driver = Driver::ready();
    let good = random::file(&"kp_64x2-8-32".parse().expect("a shape"), 5);
    for (name, bytes) in [("short", &good[..good.len() - 1]), ("zeros", &[0; 500][..])] {
        let file = Scratch::new(name, bytes);
        let lines = file.load(&mut driver);
        assert_eq!(
            count(&lines, "info string error: evaluation file"),
            1,
            "{lines:#?}"
        );
        assert!(lines[0].contains(name), "{lines:#?}");
        assert_eq!(
            static_eval(&mut driver),
            embedded_eval(&Position::startpos())
        );
        driver.send("go depth 2");
        driver.until("bestmove ");
    }
}

/// A folder may hold a network or three-piece files.
#[test]
fn a_folder_without_a_whole_evaluation_is_named() {
    let folder = std::env::temp_dir().join(format!("raicho-no-eval-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let mut driver = Driver::ready();
    let load = |driver: &mut Driver, option: &str| {
        let path = folder.display();
        driver.send(&format!("setoption name {option} value {path}\nisready"));
        driver.until("readyok").join("\n")
    };
    let text = load(&mut driver, "EvalDir");
    let expected =
        "has no nn.bin and no three-piece files (KK_synthesized.bin, KKP_synthesized.bin";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("the embedded evaluation is used"), "{text}");
    std::fs::write(folder.join("KKP.bin"), "short").expect("a file can be written");
    std::fs::write(folder.join("KPP.bin"), "").expect("a file can be written");
    let text = load(&mut driver, "EvalFile");
    let expected = "KKP.bin has 5 bytes, expected 81251424 (32 bits) or 40625712 (16 bits)";
    assert!(text.contains(expected), "{text}");
    assert_eq!(
        static_eval(&mut driver),
        embedded_eval(&Position::startpos())
    );
    driver.send("go depth 2");
    driver.until("bestmove ");
    let _ = std::fs::remove_dir_all(&folder);
}

/// Values of another evaluation must not stay in the table.
#[test]
fn another_evaluation_clears_the_table() {
    let search = |driver: &mut Driver| {
        driver.send("position startpos\ngo depth 9");
        let lines = driver.until("bestmove ");
        let last = lines.iter().rev().find(|line| line.contains(" nodes "));
        let words: Vec<_> = last.expect("a line of thought").split(' ').collect();
        let place = words.iter().position(|&word| word == "nodes");
        words[place.expect("found above") + 1].to_owned()
    };
    let mut fresh = Driver::ready();
    fresh.send("setoption name EvalFile value <material>\nisready");
    fresh.until("readyok");
    let expected = search(&mut fresh);
    let mut changed = Driver::ready();
    search(&mut changed);
    changed.send("setoption name EvalFile value <material>");
    assert_eq!(search(&mut changed), expected);
    changed.send("setoption name EvalFile value <embedded>\neval");
    changed.until("static eval ");
    changed.send("setoption name EvalFile value <material>\neval");
    changed.until("static eval ");
    assert_eq!(search(&mut changed), expected);
}

#[test]
fn a_file_that_was_replaced_in_its_folder_is_read_again() {
    let position = Position::startpos();
    let folder = std::env::temp_dir().join(format!("raicho-folder-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let mut driver = Driver::ready();
    // Of different sizes, because both may get the same modification time.
    for name in ["kp_64x2-8-32", "kp_128x2-8-32"] {
        let bytes = random::file(&name.parse().expect("a shape"), 5);
        std::fs::write(folder.join("nn.bin"), &bytes).expect("a file can be written");
        let setting = format!("setoption name EvalFile value {}", folder.display());
        driver.send(&format!("{setting}\nisready"));
        let lines = driver.until("readyok");
        let (loaded, errors) = ("info string evaluation ", "info string error");
        assert_eq!((count(&lines, loaded), count(&lines, errors)), (1, 0));
        let (network, _) = Network::read(&bytes).expect("a good file");
        let value = scalar::evaluate(&network, &position).expect("two kings");
        assert_eq!(static_eval(&mut driver), format!("static eval {value}"));
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// To open a pipe waits for its writer, for ever if there is none.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_before_it_is_opened() {
    let path = std::env::temp_dir().join(format!("raicho-pipe-{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    let mut driver = Driver::ready();
    let setting = format!("setoption name EvalFile value {}", path.display());
    driver.send(&format!("{setting}\nisready"));
    let lines = driver.until("readyok");
    let _ = std::fs::remove_file(&path);
    assert!(lines[0].contains("\", not a regular file, "), "{lines:#?}");
    assert!(lines[1].contains(" <embedded> "), "{lines:#?}");
}

#[test]
fn a_very_long_name_is_cut_in_the_message() {
    let mut driver = Driver::ready();
    let name = "x".repeat(1_000_000);
    driver.send(&format!("setoption name EvalFile value {name}\nisready"));
    let lines = driver.until("readyok");
    assert!(lines[0].starts_with("info string error: evaluation file \"xxx"));
    assert!(lines[0].ends_with("the embedded evaluation is used"));
    assert!(lines[0].len() < 1200, "{}", lines[0].len());
}

/// Japanese GUIs on Windows write CP932.
#[test]
fn a_file_name_in_cp932_is_found() {
    let folder = std::env::temp_dir().join(format!("raicho-cp932-{}", std::process::id()));
    let network = folder.join("評価ソ表.bin");
    std::fs::create_dir_all(&folder).expect("the folder for such files can be written");
    let shape = "raicho_64x2-8".parse().expect("a shape");
    std::fs::write(&network, random::file(&shape, 5)).expect("a file");
    let mut driver = Driver::ready();
    let command = format!("setoption name EvalFile value {}/", folder.display());
    driver.send_bytes(command.as_bytes());
    driver.send_bytes(b"\x95\x5d\x89\xbf\x83\x5c\x95\x5c.bin\r\nisready\n");
    let lines = driver.until("readyok");
    let note = format!("info string evaluation {} ", network.display());
    assert_eq!(count(&lines, &note), 1, "{lines:#?}");
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}
