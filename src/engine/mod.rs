//! The engine as every front end uses it: a position, settings, and the searches behind one facade.
//!
//! [`Engine`] keeps the last valid position. After an invalid one, front ends must not search: a
//! move for another board would be a lie, see [`Engine::refusal`]. The engine knows no protocol and
//! writes nowhere; results are returned, or reported through the callback of [`Engine::go`].

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{fmt, path::PathBuf};

use book::Books;
use evaluation::EvalSettings;
use mate::MateSearch;
use thiserror::Error;

use crate::position::{Position, SfenError};
use crate::search::{self, Clock, Event, Info, Limits, PrepareError, Searcher, Skill};
use crate::types::{Color, Depth, Move, Move16, Score};
use crate::util::system::{DEFAULT_TABLE_MB, Instant};
use crate::util::{abbreviate, crowding, shorten};
use crate::{eval::Evaluator, util::system::thread::available_parallelism};

mod book;
mod evaluation;
mod mate;
#[cfg(test)]
mod tests;

pub use book::{BookFile, BookSettings};
pub use evaluation::{EvalFileError, load_evaluator};
pub use mate::{MateAnswer, MateReport};

/// A position, the settings, and the searches.
pub struct Engine {
    position: Position,
    /// Why the last position was refused; `None` if it was valid.
    refusal: Option<String>,
    settings: Settings,
    searcher: Searcher,
    mate_search: MateSearch,
    /// The settings of the last preparation; `None` before the first one.
    prepared: Option<search::Settings>,
    /// Nothing has been searched since the last preparation.
    is_new_game: bool,
    /// The last preparation got all memory and threads that the settings ask for.
    has_all_resources: bool,
    /// Where the evaluation in the search settings came from.
    eval_source: Option<Source<EvalSettings>>,
    /// Description of an evaluation that was loaded, until a front end takes it.
    loaded_evaluation: Option<String>,
    has_reported_missing_king: bool,
    books: Books,
    /// Set while stochastic ponder searches the position before the expected move.
    pending_search: Option<PendingSearch>,
}

/// The settings by which something was loaded, and the state of its files. It is loaded again when
/// they differ.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Source<S> {
    settings: S,
    /// The files with modification time and size, if they have them.
    files: Vec<(PathBuf, Option<SystemTime>, u64)>,
}

impl<S> Source<S> {
    fn new(settings: S, paths: &[PathBuf]) -> Self {
        let stamp = |path: &PathBuf| {
            let metadata = path.metadata().ok();
            let time = metadata.as_ref().and_then(|known| known.modified().ok());
            (path.clone(), time, metadata.map_or(0, |known| known.len()))
        };
        let files = paths.iter().map(stamp).collect();
        Self { settings, files }
    }
}

/// Something that is not as the settings ask. The engine works on, as the text says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What is wrong, and what is used instead.
    pub text: String,
    /// Whether something was not done; otherwise it is only worth knowing.
    pub is_error: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Problem {
    pub(crate) fn error(text: impl fmt::Display) -> Self {
        let (text, is_error) = (text.to_string(), true);
        Self { text, is_error }
    }

    fn warning(text: impl fmt::Display) -> Self {
        let (text, is_error) = (text.to_string(), false);
        Self { text, is_error }
    }

    fn of_search(error: &PrepareError) -> Self {
        Self::error(format!("{error}, {}", error.used()))
    }

    /// More threads than are used.
    fn of_crowding(threads: usize) -> Option<Self> {
        let most = search::max_threads();
        let warning = crowding(threads).filter(|_| threads > most)?;
        Some(Self::warning(format!("warning: {warning}, {most} are used")))
    }

    /// The evaluation needs both kings, and the position has fewer.
    fn missing_king() -> Self {
        Self::warning(
            "the evaluation needs both kings on the board, here the material is counted instead",
        )
    }

    /// The text of an [`Event::Note`] about it.
    fn note(&self) -> String {
        if self.is_error { abbreviate(format!("error: {}", self.text)) } else { self.text.clone() }
    }
}

/// Why `position` is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The SFEN of the start position.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// One of the moves: why, and which.
    #[error("{0}")]
    Move(String),
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine at the start position. Cheap: [`Self::prepare`] allocates the memory of the
    /// search.
    pub fn new() -> Self {
        Self {
            position: Position::startpos(),
            refusal: None,
            settings: Settings::default(),
            searcher: Searcher::new(),
            mate_search: MateSearch::default(),
            prepared: None,
            is_new_game: false,
            has_all_resources: false,
            eval_source: None,
            loaded_evaluation: None,
            has_reported_missing_king: false,
            books: Books::default(),
            pending_search: None,
        }
    }

    /// The last valid position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Sets up the position after `moves` from `sfen`, or from the start position of the game.
    ///
    /// # Errors
    /// Says what is wrong and where. The last valid position stays, and [`Self::refusal`] repeats
    /// the error until a position is set up.
    pub fn set_position(
        &mut self,
        sfen: Option<&str>,
        moves: &[String],
    ) -> Result<(), PositionError> {
        match build_position(sfen, moves) {
            Ok(position) => {
                self.position = position;
                self.refusal = None;
                Ok(())
            }
            Err(error) => {
                self.refuse_position(error.to_string());
                Err(error)
            }
        }
    }

    /// Sets up a position that needs no check.
    pub fn set_valid_position(&mut self, position: Position) {
        self.position = position;
        self.refusal = None;
    }

    /// Records that a front end could not read the position that it was sent.
    pub fn refuse_position(&mut self, reason: String) {
        self.refusal = Some(reason);
    }

    /// The legal move of the current position that `text` names.
    ///
    /// # Errors
    /// Says why there is no such move.
    pub fn parse_move(&self, text: &str) -> Result<Move, String> {
        parse_move(&self.position, text)
    }

    /// Why the last position was refused, `None` if it was valid.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// The settings that the next search uses.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings, to change them. A running search keeps the settings of its start.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Loads evaluation and books, allocates table and threads, and clears them for a new game.
    /// Takes a second per few GB of table; does nothing if nothing was searched or changed since
    /// the last call.
    pub fn prepare(&mut self) -> Vec<Problem> {
        self.finish();
        let mut problems = self.load_evaluation();
        let books = self.books.load(&self.settings.book);
        problems.extend(books);
        let is_prepared = |prepared: &search::Settings| fits(prepared, &self.settings.search);
        let is_ready = self.is_new_game && self.has_all_resources;
        if is_ready && self.prepared.as_ref().is_some_and(is_prepared) {
            return problems;
        }
        let search = self.searcher.prepare(&self.settings.search).err();
        self.has_all_resources = search.is_none();
        let settings = &self.settings.search;
        let (threads, hash_mb) = (settings.threads, settings.hash_mb);
        log::debug!("ready: {threads} threads, {hash_mb} MB");
        self.prepared = Some(self.settings.search.clone());
        self.is_new_game = true;
        let search = search.iter().map(Problem::of_search);
        search.chain(Problem::of_crowding(threads)).chain(problems).collect()
    }

    /// Loads the evaluation that the settings name, unless it is loaded. Values in the table come
    /// from the evaluation, so another one requires a new preparation.
    fn load_evaluation(&mut self) -> Vec<Problem> {
        let source = evaluation::source(&self.settings);
        if self.eval_source.as_ref() == Some(&source) {
            return Vec::new();
        }
        let (evaluator, problems) = evaluation::load(&source.settings);
        self.loaded_evaluation = Some(evaluation::description(&evaluator));
        self.settings.search.evaluator = evaluator;
        self.eval_source = Some(source);
        self.prepared = None;
        problems
    }

    /// Loads another evaluation if the settings were changed. A file that was replaced is loaded by
    /// the next [`Self::prepare`] only, so that the evaluation stays the same during a game.
    fn update_evaluation(&mut self) -> Vec<Problem> {
        match &self.eval_source {
            Some(source) if source.settings == evaluation::settings_of(&self.settings) => {
                Vec::new()
            }
            _ => self.load_evaluation(),
        }
    }

    /// Describes the evaluation in one line, once after each time that it was loaded.
    pub fn take_loaded_evaluation(&mut self) -> Option<String> {
        self.loaded_evaluation.take()
    }

    /// Describes each book in one line, once after each time that it was loaded.
    pub fn take_loaded_books(&mut self) -> Vec<String> {
        self.books.take_loaded()
    }

    /// Explains the static evaluation of the position: as in the search that of material where a
    /// network lacks a king. Also returns the problems of loading it.
    pub fn explain(&mut self) -> (String, Vec<Problem>) {
        let mut problems = if self.is_searching() {
            Vec::new() // The next search loads it.
        } else {
            self.update_evaluation()
        };
        let evaluator = if self.lacks_king() {
            problems.push(Problem::missing_king());
            &Evaluator::Material
        } else {
            &self.settings.search.evaluator
        };
        (evaluator.explain(&self.position), problems)
    }

    /// Whether the evaluation needs a king that is not on the board.
    fn lacks_king(&self) -> bool {
        let is_missing = |side| self.position.king(side).is_none();
        !self.settings.search.evaluator.is_material() && Color::ALL.into_iter().any(is_missing)
    }

    /// The first time that a search lacks a king, the warning about it.
    fn missing_king(&mut self) -> Option<Problem> {
        let is_new = !self.has_reported_missing_king && self.lacks_king();
        self.has_reported_missing_king |= is_new;
        is_new.then(Problem::missing_king)
    }

    /// Clears table and histories, if anything was searched since the last preparation.
    pub fn new_game(&mut self) -> Vec<Problem> {
        if self.prepared.is_some() && !self.is_new_game { self.prepare() } else { Vec::new() }
    }

    /// Whether [`Self::go`] has nothing to load or to allocate first.
    pub fn is_ready_to_go(&self) -> bool {
        let (settings, source) = (&self.settings, self.eval_source.as_ref());
        let prepared = self.prepared.as_ref();
        source.is_some_and(|source| source.settings == evaluation::settings_of(settings))
            && prepared.is_some_and(|prepared| fits(prepared, &settings.search))
            && (!settings.book.is_on || self.books.is_loaded(&settings.book))
    }

    /// Starts to search the position and returns at once. `on_event` is called from the search; the
    /// last event is the only [`Event::Done`]. A running search is ended first. A move of a game
    /// with clocks is taken from the books, if they have one. What had to be loaded first, and what
    /// was wrong with it, are the first events.
    pub fn go(&mut self, mut limits: Limits, mut on_event: Box<dyn FnMut(Event) + Send>) {
        self.finish();
        let rule = self.settings.search.entering_king_rule;
        // A weak player does not know openings by heart for long.
        let knows_books = self.position.game_ply() <= self.settings.skill().book_plies();
        if knows_books && self.position.declaration(rule).is_none() {
            let (position, settings) = (&self.position, &self.settings.book);
            let Some(back) = self.books.go(position, &limits, settings, on_event) else {
                return;
            };
            on_event = back;
        }
        // What an earlier preparation loaded is not news of this search.
        (self.loaded_evaluation, _) = (None, self.books.take_loaded());
        let mut problems = self.update_evaluation();
        problems.extend(match &self.prepared {
            None => self.prepare(),
            Some(prepared) if fits(prepared, &self.settings.search) => Vec::new(),
            Some(prepared) if !has_same_rules(prepared, &self.settings.search) => self.prepare(),
            Some(_) => {
                let result = self.searcher.adapt(&self.settings.search);
                self.prepared = Some(self.settings.search.clone());
                let crowding = Problem::of_crowding(self.settings.search.threads);
                result.err().iter().map(Problem::of_search).chain(crowding).collect()
            }
        });
        problems.extend(self.missing_king());
        let loaded = self.loaded_evaluation.take().into_iter();
        let problems = problems.iter().map(Problem::note);
        for text in problems.chain(loaded).chain(self.books.take_loaded()) {
            on_event(Event::Note(text));
        }
        self.is_new_game = false;
        let settings = self.settings.for_search(&mut limits);
        let (searcher, position) = (&mut self.searcher, &self.position);
        if limits.ponder && self.settings.stochastic_ponder {
            self.pending_search =
                PendingSearch::start(searcher, position, limits, settings, on_event);
        } else {
            searcher.go(position.clone(), limits, &settings, on_event);
        }
    }

    /// Starts to search a mate for the side to move, for at most `time` after `start`, and returns
    /// at once. The first move is one of `search_moves`, any if there are none. `on_report` is
    /// called from the search; the last report is the only [`MateReport::Done`]. A running search
    /// is ended first.
    pub fn go_mate(
        &mut self,
        search_moves: Vec<Move>,
        start: Instant,
        time: Option<Duration>,
        on_report: Box<dyn FnMut(MateReport) + Send>,
    ) {
        self.finish();
        self.mate_search.go(
            self.position.clone(),
            &self.settings,
            search_moves,
            start,
            time,
            on_report,
        );
    }

    /// Asks a running search to decide now.
    pub fn stop(&mut self) {
        self.books.finish();
        if let Some(pending) = self.pending_search.take() {
            pending.run(&mut self.searcher, &self.position);
        }
        self.searcher.stop();
        self.mate_search.stop();
    }

    /// Ends a running search and waits until its decision has been reported.
    pub fn finish(&mut self) {
        self.stop();
        self.searcher.wait();
        self.mate_search.finish();
    }

    /// The opponent has made the expected move: our clock runs from now on. `clock` replaces the
    /// clocks of the start.
    pub fn ponderhit(&mut self, clock: Option<Clock>) {
        if self.books.finish() {
            return;
        }
        match self.pending_search.take() {
            Some(pending) => pending.ponderhit(clock).run(&mut self.searcher, &self.position),
            None => self.searcher.ponderhit(clock),
        }
    }

    /// Whether a search runs. A search that was stopped or is reporting its decision does not
    /// count.
    pub fn is_searching(&self) -> bool {
        self.searcher.is_searching() || self.mate_search.is_running() || self.books.has_pending()
    }
}

/// The position after `moves` from `sfen`, or from the start position of the game.
///
/// # Errors
/// Says what is wrong, and with which move.
fn build_position(sfen: Option<&str>, moves: &[String]) -> Result<Position, PositionError> {
    let mut position = sfen.map_or_else(|| Ok(Position::startpos()), Position::from_sfen)?;
    for (index, text) in moves.iter().enumerate() {
        let mv = parse_move(&position, text).map_err(|error| {
            let (number, count) = (index + 1, moves.len());
            PositionError::Move(format!("{error}, move {number} of {count}"))
        })?;
        position.do_move(mv);
    }
    Ok(position)
}

/// The legal move of `position` that `text` names.
///
/// # Errors
/// Says why there is no such move.
fn parse_move(position: &Position, text: &str) -> Result<Move, String> {
    let shown = shorten(text);
    let Ok(move16) = text.parse::<Move16>() else {
        return Err(format!("\"{shown}\" is not a move, expected for example 7g7f, 8h2b+ or P*5e"));
    };
    position.legal_move(move16).ok_or_else(|| {
        let is_possible = |mv: &Move| position.pseudo_legal(*mv);
        let reason = match position.to_move(move16).filter(is_possible) {
            None if position.in_check() => {
                "the king is in check and no piece of the side to move can answer so"
            }
            None => "no piece of the side to move can make it",
            // A pseudo-legal drop never exposes the own king, so only pawn-drop mate is left.
            Some(mv) if mv.is_drop() => "a dropped pawn must not mate",
            Some(_) => "it leaves the king in check",
        };
        format!("illegal move {shown}, {reason}")
    })
}

/// Whether table and threads of a preparation suit `wanted`. Each search reads the other settings.
fn fits(prepared: &search::Settings, wanted: &search::Settings) -> bool {
    prepared.hash_mb == wanted.hash_mb
        && prepared.threads == wanted.threads
        && has_same_rules(prepared, wanted)
}

/// Whether the values in the table are those of the wanted rules.
fn has_same_rules(prepared: &search::Settings, wanted: &search::Settings) -> bool {
    prepared.entering_king_rule == wanted.entering_king_rule
        && prepared.max_moves_to_draw == wanted.max_moves_to_draw
}

// --- Settings as typed values; option names and their text belong to the front ends ---

/// Upper limit of the default for `Threads`: at usual time controls more threads gain little, and
/// each takes `search::MEGABYTES_PER_THREAD` of memory.
const MOST_DEFAULT_THREADS: usize = 16;

/// Everything that can be set; [`Settings::default`] holds the default of each USI option.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one for each check option")]
pub struct Settings {
    /// Settings that the search reads itself.
    pub search: search::Settings,
    /// Depth limit in plies of a search that was started without one; 0 for none.
    pub depth_limit: u32,
    /// Node limit of a search that was started without one; 0 for none.
    pub nodes_limit: u64,
    /// Report every line, whatever `search.pv_interval` says.
    pub consideration_mode: bool,
    /// While pondering, search the position before the expected move of the opponent.
    pub stochastic_ponder: bool,
    /// Whether `rating` limits the strength.
    pub limits_strength: bool,
    /// Target strength in Elo points. The lower of this and `search.skill` applies.
    pub rating: u32,
    /// File to which a front end logs its dialogue. The engine itself writes no files.
    pub debug_log_file: Option<PathBuf>,
    /// The evaluation to use.
    pub eval_file: EvalFile,
    /// Folder of `nn.bin` or of three-piece files; used only while `eval_file` is
    /// [`EvalFile::Embedded`].
    pub eval_dir: Option<PathBuf>,
    /// Divisor of the network output (`FV_SCALE`); 0 for the value in the file, 16 if it has none.
    pub fv_scale: u32,
    /// The opening books, and how moves are chosen from them.
    pub book: BookSettings,
    /// Size of the mate solver's table in MB.
    pub mate_hash_mb: usize,
    /// After a mate is found, search for shorter ones until the time is over.
    pub mate_shortest: bool,
}

/// The evaluation to use, as `EvalFile` names it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum EvalFile {
    /// The network inside the executable.
    #[default]
    Embedded,
    /// Material only: piece values, no network.
    Material,
    /// A network file, or a folder that holds `nn.bin`.
    Path(PathBuf),
}

impl Default for Settings {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            search: search::Settings {
                threads: cores.min(MOST_DEFAULT_THREADS),
                handicap_contempt: 20,
                ..search::Settings::default()
            },
            depth_limit: 0,
            nodes_limit: 0,
            consideration_mode: false,
            stochastic_ponder: false,
            limits_strength: false,
            rating: Skill::HIGHEST_RATING,
            debug_log_file: None,
            eval_file: EvalFile::default(),
            eval_dir: None,
            fv_scale: 0,
            book: BookSettings::default(),
            mate_hash_mb: DEFAULT_TABLE_MB,
            mate_shortest: false,
        }
    }
}

impl Settings {
    /// The strength of play.
    fn skill(&self) -> Skill {
        let skill = self.search.skill;
        if self.limits_strength { skill.min(Skill::of_rating(self.rating)) } else { skill }
    }

    /// The search settings for one search. Adds the limits that the settings impose to `limits`.
    fn for_search(&self, limits: &mut Limits) -> search::Settings {
        let mut settings = self.search.clone();
        if self.consideration_mode {
            settings.pv_interval = Duration::ZERO;
        }
        // Stochastic ponder searches another position, so no ponder time can be counted on.
        settings.ponder &= !self.stochastic_ponder;
        if limits.depth.is_none() && self.depth_limit > 0 {
            limits.depth = Some(Depth::try_from(self.depth_limit).unwrap_or(Depth::MAX));
        }
        if limits.nodes.is_none() && self.nodes_limit > 0 {
            limits.nodes = Some(self.nodes_limit);
        }
        // Analysis runs at full strength and takes no side.
        settings.skill = if limits.infinite { Skill::FULL } else { self.skill() };
        if limits.infinite {
            settings.handicap_contempt = 0;
        }
        limits.soft_nodes = limits.soft_nodes.or(settings.skill.nodes());
        settings
    }

    /// The file or folder to load; `None` if the evaluation needs no file.
    pub fn eval_path(&self) -> Option<PathBuf> {
        match (&self.eval_file, &self.eval_dir) {
            (EvalFile::Path(path), _) => Some(path.clone()),
            (EvalFile::Embedded, Some(dir)) => Some(dir.clone()),
            (EvalFile::Embedded, None) | (EvalFile::Material, _) => None,
        }
    }
}

impl EvalFile {
    const EMBEDDED: &str = "<embedded>";
    const MATERIAL: &str = "<material>";
}

impl From<&str> for EvalFile {
    /// `<embedded>`, `<empty>` and no text mean the embedded network, `<material>` material only;
    /// any other text is a path.
    fn from(text: &str) -> Self {
        match text {
            "" | "<empty>" | Self::EMBEDDED => Self::Embedded,
            Self::MATERIAL => Self::Material,
            path => Self::Path(PathBuf::from(path)),
        }
    }
}

impl fmt::Display for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str(Self::EMBEDDED),
            Self::Material => f.write_str(Self::MATERIAL),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

// --- Stochastic ponder ---
//
// While the opponent thinks, the position before his expected move is searched instead of the one
// after it, so that the table knows something about every answer.
//
// From outside it is an ordinary ponder search: infos are converted to the position that was asked
// for, and there is one decision. Idea: dlshogi and `YaneuraOu` (option `Stochastic_Ponder`).

type OnEvent = Box<dyn FnMut(Event) + Send>;

/// The search of the requested position, which follows the search of the position before.
struct PendingSearch {
    limits: Limits,
    settings: search::Settings,
    /// Receives the events of both searches.
    on_event: Arc<Mutex<OnEvent>>,
}

impl PendingSearch {
    /// Starts to ponder on the position before the last move of `position`. Without a last move it
    /// starts an ordinary ponder search and returns `None`.
    fn start(
        searcher: &mut Searcher,
        position: &Position,
        limits: Limits,
        settings: search::Settings,
        on_event: OnEvent,
    ) -> Option<Self> {
        let mut before = position.clone();
        let Some(expected) = before.last_move().filter(|_| before.moves_made() > 0) else {
            searcher.go(before, limits, &settings, on_event);
            return None;
        };
        before.undo_move();
        let on_event = Arc::new(Mutex::new(on_event));
        let receiver = Arc::clone(&on_event);
        let report = move |event| {
            if let Some(event) = converted(event, expected) {
                send(&receiver, event);
            }
        };
        let ponder_limits = Limits {
            ponder: true,
            depth: limits.depth,
            nodes: limits.nodes,
            start: limits.start,
            ..Limits::default()
        };
        searcher.go(before, ponder_limits, &settings, Box::new(report));
        Some(Self { limits, settings, on_event })
    }

    /// The opponent made the expected move: the clock of the second search runs from now on.
    fn ponderhit(mut self, clock: Option<Clock>) -> Self {
        self.limits.ponder = false;
        self.limits.start = Instant::now();
        self.limits.clock = clock.or(self.limits.clock);
        self
    }

    /// Ends the first search without a decision and searches `position`, the requested one.
    fn run(self, searcher: &mut Searcher, position: &Position) {
        searcher.stop();
        searcher.wait();
        let receiver = self.on_event;
        searcher.go(
            position.clone(),
            self.limits,
            &self.settings,
            Box::new(move |event| send(&receiver, event)),
        );
    }
}

fn send(receiver: &Mutex<OnEvent>, event: Event) {
    let mut on_event = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    on_event(event);
}

/// An event of the search before the expected move, converted to the position after that move;
/// `None` if it says nothing about that position.
fn converted(event: Event, expected: Move) -> Option<Event> {
    match event {
        Event::Info(info) if info.pv.len() > 1 && info.pv[0] == expected => {
            Some(Event::Info(Info {
                depth: (info.depth - 1).max(1),
                seldepth: (info.seldepth - 1).max(1),
                multi_pv: 1,
                score: one_ply_later(info.score),
                bound: info.bound.flipped(),
                pv: info.pv[1..].to_vec(),
                ..info
            }))
        }
        Event::Info(_) | Event::CurrentMove(_) | Event::Done(_) => None,
        Event::Note(text) => Some(Event::Note(text)),
    }
}

/// The score from the view of the other side, one ply later.
fn one_ply_later(score: Score) -> Score {
    match score {
        Score::Cp(centipawns) => Score::Cp(-centipawns),
        Score::Mate(plies) if plies > 0 => Score::Mate(1 - plies),
        Score::Mate(plies) => Score::Mate(-1 - plies),
    }
}
