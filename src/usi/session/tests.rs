//! What tests of the executable cannot see: empty lines during long jobs, an output that fails, and
//! the limits of a `go`.

use std::sync::{Arc, Mutex};
use std::{sync::mpsc::Sender, thread};

use super::*;
use crate::{usi::command::ParsedLine, util::TestFolder};

/// A writer that keeps its text and fails after a number of lines.
#[derive(Clone)]
struct Page {
    text: Arc<Mutex<Vec<u8>>>,
    lines: usize,
}

impl Page {
    fn new(lines: usize) -> Self {
        Self { text: Arc::default(), lines }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().unwrap()).into_owned()
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = self.text.lock().unwrap();
        if String::from_utf8_lossy(&text).lines().count() >= self.lines {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        text.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn output(page: &Page) -> (Output, Arc<Interrupt>, Receiver<Input>) {
    let (sender, inputs): (Sender<Input>, _) = mpsc::channel();
    let interrupt = Arc::new(Interrupt::default());
    (Output::new(page.clone(), sender, Arc::clone(&interrupt)), interrupt, inputs)
}

#[test]
fn long_jobs_write_empty_lines() {
    let page = Page::new(1000);
    let (output, interrupt, _inputs) = output(&page);
    let beat = Duration::from_millis(5);
    let result = keep_alive(&output, &interrupt, beat, || {
        while page.text().len() < 3 {
            thread::sleep(beat);
        }
        7
    });
    assert_eq!(result, 7);
    assert!(page.text().bytes().all(|byte| byte == b'\n'));
    let silent = Page::new(1000);
    let (output, interrupt, _inputs) = self::output(&silent);
    keep_alive(&output, &interrupt, KEEP_ALIVE_INTERVAL, || {});
    assert_eq!(silent.text(), "");
}

#[test]
fn a_failing_output_ends_the_session() {
    let page = Page::new(1);
    let (output, interrupt, inputs) = output(&page);
    output.send(&Response::Text("usiok".to_owned()));
    assert!(inputs.try_recv().is_err());
    output.send(&Response::KeepAlive);
    output.send(&Response::KeepAlive);
    assert!(matches!(inputs.try_recv(), Ok(Input::End)));
    assert!(inputs.try_recv().is_err());
    assert!(interrupt.waiting().has_ended);
    assert_eq!(page.text(), "usiok\n");
}

#[test]
fn the_session_ends_when_nobody_reads() {
    struct Open;
    impl Read for Open {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let line = b"usi\n";
            bytes[..line.len()].copy_from_slice(line);
            Ok(line.len())
        }
    }
    assert!(run(Open, Page::new(3), |_, _, _| Ok(()), Lang::En).is_ok());
}

/// A script closes its end before the engine has read all of it, and wants every answer.
#[test]
fn only_quit_cuts_a_preparation_short() {
    for (text, is_quit) in [(&b"isready\n"[..], false), (b"isready\nquit\nusi\n", true)] {
        let (sender, inputs) = mpsc::channel();
        let interrupt = Arc::new(Interrupt::default());
        pipes::spawn(text, sender, Arc::clone(&interrupt)).expect("a thread");
        while let Ok(Input::Line(_)) = inputs.recv() {}
        assert_eq!(interrupt.waiting().has_ended, is_quit);
    }
}

#[test]
fn a_line_that_is_too_long_is_refused() {
    let page = Page::new(1000);
    let long = " 7g7f".repeat(16 << 20 >> 2);
    let input = format!("position startpos moves{long}\nkey\ngo nodes 1\nfoo{long}");
    run(io::Cursor::new(input), page.clone(), |_, _, _| Ok(()), Lang::En).unwrap();
    let text = page.text();
    let lines: Vec<&str> = text.lines().collect();
    let fault = "info string error: a line of more than 16777216 bytes, expected a command, the ";
    let expected = format!("{fault}last good position is kept");
    assert_eq!(lines[0], expected, "{text}");
    let is_key = lines[1].starts_with("0x") || !lines[1].contains(' ');
    assert!(is_key, "{text}");
    let part = "there is no search until a good position comes";
    assert!(lines[2].ends_with(part), "{text}");
    assert_eq!(lines[3], "bestmove resign", "{text}");
    assert_eq!(lines[4], format!("{fault}line is ignored"), "{text}");
    assert_eq!(lines.len(), 5, "{text}");
}

#[test]
fn tool_output_is_passed_on_by_lines() {
    let page = Page::new(1000);
    let (output, _, _inputs) = output(&page);
    let mut tool = ToolOutput::new(output);
    tool.write_all(b"one\ntwo").unwrap();
    assert_eq!(page.text(), "one\n");
    tool.write_all(b"\n").unwrap();
    assert_eq!(page.text(), "one\ntwo\n");
}

#[test]
fn a_stop_counts_for_earlier_tools_only() {
    let page = Page::new(1000);
    let bench: BenchTool = |_, output, cancel| {
        let is_cancelled = cancel.load(std::sync::atomic::Ordering::SeqCst);
        Ok(writeln!(output, "cancelled {is_cancelled}")?)
    };
    let input: &[u8] = b"stop\nbench\n";
    run(input, page.clone(), bench, Lang::En).unwrap();
    assert_eq!(page.text(), "cancelled false\n");
}

/// GUIs send all options at once, so that the reader is ahead of the session.
#[test]
fn a_debug_log_has_what_was_read_before_it_opened() {
    let folder = TestFolder::new();
    let path = folder.file("dialogue.log");
    let page = Page::new(1000);
    let (output, interrupt, _inputs) = output(&page);
    let receive = |line: &str, number| pipes::receive(line.as_bytes(), number, &interrupt);
    let lines = [
        format!("setoption name DebugLogFile value {}", path.display()),
        "setoption name MultiPV value 2".to_owned(),
        "getoption MultiPV".to_owned(),
    ];
    let received = lines.iter().zip(1..).map(|(line, n)| receive(line, n));
    let received: Vec<Line> = received.collect();
    let mut session = Session::new(output.clone(), Arc::clone(&interrupt), |_, _, _| Ok(()));
    for line in received {
        session.handle(line);
    }
    session.handle(receive("key", 4));
    let text = std::fs::read_to_string(&path).expect("a log");
    let said = text.lines().filter_map(|line| line.splitn(3, ' ').nth(2));
    let said: Vec<&str> = said.collect();
    assert!(said.contains(&"# MultiPV = 1"), "{text}");
    let dialogue = said.into_iter().filter(|line| !line.starts_with('#'));
    let dialogue: Vec<&str> = dialogue.take(4).collect();
    let expected = "> setoption name MultiPV value 2\n> getoption MultiPV\n< MultiPV = 2\n> key";
    assert_eq!(dialogue.join("\n"), expected, "{text}");
}

#[test]
fn a_perft_without_a_depth_has_no_answer() {
    let page = Page::new(1000);
    let mut dialogue = Dialogue::new(page.clone(), |_, _, _| Ok(()));
    dialogue.line(b"go perft 101");
    let text = page.text();
    let part = "from 0 to 100, the line is ignored\n";
    assert!(text.ends_with(part), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn a_dialogue_answers_line_by_line() {
    let page = Page::new(1000);
    let mut dialogue = Dialogue::new(page.clone(), |_, _, _| Ok(()));
    for line in [
        "setoption name USI_Hash value 1",
        "setoption name Threads value 1",
        "setoption name USI_OwnBook value false",
        "isready",
        "position startpos moves 7g7f",
        "go depth 3",
        "isready", // waits for the search
    ] {
        assert!(dialogue.line(line.as_bytes()), "{line}");
    }
    let text = page.text();
    let words: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| *word != "info")
        .collect();
    assert_eq!(words, ["readyok", "bestmove", "readyok"], "{text}");
    assert!(!dialogue.line(b"quit\r\n"));
}

#[test]
fn a_dialogue_ends_with_its_output() {
    let mut dialogue = Dialogue::new(Page::new(0), |_, _, _| Ok(()));
    assert!(!dialogue.line(b"usi"));
}

fn limits(line: &str) -> Limits {
    let parsed = ParsedLine::parse(line);
    match parsed.command {
        Some(Command::Go(go)) => limits_from_go(&go, !parsed.errors.is_empty()),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn clocks_are_by_colour() {
    let clock = limits("go btime 1 wtime 2 binc 3 winc 4").clock;
    let clock = clock.expect("a clock");
    let milliseconds = |number| Duration::from_millis(number);
    assert_eq!(clock.time, [1, 2].map(milliseconds));
    assert_eq!(clock.increment, [3, 4].map(milliseconds));
    let clock = limits("go byoyomi 5").clock.expect("a clock");
    let expected = ([Duration::ZERO; 2], [5, 5].map(milliseconds));
    assert_eq!((clock.time, clock.byoyomi), expected);
}

#[test]
fn only_a_go_without_limits_is_infinite() {
    for line in
        ["go", "go infinite", "go infinite byoyomi 5", "go ponder infinite", "go searchmoves 7g7f"]
    {
        assert!(limits(line).infinite, "{line}");
    }
    for line in [
        "go depth 3",
        "go movetime 0",
        "go ponder",
        "go btime x",
        "go ponder btime x",
        "go nodes 1",
        "go nodes 1 infinite",
        "go infinite movetime 5",
        "go infinite depth 3",
    ] {
        assert!(!limits(line).infinite, "{line}");
    }
    assert_eq!(limits("go btime x").movetime, Some(FALLBACK_TIME));
    assert_eq!(limits("go btime x depth 3").movetime, None);
    assert_eq!(limits("go ponder").clock, Some(fallback_clock()));
}
