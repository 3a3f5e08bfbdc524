//! Arguments that are one of some names, which shells complete and the help lists.

use std::error::Error;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

use crate::records::teacher::Format;
use crate::records::text::TextFormat;

/// Parses a `T` by its own rules, which may know more than the names that are listed.
#[derive(Clone)]
pub(super) struct Named<T> {
    names: Vec<&'static str>,
    kind: PhantomData<T>,
}

impl<T> Named<T> {
    /// With the names to list.
    pub(super) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            names: names.into_iter().collect(),
            kind: PhantomData,
        }
    }
}

impl<T> TypedValueParser for Named<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        str::parse::<T>.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// The names of formats to read.
pub(super) fn formats() -> Vec<&'static str> {
    Format::ALL.map(Format::name).into()
}

/// The names of formats to write.
pub(super) fn writable_formats() -> Vec<&'static str> {
    let writable = Format::ALL
        .into_iter()
        .filter(|format| format.is_writable());
    writable.map(Format::name).collect()
}

/// The names of formats to write games or teacher data as.
pub(super) fn outputs() -> Vec<&'static str> {
    let mut names = vec!["csa", "kif", "kifu", "ki2", "ki2u", "jkf", "usi"];
    let others = writable_formats();
    names.extend(
        others
            .iter()
            .filter(|name| TextFormat::of_name(name).is_none()),
    );
    names
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::lang::Lang;

    #[derive(Parser)]
    struct Arguments {
        #[arg(long, value_parser = Named::<Lang>::new(["ja", "en"]))]
        lang: Option<Lang>,
    }

    #[test]
    fn names_are_listed_and_others_are_refused_in_the_words_of_their_type() {
        let parse = |name| Arguments::try_parse_from(["raicho", "--lang", name]);
        let lang = |name| parse(name).ok().and_then(|arguments| arguments.lang);
        assert_eq!(lang("ja"), Some(Lang::Ja));
        assert_eq!(lang("English"), Some(Lang::En), "more than the list");
        let error = parse("fr").err().map(|error| error.to_string());
        assert!(
            error.is_some_and(|error| error.contains("unknown language 'fr'")),
            "not the words of the type"
        );
    }

    #[test]
    fn each_listed_format_can_be_written() {
        for name in outputs() {
            let is_text = TextFormat::of_name(name).is_some();
            let is_writable = name.parse().is_ok_and(Format::is_writable);
            assert!(is_text || is_writable, "{name}");
        }
        assert!(outputs().contains(&"pack") && !writable_formats().contains(&"kif"));
    }
}
