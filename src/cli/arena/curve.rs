//! `raicho match --nodes N,N…`: the same match with several node limits, and the curve of Elo over
//! nodes.

use std::path::Path;

use anyhow::bail;

use super::{Arguments, advice, play};
use crate::arena::curve::{Curve, CurvePoint, CurveSettings, match_folder};
use crate::arena::journal::{self, MatchFolder};
use crate::arena::settings::MatchSettings;
use crate::arena::summary::Summary;
use crate::cli::error::{ensure_usage, flat_error};
use crate::cli::progress::stop_on_ctrl_c;
use crate::cli::{output, result_file};
use crate::lang::Lang;
use crate::runs::{FolderError, Stop};

const TEXT_FILE: &str = "curve.txt";
const SVG_FILE: &str = "curve.svg";

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let folder = arguments.folder();
    ensure_usage!(
        !arguments.page.is_asked(),
        "--html is the page of one match: `raicho match merge {}/nodes-N --html FILE` writes that \
        of one node limit",
        folder.display()
    );
    arguments.check_results(&folder)?;
    let curve = match CurveSettings::read(&folder) {
        Ok(curve) if arguments.run.resume => {
            check_same(arguments, &folder, &curve)?;
            curve
        }
        Err(FolderError::Missing { .. })
            if arguments.run.resume && arguments.engines.is_empty() =>
        {
            bail!(
                "{} holds no curve, and several node limits make one: expected one limit or none \
                to resume a match, or the engines to begin a curve",
                folder.display()
            );
        }
        Ok(_) | Err(FolderError::Missing { .. }) => begin(arguments, &folder)?,
        Err(error) => return Err(flat_error(error)),
    };
    let stop = stop_on_ctrl_c()?;
    let mut played = Curve { points: Vec::new() };
    for &nodes in &curve.nodes {
        let summary = play_limit(arguments, &match_folder(&folder, nodes), &stop, lang);
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => bail!("{error}\nfinished games are kept; {}", advice(&folder)),
        };
        let is_interrupted = summary.is_interrupted;
        played.points.push(CurvePoint { nodes, summary });
        if is_interrupted || stop.is_requested() {
            break;
        }
    }
    report(arguments, &folder, &played)?;
    let is_whole = played.points.len() == curve.nodes.len()
        && played
            .points
            .iter()
            .all(|point| !point.summary.is_interrupted);
    if !is_whole {
        bail!("interrupted; {}", advice(&folder));
    }
    Ok(())
}

/// Begins all matches in the folder.
fn begin(arguments: &Arguments, folder: &Path) -> anyhow::Result<CurveSettings> {
    let nodes = limits(arguments);
    let limits = nodes.iter().map(|&nodes| settings(arguments, nodes));
    let settings: Vec<MatchSettings> = limits.collect::<anyhow::Result<_>>()?;
    let curve = CurveSettings { nodes };
    curve.create(folder, &settings).map_err(flat_error)?;
    Ok(curve)
}

/// The node limits of the command line, each once.
fn limits(arguments: &Arguments) -> Vec<u64> {
    let mut nodes = arguments.engines.nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The settings of the match with a node limit.
fn settings(arguments: &Arguments, nodes: u64) -> anyhow::Result<MatchSettings> {
    arguments.settings(arguments.engines.engines_with(Some(nodes))?)
}

/// Checks that a command line with engines or node limits means the matches in the folder.
fn check_same(arguments: &Arguments, folder: &Path, curve: &CurveSettings) -> anyhow::Result<()> {
    let asked = limits(arguments);
    if !asked.is_empty() && asked != curve.nodes {
        bail!(
            "{} holds another curve: nodes are {} instead of {}; leave out --nodes and the engines \
            to resume it as it is",
            folder.display(),
            comma_separated(&asked),
            comma_separated(&curve.nodes)
        );
    }
    for &nodes in &curve.nodes {
        let old = journal::read_settings(&match_folder(folder, nodes)).map_err(flat_error)?;
        if arguments.engines.is_empty() {
            arguments.check_repeated(&old)?;
        } else if let Some(difference) = settings(arguments, nodes)?.difference(&old) {
            bail!(
                "{} holds another curve, at {nodes} nodes: {difference}; leave out the engines to \
                resume it as it is",
                folder.display()
            );
        }
    }
    Ok(())
}

fn comma_separated(nodes: &[u64]) -> String {
    let texts: Vec<String> = nodes.iter().map(u64::to_string).collect();
    texts.join(",")
}

/// Plays what is left of the match with one node limit, and writes its summary.
fn play_limit(
    arguments: &Arguments,
    folder: &Path,
    stop: &Stop,
    lang: Lang,
) -> anyhow::Result<Summary> {
    let old = journal::read_settings(folder).map_err(flat_error)?;
    let settings = arguments.games.changed(old)?;
    let (run_folder, entries) = MatchFolder::resume(folder).map_err(flat_error)?;
    let summary = play(arguments, &settings, run_folder, &entries, stop, lang)?;
    let json = serde_json::to_string_pretty(&summary)? + "\n";
    write(&folder.join("summary.json"), &json)?;
    write(&folder.join("summary.txt"), &format!("{summary}\n"))?;
    output::eprint_line(format_args!("{}\n", summary.text(lang)));
    Ok(summary)
}

fn report(arguments: &Arguments, folder: &Path, curve: &Curve) -> anyhow::Result<()> {
    write(&folder.join(TEXT_FILE), &format!("{curve}\n"))?;
    if let Some(svg) = curve.to_svg() {
        write(&folder.join(SVG_FILE), &svg)?;
    }
    arguments.run.json.report(curve, None)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    result_file::save(path, text.as_bytes())
}
