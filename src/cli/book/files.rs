//! Books that need no search: `raicho book convert` turns a book into another format, `validate`
//! finds the faults of a book and writes its good entries, `info` counts what is in it, `merge` and
//! `sort` put positions into order, each once, `from-games` makes a book of the moves of games, and
//! `minimax` carries values back over the graph of a book. `probe` prints the moves that the engine
//! would choose from, a line for each position, and `show` a position and its moves for people.

use std::path::{Path, PathBuf};
use std::{fmt, io::Write as _, str::FromStr};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::{
    InputArguments, OutputArguments, print_extras, print_faults, print_written, write_book,
};
use super::{SORT_MEMORY, print_losses};
use crate::book::{self, Book, BookEntry, BookFormat, BookOptions, BookReader, Checker, FaultLog};
use crate::book::{Library, Probe, ProbedMove, Refusal, order_key, ponder_move};
use crate::cli::arguments::{Named, formats, numbered_lines, one_of, read_bytes, set_position};
use crate::cli::error::{as_usage, bail_usage, ensure_usage, usage_error};
use crate::cli::{output, result_file};
use crate::lang::{self, Lang};
use crate::makebook::games::{self, GamesSettings};
use crate::makebook::{self, MergeRule, MergeSettings, SortedWriter, for_each_entry, minimax};
use crate::usi::options::{Change, set_option};
use crate::{cli::progress::watched_in, records::teacher::Format, train::data::Sources};
use crate::{engine::Engine, position::Position, types::Color, util::counted};

/// Example: `raicho book convert user_book1.db --out user_book1.ybb`
#[derive(Args)]
#[command(before_help = "Example: raicho book convert user_book1.db --out user_book1.ybb")]
pub(super) struct ConvertArguments {
    #[command(flatten)]
    book: InputArguments,

    #[command(flatten)]
    output: OutputArguments,

    /// Write this depth for all moves: `minimax` and quick searches leave small ones, at which
    /// `BookDepthLimit` would leave a position aside
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16))]
    depth: Option<u16>,

    /// Leave out moves that are worth less than the best one by more centipawns
    #[arg(long, value_name = "CP")]
    loss: Option<u32>,
}

pub(super) fn convert(arguments: &ConvertArguments, lang: Lang) -> Result<()> {
    let format = arguments.output.check([&*arguments.book.path])?;
    let mut writer = SortedWriter::new(&arguments.output.out, format, SORT_MEMORY);
    let book = &arguments.book.path;
    print_extras(lang, &BookReader::open(book)?.extras())?;
    let mut faults = FaultLog::default();
    for_each_entry(book, &mut faults, |mut entry| {
        if let Some(loss) = arguments.loss {
            drop_losing(&mut entry, loss);
        }
        if let Some(depth) = arguments.depth {
            for known in &mut entry.moves {
                known.depth = depth.into();
            }
        }
        writer.add(&entry)
    })?;
    print_faults(book, &faults);
    write_book(writer, &arguments.output.out, lang)
}

/// Removes the moves whose values are more than `loss` below that of the best one.
fn drop_losing(entry: &mut BookEntry, loss: u32) {
    let best = entry.moves.iter().map(|known| known.value).max();
    let least = best.map(|best| i64::from(best) - i64::from(loss));
    entry.moves.retain(|known| least.is_none_or(|least| i64::from(known.value) >= least));
}

/// Example: `raicho book validate user_book1.db --skip good.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book validate user_book1.db --skip good.db")]
pub(super) struct ValidateArguments {
    #[command(flatten)]
    book: InputArguments,

    /// Write the good entries to FILE, whose extension determines the format; faults then do not
    /// make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,
}

pub(super) fn validate(arguments: &ValidateArguments, lang: Lang) -> Result<()> {
    let path = &arguments.book.path;
    let mut writer = match &arguments.skip {
        Some(out) => {
            let output = OutputArguments { out: out.clone(), force: false };
            let format = output.check([&**path])?;
            Some(SortedWriter::new(out, format, SORT_MEMORY))
        }
        None => None,
    };
    let mut reader = BookReader::open_strictly(path)?;
    let mut checker = Checker::new(reader.format());
    let (mut positions, mut faults) = (0_u64, 0_u64);
    let mut found = Vec::new();
    while let Some(entry) = reader.next() {
        match entry {
            Ok(mut entry) => {
                positions += 1;
                let is_good = checker.check(&mut entry, reader.place(), &mut found);
                if is_good && let Some(writer) = &mut writer {
                    writer.add(&entry)?;
                }
            }
            Err(fault) => found.push(fault),
        }
        faults += found.len() as u64;
        for fault in found.drain(..) {
            output::print_line(format_args!("{fault}"))?;
        }
    }
    output::print_line(lang.book_checked(
        path.display(),
        lang.positions(positions),
        lang.faults(faults),
    ))?;
    if let (Some(writer), Some(out)) = (writer, &arguments.skip) {
        return write_book(writer, out, lang);
    }
    ensure!(faults == 0, "{}; --skip FILE writes the good entries", counted(faults, "fault"));
    Ok(())
}

// --- Counts ---

/// Example: `raicho book info user_book1.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book info user_book1.db")]
pub(super) struct InfoArguments {
    /// Books, of any format
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
}

pub(super) fn info(arguments: &InfoArguments, lang: Lang) -> Result<()> {
    for path in &arguments.books {
        let summary = Summary::of(path)?;
        output::print(format_args!("{}\n{}", path.display(), summary.text(lang)))?;
    }
    Ok(())
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Default)]
struct Range<T>(Option<(T, T)>);

impl<T: Ord + Copy> Range<T> {
    fn add(&mut self, number: T) {
        let (least, most) = self.0.unwrap_or((number, number));
        self.0 = Some((least.min(number), most.max(number)));
    }
}

impl<T: fmt::Display> Range<T> {
    fn text(&self, lang: Lang) -> String {
        match &self.0 {
            Some((least, most)) => lang.range(least, most),
            None => "-".to_owned(),
        }
    }
}

/// A book and its counts.
struct Summary {
    format: BookFormat,
    bytes: u64,
    counts: Counts,
    faults: u64,
    is_sorted: bool,
    last_key: Vec<u8>,
}

#[derive(Default)]
struct Counts {
    positions: u64,
    without_moves: u64,
    moves: u64,
    ponder_moves: u64,
    plies: Range<u32>,
    moves_each: Range<usize>,
    values: Range<i32>,
    depths: Range<i32>,
    played: u64,
}

impl Summary {
    fn of(path: &Path) -> Result<Self> {
        let reader = BookReader::open(path)?;
        let mut summary = Self {
            format: reader.format(),
            bytes: path.metadata()?.len(),
            counts: Counts::default(),
            faults: 0,
            is_sorted: true,
            last_key: Vec::new(),
        };
        for entry in reader {
            match entry {
                Ok(entry) => summary.add(&entry),
                Err(_) => summary.faults += 1,
            }
        }
        Ok(summary)
    }

    fn add(&mut self, entry: &BookEntry) {
        let counts = &mut self.counts;
        counts.positions += 1;
        counts.without_moves += u64::from(entry.moves.is_empty());
        counts.moves += entry.moves.len() as u64;
        counts.plies.add(entry.ply);
        counts.moves_each.add(entry.moves.len());
        for known in &entry.moves {
            counts.ponder_moves += u64::from(known.ponder.is_some());
            if self.format.has_values() {
                counts.values.add(known.value);
            }
            if self.format.has_depths() {
                counts.depths.add(known.depth);
            }
            counts.played = counts.played.saturating_add(known.count);
        }
        let key = order_key(self.format, entry);
        self.is_sorted &= self.last_key <= key;
        self.last_key = key;
    }

    /// The counts, a line each.
    fn text(&self, lang: Lang) -> String {
        let counts = &self.counts;
        let mut positions = lang.info_positions(counts.positions);
        if counts.without_moves > 0 {
            positions += &lang.info_without_moves(counts.without_moves);
        }
        let mut lines = vec![
            lang.info_format(self.format, self.bytes),
            positions,
            lang.info_moves(counts.moves, counts.moves_each.text(lang)),
            lang.info_answers(counts.ponder_moves),
            lang.info_plies(counts.plies.text(lang)),
            lang.info_values(counts.values.text(lang)),
            lang.info_depths(counts.depths.text(lang)),
            lang.info_counts(counts.played),
        ];
        // The other formats have no order.
        if matches!(self.format, BookFormat::Db | BookFormat::Ybb) {
            lines.push(if self.is_sorted { lang.info_sorted() } else { lang.info_not_sorted() });
        }
        if counts.positions > 1 && counts.plies.0 == Some((1, 1)) {
            lines.push(lang.info_plies_are_1());
        }
        if self.faults > 0 {
            lines.push(lang.info_faults(self.faults));
        }
        lines.join("\n") + "\n"
    }
}

// --- Merging ---

/// Example: `raicho book merge old.db new.db --rule newer --out both.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book merge old.db new.db --rule newer --out both.db")]
pub(super) struct MergeArguments {
    /// The books, of any formats, the oldest first
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,

    /// Which moves count for a position that is in several books: those searched `deeper`, those of
    /// the `newer` book (named later), or all of them, `weighted` by their counts
    #[arg(long, value_name = "RULE", default_value = "deeper", value_parser = one_of(&RULES))]
    rule: MergeRule,

    /// Which positions of each book count: a letter for each book, `b` where black is to move, `w`
    /// where white is, `a` for all. `bw` takes black's moves from the first book and white's from
    /// the second
    #[arg(long, value_name = "LETTERS")]
    sides: Option<Sides>,

    #[command(flatten)]
    output: OutputArguments,
}

const RULES: [(&str, MergeRule); 3] =
    [("deeper", MergeRule::Deeper), ("newer", MergeRule::Newer), ("weighted", MergeRule::Weighted)];

/// The side to move of the positions that count in each book.
#[derive(Clone, Debug)]
struct Sides(Vec<Option<Color>>);

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let letters = text.chars().map(|letter| match letter {
            'b' => Ok(Some(Color::Black)),
            'w' => Ok(Some(Color::White)),
            'a' => Ok(None),
            _ => Err(format!("'{letter}' is no side, expected b, w or a")),
        });
        letters.collect::<Result<_, _>>().map(Self)
    }
}

/// Example: `raicho book sort book.db --out sorted.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book sort book.db --out sorted.db")]
pub(super) struct SortArguments {
    #[command(flatten)]
    book: InputArguments,

    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn merge(arguments: &MergeArguments, lang: Lang) -> Result<()> {
    let sides = arguments.sides.as_ref().map(|sides| &*sides.0);
    if let Some(sides) = sides {
        ensure_usage!(
            sides.len() == arguments.books.len(),
            "--sides has {}, expected one for each of the {}",
            counted(sides.len(), "letter"),
            counted(arguments.books.len(), "book")
        );
    }
    let settings = MergeSettings {
        rule: arguments.rule,
        sides: sides.unwrap_or_default().to_vec(),
        memory: SORT_MEMORY,
    };
    merge_books(&arguments.books, &arguments.output, &settings, lang)
}

pub(super) fn sort(arguments: &SortArguments, lang: Lang) -> Result<()> {
    let settings =
        MergeSettings { rule: MergeRule::default(), sides: Vec::new(), memory: SORT_MEMORY };
    let books = std::slice::from_ref(&arguments.book.path);
    merge_books(books, &arguments.output, &settings, lang)
}

fn merge_books(
    books: &[PathBuf],
    output: &OutputArguments,
    settings: &MergeSettings,
    lang: Lang,
) -> Result<()> {
    let out = &*output.out;
    let format = output.check(books.iter().map(PathBuf::as_path))?;
    let summary = watched_in(lang, &lang.unit_positions(), 1, |watch| {
        makebook::merge(books, (out, format), settings, watch)
    })?;
    for (book, faults) in books.iter().zip(&summary.faults) {
        print_faults(book, faults);
    }
    output::print_line(lang.positions_merged(
        lang.positions(summary.entries),
        summary.positions,
        out.display(),
    ))?;
    print_losses(lang, &summary.losses)
}

// --- Books of games, and values carried back ---

/// Example: `raicho book from-games floodgate/2026/ --plies 24 --min-rating 4000 --out book.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book from-games floodgate/2026/ --plies 24 --min-rating 4000 \
        --min-count 3 --out book.db --results book.tsv"
)]
pub(super) struct GamesArguments {
    /// Files of games, or folders of them: .csa, .kif, .usi, .pack, .hcpe3
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// Format of all files, regardless of their names
    #[arg(long, value_name = "FORMAT", value_parser = Named::<Format>::new(formats()))]
    format: Option<Format>,

    /// Skip bad games instead of stopping at the first one
    #[arg(long)]
    skip: bool,

    #[command(flatten)]
    output: OutputArguments,

    /// Also write a table of the results of each move, with tabs between columns
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,

    #[command(flatten)]
    filter: FilterArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Which moves")]
struct FilterArguments {
    /// Number of first moves of each game
    #[arg(long, value_name = "PLIES", default_value_t = 16,
          value_parser = clap::value_parser!(u16).range(1..))]
    plies: u16,

    /// Minimum rating, which both players must have; games without ratings are left out
    #[arg(long, value_name = "RATING")]
    min_rating: Option<f64>,

    /// Minimum number of games in which a move was played
    #[arg(long, value_name = "GAMES", default_value_t = 1)]
    min_count: u64,
}

pub(super) fn from_games(arguments: &GamesArguments, lang: Lang) -> Result<()> {
    let sources = Sources::new(&arguments.inputs, arguments.format)?;
    let sources = sources.files().iter();
    let files: Vec<(PathBuf, Format)> =
        sources.map(|source| (source.path.clone(), source.format)).collect();
    let OutputArguments { out, force } = &arguments.output;
    let inputs = || files.iter().map(|(path, _)| path.as_path());
    let format = arguments.output.check(inputs())?;
    let results = arguments.results.as_deref();
    if let Some(results) = results {
        result_file::check_apart(("--out", out), ("--results", results))?;
        result_file::check_free(results, *force)?;
        result_file::check(results, inputs())?;
    }
    let filter = &arguments.filter;
    let settings = GamesSettings {
        plies: filter.plies.into(),
        min_rating: filter.min_rating,
        min_count: filter.min_count,
        skips_bad: arguments.skip,
        memory: SORT_MEMORY,
    };
    let summary = watched_in(lang, "MB", 1_000_000, |watch| {
        games::from_games(&files, (out, format), results, &settings, watch)
    })?;
    summary.bad.iter().for_each(output::eprint_line);
    let bad = summary.bad_count;
    let read = lang.games(summary.games + bad);
    output::print_line(lang.games_read(read, bad, summary.low_ratings))?;
    ensure!(summary.games > 0, "no game was found; nothing was written");
    ensure!(summary.positions > 0, "no position is left; nothing was written");
    print_written(lang, summary.positions, out)?;
    print_losses(lang, &summary.losses)
}

/// Example: `raicho book minimax book.db --out minimaxed.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book minimax book.db --out minimaxed.db")]
pub(super) struct MinimaxArguments {
    #[command(flatten)]
    book: InputArguments,

    #[command(flatten)]
    output: OutputArguments,

    /// Solve loops exactly, component by component: large ones take no longer than others, and the
    /// results differ from those of `peta_shock`
    #[arg(long)]
    components: bool,
}

pub(super) fn minimax(arguments: &MinimaxArguments, lang: Lang) -> Result<()> {
    let (book, output) = (&arguments.book.path, &arguments.output.out);
    arguments.output.check([&**book])?;
    let summary = watched_in(lang, "MB", 1_000_000, |watch| {
        minimax::run(book, output, arguments.components, watch)
    })?;
    print_faults(book, &summary.faults);
    let counts = &summary.counts;
    let mut out = output::stdout();
    for (count, what) in [
        (counts.positions, lang.graph_positions()),
        (counts.edges, lang.graph_moves()),
        (counts.in_loops, lang.graph_loops()),
        (counts.perpetual_checks, lang.graph_checks()),
    ] {
        writeln!(out, "{count:>12}  {what}")?;
    }
    if counts.without_moves > 0 {
        writeln!(out, "{:>12}  {}", counts.without_moves, lang.graph_empty())?;
    }
    writeln!(out, "{:>12}  {}", counts.rounds, lang.graph_rounds())?;
    if arguments.components {
        writeln!(out, "{}", lang.other_rules())?;
    } else if counts.large_loops > 0 {
        writeln!(out, "{}", lang.large_loops(counts.large_loops))?;
    }
    writeln!(out, "{}", lang.written_to(arguments.output.out.display()))?;
    Ok(())
}

// --- The moves of positions ---

/// Example: `raicho book probe user_book1.db positions.txt --option BookMoves=30`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book probe user_book1.db positions.txt --option BookMoves=30"
)]
pub(super) struct ProbeArguments {
    #[command(flatten)]
    book: InputArguments,

    /// File with a position per line, as after the USI command `position`; `-` reads standard input
    #[arg(value_name = "POSITIONS")]
    positions: PathBuf,

    /// A USI option, such as `NarrowBook=true`; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,

    /// Add a column that says why no move is played, or why the other moves are not
    #[arg(long)]
    explain: bool,
}

pub(super) fn probe(arguments: &ProbeArguments, lang: Lang) -> Result<()> {
    let mut engine = Engine::new();
    for option in &arguments.options {
        let Some((name, value)) = option.split_once('=') else {
            bail_usage!("--option {option}: expected NAME=VALUE");
        };
        let change = set_option(engine.settings_mut(), name, Some(value));
        let change = change.map_err(|error| usage_error(error.refusal))?;
        ensure_usage!(change != Change::Unknown, "no option {name}");
    }
    let on_the_fly = engine.settings().book.options.on_the_fly;
    let book = Book::open(&arguments.book.path, on_the_fly)?;
    for fault in book.faults().first() {
        output::eprint_line(format_args!("{fault}"));
    }
    let library = Library::new(vec![book]);
    let bytes = read_bytes(&arguments.positions)?;
    let mut bad_positions = 0;
    for (number, text) in numbered_lines(&String::from_utf8_lossy(&bytes)) {
        let place = || format!("{} line {number}", arguments.positions.display());
        let (candidates, reasons) = match set_position(&mut engine, text).with_context(place) {
            Ok(()) => answer(&library, &engine, lang),
            Err(error) => {
                output::eprint_line(lang.error(output::message(&error)));
                bad_positions += 1;
                (String::new(), lang.no_position())
            }
        };
        print_answer(text, &candidates, arguments.explain.then_some(&*reasons))?;
    }
    if bad_positions > 0 {
        bail!("no position in {}", counted(bad_positions, "line"));
    }
    Ok(())
}

/// The moves that the engine would choose from, as `move:weight:ponder` joined by commas, and why
/// nothing, or nothing else, is played.
fn answer(library: &Library, engine: &Engine, lang: Lang) -> (String, String) {
    let settings = engine.settings();
    let position = engine.position();
    if !settings.book.is_on {
        return (String::new(), lang.books_off());
    }
    let rule = settings.search.entering_king_rule;
    if position.declaration(rule).is_some() {
        return (String::new(), lang.book_declaration());
    }
    let options = &settings.book.options;
    let probed = book::probe(library, position, options);
    (candidates(library, position, &probed, options), reasons(&probed, position, lang))
}

fn dash_if_empty(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

fn print_answer(text: &str, candidates: &str, reasons: Option<&str>) -> std::io::Result<()> {
    let mut out = output::stdout();
    let result = if candidates.is_empty() { "miss" } else { "hit" };
    write!(out, "{text}\t{result}\t{}", dash_if_empty(candidates))?;
    if let Some(reasons) = reasons {
        write!(out, "\t{}", dash_if_empty(reasons))?;
    }
    writeln!(out)
}

fn candidates(
    library: &Library,
    position: &Position,
    probed: &Probe,
    options: &BookOptions,
) -> String {
    let candidates = probed.candidates().map(|candidate| {
        let ponder = ponder_move(library, position, candidate, options);
        let ponder = ponder.map_or_else(|| "-".to_owned(), |mv| mv.to_string());
        format!("{}:{}:{ponder}", candidate.mv, candidate.weight)
    });
    candidates.collect::<Vec<_>>().join(",")
}

/// The reason for a miss, then each move that is dropped with its reason.
fn reasons(probed: &Probe, position: &Position, lang: Lang) -> String {
    let refusal = probed.refusal.map(|refusal| reason(refusal, lang)).into_iter();
    let dropped = probed.moves.iter().filter_map(|probed| {
        let (mv, reason) = (lang.mv(position, probed.mv), reason(probed.dropped?, lang));
        Some(match lang {
            Lang::En => format!("{mv}: {reason}"),
            Lang::Ja => format!("{mv}：{reason}"),
        })
    });
    let faults = probed.faults.iter().map(|fault| fault.problem.to_string());
    let reasons: Vec<String> = refusal.chain(dropped).chain(faults).collect();
    reasons.join(match lang {
        Lang::En => "; ",
        Lang::Ja => "、",
    })
}

fn reason(refusal: Refusal, lang: Lang) -> String {
    match refusal {
        Refusal::Ply { ply, max } => lang.book_ply(ply, max),
        Refusal::NotInBook => lang.not_in_book(),
        Refusal::Position => lang.book_position_refused(),
        Refusal::AllIllegal => lang.book_moves_illegal(),
        Refusal::AllDropped => lang.book_moves_dropped(),
        Refusal::Depth { depth, least } => lang.book_too_shallow(depth, least),
        Refusal::Rare { count, sum } => lang.book_too_rare(count, sum),
        Refusal::Value { least } => lang.book_value_below(least),
        Refusal::PerpetualCheck => lang.book_perpetual_check(),
        Refusal::NoCount => lang.book_count_0(),
    }
}

/// Example: `raicho book show user_book1.db startpos moves 7g7f`
#[derive(Args)]
#[command(before_help = "Example: raicho book show user_book1.db startpos moves 7g7f")]
pub(super) struct ShowArguments {
    #[command(flatten)]
    book: InputArguments,

    /// The position, as after the USI command `position` [default: startpos]
    #[arg(value_name = "POSITION")]
    position: Vec<String>,
}

pub(super) fn show(arguments: &ShowArguments, lang: Lang) -> Result<()> {
    let mut engine = Engine::new();
    let text = arguments.position.join(" ");
    let text = if text.is_empty() { "startpos" } else { &text };
    set_position(&mut engine, text).map_err(as_usage)?;
    let position = engine.position();
    let book = Book::open(&arguments.book.path, true)?;
    let format = book.format();
    let library = Library::new(vec![book]);
    let options = BookOptions {
        max_ply: u32::MAX,
        value_differences: [i32::MAX; 2],
        value_limits: [i32::MIN; 2],
        depth_limits: [0; 2],
        ignores_ply: true,
        ..BookOptions::default()
    };
    let found = book::probe(&library, position, &options);
    let mut out = output::stdout();
    writeln!(out, "{}\n", lang.board(position))?;
    for fault in &found.faults {
        writeln!(out, "{fault}")?;
    }
    if let Some(refusal) = found.refusal {
        writeln!(out, "{}", reason(refusal, lang))?;
        return Ok(());
    }
    if found.is_flipped {
        writeln!(out, "{}", lang.found_flipped())?;
    }
    let count = |probed: &ProbedMove| u128::from(probed.known.count);
    let sum: u128 = found.moves.iter().map(count).sum();
    writeln!(out, "{}", heading(lang))?;
    for probed in &found.moves {
        let known = &probed.known;
        let answer = ponder_move(&library, position, probed, &options);
        let answer = answer.map(|answer| {
            let mut after = position.clone();
            after.do_move(probed.mv);
            lang.mv(&after, answer)
        });
        let answer = answer.unwrap_or_else(|| "-".to_owned());
        let share = (u128::from(known.count) * 100).checked_div(sum);
        let share = share.map_or_else(String::new, |percent| lang.percent(percent));
        let share = lang::right(&share, SHARE_WIDTH);
        let value = or_dash(format.has_values(), known.value.to_string());
        let depth = or_dash(format.has_depths(), known.depth.to_string());
        let count = or_dash(format.has_counts(), lang.number(known.count));
        let [mv, answer] = columns(lang, &lang.mv(position, probed.mv), &answer);
        let row = format!("{mv}  {answer} {value:>7} {depth:>6} {count:>11} {share}");
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// A number, or a dash where the format stores none.
fn or_dash(is_stored: bool, number: String) -> String {
    if is_stored { number } else { "-".to_owned() }
}

/// Columns of the share of a move.
const SHARE_WIDTH: usize = 6;

/// The heading of the table.
fn heading(lang: Lang) -> String {
    let [mv, answer] = columns(lang, &lang.book_move(), &lang.book_answer());
    let value = lang::right(&lang.book_value(), 7);
    let depth = lang::right(&lang.book_depth(), 6);
    let count = lang::right(&lang.book_count(), 11);
    let share = lang::right(&lang.book_share(), SHARE_WIDTH);
    format!("{mv}  {answer} {value} {depth} {count} {share}")
}

/// A move and its answer, padded to their columns.
fn columns(lang: Lang, mv: &str, answer: &str) -> [String; 2] {
    let widths = match lang {
        Lang::En => [5, 6],
        Lang::Ja => [14, 14],
    };
    [lang::left(mv, widths[0]), lang::left(answer, widths[1])]
}
