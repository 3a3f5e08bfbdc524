//! Opening books in the engine: they are loaded as the settings say, and answer `go` where a clock
//! runs.

mod files;
mod settings;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thiserror::Error;

use crate::book::{self, Book, BookError, BookFormat, BookOptions, Dice, Library, ProbedMove};
use crate::position::Position;
use crate::search::{Decision, Event, Info, Limits};
use crate::types::{Bound, Move, Score};

use files::paths_of;
pub use settings::{BookFile, BookSettings};

/// Faults of a book that are reported one by one.
const SHOWN_FAULTS: usize = 3;

type OnEvent = Box<dyn FnMut(Event) + Send>;

/// A problem with a book; the engine plays on, as the message says.
#[derive(Debug, Error)]
pub enum BookProblem {
    /// There is no such file.
    #[error("no book \"{name}\" in {places}, the game goes on without it")]
    NotFound {
        /// Its name.
        name: String,
        /// Where it was looked for.
        places: String,
    },
    /// The file is no book.
    #[error("{0}, the game goes on without it")]
    Broken(#[from] BookError),
    /// A part of the book is skipped.
    #[error("book \"{}\", {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: String,
    },
}

/// The books of the settings, and the answer that they owe.
#[derive(Default)]
pub(super) struct Books {
    source: Option<BookSource>,
    library: Library,
    /// Descriptions of books that were loaded.
    loaded: Vec<String>,
    /// The answer to `go ponder`, which waits for the end of pondering.
    pending: Option<(Decision, OnEvent)>,
}

/// The settings and the state of the files that books were loaded from. They are loaded again when
/// these differ.
#[derive(Clone, PartialEq, Eq, Debug)]
struct BookSource {
    file: BookFile,
    dir: PathBuf,
    on_the_fly: bool,
    /// The files that were found, with modification time and size.
    files: Vec<(PathBuf, Option<SystemTime>, u64)>,
}

impl Books {
    /// Loads the books that the settings name, unless they are loaded or not used.
    pub(super) fn load(&mut self, settings: &BookSettings) -> Vec<BookProblem> {
        if !settings.is_on {
            return Vec::new();
        }
        let (paths, missing) = paths_of(settings);
        let source = BookSource::new(settings, &paths);
        if self.source.as_ref() == Some(&source) {
            return Vec::new();
        }
        // The old books are freed first, so that both never exist at once.
        self.library = Library::default();
        let missing = missing.into_iter().map(|missing| BookProblem::NotFound {
            name: missing.name,
            places: missing.places,
        });
        let mut problems: Vec<BookProblem> = missing.collect();
        let mut books = Vec::new();
        for path in &paths {
            if *path == Path::new(BookFile::EMBEDDED) {
                books.extend(Book::embedded());
                continue;
            }
            match Book::open(path, settings.options.on_the_fly) {
                Ok(book) => {
                    problems.extend(faults_of(&book));
                    books.push(book);
                }
                Err(error) => problems.push(error.into()),
            }
        }
        self.loaded.extend(books.iter().map(describe));
        self.library = Library::new(books);
        self.source = Some(source);
        problems
    }

    /// Whether the books of the settings are loaded.
    pub(super) fn is_loaded(&self, settings: &BookSettings) -> bool {
        let source = self.source.as_ref();
        source.is_some_and(|source| source.matches(settings))
    }

    /// Describes each book in one line, once after each time that it was loaded.
    pub(super) fn take_loaded(&mut self) -> Vec<String> {
        std::mem::take(&mut self.loaded)
    }

    /// Answers `go` from the books, after a ponder search when that ends. Gives `on_event` back if
    /// the position must be searched.
    pub(super) fn go(
        &mut self,
        position: &Position,
        limits: &Limits,
        settings: &BookSettings,
        mut on_event: OnEvent,
    ) -> Option<OnEvent> {
        if !settings.is_on || !is_for_books(limits) {
            return Some(on_event);
        }
        if !self.is_loaded(settings) {
            for problem in self.load(settings) {
                on_event(Event::Note(format!("error: {problem}")));
            }
            for text in self.take_loaded() {
                on_event(Event::Note(text));
            }
        }
        let options = &settings.options;
        let decision = answer(&self.library, position, limits, options, &mut on_event);
        let Some(decision) = decision else {
            return Some(on_event);
        };
        self.pending = Some((decision, on_event));
        if !limits.ponder {
            self.finish();
        }
        None
    }

    /// Gives the answer that waits, if there is one.
    pub(super) fn finish(&mut self) -> bool {
        let pending = self.pending.take();
        let is_answered = pending.is_some();
        if let Some((decision, mut on_event)) = pending {
            on_event(Event::Done(decision));
        }
        is_answered
    }

    /// Whether an answer waits.
    pub(super) const fn has_pending(&self) -> bool {
        self.pending.is_some()
    }
}

impl BookSource {
    fn new(settings: &BookSettings, paths: &[PathBuf]) -> Self {
        let stamp = |path: &PathBuf| {
            let metadata = path.metadata().ok();
            let time = metadata.as_ref().and_then(|known| known.modified().ok());
            let size = metadata.map_or(0, |known| known.len());
            (path.clone(), time, size)
        };
        Self {
            file: settings.file.clone(),
            dir: settings.dir.clone(),
            on_the_fly: settings.options.on_the_fly,
            files: paths.iter().map(stamp).collect(),
        }
    }

    /// Whether the settings still name these books, whether or not the files have changed.
    fn matches(&self, settings: &BookSettings) -> bool {
        self.file == settings.file
            && self.dir == settings.dir
            && self.on_the_fly == settings.options.on_the_fly
    }
}

fn describe(book: &Book) -> String {
    if book.has_no_plies() {
        format!("{book}, positions are found at any ply")
    } else {
        book.to_string()
    }
}

/// The first faults of a book, and how many more there are.
fn faults_of(book: &Book) -> Vec<BookProblem> {
    let log = book.faults();
    let problem = |fault: String| BookProblem::Fault {
        path: book.path().to_owned(),
        fault,
    };
    let shown = log.first().iter().take(SHOWN_FAULTS);
    let mut problems: Vec<_> = shown.map(|fault| problem(fault.to_string())).collect();
    let more = log.count().saturating_sub(problems.len() as u64);
    if more > 0 {
        problems.push(problem(format!(
            "{more} more faults, see raicho book validate"
        )));
    }
    problems
}

/// Whether a search plays a move of a game with clocks, for which books are used.
fn is_for_books(limits: &Limits) -> bool {
    limits.clock.is_some()
        && limits.movetime.is_none()
        && limits.depth.is_none()
        && limits.nodes.is_none()
        && !limits.infinite
        && limits.search_moves.is_empty()
}

/// Asks the books and reports the line of the move that is played, then those of the other moves.
/// `None` if the position must be searched; illegal moves of a book are reported in any case.
fn answer(
    library: &Library,
    position: &Position,
    limits: &Limits,
    options: &BookOptions,
    report: &mut dyn FnMut(Event),
) -> Option<Decision> {
    let mut dice = Dice::new(options.seed, position);
    if library.books().is_empty() || dice.ignores_books(options) {
        return None;
    }
    let probe = book::probe(library, position, options);
    for fault in &probe.faults {
        let path = library.books()[probe.book].path().display();
        report(Event::Note(format!("error: book \"{path}\", {fault}")));
    }
    let chosen = dice.choose(&probe)?;
    let ponder = book::ponder_move(library, position, chosen, options);
    let line = book::line(library, position, chosen.mv, ponder, options);
    let format = library.books()[probe.book].format();
    report(info(1, chosen, format, line, limits));
    let others = probe.moves.iter().filter(|probed| probed.mv != chosen.mv);
    for (index, probed) in others.enumerate() {
        // Looking up more positions than those of the played line would take too long on a disk.
        report(info(index + 2, probed, format, vec![probed.mv], limits));
    }
    Some(Decision::Move {
        best: chosen.mv,
        ponder,
    })
}

fn info(
    multi_pv: usize,
    probed: &ProbedMove,
    format: BookFormat,
    pv: Vec<Move>,
    limits: &Limits,
) -> Event {
    let depth = if format.has_depths() {
        probed.known.depth.max(0)
    } else {
        0
    };
    Event::Info(Info {
        depth,
        seldepth: depth,
        multi_pv,
        score: Score::Cp(probed.known.value),
        bound: Bound::Exact,
        nodes: 0,
        time: limits.start.elapsed(),
        hashfull: 0,
        pv,
    })
}
