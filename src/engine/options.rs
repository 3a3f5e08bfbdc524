//! The settings of the engine as typed values. Option names and their text belong to the front
//! ends.

use std::{fmt, path::PathBuf, time::Duration};

use super::book::BookSettings;
use crate::search::{self, Limits, Skill};
use crate::types::Depth;
use crate::util::{system::DEFAULT_TABLE_MB, system::thread::available_parallelism};

/// Upper limit of the default for `Threads`: at usual time controls more threads gain little, and
/// each takes `search::MEGABYTES_PER_THREAD` of memory.
const MOST_DEFAULT_THREADS: usize = 16;

/// Everything that can be set; [`Settings::default`] holds the default of each USI option.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one for each check option")]
pub struct Settings {
    /// Settings that the search reads itself.
    pub search: search::Settings,
    /// Depth limit in plies of a search that was started without one; 0 for none.
    pub depth_limit: u32,
    /// Node limit of a search that was started without one; 0 for none.
    pub nodes_limit: u64,
    /// Report every line, whatever `search.pv_interval` says.
    pub consideration_mode: bool,
    /// While pondering, search the position before the expected move of the opponent.
    pub stochastic_ponder: bool,
    /// Whether `rating` limits the strength.
    pub limits_strength: bool,
    /// Target strength in Elo points. The lower of this and `search.skill` applies.
    pub rating: u32,
    /// File to which a front end logs its dialogue. The engine itself writes no files.
    pub debug_log_file: Option<PathBuf>,
    /// The evaluation to use.
    pub eval_file: EvalFile,
    /// Folder of `nn.bin` or of three-piece files; used only while `eval_file` is
    /// [`EvalFile::Embedded`].
    pub eval_dir: Option<PathBuf>,
    /// Divisor of the network output (`FV_SCALE`); 0 for the value in the file, 16 if it has none.
    pub fv_scale: u32,
    /// The opening books, and how moves are chosen from them.
    pub book: BookSettings,
    /// Size of the mate solver's table in MB.
    pub mate_hash_mb: usize,
    /// After a mate is found, search for shorter ones until the time is over.
    pub mate_shortest: bool,
}

/// The evaluation to use, as `EvalFile` names it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum EvalFile {
    /// The network inside the executable.
    #[default]
    Embedded,
    /// Material only: piece values, no network.
    Material,
    /// A network file, or a folder that holds `nn.bin`.
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
            book: BookSettings::default(),
            mate_hash_mb: DEFAULT_TABLE_MB,
            mate_shortest: false,
        }
    }
}

impl Settings {
    /// The strength of play.
    pub(super) fn skill(&self) -> Skill {
        let skill = self.search.skill;
        if self.limits_strength {
            skill.min(Skill::of_rating(self.rating))
        } else {
            skill
        }
    }

    /// The search settings for one search. Adds the limits that the settings impose to `limits`.
    pub(super) fn for_search(&self, limits: &mut Limits) -> search::Settings {
        let mut settings = self.search.clone();
        if self.consideration_mode {
            settings.pv_interval = Duration::ZERO;
        }
        // Stochastic ponder searches another position, so no ponder time can be counted on.
        settings.ponder &= !self.stochastic_ponder;
        if limits.depth.is_none() && self.depth_limit > 0 {
            limits.depth = Some(Depth::try_from(self.depth_limit).unwrap_or(Depth::MAX));
        }
        if limits.nodes.is_none() && self.nodes_limit > 0 {
            limits.nodes = Some(self.nodes_limit);
        }
        // Analysis runs at full strength.
        settings.skill = if limits.infinite {
            Skill::FULL
        } else {
            self.skill()
        };
        limits.soft_nodes = limits.soft_nodes.or(settings.skill.nodes());
        settings
    }

    /// The file or folder to load; `None` if the evaluation needs no file.
    pub fn eval_path(&self) -> Option<PathBuf> {
        match (&self.eval_file, &self.eval_dir) {
            (EvalFile::Path(path), _) => Some(path.clone()),
            (EvalFile::Embedded, Some(dir)) => Some(dir.clone()),
            (EvalFile::Embedded, None) | (EvalFile::Material, _) => None,
        }
    }
}

impl EvalFile {
    const EMBEDDED: &str = "<embedded>";
    const MATERIAL: &str = "<material>";
}

impl From<&str> for EvalFile {
    /// `<embedded>`, `<empty>` and no text mean the embedded network, `<material>` material only;
    /// any other text is a path.
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
    fn settings_add_limits_and_analysis_runs_at_full_strength() {
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
        let search = settings.for_search(&mut limits);
        assert_eq!((limits.depth, limits.nodes), (Some(3), Some(700)));
        assert_eq!(search.skill, Skill::of_level(8));
        assert_eq!(limits.soft_nodes, Skill::of_level(8).nodes());
        settings.limits_strength = true;
        settings.rating = Skill::LOWEST_RATING;
        assert_eq!(
            settings.for_search(&mut limits).skill,
            Skill::of_level(0),
            "the lower of both applies"
        );
        let mut analysis = Limits {
            infinite: true,
            ..Limits::default()
        };
        assert!(settings.for_search(&mut analysis).skill.is_full());
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
            Some(PathBuf::from("eval"))
        );
        assert_eq!(
            path("other.bin", Some("eval")),
            Some(PathBuf::from("other.bin"))
        );
    }
}
