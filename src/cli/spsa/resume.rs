//! Checks that the command line of a resumed run agrees with the run.
//!
//! Nothing needs to be repeated. Options that are repeated must have the same values, as results
//! before and after a change could not be combined.

use std::fmt::Display;

use anyhow::bail;
use clap::Parser;
use serde::Serialize;
use serde_json::Value;

use super::arguments::Arguments;
use crate::arena::spsa::State;
use crate::arena::spsa::games::GameSettings;
use crate::cli::arena::{OpeningArguments, RuleArguments};
use crate::util::counted;

/// A command line without options.
#[derive(Parser)]
struct DefaultArguments {
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    openings: OpeningArguments,
}

/// Refuses options that differ from the resumed run.
pub(super) fn check(
    arguments: &Arguments,
    settings: &GameSettings,
    state: &State,
) -> anyhow::Result<()> {
    arguments.engines.check_engine_is_named()?;
    let defaults = DefaultArguments::parse_from(["raicho"]);
    if !arguments.engines.is_empty() {
        compare("engine", &arguments.engine()?, None, &settings.engine)?;
    }
    compare(
        "rules",
        &arguments.rules.rules()?,
        Some(&defaults.rules.rules()?),
        &settings.rules,
    )?;
    compare(
        "openings",
        &arguments.openings.settings(),
        Some(&defaults.openings.settings()),
        &settings.openings,
    )?;
    let spsa = state.settings();
    compare_number("--pairs", arguments.pairs, &settings.pairs)?;
    compare_number("--iterations", arguments.iterations, &spsa.iterations)?;
    compare_number("--alpha", arguments.alpha, &spsa.alpha)?;
    compare_number("--gamma", arguments.gamma, &spsa.gamma)?;
    compare_number("--stability", arguments.stability, &spsa.stability)?;
    let parameters = arguments.parameters()?;
    let (found, expected) = (parameters.len(), state.parameters().len());
    if found == 0 {
        return Ok(());
    }
    for (new, old) in parameters.iter().zip(state.parameters()) {
        if new != old {
            bail!("parameter '{new}' instead of '{old}'");
        }
    }
    if found != expected {
        bail!("{} instead of {expected}", counted(found, "parameter"));
    }
    Ok(())
}

/// Compares the fields of two settings. Fields with default values may just not have been given, so
/// they pass.
fn compare<T: Serialize>(part: &str, new: &T, defaults: Option<&T>, old: &T) -> anyhow::Result<()> {
    let old = serde_json::to_value(old)?;
    let defaults = defaults.map(serde_json::to_value).transpose()?;
    let Value::Object(new) = serde_json::to_value(new)? else {
        return Ok(());
    };
    for (field, value) in &new {
        let is_default = defaults.as_ref().is_some_and(|s| s[field] == *value);
        if !is_default && old[field] != *value {
            bail!("{part}: {field} {value} instead of {}", old[field]);
        }
    }
    Ok(())
}

fn compare_number<T: PartialEq + Display>(
    name: &str,
    new: Option<T>,
    old: &T,
) -> anyhow::Result<()> {
    match new {
        Some(new) if new != *old => bail!("{name} {new} instead of {old}"),
        _ => Ok(()),
    }
}
