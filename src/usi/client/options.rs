//! Checks an option against the declarations of the engine and writes its `setoption` line.

use super::reply::{DeclaredOption, OptionKind};
use crate::util::shorten;

/// Options that every engine accepts without a declaration, because all GUIs send them.
const IMPLIED: [&str; 2] = ["USI_Hash", "USI_Ponder"];
/// How USI writes an empty text.
const EMPTY: &str = "<empty>";

/// The line that sets an option, with name and value in the spelling of the engine.
pub(super) fn setoption_line(
    declared: &[DeclaredOption],
    name: &str,
    value: Option<&str>,
) -> Result<String, String> {
    let name = name.trim();
    let value = value.map(str::trim);
    let is_named = |candidate: &str| candidate.eq_ignore_ascii_case(name);
    let (name, kind) = match declared.iter().find(|option| is_named(&option.name)) {
        Some(option) => (option.name.as_str(), &option.kind),
        None => match IMPLIED.into_iter().find(|implied| is_named(implied)) {
            Some(implied) => (implied, &OptionKind::Unknown),
            None => return Err(unknown(declared, name)),
        },
    };
    let value = checked(kind, value).map_err(|expected| {
        let found = shorten(value.unwrap_or_default());
        format!("\"{found}\" for option {name}, expected {expected}")
    })?;
    Ok(match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    })
}

fn unknown(declared: &[DeclaredOption], name: &str) -> String {
    let names: Vec<&str> = declared.iter().map(|option| option.name.as_str()).collect();
    let known = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    format!(
        "the engine has no option \"{}\", it has {known}",
        shorten(name)
    )
}

/// The value to send; as an error, what is expected instead.
fn checked(kind: &OptionKind, value: Option<&str>) -> Result<Option<String>, String> {
    let Some(text) = value else {
        return match kind {
            OptionKind::Button | OptionKind::Unknown => Ok(None),
            _ => Err(expected(kind)),
        };
    };
    let found = match kind {
        OptionKind::Check { .. } => ["true", "false"]
            .into_iter()
            .find(|word| word.eq_ignore_ascii_case(text))
            .map(str::to_owned),
        OptionKind::Spin { min, max, .. } => text
            .parse::<i64>()
            .ok()
            .filter(|number| (min..=max).contains(&number))
            .map(|number| number.to_string()),
        OptionKind::Combo { default, values } => values
            .iter()
            .chain([default])
            .find(|word| word.as_str() == text)
            .or_else(|| values.iter().find(|word| word.eq_ignore_ascii_case(text)))
            .cloned(),
        OptionKind::Button => None,
        OptionKind::String { .. } | OptionKind::Filename { .. } | OptionKind::Unknown => {
            one_line(text)
        }
    };
    found.map(Some).ok_or_else(|| expected(kind))
}

fn one_line(text: &str) -> Option<String> {
    let text = if text.is_empty() { EMPTY } else { text };
    (!text.contains(['\n', '\r'])).then(|| text.to_owned())
}

fn expected(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { .. } => "true or false".to_owned(),
        OptionKind::Spin { min, max, .. } => format!("a number from {min} to {max}"),
        OptionKind::Combo { values, .. } => format!("one of {}", values.join(", ")),
        OptionKind::Button => "no value, it is a button".to_owned(),
        OptionKind::String { .. } | OptionKind::Filename { .. } | OptionKind::Unknown => {
            "one line of text".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> Vec<DeclaredOption> {
        let option = |name: &str, kind| DeclaredOption {
            name: name.to_owned(),
            kind,
        };
        vec![
            option(
                "Threads",
                OptionKind::Spin {
                    default: 1,
                    min: 1,
                    max: 512,
                },
            ),
            option(
                "Style",
                OptionKind::Combo {
                    default: "Normal".to_owned(),
                    values: vec!["Normal".to_owned(), "Very Risky".to_owned()],
                },
            ),
            option("Own Book", OptionKind::Check { default: true }),
            option("Clear", OptionKind::Button),
            option(
                "EvalDir",
                OptionKind::String {
                    default: "<empty>".to_owned(),
                },
            ),
        ]
    }

    #[test]
    fn values_are_sent_in_the_spelling_of_the_engine() {
        for (name, value, line) in [
            ("threads", Some(" 4"), Ok("setoption name Threads value 4")),
            (
                "STYLE",
                Some("very risky"),
                Ok("setoption name Style value Very Risky"),
            ),
            (
                "own book",
                Some("FALSE"),
                Ok("setoption name Own Book value false"),
            ),
            ("Clear", None, Ok("setoption name Clear")),
            (
                "EvalDir",
                Some(""),
                Ok("setoption name EvalDir value <empty>"),
            ),
            (
                "usi_hash",
                Some("16"),
                Ok("setoption name USI_Hash value 16"),
            ),
            (
                "USI_Ponder",
                Some("false"),
                Ok("setoption name USI_Ponder value false"),
            ),
            (
                "Threads",
                Some("0"),
                Err("\"0\" for option Threads, expected a number from 1 to 512"),
            ),
            (
                "Threads",
                Some("two"),
                Err("\"two\" for option Threads, expected a number from 1 to 512"),
            ),
            (
                "Threads",
                None,
                Err("\"\" for option Threads, expected a number from 1 to 512"),
            ),
            (
                "Style",
                Some("Risky"),
                Err("\"Risky\" for option Style, expected one of Normal, Very Risky"),
            ),
            (
                "Own Book",
                Some("1"),
                Err("\"1\" for option Own Book, expected true or false"),
            ),
            (
                "Clear",
                Some("yes"),
                Err("\"yes\" for option Clear, expected no value, it is a button"),
            ),
            (
                "EvalDir",
                Some("a\nquit"),
                Err("\"a quit\" for option EvalDir, expected one line of text"),
            ),
            (
                "Threds",
                Some("1"),
                Err(
                    "the engine has no option \"Threds\", it has Threads, Style, Own Book, \
                     Clear, EvalDir",
                ),
            ),
        ] {
            let found = setoption_line(&declared(), name, value);
            assert_eq!(found, line.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
