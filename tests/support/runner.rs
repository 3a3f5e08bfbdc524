//! Runs the executable as people do.

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::folder::Folder;

/// The executable.
pub(crate) const RAICHO: &str = env!("CARGO_BIN_EXE_raicho");

/// Options of an engine that takes little memory and needs no file.
pub(crate) const SMALL_ENGINE: &str =
    "option.EvalFile=<material>,option.USI_Hash=1,option.Threads=1";

/// A file of openings that need no search.
pub(crate) const OPENINGS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/book/openings/balanced-500.sfen");

/// A command line of raicho, formatted and divided at spaces that are not within '…', in a
/// [`Folder`] if one is given: `raicho!("perft {depth}")`, `raicho!(folder, "stats games.pack")`.
/// `$raicho` and `$openings` stand for the paths of the executable and of a file of openings.
macro_rules! raicho {
    ($folder:ident, $($format:tt)*) => {
        $crate::runner::Raicho::new(&format!($($format)*)).within(&$folder)
    };
    ($($format:tt)*) => {
        $crate::runner::Raicho::new(&format!($($format)*))
    };
}
pub(crate) use raicho;

/// A command before it runs.
#[must_use]
pub(crate) struct Raicho(Command);

impl Raicho {
    pub(crate) fn new(words: &str) -> Self {
        let program = RAICHO.replace(',', r"\,");
        let filled = |word: &str| {
            let word = word.replace("$raicho", &program);
            word.replace("$openings", OPENINGS)
        };
        let mut command = Command::new(RAICHO);
        for (index, part) in words.split('\'').enumerate() {
            if index % 2 == 0 {
                command.args(part.split_whitespace().map(filled));
            } else {
                command.arg(filled(part));
            }
        }
        Self(command)
    }

    /// Runs it in a folder, so that names of files are relative to it.
    pub(crate) fn within(mut self, folder: &Folder) -> Self {
        self.0.current_dir(&folder.0);
        self
    }

    /// The process builder, for what has no method here.
    pub(crate) fn command(self) -> Command {
        self.0
    }

    /// Runs it to its end, whatever that is.
    pub(crate) fn output(mut self) -> Output {
        // Shown with a failure of the test.
        println!("{:?}", self.0);
        self.0.output().expect("raicho runs")
    }

    /// Runs it to its end with this exit code; what it printed to standard output and standard
    /// error.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> [String; 2] {
        let output = self.output();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        [text(&output.stdout), errors]
    }

    /// Runs it to a good end; what it printed to standard output and standard error.
    #[track_caller]
    pub(crate) fn outputs(self) -> [String; 2] {
        self.ends_with(0)
    }

    /// Runs it to a good end; its standard output.
    #[track_caller]
    pub(crate) fn stdout(self) -> String {
        let [stdout, _] = self.outputs();
        stdout
    }

    /// Runs it to a good end; all that it printed.
    #[track_caller]
    pub(crate) fn said(self) -> String {
        self.outputs().concat()
    }

    /// Runs it to a good end; its standard output, which has this part.
    #[track_caller]
    pub(crate) fn prints(self, part: impl AsRef<str>) -> String {
        let stdout = self.stdout();
        stdout.must_have(part);
        stdout
    }

    /// Runs it to a good end; all that it printed, which has this part.
    #[track_caller]
    pub(crate) fn says(self, part: impl AsRef<str>) -> String {
        let said = self.said();
        said.must_have(part);
        said
    }

    /// Runs it to an error with this exit code; its standard error, which has this part.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, part: impl AsRef<str>) -> String {
        let [_, errors] = self.ends_with(code);
        errors.must_have(part);
        errors
    }

    /// Runs it to an error, which is not a panic; its standard error.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        let output = self.output();
        let errors = text(&output.stderr);
        assert!(!output.status.success(), "{errors}");
        errors.must_lack("panicked");
        errors
    }

    /// Runs it to an error, which is not a panic; its standard error, which has this part.
    #[track_caller]
    pub(crate) fn refuses(self, part: impl AsRef<str>) -> String {
        let errors = self.refused();
        errors.must_have(part);
        errors
    }

    /// Runs it while nobody reads its standard output; whether it ended well.
    pub(crate) fn unread(mut self) -> bool {
        self.0.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = self.0.spawn().expect("raicho runs");
        drop(child.stdout.take());
        child.wait().expect("it ends").success()
    }

    /// Starts it; nobody reads its output.
    pub(crate) fn start(mut self) -> Child {
        self.0.stdout(Stdio::null()).stderr(Stdio::null());
        self.0.spawn().expect("raicho runs")
    }

    /// Starts it and kills it once `is_time`, which must come.
    pub(crate) fn killed_when(self, is_time: impl Fn() -> bool) {
        let mut child = self.start();
        let begun = Instant::now();
        while !is_time() && begun.elapsed() < Duration::from_mins(2) {
            sleep(Duration::from_millis(2));
        }
        child.kill().expect("it runs, or has ended");
        child.wait().expect("it ends");
        assert!(is_time(), "it ended too early");
    }
}

/// Runs commands that begin with `prefix` and must end with this exit code; beside each stands a
/// part of its error.
#[track_caller]
pub(crate) fn all_fail(folder: &Folder, code: i32, prefix: &str, cases: &[(&str, &str)]) {
    for (words, part) in cases {
        let command = Raicho::new(&format!("{prefix} {words}"));
        command.within(folder).fails(code, part);
    }
}

/// What a process printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Assertions about texts, which show the whole text where they fail.
pub(crate) trait Text {
    fn must_have(&self, part: impl AsRef<str>) -> &str;
    fn must_lack(&self, part: impl AsRef<str>) -> &str;
    fn must_begin(&self, part: impl AsRef<str>) -> &str;
}

impl Text for str {
    #[track_caller]
    fn must_have(&self, part: impl AsRef<str>) -> &str {
        let part = part.as_ref();
        assert!(self.contains(part), "{part:?} is missing in: {self}");
        self
    }

    #[track_caller]
    fn must_lack(&self, part: impl AsRef<str>) -> &str {
        let part = part.as_ref();
        assert!(!self.contains(part), "{part:?} stands in: {self}");
        self
    }

    #[track_caller]
    fn must_begin(&self, part: impl AsRef<str>) -> &str {
        let part = part.as_ref();
        assert!(self.starts_with(part), "{part:?} does not begin: {self}");
        self
    }
}
