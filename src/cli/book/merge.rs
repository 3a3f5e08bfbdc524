//! `raicho book merge` and `raicho book sort`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::{InputArguments, OutputArguments, print_faults, print_losses};
use crate::cli::arguments::{Indivisible, SortMemory, one_of};
use crate::cli::error::ensure_usage;
use crate::cli::output;
use crate::cli::progress::watched;
use crate::lang::Lang;
use crate::makebook::{self, MergeRule, MergeSettings};
use crate::types::Color;
use crate::util::counted;

/// Example: `raicho book merge old.db new.db --rule newer --out both.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book merge old.db new.db --rule newer --out both.db")]
pub(super) struct Arguments {
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
    common: Common,
}

const RULES: [(&str, MergeRule); 3] = [
    ("deeper", MergeRule::Deeper),
    ("newer", MergeRule::Newer),
    ("weighted", MergeRule::Weighted),
];

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
    common: Common,
}

#[derive(Args)]
struct Common {
    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    memory: SortMemory,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let sides = arguments.sides.as_ref().map(|sides| &*sides.0);
    if let Some(sides) = sides {
        ensure_usage!(
            sides.len() == arguments.books.len(),
            "--sides has {}, expected one for each of the {}",
            counted(sides.len(), "letter"),
            counted(arguments.books.len(), "book")
        );
    }
    let sides = sides.unwrap_or_default();
    merge(
        &arguments.books,
        (arguments.rule, sides),
        &arguments.common,
        lang,
    )
}

pub(super) fn sort(arguments: &SortArguments, lang: Lang) -> anyhow::Result<()> {
    let books = std::slice::from_ref(&arguments.book.path);
    merge(books, (MergeRule::default(), &[]), &arguments.common, lang)
}

fn merge(
    books: &[PathBuf],
    (rule, sides): (MergeRule, &[Option<Color>]),
    arguments: &Common,
    lang: Lang,
) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("it is limited by the disk, not by the processor")?;
    let out: &Path = &arguments.output.out;
    let format = arguments.output.check(books.iter().map(PathBuf::as_path))?;
    let settings = MergeSettings {
        rule,
        sides: sides.to_vec(),
        memory: arguments.memory.bytes(),
    };
    let summary = watched("positions", 1, |watch| {
        makebook::merge(books, (out, format), &settings, watch)
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
