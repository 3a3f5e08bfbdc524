//! `DebugLogFile`: each line is logged at once, and the engine plays on if the file cannot be
//! written.

use super::driver::{Driver, must_count};
use crate::folder::Folder;
use crate::runner::Text;

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
    let folder = Folder::new();
    let mut driver = Driver::ready();
    assert_eq!(log_to(&mut driver, &folder.path("log")), [""; 0]);
    let answer = driver.best("position startpos moves 7g7f\r\ngo depth 2");
    // The log is complete without closing it.
    log_to(&mut driver, "<empty>");
    driver.replies("key");
    let text = folder.text("log");
    let lines: Vec<&str> = text.lines().map(said).collect();
    lines[0].must_begin("# Raicho ");
    assert!(lines.contains(&"# USI_Hash = 2"), "{text}");
    let place = |wanted: &str| {
        let place = lines.iter().position(|&line| line == wanted);
        place.unwrap_or_else(|| panic!("no \"{wanted}\" in {text}"))
    };
    let position = place("> position startpos moves 7g7f");
    let (go, answer) = (place("> go depth 2"), place(&format!("< bestmove {answer}")));
    assert!(position < go && go < answer, "{text}");
    let is_info = |line: &&str| line.starts_with("< info depth 2 ");
    assert!(lines[go..answer].iter().any(is_info));
    assert!(!lines.contains(&"> key"), "{text}");
}

/// Logs to a file that cannot be used, which is reported once.
fn check_report(path: &str, report: &str) {
    let mut driver = Driver::ready();
    let lines = log_to(&mut driver, path);
    let words = format!("info string error: DebugLogFile \"{path}\" {report}");
    must_count(&lines, 1, &words);
    must_count(&lines, 1, "info string error");
    must_count(&driver.go("isready\ngo depth 2"), 0, "info string error");
}

#[test]
fn a_file_that_cannot_be_opened_is_reported_once() {
    check_report("/no/such/folder/log.txt", "cannot be opened: ");
}

/// To open a pipe without a reader would wait for one for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.file("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    let lines = log_to(&mut Driver::ready(), &folder.path("pipe"));
    assert_eq!(lines.len(), 1, "{lines:#?}");
    lines[0].must_have("it is a pipe, expected a file");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_once() {
    check_report("/dev/full", "cannot be written: ");
}
