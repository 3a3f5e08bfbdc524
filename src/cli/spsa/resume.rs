//! Checks that the command line of a resumed run agrees with the run.

use std::fmt::Display;

use anyhow::bail;

use super::arguments::Arguments;
use crate::arena::spsa::State;
use crate::arena::spsa::games::GameSettings;
use crate::cli::arena::repeated;
use crate::util::counted;

/// Refuses options that differ from the resumed run.
pub(super) fn check(
    arguments: &Arguments,
    settings: &GameSettings,
    state: &State,
) -> anyhow::Result<()> {
    arguments.engines.check_engine_is_named()?;
    if !arguments.engines.is_empty() {
        repeated::check("engine", &arguments.engine()?, None, &settings.engine)?;
    }
    repeated::check_rules_and_openings(
        (&arguments.rules, &arguments.openings),
        (&settings.rules, &settings.openings),
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
