//! Options that are repeated when a run is resumed must be those of the run, as results before and
//! after a change could not be combined. Nothing needs to be repeated.

use anyhow::bail;
use clap::Parser;
use serde::Serialize;
use serde_json::Value;

use super::{OpeningArguments, RuleArguments};
use crate::arena::openings::OpeningSettings;
use crate::arena::referee::Rules;

/// A command line without options.
#[derive(Parser)]
struct DefaultArguments {
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    openings: OpeningArguments,
}

/// Refuses rules and openings that are not those of the run.
pub(in crate::cli) fn check_rules_and_openings(
    (rules, openings): (&RuleArguments, &OpeningArguments),
    (run_rules, run_openings): (&Rules, &OpeningSettings),
) -> anyhow::Result<()> {
    let defaults = DefaultArguments::parse_from(["raicho"]);
    let (rules, default_rules) = (rules.rules()?, defaults.rules.rules()?);
    check("rules", &rules, Some(&default_rules), run_rules)?;
    let (openings, default_openings) = (openings.settings(), defaults.openings.settings());
    check("openings", &openings, Some(&default_openings), run_openings)
}

/// Compares the fields of two settings. Fields with default values may just not have been given, so
/// they pass.
pub(in crate::cli) fn check<T: Serialize>(
    part: &str,
    new: &T,
    defaults: Option<&T>,
    run: &T,
) -> anyhow::Result<()> {
    let run = serde_json::to_value(run)?;
    let defaults = defaults.map(serde_json::to_value).transpose()?;
    let Value::Object(new) = serde_json::to_value(new)? else {
        return Ok(());
    };
    for (field, value) in &new {
        let is_default = defaults.as_ref().is_some_and(|s| s[field] == *value);
        if !is_default && run[field] != *value {
            bail!("{part}: {field} {value} instead of {}", run[field]);
        }
    }
    Ok(())
}
