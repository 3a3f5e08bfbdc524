//! `DebugLogFile`: each line is logged at once, and the engine plays on if the file cannot be
//! written.

use std::fs;
use std::path::PathBuf;

use super::driver::{Driver, count};

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("raicho-log-{name}-{}", std::process::id()))
}

fn log_to(driver: &mut Driver, path: &str) -> Vec<String> {
    driver.replies(&format!("setoption name DebugLogFile value {path}"))
}

/// A line of the log without its date and time.
fn said(line: &str) -> &str {
    let mut parts = line.splitn(3, ' ');
    let (date, time) = (parts.next(), parts.next());
    let shape = |text: Option<&str>, model: &str| {
        let text = text.unwrap_or_default();
        text.len() == model.len()
            && text
                .bytes()
                .zip(model.bytes())
                .all(|(byte, model)| byte == model || byte.is_ascii_digit() && model == b'0')
    };
    assert!(shape(date, "0000-00-00"), "{line}");
    assert!(shape(time, "00:00:00.000"), "{line}");
    parts.next().unwrap_or_default()
}

#[test]
fn both_sides_are_logged_at_once_and_in_order() {
    let path = scratch("dialogue");
    let _ = fs::remove_file(&path);
    let mut driver = Driver::ready();
    assert_eq!(log_to(&mut driver, &path.display().to_string()), [""; 0]);
    driver.send("position startpos moves 7g7f\r\ngo depth 2");
    let answer = driver.answer("bestmove ");
    // The log is complete without closing it.
    driver.replies("setoption name DebugLogFile value <empty>");
    driver.replies("key");
    let text = fs::read_to_string(&path).expect("a log");
    fs::remove_file(&path).expect("a file");
    let lines: Vec<&str> = text.lines().map(said).collect();
    assert!(lines[0].starts_with("# Raicho "), "{text}");
    assert!(lines.contains(&"# USI_Hash = 2"), "{text}");
    let place = |wanted: &str| {
        let place = lines.iter().position(|&line| line == wanted);
        place.unwrap_or_else(|| panic!("no \"{wanted}\" in {text}"))
    };
    let position = place("> position startpos moves 7g7f");
    let (go, answer) = (place("> go depth 2"), place(&format!("< {answer}")));
    assert!(position < go && go < answer, "{text}");
    assert!(
        lines[go..answer]
            .iter()
            .any(|line| line.starts_with("< info depth 2 "))
    );
    assert!(!lines.contains(&"> key"), "{text}");
}

#[test]
fn a_file_that_cannot_be_opened_is_reported_once() {
    let mut driver = Driver::ready();
    let lines = log_to(&mut driver, "/no/such/folder/log.txt");
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(
        lines[0].starts_with(
            "info string error: DebugLogFile \"/no/such/folder/log.txt\" cannot be opened: "
        ),
        "{lines:#?}"
    );
    driver.send("go depth 2");
    let lines = driver.until("bestmove ");
    assert_eq!(count(&lines, "info string error"), 0, "{lines:#?}");
}

/// To open a pipe without a reader would wait for one for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused() {
    let path = scratch("pipe");
    let _ = fs::remove_file(&path);
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    let mut driver = Driver::ready();
    let lines = log_to(&mut driver, &path.display().to_string());
    fs::remove_file(&path).expect("it was made");
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(
        lines[0].contains("it is a pipe, expected a file"),
        "{lines:#?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_once() {
    let mut driver = Driver::ready();
    let lines = log_to(&mut driver, "/dev/full");
    assert_eq!(
        count(
            &lines,
            "info string error: DebugLogFile \"/dev/full\" cannot be written: "
        ),
        1,
        "{lines:#?}"
    );
    driver.send("isready\ngo depth 2");
    let lines = driver.until("bestmove ");
    assert_eq!(count(&lines, "info string error"), 0, "{lines:#?}");
}
