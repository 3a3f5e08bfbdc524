//! The language of what people read.

use crate::page;

/// Japanese or English.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    Japanese,
    English,
}

impl Language {
    /// The language of the environment: `RAICHO_LANG`, or the usual variables of the system.
    pub(super) fn chosen() -> Self {
        let named = ["RAICHO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        match named {
            Some(name) if name.starts_with("ja") => Self::Japanese,
            _ => Self::English,
        }
    }
}

impl From<Language> for page::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Japanese => Self::Ja,
            Language::English => Self::En,
        }
    }
}
