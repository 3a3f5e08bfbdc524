//! What becomes of an analysed game: a table, files, a place on the page.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arguments::{Arguments, OutputArguments};
use super::carried;
use super::inputs::InputGame;
use super::outputs::{self, Losses, Names};
use super::table;
use super::words::{effort_words, names};
use crate::analysis::{
    Analyzed, Judgement, PlayerSummary, PositionAnalysis, Review, Settings, Thresholds,
};
use crate::cli::{output, result_file};
use crate::lang::Lang;
use crate::page::{self, Kind, PROGRAM, Page};
use crate::types::Color;

/// Takes finished games in their order.
pub(super) struct Report {
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
    thresholds: Thresholds,
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
    summary: Summary<'a>,
}

#[derive(Serialize)]
struct MoveJson<'a> {
    ply: usize,
    color: Color,
    #[serde(rename = "move")]
    mv: String,
    /// Seconds.
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
    pub(super) fn new(
        arguments: &Arguments,
        settings: &Settings,
        games: Vec<InputGame>,
        lang: Lang,
    ) -> anyhow::Result<Self> {
        let output: &OutputArguments = &arguments.output;
        let thresholds = output.thresholds()?;
        if let Some(page) = &output.html {
            outputs::check_out("--html", page, 1)?;
            result_file::check(page, games.iter().map(|game| game.path.as_path()))?;
        }
        Ok(Self {
            names: Names::new(output, &games)?,
            html: output.html.clone(),
            engine: match &output.with_engine {
                Some(folder) => Some(carried::engine(folder.as_deref())?),
                None => None,
            },
            page: Vec::new(),
            json: Vec::new(),
            printed: match output.summary {
                _ if output.is_json_on_stdout() => Printed::Json,
                true => Printed::Summaries,
                false => Printed::Moves,
            },
            writes_files: output.file_option().is_some(),
            losses: Losses::default(),
            thresholds,
            settings: settings.clone(),
            games,
            done: 0,
            lang,
        })
    }

    /// The state for the progress bar.
    pub(super) fn words(&self) -> String {
        let games = self.lang.games(self.games.len() as u64);
        self.lang.finished_of(self.done, games)
    }

    /// Takes a finished game.
    ///
    /// # Errors
    /// A file or standard output cannot be written.
    pub(super) fn game(&mut self, index: usize, analysis: Analyzed) -> anyhow::Result<()> {
        let game = &self.games[index];
        let review = Review::new(&game.record, analysis, self.thresholds);
        let json = self.json_of(game, &review)?;
        let reviewed = (&game.record, &review);
        outputs::write(&self.names, index, reviewed, &json, self.lang)?;
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

    fn json_of(&self, game: &InputGame, review: &Review) -> anyhow::Result<serde_json::Value> {
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
        let winner = match record.winner() {
            Some(Color::Black) => Some("black"),
            Some(Color::White) => Some("white"),
            None => record.ending.is_draw().then_some("draw"),
        };
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
            win_chance_scale: crate::analysis::SCALE,
            positions: &review.positions,
            black_win_chances: &review.chances,
            moves: moves.collect(),
            summary: Summary { black, white },
        })?)
    }

    /// Writes what holds all games.
    ///
    /// # Errors
    /// The page or standard output cannot be written.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        self.losses.report();
        if let Some(path) = self.html.take() {
            self.write_page(&path)?;
        }
        if self.printed == Printed::Json {
            let value = match <[serde_json::Value; 1]>::try_from(self.json) {
                Ok([game]) => game,
                Err(games) => games.into(),
            };
            output::print_line(serde_json::to_string_pretty(&value)?)?;
        }
        Ok(())
    }

    fn write_page(&mut self, path: &Path) -> anyhow::Result<()> {
        let title = match &self.games[..] {
            [game] => {
                let [black, white] = names(&game.record, self.lang);
                format!("☗ {black} – ☖ {white}")
            }
            games => self.lang.games(games.len() as u64),
        };
        let page = Page {
            kind: Kind::Analysis,
            title,
            lang: self.lang.into(),
            program: PROGRAM,
            effort: effort_words(&self.settings, self.lang),
            thresholds: Some(self.thresholds),
            games: std::mem::take(&mut self.page),
            of_match: None,
        };
        result_file::save(path, page.html_with(self.engine.as_deref()).as_bytes())
    }

    /// Says what an interruption left undone.
    pub(super) fn interrupted(&self) {
        output::eprint_line(self.words());
    }
}
