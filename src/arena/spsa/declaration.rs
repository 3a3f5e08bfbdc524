//! Checks that an engine declares the options that are tuned.

use thiserror::Error;

use super::Parameter;
use crate::usi::client::reply::{DeclaredOption, OptionKind};

/// Why a parameter cannot be tuned with an engine.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum DeclarationError {
    #[error("no option {name}, it has {known}")]
    Unknown { name: String, known: String },
    #[error("option {name} of type {kind}, expected {expected}")]
    Kind {
        name: String,
        kind: &'static str,
        expected: &'static str,
    },
    #[error("option {name} from {min} to {max}, expected all of {least} to {most}")]
    Range {
        name: String,
        min: i64,
        max: i64,
        least: f64,
        most: f64,
    },
    #[error("option {name} is set to {value} and tuned, expected one of both")]
    Fixed { name: String, value: String },
}

/// Checks that the engine accepts every value that may be tried, and that the user has not set a
/// tuned option.
pub(super) fn check(
    parameters: &[Parameter],
    declared: &[DeclaredOption],
    fixed: &[(String, String)],
) -> Result<(), DeclarationError> {
    parameters
        .iter()
        .try_for_each(|parameter| check_one(parameter, declared, fixed))
}

fn check_one(
    parameter: &Parameter,
    declared: &[DeclaredOption],
    fixed: &[(String, String)],
) -> Result<(), DeclarationError> {
    let name = &parameter.name;
    if let Some((_, value)) = fixed.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)) {
        return Err(DeclarationError::Fixed {
            name: name.clone(),
            value: value.clone(),
        });
    }
    let Some(option) = declared
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
    else {
        return Err(DeclarationError::Unknown {
            name: name.clone(),
            known: known(declared),
        });
    };
    match (&option.kind, parameter.is_integer) {
        (&OptionKind::Spin { min, max, .. }, true) => {
            // The limits of an int are whole numbers.
            let [least, most] = [parameter.least, parameter.most].map(|end| end as i64);
            if min <= least && most <= max {
                return Ok(());
            }
            Err(DeclarationError::Range {
                name: option.name.clone(),
                min,
                max,
                least: parameter.least,
                most: parameter.most,
            })
        }
        (OptionKind::String { .. } | OptionKind::Unknown, false) => Ok(()),
        (kind, is_integer) => Err(DeclarationError::Kind {
            name: option.name.clone(),
            kind: kind_name(kind),
            expected: if is_integer {
                "spin for an int"
            } else {
                "string for a float: a spin takes whole numbers only"
            },
        }),
    }
}

fn known(declared: &[DeclaredOption]) -> String {
    let names: Vec<&str> = declared.iter().map(|option| option.name.as_str()).collect();
    match names.len() {
        0 => "none".to_owned(),
        _ => names.join(", "),
    }
}

fn kind_name(kind: &OptionKind) -> &'static str {
    match kind {
        OptionKind::Check { .. } => "check",
        OptionKind::Spin { .. } => "spin",
        OptionKind::Combo { .. } => "combo",
        OptionKind::Button => "button",
        OptionKind::String { .. } => "string",
        OptionKind::Filename { .. } => "filename",
        OptionKind::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> Vec<DeclaredOption> {
        let spin = OptionKind::Spin {
            default: 5,
            min: 0,
            max: 100,
        };
        let text = OptionKind::String {
            default: "1.5".to_owned(),
        };
        [
            ("Depth", spin),
            ("Scale", text),
            ("Book", OptionKind::Check { default: true }),
        ]
        .map(|(name, kind)| DeclaredOption {
            name: name.to_owned(),
            kind,
        })
        .to_vec()
    }

    #[test]
    fn options_must_take_every_value() {
        for (line, part) in [
            ("depth, int, 40, 0, 100, 4, 0.02", None),
            ("Scale, float, 1, -9, 9, 1, 0.02", None),
            (
                "Dept, int, 40, 0, 100, 4, 0.02",
                Some("no option Dept, it has Depth, Scale, Book"),
            ),
            (
                "depth, int, 40, 0, 101, 4, 0.02",
                Some("option Depth from 0 to 100, expected all of 0 to 101"),
            ),
            (
                "Depth, int, 40, -1, 100, 4, 0.02",
                Some("expected all of -1 to 100"),
            ),
            (
                "Depth, float, 40, 0, 100, 4, 0.02",
                Some("option Depth of type spin, expected string for a float"),
            ),
            (
                "Scale, int, 1, 0, 9, 1, 0.02",
                Some("option Scale of type string, expected spin for an int"),
            ),
            (
                "Book, int, 1, 0, 1, 1, 0.02",
                Some("option Book of type check"),
            ),
        ] {
            let parameters = [line.parse().unwrap()];
            let error = check(&parameters, &declared(), &[]).err();
            let message = error.as_ref().map(ToString::to_string);
            assert_eq!(message.is_some(), part.is_some(), "{line}: {message:?}");
            let part = part.unwrap_or_default();
            assert!(message.unwrap_or_default().contains(part), "{line}");
        }
    }

    #[test]
    fn tuned_option_must_not_be_set() {
        let parameters = ["Depth, int, 40, 0, 100, 4, 0.02".parse().unwrap()];
        let fixed = [("depth".to_owned(), "7".to_owned())];
        let error = check(&parameters, &declared(), &fixed).unwrap_err();
        assert_eq!(
            error.to_string(),
            "option Depth is set to 7 and tuned, expected one of both"
        );
    }
}
