//! `--html`: the solutions as a page.

use std::path::Path;

use super::answer::{Answer, Outcome};
use super::problems::Problem;
use crate::cli::result_file;
use crate::lang::Lang;
use crate::page::{Game, Kind, PROGRAM, Page};
use crate::types::{Move, Move16};

/// Writes the page.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(
    path: &Path,
    problems: &[Problem],
    answers: &[Answer],
    lang: Lang,
) -> anyhow::Result<()> {
    // Only a part of the problems may be here, so each has its number in the file.
    let is_whole = answers.len() == problems.len();
    let games = answers.iter().filter_map(|answer| {
        let problem = problems.get(answer.number as usize - 1)?;
        let mut game = game(problem, answer);
        if !is_whole {
            game.title = lang.problem_number(answer.number);
        }
        Some(game)
    });
    let page = Page {
        kind: Kind::Mate,
        title: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        lang: lang.into(),
        program: PROGRAM,
        effort: String::new(),
        thresholds: None,
        games: games.collect(),
        of_match: None,
    };
    result_file::save(path, page.html().as_bytes())
}

fn game(problem: &Problem, answer: &Answer) -> Game {
    let mut position = problem.position.clone();
    let mut moves: Vec<Move> = Vec::new();
    let mut seconds = Vec::new();
    for index in 0..=answer.moves.len() {
        let found = answer.second.iter().flat_map(|second| &second.found);
        let here = found
            .filter(|second| second.index == index)
            .filter_map(|second| {
                let mv = position.to_move(second.mv.parse::<Move16>().ok()?)?;
                Some((mv, second.plies))
            });
        seconds.push(Game::mate_lines(&position, &here.collect::<Vec<_>>()));
        let Some(text) = answer.moves.get(index) else {
            break;
        };
        // The solver's own moves.
        let Some(mv) = text
            .parse::<Move16>()
            .ok()
            .and_then(|mv| position.to_move(mv))
        else {
            break;
        };
        position.do_move(mv);
        moves.push(mv);
    }
    let mut game = Game::of_problem(&problem.position, &moves);
    game.verdict = match answer.verdict {
        Outcome::Mate => "mate",
        Outcome::NoMate => "nomate",
        Outcome::Unknown => "unknown",
    };
    game.plies = answer.plies;
    if seconds.iter().any(|lines| !lines.is_empty()) {
        game.lines = seconds;
    }
    game
}
