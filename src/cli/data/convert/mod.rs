//! `raicho convert`: converts games and teacher data to another format.
//!
//! Games as text that stay games as text (CSA, KIF, KI2, JKF, lines of USI) keep their names,
//! times, comments and variations: [`games`]. Everything else goes through records of teacher data.

mod arguments;
mod games;

use anyhow::Context;

use super::{Destination, PassRun, check_output, watched};
use crate::cli::usage::ensure_usage;
use crate::cli::{output, result_file};
use crate::records::teacher::Format;
use crate::train::data::Sources;
use crate::train::data::pass::{self, BadRecords, HeldOut};
use crate::util::counted;

pub(in crate::cli) use arguments::Arguments;

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = if arguments.input.is_stdin() {
        Sources::new(&[], None)?
    } else {
        arguments.input.sources()?
    };
    if let Some(target) = games::Target::of(arguments, &sources)? {
        return games::run(arguments, &sources, &target);
    }
    ensure_usage!(
        !arguments.input.is_stdin(),
        "- is for games as text, and --out for one of kif, kifu, ki2, ki2u, csa, jkf or usi"
    );
    ensure_usage!(
        !arguments.is_to_stdout(),
        "--out - is for games as text, with --to kif, kifu, ki2, ki2u, csa, jkf or usi: expected \
         the name of a file"
    );
    let destination = Destination {
        out: arguments.out.clone(),
        to: arguments.to.as_deref().map(str::parse).transpose()?,
        force: arguments.force,
    };
    let (path, format) = destination.check(&sources)?;
    let sources = sources.for_output(format);
    let mut destination = pass::Destination {
        output: Some((path.to_owned(), format)),
        held_out: None,
        entered_kings: arguments.entered_kings,
    };
    if let Some(path) = &arguments.held_out {
        result_file::check_apart(("--out", &arguments.out), ("--held-out", path))?;
        check_output(path, arguments.force, &sources)?;
        destination.held_out = Some(HeldOut {
            path: path.clone(),
            format: Format::of_path(path).with_context(|| path.display().to_string())?,
            share: arguments.held_out_share,
            seed: arguments.seed,
        });
    }
    let bad_records = arguments.input.bad_records();
    let shard = arguments.work.shard();
    ensure_usage!(
        arguments.held_out.is_none() || shard.is_whole() && !arguments.work.is_kept(),
        "--held-out draws the games in their order, so that the work cannot be divided or kept"
    );
    let run = PassRun {
        output: Some((path.to_owned(), format.to_string())),
        skip: bad_records == BadRecords::Skip,
        entered_kings: arguments.entered_kings,
        ..PassRun::new("convert", &sources, shard)?
    };
    let mut steps = run.steps(&arguments.work)?;
    let report =
        watched(|watch| pass::run(&sources, &destination, bad_records, &mut steps, watch))?;
    output::eprint_line(format_args!(
        "{report}{} written",
        counted(report.tally.written, "position")
    ));
    if arguments.held_out.is_some() {
        output::eprint_line(format_args!(
            "{} held out",
            counted(report.held_out, "position")
        ));
    }
    Ok(())
}
