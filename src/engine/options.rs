//! The settings of the engine as typed values; their names and texts belong to the front ends.

use std::fmt;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::search::{self, Limits, Skill};
use crate::types::Depth;

/// More threads than this must be asked for: in the time that people play with they add little, and each has its memory.
const MOST_DEFAULT_THREADS: usize = 16;

/// Everything that can be set.
#[derive(Clone, PartialEq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each option that is on or off"
)]
pub struct Settings {
    /// What the search reads.
    pub search: search::Settings,
    /// The depth of a search that was asked for without one; 0 for no limit.
    pub depth_limit: u32,
    /// The nodes of a search that was asked for without their number; 0 for no limit.
    pub nodes_limit: u64,
    /// Each line is reported, however soon it follows the one before.
    pub consideration_mode: bool,
    /// To ponder is to search the opponent's position.
    pub stochastic_ponder: bool,
    /// Whether `rating` counts.
    pub limits_strength: bool,
    /// How well to play for an opponent of so many points, where that is less than the skill of the search settings.
    pub rating: u32,
    /// Where a front end writes what it hears and says. The engine itself writes nowhere.
    pub debug_log_file: Option<PathBuf>,
    /// Which evaluation is used.
    pub eval_file: EvalFile,
    /// Where `nn.bin` lies, unless `eval_file` names something else than the embedded evaluation.
    pub eval_dir: Option<PathBuf>,
    /// What the output of a network is divided by; 0 for what its file says, or 16.
    pub fv_scale: u32,
    /// Size of the table of the mate solver in MB.
    pub mate_hash_mb: usize,
    /// With a mate found, look for shorter ones as long as there is time.
    pub mate_shortest: bool,
}

/// The choice of the evaluation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum EvalFile {
    /// What comes with the executable.
    #[default]
    Embedded,
    /// The values of the pieces, nothing else.
    Material,
    /// A file, or the folder that holds it.
    Path(PathBuf),
}

impl Default for Settings {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            search: search::Settings {
                threads: cores.min(MOST_DEFAULT_THREADS),
                ..search::Settings::default()
            },
            depth_limit: 0,
            nodes_limit: 0,
            consideration_mode: false,
            stochastic_ponder: false,
            limits_strength: false,
            rating: Skill::HIGHEST_RATING,
            debug_log_file: None,
            eval_file: EvalFile::default(),
            eval_dir: None,
            fv_scale: 0,
            mate_hash_mb: 256,
            mate_shortest: false,
        }
    }
}

impl Settings {
    /// The settings for a search with these limits, which are completed by those that the settings know.
    pub(super) fn of_search(&self, limits: &mut Limits) -> search::Settings {
        let mut settings = self.search.clone();
        if self.consideration_mode {
            settings.pv_interval = Duration::ZERO;
        }
        // Who searches the opponent's position has no thought about the own one in store.
        settings.ponder &= !self.stochastic_ponder;
        if limits.depth.is_none() && self.depth_limit > 0 {
            limits.depth = Some(Depth::try_from(self.depth_limit).unwrap_or(Depth::MAX));
        }
        if limits.nodes.is_none() && self.nodes_limit > 0 {
            limits.nodes = Some(self.nodes_limit);
        }
        if limits.infinite {
            // Who analyses wants to know the truth.
            settings.skill = Skill::FULL;
        } else if self.limits_strength {
            settings.skill = settings.skill.min(Skill::of_rating(self.rating));
        }
        limits.soft_nodes = limits.soft_nodes.or(settings.skill.nodes());
        settings
    }

    /// The evaluation file that these settings ask for, `None` for an evaluation that needs none.
    pub fn eval_path(&self) -> Option<PathBuf> {
        match (&self.eval_file, &self.eval_dir) {
            (EvalFile::Path(path), _) => Some(path.clone()),
            (EvalFile::Embedded, Some(dir)) => Some(dir.join("nn.bin")),
            (EvalFile::Embedded, None) | (EvalFile::Material, _) => None,
        }
    }
}

impl EvalFile {
    const EMBEDDED: &str = "<embedded>";
    const MATERIAL: &str = "<material>";
}

impl From<&str> for EvalFile {
    /// Any text is a path, but for the two names in angle brackets and nothing, which means the embedded evaluation.
    fn from(text: &str) -> Self {
        match text {
            "" | "<empty>" | Self::EMBEDDED => Self::Embedded,
            Self::MATERIAL => Self::Material,
            path => Self::Path(PathBuf::from(path)),
        }
    }
}

impl fmt::Display for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str(Self::EMBEDDED),
            Self::Material => f.write_str(Self::MATERIAL),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_completed_and_analysis_is_at_full_strength() {
        let mut settings = Settings {
            depth_limit: 5,
            nodes_limit: 700,
            ..Settings::default()
        };
        settings.search.skill = Skill::of_level(8);
        let mut limits = Limits {
            depth: Some(3),
            ..Limits::default()
        };
        let search = settings.of_search(&mut limits);
        assert_eq!((limits.depth, limits.nodes), (Some(3), Some(700)));
        assert_eq!(search.skill, Skill::of_level(8));
        assert_eq!(limits.soft_nodes, Skill::of_level(8).nodes());
        settings.limits_strength = true;
        settings.rating = Skill::LOWEST_RATING;
        assert_eq!(
            settings.of_search(&mut limits).skill,
            Skill::of_level(0),
            "the lower of both counts"
        );
        let mut analysis = Limits {
            infinite: true,
            ..Limits::default()
        };
        assert!(settings.of_search(&mut analysis).skill.is_full());
        assert_eq!((analysis.depth, analysis.soft_nodes), (Some(5), None));
    }

    #[test]
    fn only_paths_need_a_file() {
        let path = |file: &str, dir: Option<&str>| {
            let eval_dir = dir.map(PathBuf::from);
            Settings {
                eval_file: EvalFile::from(file),
                eval_dir,
                ..Settings::default()
            }
            .eval_path()
        };
        assert_eq!(path("<embedded>", None), None);
        assert_eq!(path("<material>", Some("eval")), None);
        assert_eq!(
            path("<embedded>", Some("eval")),
            Some(PathBuf::from("eval/nn.bin"))
        );
        assert_eq!(
            path("other.bin", Some("eval")),
            Some(PathBuf::from("other.bin"))
        );
    }
}
