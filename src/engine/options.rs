//! The settings of the engine as typed values; their names and texts belong to the front ends.

use std::fmt;
use std::path::PathBuf;

use crate::search;

/// Everything that can be set.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// What the search reads.
    pub search: search::Settings,
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

impl Default for Settings {
    fn default() -> Self {
        Self {
            search: search::Settings::default(),
            eval_file: EvalFile::default(),
            eval_dir: None,
            fv_scale: 0,
            mate_hash_mb: 256,
            mate_shortest: false,
        }
    }
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

impl Settings {
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
