//! What a run of self-play is given.

use super::beginnings::Beginnings;
use super::settings::GensfenSettings;
use crate::eval::Evaluator;

/// What determines the games.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The settings, which are kept with the games.
    pub settings: &'a GensfenSettings,
    /// The start positions that the settings name.
    pub beginnings: &'a Beginnings,
    /// The evaluation that the settings name.
    pub evaluator: &'a Evaluator,
    /// That of the opponent, if the settings name one.
    pub opponent: Option<&'a Evaluator>,
}
