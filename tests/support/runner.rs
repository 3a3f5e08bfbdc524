//! Runs the executable as people do.

use std::ffi::OsStr;
use std::process::{Child, Command, Output, Stdio};

use crate::folder::Folder;

/// The executable.
pub(crate) const RAICHO: &str = env!("CARGO_BIN_EXE_raicho");

/// A file of openings that need no search.
pub(crate) const OPENINGS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/book/openings/balanced-500.sfen"
);

/// A command line of raicho, formatted and divided at spaces, in a [`Folder`] if one is given:
/// `raicho!("perft {depth}")`, `raicho!(folder, "convert games.pack --out games.psv")`.
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
        let mut command = Command::new(RAICHO);
        let program = RAICHO.replace(',', r"\,");
        command.args(words.split_whitespace().map(|word| {
            let word = word.replace("$raicho", &program);
            word.replace("$openings", OPENINGS)
        }));
        Self(command)
    }

    /// Runs it in a folder, so that names of files are relative to it.
    pub(crate) fn within(mut self, folder: &Folder) -> Self {
        self.0.current_dir(&folder.0);
        self
    }

    /// Adds an argument that may have spaces.
    pub(crate) fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.0.arg(word);
        self
    }

    /// The process builder, for what has no method here.
    pub(crate) fn command(self) -> Command {
        self.0
    }

    /// Runs it to its end, whatever that is.
    pub(crate) fn output(mut self) -> Output {
        self.0.output().expect("raicho runs")
    }

    /// Runs it to a good end; what it printed to standard output and standard error.
    pub(crate) fn outputs(self) -> [String; 2] {
        let command = format!("{:?}", self.0);
        let output = self.output();
        let errors = text(&output.stderr);
        assert!(output.status.success(), "{command}: {errors}");
        [text(&output.stdout), errors]
    }

    /// Runs it to a good end; its standard output.
    pub(crate) fn stdout(self) -> String {
        let [stdout, _] = self.outputs();
        stdout
    }

    /// Runs it to a good end; all that it printed.
    pub(crate) fn said(self) -> String {
        self.outputs().concat()
    }

    /// Runs it to an error, which is not a panic; its standard error.
    pub(crate) fn refused(self) -> String {
        let command = format!("{:?}", self.0);
        let output = self.output();
        let errors = text(&output.stderr);
        let is_refused = !output.status.success() && !errors.contains("panicked");
        assert!(is_refused, "{command}: {errors}");
        errors
    }

    /// Starts it; nobody reads its output.
    pub(crate) fn start(mut self) -> Child {
        self.0.stdout(Stdio::null()).stderr(Stdio::null());
        self.0.spawn().expect("raicho runs")
    }
}

/// What a process printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
