//! Opening books in the engine: they are loaded as the settings say, and answer `go` where a clock
//! runs.

use std::path::{Path, PathBuf};
use std::{env, fmt};

use super::{Problem, Source};
use crate::book::{self, Book, BookFormat, BookOptions, Dice, Library, ProbedMove};
use crate::search::{Decision, Event, Info, Limits};
use crate::types::{Bound, Move, Score};
use crate::{position::Position, util::system::metadata};

/// Faults of a book that are reported one by one.
const SHOWN_FAULTS: usize = 3;

type OnEvent = Box<dyn FnMut(Event) + Send>;

/// The settings of opening books.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookSettings {
    /// Whether books are used (`USI_OwnBook`).
    pub is_on: bool,
    /// The books to use (`BookFile`).
    pub file: BookFile,
    /// Folder of the books, beside the executable or in the working folder (`BookDir`).
    pub dir: PathBuf,
    /// How a move is chosen.
    pub options: BookOptions,
}

impl Default for BookSettings {
    fn default() -> Self {
        Self {
            is_on: true,
            file: BookFile::Embedded,
            dir: PathBuf::from("book"),
            options: BookOptions::default(),
        }
    }
}

/// The books to use, as `BookFile` names them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum BookFile {
    /// The book inside the executable.
    #[default]
    Embedded,
    /// No book.
    None,
    /// Files, the most important first; `<embedded>` among them is the book inside the executable.
    Files(Vec<String>),
}

impl BookFile {
    /// The name of the book inside the executable.
    const EMBEDDED: &str = "<embedded>";
    const NONE: &str = "no_book";
    /// Stands between two files.
    const SEPARATOR: char = ';';
}

impl From<&str> for BookFile {
    /// `<embedded>` and no name mean the book inside the executable, `no_book` none; any other text
    /// is a list of files with `;` between them, which may have `<embedded>` among them.
    fn from(text: &str) -> Self {
        let names = text.split(Self::SEPARATOR).map(str::trim);
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        match names[..] {
            [] | ["<empty>" | Self::EMBEDDED] => Self::Embedded,
            [Self::NONE] => Self::None,
            _ => Self::Files(names.into_iter().map(str::to_owned).collect()),
        }
    }
}

impl fmt::Display for BookFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str(Self::EMBEDDED),
            Self::None => f.write_str(Self::NONE),
            Self::Files(names) => f.write_str(&names.join(";")),
        }
    }
}

/// The books of the settings, and the answer that they owe.
#[derive(Default)]
pub(super) struct Books {
    source: Option<Source<LoadSettings>>,
    library: Library,
    /// Descriptions of books that were loaded.
    loaded: Vec<String>,
    /// The answer to `go ponder`, which waits for the end of pondering.
    pending: Option<(Decision, OnEvent)>,
}

/// What decides which books are loaded: their names, their folder, and whether they are searched
/// where they lie.
type LoadSettings = (BookFile, PathBuf, bool);

fn settings_of(settings: &BookSettings) -> LoadSettings {
    let (file, dir) = (settings.file.clone(), settings.dir.clone());
    (file, dir, settings.options.on_the_fly)
}

impl Books {
    /// Loads the books that the settings name, unless they are loaded or not used.
    pub(super) fn load(&mut self, settings: &BookSettings) -> Vec<Problem> {
        if !settings.is_on {
            return Vec::new();
        }
        let (paths, missing) = paths_of(settings);
        let source = Source::new(settings_of(settings), &paths);
        if self.source.as_ref() == Some(&source) {
            return Vec::new();
        }
        // The old books are freed first, so that both never exist at once.
        self.library = Library::default();
        let not_found = |missing: &Missing| {
            let Missing { name, places } = missing;
            Problem::error(format!("no book \"{name}\" in {places}, the game goes on without it"))
        };
        let mut problems: Vec<Problem> = missing.iter().map(not_found).collect();
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
                Err(error) => {
                    let text = format!("{error}, the game goes on without it");
                    problems.push(Problem::error(text));
                }
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
        source.is_some_and(|source| source.settings == settings_of(settings))
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
                on_event(Event::Note(format!("error: {}", problem.text)));
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

fn describe(book: &Book) -> String {
    if book.has_no_plies() {
        format!("{book}, positions are found at any ply")
    } else {
        book.to_string()
    }
}

/// The first faults of a book, and how many more there are.
fn faults_of(book: &Book) -> Vec<Problem> {
    let log = book.faults();
    let path = book.path().display();
    let problem = |fault: String| Problem::error(format!("book \"{path}\", {fault}"));
    let shown = log.first().iter().take(SHOWN_FAULTS);
    let mut problems: Vec<_> = shown.map(|fault| problem(fault.to_string())).collect();
    let more = log.count().saturating_sub(problems.len() as u64);
    if more > 0 {
        problems.push(problem(format!("{more} more faults, see raicho book validate")));
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
    Some(Decision::Move { best: chosen.mv, ponder })
}

fn info(
    multi_pv: usize,
    probed: &ProbedMove,
    format: BookFormat,
    pv: Vec<Move>,
    limits: &Limits,
) -> Event {
    let depth = if format.has_depths() { probed.known.depth.max(0) } else { 0 };
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

// --- Files that the settings name ---

/// Most numbered parts of a book (`NAME-000.db`, `NAME-001.db`, …).
const MOST_PARTS: usize = 1000;

/// A name for which there is no file.
struct Missing {
    name: String,
    /// Where it was looked for.
    places: String,
}

/// The files that the settings name, in the order of priority, and those that are missing. The book
/// inside the executable is among them by its name.
fn paths_of(settings: &BookSettings) -> (Vec<PathBuf>, Vec<Missing>) {
    let embedded = || PathBuf::from(BookFile::EMBEDDED);
    let names = match &settings.file {
        BookFile::Embedded => return (vec![embedded()], Vec::new()),
        BookFile::None => return (Vec::new(), Vec::new()),
        BookFile::Files(names) => names,
    };
    let (mut paths, mut missing) = (Vec::new(), Vec::new());
    for name in names {
        let places = places_of(name, &settings.dir);
        let found =
            if name == BookFile::EMBEDDED { vec![embedded()] } else { first_found(&places) };
        if found.is_empty() {
            let folders = places.iter().filter_map(|place| place.parent());
            let folders = folders.map(|folder| format!("\"{}\"", folder.display()));
            missing.push(Missing {
                name: name.clone(),
                places: folders.collect::<Vec<_>>().join(" or "),
            });
        }
        for path in found {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    (paths, missing)
}

/// The parts and the file at the first place that has any: an old copy in another folder must not
/// answer where the first has no move.
fn first_found(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = places.iter().map(|place| parts_and_file(place));
    found.find(|paths| !paths.is_empty()).unwrap_or_default()
}

/// Where a book may be: a path as it is, a name in the folder of books.
fn places_of(name: &str, dir: &Path) -> Vec<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return vec![path.to_owned()];
    }
    let executable = env::current_exe().ok();
    let beside = executable.as_deref().and_then(Path::parent);
    let beside = beside.map(|folder| folder.join(dir).join(path));
    let here = env::current_dir().unwrap_or_default();
    let in_folders = [beside, Some(here.join(dir).join(path))];
    let mut places: Vec<PathBuf> = in_folders.into_iter().flatten().collect();
    if path.components().count() > 1 {
        places.insert(0, here.join(path));
    } else {
        places.push(here.join(path));
    }
    places.dedup();
    places
}

/// The numbered parts of a book and the book itself, as far as they exist. Without an `X.db` its
/// place is taken by `X.ybb`.
fn parts_and_file(path: &Path) -> Vec<PathBuf> {
    let existing = |path: PathBuf| {
        let other = path.with_extension("ybb");
        let is_db = path.extension().is_some_and(|extension| extension == "db");
        match (metadata(&path).is_ok(), is_db && metadata(&other).is_ok()) {
            (true, _) => Some(path),
            (false, true) => Some(other),
            (false, false) => None,
        }
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let part = |number: usize| {
        let name = format!("{stem}-{number:03}.db");
        existing(path.with_file_name(name))
    };
    let parts = (0..MOST_PARTS).map_while(part);
    parts.chain(existing(path.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::TestFolder;

    #[test]
    fn names_are_told_apart_from_words() {
        for text in ["", "<empty>", "<embedded>", ";", " ; "] {
            assert_eq!(BookFile::from(text), BookFile::Embedded, "{text}");
        }
        assert_eq!(BookFile::from("no_book"), BookFile::None);
        let files = BookFile::from(" a.db;; <embedded>");
        assert_eq!(files.to_string(), "a.db;<embedded>");
    }

    fn names(paths: &[PathBuf]) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().map(|name| name.display().to_string());
        paths.iter().filter_map(name).collect()
    }

    #[test]
    fn parts_come_first_and_ybb_stands_in_for_db() {
        let folder = TestFolder::new();
        for name in "a-000.db a-001.ybb a-003.db a.db b.ybb c.bin".split(' ') {
            folder.write(name, "x");
        }
        let settings = |files: &str| BookSettings {
            file: BookFile::from(files),
            dir: folder.0.clone(),
            ..BookSettings::default()
        };
        let (paths, missing) = paths_of(&settings("a.db; b.db;c.bin;d.db;a.db"));
        let expected = ["a-000.db", "a-001.ybb", "a.db", "b.ybb", "c.bin"];
        assert_eq!(names(&paths), expected);
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].name, "d.db");
        let whole = folder.file("c.bin").display().to_string();
        let (paths, missing) = paths_of(&settings(&whole));
        let expected = (vec!["c.bin".to_owned()], 0);
        assert_eq!((names(&paths), missing.len()), expected);
        assert!(paths_of(&settings("no_book")).0.is_empty());
        assert_eq!(names(&paths_of(&settings("<embedded>")).0), ["<embedded>"]);
        let (paths, missing) = paths_of(&settings("c.bin;<embedded>"));
        assert_eq!(names(&paths), ["c.bin", "<embedded>"]);
        assert!(missing.is_empty());
    }

    #[test]
    fn the_first_place_that_has_the_name_counts() {
        let folder = TestFolder::new();
        let none = folder.file("none/a.db");
        let [first, second] = ["first/a.db", "second/a.db"].map(|name| folder.write(name, "x"));
        let places = [none, first, second];
        assert_eq!(first_found(&places), places[1..2]);
    }
}
