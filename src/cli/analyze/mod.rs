//! `raicho analyze`: positions and whole games for people.

mod arguments;
mod board;
mod carried;
mod games;
mod inputs;
mod live;
mod outputs;
mod position;
mod report;
mod table;
mod words;

use super::usage::ensure_usage;
use crate::lang::Lang;
pub(super) use arguments::Arguments;
use inputs::Inputs;
pub(super) use position::set_position;
pub(super) use words::parse_time;

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("give each machine some of the files")?;
    match inputs::find(arguments)? {
        Inputs::Positions(source) => {
            check_positions(arguments)?;
            position::run(arguments, &source, lang)
        }
        Inputs::Games(games, broken) => games::run(arguments, games, &broken, lang),
    }
}

/// Refuses what only games have.
fn check_positions(arguments: &Arguments) -> anyhow::Result<()> {
    let work = arguments.work.is_kept().then_some("--work");
    let option = arguments.output.option().or(work);
    ensure_usage!(
        option.is_none(),
        "{} is for games, and these are positions",
        option.unwrap_or_default()
    );
    Ok(())
}
