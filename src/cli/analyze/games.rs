//! Whole games: searches their positions as a run, and hands each finished game to the report,
//! which prints its table, writes its files, and collects the games for the page and for JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, io::ErrorKind, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Serialize;

use super::names;
use super::{
    Arguments, InputGame, OutputArguments, SearchArguments, has_extension_of_record, table,
};
use crate::analysis::{self, Analyzed, Game, Judgement, PlayerSummary, PositionAnalysis, Review};
use crate::analysis::{Settings, Thresholds, Watch, comments};
use crate::cli::arguments::{evaluation_identity, load_evaluation};
use crate::cli::progress::{Meter, stop_on_ctrl_c_with};
use crate::cli::{output, result_file};
use crate::lang::{Lang, printable};
use crate::page::{self, Kind, PROGRAM, Page};
use crate::records::formations::{Formations, HEADING};
use crate::records::text::{TextEncoding, TextFormat};
use crate::runs::{Execution, output_place};
use crate::types::Color;
use crate::util::{AtPath, cores, counted, free_name, harmless_json};
use crate::{cli::error::ensure_usage, records::game::GameRecord, util::system::free_megabytes};

/// Memory of each thread in MB, besides its transposition table.
const WORKER_MB: usize = 110;

/// Time for each position without `--time`, `--depth` and `--nodes`.
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// Size of each thread's transposition table in MB without `--hash`.
const DEFAULT_HASH: u32 = 64;

/// Analyses the games. `broken` says what could not be read.
///
/// # Errors
/// Something cannot be written or was broken, or the user interrupted it.
pub(super) fn run(
    arguments: &Arguments,
    games: Vec<InputGame>,
    broken: &[String],
    lang: Lang,
) -> Result<()> {
    for fault in broken {
        output::eprint_line(lang.skipped(printable(fault)));
    }
    let lines: Vec<Game> = games
        .iter()
        .map(|game| Game {
            line: game.record.line(),
            entering_king_rule: arguments.search.rule_of(&game.record),
        })
        .collect();
    let (choice, evaluator) = load_evaluation(&arguments.search.eval)?;
    let settings = Settings {
        effort: arguments.search.effort(DEFAULT_TIME),
        multi_pv: arguments.search.multipv.into(),
        hash_mb: arguments.search.hash.unwrap_or(DEFAULT_HASH) as usize,
        eval: evaluation_identity(&choice, &evaluator),
    };
    let positions: usize = lines.iter().map(|game| game.line.moves.len() + 1).sum();
    let threads = threads(&arguments.search, settings.hash_mb, positions)?;
    let report = Report::new(arguments, &settings, games, lang)?;
    let stop = stop_on_ctrl_c_with(&lang.ending_after_positions())?;
    let meter = Meter::with_rows(lang, &lang.unit_positions(), Some(positions as u64), 0);
    let mut watch = Progress { report, meter: &meter, positions: 0 };
    let execution = Execution { threads, name: "analyze", stack_bytes: None, stop: &stop };
    let result = analysis::analyze(&lines, &settings, &evaluator, &mut watch, &execution);
    meter.finish();
    result?;
    if stop.is_requested() {
        output::eprint_line(watch.report.words());
        bail!("interrupted");
    }
    watch.report.finish()?;
    let games = counted(broken.len(), "game");
    ensure!(broken.is_empty(), "{games} could not be read");
    Ok(())
}

/// Number of threads for this many positions: those that were asked for, if they fit into memory,
/// or else one for each core as far as they fit.
fn threads(search: &SearchArguments, hash_mb: usize, positions: usize) -> Result<usize> {
    let each = hash_mb + WORKER_MB;
    let wanted = search.threads.map_or_else(cores, usize::from);
    let wanted = wanted.min(positions).max(1);
    // Some systems do not tell.
    let Some(free) = free_megabytes() else {
        return Ok(wanted);
    };
    let fitting = (free / each).max(1);
    ensure!(
        search.threads.is_none() || wanted <= fitting,
        "{wanted} threads need {} MB, but {free} MB are free: give fewer --threads or a smaller \
         --hash",
        wanted.saturating_mul(each)
    );
    Ok(wanted.min(fitting))
}

struct Progress<'a> {
    report: Report,
    meter: &'a Meter,
    /// Number of analysed positions.
    positions: usize,
}

impl Watch for Progress<'_> {
    fn advance(&mut self, positions: usize) {
        self.positions = positions;
        // Of a single game the positions say it.
        let is_one = self.report.games.len() == 1;
        let words = if is_one { String::new() } else { self.report.words() };
        self.meter.advance(positions as u64, &words);
    }

    fn game(&mut self, index: usize, analysis: Analyzed) -> Result<()> {
        self.meter.suspend(|| self.report.game(index, analysis))?;
        self.advance(self.positions);
        Ok(())
    }
}

/// Takes finished games in their order.
struct Report {
    games: Vec<InputGame>,
    settings: Settings,
    names: Names,
    html: Option<PathBuf>,
    /// The script with the engine.
    engine: Option<String>,
    page: Vec<page::Game>,
    /// The JSON of all games, for standard output.
    json: Vec<serde_json::Value>,
    printed: Printed,
    /// Whether there is more than the table, so that the work goes on without its reader.
    writes_files: bool,
    losses: Losses,
    done: usize,
    lang: Lang,
}

/// What goes to standard output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Printed {
    Moves,
    Summaries,
    Json,
    /// Its reader has gone away.
    Nothing,
}

/// The JSON of a game.
#[derive(Serialize)]
struct GameJson<'a> {
    program: &'static str,
    file: String,
    players: &'a [String; Color::NUM],
    event: &'a str,
    started_at: Option<&'a str>,
    /// SFEN of the start.
    start: String,
    /// `black`, `white`, `draw`; `None` unknown.
    winner: Option<&'static str>,
    ending: String,
    settings: &'a Settings,
    /// Centipawns at which the win chance is 73 %.
    win_chance_scale: f64,
    /// The start and the position after each move; scores are those of the side to move.
    positions: &'a [PositionAnalysis],
    /// Black's win chance at each of these positions.
    black_win_chances: &'a [f64],
    moves: Vec<MoveJson<'a>>,
    /// The opening, and what each side made of it.
    #[serde(flatten)]
    formations: Formations,
    summary: Summary<'a>,
}

#[derive(Serialize)]
struct MoveJson<'a> {
    ply: usize,
    color: Color,
    #[serde(rename = "move")]
    mv: String,
    /// Time for the move in seconds.
    time: Option<f64>,
    #[serde(flatten)]
    judgement: &'a Judgement,
}

#[derive(Serialize)]
struct Summary<'a> {
    black: &'a PlayerSummary,
    white: &'a PlayerSummary,
}

impl Report {
    /// Creates the folders of the output.
    ///
    /// # Errors
    /// The output cannot be written.
    fn new(
        arguments: &Arguments,
        settings: &Settings,
        games: Vec<InputGame>,
        lang: Lang,
    ) -> Result<Self> {
        let output: &OutputArguments = &arguments.output;
        if let Some(page) = &output.html {
            check_out("--html", page, 1)?;
            result_file::check(page, games.iter().map(|game| game.path.as_path()))?;
        }
        let engine_folder = output.with_engine.as_ref().map(Option::as_deref);
        Ok(Self {
            names: Names::new(output, &games)?,
            html: output.html.clone(),
            engine: engine_folder.map(page_engine).transpose()?,
            page: Vec::new(),
            json: Vec::new(),
            printed: match output.summary {
                _ if output.is_json_on_stdout() => Printed::Json,
                true => Printed::Summaries,
                false => Printed::Moves,
            },
            writes_files: output.file_option().is_some(),
            losses: Losses::default(),
            settings: settings.clone(),
            games,
            done: 0,
            lang,
        })
    }

    /// The state of the games.
    fn words(&self) -> String {
        let games = self.lang.games(self.games.len() as u64);
        self.lang.finished_of(self.done, games)
    }

    /// Takes a finished game.
    ///
    /// # Errors
    /// A file or standard output cannot be written.
    fn game(&mut self, index: usize, analysis: Analyzed) -> Result<()> {
        let game = &self.games[index];
        let review = Review::new(&game.record, analysis);
        let json = self.json_of(game, &review)?;
        let reviewed = (&game.record, &review);
        write_files(&self.names, index, reviewed, &json, self.lang)?;
        self.losses.add(&self.names, &game.record);
        match self.printed {
            Printed::Moves | Printed::Summaries => {
                let title = (self.games.len() > 1).then(|| game.name());
                let with_moves = self.printed == Printed::Moves;
                let title = title.as_deref();
                match table::print(&game.record, &review, title, with_moves, self.lang) {
                    Err(error) if self.writes_files && error.kind() == ErrorKind::BrokenPipe => {
                        self.printed = Printed::Nothing;
                    }
                    result => result?,
                }
            }
            Printed::Json => self.json.push(json),
            Printed::Nothing => {}
        }
        if self.html.is_some() {
            self.page.push(page::Game::of_review(&game.record, &review));
        }
        self.done += 1;
        Ok(())
    }

    fn json_of(&self, game: &InputGame, review: &Review) -> Result<serde_json::Value> {
        let record = &game.record;
        let moves = record.moves.iter().zip(&review.judgements).zip(1..);
        let moves = moves.map(|((played, judgement), ply)| MoveJson {
            ply,
            color: played.mv.piece().color(),
            mv: played.mv.to_string(),
            time: played.time.map(|time| time.as_secs_f64()),
            judgement,
        });
        let [black, white] = &review.players;
        let draw = record.ending.is_draw().then_some("draw");
        let winner = record.winner().map(Color::name).or(draw);
        Ok(serde_json::to_value(GameJson {
            program: PROGRAM,
            file: game.name(),
            players: &record.players,
            event: record.title(),
            started_at: record.started_at.as_deref(),
            start: record.start.to_sfen(),
            winner,
            ending: record.ending.to_string(),
            settings: &self.settings,
            win_chance_scale: analysis::SCALE,
            positions: &review.positions,
            black_win_chances: &review.chances,
            moves: moves.collect(),
            formations: Formations::of_record(record),
            summary: Summary { black, white },
        })?)
    }

    /// Writes what holds all games.
    ///
    /// # Errors
    /// The page or standard output cannot be written.
    fn finish(mut self) -> Result<()> {
        self.losses.report(self.lang);
        if let Some(path) = self.html.take() {
            self.write_page(&path)?;
        }
        if self.printed == Printed::Json {
            let value = match <[serde_json::Value; 1]>::try_from(self.json) {
                Ok([game]) => game,
                Err(games) => games.into(),
            };
            output::print_line(harmless_json(&serde_json::to_string_pretty(&value)?))?;
        }
        Ok(())
    }

    fn write_page(&mut self, path: &Path) -> Result<()> {
        let title = match &self.games[..] {
            [game] => {
                let [black, white] = names(&game.record, self.lang);
                self.lang.versus(format!("☗ {black}"), format!("☖ {white}"))
            }
            games => self.lang.games(games.len() as u64),
        };
        let page = Page {
            kind: Kind::Analysis,
            title,
            lang: self.lang,
            program: PROGRAM,
            effort: effort_words(&self.settings, self.lang),
            thresholds: Some(Thresholds::USUAL),
            games: std::mem::take(&mut self.page),
            of_match: None,
        };
        result_file::save(path, page.html_with(self.engine.as_deref()).as_bytes())
    }
}

/// The limits in words: `0.5 s, 2000 nodes`.
fn effort_words(settings: &Settings, lang: Lang) -> String {
    let effort = settings.effort;
    let time = effort.time.map(|time| lang.for_seconds(time.as_secs_f64()));
    let nodes = effort.nodes.map(|nodes| lang.nodes(nodes));
    let depth = effort.depth.map(|depth| lang.for_depth(depth));
    let words: Vec<String> = [time, nodes, depth].into_iter().flatten().collect();
    words.join(lang.separator())
}

/// The script with the engine, in the folder of the package.
const SCRIPT: &str = "raicho.page.js";
/// The folder of the package beside the executable.
const FOLDER: &str = "pkg";

/// The script with the engine from `folder`, or from the folder beside the executable.
///
/// # Errors
/// It cannot be read.
fn page_engine(folder: Option<&Path>) -> Result<String> {
    let folder = folder.map_or_else(beside_executable, Path::to_owned);
    let path = folder.join(SCRIPT);
    fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read {}, expected the engine for pages in the folder of --with-engine, which \
             web/build.sh makes",
            path.display()
        )
    })
}

fn beside_executable() -> PathBuf {
    let executable = env::current_exe().unwrap_or_default();
    executable.parent().unwrap_or(Path::new("")).join(FOLDER)
}

// --- The files of a game ---

/// The places of all files.
#[derive(Default)]
struct Names {
    /// The record of each game; none where records are not wanted.
    kif: Vec<PathBuf>,
    /// The JSON of each game; none where it is not wanted.
    json: Vec<PathBuf>,
}

/// What the written records have no room for, and in how many games.
#[derive(Default)]
struct Losses(BTreeMap<String, usize>);

impl Losses {
    /// Adds those of a game.
    fn add(&mut self, names: &Names, record: &GameRecord) {
        if !names.kif.is_empty() {
            for loss in TextFormat::Kif.losses(record) {
                *self.0.entry(loss).or_default() += 1;
            }
        }
    }

    /// Says what was lost.
    fn report(&self, lang: Lang) {
        for (loss, games) in &self.0 {
            let games = counted(*games, "game");
            let text = format!("kif has no room for {loss} ({games})");
            output::eprint_line(lang.note(text));
        }
    }
}

impl Names {
    /// Creates the folders, and checks that every file can be written.
    ///
    /// # Errors
    /// A folder cannot be created, a file not be written, or a file is one of those that are read.
    fn new(wanted: &OutputArguments, games: &[InputGame]) -> Result<Self> {
        let place = |path: &PathBuf| output_place(path).unwrap_or_else(|| path.clone());
        let mut taken: BTreeSet<PathBuf> = wanted.html.iter().map(place).collect();
        let mut places = |option, extension, out: &Path| {
            check_out(option, out, games.len())?;
            let files = files(out, extension, games)?;
            for file in &files {
                let name = file.display();
                ensure_usage!(
                    taken.insert(output_place(file).unwrap_or_else(|| file.clone())),
                    "{name} is the name of two outputs: give another one"
                );
                result_file::check(file, games.iter().map(|game| game.path.as_path()))?;
            }
            anyhow::Ok(files)
        };
        let mut names = Self::default();
        if let Some(out) = &wanted.kif {
            names.kif = places("--kif", "kifu", out)?;
        }
        if let Some(out) = wanted.json.as_ref().filter(|_| !wanted.is_json_on_stdout()) {
            names.json = places("--json", "json", out)?;
        }
        Ok(names)
    }
}

/// Checks that `out` can be a file, or for several games a folder.
fn check_out(option: &str, out: &Path, games: usize) -> Result<()> {
    let name = out.display();
    ensure_usage!(
        out.as_os_str() != "-",
        "{option} -: only --json writes to standard output, expected the name of a file"
    );
    let is_of_file = out.is_file() || names_a_file(out) && !out.is_dir();
    ensure_usage!(
        games == 1 || !is_of_file,
        "{option} {name}: {games} games need a folder and this is the name of a file, expected for \
         example {}/",
        out.with_extension("").display()
    );
    Ok(())
}

/// Whether a name that is not there yet looks like that of a file.
fn names_a_file(out: &Path) -> bool {
    !ends_like_folder(out) && has_extension_of_record(out)
}

fn ends_like_folder(out: &Path) -> bool {
    out.as_os_str().to_string_lossy().ends_with(['/', '\\'])
}

/// A file for each game: `out` itself for one game, otherwise files in the folder `out`.
fn files(out: &Path, extension: &str, games: &[InputGame]) -> Result<Vec<PathBuf>> {
    if games.len() == 1 && !out.is_dir() && !ends_like_folder(out) {
        return Ok(vec![out.to_owned()]);
    }
    fs::create_dir_all(out).at(out)?;
    let mut paths: Vec<&Path> = games.iter().map(|game| game.path.as_path()).collect();
    // Games of a file follow one another.
    paths.dedup();
    let stems = result_file::distinct_stems(&paths);
    let mut stem_of = paths.iter().zip(&stems).peekable();
    let mut taken = BTreeSet::new();
    let mut name = |game: &InputGame| {
        while stem_of.next_if(|(path, _)| **path != game.path).is_some() {}
        let stem = stem_of.peek().map_or("", |(_, stem)| stem.as_str());
        let stem = match game.number {
            Some(number) => format!("{stem}-{number}"),
            None => stem.to_owned(),
        };
        let name = free_name(&stem, |name| taken.contains(name));
        taken.insert(name.clone());
        out.join(format!("{name}.{extension}"))
    };
    Ok(games.iter().map(&mut name).collect())
}

/// Writes the files of a game.
///
/// # Errors
/// A file cannot be written.
fn write_files(
    names: &Names,
    game: usize,
    (record, review): (&GameRecord, &Review),
    json: &serde_json::Value,
    lang: Lang,
) -> Result<()> {
    if let Some(path) = names.kif.get(game) {
        // As `convert` does: `kif` is in Shift JIS, `kifu` in UTF-8.
        let encoding = TextFormat::of_path(path).map_or(TextEncoding::Utf8, |(_, kind)| kind);
        let written = TextFormat::Kif.write(&commented(record, review), encoding);
        if written.encoding != encoding {
            let path = path.display();
            let text = "Shift JIS lacks some of its letters, written in UTF-8";
            output::eprint_line(lang.note(format!("{path}: {text}")));
        }
        result_file::save(path, &written.bytes)?;
    }
    if let Some(path) = names.json.get(game) {
        let text = harmless_json(&serde_json::to_string_pretty(json)?) + "\n";
        result_file::save(path, text.as_bytes())?;
    }
    Ok(())
}

/// The record with the analysis after what it said already, and with the opening where it named
/// none. An earlier analysis is replaced.
fn commented(record: &GameRecord, review: &Review) -> GameRecord {
    let mut record = record.clone();
    comments::remove(&mut record);
    let is_named = record.heading(HEADING).is_some_and(|name| !name.is_empty());
    let opening = Formations::of_record(&record).opening;
    if let Some(found) = opening.filter(|_| !is_named) {
        record.headings.retain(|(name, _)| name != HEADING);
        record.headings.push((HEADING.to_owned(), found.formation.ja.to_owned()));
    }
    let mut lines = comments::lines(&record, review).into_iter();
    record.comments.extend(lines.next().unwrap_or_default());
    for (played, lines) in record.moves.iter_mut().zip(lines) {
        played.comments.extend(lines);
    }
    record
}
