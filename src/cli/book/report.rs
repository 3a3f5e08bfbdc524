//! What the commands that write a book say when it is written.

use std::path::Path;

use crate::book::{Extras, Losses};
use crate::cli::output;
use crate::lang::Lang;
use crate::util::counted;

/// Prints the number of positions of a book that was written.
pub(super) fn print_written(lang: Lang, positions: u64, out: &Path) -> anyhow::Result<()> {
    output::print_line(lang.positions_written(lang.positions(positions), out.display()))?;
    Ok(())
}

/// Prints what the format of a book could not hold, if there is anything.
pub(super) fn print_losses(lang: Lang, losses: &Losses) -> anyhow::Result<()> {
    if losses.is_none() {
        return Ok(());
    }
    let parts = [
        (
            losses.entries,
            "further entry",
            " of positions",
            "同一局面の重複登録",
        ),
        (
            losses.empty,
            "position",
            " without moves",
            "指し手のない局面",
        ),
        (losses.plies, "ply", "", "手数"),
        (losses.ponder_moves, "ponder move", "", "予想手"),
        (losses.values, "value", "", "評価値"),
        (losses.depths, "depth", "", "深さ"),
        (losses.counts, "count", "", "採択回数"),
        (losses.illegal_moves, "illegal move", "", "反則手"),
    ];
    output::print_line(lang.left_out(listed(lang, &parts)))?;
    Ok(())
}

/// Prints what was in a `.sbk` book and is not read, if there is anything.
pub(super) fn print_extras(lang: Lang, extras: &Extras) -> anyhow::Result<()> {
    if extras.is_none() {
        return Ok(());
    }
    let parts = [
        (extras.comments, "comment", "", "コメント"),
        (extras.results, "count", " of games", "対局数"),
        (
            extras.evaluations,
            "evaluation",
            " of positions",
            "局面の評価",
        ),
        (extras.marks, "mark", " of moves", "指し手の記号"),
    ];
    output::print_line(lang.not_read(listed(lang, &parts)))?;
    Ok(())
}

/// A count, its English noun, what follows the noun, and its Japanese noun.
type Part = (u64, &'static str, &'static str, &'static str);

/// The counts that are not 0.
fn listed(lang: Lang, parts: &[Part]) -> String {
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    let parts = parts.map(|&(count, noun, rest, ja)| match lang {
        Lang::En => counted(count, noun) + rest,
        Lang::Ja => format!("{ja} {count}"),
    });
    let separator = match lang {
        Lang::En => ", ",
        Lang::Ja => "、",
    };
    parts.collect::<Vec<_>>().join(separator)
}
